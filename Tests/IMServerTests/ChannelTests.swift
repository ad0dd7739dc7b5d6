import IMProtocol
import IMServer
import SansIO
import Testing

@Suite struct ChannelTests {
    /// A server on which alice and bob are in the channel `c`.
    private func channel(_ policy: ServerPolicy = rtm) -> ServerTranscript {
        let server = ServerTranscript(policy)
        server.login(1, "a")
        server.login(2, "b", user: "bob")
        server.receive(1, .join(channel: "c"))
        server.receive(2, .join(channel: "c"))
        return server
    }

    @discardableResult
    private func sendMessage(_ server: ServerTranscript, _ id: String, on connection: UInt32 = 2) -> [String] {
        server.receive(
            connection, .send(ChatMessage(id: id, from: "mallory", to: "c", text: id, isToChannel: true)))
    }

    /// Advances the time by this number of seconds, while bob sends heartbeats.
    @discardableResult
    private func wait(_ seconds: Int, _ server: ServerTranscript) -> [String] {
        (0..<seconds).flatMap { _ in
            let lines = server.wait(1)
            server.receive(2, .heartbeat)
            return lines
        }
    }

    private func texts(_ lines: [String]) -> [String] {
        lines.filter { $0.contains(" message ") }.map { String($0.split(separator: " ").last ?? "") }
    }

    @Test("RTM-8: a message to a channel goes to the other members once, with its sender")
    func broadcast() {
        let server = channel()
        #expect(sendMessage(server, "m") == ["1 message bob: m", "2 send-ack ok"])
        #expect(sendMessage(server, "m") == ["2 send-ack ok"])
        server.login(3, "c", user: "carol")
        #expect(sendMessage(server, "x", on: 3) == ["3 send-ack not-found"])
    }

    @Test("RTM-8 S-7: a returning member gets the last 32 of 40 messages, in order")
    func atMost32() {
        let server = channel()
        server.close(1)
        for number in 1...40 { sendMessage(server, "m\(number)") }
        server.login(3, "a", .ios, .resume, epoch: 1)
        let lines = server.receive(3, .join(channel: "c"))
        #expect(lines.first == "3 join-ack ok alice,bob")
        #expect(texts(lines) == (9...40).map { "m\($0)" })
        #expect(lines.count == 33)
    }

    @Test("RTM-8: no message older than 30 s, and none from before the join")
    func atMost30Seconds() {
        let server = channel()
        server.receive(1, .leave(channel: "c"))
        sendMessage(server, "before")
        wait(2, server)
        server.receive(1, .join(channel: "c"))
        sendMessage(server, "now")
        server.receive(1, .heartbeat)
        wait(1, server)
        server.close(1)
        sendMessage(server, "early")
        wait(10, server)
        sendMessage(server, "late")
        let soon = server.machine
        server.login(3, "a", .ios, .resume, epoch: 1)
        // Messages that were sent before the device's last frame may also have been lost.
        #expect(texts(server.receive(3, .join(channel: "c"))) == ["now", "early", "late"])
        let other = ServerTranscript(copy: soon, at: server.now)
        wait(20, other)
        other.login(3, "a", .ios, .resume, epoch: 1)
        #expect(texts(other.receive(3, .join(channel: "c"))) == ["early", "late"])
        let late = ServerTranscript(copy: soon, at: server.now)
        wait(21, late)
        late.login(3, "a", .ios, .resume, epoch: 1)
        #expect(texts(late.receive(3, .join(channel: "c"))) == ["late"])
    }

