import IMClient
import IMProfiles
import IMProtocol
import IMSession

/// The causes for ZIM. A callback has a state and an event. An account has one device at a time. An expired token ends
/// the login.
struct ZIMCauses: VendorCauses {
    let profile = "zim"
    var times = ClientTimes(ZIMDialect())

    /// Newer SDKs report the event 6 for a removed account. The machines report it like a kick, with the event 4.
    func substitute(for event: LoggedEvent) -> [AnswerField]? {
        let isUnregistered = event.fields.contains { $0.name == "event" && $0.value == "6" }
        guard event.name == "connectionStateChanged", isUnregistered else { return nil }
        return [AnswerField(name: "state", value: "0"), AnswerField(name: "event", value: "4")]
    }

    func meaning(of line: AppLine) -> LineMeaning {
        if line.kind == .result {
            guard ["login", "autologin", "offline-login"].contains(line.name) else { return .other }
            if line["code"] == "0" { return .other }
            return Self.failure(
                line["code"], credential: ["6000103", "6000106", "6000108"], refused: ["6000101", "6000011"],
                misuse: ["6000005", "6000111", "6000121", "6000124", "1"])
        }
        guard line.kind == .callback else { return .other }
        switch line.name {
        case "connectionStateChanged":
            switch (line["state"], line["event"]) {
            case ("2", _): return .online
            case ("3", _): return .lost
            case ("1", _): return .connecting
            case (_, "4"), (_, "6"): return .kicked
            case (_, "5"): return .tokenEnded
            case (_, "2"): return .other
            default: return .loggedOut
            }
        case "tokenWillExpire": return .tokenWarning
        case "peerMessageReceived": return .message
        case "userStatusUpdated": return .presence
        default: return .other
        }
    }

    func delayCount(of line: AppLine) -> Milliseconds? {
        if line.name == "conversationSyncStateChanged" { return line["state"] == "0" ? 4 : 6 }
        return meaning(of: line) == .online ? 4 : nil
    }

    func isLoginTimeout(_ line: AppLine) -> Bool { line["state"] == "0" && line["event"] == "2" }

    func moves(_ point: BranchPoint) -> [Move] {
        switch point.meaning {
        case .lost: return point.lossMoves()
        case .online: return point.recoveryMoves()
        case .connecting: return point.simulated == .online ? point.lossMoves() : point.missingLogin(point.time)
        case .kicked where point.line["event"] == "6": return [point.atServer(1.0, .removal)]
        case .kicked:
            return [
                point.otherLogin(1.0, .ios), point.atServer(1.1, .serverKick), point.atServer(1.3, .ban),
                point.atServer(1.5, .removal),
            ]
        case .tokenEnded: return tokenEnded(point)
        case .tokenWarning: return warning(point)
        case .failed(let failure): return failed(point, failure)
        case .message: return point.messageMove(from: point.line["fromUserID"] ?? "bob")
        case .presence: return presence(point)
        default: break
        }
        if point.line["event"] == "2" {
            // The result after the callback has the code of the failure.
            let code = point.lines[point.index...].prefix(3).first { $0.kind == .result }
            if let code, case .failed(let failure) = meaning(of: code) { return failed(point, failure) }
            return point.failedLogin()
        }
        if point.line.name == "conversationChanged" {
            return point.conversationMoves(with: point.line["conversationID"] ?? "bob", "fromUserID")
                + point.hiddenRecovery()
        }
        return point.missingCall() + point.hiddenRecovery()
    }

    private func tokenEnded(_ point: BranchPoint) -> [Move] {
        // The callback is the same if a login with an invalid token is refused.
        point.tokenMoves { $0 } + point.badCredential([(1.5, .revocation), (1.6, .removal)])
    }

    private func warning(_ point: BranchPoint) -> [Move] {
        // A line may contain any number.
        let seconds = min(point.line["second"].flatMap { Milliseconds($0) } ?? 30, 1_000_000_000)
        let left = seconds * 1000
        return point.tokenMoves { $0 + left }
    }

    private func failed(_ point: BranchPoint, _ failure: LineMeaning.Failure) -> [Move] {
        switch failure {
        case .credential: return point.badCredential([(1.5, .revocation), (1.7, .removal)])
        case .refused: return point.badCredential([(1.2, .ban), (1.8, .removal)])
        case .taken, .link, .misuse, .appID: return point.failedLogin() + point.missingCall()
        }
    }

    private func presence(_ point: BranchPoint) -> [Move] {
        let peer = point.line["user"] ?? "bob"
        let at = point.time - point.latency - 40
        let isOnline = point.line["status"] == "0"
        return [Move(0.8, [HiddenEvent(at, isOnline ? .peerLogin(peer) : .peerLogout(peer))])]
    }
}
