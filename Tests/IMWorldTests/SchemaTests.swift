import IMClient
import IMDialects
import IMProtocol
import IMServer
import Recorder
import SansIO
import Testing

@testable import IMWorld

/// What is written into a session file comes back as it was.
@Suite struct SchemaTests {
    static let device = Device(id: "phone-1", platform: .ios, name: "我的手机", osType: 3, ext: "vip")

    static let inputs: [NodeInput] =
        [
            .frame(ConnectionID(3), Frame(request: 7, .heartbeat)),
            .unreadable(ConnectionID(3), .tooLarge), .unreadable(ConnectionID(3), .notProtobuf),
            .unreadable(ConnectionID(3), .emptyFrame), .unreadable(ConnectionID(3), .invalidField("status")),
            .linkOpened(ConnectionID(1)), .deadlineReached, .app(.background), .app(.foreground),
            .app(.woke(slept: .seconds(90))),
        ] + LinkFault.allCases.map { .linkFailed(ConnectionID(2), $0) }
        + LinkFault.allCases.map { .linkClosed(ConnectionID(2), $0) } + NetworkChange.allCases.map { .network($0) }
        + clientCommands.map { .clientCommand(CommandID(9), $0) }
        + serverCommands.map { .serverCommand(CommandID(10), $0) }

    static let clientCommands: [ClientCommand] =
        [
            .logout(keepsPush: true), .logout(keepsPush: false), .renewToken(credential: "given-1"),
            .kick(.device("pad")), .kick(.otherDevices), .send(to: "bob", text: "你好"), .join(channel: "c"),
            .leave(channel: "c"), .setOption(.retryCountMax(3)),
            .setOption(.retryDelays([.seconds(1), .milliseconds(5)])), .setOption(.retryDelays([])),
        ] + LoginMode.allCases.map { .login(user: "alice", credential: "token-of-alice", mode: $0) }
        + ClientQuery.allCases.map { .query($0) }

    static let serverCommands: [ServerCommand] = [
        .addAccount("a"), .banAccount("a"), .deleteAccount("a"), .kick(user: "a", device: nil),
        .kick(user: "a", device: "d"), .listDevices(user: "a"), .setPolicy(key: "exclusion", value: "single"),
        .shutDown,
    ]

    static let effects: [NodeEffect] =
        [
            .send(ConnectionID(3), Frame(request: 7, .sync)), .connect(ConnectionID(4)), .closeLink(ConnectionID(4)),
            .persist(LocalData()),
            .persist(
                LocalData(
                    lastUser: "", credentialReference: "r", lastEpoch: .max, lastResult: .ok, autologinAllowed: true)),
            .complete(CommandID(1), Completion(.kicked, rows: [AnswerRow([("a", "1"), ("a", "2")]), AnswerRow([])])),
            .transition(StateChange(from: .online, to: .kicked, reason: .remoteLogin)),
            .notify(.autologinFailed(.loggedInElsewhere)),
            .notify(.kicked(KickNotice(reason: .otherLogin, epoch: 2, by: device))),
            .notify(.kicked(KickNotice(reason: .server, epoch: 2))),
            .notify(.messageReceived(ChatMessage(id: "m", from: "a", to: "b", text: "t"))),
            .notify(.memberChanged(channel: "c", user: "u", joined: true)), .notify(.tokenExpired),
            .notify(.tokenWillExpire(inMilliseconds: 30_000)),
        ] + LoginStep.allCases.map { .notify(.loginStep($0)) }
        + DeviceChange.allCases.map { .notify(.devicesChanged($0, [device])) }
        + PresenceChange.allCases.map { .presence(user: "a", device: "d", $0) }

    @Test(arguments: inputs) func inputsComeBack(_ input: NodeInput) throws {
        let schema = IMSessionSchema()
        var draft = EventDraft()
        schema.encode(input, into: &draft)
        #expect(try event(.input, draft).withView(schema.decodeInput) == input)
    }

    @Test(arguments: effects) func effectsComeBack(_ effect: NodeEffect) throws {
        let schema = IMSessionSchema()
        var draft = EventDraft()
        schema.encode(effect, into: &draft)
        #expect(try event(.effect, draft).withView(schema.decodeEffect) == effect)
    }

    @Test func theShortWayToWriteADeadlineIsTheLongOne() {
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

    /// A state that was written goes on as the one that was not.
    @Test(arguments: ["nim", "agora-rtm"]) func statesComeBack(_ profile: String) throws {
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
