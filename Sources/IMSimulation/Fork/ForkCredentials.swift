import IMClient
import IMProtocol
import OrderedCollections
import SansIO

/// Makes substitutes for the credentials of a recording, which contains only their names, expiry times and verdicts.
struct ForkCredentials {
    private let application: String
    private let authority: PlainTokenAuthority
    private let epochMilliseconds: Int64
    /// For each name of a token in a command: its user, its expiry, and the time of the first such command, both in
    /// milliseconds since 1970.
    private var expiries: OrderedDictionary<String, (user: String, milliseconds: Int64, named: Int64)> = [:]
    private var verdicts: OrderedDictionary<String, [RecordedVerdict]> = [:]
    /// For each client that sent a wrong credential: the number of its address, and the time of the first one.
    private var origins: OrderedDictionary<String, (number: UInt32, milliseconds: Int64)> = [:]

    init(_ decoded: DecodedSession, _ configuration: WorldConfiguration) {
        application = configuration.profile
        authority = PlainTokenAuthority(application: configuration.profile)
        epochMilliseconds = configuration.epochNanoseconds / 1_000_000
        // For each sender, the frames with a credential that were sent and not received yet.
        var inFlight: OrderedDictionary<String, [Frame]> = [:]
        var owners: [ConnectionID: String] = [:]
        var users: OrderedDictionary<String, String> = [:]
        for event in decoded.events {
            switch event.content {
            case .input(.clientCommand(_, let command)):
                if case .login(let call) = command { users[event.node] = call.user }
                note(command, of: users[event.node] ?? "", at: epochMilliseconds + event.time.nanoseconds / 1_000_000)
            case .effect(.send(_, let frame)):
                if case .reference? = frame.body.credential { inFlight[event.node, default: []].append(frame) }
            case .input(.frame(let id, let frame)):
                guard case .verdict(let verdict)? = frame.body.credential else { continue }
                let senders = owners[id].map { [$0] } ?? Array(inFlight.keys)
                for sender in senders {
                    guard let frameIndex = inFlight[sender]?.lastIndex(where: { $0.isSame(as: frame) }),
                        case .reference(let name)? = inFlight[sender]?[frameIndex].body.credential
                    else { continue }
                    let wallTime = epochMilliseconds + event.time.nanoseconds / 1_000_000
                    if verdict.origin != 0, origins[sender] == nil { origins[sender] = (verdict.origin, wallTime) }
                    verdicts[name, default: []].append(RecordedVerdict(wallMilliseconds: wallTime, verdict: verdict))
                    // Removes this frame only: the network may hold an earlier one, and deliver it later.
                    inFlight[sender]?.remove(at: frameIndex)
                    owners[id] = sender
                    break
                }
            default: continue
            }
        }
    }

    /// - Parameter loggedIn: the user who is logged in, for whom a token is renewed.
    private mutating func note(_ command: ClientCommand, of loggedIn: String, at wallTime: Int64) {
        switch command {
        // A token that does not expire is recognized by its name, which distinguishes it from a password.
        case .login(let call)
        where call.clock.expiresAtMilliseconds > 0 || CredentialVault.isOwn(call.credential, of: call.user):
            if expiries[call.credential] == nil {
                expiries[call.credential] = (call.user, call.clock.expiresAtMilliseconds, wallTime)
            }
        case .renewToken(let credential, let clock) where clock.expiresAtMilliseconds > 0:
            if expiries[credential] == nil { expiries[credential] = (loggedIn, clock.expiresAtMilliseconds, wallTime) }
        default: break
        }
    }

    func transfer(to vault: CredentialVault) {
        for (sender, origin) in origins {
            vault.adopt(origin: origin.number, of: sender, fromMilliseconds: origin.milliseconds)
        }
        for name in expiries.keys.union(verdicts.keys).sorted() where !name.isEmpty {
            transfer(name, to: vault)
        }
        let numbers = expiries.keys.union(verdicts.keys).compactMap {
            $0.split(separator: "-").last.flatMap { Int($0) }
        }
        vault.reserveNames(upTo: numbers.max() ?? 0)
    }

    private func transfer(_ name: String, to vault: CredentialVault) {
        if let token = token(of: name) { return vault.adopt(token, as: name) }
        if let known = verdicts[name], !known.isEmpty { vault.adopt(verdicts: known, of: name) }
    }

    /// The token of that name with its recorded expiry; nil for one that was never valid, and for a password.
    private func token(of name: String) -> String? {
        let known = verdicts[name] ?? []
        let genuine = known.first { [.valid, .expired, .revoked].contains($0.verdict.finding) }?.verdict
        guard !name.hasPrefix("password-"), known.isEmpty || genuine != nil else { return nil }
        let user = genuine.map(\.user) ?? expiries[name]?.user ?? ""
        let expiry = genuine?.expiresAtMilliseconds ?? expiries[name]?.milliseconds ?? 0
        let issued = genuine?.issuedAtMilliseconds ?? 0
        // A recording of an older version does not contain the issue time of a token.
        let issue = issued > 0 ? issued : min(expiries[name]?.named ?? epochMilliseconds, expiry > 0 ? expiry : .max)
        guard genuine != nil || expiries[name] != nil else { return nil }
        guard expiry > 0 else { return try? endlessAuthority.mint(user: user, lifetime: nil, wallMilliseconds: issue) }
        let (lifetime, overflow) = expiry.subtractingReportingOverflow(issue)
        guard !overflow else { return nil }
        return try? authority.mint(user: user, lifetime: .milliseconds(lifetime), wallMilliseconds: issue)
    }

    /// Makes tokens that do not expire.
    private var endlessAuthority: PlainTokenAuthority { PlainTokenAuthority(application: application, lifetime: nil) }

    /// The text that a user of the fork types as the credential with this name. The text is empty if the recorded login
    /// had no credential. For a credential that was never valid, it is `wrong`, or `password:wrong` for a password.
    func textToType(for name: String) -> String {
        if let token = token(of: name) { return token }
        let known = verdicts[name] ?? []
        if known.contains(where: { $0.verdict.finding == .missing }) { return "" }
        guard name.hasPrefix("password-") else { return "wrong" }
        let isRight = known.contains { $0.verdict.finding == .valid }
        return "password:\(isRight ? DecodedSession.recordedPassword : "wrong")"
    }
}

extension DecodedSession {
    /// The password that replaces every right password, because a recording contains no passwords.
    public static let recordedPassword = "recorded"

    /// A function that returns the text to type in a simulated world for a credential of the recording, by its name.
    public func credentialTexts(_ configuration: WorldConfiguration) -> (String) -> String {
        let credentials = ForkCredentials(self, configuration)
        return { credentials.textToType(for: $0) }
    }
}

extension Frame {
    /// True if two frames are the same except for their credentials.
    fileprivate func isSame(as other: Frame) -> Bool {
        let neutral = Credential.reference("")
        return replacingCredential(with: neutral) == other.replacingCredential(with: neutral)
    }
}
