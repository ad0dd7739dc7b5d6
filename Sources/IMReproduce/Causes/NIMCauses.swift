import IMClient
import IMProfiles
import IMProtocol
import IMSession

/// The causes for NIM. The SDK reports each step of a login. There are three kinds of kicks. Devices of the same group
/// of platforms exclude each other.
struct NIMCauses: VendorCauses {
    let profile = "nim"
    var times = ClientTimes(NIMDialect())

    func normalized(_ events: [LoggedEvent]) -> [LoggedEvent] {
        var codes = NIMStatusCodes()
        return events.map { normalized(codes.normalized($0)) }
    }

    /// Converts an event of the older delegate to the names and fields of the newer one.
    func normalized(_ event: LoggedEvent) -> LoggedEvent {
        var event = event
        switch event.name {
        case "onKickout":
            event.name = "onKick"
            event.fields = event.fields.compactMap { field -> AnswerField? in
                switch field.name {
                case "reasonCode", "reason": AnswerField(name: "reason", value: field.value)
                case "clientType": field
                default: nil
                }
            }
        case "onMultiLoginClientsChangedWithType": event.name = "onMultiLoginClientsChanged"
        default: break
        }
        // A completion without an error has the code 200. Some apps log 0 instead.
        if event.kind == .return {
            for index in event.fields.indices
            where event.fields[index].name == "code" && event.fields[index].value == "0" {
                event.fields[index].value = "200"
            }
        }
        return event
    }

    private func failure(_ code: String?) -> LineMeaning {
        Self.failure(
            code, credential: ["302"], refused: ["422", "403"], taken: ["417"],
            misuse: ["416", "13", "16", "1", "414", "19"])
    }

    func meaning(of line: AppLine) -> LineMeaning {
        if line.kind == .result {
            switch line.name {
            case "login", "autologin": return line["code"] == "200" ? .other : failure(line["code"])
            default: return .other
            }
        }
        guard line.kind == .callback else { return .other }
        switch line.name {
        case "onLogin":
            switch line["step"] {
            case "1": return .connecting
            case "3": return .linkFailed
            case "5": return .online
            case "9": return .lost
            case "10": return .networkChanged
            default: return .other
            }
        case "onKick": return .kicked
        case "onAutoLoginFailed": return failure(line["error"])
        case "onMultiLoginClientsChanged": return .devices
        case "onRecvMessages": return .message
        default: return .other
        }
    }

    func delays(in lines: [AppLine]) -> [Milliseconds] {
        // The steps 1 and 5 of each login and reconnect are four one-way delays apart.
        var found: [Milliseconds] = []
        var begin: Milliseconds?
        for line in lines {
            switch line["step"] {
            case "1"?: begin = line.time
            case "5"?:
                if let begin { found.append((line.time - begin) / 4) }
                begin = nil
            case "3"?, "6"?, "9"?: begin = nil
            default: break
            }
        }
        return found
    }

    func delayCount(of line: AppLine) -> Milliseconds? {
        guard line.name == "onLogin" else { return nil }
        switch line["step"] {
        case "2", "4": return 2
        case "5", "7": return 4
        case "8": return 6
        default: return nil
        }
    }

    func moves(_ point: BranchPoint) -> [Move] {
        switch point.meaning {
        case .networkChanged: return [Move(0.9, [HiddenEvent(point.time, .net(.switchNetwork))])]
        case .lost:
            if point.isNear("10") { return [Move(0.9, [HiddenEvent(point.time, .net(.switchNetwork))])] }
            return point.lossMoves()
        case .connecting: return connecting(point)
        case .online: return point.recoveryMoves()
        case .linkFailed: return linkFailed(point)
        case .kicked: return kicked(point)
        case .failed(let failure): return failed(point, failure)
        case .devices: return devices(point)
        case .message: return point.messageMove(from: point.line["from"] ?? "bob")
        default: break
        }
        switch (point.line.name, point.line["step"]) {
        case ("onLogin", "6"): return loginFailed(point)
        case ("onLogin", "2"), ("onLogin", "4"):
            return point.recoveryMoves() + slowAttempt(point, link: point.time)
        case ("onLogin", _): return point.recoveryMoves()
        case ("didUpdateRecentSession", _):
            return point.conversationMoves(with: point.line["session"] ?? "bob", "from") + point.hiddenRecovery()
        default: return point.missingCall() + point.peerMoves() + point.hiddenRecovery()
        }
    }

