import IMClient
import IMLocalData
import IMProfiles
import IMProtocol
import IMServer
import IMTree
import Recorder
import SansIO
import TestSupport
import Testing

@testable import IMSession

/// Values that are encoded for a session file are decoded unchanged.
@Suite struct SchemaTests {
    static let device = Device(id: "phone-1", platform: .ios, name: "我的手机", osType: 3, ext: "vip")

    static let inputs: [NodeInput] =
        [
            .frame(ConnectionID(3), Frame(request: 7, .heartbeat)), .frame(ConnectionID(3), part),
            .unreadable(ConnectionID(3), .tooLarge), .unreadable(ConnectionID(3), .notProtobuf),
            .unreadable(ConnectionID(3), .emptyFrame), .unreadable(ConnectionID(3), .invalidField("status")),
            .linkOpened(ConnectionID(1)), .deadlineReached, .app(.background), .app(.foreground),
            .app(.woke(slept: .seconds(90))), .app(.clockSet(by: .seconds(-3600))),
            .app(.clockSet(by: .nanoseconds(.max))), .app(.closing),
        ] + LinkError.allCases.map { .linkFailed(ConnectionID(2), $0) }
        + LinkError.allCases.map { .linkClosed(ConnectionID(2), $0) } + NetworkChange.allCases.map { .network($0) }
        + (clientCommands + laterClientCommands).map { .clientCommand(CommandID(9), $0) }
        + serverCommands.map { .serverCommand(CommandID(10), $0) }
        + [
            .opened(position: .max),
            .answered(number: 3, LocalAnswer(.notFound, [AnswerRow([("a", "1")]), AnswerRow([])], next: "7")),
            .failed(.dataUnavailable),
        ].map { .data(DataAnswer(generation: 2, $0)) }
        + [
            .opened(
                TreeStorage.Contents(
                    tracked: [tracked, TrackedQuery(number: 1, path: [], query: .all, lastUse: 0)], writes: [write])),
            .opened(TreeStorage.Contents()),
            .read(
                number: .max,
                [TreeStorage.Held(.max, TreeNode.children([("k", tree["c"])])), TreeStorage.Held(2, .empty)]),
            .failed(.dataUnavailable),
        ].map { .data(DataAnswer(generation: 2, .tree($0))) }

    static let tracked = TrackedQuery(
        number: .max, path: ["a", "名"], query: query, isComplete: true, isActive: false,
        isCurrent: true, lastUse: 5, asOf: 4, bytes: 7)
    static let write = TreeWrite(id: 3, at: ["a", ".priority"], .set(TreeNode(.serverTimestamp)))
    static let heldParts = [
        TreeWrite.Part(["a", "1"], tree["7"]), TreeWrite.Part(["b"], .empty),
        TreeWrite.Part(["d", ".priority"], TreeNode(.text("p"))),
    ]
    static let treeChanges: [TreeStorage.Change] = [
        .track(tracked), .track(TrackedQuery(number: 1, path: [], query: .all, lastUse: 0)), .forget(.max),
        .put(1, heldParts), .put(1, [TreeWrite.Part([], tree["c"])]), .amend(2, heldParts), .hold(write),
        .hold(TreeWrite(id: .max, at: [], .update(heldParts))), .release(.max),
    ]

    /// A frame with a value in every optional field.
    static let part: Frame = {
        var frame = Frame(
            request: 7, .answer(.ok, [AnswerRow([("a", "1")])]), checksum: FrameChecksum(count: 3, check: .max))
        frame.page = 2
        frame.hasMore = true
        return frame
    }()

    static let clientCommands: [ClientCommand] =
        [
            .logout(keepsPush: true), .logout(keepsPush: false), .renewToken(credential: "given-1"),
            .kick(.device("pad")), .kick(.otherDevices), .send(to: "bob", text: "你好"), .join(channel: "c"),
            .leave(channel: "c"), .setOption(.retryCountMax(3)),
            .setOption(.retryDelays([.seconds(1), .milliseconds(5)])), .setOption(.retryDelays([])),
        ] + LoginMode.allCases.map { .login(user: "alice", credential: "token-of-alice", mode: $0) }
        + ClientQuery.allCases.map { .query($0) }

