import IMProtocol
import OrderedCollections
import SansIO

/// Stores the secrets of a world's clients, and checks the secrets that the world's server receives. Machines and files
/// never contain a secret: they contain the names that this vault gives to secrets, and its verdicts.
///
/// Confined to the world's thread. The ``TokenAuthority`` makes and checks tokens.
public final class CredentialVault {
    private let authority: any TokenAuthority
    /// The passwords of the users; nil if users log in with tokens only.
    private let passwords: (any PasswordBook)?
    private var secrets: OrderedDictionary<String, Secret> = [:]
    private var lastNameNumber = 0
    private var rateLimiter = CredentialRateLimiter()
    /// The addresses that sent a wrong credential, with the numbers by which the server's machine distinguishes them.
    private var origins: OrderedDictionary<String, UInt32> = [:]
    private var lastOrigin: UInt32 = 0
    /// The addresses of the recording that this world continues: the number of each, and the time of its first wrong
    /// credential.
    private var recordedOrigins: OrderedDictionary<String, (number: UInt32, fromMilliseconds: Int64)> = [:]
    /// For each user, how often its tokens were revoked, and the earliest issue time of a new token.
    private var revocations: OrderedDictionary<String, (count: Int, fromMilliseconds: Int64)> = [:]
    /// The verdicts on credentials in the recording that this world continues; empty in any other world.
    private var recordedVerdicts: OrderedDictionary<String, [RecordedVerdict]> = [:]
    private static let recordedMark = "recorded:"
    /// True if the vault makes a token for each user who has none (``WorldConfiguration/isOpen``).
    public let makesTokens: Bool

    package init(authority: any TokenAuthority, passwords: (any PasswordBook)?, makesTokens: Bool) {
        self.authority = authority
        self.passwords = passwords
        self.makesTokens = makesTokens
    }

    /// A copy that shares no data with this vault; nil if the passwords are stored outside of memory.
    func copy() -> CredentialVault? {
        var book: PlainPasswordBook?
        if let passwords {
            guard let plain = passwords as? PlainPasswordBook else { return nil }
            book = plain.copy()
        }
        let copy = CredentialVault(authority: authority, passwords: book, makesTokens: makesTokens)
        copy.secrets = secrets
        copy.lastNameNumber = lastNameNumber
        copy.rateLimiter = rateLimiter
        (copy.origins, copy.lastOrigin, copy.recordedOrigins) = (origins, lastOrigin, recordedOrigins)
        copy.revocations = revocations
        copy.recordedVerdicts = recordedVerdicts
        return copy
    }

    /// Stores a token and returns its name.
    public func keep(_ token: String) -> String {
        keep(.token(token), named: "given")
    }

    /// Stores a password and returns its name.
    ///
    /// - Throws: ``WorldError`` if the system has no passwords.
    public func keep(password: String) throws -> String {
        _ = try requirePasswords()
        return keep(.password(password), named: "password")
    }

    private func keep(_ secret: Secret, named kind: String) -> String {
        lastNameNumber += 1
        let reference = "\(kind)-\(lastNameNumber)"
        secrets[reference] = secret
        return reference
    }

    /// The name of the token that the vault itself makes for a user; empty if it makes none.
    public func reference(for user: String) -> String {
        guard makesTokens else { return "" }
        // Each revocation changes the name, so that the name of a revoked token never refers to a newer token.
        let count = revocations[user]?.count ?? 0
        return count == 0 ? "token-of-\(user)" : "token-\(count + 1)-of-\(user)"
    }

    /// True if `reference` is a name that the vault gives to a token that it makes for `user`.
    public static func isOwn(_ reference: String, of user: String) -> Bool {
        guard reference.hasPrefix("token-"), reference.hasSuffix("of-\(user)") else { return false }
        let number = reference.dropFirst("token-".count).dropLast("of-\(user)".count)
        return number.isEmpty || number.hasSuffix("-") && Int(number.dropLast()) != nil
    }

    /// Revokes the tokens made for a user until now, as the server does. Tokens made later have other names.
    func revokeTokens(of user: String, wallMilliseconds: Int64) {
        revocations[user] = ((revocations[user]?.count ?? 0) + 1, wallMilliseconds + 1)
    }

    /// Makes a token for a user.
    ///
    /// - Parameters:
    ///   - lifetime: how long it is valid; nil for the authority's default.
    ///   - wallMilliseconds: the server's clock, milliseconds since 1970.
    public func mint(user: String, lifetime: Interval?, wallMilliseconds: Int64) throws -> String {
        let first = revocations[user]?.fromMilliseconds ?? .min
        return try authority.mint(user: user, lifetime: lifetime, wallMilliseconds: max(first, wallMilliseconds))
    }

