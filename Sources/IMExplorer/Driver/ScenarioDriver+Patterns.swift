import IMClient
import IMData
import IMNetwork
import IMProtocol
import IMServer
import IMSession
import IMTree
import SansIO

// Several things in a row that single draws too rarely bring together: what the field's bugs are made of.

extension ScenarioDriver {
    mutating func drawPattern(_ client: String) {
        switch random.below(policy.features.contains(.tree) ? 11 : 25) {
        case 0: lateAnswer(client)
        case 1: sleepAndWake(client)
        case 2: restartInAPhase(client)
        case 3: serverRestart(client)
        case 4: silentLink(client)
        case 5: flappingNetwork(client)
        case 6 where policy.features.contains(.tree): contendedTransactions(client)
        case 7 where policy.features.contains(.tree): restartOffline(client)
        case 8 where policy.features.contains(.tree): orderOfAnOldLink(client)
        case 9 where policy.features.contains(.tree): ordersAtTheEnd(client)
        case 10 where policy.features.contains(.tree): writeOverATransaction(client)
        case 18: deadProcess(client)
        case 19: behindAnotherDevice(client)
        case 20: fewRetries(client)
        case 21: firstOfSeveralLost(client)
        case 22: refusedRenewal(client)
        case 23: refusedForAWhile(client)
        case 24: twoDevicesInAChannel(client)
        case 6: logoutInTransition(client)
        case 7: takenPlaceWhileAway(client)
        case 8: renewalInAnAttempt(client)
        case 9: undeliveredKick(client)
        case 10: twoAccountsInTurn(client)
        case 11: renewalThatOutlives(client)
        case 12: manyLogins(client)
        case 13: messagesWhileAway(client)
        case 14: clockSetOnline(client)
        case 15: fullGroup()
        case 16: lostKickInSync(client)
        default: lostAcknowledgement(client)
        }
    }

    /// An answer is held past its time limit and let go (P1, C-3).
    private mutating func lateAnswer(_ client: String) {
        let answers = ["login-ack", "join-ack", "send-ack", "renew-token-ack", "tree-ack", "heartbeat-ack", "*"]
        net(client, .rule(FrameRule(.hold, frame: pick(answers), direction: .toClient, count: 1)))
        drawStep()
        wait(pick([.seconds(4), .seconds(6), .seconds(11), .seconds(35)]))
        if random.below(2) == 0 { drawStep() }
        net(client, .release)
        wait(.milliseconds(30))
    }

    /// Asleep, commands, awake (P10).
    private mutating func sleepAndWake(_ client: String) {
        app(client, .sleep(pick([.seconds(20), .seconds(70), .minutes(3)])))
        for _ in 0...random.below(2) { drawStep() }
        wait(pick([.seconds(71), .seconds(181)]))
        app(client, .foreground)
    }

    /// The process dies somewhere between the login and its end.
    private mutating func restartInAPhase(_ client: String) {
        if !policy.features.contains(.tree) { login(client) }
        wait(pick([.milliseconds(5), .milliseconds(15), .milliseconds(25), .milliseconds(45), .milliseconds(70)]))
        restart(client)
    }

    /// The server goes and comes back from what it kept.
    private mutating func serverRestart(_ client: String) {
        let isHalf = random.below(2) == 0
        if isHalf { net(client, .halfOpen) }
        drawStep()
        wait(pick([.milliseconds(20), .seconds(1)]))
        steps.append(ScenarioStep("server", .serverProcess(.restart)))
        if isHalf { net(client, .clear) }
        wait(pick([.milliseconds(50), .seconds(3), .seconds(20)]))
    }

    /// Packets vanish for about as long as it takes to notice (C-12).
    private mutating func silentLink(_ client: String) {
        net(client, .halfOpen)
        wait(pick([policy.heartbeatInterval, policy.heartbeatInterval * 2, .seconds(36), .seconds(95)]))
        if random.below(2) == 0 { drawStep() }
        net(client, .clear)
    }

    /// A lift: the network comes and goes.
    private mutating func flappingNetwork(_ client: String) {
        for _ in 0...random.below(3) {
            net(client, .down)
            wait(pick([.milliseconds(20), .seconds(1), .seconds(5)]))
            net(client, .up)
            wait(pick([.milliseconds(5), .milliseconds(15), .milliseconds(40), .seconds(1)]))
        }
    }

