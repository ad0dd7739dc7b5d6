import IMProtocol
import OrderedCollections
import SansIO

/// Keeps the secrets of a world's clients and checks those that its server receives, so that no core and no file ever
/// holds one. Cores see the names that this vault gives to secrets, and its verdicts.
///
/// Confined to the world's thread. The ``TokenAuthority`` defines the tokens.
public final class CredentialVault {
    private let authority: any TokenAuthority
    /// Nil if the system uses tokens only.
    private let passwords: (any PasswordBook)?
    private var secrets: OrderedDictionary<String, Secret> = [:]
    private var lastNameNumber = 0
    private var rateLimiter = CredentialRateLimiter()
    /// Addresses from which wrong credentials have come, with their numbers in the server's core.
    private var origins: OrderedDictionary<String, UInt32> = [:]
    private var lastOrigin: UInt32 = 0
    /// The addresses in the recording that a world continues: the number in the server's core, and when the first wrong
    /// credential came.
    private var recordedOrigins: OrderedDictionary<String, (number: UInt32, fromMilliseconds: Int64)> = [:]
    /// How often the tokens of a user were revoked, and the earliest issue time of new ones.
    private var revocations: OrderedDictionary<String, (count: Int, fromMilliseconds: Int64)> = [:]
    /// The recorded verdicts, in a world that continues a recording.
    private var recordedVerdicts: OrderedDictionary<String, [RecordedVerdict]> = [:]
    private static let recordedMark = "recorded:"
    /// True if a user without a token gets one made, for an embedded world.
    public let makesTokens: Bool

    package init(authority: any TokenAuthority, passwords: (any PasswordBook)?, makesTokens: Bool) {
        self.authority = authority
        self.passwords = passwords
        self.makesTokens = makesTokens
    }

    /// An independent vault with the same contents; nil if the passwords are not in memory alone.
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
        // A client that keeps the name of a revoked token keeps the revoked token.
        let count = revocations[user]?.count ?? 0
        return count == 0 ? "token-of-\(user)" : "token-\(count + 1)-of-\(user)"
    }

    /// True if the name is one that the vault gives to the tokens that it makes for the user.
    public static func isOwn(_ reference: String, of user: String) -> Bool {
        guard reference.hasPrefix("token-"), reference.hasSuffix("of-\(user)") else { return false }
        let number = reference.dropFirst("token-".count).dropLast("of-\(user)".count)
        return number.isEmpty || number.hasSuffix("-") && Int(number.dropLast()) != nil
    }

    /// Revokes the tokens made for a user until now, as the server does; tokens made later have other names.
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

    /// Makes the token of that name if it does not exist yet and the vault makes it.
    public func prepare(_ reference: String, user: String, wallMilliseconds: Int64) throws {
        guard makesTokens, secrets[reference] == nil,
            reference == self.reference(for: user) || Credential.isProvided(reference)
        else { return }
        secrets[reference] = .token(try mint(user: user, lifetime: nil, wallMilliseconds: wallMilliseconds))
    }

    /// The wire text of a credential that a client sends; empty if there is none. A token of the app's provider is made
    /// now.
    public func wireText(of reference: String, user: String, wallMilliseconds: Int64) -> String {
        if Credential.isProvided(reference) {
            try? prepare(reference, user: user, wallMilliseconds: wallMilliseconds)
        }
        return secret(of: reference) ?? ""
    }

    /// The wire text of the secret of that name, nil for an unknown name.
    public func secret(of reference: String) -> String? {
        secrets[reference]?.wireText
    }

    /// Adds a token under its name in a recording.
    func adopt(_ text: String, as reference: String) { secrets[reference] = .token(text) }

    /// Adds the recorded verdicts on a secret that cannot be made again: a password.
    func adopt(verdicts: [RecordedVerdict], of reference: String) {
        secrets[reference] = .token(Self.recordedMark + reference)
        recordedVerdicts[reference] = verdicts
    }

    /// Adds the recorded number of an address.
    func adopt(origin: UInt32, of address: String, fromMilliseconds: Int64) {
        lastOrigin = max(lastOrigin, origin)
        if recordedOrigins[address] == nil { recordedOrigins[address] = (origin, fromMilliseconds) }
    }

    /// Reserves the first `count` names, so that none of them is given again.
    func reserveNames(upTo count: Int) { lastNameNumber = max(lastNameNumber, count) }

    /// The expiry that the token of that name claims, in milliseconds since 1970, as its bearer can read it without a
    /// key; 0 if it claims none, and for a password.
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

    /// Deletes the password of a removed account: the next account of that name belongs to somebody else.
    func forgetPassword(of user: String) throws {
        try passwords?.forget(user)
    }

    private func requirePasswords() throws -> any PasswordBook {
        guard let passwords else { throw WorldError("this world has no passwords: users log in with tokens") }
        return passwords
    }

    // MARK: Checking

    /// Checks a secret. The result comes at once or later, on any thread; ``verdict(of:)`` turns it into a verdict.
    ///
    /// - Parameter bearer: the user that its bearer claims, and the bearer's address and device; a password itself
    ///   names no user.
    package func checkCredential(
        _ credential: Credential, from bearerKey: CredentialRateLimiter.BearerKey, wallMilliseconds: Int64,
        then: @escaping @Sendable (CredentialCheck) -> Void
    ) {
        func answer(_ finding: CredentialVerdict.Finding) {
            then(CredentialCheck(verdict: CredentialVerdict(finding), wallMilliseconds: wallMilliseconds))
        }
        // A peer may not send a verdict on its own credential, nor use a secret by its name.
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
                // A password does not expire, and is valid at the time of its use. A wrong password and an unknown user
                // give the same answer.
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

    /// The verdict, if nothing has changed after the check: a password that was changed during its check is wrong. To
    /// be called once.
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
            // It was right once, and nobody finds such a secret by guessing.
            case .expired, .revoked, .missing, .tooOften: nil
            }
        rateLimiter.end(ticket, isRight: isRight, at: credentialCheck.wallMilliseconds)
        return verdict
    }

    /// Only a wrong token is a guess; after too many the bearer receives only that verdict.
    private func verdict(
        _ verdict: CredentialVerdict, onTokenOf bearerKey: CredentialRateLimiter.BearerKey, at wallMilliseconds: Int64
    ) -> CredentialVerdict {
        switch verdict.finding {
        case .valid where verdict.user == bearerKey.user || bearerKey.user.isEmpty:
            rateLimiter.noteRight(bearerKey, at: wallMilliseconds)
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

    /// The number of an address from which a wrong credential has come; 0 for any other.
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

    /// True if checking the credential is slow: a password of a bearer who has not been right before.
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
