import IMClient
import IMDebugger
import IMProtocol
import IMSession
import SansIO

// Patterns of several steps about channels, also with changes of the members' logins.

extension ScenarioDriver {
    /// A device logs out without reaching the server. Its next login has joined no channel (C-2, RTM-4).
    mutating func joinedByEarlierLogin(_ client: String) {
        let user = pick(users)
        if let witness = other(than: client) {
            ensureOnline(witness, other(thanUser: user))
            command(witness, .join(channel: "lobby"))
        }
        ensureOnline(client, user)
        command(client, .join(channel: "lobby"))
        wait(.milliseconds(100))
        net(client, pick([.down, .halfOpen]))
        wait(.milliseconds(50))
        command(client, .logout(keepsPush: true))
        net(client, .clear)
        wait(.milliseconds(15))
        steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
        wait(pick([.milliseconds(100), .seconds(5)]))
    }

    /// The answer to a join is lost. Another join is in progress while client and server reconcile their state (C-15).
    mutating func joinedWhileReconciling(_ client: String) {
        ensureOnline(client, pick(users))
        net(client, .rule(FrameRule(.drop, frame: "join-ack", direction: .toClient, count: 1)))
        command(client, .join(channel: "lobby"))
        wait(policy.requestTimeLimit - pick([.milliseconds(20), .milliseconds(100)]))
        if random.below(2) == 0 { net(client, .delay(.milliseconds(200), jitter: .zero)) }
        command(client, .join(channel: "news"))
        wait(.seconds(3))
        reachQuiescence()
    }

    /// The network holds the frame with the subscriptions of a login. Meanwhile the client joins or leaves a channel
    /// (C-15).
    mutating func joinedAfterSnapshot(_ client: String) {
        ensureOnline(client, pick(users))
        command(client, .join(channel: "lobby"))
        wait(.milliseconds(100))
        net(client, .rule(FrameRule(.hold, frame: "settle", direction: .toServer, count: 1)))
        net(client, pick([.reset, .switchNetwork]))
        wait(.seconds(2))
        command(client, pick([.join(channel: "news"), .join(channel: "news"), .leave(channel: "lobby")]))
        wait(pick([.milliseconds(50), .seconds(1)]))
        net(client, .release)
        wait(.seconds(1))
    }

    /// A user is in a channel on two devices and leaves it on one of them (C-15, P12).
    mutating func twoDevicesInAChannel(_ client: String) {
        let (user, other) = (pick(users), pick(clients))
        for name in [client, other] { steps.append(ScenarioStep(name, .login(user: user, .manual, lifetime: nil))) }
        wait(.seconds(1))
        for name in [client, other] { command(name, .join(channel: "lobby")) }
        wait(.seconds(1))
        if let sender = clients.first(where: { $0 != client && $0 != other }), random.below(2) == 0 {
            ensureOnline(sender, self.other(thanUser: user))
            command(sender, .join(channel: "lobby"))
            wait(.milliseconds(100))
            command(sender, .send(to: "lobby", text: text(), isToChannel: true))
            reachQuiescence()
        }
        command(client, random.below(2) == 0 ? .leave(channel: "lobby") : .logout(keepsPush: false))
        wait(pick([.milliseconds(50), .seconds(1)]))
    }

    /// All members leave a channel, and it is created again. Messages from before do not belong to the new channel
    /// (RTM-8).
    mutating func channelCreatedAgain(_ client: String) {
        guard let sender = other(than: client) else { return }
        let user = pick(users)
        ensureOnline(client, user)
        ensureOnline(sender, other(thanUser: user))
        for times in [1 + random.below(2), 1] {
            for name in [client, sender] { command(name, .join(channel: "den")) }
            wait(.milliseconds(100))
            for _ in 0..<times { command(sender, .send(to: "den", text: text(), isToChannel: true)) }
            wait(.milliseconds(100))
            for name in [client, sender] { command(name, .leave(channel: "den")) }
            wait(pick([.milliseconds(100), .seconds(5)]))
        }
    }