    /// Makes the token with the name `reference`, if it does not exist yet and is a token that this vault makes.
    public func prepare(_ reference: String, user: String, wallMilliseconds: Int64) throws {
        guard makesTokens, secrets[reference] == nil,
            reference == self.reference(for: user) || Credential.isProvided(reference)
        else { return }
        secrets[reference] = .token(try mint(user: user, lifetime: nil, wallMilliseconds: wallMilliseconds))
    }

    /// The text that a client sends for a credential; empty if the vault has no secret of that name. A token that the
    /// app's token provider supplies is made by this call.
    public func wireText(of reference: String, user: String, wallMilliseconds: Int64) -> String {
        if Credential.isProvided(reference) {
            try? prepare(reference, user: user, wallMilliseconds: wallMilliseconds)
        }
        return secret(of: reference) ?? ""
    }

    /// The text of the secret of that name, as a client sends it; nil for an unknown name.
    public func secret(of reference: String) -> String? {
        secrets[reference]?.wireText
    }

    /// Stores a token under the name that it has in a recording.
    func adopt(_ text: String, as reference: String) { secrets[reference] = .token(text) }

    /// Stores the recorded verdicts on a credential whose secret a recording does not reveal, such as a password.
    func adopt(verdicts: [RecordedVerdict], of reference: String) {
        secrets[reference] = .token(Self.recordedMark + reference)
        recordedVerdicts[reference] = verdicts
    }

    /// Stores the number that an address has in a recording.
    func adopt(origin: UInt32, of address: String, fromMilliseconds: Int64) {
        lastOrigin = max(lastOrigin, origin)
        if recordedOrigins[address] == nil { recordedOrigins[address] = (origin, fromMilliseconds) }
    }

    /// Reserves the numbers up to `count`, so that no new secret gets the name of a recorded one.
    func reserveNames(upTo count: Int) { lastNameNumber = max(lastNameNumber, count) }

    /// The expiry that the token of that name claims, in milliseconds since 1970; 0 if it claims none, and for a
    /// password. The claim is not verified.
    public func expiry(of reference: String) -> Int64 {
        guard case .token(let token)? = secrets[reference] else { return 0 }
        return authority.claimedExpiry(token)
    }

    // MARK: Passwords

    /// Sets the password of a user, whether or not the account exists. The server ends the logins made with the
    /// previous password.
    ///
    /// - Throws: ``WorldError`` if the system has no passwords, or if the password is invalid.
    public func setPassword(_ password: String, of user: String) throws {
        let book = try requirePasswords()
        if let rejectionReason = Password.rejectionReason(to: password) { throw WorldError(rejectionReason) }
        do {
            try book.set(password, of: user)
        } catch {
            throw WorldError("the password of '\(user)' cannot be stored: \(error)")
        }
    }

    /// Deletes the password of a removed account: the next account of that name may belong to somebody else.
    func forgetPassword(of user: String) throws {
        try passwords?.forget(user)
    }

    private func requirePasswords() throws -> any PasswordBook {
        guard let passwords else { throw WorldError("this world has no passwords: users log in with tokens") }
        return passwords
    }

    // MARK: Checking

    /// Checks a secret. `then` receives the result, immediately or later, on any thread. ``verdict(of:)`` makes the
    /// verdict from the result.
    ///
    /// - Parameter bearerKey: the user that the sender claims to be, and its address and device. A password does not
    ///   identify its user.
    package func checkCredential(
        _ credential: Credential, from bearerKey: CredentialRateLimiter.BearerKey, wallMilliseconds: Int64,
        then: @escaping @Sendable (CredentialCheck) -> Void
    ) {
        func answer(_ finding: CredentialVerdict.Finding) {
            then(CredentialCheck(verdict: CredentialVerdict(finding), wallMilliseconds: wallMilliseconds))
        }
        // A peer may send only a secret. Its own verdict, or the name of a stored secret, would bypass the check.
        guard case .secret(let text) = credential else { return answer(.wrong) }
        if let verdict = recordedVerdict(of: text, at: wallMilliseconds) {
            return then(CredentialCheck(verdict: verdict, wallMilliseconds: wallMilliseconds))
        }
        // An empty secret is not a guess, but it does not log in a user who has a password.
        if text.isEmpty { return answer(passwords?.hasPassword(bearerKey.user) == true ? .wrong : .missing) }
        switch Secret(wireText: text) {
        case .token(let token):
            authority.checkCredential(token, wallMilliseconds: wallMilliseconds) {
                then(
                    CredentialCheck(
                        verdict: $0, wallMilliseconds: wallMilliseconds, user: bearerKey.user, bearerKey: bearerKey))
            }
        case .password(let password):
            guard let ticket = rateLimiter.begin(bearerKey, at: wallMilliseconds) else { return answer(.tooOften) }
            let user = bearerKey.user
            var credentialCheck = CredentialCheck(
                verdict: CredentialVerdict(.wrong), wallMilliseconds: wallMilliseconds, user: user, ticket: ticket)
            guard let passwords, ProtocolLimit.isName(user) else { return then(credentialCheck) }
            credentialCheck.passwordVersion = passwords.version(of: user)
            passwords.check(password, of: user, isUrgent: ticket.isKnown) { [credentialCheck] isRight in
                var credentialCheck = credentialCheck
                // A password has no issue time and no expiry, so it counts as issued at the time of its use. The result
                // does not distinguish a wrong password from an unknown user, so that nobody can find out which users
                // exist.
                if isRight {
                    credentialCheck.verdict = CredentialVerdict(
                        .valid, user: user, issuedAtMilliseconds: wallMilliseconds + 1)
                }
                then(credentialCheck)
            }
        }
    }

