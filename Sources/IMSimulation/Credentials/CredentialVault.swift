import IMProtocol
import OrderedCollections
import SansIO

/// Keeps the secrets of a world's clients and judges those that reach its server, so that no core and no file ever
/// holds one. Cores see the names that this vault gives to secrets, and the verdicts that it reaches.
///
/// Confined to the world's thread. What a token is, is the business of its ``TokenAuthority``.
public final class CredentialVault {
    private let authority: any TokenAuthority
    /// Nil where the system knows tokens only.
    private let passwords: (any PasswordBook)?
    private var secrets: OrderedDictionary<String, Secret> = [:]
    private var givenCount = 0
    private var guesses = GuessLimit()
    /// Addresses from which wrong credentials have come, with the numbers that the server's core has for them.
    private var origins: OrderedDictionary<String, UInt32> = [:]
    private var lastOrigin: UInt32 = 0
    /// The same in the recording that a world goes on from: the number, and when the first wrong credential came.
    private var recordedOrigins: OrderedDictionary<String, (number: UInt32, fromMilliseconds: Int64)> = [:]
    /// How often the tokens of a user were revoked, and the first moment for which new ones can be made.
    private var revocations: OrderedDictionary<String, (count: Int, fromMilliseconds: Int64)> = [:]
    /// Of a world that goes on from a recording.
    private var recordedVerdicts: OrderedDictionary<String, [RecordedVerdict]> = [:]
    private static let recordedMark = "recorded:"
    /// Whether a user who brings no token gets one made, for playing in an embedded world.
    public let makesTokens: Bool

    package init(authority: any TokenAuthority, passwords: (any PasswordBook)?, makesTokens: Bool) {
        self.authority = authority
        self.passwords = passwords
        self.makesTokens = makesTokens
    }

    /// A vault of its own with the same in it; nil where the passwords are not in memory alone.
    func copy() -> CredentialVault? {
        var book: PlainPasswordBook?
        if let passwords {
            guard let plain = passwords as? PlainPasswordBook else { return nil }
            book = plain.copy()
        }
        let copy = CredentialVault(authority: authority, passwords: book, makesTokens: makesTokens)
        copy.secrets = secrets
        copy.givenCount = givenCount
        copy.guesses = guesses
        (copy.origins, copy.lastOrigin, copy.recordedOrigins) = (origins, lastOrigin, recordedOrigins)
        copy.revocations = revocations
        copy.recordedVerdicts = recordedVerdicts
        return copy
    }

    /// Takes a token in and returns its name.
    public func keep(_ token: String) -> String {
        keep(.token(token), named: "given")
    }

    /// Takes a password in and returns its name.
    ///
    /// - Throws: ``WorldError`` where there are no passwords.
    public func keep(password: String) throws -> String {
        _ = try requirePasswords()
        return keep(.password(password), named: "password")
    }

    private func keep(_ secret: Secret, named kind: String) -> String {
        givenCount += 1
        let reference = "\(kind)-\(givenCount)"
        secrets[reference] = secret
        return reference
    }

    /// The name of the token that the vault itself makes for a user; empty when it makes none.
    public func reference(for user: String) -> String {
        guard makesTokens else { return "" }
        // A client that keeps the name of one that was revoked keeps that one.
        let count = revocations[user]?.count ?? 0
        return count == 0 ? "token-of-\(user)" : "token-\(count + 1)-of-\(user)"
    }

    /// Whether a name is one that the vault gives to the tokens that it makes for a user.
    public static func isOwn(_ reference: String, of user: String) -> Bool {
        guard reference.hasPrefix("token-"), reference.hasSuffix("of-\(user)") else { return false }
        let number = reference.dropFirst("token-".count).dropLast("of-\(user)".count)
        return number.isEmpty || number.hasSuffix("-") && Int(number.dropLast()) != nil
    }

    /// The tokens made for a user until now are worth nothing any more, says the server; those made from here on are
    /// others.
    func revokeTokens(of user: String, wallMilliseconds: Int64) {
        revocations[user] = ((revocations[user]?.count ?? 0) + 1, wallMilliseconds + 1)
    }

