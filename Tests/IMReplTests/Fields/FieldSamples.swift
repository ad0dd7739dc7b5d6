import IMClient
import IMLocalData
import IMProfiles
import IMProtocol
import IMServer
import IMTree
import SansIO
import TestSupport

@testable import IMSession

/// One value of every kind that has fields, with a non-empty text in each text field. A new kind without a sample does
/// not compile here, or is found missing in the table of frame names.
enum FieldSamples {
    struct Sample: Sendable {
        var name: String
        var value: any HasFields & Sendable

        init(_ value: any HasFields & Sendable) {
            self.value = value
            name = "\(value)"
        }
    }

    static let all =
        bodies.map { Sample($0) } + clientCommands.map { Sample($0) } + serverCommands.map { Sample($0) }
        + notifications.map { Sample($0) } + inputs.map { Sample($0) } + effects.map { Sample($0) }
        + starts.map { Sample($0) }

    private static let device = Device(id: "one", platform: .ios, name: "two", osType: 7, ext: "three")
    private static let other = Device(id: "four", platform: .web, name: "five", ext: "six")
    private static let verdict = CredentialVerdict(
        .expired, user: "seven", expiresAtMilliseconds: 5, issuedAtMilliseconds: 6, origin: 7)
    private static let message = ChatMessage(
        id: "one", from: "two", to: "three", text: "four", number: 8)
    private static let channelMessage = ChatMessage(
        id: "one", to: "two", text: "four", isToChannel: true, isToGroup: true)
    private static let operation = DeviceOperation(
        id: "one", kind: .groupJoin, target: "two", ext: "three", device: "four", isOfGroup: true, number: 9)
    private static let attributes = [AnswerField(name: "mood", value: "fine"), AnswerField(name: "nick", value: "al")]
    private static let page = ChangePage(after: 3, changes: [record], isLast: true)
    private static let record = ChangeRecord(
        number: 4, kind: .message,
        fields: [
            AnswerField(name: "messageID", value: "one"), AnswerField(name: "conversationID", value: "two"),
            AnswerField(name: "senderUserID", value: "three"), AnswerField(name: "message", value: "four"),
        ])
    private static let localRequest = LocalRequest(
        .deleteMessages, [("messageList", "one,two"), ("conversationID", "three")], deviceMilliseconds: 5)
    private static let tree = TreeNode.children([
        ("7", .text("eight")), ("a", .text("one")),
        ("b", .children([("c", TreeNode(.text("two"), priority: .text("four")))])),
    ])
    private static let questions: [Question] = [
        .members(channel: "one"), .attributes(user: "one"), .channelAttributes(channel: "one"),
        .users(["one", "two"]),
    ]
    private static let parts: [TreeWrite.Part] = .parts(["b": .text("two"), "c/d": tree])
    private static let query = TreeQuery(
        order: .child(["score"]), start: .init(.text("one"), key: "a"), end: .init(.number(7)), limit: .init(.last, 3))
    private static let treeRequests: [TreeRequest] = [
        .set(path: "a/b", tree), .update(path: "a", parts), .get(path: "a", query), .get(path: "a"),
        .listen(path: "a", query, number: 5, hash: tree.hash), .unlisten(path: "a", number: 5),
        .transaction(path: "a", tree, over: tree.hash), .onDisconnect(path: "a", tree),
        .onDisconnectUpdate(path: "a", parts), .cancelOnDisconnect(path: "a"),
    ]
    private static let treeCommands: [TreeCommand] =
        [
            .set(path: "a/b", tree), .update(path: "a", TreeUpdate(parts)), .push(path: "a", tree),
            .get(path: "a", query), .get(path: "a"),
            .listen(path: "a", TreeListening(query, kinds: [.childAdded, .value])), .listen(path: "a"),
            .unlisten(path: "a", query), .unlisten(path: "a"), .onDisconnect(path: "a", tree),
            .onDisconnectUpdate(path: "a", TreeUpdate(parts)), .cancelOnDisconnect(path: "a"), .outline(path: "a"),
            .keep(path: "a", query, isOn: true), .keep(path: "a", isOn: false), .persistence(bytesMax: 5),
        ]
        + ["value/score + 1", "if value == \"one\" then abort else {\"b\": \"two\"}"].compactMap { text in
            (try? TransactionExpression(text)).map { .transaction(path: "a", $0, isHidden: true) }
        }
    private static let actions: [AccountCall.Action] = [.listDevices, .kick(device: "four"), .kickAll]
    private static let credentials: [Credential] = [.reference("one"), .secret("two"), .verdict(verdict)]