    /// A logout within a second of something else (P2, P3).
    private mutating func logoutInTransition(_ client: String) {
        drawStep()
        wait(pick([.milliseconds(5), .milliseconds(15), .milliseconds(200), .seconds(1)]))
        command(client, .logout(keepsPush: false))
        if random.below(2) == 0 { login(client) }
        wait(pick([.milliseconds(15), .seconds(3), .seconds(12)]))
    }

    /// A device is away while another takes its place, and comes back (P6).
    private mutating func takenPlaceWhileAway(_ client: String) {
        let user = pick(users)
        steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
        wait(.seconds(1))
        net(client, pick([.halfOpen, .down]))
        steps.append(ScenarioStep(pick(clients), .login(user: user, .manual, lifetime: nil)))
        wait(pick([.milliseconds(100), .seconds(3), .seconds(40), .seconds(100)]))
        net(client, .clear)
        wait(pick([.milliseconds(50), .seconds(5)]))
    }

    /// The token ends or is renewed while a link is being made (P11).
    private mutating func renewalInAnAttempt(_ client: String) {
        guard policy.features.contains(.tokenRenewal) else { return logoutInTransition(client) }
        steps.append(ScenarioStep(client, .login(user: pick(users), .manual, lifetime: .seconds(20))))
        wait(pick([.seconds(1), .seconds(10)]))
        net(client, pick([.switchNetwork, .down, .reset]))
        wait(pick([.milliseconds(15), .seconds(11)]))
        steps.append(ScenarioStep(client, .renewToken(lifetime: nil)))
        net(client, .clear)
        wait(pick([.milliseconds(15), .seconds(21)]))
    }

    /// A kick is lost, perhaps with the server that should tell it again (C-7).
    private mutating func undeliveredKick(_ client: String) {
        let user = pick(users)
        steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
        wait(.seconds(1))
        if random.below(2) == 0 {
            net(client, .rule(FrameRule(.drop, frame: pick(["kicked", "kicked-ack"]), direction: nil, count: 1)))
        } else {
            net(client, .halfOpen)
        }
        if random.below(2) == 0 {
            steps.append(.server(.kick(user: user, device: nil)))
        } else {
            steps.append(ScenarioStep(pick(clients), .login(user: user, .manual, lifetime: nil)))
        }
        wait(.milliseconds(100))
        if random.below(2) == 0 { steps.append(ScenarioStep("server", .serverProcess(.restart))) }
        if random.below(3) == 0 { app(client, .kill) }
        net(client, .clear)
        wait(pick([.milliseconds(50), .seconds(5), .seconds(40)]))
        if random.below(2) == 0 { app(client, .start) }
        if random.below(2) == 0 { login(client, user) }
    }

    /// A token is renewed before it ends, and its old end passes (P11, ZIM-6).
    private mutating func renewalThatOutlives(_ client: String) {
        guard policy.features.contains(.tokenRenewal) else { return lostAcknowledgement(client) }
        steps.append(ScenarioStep(client, .login(user: pick(users), .manual, lifetime: .seconds(45))))
        // Before the warning of its end, and after it.
        wait(pick([.seconds(5), .seconds(10), .seconds(20), .seconds(40)]))
        steps.append(ScenarioStep(client, .renewToken(lifetime: pick([nil, .minutes(5), .seconds(40)]))))
        wait(pick([.seconds(20), .seconds(50)]))
    }

    /// As many logins as the server allows, and more; it is asked again while it refuses (NIM-8, RTM-9).
    private mutating func manyLogins(_ client: String) {
        let user = pick(users)
        let count = min(max(dialect.serverPolicy.loginRateMax, 1), 12) + 1
        for _ in 0..<count {
            steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
            wait(.milliseconds(50))
            command(client, .logout(keepsPush: false))
            wait(.milliseconds(50))
        }
        wait(pick([.seconds(1), .seconds(30)]))
        steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
        wait(pick([.seconds(32), .seconds(61)]))
        steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
        wait(.seconds(1))
    }