    /// A member is disconnected for a while, and other members continue to send messages (RTM-8).
    mutating func gapInAChannel(_ client: String) {
        guard let sender = other(than: client) else { return messagesWhileAway(client) }
        let user = pick(users)
        ensureOnline(client, user)
        ensureOnline(sender, other(thanUser: user))
        command(sender, .join(channel: "lobby"))
        let isInTwo = random.below(3) == 0
        if isInTwo { for name in [client, sender] { command(name, .join(channel: "news")) } }
        wait(.milliseconds(50))
        // A member does not receive messages from before its join.
        if random.below(2) == 0 { command(sender, .send(to: "lobby", text: text(), isToChannel: true)) }
        wait(.milliseconds(50))
        command(client, .join(channel: "lobby"))
        wait(.seconds(1))
        if isInTwo { command(sender, .send(to: "news", text: text(), isToChannel: true)) }
        if random.below(2) == 0 { command(client, .send(to: "lobby", text: text(), isToChannel: true)) }
        // The client's connection may break before this message to the channel reaches it. The server cannot detect
        // that.
        if random.below(2) == 0 { command(sender, .send(to: "lobby", text: text(), isToChannel: true)) }
        wait(pick([.milliseconds(15), .milliseconds(30)]))
        let leaves = random.below(4) == 0
        if leaves { command(client, .leave(channel: "lobby")) } else { net(client, pick([.down, .switchNetwork])) }
        // At most a few messages, or more than the server stores.
        let count = random.below(8) == 0 ? 36 : 1 + random.below(3)
        let pause = pick([Interval.milliseconds(15), .milliseconds(30), .seconds(1)])
        for _ in 0..<count {
            command(sender, .send(to: "lobby", text: text(), isToChannel: true))
            wait(pause)
        }
        let isOut = random.below(3) == 0
        if isOut { command(client, .logout(keepsPush: false)) }
        net(client, .clear)
        wait(.milliseconds(100))
        if isOut {
            steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
            wait(.seconds(1))
        }
        if isOut || leaves { command(client, .join(channel: "lobby")) }
        wait(.seconds(2))
    }

    /// A request about a channel or a watch, or a frame with all subscriptions, arrives after a later request (C-15).
    mutating func requestsOutOfOrder(_ client: String) {
        ensureOnline(client, pick(users))
        if random.below(2) == 0 { command(client, .join(channel: "lobby")) }
        wait(.milliseconds(100))
        let held =
            policy.features.contains(.presence) ? ["settle", "join", "leave", "watch"] : ["settle", "join", "leave"]
        let frame = pick(held)
        net(client, .rule(FrameRule(.hold, frame: frame, direction: .toServer, count: 1)))
        // The opposite request for the channel of the held frame.
        let again: ClientCommand? =
            switch (frame, random.below(2)) {
            case ("join", 0): .leave(channel: "lobby")
            case ("leave", 0): .join(channel: "lobby")
            default: nil
            }
        if again == nil {
            drawChannels(client)
        } else {
            command(client, frame == "join" ? .join(channel: "lobby") : .leave(channel: "lobby"))
        }
        // The client sends all its subscriptions over a new connection, or after a missing answer.
        if frame == "settle", random.below(2) == 0 {
            net(client, .reset)
            wait(pick([.milliseconds(100), .seconds(7)]))
        } else {
            wait(pick([.milliseconds(15), policy.requestTimeLimit + .milliseconds(100)]))
        }
        if let again { command(client, again) } else { for _ in 0...random.below(2) { drawChannels(client) } }
        wait(pick([.milliseconds(15), .milliseconds(50)]))
        net(client, .release)
        wait(.milliseconds(100))
        reachQuiescence()
    }