    private static let clock = TokenClock(expiresAtMilliseconds: 5, deviceMilliseconds: 6)

    // MARK: Frames

    static let bodies: [FrameBody] = logins + state + messages + account

    private static let logins: [FrameBody] =
        credentials.map {
            .login(
                LoginRequest(
                    application: "x", user: "y", device: device, mode: .manual, epoch: 1, credential: $0, instance: 7,
                    userName: "seven"))
        }
        + credentials.map { .renewToken($0) }
        + actions.map {
            .accountCall(AccountCall(application: "x", user: "y", credential: .reference("z"), action: $0))
        } + [
            .loginAck(
                LoginReply(
                    .ok, epoch: 3, serverTimeMilliseconds: 4, otherDevices: [device, other], expiresAtMilliseconds: 5,
                    wasGone: true, issuedAtMilliseconds: 6)),
            .logout(keepsPush: true), .logoutAck(.serverError), .heartbeat, .heartbeatAck,
            .kicked(KickNotice(reason: .otherLogin, epoch: 4, by: other)),
            .kicked(KickNotice(reason: .banned, epoch: 5)), .kickedAck(epoch: 4), .kick(device: "one"),
            .kick(device: ""), .kickAck(.notFound),
            .renewTokenAck(.credentialExpired, expiresAtMilliseconds: 5, issuedAtMilliseconds: 6),
            .tokenNotice(expired: true, remainingMilliseconds: 30_000), .accountCallAck(.ok, [device, other]),
            .goodbye(.shutdown, detail: "one"),
        ]

    private static let state: [FrameBody] = [
        .sync, .syncPhase(.groups, count: 2, items: [SyncItem(id: "one", text: "two", number: 1)]), .syncDone,
        .devicesChanged(.logout, [other]), .syncAck(.offlineMessages, first: 1, last: 2), .resync,
        .resyncAck([device]),
        .settle(SubscriptionSnapshot(channels: ["one"], watched: ["two"], attributes: attributes)),
        .settleAck(channels: ["one"], watched: ["two"]),
    ]

    private static let messages: [FrameBody] = [
        .send(message), .send(channelMessage), .sendAck(.stored, id: "one"), .message(message),
        .messageAck(id: "one", number: 1),
        .join(channel: "one"), .joinAck(.ok, channel: "one", members: ["two", "three"]), .leave(channel: "one"),
        .leaveAck(.notFound, channel: "one"), .memberChanged(channel: "one", user: "two", joined: true),
    ]

    private static let account: [FrameBody] =
        questions.map { .ask($0) } + treeRequests.map { .tree($0) } + [
            .operation(operation), .operationAck(.ok), .operated(operation), .operatedAck(id: "one", number: 7),
            .setAttributes(channel: "one", attributes), .setAttributes(channel: "", []), .setAttributesAck(.notFound),
            .answer(.ok, [AnswerRow(fields: attributes)]), .watch(user: "one", isOn: true), .watchAck(.limitExceeded),
            .presence(user: "one", .logout), .treeAck(.forbidden, tree),
            .treeData(TreeData(listen: 5, path: "a/b", .set(tree))),
            .treeData(TreeData(listen: 5, path: "a/b", .update(parts))),
            .treeCancelled(listen: 5, .forbidden), .fetchChanges(after: 7), .changes(page), .change(page.changes[0]),
            .changeAck(.forbidden),
        ]

    // MARK: Commands

    /// All values of a kind: `next` returns the first one for nil, and for each value the one after it.
    private static func chain<Value>(_ next: (Value?) -> Value?) -> [Value] {
        var values: [Value] = []
        while let value = next(values.last) { values.append(value) }
        return values
    }

    static let clientCommands: [ClientCommand] =
        chain(clientCommand)
        + LoginMode.allCases.map { .login(user: "one", credential: "two", mode: $0, clock: clock, userName: "three") }
        + actions.map { .accountCall(user: "one", credential: "two", $0) } + questions.map { .ask($0) }
        + treeCommands.map { .tree($0) } + [
            .kick(.otherDevices), .send(to: "one", text: "two", isToChannel: true), .watch(user: "one", isOn: false),
            .setOption(.retryDelays([.seconds(1)])),
        ]

