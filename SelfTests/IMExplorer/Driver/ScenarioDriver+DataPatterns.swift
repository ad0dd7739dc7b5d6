import IMClient
import IMDebugger
import IMLocalData
import IMProtocol
import IMServer
import IMSession
import SansIO

// Patterns of several steps that change users' data on the server: groups, friends, generated histories.

extension ScenarioDriver {
    static let dataPatterns: [Pattern] = [
        { $0.membersComeAndGo($1) }, { $0.friendsComeAndGo($1) }, { $0.historyBeforeALogin($1) },
        { $0.exportOfAnotherUser($1) }, { $0.revokedMessage($1) }, { $0.groupMessages($1) },
        { $0.rulesOfAGroup($1) }, { $0.readAndReactedTo($1) }, { $0.friendsByApplication($1) },
        { $0.readByTwoUsers($1) }, { $0.draftAndLateMessage($1) },
    ]

    private mutating func change(_ client: String, _ change: LocalChange) { command(client, .change(change.record())) }

    /// Logs in two clients, each with its own user.
    ///
    /// - Returns: the other client, the user of `client` and the user of the other client; nil if there is only one
    ///   client.
    mutating func ensureTwoOnline(_ client: String) -> (other: String, user: String, friend: String)? {
        guard let other = other(than: client) else { return nil }
        let user = pick(users)
        let friend = self.other(thanUser: user)
        ensureOnline(client, user)
        ensureOnline(other, friend)
        wait(.seconds(1))
        return (other, user, friend)
    }

    /// A group is created. Members join, leave and become owner or admins. Some of these changes are lost (ZIM-9).
    mutating func membersComeAndGo(_ client: String) {
        guard let guest = other(than: client) else { return historyBeforeALogin(client) }
        let owner = pick(users)
        let members = [owner] + Self.people.filter { $0 != owner }
        ensureOnline(client, owner)
        ensureOnline(guest, members[1])
        wait(.seconds(1))
        let group = text()
        change(client, .group(LocalGroup(id: group, name: group)))
        wait(.milliseconds(50))
        for member in members.dropFirst().prefix(1 + Int(random.below(2))) {
            change(client, .member(group: group, GroupMember(user: member)))
            wait(.milliseconds(50))
        }
        if random.below(3) == 0 { net(guest, pick([.down, .halfOpen])) }
        if random.below(4) == 0 {
            net(guest, .rule(FrameRule(.drop, frame: "changes", direction: .toClient, count: 1)))
        }
        for _ in 0...random.below(3) {
            let member = pick(members)
            switch random.below(8) {
            case 0, 1: change(pick([client, guest]), .memberRemoved(group: group, user: member))
            case 2, 3: change(client, .memberRemoved(group: group, user: owner))
            case 4:
                // Only the owner may change a role. The change is tried before and after the member became an admin.
                let role: GroupMember.Role = pick([.owner, .admin])
                change(client, .member(group: group, GroupMember(user: members[1], role: .admin)))
                wait(.milliseconds(50))
                change(pick([client, guest]), .member(group: group, GroupMember(user: member, role: role)))
            case 5: change(guest, .member(group: group, GroupMember(user: members[1])))
            case 6:
                var blocking = LocalGroup(id: group, name: text())
                blocking.rules.blocked = [members[1]]
                change(client, .group(blocking))
            default: change(pick([client, guest]), .groupRemoved(group))
            }
            wait(pick([.milliseconds(15), .milliseconds(50), .seconds(1)]))
        }
        if random.below(4) == 0 { steps.append(ScenarioStep("server", .serverProcess(.restart))) }
        if random.below(4) == 0 { restart(guest) }
        reachQuiescence()
    }

    /// Messages are sent to a group and to its members while a device of one member is disconnected. The member deletes
    /// some of them on another device (CHAT-8, CHAT-9).
    mutating func groupMessages(_ client: String) {
        guard let guest = other(than: client) else { return historyBeforeALogin(client) }
        let user = pick(users)
        let friend = other(thanUser: user)
        ensureOnline(guest, friend)
        ensureOnline(client, user)
        wait(.seconds(1))
        let group = text()
        makeGroup(group, client, guest, friend)
        let offlineClient = clients.first { $0 != client && $0 != guest }
        if let offlineClient {
            ensureOnline(offlineClient, user)
            wait(.seconds(1))
            if random.below(2) == 0 { app(offlineClient, .kill) } else { net(offlineClient, .down) }
        }
        let toServer = LinkDirection.toServer
        if random.below(3) == 0 {
            net(guest, .rule(FrameRule(.duplicate, frame: "change", direction: toServer, count: 1)))
        }
        for _ in 0...random.below(3) {
            sendWithData(guest, pick([ConversationID(kind: .group, id: group), ConversationID(kind: .peer, id: user)]))
            wait(pick([.milliseconds(5), .milliseconds(50)]))
        }
        if random.below(2) == 0 {
            let (kind, id): (String, String) = pick([("peer", friend), ("group", group)])
            let named = [("conversationID", id), ("conversationType", kind)]
            let isTold = [("isAlsoDeleteServerConversation", "true")]
            command(client, .call(LocalRequest(.deleteConversation, named + isTold)))
            wait(.milliseconds(50))
        }
        if let offlineClient {
            app(offlineClient, .start)
            net(offlineClient, .clear)
            login(offlineClient, user)
        }
        reachQuiescence()
    }

