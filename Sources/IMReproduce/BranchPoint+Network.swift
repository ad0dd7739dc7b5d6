import IMProtocol
import IMSession
import SansIO

// Finds moves with events of the network, the server or the device.

extension BranchPoint {
    private func net(_ time: Milliseconds, _ action: NetAction) -> HiddenEvent { HiddenEvent(time, .net(action)) }

    /// The event that ends a fault of the network; empty if it does not end.
    private func up(_ time: Milliseconds?) -> [HiddenEvent] { time.map { [net($0, .up)] } ?? [] }

    /// The server starts, and the client tries again at the time `retry`. If the delay before that attempt is random, a
    /// return of the network starts the attempt at exactly this time.
    private func serverUp(_ time: Milliseconds, retry: Milliseconds) -> [HiddenEvent] {
        [HiddenEvent(time, .serverUp)] + (vendor.times.hasRandomDelays ? [net(retry, .up)] : [])
    }

    /// The moves for a lost connection.
    func lossMoves() -> [Move] {
        let begin = time - vendor.times.lossDelay
        let end = recovery
        var moves: [Move] = []
        if vendor.times.lossDelay == 0, recoversAtOnce {
            moves.append(Move(1.0, [net(time, .reset)]))
            moves.append(Move(1.25, [HiddenEvent(time - latency, .serverRestart)]))
        } else {
            if vendor.times.firstRetryWaits, let end {
                // The delay before the retry is random. A return of the network starts the retry at the time in the
                // log.
                moves.append(Move(1.0, [net(time, .reset), net(end, .up)]))
                moves.append(Move(1.25, [HiddenEvent(time - latency, .serverRestart), net(end, .up)]))
            }
            moves.append(Move(1.1, [net(begin, .down)] + up(end)))
            let server = end.map { serverUp(max(begin + 200, $0 - 500), retry: $0) } ?? []
            moves.append(Move(1.7, [HiddenEvent(begin - latency, .serverDown)] + server))
            moves.append(Move(1.5, [net(begin, .halfOpen), net(begin, .reset)] + up(end)))
        }
        moves += halfOpenMoves(end)
        moves += sleepMoves(end)
        moves += secondLossMoves(end)
        if let end, end - time > vendor.times.attemptLimit - 1500 || vendor.times.lossDelay > 0 {
            let rule = FrameRule(.drop, frame: "login-ack", direction: .toClient, count: 1)
            moves.append(Move(2.4, [net(begin - 10, .rule(rule)), net(begin, .reset)]))
        }
        return moves
    }

    /// The moves for a connection that was lost a second time, if the log does not show the recovery from the first
    /// loss.
    private func secondLossMoves(_ end: Milliseconds?) -> [Move] {
        guard simulated == .lost, vendor.times.lossDelay == 0, let open = openFault, open.since + 1000 < time else {
            return []
        }
        let back = HiddenEvent(open.since + 50, open.end)
        let silent = max(open.since + 500, time - vendor.times.answerLimit - vendor.times.heartbeat * 2 / 5)
        return [
            Move(1.9, [back, net(time, .down)] + up(end)), Move(2.0, [back, net(silent, .halfOpen)] + up(end)),
        ]
    }

    private func halfOpenMoves(_ end: Milliseconds?) -> [Move] {
        guard vendor.times.lossDelay == 0 else {
            return [Move(1.2, [net(time - vendor.times.lossDelay, .halfOpen)] + up(end))]
        }
        let late = time - vendor.times.answerLimit
        let start = heartbeatStart(before: late)
        guard late - start > 500 else { return [] }
        let (phase, interval) = heartbeatPhase(of: late, since: start)
        let fits = min(phase, interval - phase) < 400 + latency
        let begin = max(late - interval * 2 / 5, start + 300, min(previousTime + 100, late - 200))
        guard begin < late else { return [] }
        let recovered = end.map { max($0, time - 30) }
        return [Move(fits ? 1.15 : 2.2, [net(begin, .halfOpen)] + up(recoversAtOnce ? time - 5 : recovered))]
    }

    /// The time since the last heartbeat, and the interval from that heartbeat to the next one. The first interval
    /// begins at `start`.
    private func heartbeatPhase(
        of time: Milliseconds, since start: Milliseconds
    ) -> (phase: Milliseconds, interval: Milliseconds) {
        let times = vendor.times
        var (beat, interval) = (start, max(1, times.heartbeat))
        // 400 ms are subtracted because the time of a line is not exact.
        while beat + interval <= time - 400 - latency, interval < times.heartbeatMax, times.heartbeatGrowth > 0 {
            beat += interval
            interval = min(times.heartbeatMax, interval + times.heartbeatGrowth)
        }
        return ((time - beat) % interval, interval)
    }

