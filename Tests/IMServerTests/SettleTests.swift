import IMProtocol
import IMServer
import SansIO
import Testing

/// Tests that the server adopts exactly the state that a client sends in a reconciliation (C-15).
@Suite struct SettleTests {
    /// A server on which alice and bob are in the channel `c`, and alice also in `d`.
    private func stage(_ policy: ServerPolicy = rtm) -> ServerTranscript {
        let server = ServerTranscript(policy)
        server.login(1, "a")
        server.login(2, "b", user: "bob")
        server.receive(2, .join(channel: "c"))
        server.receive(1, .join(channel: "c"))
        server.receive(1, .join(channel: "d"))
        return server
    }

    private func settle(_ channels: String..., watched: [String] = []) -> FrameBody {
        .settle(SubscriptionSnapshot(channels: channels, watched: watched))
    }

    private func members(_ server: ServerTranscript, _ channel: String, on connection: UInt32 = 2) -> [String] {
        server.receive(connection, .ask(.members(channel: channel)))
    }

    @Test("C-15: channels that are not listed are left, missing ones are joined, the others stay")
    func listedChannels() {
        let server = stage()
        #expect(server.receive(1, settle("c", "d"), request: 7) == ["1 settled, refused [] []"])
        // The client has joined the channel `e` only by the reconciliation, so it gets the members of `e` (RTM-4).
        #expect(
            server.receive(1, settle("d", "e"), request: 8)
                == ["2 alice left", "1 settled, refused [] []", "1 join-ack ok alice"])
        #expect(members(server, "c") == ["2 answer ok member=bob"])
        #expect(members(server, "e", on: 1) == ["1 answer ok member=alice"])
        #expect(
            server.receive(1, settle("c"), request: 9)
                == ["2 alice joined", "1 settled, refused [] []", "1 join-ack ok bob,alice"])
        #expect(members(server, "d", on: 1) == ["1 answer not-found "])
    }

    @Test("C-15: the answer to a reconciliation lists the refused channels and watches")
    func refused() {
        var policy = rtm
        policy.channelMembersMax = 1
        policy.makesAccounts = false
        let server = ServerTranscript(policy)
        for user in ["alice", "bob"] { server.command(.addAccount(user)) }
        server.login(1, "a")
        server.login(2, "b", user: "bob")
        server.receive(2, .join(channel: "c"))
        #expect(
            server.receive(1, settle("c", "d", watched: ["bob", "nobody"]), request: 7)
                == ["1 settled, refused [c] [nobody]", "1 join-ack ok alice", "1 bob is online"])
    }

    @Test("C-3: a request from before a reconciliation that arrives after it has no effect; its answer shows the state")
    func overtaken() {
        let server = stage()
        server.receive(1, settle("c", watched: ["bob"]), request: 7)
        #expect(server.receive(1, .join(channel: "x"), request: 6) == ["1 join-ack cancelled "])
        #expect(server.receive(1, .join(channel: "c"), request: 6) == ["1 join-ack ok bob,alice"])
        #expect(server.receive(1, .leave(channel: "c"), request: 6) == ["1 leave-ack cancelled"])
        #expect(server.receive(1, .leave(channel: "d"), request: 6) == ["1 leave-ack ok"])
        #expect(server.receive(1, .watch(user: "bob", isOn: false), request: 6) == ["1 watch-ack cancelled"])
        #expect(server.receive(1, .watch(user: "carol", isOn: true), request: 6) == ["1 watch-ack cancelled"])
        #expect(server.receive(1, .join(channel: "x"), request: 8) == ["1 join-ack ok alice"])
        #expect(members(server, "c") == ["2 answer ok member=bob,member=alice"])
        // Request numbers overflow and start again at 1.
        server.receive(1, settle("c"), request: .max)
        #expect(server.receive(1, .join(channel: "x"), request: 2) == ["1 join-ack ok alice"])
        #expect(server.receive(1, .join(channel: "y"), request: .max - 1) == ["1 join-ack cancelled "])
    }

    @Test("C-3: of two requests about one channel the later one counts, in any order of arrival")
    func outOfOrder() {
        let server = stage()
        #expect(server.receive(1, .join(channel: "c"), request: 8) == ["1 join-ack ok bob,alice"])
        #expect(server.receive(1, .leave(channel: "c"), request: 7) == ["1 leave-ack cancelled"])
        #expect(members(server, "c") == ["2 answer ok member=bob,member=alice"])
        #expect(server.receive(1, .leave(channel: "c"), request: 10) == ["2 alice left", "1 leave-ack ok"])
        #expect(server.receive(1, .join(channel: "c"), request: 9) == ["1 join-ack cancelled "])
        #expect(members(server, "c") == ["2 answer ok member=bob"])
        let (fine, bad) = ([AnswerField(name: "mood", value: "fine")], [AnswerField(name: "mood", value: "bad")])
        #expect(server.receive(1, .setAttributes(channel: "", fine), request: 12) == ["1 set-attributes-ack ok"])
        #expect(server.receive(1, .setAttributes(channel: "", bad), request: 11) == ["1 set-attributes-ack cancelled"])
        #expect(server.receive(2, .ask(.attributes(user: "alice"))) == ["2 answer ok mood=fine"])
    }

    @Test("C-15: a reconciliation with attributes replaces them and cancels earlier requests; one without does not")
    func attributes() {
        let server = stage()
        let mood = [AnswerField(name: "mood", value: "fine")]
        func attributesOf() -> [String] { server.receive(2, .ask(.attributes(user: "alice"))) }
        server.receive(1, settle("c"), request: 7)
        #expect(server.receive(1, .setAttributes(channel: "", mood), request: 6) == ["1 set-attributes-ack ok"])
        #expect(attributesOf() == ["2 answer ok mood=fine"])
        server.receive(1, .settle(SubscriptionSnapshot(channels: ["c"], attributes: [])), request: 8)
        #expect(attributesOf() == ["2 answer ok "])
        #expect(server.receive(1, .setAttributes(channel: "", mood), request: 7) == ["1 set-attributes-ack cancelled"])
        #expect(attributesOf() == ["2 answer ok "])
    }

    @Test("A reconciliation in several frames applies when it is complete; an incomplete one changes nothing")
    func inParts() {
        let server = stage()
        #expect(server.receive(1, settle("c"), request: 7, hasMore: true) == [])
        #expect(
            server.receive(1, settle("d", watched: ["bob"]), request: 7, page: 1)
                == ["1 settled, refused [] []", "1 bob is online"])
        #expect(server.receive(1, settle("c"), request: 8, hasMore: true) == [])
        #expect(server.receive(1, settle("x"), request: 8, page: 2) == [])
        #expect(server.receive(1, settle("x"), request: 9, page: 1) == [])
        #expect(members(server, "c") == ["2 answer ok member=bob,member=alice"])
        #expect(members(server, "d", on: 1) == ["1 answer ok member=alice"])
    }

    @Test("A reconciliation with too many names is refused")
    func withoutEnd() {
        let server = stage()
        let many = FrameBody.settle(SubscriptionSnapshot(channels: (0..<3000).map { "n\($0)" }))
        #expect(server.receive(1, many, request: 7, hasMore: true) == [])
        #expect(server.receive(1, many, request: 7, page: 1, hasMore: true).first == "1 goodbye protocol-violation")
    }

    @Test("RTM-8: missed messages come with the reconciliation if the join was lost, once")
    func replayed() {
        let server = stage()
        server.close(1)
        server.receive(2, .send(ChatMessage(id: "m", to: "c", text: "m", isToChannel: true)))
        server.login(3, "a", .ios, .resume, epoch: 1)
        #expect(
            server.receive(3, settle("c"), request: 7)
                == ["3 settled, refused [] []", "3 join-ack ok bob,alice", "3 message bob: m"])
        #expect(server.receive(3, settle("c"), request: 8) == ["3 settled, refused [] []"])
    }

    @Test(
        "RTM-4: a new login inherits nothing: channels are left at once, attributes are removed, others see no change")
    func newLogin() {
        let server = stage()
        server.receive(2, .watch(user: "alice", isOn: true))
        server.receive(1, .setAttributes(channel: "", [AnswerField(name: "mood", value: "fine")]))
        server.close(1)
        let lines = server.login(3, "a", .ios, .manual)
        #expect(lines == ["2 alice left", "3 login-ack ok epoch=2"])
        #expect(members(server, "c") == ["2 answer ok member=bob"])
        #expect(server.receive(2, .ask(.attributes(user: "alice"))) == ["2 answer ok "])
        // After a login from another device, bob is notified in the same way.
        server.receive(3, .join(channel: "c"))
        let other = server.login(4, "a2", .android)
        #expect(other.contains("2 alice left"))
        #expect(!other.contains { $0.hasPrefix("2 alice is") })
    }

    @Test(
        "RTM-6: another instance on the same device ends the present or absent one; the same instance replaces itself")
    func instances() {
        let server = ServerTranscript(rtm)
        server.login(1, "a", instance: 1)
        #expect(server.login(2, "a", instance: 1).contains("1 goodbye replaced"))
        server.wait(1)
        #expect(server.login(3, "a", instance: 2).contains("2 kicked other-login epoch=2 by a"))
        #expect(server.login(4, "a", .ios, .resume, epoch: 2, instance: 1) == ["4 kicked other-login epoch=2 by a"])
        #expect(server.receive(3, .heartbeat) == ["3 heartbeat-ack"])
        server.close(3)
        server.wait(2)
        server.login(5, "a", instance: 3)
        #expect(server.login(6, "a", .ios, .resume, epoch: 3, instance: 2) == ["6 kicked other-login epoch=3 by a"])
        // A second process of a device (`instance: 2`) ends the login of the first process with a kick (C-6).
        let others = ServerTranscript(nim)
        others.login(1, "a", instance: 1)
        #expect(others.login(2, "a", instance: 1).contains("1 goodbye replaced"))
        #expect(others.login(3, "a", instance: 2).contains("2 kicked other-login epoch=2 by a"))
        #expect(others.login(4, "a", .ios, .resume, epoch: 2, instance: 1) == ["4 kicked other-login epoch=2 by a"])
    }
}