    /// Further commands, with the properties that only some profiles use.
    static let laterClientCommands: [ClientCommand] =
        [
            .login(user: "alice", credential: "t", mode: .offline, clock: clock, userName: "Alice Green"),
            .renewToken(credential: "given-2", clock: clock),
            .renewToken(credential: "", clock: TokenClock(expiresAtMilliseconds: .min, deviceMilliseconds: .max)),
            .send(to: "room", text: "hi", isToChannel: true), .resend, .setAttributes(channel: "", []),
            .setAttributes(channel: "room", [AnswerField(name: "a", value: "\"1\"/2")]),
            .ask(.members(channel: "room")), .ask(.attributes(user: "")), .ask(.attributes(user: "bob")),
            .ask(.channelAttributes(channel: "room")), .ask(.users(["bob"])),
            .watch(user: "bob", isOn: true), .watch(user: "bob", isOn: false),
            .accountCall(user: "bob", credential: "p", .listDevices),
            .accountCall(user: "bob", credential: "p", .kick(device: "d")),
            .accountCall(user: "bob", credential: "p", .kickAll), .goOffline, .goOnline,
            .call(localRequest), .change(page.changes[0]),
        ] + OperationKind.allCases.map { .operate($0, target: "bob", ext: "e") }
        + treeCommands.map { .tree($0, clock: clock) }

    static let clock = TokenClock(expiresAtMilliseconds: 1_700_000_030_000, deviceMilliseconds: 1_700_000_000_000)
    static let tree = TreeNode.children([
        ("a/b", .number(1.5)), ("c", .children([("d", .text("名前"))])),
        ("7", TreeNode(.bool(true), priority: .text("p"))),
        ("e", .bool(false)), ("e2", .bool(true)), ("f", .null),
        ("g", .number(-9_007_199_254_740_991)),
    ])
    static let page = ChangePage(
        after: 3, changes: [ChangeRecord(number: 4, kind: .message, fields: [AnswerField(name: "a", value: "b")])],
        isLast: true)
    static let localRequest = LocalRequest(.queryConversation, [("a", "b")], deviceMilliseconds: 7)
    static let query = TreeQuery(
        order: .child(["score", "x"]), start: .init(.number(1.5), key: "a"), end: .init(.bool(true)),
        limit: .init(.last, 500))
    static let parts = TreeUpdate(.parts(["a": tree, "b/c": .null, "d/.priority": .text("p")]))
    static let treeCommands: [TreeCommand] =
        [
            .set(path: "a", tree), .set(path: "", .null),
            .set(path: "a", TreeNode(.serverTimestamp, priority: .number(1))),
            .update(path: "a/b", parts), .push(path: "a", tree), .get(path: "a"), .get(path: "a", query),
            .listen(path: "a"), .listen(path: "a", TreeListening(query, kinds: TreeEventKind.allCases)),
            .unlisten(path: "a"), .unlisten(path: "a", query),
            .onDisconnect(path: "a", tree), .onDisconnectUpdate(path: "b", parts), .cancelOnDisconnect(path: "a"),
            .outline(path: "a"), .keep(path: "a", isOn: true), .keep(path: "a", query, isOn: false),
            .persistence(bytesMax: 9), .persistence(bytesMax: nil),
        ]
        + ["value + 1", "if exists/a and value/b == 1 then abort else {\"by\":\"me\"}"].compactMap { text in
            (try? TransactionExpression(text)).map { .transaction(path: "a", $0, isHidden: text.count > 10) }
        }

    static let serverCommands: [ServerCommand] = [
        .addAccount("a"), .banAccount("a"), .deleteAccount("a"), .kick(user: "a", device: nil),
        .setRefusal(user: "a", .forbidden), .setRefusal(user: "a", nil), .listTreeRules,
        .setTreeRule(path: "a", TreeRule(read: .everybody, write: .users(user: ["a", "b"]))),
        .setTreeRule(path: "a", TreeRule(read: .nobody)),
        .kick(user: "a", device: "d"), .listDevices(user: "a"), .setPolicy(key: "exclusion", value: "single"),
        .shutDown, .passwordChanged(user: "a"), .revokeTokens(user: "a"), .populate(user: "a", []),
        .putChange(user: "a", page.changes[0]),
        .populateData(user: "a", Population(seed: 5, messages: 6, endMilliseconds: 7, hasFiles: true)),
        .populate(user: "a", SyncPhase.allCases.map { SyncAmount($0, 7) }),
    ]

