import IMClient
import IMProtocol
import IMSession

// Finds moves with actions of others: an operator, other devices of the account, other users.

extension BranchPoint {
    /// The hidden event that ends the open fault, so that the simulated client is online before the server sends
    /// something. Empty if the client is already online or there is no fault.
    func endOfOpenFault(_ time: Milliseconds) -> [HiddenEvent] {
        guard simulated != .online, let open = openFault, open.since < time else { return [] }
        return [HiddenEvent(time, open.end)]
    }

    /// The move for an action at the server that ends the login. If the client is online, the action is directly before
    /// the line. Otherwise it is during the interruption, and the client is notified of it at the reconnect.
    func atServer(_ cost: Double, _ action: HiddenEvent.Action, also: [HiddenEvent] = []) -> Move {
        if simulated == .online { return Move(cost, also + [HiddenEvent(time - latency, action)]) }
        let up = time - 4 * latency
        let since = lossTime ?? openFault?.since ?? previousTime
        return Move(cost, also + [HiddenEvent(max(since + 1, (since + up) / 2), action)] + endOfOpenFault(up))
    }

    /// The move for a login of another device of the account, which ends the observed login.
    func otherLogin(_ cost: Double, _ platform: Platform, also: [HiddenEvent] = []) -> Move {
        if simulated == .online {
            return Move(cost, also + [login(platform, at: time - 5 * 10 - latency - 20)])
        }
        let up = time - 4 * latency
        let since = lossTime ?? openFault?.since ?? previousTime
        return Move(cost, also + [login(platform, at: max(since + 1, (since + up) / 2))] + endOfOpenFault(up))
    }

    /// The moves for a credential that the server does not accept at the line.
    func badCredential(_ actions: [(Double, HiddenEvent.Action)]) -> [Move] {
        if let position = pendingCall(["login", "autologin"]) {
            let call = lines[position].time
            let before =
                lines[..<index].last { $0.time < call && [.start, .callback, .result].contains($0.kind) }?.time ?? 0
            let at = max(before + 1, call - 300)
            let name = lines[position].name
            let isFirst =
                (!app.lacksStart || app.beginsWithLogin)
                && !lines[..<position].contains { $0.kind == .call && $0.name == name }
            // The account must exist before it can be changed.
            let moves = actions.map { cost, action in
                Move(cost, (isFirst ? [HiddenEvent(at, .account)] : []) + [HiddenEvent(at, action)])
            }
            let isCredential = actions.contains { $0.1 == .revocation }
            guard isCredential, lines[position].name == "login" else { return moves }
            // Further moves: the token was wrong, or had expired before the app used it.
            return moves
                + [(isFirst ? 0.9 : 1.6, Move.TokenLife.wrong), (isFirst ? 1.0 : 1.7, 1)].map { cost, life in
                    Move(cost, tokenLives: [.init(line: position, life: life)])
                }
        }
        if let call = hiddenLogin {
            let before = lines[..<index].last { $0.time < call - 1 }?.time ?? 0
            return actions.map { cost, action in Move(cost, [HiddenEvent(max(before + 1, call - 300), action)]) }
        }
        return actions.map { cost, action in
            if simulated == .online {
                // The log does not show why the client reconnected: a break of the connection is added, after which the
                // server refuses the client.
                let reset = HiddenEvent(time - 4 * latency, .net(.reset))
                return Move(cost + 0.6, [HiddenEvent(time - 4 * latency - 200, action), reset])
            }
            return atServer(cost, action)
        }
    }

    /// The moves for a login that fails because the app uses a wrong App ID.
    func wrongAppID() -> [Move] {
        let call = pendingCall(["login"]) ?? (hiddenLogin == nil ? nil : Move.TokenLife.hiddenLogin)
        guard let call else { return missingLogin(time - 4 * latency) }
        return [Move(0.5, tokenLives: [.init(line: call, life: Move.TokenLife.wrongAppID)])]
    }

    /// The time of a hidden login call that may have failed at the line; nil if there is none.
    var hiddenLogin: Milliseconds? {
        let login = candidate.events.last { event in
            guard case .call(let call) = event.action else { return false }
            return ["login", "autologin"].contains(call.name) && event.time < time
        }
        guard let begin = login?.time, time - begin <= vendor.times.attemptLimit else { return nil }
        return lines[..<index].contains { $0.time >= begin && vendor.meaning(of: $0) == .online } ? nil : begin
    }