    /// Makes a token for a user.
    ///
    /// - Parameters:
    ///   - lifetime: how long it is valid; nil for the authority's own idea.
    ///   - wallMilliseconds: the server's clock, milliseconds since 1970.
    public func mint(user: String, lifetime: Interval?, wallMilliseconds: Int64) throws -> String {
        let first = revocations[user]?.fromMilliseconds ?? .min
        return try authority.mint(user: user, lifetime: lifetime, wallMilliseconds: max(first, wallMilliseconds))
    }

    /// Sees to it that the token of that name is there, if it is one that the vault makes.
    public func prepare(_ reference: String, user: String, wallMilliseconds: Int64) throws {
        guard makesTokens, secrets[reference] == nil, reference == self.reference(for: user) else { return }
        secrets[reference] = .token(try mint(user: user, lifetime: nil, wallMilliseconds: wallMilliseconds))
    }

    /// The secret of that name as it goes on the wire, nil for a name it does not know.
    public func secret(of reference: String) -> String? {
        secrets[reference]?.wireText
    }

    /// Takes over a token under the name that a recording has for it.
    func adopt(_ text: String, as reference: String) { secrets[reference] = .token(text) }

    /// Takes over what a recording says a secret was found to be worth, where the secret itself cannot be made anew: a
    /// password.
    func adopt(verdicts: [RecordedVerdict], of reference: String) {
        secrets[reference] = .token(Self.recordedMark + reference)
        recordedVerdicts[reference] = verdicts
    }

    /// Takes over the number that a recording has for an address.
    func adopt(origin: UInt32, of address: String, fromMilliseconds: Int64) {
        lastOrigin = max(lastOrigin, origin)
        if recordedOrigins[address] == nil { recordedOrigins[address] = (origin, fromMilliseconds) }
    }

    /// No name that is given from here on is one of so many before.
    func countGiven(upTo count: Int) { givenCount = max(givenCount, count) }

    /// When the token of that name says that it expires, in milliseconds since 1970, for its bearer to see without any
    /// key; 0 when it says nothing, as a password does.
    public func expiry(of reference: String) -> Int64 {
        guard case .token(let token)? = secrets[reference] else { return 0 }
        return authority.claimedExpiry(token)
    }

    // MARK: Passwords

    /// Sets the password of a user, whether there is an account of that name or not. The logins made with the one
    /// before are the server's to end.
    ///
    /// - Throws: ``WorldError`` where there are no passwords, or for one that cannot be one.
    public func setPassword(_ password: String, of user: String) throws {
        let book = try requirePasswords()
        if let objection = Password.objection(to: password) { throw WorldError(objection) }
        do {
            try book.set(password, of: user)
        } catch {
            throw WorldError("the password of '\(user)' cannot be kept: \(error)")
        }
    }

    /// Forgets the password of a user whose account is gone: the next one of that name is somebody else.
    func forgetPassword(of user: String) throws {
        try passwords?.forget(user)
    }

    private func requirePasswords() throws -> any PasswordBook {
        guard let passwords else { throw WorldError("there are no passwords here: users log in with tokens") }
        return passwords
    }

    // MARK: Judging