    private static func clientCommand(after command: ClientCommand?) -> ClientCommand? {
        switch command {
        case nil: .login(user: "one", credential: "two", mode: .manual)
        case .login: .logout(keepsPush: true)
        case .logout: .renewToken(credential: "one")
        case .renewToken: .kick(.device("one"))
        case .kick: .query(.devices)
        case .query: .send(to: "one", text: "two")
        case .send: .resend
        case .resend: .join(channel: "one")
        case .join: .leave(channel: "one")
        case .leave: .setOption(.retryCountMax(3))
        case .setOption: .setAttributes(channel: "one", attributes)
        case .setAttributes: .ask(questions[0])
        case .ask: .watch(user: "one", isOn: true)
        case .watch: .accountCall(user: "one", credential: "two", .listDevices)
        case .accountCall: .operate(.groupJoin, target: "one", ext: "two")
        case .operate: .tree(treeCommands[0])
        case .tree: .call(localRequest)
        case .call: .change(record)
        case .change: .goOffline
        case .goOffline: .goOnline
        case .goOnline: nil
        }
    }

    static let serverCommands: [ServerCommand] =
        chain(serverCommand) + [.kick(user: "one", device: nil), .setRefusal(user: "one", nil)]

    private static func serverCommand(after command: ServerCommand?) -> ServerCommand? {
        switch command {
        case nil: .addAccount("one")
        case .addAccount: .banAccount("one")
        case .banAccount: .deleteAccount("one")
        case .deleteAccount: .kick(user: "one", device: "two")
        case .kick: .listDevices(user: "one")
        case .listDevices: .setPolicy(key: "one", value: "two")
        case .setPolicy: .populate(user: "one", [SyncAmount(.groups, 3)])
        case .populate: .passwordChanged(user: "one")
        case .passwordChanged: .revokeTokens(user: "one")
        case .revokeTokens: .setRefusal(user: "one", .banned)
        case .setRefusal: .setTreeRule(path: "a/b", TreeRule(read: .users(user: ["one", "two"]), write: .nobody))
        case .setTreeRule: .listTreeRules
        case .listTreeRules: .putChange(user: "one", record)
        case .putChange:
            .populateData(user: "one", Population(seed: 5, messages: 6, endMilliseconds: 7, hasFiles: true))
        case .populateData: .shutDown
        case .shutDown: nil
        }
    }

    // MARK: Notifications, inputs, effects

    static let notifications = chain(notification)

    private static func notification(after notification: ClientNotification?) -> ClientNotification? {
        switch notification {
        case nil: .loginStep(.linking)
        case .loginStep: .autologinFailed(.banned)
        case .autologinFailed: .kicked(KickNotice(reason: .server, epoch: 3, by: device))
        case .kicked: .devicesChanged(.initial, [device, other])
        case .devicesChanged: .messageReceived(message)
        case .messageReceived: .memberChanged(channel: "one", user: "two", joined: true)
        case .memberChanged: .tokenExpired
        case .tokenExpired: .tokenWillExpire(inMilliseconds: 5)
        case .tokenWillExpire: .autologinCompleted(.ok)
        case .autologinCompleted: .syncStarted
        case .syncStarted: .syncFinished
        case .syncFinished: .synced(.groups, new: 3)
        case .synced: .operated(operation)
        case .operated: .presence(user: "one", .online)
        case .presence: .treeValue(path: "a", tree, query)
        case .treeValue:
            .treeChild(TreeChildNotice(.childMoved, path: "a", query: query, key: "b", previous: "c", tree))
        case .treeChild: .treeCancelled(path: "a", query, .forbidden)
        case .treeCancelled: .dataSync(.started)
        case .dataSync: .dataChanged(.message, "one")
        case .dataChanged: .dataProgress(done: 1, all: 2)
        case .dataProgress:
            .linkChanged(
                LinkChange(
                    from: .connected, to: .disconnected, reason: .interrupted, isOfReconnect: true, channels: ["one"]))
        case .linkChanged: .dataOpened(user: "one")
        case .dataOpened: .replaced(KickNotice(reason: .otherLogin, epoch: 3, by: device))
        case .replaced: nil
        }
    }