    private func connecting(_ point: BranchPoint) -> [Move] {
        switch point.simulated {
        case .loggedOut: return point.missingLogin(point.time)
        case .online: return point.lossMoves()
        default:
            if times.hasRandomDelays, let retry = retry(point) { return [retry] }
            guard let open = point.openFault, open.since < point.time else {
                return [
                    Move(
                        1.3,
                        [
                            HiddenEvent(max(point.previousTime + 1, point.time - 300), .net(.down)),
                            HiddenEvent(point.time, .net(.up)),
                        ])
                ]
            }
            return [Move(0.2, [HiddenEvent(point.time, open.end)])]
        }
    }

    /// The move for an attempt during a fault. The delay before the attempt is random, so a return of the network
    /// starts the attempt at the line, and then the fault continues.
    ///
    /// - Returns: nil for an attempt that succeeds during a fault.
    private func retry(_ point: BranchPoint) -> Move? {
        let up = HiddenEvent(point.time, .net(.up))
        guard let open = point.openFault else { return Move(0.05, [up]) }
        let end = point.lines[(point.index + 1)...].first { ["1", "3", "5", "6", "9"].contains($0["step"]) }
        if end?["step"] == "5" { return nil }
        if open.end == .serverUp || open.isDelay { return Move(0.05, [up]) }
        // If the attempt fails at once, the network fails again directly after the attempt. Otherwise the attempt
        // receives no answer, because a delay prevents its first frame from arriving.
        let isAtOnce = end.map { $0.time - point.time < 100 } ?? true
        if isAtOnce { return Move(0.05, [up, HiddenEvent(point.time + 1, .net(.down))]) }
        return Move(
            0.05,
            [
                HiddenEvent(point.time - 1, .net(.constantDelay(2 * times.attemptLimit))), up,
                HiddenEvent(point.time + 1, .net(point.normalDelay)),
                HiddenEvent(point.time + 2, .net(.halfOpen)),
            ])
    }

    /// The move for an attempt that is slow because of a delay in the network, from its first step on.
    private func slowAttempt(_ point: BranchPoint, link: Milliseconds) -> [Move] {
        let begin = point.time(ofStep: "1") ?? link
        let oneWayDelay = (link - begin) / 2
        guard oneWayDelay > 2 * point.latency + 300 else { return [] }
        // The delay ends before the successful attempt, or after it if the slow attempt is the successful one.
        let success = point.lines[point.index...].firstIndex { $0["step"] == "5" }
        let attempt = success.flatMap { point.lines[..<$0].last { $0["step"] == "1" }?.time }
        let end = success.map { index -> [HiddenEvent] in
            let after = point.lines[index].time + 5
            return [HiddenEvent(attempt.map { $0 > begin ? $0 - 20 : after } ?? after, .net(point.normalDelay))]
        }
        return [Move(1.4, [HiddenEvent(begin - 5, .net(.constantDelay(oneWayDelay)))] + (end ?? []))]
    }

    private func linkFailed(_ point: BranchPoint) -> [Move] {
        // The log lacks the line of the loss.
        if point.simulated == .online { return point.lossMoves() }
        let begin = point.time(ofStep: "1") ?? point.time
        let waited = point.time - begin
        let (up, server) = (point.atRecovery(.net(.up)), point.atRecovery(.serverUp))
        if waited < 60 + point.latency {
            return [
                Move(1.3, [HiddenEvent(begin - 5, .net(.down))] + up),
                Move(1.5, [HiddenEvent(begin - 5, .serverDown)] + server),
            ]
        }
        if waited < times.attemptLimit - 1000 {
            return [
                Move(1.5, [HiddenEvent(begin - 5, .serverDown)] + server),
                Move(1.5, [HiddenEvent(point.time, .net(.down))] + up),
            ]
        }
        let slow = HiddenEvent(begin - 5, .net(.constantDelay(times.attemptLimit * 4 / 5)))
        return [
            Move(1.4, [HiddenEvent(begin - 5, .net(.halfOpen))] + up),
            Move(2.0, [slow] + point.atRecovery(.net(point.normalDelay))),
        ]
    }