    /// What a secret proves. The answer comes at once or later, on any thread; ``verdict(of:)`` makes use of it.
    ///
    /// - Parameter bearer: whom its bearer says it speaks for, and where they are; a password says nothing of that
    ///   itself.
    package func judge(
        _ credential: Credential, from bearer: GuessLimit.Guesser, wallMilliseconds: Int64,
        then: @escaping @Sendable (Judgement) -> Void
    ) {
        func answer(_ finding: CredentialVerdict.Finding) {
            then(Judgement(verdict: CredentialVerdict(finding), wallMilliseconds: wallMilliseconds))
        }
        // A peer does not get to say what its credential is worth, nor to borrow a secret by its name.
        guard case .secret(let text) = credential else { return answer(.wrong) }
        if let verdict = recordedVerdict(of: text, at: wallMilliseconds) {
            return then(Judgement(verdict: verdict, wallMilliseconds: wallMilliseconds))
        }
        // Nothing is nothing to guess with, but nobody comes in with it where there is a password.
        if text.isEmpty { return answer(passwords?.hasPassword(bearer.user) == true ? .wrong : .missing) }
        switch Secret(wireText: text) {
        case .token(let token):
            authority.judge(token, wallMilliseconds: wallMilliseconds) {
                then(
                    Judgement(
                        verdict: $0, wallMilliseconds: wallMilliseconds, user: bearer.user, guesser: bearer))
            }
        case .password(let password):
            guard let ticket = guesses.begin(bearer, at: wallMilliseconds) else { return answer(.tooOften) }
            let user = bearer.user
            var judgement = Judgement(
                verdict: CredentialVerdict(.wrong), wallMilliseconds: wallMilliseconds, user: user, ticket: ticket)
            guard let passwords, ProtocolLimit.isName(user) else { return then(judgement) }
            judgement.passwordVersion = passwords.version(of: user)
            passwords.check(password, of: user, isUrgent: ticket.isKnown) { [judgement] isRight in
                var judgement = judgement
                // A password does not expire, and proves what it proves at the moment it is shown. A wrong one and an
                // unknown user look the same.
                if isRight {
                    judgement.verdict = CredentialVerdict(
                        .valid, user: user, issuedAtMilliseconds: wallMilliseconds + 1)
                }
                then(judgement)
            }
        }
    }

    private func recordedVerdict(of text: String, at wallMilliseconds: Int64) -> CredentialVerdict? {
        guard !recordedVerdicts.isEmpty, text.hasPrefix(Self.recordedMark),
            let verdicts = recordedVerdicts[String(text.dropFirst(Self.recordedMark.count))]
        else { return nil }
        return (verdicts.last { $0.wallMilliseconds <= wallMilliseconds } ?? verdicts.first)?.verdict
    }

    /// The verdict, if nothing has changed since: a password that was changed while it was looked at is a wrong one. To
    /// be asked for once.
    package func verdict(of judgement: Judgement) -> CredentialVerdict {
        var verdict = judgement.verdict
        if let version = judgement.passwordVersion, passwords?.version(of: judgement.user) != version {
            verdict = CredentialVerdict(.wrong)
        }
        if let guesser = judgement.guesser {
            return self.verdict(verdict, onTokenOf: guesser, at: judgement.wallMilliseconds)
        }
        guard let ticket = judgement.ticket else { return verdict }
        let isRight: Bool? =
            switch verdict.finding {
            case .valid: verdict.user == judgement.user || judgement.user.isEmpty
            case .wrong: false
            // It was right once, and nobody finds such a one by guessing.
            case .expired, .revoked, .missing, .tooOften: nil
            }
        guesses.end(ticket, isRight: isRight, at: judgement.wallMilliseconds)
        return verdict
    }

    /// Only a wrong token is a guess; after too many its bearer learns no more than that.
    private func verdict(
        _ verdict: CredentialVerdict, onTokenOf guesser: GuessLimit.Guesser, at wallMilliseconds: Int64
    ) -> CredentialVerdict {
        switch verdict.finding {
        case .valid where verdict.user == guesser.user || guesser.user.isEmpty:
            guesses.noteRight(guesser, at: wallMilliseconds)
            return verdict
        case .expired, .revoked, .missing, .tooOften: return verdict
        case .valid, .wrong:
            guard let ticket = guesses.begin(guesser, at: wallMilliseconds) else { return CredentialVerdict(.tooOften) }
            guesses.end(ticket, isRight: false, at: wallMilliseconds)
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
        if origins.count >= GuessLimit.countMax { origins.removeFirst(GuessLimit.countMax / 2) }
        lastOrigin = lastOrigin == .max ? 1 : lastOrigin + 1
        origins[address] = lastOrigin
        return lastOrigin
    }

    /// Whether it takes a while to check a credential: a password of somebody who has not been right before.
    package func needsTurn(_ credential: Credential, from bearer: GuessLimit.Guesser) -> Bool {
        guard case .secret(let text) = credential, case .password = Secret(wireText: text) else { return false }
        return !guesses.isKnown(bearer)
    }
}

/// What a recording says a credential was found to be worth, and when.
struct RecordedVerdict: Hashable {
    var wallMilliseconds: Int64
    var verdict: CredentialVerdict
}
