/// A usual mistake in the use of a token. Times are Unix seconds.
public enum TokenMistake: Equatable, Sendable {
    /// A number has another unit than the service reads; the text says which.
    case unit(String)
    /// The token is for another app than the app's.
    case otherApp
    /// The token is for another user.
    case otherUser
    /// The token is for another channel.
    case otherChannel
    /// A token for the REST API, where a user logs in.
    case appToken
    case expired(at: Int64)
    case privilegeExpired(name: String, at: Int64)
    /// The token was issued later than now: a clock is wrong.
    case issuedLater(at: Int64)
    case expiredBeforeLogin(event: UInt64, login: Int64, at: Int64)
    case issuedAfterLogin(event: UInt64, login: Int64, at: Int64)
    case wrongSignature
    /// A JSON Web Token with the algorithm "none".
    case unsigned

    /// A stable name for programs.
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
    /// A number this large is milliseconds since 1970 (from 1973 on), a smaller one seconds (until the year 5138).
    static func isMilliseconds(_ time: Int64) -> Bool { time >= 100_000_000_000 }

    /// A number this large is a time, not a length: 2001 as a time, 31 years as a length.
    static func isTime(_ seconds: Int64) -> Bool { seconds >= 1_000_000_000 }

    /// Clocks of servers and devices differ by this much without harm.
    private static let clockTolerance: Int64 = 60

    mutating func findMistakes(_ context: TokenContext) {
        if let app, let expected = context.app, !Self.isSameApp(app, expected) { mistakes.append(.otherApp) }
        let users = services.compactMap(\.user) + [user].compactMap { $0 }
        if let expected = context.user, !users.isEmpty, !users.contains(expected) { mistakes.append(.otherUser) }
        let channels = services.compactMap(\.channel).filter { !$0.isEmpty }
        if let expected = context.channel, !channels.isEmpty, !channels.contains(expected) {
            mistakes.append(.otherChannel)
        }
        if isAppToken == true, context.user != nil || context.logins != nil { mistakes.append(.appToken) }
        // A wrong unit is the cause of a wrong time.
        guard !mistakes.contains(where: { if case .unit = $0 { true } else { false } }) else { return }
        if let logins = context.logins { compare(with: logins) } else { compare(with: context.now) }
    }

    /// An app key (`org#app`) and an application's UUID are not comparable.
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

    /// The token's own user decides which logins count, if the session has such a login.
    private mutating func compare(with logins: [TokenContext.Login]) {
        let users = services.compactMap(\.user) + [user].compactMap { $0 }
        let own = logins.filter { users.contains($0.user) }
        for login in own.isEmpty ? logins : own {
            if let expires, expires <= login.time {
                mistakes.append(.expiredBeforeLogin(event: login.event, login: login.time, at: expires))
            }
            if let issued, issued > login.time.addingClamped(Self.clockTolerance) {
                mistakes.append(.issuedAfterLogin(event: login.event, login: login.time, at: issued))
            }
        }
    }
}