    /// Several messages wait for somebody who is away (C-14).
    private mutating func messagesWhileAway(_ client: String) {
        guard policy.features.contains(.messages), clients.count > 1 else { return lostAcknowledgement(client) }
        let sender = clients[clients[0] == client ? 1 : 0]
        let (from, to) = (users[0], users[users.count - 1])
        steps.append(ScenarioStep(client, .login(user: to, .manual, lifetime: nil)))
        steps.append(ScenarioStep(sender, .login(user: from, .manual, lifetime: nil)))
        if policy.features.contains(.attributes) {
            for name in [client, sender] { command(name, .join(channel: "lobby")) }
        }
        wait(.seconds(1))
        // Something said just before may have arrived, which the server cannot know.
        if policy.features.contains(.attributes), random.below(2) == 0 {
            command(sender, .send(to: "lobby", text: text(), isToChannel: true))
            wait(pick([.milliseconds(15), .milliseconds(30)]))
        }
        let isKilled = random.below(3) == 0
        if isKilled { app(client, .kill) }
        if !isKilled, random.below(2) == 0 { net(client, .down) }
        if !isKilled, random.below(2) == 0 { command(client, .logout(keepsPush: false)) }
        for _ in 0...random.below(3) {
            let isToChannel = policy.features.contains(.attributes) && random.below(2) == 0
            command(sender, .send(to: isToChannel ? "lobby" : to, text: text(), isToChannel: isToChannel))
            wait(pick([.milliseconds(30), .seconds(1), .seconds(12)]))
        }
        wait(pick([.seconds(1), .seconds(20)]))
        net(client, .clear)
        app(client, .start)
        if random.below(2) == 0 { steps.append(ScenarioStep(client, .login(user: to, .manual, lifetime: nil))) }
        wait(.seconds(1))
        if policy.features.contains(.attributes), random.below(2) == 0 { command(client, .join(channel: "lobby")) }
        wait(.seconds(2))
    }

    /// The device's clock is set while the server's time is known (C-10).
    private mutating func clockSetOnline(_ client: String) {
        let isTimed = policy.features.contains(.tokenRenewal)
        let lifetime: Interval? = isTimed ? .minutes(5) : nil
        steps.append(ScenarioStep(client, .login(user: pick(users), .manual, lifetime: lifetime)))
        wait(.seconds(1))
        steps.append(ScenarioStep(client, .skew(pick([.minutes(60), .minutes(-60)]))))
        wait(pick([.milliseconds(100), .seconds(10)]))
        if random.below(2) == 0 { net(client, pick([.reset, .switchNetwork])) }
        wait(.seconds(1))
    }

    /// One device after the other, until there are more than there is room for (NIM-11, ZIM-7, CHAT-2).
    private mutating func fullGroup() {
        let user = pick(users)
        for client in clients {
            steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
            wait(pick([.milliseconds(30), .seconds(1)]))
        }
    }

    /// The end of a sync is held, and a kick comes in the midst of it (P5).
    private mutating func lostKickInSync(_ client: String) {
        guard policy.sync == .beforeOnline else { return undeliveredKick(client) }
        let user = pick(users)
        command(client, .logout(keepsPush: false))
        wait(.milliseconds(50))
        net(client, .rule(FrameRule(.hold, frame: "sync-done", direction: .toClient, count: 1)))
        steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
        wait(pick([.milliseconds(80), .seconds(1)]))
        steps.append(.server(.kick(user: user, device: nil)))
        wait(pick([.milliseconds(50), .seconds(3)]))
        net(client, .clear)
        wait(.seconds(3))
    }

    /// Of several messages the first is lost on its way, and the others are not (C-14, P16).
    private mutating func firstOfSeveralLost(_ client: String) {
        guard policy.features.contains(.messages), clients.count > 1 else { return lostAcknowledgement(client) }
        let sender = clients[clients[0] == client ? 1 : 0]
        let (from, to) = (users[0], users[users.count - 1])
        steps.append(ScenarioStep(client, .login(user: to, .manual, lifetime: nil)))
        steps.append(ScenarioStep(sender, .login(user: from, .manual, lifetime: nil)))
        wait(.seconds(1))
        net(client, .rule(FrameRule(.drop, frame: "message", direction: .toClient, count: 1)))
        for _ in 0...(1 + random.below(2)) { command(sender, .send(to: to, text: text())) }
        wait(pick([.milliseconds(100), .seconds(1)]))
        net(client, pick([.reset, .switchNetwork, .down]))
        wait(pick([.milliseconds(100), .seconds(5)]))
        net(client, .clear)
        wait(.seconds(2))
    }

    /// Whatever is asked is refused, and what was not taken is not kept (C-15, RTM-4).
    private mutating func refusedForAWhile(_ client: String) {
        let user = pick(users)
        steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
        wait(.seconds(1))
        steps.append(.server(.setRefusal(user: user, .forbidden)))
        for _ in 0...random.below(3) {
            drawStep()
            if random.below(2) == 0, policy.features.contains(.channels) { drawChannels(client) }
        }
        wait(pick([.milliseconds(100), .seconds(5)]))
        if random.below(2) == 0 { net(client, pick([.reset, .switchNetwork])) }
        wait(.milliseconds(100))
        steps.append(.server(.setRefusal(user: user, nil)))
        wait(.seconds(1))
    }