    /// A message is read, queried, revoked or gets reactions, perhaps while a device is disconnected (ZIM-9).
    mutating func readAndReactedTo(_ client: String) {
        guard let (guest, user, author) = ensureTwoOnline(client) else { return historyBeforeALogin(client) }
        let id = "id-\(text())"
        sendWithData(guest, ConversationID(kind: .peer, id: user), id: id)
        wait(.milliseconds(50))
        if random.below(3) == 0 { net(guest, .down) }
        for _ in 0...(1 + random.below(3)) {
            let reaction = LocalMessage.Reaction(type: pick(["heart", "smile"]), user: "")
            switch random.below(8) {
            case 0, 1: change(client, .read(messages: [id], by: ""))
            case 2, 3: change(pick([client, guest]), .reaction(message: id, reaction, isOn: random.below(4) != 0))
            case 4:
                let arguments = [("localExtendedData", text()), ("message", id)]
                command(client, .call(LocalRequest(.updateMessageLocalExtendedData, arguments)))
            case 5: change(guest, .messageRevoked(id: id))
            case 6: restart(client)
            default:
                let conversationKey = [("conversationID", author), ("conversationType", "peer")]
                command(client, .call(LocalRequest(.queryMessageReceiptsInfo, conversationKey + [("messageList", id)])))
            }
            wait(.milliseconds(50))
        }
        reachQuiescence()
    }

    /// A user applies for a friendship, and the other user accepts or rejects the application (ZIM-9).
    mutating func friendsByApplication(_ client: String) {
        guard let (guest, user, friend) = ensureTwoOnline(client) else { return historyBeforeALogin(client) }
        func application(_ other: String, _ state: ApplicationState) -> LocalChange {
            .friendApplication(FriendApplication(user: other, isReceived: state != .waiting, state: state))
        }
        change(client, application(friend, .waiting))
        wait(.milliseconds(50))
        if random.below(3) == 0 { net(client, .down) }
        let state: ApplicationState = pick([.accepted, .accepted, .rejected])
        if policy.features.contains(.operations) {
            command(guest, .operate(state == .accepted ? .contactAccept : .contactDecline, target: user, ext: ""))
        } else {
            change(guest, application(user, state))
        }
        wait(.milliseconds(50))
        if random.below(3) == 0 { change(pick([client, guest]), .friendRemoved(pick([user, friend]))) }
        wait(.milliseconds(50))
        reachQuiescence()
    }

    /// The rights in a group change: who may send, be a member or change the group. All members then try each action
    /// (CHAT-8).
    mutating func rulesOfAGroup(_ client: String) {
        guard let (guest, owner, friend) = ensureTwoOnline(client) else { return historyBeforeALogin(client) }
        var group = text()
        makeGroup(group, client, guest, friend)
        if policy.features.contains(.operations), random.below(3) == 0 {
            let thread = text()
            command(client, .operate(.threadCreate, target: thread, ext: group))
            wait(.milliseconds(50))
            command(guest, .operate(.threadJoin, target: thread, ext: ""))
            wait(.milliseconds(50))
            // A change of a group's rights also applies to the group's threads.
            if random.below(2) == 0 {
                drawRule(of: group, pick([client, guest]), [owner, friend])
                wait(.milliseconds(50))
            }
            group = thread
        }
        for _ in 0...(1 + random.below(4)) {
            let actor = pick([client, client, guest])
            if random.below(2) == 0 {
                sendWithData(actor, ConversationID(kind: .group, id: group))
            } else {
                drawRule(of: group, actor, [owner, friend])
            }
            wait(.milliseconds(50))
        }
        for name in [guest, client] { sendWithData(name, ConversationID(kind: .group, id: group)) }
        if random.below(4) == 0 { steps.append(ScenarioStep("server", .serverProcess(.restart))) }
        reachQuiescence()
    }

