import IMProtocol
import IMSession

/// A line of the log that the simulation of a candidate lacks. The methods return moves: hidden events that may have
/// caused the line.
struct BranchPoint {
    let app: ObservedApp
    let vendor: any VendorCauses
    let candidate: Candidate
    /// The lines of the log. If the candidate sets the device's clock, their times are corrected for it.
    let lines: [AppLine]
    let index: Int
    let match: LineMatch

    var line: AppLine { lines[index] }
    /// The time of the line.
    var time: Milliseconds { line.time }
    /// The one-way delay of the network.
    var latency: Milliseconds { app.latency }
    /// The action that sets the delay of the network to its normal value.
    var normalDelay: NetAction { .constantDelay(latency) }
    var meaning: LineMeaning { vendor.meaning(of: line) }

    /// The state of the simulated client before the line.
    var simulated: LineMeaning {
        var state = LineMeaning.loggedOut
        for line in match.simulated where line.time < time - 5 {
            if line.kind == .start { state = .loggedOut }
            switch vendor.meaning(of: line) {
            case .online: state = .online
            case .lost: state = .lost
            case .tokenEnded: if vendor.tokenEndsLogin { state = .loggedOut }
            case .kicked, .loggedOut, .failed: state = .loggedOut
            case .connecting: if state != .lost { state = .connecting }
            default: break
            }
            if line.kind == .call, line.name == "logout" { state = .loggedOut }
        }
        return state
    }

    /// The time at which the observed client last came online before the line; nil if it did not.
    var onlineSince: Milliseconds? { lines[..<index].last { vendor.meaning(of: $0) == .online }?.time }

    /// The time at which the series of heartbeats begins: the last login, the end of the last sleep, or the last change
    /// to the foreground.
    func heartbeatStart(before time: Milliseconds) -> Milliseconds {
        let woke = candidate.events.compactMap { event -> Milliseconds? in
            if case .sleep(let length) = event.action, event.time + length < time { event.time + length } else { nil }
        }.last
        let foreground = lines.last { $0.time < time && $0.kind == .life && $0.name == "foreground" }?.time
        let online = match.simulated.last { $0.time < time && vendor.meaning(of: $0) == .online }?.time
        return max(online ?? 0, woke ?? 0, foreground ?? 0)
    }

    /// The time at which the observed client lost its connection; nil if it was online again before the line.
    var lossTime: Milliseconds? {
        for line in lines[..<index].reversed() {
            switch vendor.meaning(of: line) {
            case .lost, .linkFailed: return line.time
            case .online: return nil
            default: continue
            }
        }
        return nil
    }

    /// The latest time at which the network can have returned, according to the later lines. Nil if no later line shows
    /// a connection.
    var recovery: Milliseconds? { recovery(after: index) }

    /// An action at the time of the recovery; empty if there is no recovery.
    func atRecovery(_ action: HiddenEvent.Action) -> [HiddenEvent] { recovery.map { [HiddenEvent($0, action)] } ?? [] }

    func recovery(after first: Int) -> Milliseconds? {
        var call: Milliseconds?
        for later in lines[(first + 1)...] {
            if later.kind == .start { call = nil }
            if later.isLoginCall { call = later.time }
            if let delayCount = vendor.delayCount(of: later) {
                return networkReturn(before: later.time - delayCount * latency, call)
            }
            switch vendor.meaning(of: later) {
            case .kicked, .failed(.credential), .failed(.refused), .failed(.taken):
                return networkReturn(before: later.time - 4 * latency, call)
            case .failed: call = nil
            case .message, .devices, .operation:
                if call == nil { return later.time - 5 * latency - 100 }
            default: continue
            }
        }
        return nil
    }

    /// The time at which the network must have returned for a connection that began at `connection`.
    private func networkReturn(before connection: Milliseconds, _ call: Milliseconds?) -> Milliseconds {
        if let call { return call - min(400, max(20, (call - time) / 2)) }
        // The return of the network starts the successful attempt.
        let attempt = lines.last {
            $0["step"] == "1" && $0.time < connection + latency + 30 && $0.time > connection - latency - 60
        }
        return attempt.map { $0.time - 12 } ?? connection
    }

