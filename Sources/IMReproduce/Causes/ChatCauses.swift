import IMClient
import IMProfiles
import IMProtocol
import IMSession

/// The causes for Agora Chat. A client has two states. A callback after the change of state has the reason. The maximum
/// number of devices is per platform.
struct ChatCauses: VendorCauses {
    let profile = "agora-chat"
    var times = ClientTimes(AgoraChatDialect())
    let logsOutAfterKick = true

    func normalized(_ event: LoggedEvent) -> LoggedEvent {
        var event = event
        // The name in SDKs before version 4.0.
        if event.name == "userAccountDidLoginFromOtherDevice" {
            event.name = "userAccountDidLoginFromOtherDeviceWithInfo"
        }
        if let (name, field) = Self.iOSName(event) {
            event.name = name
            event.fields = field.map { [$0] } ?? []
        }
        // An app's own log may lack the code of a callback. The name determines it.
        let codes = [
            "userAccountDidLoginFromOtherDeviceWithInfo": "206", "userAccountDidRemoveFromServer": "207",
            "userDidForbidByServer": "305",
        ]
        if let code = codes[event.name], !event.fields.contains(where: { $0.name == "code" }) {
            event.fields.append(AnswerField(name: "code", value: code))
        }
        // The SDK's own log also has a reason, which the callback does not have.
        if event.name == "connectionStateDidChange" { event.fields.removeAll { $0.name == "reason" } }
        return event
    }

    /// The callback of the iOS SDK for a callback of the Android SDK. `field` is the state, or the code of the login's
    /// end.
    private static func iOSName(_ event: LoggedEvent) -> (name: String, field: AnswerField?)? {
        guard event.kind == .callback else { return nil }
        func state(_ value: String) -> (name: String, field: AnswerField?) {
            ("connectionStateDidChange", AnswerField(name: "state", value: value))
        }
        func forced(_ code: String) -> (name: String, field: AnswerField?) {
            ("userAccountDidForcedToLogout", AnswerField(name: "code", value: code))
        }
        let code = event.fields.first { $0.name == "error" }?.value ?? ""
        switch event.name {
        case "onConnected": return state("0")
        case "onDisconnected", "onLogout":
            switch code {
            case "206": return ("userAccountDidLoginFromOtherDeviceWithInfo", nil)
            case "207": return ("userAccountDidRemoveFromServer", nil)
            case "305": return ("userDidForbidByServer", nil)
            case "214", "216", "217", "220": return forced(code)
            default: return event.name == "onDisconnected" ? state("1") : nil
            }
        case "onUserDidLoginFromOtherDevice": return ("userAccountDidLoginFromOtherDeviceWithInfo", nil)
        case "onUserDidRemoveFromServer": return ("userAccountDidRemoveFromServer", nil)
        case "onUserDidForbidByServer": return ("userDidForbidByServer", nil)
        case "onUserKickedByOtherDevice": return forced("217")
        case "onUserDidChangePassword": return forced("216")
        case "onTokenExpired": return ("tokenDidExpire", nil)
        case "onTokenWillExpire": return ("tokenWillExpire", nil)
        default: return nil
        }
    }

    private func failure(_ code: String?) -> LineMeaning {
        Self.failure(
            code, credential: ["202", "108", "104"], refused: ["305", "207", "204"], taken: ["206", "214", "220"],
            misuse: ["200", "218", "201", "1"])
    }

    func meaning(of line: AppLine) -> LineMeaning {
        if line.kind == .result {
            guard line.name == "login" || line.name == "autologin" else { return .other }
            return line["code"] == "0" || line["code"] == "200" ? .other : failure(line["code"])
        }
        guard line.kind == .callback else { return .other }
        switch line.name {
        case "connectionStateDidChange": return line["state"] == "0" ? .online : .lost
        case "userAccountDidLoginFromOtherDeviceWithInfo", "userAccountDidForcedToLogout",
            "userAccountDidRemoveFromServer", "userDidForbidByServer":
            return .kicked
        case "tokenDidExpire": return .tokenEnded
        case "tokenWillExpire": return .tokenWarning
        case "autoLoginDidCompleteWithError": return line["error"] == "0" ? .other : failure(line["error"])
        case "messagesDidReceive": return .message
        case let name where name.hasPrefix("multiDevices"): return .operation
        default: return .other
        }
    }

    func roots(_ app: ObservedApp) -> [Move] {
        var roots = standardRoots(app)
        let calls = app.lines.firstIndex(where: \.isLoginCall)
        let before = app.lines[..<(calls ?? app.lines.count)]
        // A token warning comes at 80 % of the token's lifetime. So the warning and the expiry determine the time of
        // the login.
        if let warning = before.first(where: { meaning(of: $0) == .tokenWarning }),
            let end = before.first(where: { meaning(of: $0) == .tokenEnded }), end.time > warning.time
        {
            let left = end.time - warning.time
            let login = AppCall("login", [("user", app.user)])
            let time = max(1500, warning.time - 4 * left)
            var move = Move(0.4, [HiddenEvent(time, .call(login))])
            move.tokenLives = [.init(line: Move.TokenLife.hiddenLogin, life: end.time - time)]
            roots.insert(move, at: 0)
        }
        return roots
    }

    func delayCount(of line: AppLine) -> Milliseconds? {
        let isLogin = line.name == "autoLoginDidCompleteWithError" && line["error"] == "0"
        return meaning(of: line) == .online || isLogin ? 4 : nil
    }