    private func loginFailed(_ point: BranchPoint) -> [Move] {
        let link = point.time(ofStep: "2") ?? point.time - times.attemptLimit
        // The rule that drops the answer `login-ack` is set at the start of the attempt. The times of lines are not
        // exact, so the answer may already be in flight at the line of the open connection.
        let begin = point.time(ofStep: "1") ?? point.time - times.attemptLimit
        let rule = FrameRule(.drop, frame: "login-ack", direction: .toClient, count: 1)
        let up = point.atRecovery(.net(.up))
        // One of the next lines, a result or a callback, has the code of the failure.
        let code = point.lines[point.index...].prefix(4).first { $0["code"] != nil || $0["error"] != nil }
        if let code, case .failed(let failure) = meaning(of: code), failure != .link { return failed(point, failure) }
        return slowAttempt(point, link: link) + [
            Move(1.4, [HiddenEvent(begin - 5, .net(.rule(rule)))]),
            Move(1.5, [HiddenEvent(link + 5, .net(.halfOpen))] + up),
        ] + point.failedLogin()
    }

    private func failed(_ point: BranchPoint, _ failure: LineMeaning.Failure) -> [Move] {
        switch failure {
        case .link, .misuse, .appID: return point.failedLogin() + point.missingCall()
        case .credential: return point.badCredential([(1.5, .password), (1.5, .revocation), (1.7, .removal)])
        case .refused: return point.badCredential([(1.2, .ban), (1.8, .removal)])
        case .taken:
            let call = point.pendingCall(["autologin"]).map { point.lines[$0].time } ?? point.time
            let since = point.lossTime ?? point.lines[..<point.index].last { $0.time < call - 1 }?.time ?? 0
            return Self.excludingPlatforms(point.app.platform).map { platform in
                Move(1.0, [point.login(platform, at: (since + call) / 2)])
            }
        }
    }

    /// The platforms whose devices exclude a device of this platform.
    private static func excludingPlatforms(_ platform: Platform) -> [Platform] {
        switch platform {
        case .ios: [.android, .ios]
        case .android: [.ios, .android]
        default: [.windows, .web, .macos]
        }
    }

    private static func isMobile(_ platform: Platform) -> Bool { platform == .ios || platform == .android }

    /// The platform of a `clientType`.
    private static func platform(_ type: String?) -> Platform {
        switch type {
        case "1": .android
        case "4": .windows
        case "8": .windowsPhone
        case "16": .web
        case "64": .macos
        default: .ios
        }
    }

    private func kicked(_ point: BranchPoint) -> [Move] {
        let platform = Self.platform(point.line["clientType"])
        switch point.line["reason"] {
        case "1":
            let isSameGroup = Self.isMobile(platform) == Self.isMobile(point.app.platform)
            if isSameGroup || point.hasPolicy("exclusion") { return [point.otherLogin(1.0, platform)] }
            return [
                point.otherLogin(1.7, platform, also: [HiddenEvent(1, .policy("exclusion", "single"))])
            ]
        case "2":
            return [
                point.atServer(1.0, .serverKick), point.atServer(1.2, .ban), point.atServer(1.4, .removal),
                point.atServer(1.4, .password),
            ]
        default:
            if let other = point.otherDevices(at: point.time - 200).last(where: { $0.platform == platform }) {
                return [point.atServer(0.8, .kick(by: other.name))]
            }
            let name = point.newDevice(platform)
            let move = point.atServer(1.2, .kick(by: name))
            let at = (move.events.map(\.time).min() ?? point.time) - 3000
            let login = HiddenEvent(max(point.previousTime + 1, at), .login(device: name, platform))
            return [Move(move.cost, [login] + move.events)]
        }
    }

