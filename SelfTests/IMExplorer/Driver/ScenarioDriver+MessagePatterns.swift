import IMClient
import IMDebugger
import IMLocalData
import IMProtocol
import IMServer
import IMSession
import IMTree
import SansIO

// Patterns of several steps about messages: to users, in channels, and during a sync.

extension ScenarioDriver {
    /// Several messages wait for a user who is disconnected (C-14).
    mutating func messagesWhileAway(_ client: String) {
        guard let sender = other(than: client) else { return lostAcknowledgement(client) }
        let (from, to) = (users[0], users[users.count - 1])
        steps.append(ScenarioStep(client, .login(user: to, .manual, lifetime: nil)))
        steps.append(ScenarioStep(sender, .login(user: from, .manual, lifetime: nil)))
        if policy.features.contains(.attributes) {
            for name in [client, sender] { command(name, .join(channel: "lobby")) }
        }
        wait(.seconds(1))
        // The client's connection may break before this message to the channel reaches it. The server cannot detect
        // that.
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

    /// A message waits for a disconnected device, and the user deletes it on another device (CHAT-9).
    mutating func deletedWhileAway(_ client: String) {
        guard let offlineClient = other(than: client) else { return notifiedAndKilled(client) }
        let user = pick(users)
        let sender = other(thanUser: user)
        ensureOnline(offlineClient, user)
        if random.below(2) == 0 { app(offlineClient, .kill) } else { net(offlineClient, .down) }
        wait(pick([.milliseconds(50), .seconds(1)]))
        ensureOnline(client, sender)
        command(client, .send(to: user, text: text()))
        wait(.milliseconds(100))
        ensureOnline(client, user)
        command(client, .operate(pick([.messagesRemoved, .conversationDelete]), target: sender, ext: ""))
        wait(pick([.milliseconds(50), .seconds(1)]))
        net(offlineClient, .clear)
        app(offlineClient, .start)
        login(offlineClient, user)
        wait(.seconds(2))
    }

    /// An app is notified of a message, its acknowledgement is lost, and the app restarts (C-14).
    mutating func notifiedAndKilled(_ client: String) {
        guard let sender = other(than: client) else { return lostAcknowledgement(client) }
        let user = pick(users)
        ensureOnline(client, user)
        ensureOnline(sender, other(thanUser: user))
        net(client, .rule(FrameRule(.drop, frame: "message-ack", direction: .toServer, count: 1)))
        command(sender, .send(to: user, text: text()))
        wait(pick([.milliseconds(50), .seconds(1)]))
        restart(client)
        net(client, .clear)
        login(client, user)
        wait(.seconds(2))
    }

    /// A disconnected user gets more messages than the server stores (C-14).
    mutating func moreMessagesThanStored(_ client: String) {
        guard let sender = other(than: client) else { return lostAcknowledgement(client) }
        let user = pick(users)
        ensureOnline(client, user)
        ensureOnline(sender, other(thanUser: user))
        set("messages-stored-max", "2")
        app(client, .kill)
        wait(.milliseconds(50))
        for _ in 0...(1 + random.below(3)) {
            command(sender, .send(to: user, text: text()))
            wait(.milliseconds(50))
        }
        app(client, .start)
        login(client, user)
        wait(.seconds(2))
        set("messages-stored-max", String(dialect.serverPolicy.messagesStoredMax))
    }

    /// Several messages time out without a network, and are then resent one by one (ZIM-10).
    mutating func severalFailed(_ client: String) {
        let user = pick(users)
        ensureOnline(client, user)
        wait(.seconds(1))
        net(client, .down)
        for _ in 0...(1 + random.below(2)) { command(client, .send(to: other(thanUser: user), text: text())) }
        wait(policy.messageTimeLimit + .seconds(1))
        net(client, .clear)
        wait(.seconds(2))
        for _ in 0...2 {
            command(client, .resend)
            wait(.milliseconds(100))
        }
    }

    /// A message is sent during an offline login, before the first connection (ZIM-3).
    mutating func sentBeforeConnection(_ client: String) {
        let user = pick(users)
        ensureOnline(client, user)
        app(client, .kill)
        net(client, .down)
        app(client, .start)
        steps.append(ScenarioStep(client, .login(user: user, .offline, lifetime: nil)))
        wait(.milliseconds(50))
        command(client, .send(to: pick(users), text: text()))
        wait(.seconds(1))
        net(client, .clear)
        wait(.seconds(1))
    }

    /// Of several messages, only the first is lost in transit (C-14, P16).
    mutating func firstOfSeveralLost(_ client: String) {
        guard let sender = other(than: client) else { return lostAcknowledgement(client) }
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

    /// One of three messages is lost in transit, and so is the answer to a later one (C-14, P16).
    mutating func oneOfThreeMessagesLost(_ client: String) {
        let user = pick(users)
        ensureOnline(client, user)
        let to = other(thanUser: user)
        command(client, .send(to: to, text: text()))
        wait(.milliseconds(100))
        net(client, .rule(FrameRule(.drop, frame: "send", direction: .toServer, count: 1)))
        command(client, .send(to: to, text: text()))
        wait(.milliseconds(50))
        net(client, .rule(FrameRule(.drop, frame: "send-ack", direction: .toClient, count: 1)))
        command(client, .send(to: to, text: text()))
        wait(.milliseconds(50))
        net(client, pick([.reset, .switchNetwork]))
        wait(pick([.seconds(1), policy.messageTimeLimit + .seconds(1)]))
        if policy.features.contains(.resend) {
            for _ in 0...1 {
                command(client, .resend)
                wait(.milliseconds(100))
            }
        }
        reachQuiescence()
    }

    /// The server stores a message, but the sender does not receive the answer (P15, C-14).
    mutating func lostAcknowledgement(_ client: String) {
        net(client, .rule(FrameRule(.drop, frame: "send-ack", direction: .toClient, count: 1)))
        command(client, .send(to: pick(users), text: text()))
        wait(pick([.milliseconds(30), .seconds(1)]))
        net(client, pick([.reset, .switchNetwork, .clear]))
        wait(pick([.seconds(1), .seconds(11)]))
        if policy.features.contains(.resend) { command(client, .resend) }
    }

    /// A process ends while its connection is half-open. Then another client sends a message to its user (C-12).
    mutating func deadProcess(_ client: String) {
        let user = pick(users)
        steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
        wait(.seconds(1))
        net(client, .halfOpen)
        app(client, .kill)
        net(client, .clear)
        command(pick(clients), .send(to: user, text: text()))
        wait(pick([.seconds(1), .seconds(7)]))
    }

    /// Of several operations on another device, the first is lost in transit or arrives twice (CHAT-8).
    mutating func operationsLost(_ client: String) {
        guard let other = other(than: client) else { return lostAcknowledgement(client) }
        let user = pick(users)
        ensureOnline(client, user)
        ensureOnline(other, user)
        switch random.below(5) {
        case 4: net(client, .down)
        case 0: net(other, .rule(FrameRule(.duplicate, frame: "operation", direction: .toServer, count: 1)))
        case 1: net(client, .rule(FrameRule(.drop, frame: "operated-ack", direction: .toServer, count: 1)))
        default: net(client, .rule(FrameRule(.drop, frame: "operated", direction: .toClient, count: 1)))
        }
        for _ in 0...(1 + random.below(2)) {
            let kind: OperationKind = pick([.groupCreate, .groupCreate, .conversationDelete])
            command(other, .operate(kind, target: text(), ext: ""))
            wait(pick([.milliseconds(5), .milliseconds(50)]))
        }
        if random.below(3) == 0 {
            // A ban is sent twice, or a ban and then its opposite.
            let stranger = self.other(thanUser: user)
            steps.append(.server(.addAccount(stranger)))
            for kind in [OperationKind.contactBan, pick([.contactBan, .contactBan, .contactAllow])] {
                command(other, .operate(kind, target: stranger, ext: ""))
                wait(pick([.milliseconds(5), .milliseconds(50)]))
            }
        }
        wait(.milliseconds(50))
        if random.below(2) == 0 { net(client, pick([.reset, .switchNetwork])) }
        net(client, .clear)
        wait(.seconds(2))
    }

    /// A conversation is marked and pinned on one device, and read on another device (CHAT-8).
    mutating func markedOnAnotherDevice(_ client: String) {
        guard let other = other(than: client) else { return lostAcknowledgement(client) }
        let user = pick(users)
        let friend = self.other(thanUser: user)
        ensureOnline(client, user)
        ensureOnline(other, friend)
        command(other, .send(to: user, text: text()))
        wait(.milliseconds(100))
        if random.below(2) == 0 { ensureOnline(other, user) }
        for _ in 0...random.below(2) {
            let kind: OperationKind = pick([.conversationUpdateMark, .conversationPinned, .conversationUnpinned])
            command(client, .operate(kind, target: friend, ext: kind == .conversationUpdateMark ? text() : ""))
            wait(.milliseconds(50))
        }
        reachQuiescence()
    }

    /// Messages wait for a connection, fail without one and are resent, perhaps after a login of another user (ZIM-10,
    /// C-14, P17).
    mutating func messagesThatWait(_ client: String) {
        let user = pick(users)
        ensureOnline(client, user)
        net(client, pick([.down, .down, .halfOpen]))
        wait(pick([.milliseconds(15), .seconds(1)]))
        for _ in 0...random.below(2) { command(client, .send(to: pick(users), text: text())) }
        let waitsUntilSendFails = policy.features.contains(.resend) && random.below(2) == 0
        wait(
            waitsUntilSendFails
                ? policy.messageTimeLimit + .seconds(1) : pick([.seconds(1), .seconds(4), .seconds(16)]))
        if random.below(3) == 0 { ensureOnline(client, other(thanUser: user)) }
        net(client, .clear)
        wait(.seconds(1))
        if policy.features.contains(.resend) { command(client, .resend) }
        wait(.seconds(1))
    }

    /// A message is sent shortly before the receiver's sync of waiting messages (C-14, NIM-14).
    mutating func messageBeforeASync(_ client: String) {
        guard let sender = other(than: client) else { return partOfASyncLost(client) }
        let user = pick(users)
        ensureOnline(client, user)
        ensureOnline(sender, other(thanUser: user))
        command(client, .logout(keepsPush: false))
        wait(.milliseconds(50))
        command(sender, .send(to: user, text: text()))
        wait(.milliseconds(100))
        steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
        wait(pick([.milliseconds(15), .milliseconds(25), .milliseconds(35), .milliseconds(45)]))
        for _ in 0...random.below(2) { command(sender, .send(to: user, text: text())) }
        wait(.seconds(1))
    }

    /// Two users of one device have items with the same names (C-13, NIM-14).
    mutating func itemsOfTwoUsers(_ client: String) {
        let pair = [users[0], other(thanUser: users[0])]
        for user in pair {
            ensureOnline(client, user)
            wait(.milliseconds(50))
        }
        command(client, .logout(keepsPush: false))
        wait(.milliseconds(50))
        for user in pair { steps.append(.server(.populate(user: user, [SyncAmount(.groups, 1)]))) }
        for user in pair {
            ensureOnline(client, user)
            wait(.seconds(1))
            if random.below(2) == 0 {
                startNewProcess(client)
                steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
                wait(.milliseconds(50))
            }
            command(client, .query(.items))
        }
    }

    /// A local change is sent to the server, and the request or its answer is lost (ZIM-9, C-15).
    mutating func localChangeLost(_ client: String) {
        guard let sender = other(than: client) else { return lostAcknowledgement(client) }
        let user = pick(users)
        let author = other(thanUser: user)
        ensureOnline(client, user)
        ensureOnline(sender, author)
        command(sender, .send(to: user, text: text()))
        wait(.milliseconds(100))
        let (frame, way): (String, LinkDirection) = pick([("change", .toServer), ("change-ack", .toClient)])
        net(client, .rule(FrameRule(.drop, frame: frame, direction: way, count: 1)))
        let conversation = [("conversationID", author), ("conversationType", "peer")]
        let isOffline = random.below(3) == 0
        if isOffline { net(client, .down) }
        // The conversation is marked as read, or its unread messages are deleted.
        let call: LocalCall = pick([
            .clearConversationUnreadMessageCount, .clearConversationUnreadMessageCount, .deleteAllMessage,
        ])
        command(client, .call(LocalRequest(call, conversation)))
        if random.below(3) == 0 {
            // Another message arrives at the server before the change does.
            wait(pick([.milliseconds(5), .seconds(1)]))
            command(sender, .send(to: user, text: messageText()))
        }
        if isOffline, random.below(2) == 0 {
            // Another user logs in on the device in the meantime, and changes nothing.
            command(client, .logout(keepsPush: false))
            wait(.milliseconds(50))
            ensureOnline(client, author)
            wait(.seconds(1))
            ensureOnline(client, user)
        }
        if isOffline { net(client, .up) }
        wait(pick([.milliseconds(50), policy.requestTimeLimit + .seconds(1)]))
        if random.below(2) == 0 { net(client, pick([.reset, .switchNetwork])) }
        reachQuiescence()
    }

    /// Of several changes, the first does not reach the device (ZIM-9, C-15).
    mutating func changeLost(_ client: String) {
        guard let (sender, user, _) = ensureTwoOnline(client) else { return lostAcknowledgement(client) }
        net(client, .rule(FrameRule(.drop, frame: "changes", direction: .toClient, count: 1)))
        for _ in 0...(1 + random.below(2)) {
            command(sender, .send(to: user, text: text()))
            wait(pick([.milliseconds(30), .seconds(1)]))
        }
        reachQuiescence()
    }

    /// A change arrives while the device waits for a page of earlier changes (ZIM-9, C-15).
    mutating func changeAheadOfAPage(_ client: String) {
        guard let (sender, user, _) = ensureTwoOnline(client) else { return lostAcknowledgement(client) }
        net(client, .down)
        wait(.milliseconds(50))
        command(sender, .send(to: user, text: text()))
        wait(.milliseconds(50))
        net(client, .rule(FrameRule(.hold, frame: "changes", direction: .toClient, count: 1)))
        net(client, .up)
        wait(pick([.seconds(1), .seconds(4)]))
        command(sender, .send(to: user, text: text()))
        wait(.milliseconds(100))
        net(client, .release)
        wait(.seconds(1))
        if random.below(2) == 0 { reachQuiescence() }
    }

    /// A sync has several frames. One of them, its first or its last frame is lost, perhaps with the connection
    /// (NIM-14, CHAT-12).
    mutating func partOfASyncLost(_ client: String) {
        let user = pick(users)
        ensureOnline(client, user)
        command(client, .logout(keepsPush: false))
        let phase: SyncPhase = pick([.roamingMessages, .groups, .offlineMessages])
        // The largest count exceeds the number of messages that a device stores.
        let count = random.below(12) == 0 ? 600 : pick([1, 120, 250])
        steps.append(.server(.populate(user: user, [SyncAmount(phase, count)])))
        wait(.milliseconds(50))
        let lost = pick(["sync-phase", "sync-phase", "sync-phase", "sync", "sync-done", "sync-ack"])
        let direction: LinkDirection = ["sync", "sync-ack"].contains(lost) ? .toServer : .toClient
        net(client, .rule(FrameRule(.drop, frame: lost, direction: direction, count: 1 + UInt32(random.below(5)))))
        steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
        wait(pick([.milliseconds(90), .seconds(3)]))
        if random.below(2) == 0 { net(client, pick([.reset, .switchNetwork])) }
        net(client, .clear)
        wait(.seconds(3))
        if count == 600 || random.below(4) == 0 { restart(client) }
    }
}