    static let effects: [NodeEffect] =
        [
            .send(ConnectionID(3), Frame(request: 7, .sync)), .send(ConnectionID(3), part), .connect(ConnectionID(4)),
            .closeLink(ConnectionID(4)),
            .persist(LocalData()),
            .persist(
                LocalData(
                    lastUser: "", credentialReference: "r", lastEpoch: .max, lastResult: .ok, autologinAllowed: true)),
            .complete(CommandID(1), Completion(.kicked, rows: [AnswerRow([("a", "1"), ("a", "2")]), AnswerRow([])])),
            .transition(StateChange(from: .online, to: .kicked, reason: .remoteLogin)),
            .notify(.autologinFailed(.loggedInElsewhere)),
            .notify(.kicked(KickNotice(reason: .otherLogin, epoch: 2, by: device))),
            .notify(.kicked(KickNotice(reason: .server, epoch: 2))),
            .notify(
                .messageReceived(
                    ChatMessage(id: "m", from: "a", to: "b", text: "t", isToChannel: true, isToGroup: true, number: 5))),
            .notify(.memberChanged(channel: "c", user: "u", joined: true)), .notify(.tokenExpired),
            .notify(.tokenWillExpire(inMilliseconds: 30_000)),
        ] + LoginStep.allCases.map { .notify(.loginStep($0)) }
        + DeviceChange.allCases.map { .notify(.devicesChanged($0, [device])) }
        + laterNotifications.map { .notify($0) }
        + LocalItem.Kind.allCases.map { .keep(LocalItem(user: "alice", kind: $0, id: "i", text: "你好")) }
        + [
            .persist(
                LocalData(lastUser: "a", expiresAtMilliseconds: .max, received: received, unsent: unsent)),
            .persist(LocalData(expiresAtMilliseconds: .min)),
        ]
        + PresenceChange.allCases.map { .presence(user: "a", device: "d", $0) }
        + [.open(user: "a"), .call(number: 3, localRequest), .apply(page), .close].map {
            .data(DataRequest(generation: 2, $0))
        }
        + [.open, .change(treeChanges), .read(number: 4, [1, .max])].map {
            .data(DataRequest(generation: 2, .tree($0)))
        }

    static let unsent = UnsentChanges(changes: [.init(user: "a", change: page.changes[0])])

    static let received: ReceivedNumbers = {
        var numbers = ReceivedNumbers.Numbers()
        for number in [1, 2, 9] as [UInt64] { _ = numbers.messages.take(number, rangesMax: 10) }
        return ReceivedNumbers(users: [.init(user: "a", numbers: numbers)])
    }()

    static let laterNotifications: [ClientNotification] =
        [
            .autologinCompleted(.ok), .autologinCompleted(.deviceChanged), .syncStarted, .syncFinished,
            .operated(
                DeviceOperation(
                    id: "o", kind: .groupJoin, target: "g", ext: "e", device: "d", isOfGroup: true, number: 6)),
            .dataSync(.finished), .dataChanged(.message, "bob"),
            .dataProgress(done: 100, all: 3000), .dataOpened(user: "bob"),
            .linkChanged(LinkChange(from: .idle, to: .connecting, reason: .login)),
            .linkChanged(
                LinkChange(
                    from: .connected, to: .suspended, reason: .interrupted, isOfReconnect: true, channels: ["a", "b"])),
            .replaced(KickNotice(reason: .otherLogin, epoch: 3, by: Device(id: "d", platform: .web))),
            .presence(user: "bob", .logout), .treeValue(path: "a/b", tree), .treeValue(path: "", .null),
            .treeValue(path: "a", tree, query), .treeCancelled(path: "a", nil, .forbidden),
            .treeCancelled(path: "a", query, .limitExceeded),
            .treeChild(TreeChildNotice(.childMoved, path: "a", query: query, key: "k", previous: "j", tree)),
            .treeChild(TreeChildNotice(.childAdded, path: "", key: "1", previous: nil, .bool(true))),
        ] + SyncPhase.allCases.map { .synced($0, new: 3) }

    @Test(arguments: inputs) func inputsAreDecodedUnchanged(_ input: NodeInput) throws {
        let schema = IMSessionSchema()
        var draft = EventDraft()
        schema.encode(input, into: &draft)
        #expect(try event(.input, draft).withView(schema.decodeInput) == input)
    }

    @Test(arguments: effects) func effectsAreDecodedUnchanged(_ effect: NodeEffect) throws {
        let schema = IMSessionSchema()
        var draft = EventDraft()
        schema.encode(effect, into: &draft)
        #expect(try event(.effect, draft).withView(schema.decodeEffect) == effect)
    }

    /// If a property had its default in all samples, the tests would not detect that its encoding is missing.
    @Test func theSamplesHaveAValueInEveryProperty() {
        #expect(unsetProperties(in: Self.inputs) == [])
        // Each stored item is an effect of its own. The received numbers are part of the machine's JSON.
        let others = ["LocalData.items", "NumberRanges.floor", "Numbers.phases"]
        #expect(unsetProperties(in: Self.effects) == others)
    }

    @Test func theFastPathForADeadlineAgreesWithTheGeneralOne() {
        #expect(RecordCodec.bytes(of: NodeInput.deadlineReached.record) == RecordCodec.deadline)
        #expect(RecordCodec.deadline.withUnsafeBytes(RecordCodec.isDeadline))
    }