    static let inputs: [NodeInput] =
        chain(input) + [
            .data(DataAnswer(generation: 1, .failed(.dataUnavailable))),
            .data(
                DataAnswer(
                    generation: 1,
                    .answered(number: 2, LocalAnswer(.ok, [AnswerRow([("userID", "one")])], next: "3")))),
            .data(DataAnswer(generation: 1, .tree(.failed(.dataUnavailable)))),
            .data(
                DataAnswer(
                    generation: 1,
                    .tree(.opened(TreeStorage.Contents(tracked: [trackedQuery], writes: [pendingWrite]))))),
            .data(
                DataAnswer(
                    generation: 1,
                    .tree(.read(number: 2, [TreeStorage.Held(1, TreeNode(.text("one")))])))),
            .app(.foreground), .app(.woke(slept: .seconds(5))), .app(.clockSet(by: .seconds(1))), .app(.closing),
        ]

    private static func input(after input: NodeInput?) -> NodeInput? {
        switch input {
        case nil:
            .frame(
                ConnectionID(1),
                Frame(
                    request: 3, .sendAck(.ok, id: "one"), page: 1, hasMore: true,
                    checksum: FrameChecksum(count: 1, check: 2)))
        case .frame: .unreadable(ConnectionID(1), .notProtobuf)
        case .unreadable: .linkOpened(ConnectionID(1))
        case .linkOpened: .linkFailed(ConnectionID(1), .reset)
        case .linkFailed: .linkClosed(ConnectionID(1), .reset)
        case .linkClosed: .deadlineReached
        case .deadlineReached: .network(.up)
        case .network: .app(.background)
        case .app: .data(DataAnswer(generation: 1, .opened(position: 4)))
        case .data: .clientCommand(CommandID(1), .logout(keepsPush: true))
        case .clientCommand: .serverCommand(CommandID(1), .addAccount("one"))
        case .serverCommand: nil
        }
    }

    private static let local: LocalData = {
        var local = LocalData(lastUser: "one", credentialReference: "two", lastResult: .ok, autologinAllowed: true)
        local.items = [LocalItem(user: "three", kind: .group, id: "four", text: "five")]
        local.received = ReceivedNumbers(users: [.init(user: "six")])
        local.unsent = UnsentChanges(changes: [.init(user: "six", change: record)])
        return local
    }()

    static let effects =
        chain(effect) + [
            .data(DataRequest(generation: 1, .call(number: 2, localRequest))),
            .data(DataRequest(generation: 1, .apply(page))), .data(DataRequest(generation: 1, .close)),
        ]
        + [
            .open, .read(number: 2, [1]),
            .change([
                .track(trackedQuery), .put(1, [TreeWrite.Part(["two"], TreeNode(.text("one")))]), .hold(pendingWrite),
            ]), .change([.amend(1, [TreeWrite.Part(["two"], TreeNode(.text("one")))])]), .change([.release(1)]),
        ].map { .data(DataRequest(generation: 1, .tree($0))) }

    private static let trackedQuery = TrackedQuery(number: 1, path: ["one"], query: .all, lastUse: 1)
    private static let pendingWrite = TreeWrite(id: 1, at: ["one"], .set(TreeNode(.text("two"))))

    private static func effect(after effect: NodeEffect?) -> NodeEffect? {
        switch effect {
        case nil: .send(ConnectionID(1), Frame(request: 3, .sendAck(.ok, id: "one")))
        case .send: .connect(ConnectionID(1))
        case .connect: .closeLink(ConnectionID(1))
        case .closeLink: .persist(local)
        case .persist: .keep(LocalItem(user: "three", kind: .group, id: "four", text: "five"))
        case .keep: .data(DataRequest(generation: 1, .open(user: "one")))
        case .data: .complete(CommandID(1), Completion(.ok, rows: [AnswerRow(fields: attributes)]))
        case .complete: .notify(.syncStarted)
        case .notify: .transition(StateChange(from: .loggedOut, to: .connecting, reason: .login))
        case .transition: .presence(user: "one", device: "two", .online)
        case .presence: nil
        }
    }

    static let starts = [
        StartRecord(
            name: "one", profile: "two",
            body: .client(
                policy: ClientPolicy(profile: "", retryDelays: []), device: device, local: local, seed: 7,
                firstConnection: ConnectionID(1), nonce: nil)),
        StartRecord(
            name: "one", profile: "two",
            body: .server(
                ServerMachine(policy: serverPolicy, epochMilliseconds: 0))),
    ]

    private static let serverPolicy = {
        var policy = ServerPolicy(profile: "", exclusion: .none)
        policy.tokenLifetime = nil
        return policy
    }()
}