    @Test("RTM-4 RTM-8: a removed member is out of the channel and still gets the missed messages")
    func afterTheHold() {
        let server = channel()
        server.close(1)
        #expect(wait(31, server).contains { $0.hasSuffix("2 alice left") })
        sendMessage(server, "m")
        server.login(3, "a", .ios, .resume, epoch: 1)
        #expect(
            server.receive(3, .join(channel: "c")) == ["3 join-ack ok bob,alice", "3 message bob: m", "2 alice joined"])
    }

    @Test("RTM-8: missed messages are sent once, to no new member, no other channel and no new login")
    func missedMessagesOnce() {
        let server = channel()
        server.receive(2, .join(channel: "d"))
        server.close(1)
        sendMessage(server, "m")
        server.receive(2, .send(ChatMessage(id: "x", to: "d", text: "x", isToChannel: true)))
        server.login(3, "a", .ios, .resume, epoch: 1)
        #expect(texts(server.receive(3, .join(channel: "c"))) == ["m"])
        #expect(server.receive(3, .join(channel: "c")) == ["3 join-ack ok alice,bob"])
        #expect(server.receive(3, .join(channel: "d")) == ["3 join-ack ok bob,alice", "2 alice joined"])
        server.login(4, "c", user: "carol")
        #expect(texts(server.receive(4, .join(channel: "c"))) == [])
        server.close(3)
        sendMessage(server, "n")
        server.login(5, "a", .ios, .manual)
        #expect(texts(server.receive(5, .join(channel: "c"))) == [])
    }

    @Test("RTM-8: two breaks in sequence lose nothing, and the member's own messages are not sent back")
    func twoBreaks() {
        let server = channel()
        sendMessage(server, "own", on: 1)
        server.close(1)
        sendMessage(server, "m")
        wait(2, server)
        server.login(3, "a", .ios, .resume, epoch: 1)
        server.close(3)
        sendMessage(server, "n")
        server.login(4, "a", .ios, .resume, epoch: 1)
        #expect(texts(server.receive(4, .join(channel: "c"))) == ["m", "n"])
        // The last messages were sent, but may not have arrived.
        server.close(4)
        server.login(5, "a", .ios, .resume, epoch: 1)
        #expect(texts(server.receive(5, .join(channel: "c"))) == ["m", "n"])
    }

    @Test("RTM-8: a policy without replay stores nothing")
    func withoutReplay() {
        var policy = rtm
        policy.channelReplayMax = 0
        let server = channel(policy)
        server.close(1)
        sendMessage(server, "m")
        server.login(3, "a", .ios, .resume, epoch: 1)
        #expect(server.receive(3, .join(channel: "c")) == ["3 join-ack ok alice,bob"])
    }

    @Test("RTM-4: a leave is reported to the members, a second one finds nothing; the last leave removes the channel")
    func leave() {
        let server = channel()
        #expect(server.receive(1, .leave(channel: "c")) == ["2 alice left", "1 leave-ack ok"])
        #expect(server.receive(1, .leave(channel: "c")) == ["1 leave-ack not-found"])
        server.receive(2, .setAttributes(channel: "c", [AnswerField(name: "a", value: "b")]))
        server.receive(2, .leave(channel: "c"))
        server.receive(1, .join(channel: "c"))
        #expect(server.receive(1, .ask(.channelAttributes(channel: "c"))) == ["1 answer ok "])
    }

    @Test("RTM-4: a user with two devices is a member until the last device has left")
    func twoDevices() {
        var policy = rtm
        policy.exclusion = .none
        policy.presenceHold = .zero
        let server = channel(policy)
        server.login(3, "a2")
        server.receive(3, .join(channel: "c"))
        #expect(
            server.receive(1, .logout(keepsPush: false)) == ["alice/a logout", "3 devices logout a", "1 logout-ack ok"])
        #expect(sendMessage(server, "m") == ["3 message bob: m", "2 send-ack ok"])
        #expect(server.close(3) == ["alice/a2 offline", "2 alice left"])
    }

    @Test("design 2: a channel has a maximum of members and a valid name; only members see the members")
    func limits() {
        var policy = rtm
        policy.channelMembersMax = 2
        let server = channel(policy)
        server.login(3, "c", user: "carol")
        #expect(server.receive(3, .join(channel: "c")) == ["3 join-ack limit-exceeded "])
        // A member may join the channel again.
        #expect(server.receive(1, .join(channel: "c")) == ["1 join-ack ok alice,bob"])
        #expect(server.receive(1, .join(channel: "")) == ["1 join-ack invalid-argument "])
        #expect(server.receive(1, .ask(.members(channel: "c"))) == ["1 answer ok member=alice,member=bob"])
        #expect(server.receive(3, .ask(.members(channel: "c"))) == ["3 answer not-found "])
        #expect(server.receive(3, .ask(.members(channel: "nowhere"))) == ["3 answer not-found "])
    }
}