    private mutating func drawRule(of group: String, _ client: String, _ members: [String]) {
        let member = pick([members[1], members[1], members[0]])
        if policy.features.contains(.operations) {
            let kind: OperationKind = pick([
                .groupKick, .groupBan, .groupAllow, .groupAddMute, .groupAddMute, .groupRemoveMute, .groupAllBan,
                .groupAllBan, .groupRemoveAllBan, .groupAddWhiteList, .groupRemoveWhiteList, .groupAddAdmin,
                .groupRemoveAdmin, .groupAssignOwner, .groupBlock, .groupUnblock, .groupLeave, .groupJoin,
                .threadKick, .threadJoin, .groupDestroy,
            ])
            let namesNobody: [OperationKind] = [
                .groupAllBan, .groupRemoveAllBan, .groupBlock, .groupUnblock, .groupLeave, .groupJoin, .threadJoin,
                .groupDestroy,
            ]
            return command(client, .operate(kind, target: group, ext: namesNobody.contains(kind) ? "" : member))
        }
        switch random.below(5) {
        case 0: change(client, .memberRemoved(group: group, user: member))
        case 1:
            let role: GroupMember.Role = pick([.admin, .owner])
            change(client, .member(group: group, GroupMember(user: member, role: role)))
        case 2: change(client, .member(group: group, GroupMember(user: member, mutedUntil: -1)))
        default:
            var changed = LocalGroup(id: group, name: group)
            if random.below(2) == 0 { changed.rules.isMuted = true } else { changed.rules.exempt = [member] }
            change(client, .group(changed))
        }
    }

    private mutating func makeGroup(_ group: String, _ owner: String, _ guest: String, _ friend: String) {
        if policy.features.contains(.operations) {
            command(owner, .operate(.groupCreate, target: group, ext: ""))
            wait(.milliseconds(50))
            command(owner, .operate(.groupInvite, target: group, ext: friend))
            wait(.milliseconds(50))
            command(guest, .operate(.groupInviteAccept, target: group, ext: ""))
        } else {
            change(owner, .group(LocalGroup(id: group, name: group)))
            wait(.milliseconds(50))
            change(owner, .member(group: group, GroupMember(user: friend)))
        }
        wait(.milliseconds(50))
    }

    /// Two users become friends, end the friendship or block each other, while one of them may be disconnected (ZIM-9).
    mutating func friendsComeAndGo(_ client: String) {
        guard let (guest, user, friend) = ensureTwoOnline(client) else { return historyBeforeALogin(client) }
        change(client, .friend(LocalFriend(user: friend)))
        wait(.milliseconds(50))
        if random.below(3) == 0 { net(guest, pick([.down, .halfOpen])) }
        for _ in 0...random.below(3) {
            switch random.below(4) {
            case 0: change(guest, .friendRemoved(user))
            case 1: change(client, .friendRemoved(friend))
            case 2: change(client, .friend(LocalFriend(user: friend)))
            default:
                change(client, .blacklisted(friend, random.below(3) != 0))
                wait(.milliseconds(50))
                command(guest, .send(to: user, text: text()))
            }
            wait(pick([.milliseconds(15), .milliseconds(50), .seconds(1)]))
        }
        if random.below(4) == 0 { steps.append(ScenarioStep("server", .serverProcess(.restart))) }
        reachQuiescence()
    }

    /// A login ends during a call that requests data from the server before it answers (C-1, C-4).
    mutating func endDuringACall(_ client: String) {
        let user = pick(users)
        ensureOnline(client, user)
        wait(.seconds(1))
        if random.below(2) == 0 { net(client, .delay(.milliseconds(400), jitter: .zero)) }
        let queryArguments = [
            ("conversationID", other(thanUser: user)), ("conversationType", "peer"), ("mode", "prefer-server"),
        ]
        for _ in 0...random.below(2) { command(client, .call(LocalRequest(.queryHistoryMessage, queryArguments))) }
        if random.below(2) == 0 { wait(.milliseconds(5)) }
        switch random.below(4) {
        case 0: steps.append(.server(.kick(user: user, device: nil)))
        case 1: net(client, pick([.down, .reset]))
        default: command(client, .logout(keepsPush: false))
        }
        wait(pick([.milliseconds(100), .seconds(1)]))
        if random.below(2) == 0 { ensureOnline(client, user) }
        net(client, .clear)
        reachQuiescence()
    }

    /// A user exports messages, and another user of the same device imports them (C-13).
    mutating func exportOfAnotherUser(_ client: String) {
        let user = pick(users)
        let folder = [("folderPath", text())]
        ensureOnline(client, user)
        command(client, .send(to: other(thanUser: user), text: text()))
        if random.below(2) == 0 {
            let friend = other(thanUser: user)
            let arguments = [("message", text()), ("conversationID", friend), ("senderUserID", friend)]
            command(client, .call(LocalRequest(.insertMessageToLocalDB, arguments)))
        }
        wait(.milliseconds(100))
        command(client, .call(LocalRequest(.exportLocalMessages, folder)))
        wait(.milliseconds(50))
        ensureOnline(client, random.below(3) == 0 ? user : other(thanUser: user))
        command(client, .call(LocalRequest(.importLocalMessages, folder)))
        wait(.milliseconds(50))
    }

