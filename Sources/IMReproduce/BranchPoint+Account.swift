import IMClient
import IMProtocol
import IMSession

// Possible actions of others: an operator, other devices of the account, other users.

extension BranchPoint {
    /// Brings the simulated client online before an event that the server sends; empty if it is online.
    func backOnline(_ time: Milliseconds) -> [HiddenEvent] {
        guard simulated != .online, let open = openFault, open.since < time else { return [] }
        return [HiddenEvent(time, open.end)]
    }

    /// An action of the server on the login: at once if the client is online, otherwise found at the reconnect.
    func atServer(_ cost: Double, _ action: HiddenEvent.Action, also: [HiddenEvent] = []) -> Move {
        if simulated == .online { return Move(cost, also + [HiddenEvent(to - latency, action)]) }
        let up = to - 4 * latency
        let since = lostAt ?? openFault?.since ?? previous
        return Move(cost, also + [HiddenEvent(max(since + 1, (since + up) / 2), action)] + backOnline(up))
    }

    /// Another device of the account logs in.
    func otherLogin(_ cost: Double, _ platform: Platform, also: [HiddenEvent] = []) -> Move {
        if simulated == .online {
            return Move(cost, also + [login(platform, at: to - 5 * 10 - latency - 20)])
        }
        let up = to - 4 * latency
        let since = lostAt ?? openFault?.since ?? previous
        return Move(cost, also + [login(platform, at: max(since + 1, (since + up) / 2))] + backOnline(up))
    }

