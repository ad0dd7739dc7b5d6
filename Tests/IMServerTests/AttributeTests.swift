import IMProtocol
import IMServer
import SansIO
import Testing

@Suite struct AttributeTests {
    private func fields(_ pairs: (String, String)...) -> [AnswerField] {
        pairs.map { AnswerField(name: $0.0, value: $0.1) }
    }

    private func twoUsersOnline() -> ServerTranscript {
        let server = ServerTranscript(rtm)
        server.login(1, "a")
        server.login(2, "b", user: "bob")
        return server
    }

    private func attributesOf(_ server: ServerTranscript, _ user: String, on connection: UInt32 = 2) -> [String] {
        server.receive(connection, .ask(.attributes(user: user)))
    }

    @Test("RTM-4: a user's attributes are the last ones set, visible to everyone")
    func own() {
        let server = twoUsersOnline()
        #expect(attributesOf(server, "alice") == ["2 answer ok "])
        let set = FrameBody.setAttributes(channel: "", fields(("mood", "fine"), ("room", "7")))
        #expect(server.receive(1, set) == ["1 set-attributes-ack ok"])
        #expect(attributesOf(server, "alice") == ["2 answer ok mood=fine,room=7"])
        #expect(attributesOf(server, "", on: 1) == ["1 answer ok mood=fine,room=7"])
        #expect(attributesOf(server, "") == ["2 answer ok "])
        server.receive(1, .setAttributes(channel: "", fields(("mood", "bad"))))
        #expect(attributesOf(server, "alice") == ["2 answer ok mood=bad"])
        server.receive(1, .setAttributes(channel: "", []))
        #expect(attributesOf(server, "alice") == ["2 answer ok "])
        #expect(attributesOf(server, "carol") == ["2 answer not-found "])
    }

    @Test("RTM-4: attributes exist as long as the user is present, and the answer to a reconnect reports their loss")
    func lost() {
        func loginAgain(after seconds: Int) -> (wasGone: Bool?, answer: [String]) {
            let server = twoUsersOnline()
            server.receive(1, .setAttributes(channel: "", fields(("mood", "fine"))))
            server.close(1)
            for _ in 0..<seconds {
                server.wait(1)
                server.receive(2, .heartbeat)
            }
            server.login(3, "a", .ios, .resume, epoch: 1)
            let reply: LoginReply? = if case .loginAck(let reply) = server.last[3] { reply } else { nil }
            return (reply?.wasGone, attributesOf(server, "alice"))
        }
        #expect(loginAgain(after: 29) == (false, ["2 answer ok mood=fine"]))
        #expect(loginAgain(after: 31) == (true, ["2 answer ok "]))
        let server = twoUsersOnline()
        server.receive(1, .setAttributes(channel: "", fields(("mood", "fine"))))
        server.receive(1, .logout(keepsPush: false))
        #expect(attributesOf(server, "alice") == ["2 answer not-found "])
        // A new login does not continue an earlier state, so no loss is reported.
        server.login(3, "a")
        if case .loginAck(let reply) = server.last[3] { #expect(!reply.wasGone) }
    }

    @Test("RTM-4: members set a channel's attributes, and everyone reads them")
    func channels() {
        let server = twoUsersOnline()
        let set = FrameBody.setAttributes(channel: "c", fields(("topic", "tea")))
        #expect(server.receive(1, set) == ["1 set-attributes-ack not-found"])
        server.receive(1, .join(channel: "c"))
        #expect(server.receive(1, set) == ["1 set-attributes-ack ok"])
        #expect(server.receive(2, set) == ["2 set-attributes-ack not-found"])
        #expect(server.receive(2, .ask(.channelAttributes(channel: "c"))) == ["2 answer ok topic=tea"])
        #expect(server.receive(2, .ask(.channelAttributes(channel: "d"))) == ["2 answer not-found "])
    }

    @Test("RTM: 32 attributes, names of 32 bytes, values of 8 KB, 16 KB in all; a refused set changes nothing")
    func limits() {
        let server = twoUsersOnline()
        func set(_ set: [AnswerField]) -> [String] { server.receive(1, .setAttributes(channel: "", set)) }
        let many = (1...32).map { AnswerField(name: "n\($0)", value: String(repeating: "x", count: 500)) }
        #expect(set(many) == ["1 set-attributes-ack ok"])
        for bad in [
            fields(("", "x")), fields(("a\n", "x")), fields(("a", "\u{7}")),
            fields((String(repeating: "x", count: 33), "x")),
        ] { #expect(set(bad) == ["1 set-attributes-ack invalid-argument"]) }
        let large = String(repeating: "x", count: 8193)
        #expect(set(fields(("a", large))) == ["1 set-attributes-ack limit-exceeded"])
        #expect(set(many + fields(("one", "more"))) == ["1 set-attributes-ack limit-exceeded"])
        #expect(attributesOf(server, "alice").first?.hasPrefix("2 answer ok n1=x") == true)
    }
}
