import IMProtocol
import IMServer
import SansIO
import Testing

/// Tests of the server's limits for channels, watches, attributes and answers.
@Suite struct BoundsTests {
    private func policy(_ change: (inout ServerPolicy) -> Void) -> ServerPolicy {
        var policy = rtm
        change(&policy)
        return policy
    }

    @Test("RTM-9: a login and a server have a maximum of channels; one more is refused, one less frees a slot")
    func channels() {
        let few = ServerTranscript(policy { $0.channelsPerLoginMax = 2 })
        few.login(1, "a")
        for channel in ["c", "d"] {
            #expect(few.receive(1, .join(channel: channel)) == ["1 join-ack ok alice"])
        }
        #expect(few.receive(1, .join(channel: "e")) == ["1 join-ack limit-exceeded "])
        #expect(few.receive(1, .join(channel: "d")) == ["1 join-ack ok alice"])
        few.receive(1, .leave(channel: "c"))
        #expect(few.receive(1, .join(channel: "e")) == ["1 join-ack ok alice"])
        let small = ServerTranscript(policy { $0.channelCountMax = 1 })
        small.login(1, "a")
        small.login(2, "b", user: "bob")
        small.receive(1, .join(channel: "c"))
        #expect(small.receive(2, .join(channel: "d")) == ["2 join-ack limit-exceeded "])
        #expect(small.receive(2, .join(channel: "c")).first == "2 join-ack ok alice,bob")
        small.receive(1, .leave(channel: "c"))
        small.receive(2, .leave(channel: "c"))
        #expect(small.receive(2, .join(channel: "d")) == ["2 join-ack ok bob"])
    }

    @Test(
        "RTM-8: missed channel messages have a limit in bytes; each channel drops its own oldest first")
    func replayBytes() {
        let server = ServerTranscript(policy { $0.channelReplayBytesMax = 10 })
        server.login(1, "a")
        server.login(2, "b", user: "bob")
        for id: UInt32 in [1, 2] {
            server.receive(id, .join(channel: "c"))
            server.receive(id, .join(channel: "d"))
        }
        func sendMessage(_ text: String, in channel: String) {
            server.receive(2, .send(ChatMessage(id: text, to: channel, text: text, isToChannel: true)))
        }
        server.close(1)
        sendMessage("1234", in: "c")
        sendMessage("5678", in: "c")
        sendMessage("9abc", in: "c")
        sendMessage("xyz", in: "d")
        sendMessage("far too long a text", in: "d")
        server.login(3, "a", .ios, .resume, epoch: 1)
        #expect(
            server.receive(3, .join(channel: "c")) == [
                "3 join-ack ok alice,bob", "3 message bob: 5678", "3 message bob: 9abc",
            ])
        #expect(server.receive(3, .join(channel: "d")) == ["3 join-ack ok alice,bob"])
    }

    @Test("ZIM-5: the number of watched users is a policy; attributes have a number and a size")
    func watchesAndAttributes() {
        let server = ServerTranscript(
            policy {
                $0.watchedCountMax = 1
                $0.attributeCountMax = 2
                $0.attributeBytesMax = 10
            })
        server.login(1, "a")
        #expect(server.receive(1, .watch(user: "bob", isOn: true)).first == "1 watch-ack ok")
        #expect(server.receive(1, .watch(user: "carol", isOn: true)) == ["1 watch-ack limit-exceeded"])
        func set(_ values: String...) -> [String] {
            let fields = values.enumerated().map { AnswerField(name: "\($0.offset)", value: $0.element) }
            return server.receive(1, .setAttributes(channel: "", fields))
        }
        #expect(set("1234", "1234") == ["1 set-attributes-ack ok"])
        #expect(set("1234", "12345") == ["1 set-attributes-ack limit-exceeded"])
        #expect(set("a", "b", "c") == ["1 set-attributes-ack limit-exceeded"])
        #expect(server.receive(1, .ask(.attributes(user: ""))) == ["1 answer ok 0=1234,1=1234"])
    }

    @Test("A.6: no answer exceeds a frame; a large one is sent in pages")
    func pages() throws {
        let server = ServerTranscript(rtm)
        let users = (0..<400).map { "\($0)" + String(repeating: "u", count: 240) }
        for (index, user) in users.enumerated() {
            server.login(UInt32(index + 1), "d", user: user)
            server.receive(UInt32(index + 1), .join(channel: "c"))
        }
        func whole(_ body: FrameBody) throws -> FrameBody {
            let effects = server.effects(of: 1, Frame(request: 9, body))
            let frames = effects.compactMap { if case .send(_, let frame) = $0 { frame } else { nil } }
            #expect(frames.count > 1)
            #expect(frames.allSatisfy { !$0.isTooLarge && $0.request == 9 })
            #expect(frames.map(\.page) == frames.indices.map { UInt32($0) })
            var joined = try #require(frames.first)
            for frame in frames.dropFirst() { joined = try #require(joined.joined(with: frame)) }
            #expect(!joined.hasMore)
            return joined.body
        }
        #expect(try whole(.ask(.members(channel: "c"))) == .answer(.ok, users.map { AnswerRow([("member", $0)]) }))
        #expect(try whole(.join(channel: "c")) == .joinAck(.ok, channel: "c", members: users))
    }

    @Test("A.6: the user's other devices are sent in pages too")
    func devices() throws {
        let server = ServerTranscript(
            policy {
                $0.exclusion = .none
                $0.devicesKeptMax = 200
            })
        for id: UInt32 in 1...150 { server.login(id, "\(id)" + String(repeating: "d", count: 250)) }
        let login = LoginRequest(
            application: "agora-rtm", user: "alice", device: Device(id: "last", platform: .ios), mode: .manual,
            epoch: 0,
            credential: .verdict(CredentialVerdict(.valid, user: "alice")))
        server.open(151)
        let frames = server.effects(of: 151, Frame(request: 9, .login(login))).compactMap { effect -> Frame? in
            if case .send(ConnectionID(151), let frame) = effect { frame } else { nil }
        }
        #expect(frames.count > 1 && frames.allSatisfy { !$0.isTooLarge })
        let names = frames.flatMap { frame -> [String] in
            if case .loginAck(let reply) = frame.body { reply.otherDevices.map(\.id) } else { [] }
        }
        #expect(names.count == 150)
    }
}