    private func recordedVerdict(of text: String, at wallMilliseconds: Int64) -> CredentialVerdict? {
        guard !recordedVerdicts.isEmpty, text.hasPrefix(Self.recordedMark),
            let verdicts = recordedVerdicts[String(text.dropFirst(Self.recordedMark.count))]
        else { return nil }
        return (verdicts.last { $0.wallMilliseconds <= wallMilliseconds } ?? verdicts.first)?.verdict
    }

    /// The verdict of a finished check. A password that was changed during the check is wrong. Call it once for each
    /// check, because it also ends the ticket of the rate limit.
    package func verdict(of credentialCheck: CredentialCheck) -> CredentialVerdict {
        var verdict = credentialCheck.verdict
        if let version = credentialCheck.passwordVersion, passwords?.version(of: credentialCheck.user) != version {
            verdict = CredentialVerdict(.wrong)
        }
        if let bearerKey = credentialCheck.bearerKey {
            return self.verdict(verdict, onTokenOf: bearerKey, at: credentialCheck.wallMilliseconds)
        }
        guard let ticket = credentialCheck.ticket else { return verdict }
        let isRight: Bool? =
            switch verdict.finding {
            case .valid: verdict.user == credentialCheck.user || credentialCheck.user.isEmpty
            case .wrong: false
            // Not counted as a guess: an expired or revoked secret was right before. With `missing` and `tooOften`, no
            // secret was compared.
            case .expired, .revoked, .missing, .tooOften: nil
            }
        rateLimiter.end(ticket, isRight: isRight, at: credentialCheck.wallMilliseconds)
        return verdict
    }

    /// The verdict on a token under the rate limit. Only a wrong token counts as a guess. After too many of them, the
    /// verdict is `tooOften`.
    private func verdict(
        _ verdict: CredentialVerdict, onTokenOf bearerKey: CredentialRateLimiter.BearerKey, at wallMilliseconds: Int64
    ) -> CredentialVerdict {
        switch verdict.finding {
        case .valid where verdict.user == bearerKey.user || bearerKey.user.isEmpty:
            rateLimiter.noteRightSecret(bearerKey, at: wallMilliseconds)
            return verdict
        case .expired, .revoked, .missing, .tooOften: return verdict
        case .valid, .wrong:
            guard let ticket = rateLimiter.begin(bearerKey, at: wallMilliseconds) else {
                return CredentialVerdict(.tooOften)
            }
            rateLimiter.end(ticket, isRight: false, at: wallMilliseconds)
            return verdict
        }
    }

    // MARK: Addresses

    /// The number of an address that has sent a wrong credential; 0 for an address that has not.
    func origin(of address: String, isWrong: Bool, wallMilliseconds: Int64) -> UInt32 {
        if let known = origins[address] { return known }
        if let recorded = recordedOrigins[address], recorded.fromMilliseconds <= wallMilliseconds {
            return recorded.number
        }
        guard isWrong else { return 0 }
        if origins.count >= CredentialRateLimiter.countMax { origins.removeFirst(CredentialRateLimiter.countMax / 2) }
        lastOrigin = lastOrigin == .max ? 1 : lastOrigin + 1
        origins[address] = lastOrigin
        return lastOrigin
    }

    /// True if the check is slow and has to wait for its turn: the credential is a password, and its sender has not
    /// sent a right one before.
    package func needsTurn(_ credential: Credential, from bearerKey: CredentialRateLimiter.BearerKey) -> Bool {
        guard case .secret(let text) = credential, case .password = Secret(wireText: text) else { return false }
        return !rateLimiter.isKnown(bearerKey)
    }
}

/// A recorded verdict on a credential, and its time.
struct RecordedVerdict: Hashable {
    var wallMilliseconds: Int64
    var verdict: CredentialVerdict
}