    @Test func noBytesTrap() {
        let schema = IMSessionSchema()
        var random = SeededRandom(seed: 5)
        for _ in 0..<20_000 {
            let bytes = (0..<random.below(24)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            for channel in Channel.allCases {
                let noise = event(.input, EventDraft(channel: channel, direction: .inbound, stream: 1, payload: bytes))
                _ = noise.withView { try? schema.decodeInput($0) }
                _ = noise.withView { try? schema.decodeEffect($0) }
                _ = noise.withView { try? schema.makeSubject(from: $0) }
            }
        }
    }

    /// A machine with a decoded state continues like the original.
    @Test(arguments: Dialects.all.map(\.profile)) func statesAreDecodedUnchanged(_ profile: String) throws {
        let dialect = try #require(Dialects.named(profile))
        let schema = IMSessionSchema()
        var client = NodeMachine.client(ClientMachine(policy: dialect.clientPolicy, device: Self.device, seed: 3))
        var server = NodeMachine.server(
            ServerMachine(policy: dialect.serverPolicy, epochMilliseconds: 1_700_000_000_000))
        var bytes: [[UInt8]] = []
        func check(_ machine: NodeMachine) throws {
            let encoded = try schema.encodeState(machine)
            #expect(try schema.decodeState(encoded) == machine)
            #expect(try schema.encodeState(schema.decodeState(encoded)) == encoded)
            bytes.append(encoded)
        }
        try check(client)
        try check(server)
        for (index, input) in Self.inputs.enumerated() {
            _ = client.handle(input, at: Instant(nanoseconds: Int64(index) * 1_000_000))
            _ = server.handle(input, at: Instant(nanoseconds: Int64(index) * 1_000_000))
            try check(client)
            try check(server)
        }
        #expect(Set(bytes).count > 5)
    }

    private func event(_ role: EventRole, _ draft: EventDraft) -> Event {
        Event(
            number: 1, time: .zero, node: NodeIndex(rawValue: 1), channel: draft.channel, direction: draft.direction,
            role: role, stream: draft.stream, payload: draft.payload, comment: "")
    }
}

/// The schema of an earlier behaviour version.
private struct EarlierSchema: SessionSchema {
    /// The type of the machines of a session, as ``SessionSchema`` requires.
    typealias Subject = NodeMachine

    let now = IMSessionSchema()
    var formatName: String { now.formatName }
    var behaviourVersion: UInt32 { now.behaviourVersion - 1 }

    func encode(_ input: NodeInput, into draft: inout EventDraft) { now.encode(input, into: &draft) }
    func encode(_ effect: NodeEffect, into draft: inout EventDraft) { now.encode(effect, into: &draft) }
    func decodeInput(_ event: EventView) throws -> NodeInput { try now.decodeInput(event) }
    func makeSubject(from start: EventView) throws -> NodeMachine { try now.makeSubject(from: start) }
    func encodeState(_ subject: NodeMachine) throws -> [UInt8] { try now.encodeState(subject) }
    func decodeState(_ bytes: [UInt8]) throws -> NodeMachine { try now.decodeState(bytes) }
}

@Suite struct EarlierSessionTests {
    private func recorded<Schema: SessionSchema>(_ schema: Schema) throws -> SessionReader
    where Schema.Subject == NodeMachine {
        let sink = MemorySink()
        let writer = SessionWriter(
            sink: sink, schema: schema,
            header: SessionHeader(title: "t", profile: "nim", application: "imrepl 0.1", os: "Linux"),
            epochNanoseconds: 0)
        let start = StartRecord(
            name: "phone", profile: "nim",
            body: .client(
                policy: NIMDialect().clientPolicy, device: SchemaTests.device, local: LocalData(), seed: 1,
                firstConnection: ConnectionID(1), nonce: nil))
        let node = writer.addNode("phone")
        try writer.start(node, payload: start.payload(), subject: start.makeMachine(), at: .zero)
        try writer.close([], at: .zero)
        return try SessionReader(bytes: sink.bytes)
    }

    @Test("design 2: a session of an earlier behaviour is refused in words, and can still be shown")
    func refusedInWords() throws {
        let schema = IMSessionSchema()
        #expect(throws: Never.self) { try Verifier.verify(recorded(schema), schema: schema) }
        let earlier = try recorded(EarlierSchema())
        do {
            _ = try Verifier.verify(earlier, schema: schema)
            Issue.record("a session of an earlier behaviour was replayed")
        } catch {
            let now = schema.behaviourVersion
            #expect("\(error)" == "recorded with behaviour version \(now - 1); this imrepl has version \(now)")
        }
        #expect(try earlier.events().count > 1)
    }
}
