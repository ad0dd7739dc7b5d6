import IMClient
import IMProtocol
import SansIO

/// The credentials of a recording, made anew: the file has only their names, when they expire, and what they were found
/// to be worth.
struct ForkCredentials {
    private let authority: PlainTokenAuthority
    private let epochMilliseconds: Int64
    private var expiries: [String: (user: String, milliseconds: Int64)] = [:]
    private var verdicts: [String: [RecordedVerdict]] = [:]

    init(_ tape: ForkTape, _ configuration: WorldConfiguration) {
        authority = PlainTokenAuthority(application: configuration.profile)
        epochMilliseconds = configuration.epochNanoseconds / 1_000_000
        var underWay: [Frame] = []
        for event in tape.events {
            switch event.content {
            case .input(.clientCommand(_, let command)): note(command)
            case .effect(.send(_, let frame)):
                if case .reference? = frame.body.credential { underWay.append(frame) }
            case .input(.frame(_, let frame)):
                guard case .verdict(let verdict)? = frame.body.credential else { continue }
                guard let place = underWay.firstIndex(where: { $0.isSame(as: frame) }) else { continue }
                guard case .reference(let name)? = underWay[place].body.credential else { continue }
                let moment = epochMilliseconds + event.time.nanoseconds / 1_000_000
                verdicts[name, default: []].append(RecordedVerdict(wallMilliseconds: moment, verdict: verdict))
                underWay.removeSubrange(...place)
            default: continue
            }
        }
    }

    private mutating func note(_ command: ClientCommand) {
        switch command {
        case .login(let user, let credential, _, let clock) where clock.expiresAtMilliseconds > 0:
            if expiries[credential] == nil { expiries[credential] = (user, clock.expiresAtMilliseconds) }
        case .renewToken(let credential, let clock) where clock.expiresAtMilliseconds > 0:
            if expiries[credential] == nil { expiries[credential] = ("", clock.expiresAtMilliseconds) }
        default: break
        }
    }

    func hand(to desk: CredentialDesk) {
        for name in Set(expiries.keys).union(verdicts.keys).sorted() where !name.isEmpty {
            hand(name, to: desk)
        }
        let given = Set(expiries.keys).union(verdicts.keys).compactMap {
            $0.split(separator: "-").last.flatMap { Int($0) }
        }
        desk.countGiven(upTo: given.max() ?? 0)
    }

    private func hand(_ name: String, to desk: CredentialDesk) {
        let known = verdicts[name] ?? []
        let sound = known.first { $0.verdict.finding == .valid || $0.verdict.finding == .expired }?.verdict
        if !name.hasPrefix("password-"), known.isEmpty || sound != nil {
            let user = sound.map(\.user) ?? expiries[name]?.user ?? ""
            let said = sound?.expiresAtMilliseconds ?? 0
            let expiry = said > 0 ? said : expiries[name]?.milliseconds ?? 0
            // Not minted for a time from now, but with the end that it had.
            if expiry > 0 {
                let lifetime = Interval.milliseconds(expiry)
                if let token = try? authority.mint(user: user, lifetime: lifetime, wallMilliseconds: 0) {
                    return desk.adopt(token, as: name)
                }
            }
        }
        if !known.isEmpty { desk.adopt(verdicts: known, of: name) }
    }
}

extension Frame {
    /// Whether two frames are the same but for their credentials.
    fileprivate func isSame(as other: Frame) -> Bool {
        let neutral = Credential.reference("")
        return replacingCredential(with: neutral) == other.replacingCredential(with: neutral)
    }
}