    /// The moves for a token that expires at the line, or whose expiry is announced there.
    ///
    /// - Parameter life: computes the token's lifetime from the time between its login and the line.
    func tokenMoves(_ life: (Milliseconds) -> Milliseconds) -> [Move] {
        var logins = lines[..<index].indices.filter {
            lines[$0].kind == .call && lines[$0].name == "login" && lines[$0]["offline"] != "true"
        }.map { (line: $0, time: lines[$0].time) }
        let hidden = candidate.events.last {
            if case .call(let call) = $0.action { call.name == "login" && $0.time < time } else { false }
        }
        if let hidden { logins.append((Move.TokenLife.hiddenLogin, hidden.time)) }
        logins.sort { $0.time < $1.time }
        var moves: [Move] = []
        for (rank, login) in logins.suffix(3).reversed().enumerated() {
            // The lifetimes of tokens are whole seconds. If the log lacks the login call, its time is not exact, so the
            // lifetime is not rounded.
            let exact = life(time - login.time)
            let length = login.line < 0 ? exact : (exact + 500) / 1000 * 1000
            var move = Move(0.8 + 0.2 * Double(rank), tokenLives: [.init(line: login.line, life: max(1000, length))])
            if simulated != .online, openFault != nil { move.events += endOfOpenFault(time - 4 * latency) }
            moves.append(move)
            if let late = lateToken(login, life) { moves.append(late) }
        }
        return moves
    }

    /// The move for a token that expired while the device slept. The client reports the expiry only after the sleep, so
    /// the line is late.
    private func lateToken(
        _ login: (line: Int, time: Milliseconds), _ life: (Milliseconds) -> Milliseconds
    ) -> Move? {
        if let known = app.sleeps.first(where: { $0.line == index }) {
            let due = time - known.length / 2
            return Move(
                1.3, [HiddenEvent(time - known.length, .sleep(known.length))],
                tokenLives: [.init(line: login.line, life: life(due - login.time))])
        }
        let begin = max(previousTime, login.time + 2000)
        guard !app.showsSleep, time - begin > 20_000 else { return nil }
        // The log does not show the length of the sleep. It is assumed to be the last three quarters of the interval
        // before the line. The expiry, or its warning, is assumed to be due after the first quarter of the sleep. So
        // both of them can become due before the sleep ends.
        let slept = (time - begin) * 3 / 4
        let due = time - slept * 3 / 4
        return Move(
            1.5, [HiddenEvent(time - slept, .sleep(slept))],
            tokenLives: [.init(line: login.line, life: max(1000, due - login.time))])
    }

    /// The moves for the result of a sent message: the receiver must be logged in, or must not be.
    func peerMoves() -> [Move] {
        guard line.kind == .result, line.name == "send", let call = pendingCall(["send"]),
            let peer = lines[call]["to"]
        else { return [] }
        let at = lines[call].time - 300
        let isLoggedIn =
            candidate.events.last { event in
                event.time < at && (event.action == .peerLogin(peer) || event.action == .peerLogout(peer))
            }?.action == .peerLogin(peer)
        if line["code"] == "0" || line["code"] == "200" {
            return isLoggedIn ? [] : [Move(0.8, [HiddenEvent(at, .peerLogin(peer))])]
        }
        return isLoggedIn ? [Move(1.2, [HiddenEvent(at, .peerLogout(peer))])] : []
    }

    /// The moves for a message that another user sent.
    ///
    /// - Parameter isAway: true if the message was sent while the observed client was not logged in.
    func messageMove(from peer: String, channel: String? = nil, isAway: Bool = false) -> [Move] {
        let text = line["text"] ?? ""
        var at = time - latency - 10
        let online = onlineSince ?? 0
        if isAway || time - online < 300 + 2 * latency,
            let lost = lines[..<index].last(where: {
                $0.time < online && [.lost, .kicked, .loggedOut].contains(vendor.meaning(of: $0))
            })
        {
            at = (lost.time + online) / 2
        }
        var events: [HiddenEvent] = []
        if !hasPeerLogin(peer, before: at - 300) { events.append(HiddenEvent(at - 900, .peerLogin(peer))) }
        if let channel {
            let hasJoined = candidate.events.contains {
                if case .peerJoin(peer, channel) = $0.action { $0.time < at } else { false }
            }
            if !hasJoined { events.append(HiddenEvent(at - 400, .peerJoin(peer, channel: channel))) }
        }
        events.append(HiddenEvent(at, .peerSend(peer, text: text, channel: channel)))
        return [Move(0.8, events)] + hiddenRecovery()
    }