    /// A credential that the server no longer accepts.
    func badCredential(_ actions: [(Double, HiddenEvent.Action)]) -> [Move] {
        if let position = pendingCall(["login", "autologin"]) {
            let call = lines[position].time
            let before =
                lines[..<index].last { $0.time < call && [.start, .callback, .result].contains($0.kind) }?.time ?? 0
            let at = max(before + 1, call - 300)
            let name = lines[position].name
            let isFirst =
                (!app.isCut || app.beginsWithLogin)
                && !lines[..<position].contains { $0.kind == .call && $0.name == name }
            // An account that does not exist yet cannot be changed.
            let moves = actions.map { cost, action in
                Move(cost, (isFirst ? [HiddenEvent(at, .account)] : []) + [HiddenEvent(at, action)])
            }
            let isCredential = actions.contains { $0.1 == .revocation }
            guard isCredential, lines[position].name == "login" else { return moves }
            // The token was wrong or expired when the app used it.
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
                // The log does not show this break; the reconnect finds the change.
                let reset = HiddenEvent(to - 4 * latency, .net(.reset))
                return Move(cost + 0.6, [HiddenEvent(to - 4 * latency - 200, action), reset])
            }
            return atServer(cost, action)
        }
    }

    /// The vendor does not know the id with which the app calls the SDK.
    func wrongAppID() -> [Move] {
        let call = pendingCall(["login"]) ?? (hiddenLogin == nil ? nil : Move.TokenLife.hiddenLogin)
        guard let call else { return missingLogin(to - 4 * latency) }
        return [Move(0.5, tokenLives: [.init(line: call, life: Move.TokenLife.wrongAppID)])]
    }

    /// The start of a login whose call is not in the log, if it may have failed at the line.
    var hiddenLogin: Milliseconds? {
        let login = candidate.events.last { event in
            guard case .call(let call) = event.action else { return false }
            return ["login", "autologin"].contains(call.name) && event.time < to
        }
        guard let begin = login?.time, to - begin <= vendor.times.attemptLimit else { return nil }
        return lines[..<index].contains { $0.time >= begin && vendor.meaning(of: $0) == .online } ? nil : begin
    }

    /// A token that expires, or is about to.
    ///
    /// - Parameter life: the token's life, for the time from its login to the line.
    func tokenMoves(_ life: (Milliseconds) -> Milliseconds) -> [Move] {
        var logins = lines[..<index].indices.filter {
            lines[$0].kind == .call && lines[$0].name == "login" && lines[$0]["offline"] != "true"
        }.map { (line: $0, time: lines[$0].time) }
        let hidden = candidate.events.last {
            if case .call(let call) = $0.action { call.name == "login" && $0.time < to } else { false }
        }
        if let hidden { logins.append((Move.TokenLife.hiddenLogin, hidden.time)) }
        logins.sort { $0.time < $1.time }
        var moves: [Move] = []
        for (rank, login) in logins.suffix(3).reversed().enumerated() {
            // Lives are whole seconds, but they do not start at a login that the log lacks.
            let exact = life(to - login.time)
            let length = login.line < 0 ? exact : (exact + 500) / 1000 * 1000
            var move = Move(0.8 + 0.2 * Double(rank), tokenLives: [.init(line: login.line, life: max(1000, length))])
            if simulated != .online, openFault != nil { move.events += backOnline(to - 4 * latency) }
            moves.append(move)
            if let late = lateToken(login, life) { moves.append(late) }
        }
        return moves
    }

    /// The token expired while the device slept.
    private func lateToken(
        _ login: (line: Int, time: Milliseconds), _ life: (Milliseconds) -> Milliseconds
    ) -> Move? {
        if let known = app.sleeps.first(where: { $0.line == index }) {
            let due = to - known.length / 2
            return Move(
                1.3, [HiddenEvent(to - known.length, .sleep(known.length))],
                tokenLives: [.init(line: login.line, life: life(due - login.time))])
        }
        let begin = max(previous, login.time + 2000)
        guard !app.showsSleep, to - begin > 20_000 else { return nil }
        let slept = (to - begin) * 3 / 4
        // Both the warning and the expiry were due.
        let due = to - slept * 3 / 4
        return Move(
            1.5, [HiddenEvent(to - slept, .sleep(slept))],
            tokenLives: [.init(line: login.line, life: max(1000, due - login.time))])
    }

    /// A message to a user who must exist, or must not exist.
    func peerMoves() -> [Move] {
        guard line.kind == .result, line.name == "send", let call = pendingCall(["send"]),
            let peer = lines[call]["to"]
        else { return [] }
        let at = lines[call].time - 300
        let isIn =
            candidate.events.last { event in
                event.time < at && (event.action == .peerLogin(peer) || event.action == .peerLogout(peer))
            }?.action == .peerLogin(peer)
        if line["code"] == "0" || line["code"] == "200" {
            return isIn ? [] : [Move(0.8, [HiddenEvent(at, .peerLogin(peer))])]
        }
        return isIn ? [Move(1.2, [HiddenEvent(at, .peerLogout(peer))])] : []
    }

    /// A message of another user.
    ///
    /// - Parameter isAway: true if it was sent before the login that delivers it.
    func messageMove(from peer: String, channel: String? = nil, isAway: Bool = false) -> [Move] {
        let text = line["text"] ?? ""
        var at = to - latency - 10
        let online = lines[..<index].last { vendor.meaning(of: $0) == .online }?.time ?? 0
        if isAway || to - online < 300 + 2 * latency,
            let lost = lines[..<index].last(where: {
                $0.time < online && [.lost, .kicked, .loggedOut].contains(vendor.meaning(of: $0))
            })
        {
            at = (lost.time + online) / 2
        }
        var events: [HiddenEvent] = []
        let isIn = candidate.events.contains {
            if case .peerLogin(peer) = $0.action { $0.time < at - 300 } else { false }
        }
        if !isIn { events.append(HiddenEvent(at - 900, .peerLogin(peer))) }
        if let channel {
            let hasJoined = candidate.events.contains {
                if case .peerJoin(peer, channel) = $0.action { $0.time < at } else { false }
            }
            if !hasJoined { events.append(HiddenEvent(at - 400, .peerJoin(peer, channel: channel))) }
        }
        events.append(HiddenEvent(at, .peerSend(peer, text: text, channel: channel)))
        return [Move(0.8, events)] + hiddenRecovery()
    }

    /// A conversation changed: a message arrived, or the app sent one.
    func conversationMoves(with peer: String, _ sender: String) -> [Move] {
        if let message = next(.message, within: 300) {
            return message.messageMove(from: message.line[sender] ?? peer)
        }
        let like = lines.filter { $0.kind == .call && $0.name == "send" }.min { abs($0.time - to) < abs($1.time - to) }
        let call = like.map { AppCall($0) } ?? AppCall("send", [("to", peer), ("text", "hello")])
        let sent = [to - 2 * latency, to - 5].map { Move(0.9, [HiddenEvent($0, .call(call))]) }
        // The line of the message itself is not in the log.
        return sent + messageMove(from: peer).map { Move($0.cost + 0.2, $0.events) }
    }

    /// A call that is not in the log, for a return or a callback that needs it.
    func missingCall() -> [Move] {
        // The call ended with the connection.
        if line.kind == .result, simulated == .online, let lost = next(.lost, within: 100) {
            return vendor.moves(lost)
        }
        let at = to - 2 * latency
        if let call = pendingCall([line.name]), to - lines[call].time > 3000 {
            var moves: [Move] = []
            if simulated == .online, !["0", "200"].contains(line["code"] ?? "0") {
                // The call got no answer.
                let end = recovery.map { [HiddenEvent($0, .net(.up))] } ?? []
                moves.append(Move(1.3, [HiddenEvent(lines[call].time - 5, .net(.halfOpen))] + end))
            }
            // The device slept before the end of the call.
            let begin = max(previous, lines[call].time) + 500
            if !app.showsSleep, to - begin > 1000 { moves.append(Move(1.6, [HiddenEvent(begin, .sleep(to - begin))])) }
            if !moves.isEmpty || !app.showsSleep { return moves }
        }
        if meaning == .loggedOut { return [Move(0.9, [HiddenEvent(to - 5, .call(AppCall("logout")))])] }
        // The app's other calls of the same name show its arguments.
        let like = lines.filter { $0.kind == .call && $0.name == line.name }.min {
            abs($0.time - to) < abs($1.time - to)
        }
        switch line.name {
        case "login", "autologin": return missingLogin(to - 4 * latency)
        case "offline-login":
            return [
                Move(1.0, [HiddenEvent(to - 5, .call(AppCall("login", [("user", app.user), ("offline", "true")])))])
            ]
        case "logout", "renew-token":
            return [Move(0.9, [HiddenEvent(line.name == "logout" ? to - 5 : at, .call(AppCall(line.name)))])]
        case "send", "join", "subscribe", "leave":
            if let like { return [Move(0.9, [HiddenEvent(at, .call(AppCall(like)))])] }
            return standardCall(at)
        default: return []
        }
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

    /// The simulation has the line at another time: the event before it is moved.
    func shifted() -> Candidate? {
        var best: (distance: Milliseconds, time: Milliseconds)?
        for (position, other) in match.simulated.enumerated() where !match.isMet(position) && other.fits(line) {
            let distance = abs(other.time - to)
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
        candidate.decisions[latest.decision].move.events[latest.event].time += to - best.time
        candidate.decisions[latest.decision].move.cost += 0.25
        return candidate
    }
}