    /// True if the client is online again within about 500 ms after the line.
    var recoversAtOnce: Bool { recovery.map { $0 - time < 500 + 6 * latency } ?? false }

    /// The last fault of the network or the server that has not ended before the line, with the action that ends it.
    var openFault: (end: HiddenEvent.Action, since: Milliseconds, isDelay: Bool)? {
        var open: (HiddenEvent.Action, Milliseconds, Bool)?
        for event in candidate.events where event.time <= time + app.slack {
            switch event.action {
            case .net(.down), .net(.halfOpen): open = (.net(.up), event.time, false)
            case .net(.up), .serverUp: open = nil
            case .serverDown: open = (.serverUp, event.time, false)
            case .net(.delay(let delay, _)):
                let isNormal = delay.inMilliseconds <= latency
                open = isNormal ? nil : (.net(normalDelay), event.time, true)
            default: continue
            }
        }
        return open
    }

    /// The other devices of the account that are logged in at a time, according to the candidate.
    func otherDevices(at time: Milliseconds) -> [(name: String, platform: Platform)] {
        var online: [(name: String, platform: Platform)] = []
        for event in candidate.events where event.time < time {
            switch event.action {
            case .login(let device, let platform): online.append((device, platform))
            case .logout(let device): online.removeAll { $0.name == device }
            default: continue
            }
        }
        return online
    }

    /// An unused name for another device.
    func newDevice(_ platform: Platform, besides used: Int = 0) -> String {
        let count = candidate.events.count { if case .login = $0.action { true } else { false } }
        return "\(platform.name)\(count + 1 + used)"
    }

    func login(_ platform: Platform, at time: Milliseconds) -> HiddenEvent {
        HiddenEvent(time, .login(device: newDevice(platform), platform))
    }

    /// True if another user logs in before a time.
    func hasPeerLogin(_ peer: String, before time: Milliseconds) -> Bool {
        candidate.events.contains { if case .peerLogin(peer) = $0.action { $0.time < time } else { false } }
    }

    /// True if a hidden event sets a policy of the server.
    func hasPolicy(_ key: String) -> Bool {
        candidate.events.contains { if case .policy(key, _) = $0.action { true } else { false } }
    }

    /// The branch point of the line at which the running login attempt fails. Nil if no attempt is running, or if it
    /// does not fail.
    var failingAttempt: BranchPoint? {
        let begin = lines[..<index].lastIndex {
            $0.kind == .start || [.online, .lost].contains(vendor.meaning(of: $0))
                || $0.isLoginCall
        }
        guard let begin, lines[begin].kind == .call else { return nil }
        let end = lines[begin...].indices.first { position in
            guard position > begin else { return false }
            let other = lines[position]
            if case .failed = vendor.meaning(of: other) { return true }
            return other.isLoginCall || vendor.meaning(of: other) == .online
        }
        guard let end, end > index, case .failed = vendor.meaning(of: lines[end]) else { return nil }
        return BranchPoint(app: app, vendor: vendor, candidate: candidate, lines: lines, index: end, match: match)
    }

    /// The branch point of the next line with a meaning; nil if there is none within the limit.
    func nextPoint(_ wanted: LineMeaning, within limit: Milliseconds) -> BranchPoint? {
        let found = lines.indices.dropFirst(index).first {
            lines[$0].time - time <= limit && vendor.meaning(of: lines[$0]) == wanted
        }
        return found.map {
            BranchPoint(app: app, vendor: vendor, candidate: candidate, lines: lines, index: $0, match: match)
        }
    }

    /// The time of the previous line of the log.
    var previousTime: Milliseconds { index > 0 ? lines[index - 1].time : 0 }

    /// The index of the last call with one of the names that has no result before the line; nil if there is none.
    func pendingCall(_ names: [String]) -> Int? {
        var pending: Int?
        for (position, line) in lines[..<index].enumerated() {
            if line.kind == .start { pending = nil }
            if line.kind == .call, names.contains(line.name) { pending = position }
            if line.kind == .result, names.contains(line.name) { pending = nil }
        }
        return pending
    }
}

extension NetAction {
    /// A delay of the network without jitter.
    static func constantDelay(_ length: Milliseconds) -> NetAction { .delay(.milliseconds(length), jitter: .zero) }
}