    /// A message is revoked or removed, perhaps while a device is disconnected (ZIM-9).
    mutating func revokedMessage(_ client: String) {
        let user = pick(users)
        let sender = other(thanUser: user)
        ensureOnline(client, user)
        let id = text()
        let message = LocalMessage(
            id: id, conversation: ConversationID(kind: .peer, id: sender), sender: sender, text: text(), timestamp: 0)
        steps.append(.server(.putChange(user: user, LocalChange.message(message).record())))
        wait(.milliseconds(50))
        if random.below(3) == 0 { net(client, pick([.down, .halfOpen])) }
        let end: LocalChange =
            random.below(3) == 0 ? .messagesRemoved([message.name]) : .messageRevoked(id: message.name)
        steps.append(.server(.putChange(user: user, end.record())))
        wait(.milliseconds(50))
        reachQuiescence()
    }

    /// A conversation with a draft gets a late message with an older time, or a change of its settings (ZIM-9).
    mutating func draftAndLateMessage(_ client: String) {
        let user = pick(users)
        let peer = ConversationID(kind: .peer, id: other(thanUser: user))
        let conversationKey = [("conversationID", peer.id), ("conversationType", "peer")]
        // The message times are before the start of any session.
        func came(_ text: String, at time: Int64) -> ScenarioStep {
            let message = LocalMessage(
                id: text, conversation: peer, sender: peer.id, text: text, timestamp: 1_767_225_600_000 + time)
            return .server(.putChange(user: user, LocalChange.message(message).record()))
        }
        ensureOnline(client, user)
        steps.append(came(text(), at: 3000))
        wait(.milliseconds(100))
        command(client, .call(LocalRequest(.setConversationDraft, conversationKey + [("draft", text())])))
        wait(.milliseconds(50))
        if random.below(2) == 0 {
            steps.append(came(text(), at: 1000))
        } else {
            var conversation = LocalConversation(id: peer)
            (conversation.isPinned, conversation.notifies) = (random.below(2) == 0, random.below(2) == 0)
            steps.append(.server(.putChange(user: user, LocalChange.conversation(conversation).record())))
        }
        wait(.milliseconds(100))
        command(client, .call(LocalRequest(.queryConversation, conversationKey)))
        wait(.milliseconds(50))
        reachQuiescence()
    }

    /// Two users of one device read a conversation with the same peer. One of them has no network (ZIM-9, C-13).
    mutating func readByTwoUsers(_ client: String) {
        let readers = [pick(users), other(thanUser: users[0])]
        for user in readers {
            steps.append(.server(.addAccount(user)))
            let message = LocalMessage(
                id: text(), conversation: ConversationID(kind: .peer, id: "emil"), sender: "emil", text: text(),
                timestamp: 0)
            steps.append(.server(.putChange(user: user, LocalChange.message(message).record())))
        }
        let conversationKey = [("conversationID", "emil"), ("conversationType", "peer")]
        for user in readers + [readers[0]] {
            ensureOnline(client, user)
            wait(.milliseconds(200))
            if random.below(2) == 0 { net(client, .down) }
            command(client, .call(LocalRequest(.clearConversationUnreadMessageCount, conversationKey)))
            wait(.milliseconds(50))
        }
        reachQuiescence()
    }

    /// A user has data on the server before the first login. A message may arrive after the login (ZIM-9).
    mutating func historyBeforeALogin(_ client: String) {
        let user = pick(Self.people + ["dora", "emil"])
        command(client, .logout(keepsPush: false))
        wait(.milliseconds(50))
        steps.append(.server(.addAccount(user)))
        let messages = pick([3, 50, 200])
        steps.append(ScenarioStep("server", .populateData(user: user, messages: messages, conversations: 3)))
        if random.below(2) == 0 {
            let sender = other(thanUser: user)
            let message = LocalMessage(
                id: text(), conversation: ConversationID(kind: .peer, id: sender), sender: sender, text: "hello",
                timestamp: 0)
            steps.append(.server(.putChange(user: user, LocalChange.message(message).record())))
        }
        wait(.milliseconds(50))
        steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
        wait(pick([.milliseconds(100), .seconds(1)]))
        if random.below(3) == 0 { net(client, pick([.reset, .switchNetwork])) }
        reachQuiescence()
    }
}
