/// A common mistake in a token or its use. Times are Unix seconds.
public enum TokenMistake: Equatable, Sendable {
    /// A number has a different unit than the service expects. The text names both units.
    case unit(String)
    /// The token is for a different app than the expected one.
    case otherApp
    /// The token is for a different user than the expected one.
    case otherUser
    /// The token is for a different channel than the expected one.
    case otherChannel
    /// The token is for the REST API, but is used for the login of a user.
    case appToken
    case expired(at: Int64)
    case privilegeExpired(name: String, at: Int64)
    /// The token's issue time is in the future, so a clock is wrong.
    case issuedLater(at: Int64)
    case expiredBeforeLogin(event: UInt64, login: Int64, at: Int64)
    case issuedAfterLogin(event: UInt64, login: Int64, at: Int64)
    case wrongSignature
    /// The token is a JSON Web Token with the algorithm "none", so it has no signature.
    case unsigned

    /// The name of the mistake in JSON. It does not change between versions.
    public var code: String {
        switch self {
        case .unit: "unit"
        case .otherApp: "other-app"
        case .otherUser: "other-user"
        case .otherChannel: "other-channel"
        case .appToken: "app-token"
        case .expired: "expired"
        case .privilegeExpired: "privilege-expired"
        case .issuedLater: "issued-later"
        case .expiredBeforeLogin: "expired-before-login"
        case .issuedAfterLogin: "issued-after-login"
        case .wrongSignature: "wrong-signature"
        case .unsigned: "unsigned"
        }
    }
}

extension TokenFacts {
    /// True if a time is in milliseconds and not in seconds. The limit is the year 1973 in milliseconds and the year
    /// 5138 in seconds.
    static func isMilliseconds(_ time: Int64) -> Bool { time >= 100_000_000_000 }

    /// True if a number of seconds is a point in time and not a duration. The limit is the year 2001 as a time and 31
    /// years as a duration.
    static func isTime(_ seconds: Int64) -> Bool { seconds >= 1_000_000_000 }

    /// The difference between the clocks of servers and devices that is not a mistake, in seconds.
    private static let clockTolerance: Int64 = 60

    /// All users that the token contains.
    private var users: [String] { services.compactMap(\.user) + [user].compactMap { $0 } }

    mutating func findMistakes(_ context: TokenContext) {
        if let app, let expected = context.app, !Self.isSameApp(app, expected) { mistakes.append(.otherApp) }
        if let expected = context.user, !users.isEmpty, !users.contains(expected) { mistakes.append(.otherUser) }
        let channels = services.compactMap(\.channel).filter { !$0.isEmpty }
        if let expected = context.channel, !channels.isEmpty, !channels.contains(expected) {
            mistakes.append(.otherChannel)
        }
        if isAppToken == true, context.user != nil || context.logins != nil { mistakes.append(.appToken) }
        // If a number has a wrong unit, the computed times are wrong too, so they are not compared.
        guard !mistakes.contains(where: { if case .unit = $0 { true } else { false } }) else { return }
        if let logins = context.logins { compare(with: logins) } else { compare(with: context.now) }
    }

    /// True if both texts may name the same app. An app key (`org#app`) and an application's UUID cannot be compared,
    /// so they count as the same app.
    private static func isSameApp(_ one: String, _ other: String) -> Bool {
        one == other || one.contains("#") != other.contains("#")
    }

    private mutating func compare(with now: Int64) {
        if let issued, issued > now.addingClamped(Self.clockTolerance) { mistakes.append(.issuedLater(at: issued)) }
        if let expires, expires <= now { return mistakes.append(.expired(at: expires)) }
        for service in services {
            for privilege in service.privileges {
                guard let expires = privilege.expires, expires <= now else { continue }
                mistakes.append(.privilegeExpired(name: "\(service.name) \(privilege.name)", at: expires))
            }
        }
    }

    /// Compares the token with the logins of the token's user. If the session has no login of this user, it is compared
    /// with all logins.
    private mutating func compare(with logins: [TokenContext.Login]) {
        let ownLogins = logins.filter { users.contains($0.user) }
        for login in ownLogins.isEmpty ? logins : ownLogins {
            if let expires, expires <= login.time {
                mistakes.append(.expiredBeforeLogin(event: login.event, login: login.time, at: expires))
            }
            if let issued, issued > login.time.addingClamped(Self.clockTolerance) {
                mistakes.append(.issuedAfterLogin(event: login.event, login: login.time, at: issued))
            }
        }
    }
}