    private func devices(_ point: BranchPoint) -> [Move] {
        switch point.line["type"] {
        case "1": return devicesAtLogin(point, 0.8)
        case "2": return deviceLogins(point)
        case "3": return deviceLogouts(point)
        // The app's own log lacks the type of the change, so the moves for all types are returned.
        default: return deviceLogins(point) + devicesAtLogin(point, 0.85) + deviceLogouts(point)
        }
    }

    /// The platforms whose devices may be online together with a device of this platform.
    private static func otherGroup(_ platform: Platform) -> [Platform] {
        isMobile(platform) ? [.windows, .web, .macos] : [.ios, .android]
    }

    /// The moves for another device that was already online at the login.
    private func devicesAtLogin(_ point: BranchPoint, _ cost: Double) -> [Move] {
        let at = timeBeforeLogin(point, online: point.onlineSince ?? point.time)
        return Self.otherGroup(point.app.platform).prefix(1).map { Move(cost, [point.login($0, at: at)]) }
    }

    /// A time before the login after which the client came online at `online`, but not before the previous line.
    private func timeBeforeLogin(_ point: BranchPoint, online: Milliseconds) -> Milliseconds {
        let before = point.lines[..<point.index].last { $0.time < online - 5 * point.latency - 50 }?.time ?? 0
        return max(before + 1, online - 4 * point.latency - 1500)
    }

    /// The moves for another device that logged in.
    private func deviceLogins(_ point: BranchPoint) -> [Move] {
        let platforms = Self.otherGroup(point.app.platform)
        let at = point.time - 5 * 10 - point.latency - 30
        // A later kick by this device shows its platform.
        let kick = point.lines[point.index...].first { $0.name == "onKick" && $0["reason"] == "3" }
        if let kick {
            let platform = Self.platform(kick["clientType"])
            if platforms.contains(platform) { return [Move(0.8, [point.login(platform, at: at)])] }
        }
        return platforms.prefix(2).enumerated().map { rank, platform in
            Move(0.8 + 0.1 * Double(rank), [point.login(platform, at: at)])
        } + loginOfSameGroup(point, at)
    }

    /// The moves for another device that logged out.
    private func deviceLogouts(_ point: BranchPoint) -> [Move] {
        let online = point.otherDevices(at: point.time - 100)
        var moves = online.reversed().map { device in
            Move(0.8, [HiddenEvent(point.time - 2 * 10 - point.latency, .logout(device: device.name))])
        }
        if online.isEmpty, let other = Self.otherGroup(point.app.platform).first {
            // The device was already online at the login, but the log lacks that line.
            let at = timeBeforeLogin(point, online: point.onlineSince ?? point.previousTime)
            let login = point.login(other, at: at)
            if case .login(let name, _) = login.action {
                moves.append(
                    Move(1.2, [login, HiddenEvent(point.time - 20 - point.latency, .logout(device: name))]))
            }
        }
        return moves
    }

    /// The move for a login of a device of the same group, which needs the policy `exclusion=unlimited`.
    private func loginOfSameGroup(_ point: BranchPoint, _ at: Milliseconds) -> [Move] {
        guard !point.hasPolicy("exclusion"), let platform = Self.excludingPlatforms(point.app.platform).first else {
            return []
        }
        return [
            Move(2.3, [HiddenEvent(1, .policy("exclusion", "unlimited")), point.login(platform, at: at)])
        ]
    }
}

extension BranchPoint {
    /// The time of the last login step with a number before the line; nil if there is none.
    fileprivate func time(ofStep step: String) -> Milliseconds? { lines[..<index].last { $0["step"] == step }?.time }

    /// True if the log has a login step within 150 ms of the line.
    fileprivate func isNear(_ step: String) -> Bool {
        lines.contains { $0["step"] == step && abs($0.time - time) < 150 }
    }
}