    func moves(_ point: BranchPoint) -> [Move] {
        switch point.meaning {
        case .lost:
            // The SDK reports the state first, and then the reason.
            if let moves = movesForReason(after: point) { return moves }
            return point.lossMoves() + lostReason(point)
        case .online: return point.recoveryMoves()
        case .kicked: return kicked(point, point.line)
        case .tokenEnded: return tokenEnded(point)
        case .tokenWarning: return point.tokenMoves { $0 * 5 / 4 }
        case .failed(let failure): return failed(point, failure)
        case .message: return point.messageMove(from: point.line["from"] ?? "bob")
        case .operation: return operation(point)
        default: break
        }
        if point.line.name.hasPrefix("onOfflineMessageSync"), let message = point.nextPoint(.message, within: 1500) {
            return message.messageMove(from: message.line["from"] ?? "bob", isAway: true)
        }
        if point.line.name == "autoLoginDidCompleteWithError" { return point.recoveryMoves() }
        return point.missingCall() + point.hiddenRecovery()
    }

    private func movesForReason(after point: BranchPoint) -> [Move]? {
        let near = point.lines[(point.index + 1)...].prefix { $0.time - point.time < 200 }
        for line in near {
            switch meaning(of: line) {
            case .kicked: return kicked(point, line)
            case .tokenEnded: return tokenEnded(point)
            default: continue
            }
        }
        return nil
    }

    /// The moves for a loss after which the app logs in again. The login must have ended, although the log lacks the
    /// callback with the reason.
    private func lostReason(_ point: BranchPoint) -> [Move] {
        let next = point.lines[(point.index + 1)...].first {
            $0.kind == .start || $0.kind == .call && $0.name == "login" || meaning(of: $0) == .online
        }
        guard next?.kind == .call else { return [] }
        return [
            point.atServer(1.9, .serverKick), point.atServer(2.0, .ban), point.atServer(2.1, .password),
            point.atServer(2.2, .removal),
        ]
    }

    private func tokenEnded(_ point: BranchPoint) -> [Move] {
        point.tokenMoves { $0 } + point.badCredential([(1.8, .revocation)])
    }

    private func kicked(_ point: BranchPoint, _ line: AppLine) -> [Move] {
        switch line["code"] {
        case "216": return [point.atServer(1.0, .password)]
        case "207": return [point.atServer(1.0, .removal)]
        case "305": return [point.atServer(1.0, .ban)]
        case "202", "104", "108": return point.badCredential([(1.2, .password), (1.4, .revocation), (1.6, .removal)])
        case "206", "214", "220": return otherDevice(point, line["code"] ?? "206")
        default:
            var moves = [point.atServer(1.0, .serverKick)]
            let name = point.otherDevices(at: point.time - 100).last?.name
            let device = name ?? point.newDevice(.web)
            var kick = point.atServer(1.1, .kick(by: device))
            if name == nil {
                let at = (kick.events.map(\.time).min() ?? point.time) - 2000
                kick.events.insert(HiddenEvent(max(point.previousTime + 1, at), .login(device: device, .web)), at: 0)
            }
            moves.append(kick)
            return moves
        }
    }

    private func otherDevice(_ point: BranchPoint, _ code: String) -> [Move] {
        let platform = point.app.platform
        let oneDevice = HiddenEvent(1, .policy("device-count-max", "1"))
        if point.hasPolicy("device-count-max") {
            var moves = [point.otherLogin(1.0, platform)]
            if !point.hasPolicy("taken-place"), point.simulated != .online {
                let keepCurrent = HiddenEvent(1, .policy("taken-place", "keep-current"))
                moves.append(point.otherLogin(1.5, platform, also: [keepCurrent]))
            }
            return moves
        }
        var moves = [point.otherLogin(1.4, platform, also: [oneDevice])]
        let keepCurrent = HiddenEvent(1, .policy("taken-place", "keep-current"))
        moves.append(point.otherLogin(1.9, platform, also: [oneDevice, keepCurrent]))
        return moves
    }

    private func failed(_ point: BranchPoint, _ failure: LineMeaning.Failure) -> [Move] {
        switch failure {
        case .credential: return point.badCredential([(1.5, .password), (1.5, .revocation), (1.7, .removal)])
        case .refused: return point.badCredential([(1.2, .ban), (1.6, .removal)])
        case .taken: return otherDevice(point, "206")
        case .link, .misuse, .appID: return point.failedLogin() + point.missingCall()
        }
    }

    private func operation(_ point: BranchPoint) -> [Move] {
        let number = point.line["event"].flatMap { UInt8($0) }
        guard let kind = number.flatMap(OperationKind.init(rawValue:)) else { return [] }
        let names = ["username", "groupId", "conversationId", "threadId"]
        let target = names.compactMap { point.line[$0] }.first ?? "bob"
        let at = point.time - 20 - point.latency
        if let device = point.otherDevices(at: at - 500).last {
            return [Move(0.8, [HiddenEvent(at, .operate(device: device.name, kind, target: target))])]
                + [newDevice(point, at, kind, target, 1.3)]
        }
        return [newDevice(point, at, kind, target, 1.0)] + point.hiddenRecovery()
    }

    private func newDevice(
        _ point: BranchPoint, _ at: Milliseconds, _ kind: OperationKind, _ target: String, _ cost: Double
    ) -> Move {
        let platform: Platform = point.app.platform == .web ? .windows : .web
        let name = point.newDevice(platform)
        return Move(
            cost,
            [
                HiddenEvent(at - 1500, .login(device: name, platform)),
                HiddenEvent(at, .operate(device: name, kind, target: target)),
            ])
    }
}
