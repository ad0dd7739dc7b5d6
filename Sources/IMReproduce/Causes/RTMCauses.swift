import IMClient
import IMProfiles
import IMProtocol
import IMSession

/// The causes for Agora RTM 1.x. A callback has a state and a reason. Interruptions shorter than 4 s are not reported.
/// An account has one device at a time.
struct RTMCauses: VendorCauses {
    let profile = "agora-rtm"
    var times = ClientTimes(AgoraRTMDialect())
    let tokenEndsLogin = false

    /// The code `AgoraRtmLoginErrorInvalidAppId`.
    private static let wrongAppID = "4"

    /// From version 1.5.0 on, an expired token can change the state to Disconnected or Aborted. The machines do not
    /// change the state, so another reason is compared. The machines have no App ID, so a login with a wrong App ID has
    /// the code of a wrong token.
    func substitute(for event: LoggedEvent) -> [AnswerField]? {
        func value(_ name: String) -> String? { event.fields.first { $0.name == name }?.value }
        if event.kind == .return, event.name == "login", value("code") == Self.wrongAppID {
            return [AnswerField(name: "code", value: "5")]
        }
        guard event.name == "connectionStateChanged", value("reason") == "9", let state = value("state") else {
            return nil
        }
        return [
            AnswerField(name: "state", value: state), AnswerField(name: "reason", value: state == "1" ? "6" : "7"),
        ]
    }

    func meaning(of line: AppLine) -> LineMeaning {
        if line.kind == .result {
            guard line.name == "login" else { return .other }
            if line["code"] == "0" { return .other }
            if line["code"] == Self.wrongAppID { return .failed(.appID) }
            return Self.failure(line["code"], credential: ["5", "6"], refused: ["2"], misuse: ["10", "8", "3", "101"])
        }
        guard line.kind == .callback else { return .other }
        switch line.name {
        case "connectionStateChanged":
            switch (line["state"], line["reason"]) {
            case (_, "9"): return .tokenEnded
            case ("3", _): return .online
            case ("4", _): return .lost
            case ("2", _): return .connecting
            case ("5", _): return .kicked
            case ("1", "4"), ("1", "3"): return .other
            default: return .loggedOut
            }
        case "rtmKitTokenDidExpire": return .tokenEnded
        case "messageReceived", "channelMessageReceived": return .message
        case "peersOnlineStatusChanged", "memberJoined", "memberLeft": return .presence
        default: return .other
        }
    }

    func isLoginTimeout(_ line: AppLine) -> Bool { line["state"] == "1" && line["reason"] == "4" }

    func moves(_ point: BranchPoint) -> [Move] {
        switch point.meaning {
        case .lost: return point.lossMoves()
        case .online: return point.recoveryMoves()
        case .connecting: return point.missingLogin(point.time)
        case .kicked:
            if point.line["reason"] == "8" { return [point.otherLogin(1.0, .ios)] }
            return [
                point.atServer(1.0, .serverKick), point.atServer(1.2, .ban), point.atServer(1.4, .removal),
            ]
        case .tokenEnded where point.line.name == "connectionStateChanged": return tokenState(point)
        case .tokenEnded: return point.tokenMoves { $0 } + lateExpiry(point)
        case .failed(let failure): return failed(point, failure)
        case .message: return message(point)
        case .presence: return presence(point)
        default: break
        }
        if point.line["state"] == "1", point.meaning != .loggedOut {
            let code = point.lines[point.index...].prefix(3).first { $0.kind == .result }
            if let code, case .failed(let failure) = meaning(of: code) { return failed(point, failure) }
            if point.line["reason"] == "3" {
                return point.badCredential([(1.5, .revocation), (1.7, .removal), (1.6, .ban)])
            }
            return point.failedLogin()
        }
        // A call failed because the running login has no connection: explain the failure of the login.
        if point.line.kind == .result, point.line["code"] != "0", point.simulated != .loggedOut,
            let attempt = point.failingAttempt
        {
            return moves(attempt)
        }
        return point.missingCall() + point.peerMoves() + point.hiddenRecovery()
    }

    /// The moves for a change of state by the expiry of a token. In the simulation, a logout or a kick has this effect.
    private func tokenState(_ point: BranchPoint) -> [Move] {
        let trip = point.simulated == .online ? point.latency : 5
        let ending =
            point.line["state"] == "1"
            ? HiddenEvent(point.time - 2 * trip, .call(AppCall("logout"))) : HiddenEvent(point.time - trip, .serverKick)
        let announced = point.lines[..<point.index].last {
            $0.name == "rtmKitTokenDidExpire" && point.time - $0.time < 5000
        }
        if announced != nil { return [Move(0.3, [ending])] }
        return point.tokenMoves { $0 }.map { move in
            Move(move.cost, move.events + [ending], tokenLives: move.tokenLives)
        }
    }

    /// The moves for a token that expired while the client had no connection. The client is notified at the reconnect.
    private func lateExpiry(_ point: BranchPoint) -> [Move] {
        guard let open = point.openFault, point.simulated != .online else { return [] }
        let end = HiddenEvent(point.time - 4 * point.latency, open.end)
        return point.tokenMoves { $0 - 5000 }.map { Move($0.cost + 0.4, [end], tokenLives: $0.tokenLives) }
    }

    private func failed(_ point: BranchPoint, _ failure: LineMeaning.Failure) -> [Move] {
        switch failure {
        case .credential: return point.badCredential([(1.5, .revocation), (1.7, .removal)])
        case .refused: return point.badCredential([(1.2, .ban), (1.8, .removal)])
        case .appID: return point.wrongAppID()
        case .taken, .link, .misuse: return point.failedLogin() + point.missingCall()
        }
    }

    private func message(_ point: BranchPoint) -> [Move] {
        let channel = point.line["channel"]
        return point.messageMove(
            from: point.line[channel == nil ? "fromPeer" : "fromMember"] ?? "bob", channel: channel)
    }

    private func presence(_ point: BranchPoint) -> [Move] {
        let at = point.time - point.latency - 20
        if let channel = point.line["channel"] {
            let peer = point.line["member"] ?? "bob"
            let login = point.hasPeerLogin(peer, before: at - 300) ? [] : [HiddenEvent(at - 800, .peerLogin(peer))]
            let joins = point.line.name == "memberJoined"
            let action: HiddenEvent.Action =
                joins ? .peerJoin(peer, channel: channel) : .peerLeave(peer, channel: channel)
            return [Move(0.8, login + [HiddenEvent(at, action)])] + point.hiddenRecovery()
        }
        let peer = point.line["peer"] ?? "bob"
        let isOnline = point.line["state"] == "0"
        return [Move(0.8, [HiddenEvent(at - 20, isOnline ? .peerLogin(peer) : .peerLogout(peer))])]
    }
}