    /// A user is in a channel on two devices, and leaves it on one (C-15, P12).
    private mutating func twoDevicesInAChannel(_ client: String) {
        guard policy.features.contains(.channels) else { return fullGroup() }
        let (user, other) = (pick(users), pick(clients))
        for name in [client, other] { steps.append(ScenarioStep(name, .login(user: user, .manual, lifetime: nil))) }
        wait(.seconds(1))
        for name in [client, other] { command(name, .join(channel: "lobby")) }
        wait(.seconds(1))
        command(client, random.below(2) == 0 ? .leave(channel: "lobby") : .logout(keepsPush: false))
        wait(pick([.milliseconds(50), .seconds(1)]))
    }

    /// A token is offered that proves nothing, and the login goes on with the one before (P11).
    private mutating func refusedRenewal(_ client: String) {
        guard policy.features.contains(.tokenRenewal) else { return logoutInTransition(client) }
        steps.append(ScenarioStep(client, .login(user: pick(users), .manual, lifetime: nil)))
        wait(.seconds(1))
        steps.append(ScenarioStep(client, .renewWrongly))
        wait(pick([.milliseconds(15), .seconds(1)]))
        net(client, pick([.reset, .switchNetwork]))
        wait(.seconds(3))
    }

    /// A process dies while nothing gets through; then somebody writes to its user (C-12).
    private mutating func deadProcess(_ client: String) {
        guard policy.features.contains(.messages) else { return silentLink(client) }
        let user = pick(users)
        steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
        wait(.seconds(1))
        net(client, .halfOpen)
        app(client, .kill)
        net(client, .clear)
        command(pick(clients), .send(to: user, text: text()))
        wait(pick([.seconds(1), .seconds(7)]))
    }

    /// An app that comes back by itself behind another device of its group (NIM-4, CHAT-3).
    private mutating func behindAnotherDevice(_ client: String) {
        guard policy.features.contains(.autologin) else { return takenPlaceWhileAway(client) }
        let user = pick(users)
        steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
        wait(.seconds(1))
        app(client, .kill)
        steps.append(ScenarioStep(pick(clients), .login(user: user, .manual, lifetime: nil)))
        wait(pick([.seconds(1), .seconds(100)]))
        app(client, .start)
        steps.append(ScenarioStep(client, .login(user: user, pick([.automatic, .automatic, .forced]), lifetime: nil)))
        wait(.seconds(1))
    }

    /// The app says how often is tried again, and nothing gets through (NIM-6).
    private mutating func fewRetries(_ client: String) {
        guard policy.features.contains(.autologin) else { return flappingNetwork(client) }
        command(client, .setOption(.retryCountMax(pick([1, 2]))))
        login(client)
        wait(pick([.milliseconds(30), .seconds(1)]))
        net(client, .halfOpen)
        wait(pick([.seconds(60), .seconds(100)]))
        net(client, .clear)
        wait(.seconds(1))
        if random.below(2) == 0 { command(client, .setOption(.retryCountMax(0))) }
    }

    /// One client, two users (P3, C-13).
    private mutating func twoAccountsInTurn(_ client: String) {
        for user in [users[0], users[users.count - 1]] {
            if random.below(3) != 0 { command(client, .logout(keepsPush: false)) }
            wait(pick([.milliseconds(5), .milliseconds(30), .seconds(4)]))
            login(client, user)
            wait(pick([.milliseconds(15), .seconds(1)]))
            if random.below(2) == 0, policy.features.contains(.messages) {
                command(client, .send(to: pick(users), text: text()))
                wait(.milliseconds(50))
            }
            if policy.features.contains(.localCalls) { command(client, .call(LocalRequest(.queryConversationList))) }
        }
    }

    /// The server has it and the sender does not know (P15, C-14).
    private mutating func lostAcknowledgement(_ client: String) {
        guard policy.features.contains(.messages) else { return lateAnswer(client) }
        net(client, .rule(FrameRule(.drop, frame: "send-ack", direction: .toClient, count: 1)))
        command(client, .send(to: pick(users), text: text()))
        wait(pick([.milliseconds(30), .seconds(1)]))
        net(client, pick([.reset, .switchNetwork, .clear]))
        wait(pick([.seconds(1), .seconds(11)]))
        if policy.features.contains(.resend) { command(client, .resend) }
    }
}
