import IMClient
import IMData
import IMDialects
import IMProtocol
import IMServer
import SansIO

@testable import IMSession

/// One value of every kind that has fields, with something in each text. A kind that is added does not compile here, or
/// is missing in the table of frame names.
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
        .expired, user: "seven", expiresAtMilliseconds: 5, issuedAtMilliseconds: 6)
    private static let message = ChatMessage(
        id: "one", from: "two", to: "three", text: "four", number: 8)
    private static let said = ChatMessage(id: "one", to: "two", text: "four", isToChannel: true, isToGroup: true)
    private static let operation = DeviceOperation(
        id: "one", kind: .groupJoin, target: "two", ext: "three", device: "four", number: 9)
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
    private static let tree = TreeValue.children([
        TreeChild("a", .text("one")), TreeChild("b", .children([TreeChild("c", .text("two"))])),
    ])
    private static let questions: [Question] = [
        .members(channel: "one"), .attributes(user: "one"), .channelAttributes(channel: "one"),
    ]
    private static let treeRequests: [TreeRequest] = [
        .set(path: "a/b", tree), .update(path: "a", tree), .get(path: "a"), .listen(path: "a"), .unlisten(path: "a"),
        .onDisconnect(path: "a", tree, merges: true), .cancelOnDisconnect(path: "a"),
    ]
    private static let actions: [AccountCall.Action] = [.listDevices, .kick(device: "four"), .kickAll]
    private static let credentials: [Credential] = [.reference("one"), .secret("two"), .verdict(verdict)]

    private static let clock = TokenClock(expiresAtMilliseconds: 5, deviceMilliseconds: 6)

    // MARK: Frames

    static let bodies: [FrameBody] = logins + state + messages + account

    private static let logins: [FrameBody] =
        credentials.map {
            .login(
                LoginRequest(
                    application: "x", user: "y", device: device, mode: .manual, epoch: 1, credential: $0, instance: 7))
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
        .resyncAck([device]), .settle(Settlement(channels: ["one"], watched: ["two"], attributes: attributes)),
        .settleAck(channels: ["one"], watched: ["two"]),
    ]

    private static let messages: [FrameBody] = [
        .send(message), .send(said), .sendAck(.stored, id: "one"), .message(message), .messageAck(id: "one", number: 1),
        .join(channel: "one"), .joinAck(.ok, channel: "one", members: ["two", "three"]), .leave(channel: "one"),
        .leaveAck(.notFound, channel: "one"), .memberChanged(channel: "one", user: "two", joined: true),
    ]

    private static let account: [FrameBody] =
        questions.map { .ask($0) } + treeRequests.map { .tree($0) } + [
            .operation(operation), .operationAck(.ok), .operated(operation), .operatedAck(id: "one", number: 7),
            .setAttributes(channel: "one", attributes), .setAttributes(channel: "", []), .setAttributesAck(.notFound),
            .answer(.ok, [AnswerRow(fields: attributes)]), .watch(user: "one", isOn: true), .watchAck(.limitExceeded),
            .presence(user: "one", .logout), .treeAck(.forbidden, tree), .treeData(path: "a/b", tree),
            .fetchChanges(after: 7), .changes(page), .change(page.changes[0]), .changeAck(.forbidden),
        ]

    // MARK: Commands

    /// One after the other, beginning with nil.
    private static func chain<Value>(_ next: (Value?) -> Value?) -> [Value] {
        var values: [Value] = []
        while let value = next(values.last) { values.append(value) }
        return values
    }

    static let clientCommands: [ClientCommand] =
        chain(clientCommand)
        + LoginMode.allCases.map { .login(user: "one", credential: "two", mode: $0, clock: clock) }
        + actions.map { .accountCall(user: "one", credential: "two", $0) } + questions.map { .ask($0) }
        + treeRequests.map { .tree($0) } + [
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
        case .operate: .tree(treeRequests[0])
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
        case .passwordChanged: .setRefusal(user: "one", .banned)
        case .setRefusal: .putChange(user: "one", record)
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
        case .presence: .treeValue(path: "a", tree)
        case .treeValue: .dataSync(.started)
        case .dataSync: .dataChanged(.message, "one")
        case .dataChanged: nil
        }
    }

    static let inputs: [NodeInput] =
        chain(input) + [
            .data(DataAnswer(generation: 1, .failed(.dataUnavailable))),
            .data(
                DataAnswer(
                    generation: 1,
                    .answered(number: 2, LocalAnswer(.ok, [AnswerRow([("userID", "one")])], next: "3")))),
            .app(.foreground), .app(.woke(slept: .seconds(5))), .app(.clockSet(by: .seconds(1))), .app(.closing),
        ]

    private static func input(after input: NodeInput?) -> NodeInput? {
        switch input {
        case nil:
            .frame(
                ConnectionID(1),
                Frame(request: 3, .sendAck(.ok, id: "one"), page: 1, hasMore: true, said: Tally(count: 1, check: 2)))
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
                ServerMachine(
                    policy: ServerPolicy(profile: "", exclusion: .none, tokenLifetime: nil), epochMilliseconds: 0))),
    ]
}