    /// A presence notification is lost although the connection works (P8, C-15).
    mutating func presenceLost(_ client: String) {
        guard policy.features.contains(.presence), let friend = other(than: client) else {
            return attributesLost(client)
        }
        let user = pick(users)
        ensureOnline(client, user)
        if random.below(2) == 0 { ensureOnline(friend, other(thanUser: user)) }
        command(client, .watch(user: other(thanUser: user), isOn: true))
        wait(.milliseconds(100))
        net(client, .rule(FrameRule(.drop, frame: "presence", direction: .toClient, count: 1)))
        logInOrOut(friend, other(thanUser: user))
        reachQuiescence()
    }

    /// A user who is watched and is a member of a channel disconnects or logs out, and may return (ZIM-5, RTM-4).
    mutating func watchedUserLeaves(_ client: String) {
        guard let friend = other(than: client) else { return silentLink(client) }
        let user = pick(users)
        let watched = other(thanUser: user)
        ensureOnline(client, user)
        ensureOnline(friend, watched)
        if policy.features.contains(.presence) { command(client, .watch(user: watched, isOn: true)) }
        if policy.features.contains(.channels) {
            for name in [client, friend] { command(name, .join(channel: "lobby")) }
        }
        wait(.milliseconds(100))
        switch random.below(7) {
        case 0, 1: steps.append(.server(.kick(user: watched, device: nil)))
        case 2: steps.append(.server(pick([.banAccount(watched), .deleteAccount(watched)])))
        case 3: command(friend, .logout(keepsPush: false))
        case 4: app(friend, pick([.kill, .close]))
        case 5: net(friend, pick([.down, .halfOpen]))
        default: login(pick(clients), watched)
        }
        wait(.milliseconds(100))
        reachQuiescence()
        if random.below(2) == 0 {
            ensureOnline(friend, watched)
            reachQuiescence()
        }
    }

    /// A client logs in with a user, or logs out.
    private mutating func logInOrOut(_ client: String, _ user: String) {
        if random.below(2) == 0 { command(client, .logout(keepsPush: false)) } else { ensureOnline(client, user) }
        wait(.milliseconds(100))
    }

    /// A watched user logs in or out while the watcher is disconnected. After the watcher's reconnect, its request is
    /// lost (P8, C-15).
    mutating func watchLostAfterBreak(_ client: String) {
        guard let friend = other(than: client) else { return }
        let user = pick(users)
        ensureOnline(client, user)
        if random.below(2) == 0 { ensureOnline(friend, other(thanUser: user)) }
        command(client, .watch(user: other(thanUser: user), isOn: true))
        wait(.milliseconds(100))
        net(client, .down)
        wait(.milliseconds(100))
        logInOrOut(friend, other(thanUser: user))
        net(client, .rule(FrameRule(.drop, frame: pick(["watch", "settle"]), direction: .toServer, count: 1)))
        net(client, .up)
        wait(.seconds(40))
        reachQuiescence()
    }

    /// A user is disconnected for so long that the server removes the user's attributes. The login answer that reports
    /// the removal is lost (RTM-4, C-15).
    mutating func attributesForgotten(_ client: String) {
        ensureOnline(client, pick(users))
        command(client, .setAttributes(channel: "", [AnswerField(name: "mood", value: "fine")]))
        wait(.milliseconds(100))
        net(client, .down)
        wait(dialect.serverPolicy.presenceHold + .seconds(5))
        net(client, .rule(FrameRule(.drop, frame: "login-ack", direction: .toClient, count: 1)))
        net(client, .up)
        wait(.seconds(20))
        reachQuiescence()
    }

    /// A user sets attributes, and the request or its answer is lost (RTM-4, C-15).
    mutating func attributesLost(_ client: String) {
        ensureOnline(client, pick(users))
        wait(.milliseconds(100))
        let (frame, way): (String, LinkDirection) = pick([
            ("set-attributes", .toServer), ("set-attributes-ack", .toClient),
        ])
        net(client, .rule(FrameRule(.drop, frame: frame, direction: way, count: 1)))
        command(client, .setAttributes(channel: "", [AnswerField(name: "mood", value: pick(["fine", "low"]))]))
        wait(pick([.milliseconds(50), policy.requestTimeLimit + .seconds(1)]))
        reachQuiescence()
    }
}