    private func sleepMoves(_ end: Milliseconds?) -> [Move] {
        if let known = app.sleeps.first(where: { $0.line == index }) {
            var events = [HiddenEvent(time - known.length, .sleep(known.length))]
            if !recoversAtOnce, let end { events += [net(time - known.length + 10, .halfOpen), net(end, .up)] }
            return [Move(0.6, events)]
        }
        // If the log has a clock that stops during sleep, all sleeps are already known.
        guard !app.showsSleep else { return [] }
        let need = vendor.times.silence + vendor.times.heartbeat + 3000
        guard time - previousTime > need + 500 else { return [] }
        let sleep = HiddenEvent(time - need, .sleep(need))
        var moves = [Move(1.6, [sleep] + (vendor.times.firstRetryWaits && !recoversAtOnce ? up(end) : []))]
        // Another move: when the device woke, it still had no network.
        if !recoversAtOnce, let end {
            moves.append(Move(1.9, [sleep, net(time - need + 10, .halfOpen), net(end, .up)]))
        }
        return moves
    }

    /// The moves for a line at which the observed client is online, but the simulated client is not.
    func recoveryMoves() -> [Move] {
        let at = time - (vendor.delayCount(of: line) ?? 4) * latency
        var moves: [Move] = []
        if let open = openFault, open.since < at {
            moves.append(Move(0.2, [HiddenEvent(at, open.end)]))
        } else if simulated == .lost || simulated == .connecting {
            moves.append(Move(1.3, [net(max(previousTime + 1, at - 300), .down), net(at, .up)]))
        }
        if simulated == .connecting, let call = pendingCall(["login", "autologin"]),
            time - lines[call].time > 6 * latency
        {
            let delay = (time - lines[call].time) / 4
            moves.append(
                Move(
                    1.4,
                    [
                        net(lines[call].time - 5, .constantDelay(delay)),
                        net(time + 5, normalDelay),
                    ]))
        }
        if simulated == .online {
            // These moves are for a log that lacks the line of the lost connection.
            moves.append(Move(1.0, [net(at, .reset)]))
            let loss = max(previousTime + 1, at - 5000 - vendor.times.lossDelay)
            moves.append(Move(1.2, [net(loss, .down), net(at, .up)]))
            moves +=
                app.sleeps.first { $0.line == index }.map {
                    [Move(0.6, [HiddenEvent(time - $0.length - 4 * latency, .sleep($0.length))])]
                } ?? []
        }
        if simulated == .loggedOut { moves += missingLogin(at) }
        return moves
    }

    /// The moves for a login call that the log lacks.
    func missingLogin(_ time: Milliseconds) -> [Move] {
        let call = pendingCall(["login", "autologin"])
        guard call == nil else { return [] }
        let user = ("user", app.user)
        var moves = [Move(1.0, [HiddenEvent(time, .call(AppCall("login", [user])))])]
        if app.profile == "nim" || app.profile == "agora-chat" {
            moves.append(Move(0.9, [HiddenEvent(time, .call(AppCall("autologin", [user])))]))
        }
        return moves
    }

    /// The moves for a line that needs a connection while the simulated client has none. The log lacks the line of the
    /// recovery.
    func hiddenRecovery() -> [Move] {
        if simulated == .online, let delayCount = vendor.delayCount(of: line) {
            // These moves are for a log that lacks the lines of a loss and of its recovery.
            let at = time - delayCount * latency
            let loss = net(max(previousTime + 1, at - 5000), .down)
            return [Move(1.2, [net(at, .reset)]), Move(1.5, [loss, net(at, .up)])]
        }
        guard simulated != .online, let open = openFault else { return [] }
        let early = max(open.since + 20, time - 5 * latency - 600)
        guard let delayCount = vendor.delayCount(of: line) else { return [Move(0.9, [HiddenEvent(early, open.end)])] }
        let at = max(open.since + 20, time - delayCount * latency)
        return [Move(0.9, [HiddenEvent(at, open.end)])]
    }

    /// The moves for a login that failed because of the network or the server.
    func failedLogin() -> [Move] {
        let names = ["login", "autologin", "offline-login"]
        let call = pendingCall(names).map { lines[$0].time } ?? hiddenLogin ?? time - 4 * latency
        let end = recovery
        if time - call < 60 {
            return [
                Move(1.0, [net(call - 5, .down)] + up(end)),
                Move(1.4, [HiddenEvent(call - 5, .serverDown)] + atRecovery(.serverUp)),
            ]
        }
        if time - call < vendor.times.attemptLimit - 1000 {
            return [
                Move(1.2, [HiddenEvent(call - 5, .serverDown)] + atRecovery(.serverUp)),
                Move(1.3, [net(max(call + 1, time - 5), .down)] + up(end)),
            ]
        }
        let rule = FrameRule(.drop, frame: "login-ack", direction: .toClient, count: 1)
        return [
            Move(1.1, [net(call - 5, .halfOpen)] + up(end)),
            Move(1.4, [net(call - 5, .rule(rule))]),
            Move(1.8, [net(call - 5, .constantDelay(vendor.times.attemptLimit))] + atRecovery(.net(normalDelay))),
        ]
    }
}