    /// The moves for a changed conversation: the app received a message, or sent one.
    func conversationMoves(with peer: String, _ sender: String) -> [Move] {
        if let message = nextPoint(.message, within: 300) {
            return message.messageMove(from: message.line[sender] ?? peer)
        }
        let call = nearestCall("send").map { AppCall($0) } ?? AppCall("send", [("to", peer), ("text", "hello")])
        let sent = [time - 2 * latency, time - 5].map { Move(0.9, [HiddenEvent($0, .call(call))]) }
        // The log may lack the callback of the received message.
        return sent + messageMove(from: peer).map { Move($0.cost + 0.2, $0.events) }
    }

    /// The moves with a call that is not in the log, but that a result or a callback requires.
    func missingCall() -> [Move] {
        // The call failed because the connection was lost: explain the loss.
        if line.kind == .result, simulated == .online, let lost = nextPoint(.lost, within: 100) {
            return vendor.moves(lost)
        }
        let at = time - 2 * latency
        if let call = pendingCall([line.name]), time - lines[call].time > 3000 {
            var moves: [Move] = []
            if simulated == .online, !["0", "200"].contains(line["code"] ?? "0") {
                // The call received no answer.
                let start = HiddenEvent(lines[call].time - 5, .net(.halfOpen))
                moves.append(Move(1.3, [start] + atRecovery(.net(.up))))
            }
            // The device slept during the call.
            let begin = max(previousTime, lines[call].time) + 500
            if !app.showsSleep, time - begin > 1000 {
                moves.append(Move(1.6, [HiddenEvent(begin, .sleep(time - begin))]))
            }
            if !moves.isEmpty || !app.showsSleep { return moves }
        }
        if meaning == .loggedOut { return [Move(0.9, [HiddenEvent(time - 5, .call(AppCall("logout")))])] }
        // The log does not show the missing call. The nearest call with the same name has plausible arguments.
        let similar = nearestCall(line.name)
        switch line.name {
        case "login", "autologin": return missingLogin(time - 4 * latency)
        case "offline-login":
            return [
                Move(1.0, [HiddenEvent(time - 5, .call(AppCall("login", [("user", app.user), ("offline", "true")])))])
            ]
        case "logout", "renew-token":
            return [Move(0.9, [HiddenEvent(line.name == "logout" ? time - 5 : at, .call(AppCall(line.name)))])]
        case "send", "join", "subscribe", "leave":
            if let similar { return [Move(0.9, [HiddenEvent(at, .call(AppCall(similar)))])] }
            return standardCall(at)
        default: return []
        }
    }

    /// The call with a name whose time is nearest to the line; nil if the log has no such call.
    private func nearestCall(_ name: String) -> AppLine? {
        lines.filter { $0.kind == .call && $0.name == name }.min { abs($0.time - time) < abs($1.time - time) }
    }

    private func standardCall(_ at: Milliseconds) -> [Move] {
        switch line.name {
        case "send":
            return [Move(0.9, [HiddenEvent(at, .call(AppCall("send", [("to", "bob"), ("text", "hello")])))])]
        case "join": return [Move(0.9, [HiddenEvent(at, .call(AppCall("join", [("channel", "news")])))])]
        case "subscribe": return [Move(0.9, [HiddenEvent(at, .call(AppCall("subscribe", [("user", "bob")])))])]
        default: return []
        }
    }

    /// The candidate for a simulated line that has another time than the log's line. The last hidden event before the
    /// simulated line is moved by the difference.
    func shifted() -> Candidate? {
        var best: (distance: Milliseconds, time: Milliseconds)?
        for (position, other) in match.simulated.enumerated() where !match.isMatched(position) && other.fits(line) {
            let distance = abs(other.time - time)
            if distance < 30_000, best.map({ distance < $0.distance }) ?? true { best = (distance, other.time) }
        }
        guard let best else { return nil }
        var candidate = candidate
        var latest: (decision: Int, event: Int, time: Milliseconds)?
        for (position, decision) in candidate.decisions.enumerated() {
            for (event, hidden) in decision.move.events.enumerated()
            where hidden.time <= best.time && hidden.time > best.time - 60_000 {
                if latest.map({ hidden.time >= $0.time }) ?? true { latest = (position, event, hidden.time) }
            }
        }
        guard let latest else { return nil }
        candidate.decisions[latest.decision].move.events[latest.event].time += time - best.time
        candidate.decisions[latest.decision].move.cost += 0.25
        return candidate
    }
}
