import Foundation
import IMProtocol
import IMServer
import SansIO
import Testing

@Suite struct RestartTests {
    @Test("C-6 C-7: devices, logins, undelivered kicks and bans survive a restart")
    func loginsStay() {
        let server = ServerTranscript(nim)
        server.login(1, "a")
        server.close(1)
        server.login(2, "b")
        server.login(3, "c", user: "carol")
        server.command(.banAccount("carol"))
        server.command(.addAccount("dave"))
        server.restart()
        #expect(server.machine.users == ["alice", "carol", "dave"])
        #expect(server.machine.nextDeadline == nil)
        #expect(server.devices("presence") == ["a logged-out", "b away"])
        #expect(server.devices("undelivered-kick") == ["a other-login", "b -"])
        #expect(server.devices("push") == ["a unbound", "b bound"])
        #expect(server.login(1, "a", .ios, .resume, epoch: 1) == ["1 kicked other-login epoch=1 by b"])
        #expect(server.login(2, "b", .ios, .resume, epoch: 2) == ["2 login-ack ok epoch=2", "alice/b online"])
        #expect(server.login(3, "c", user: "carol") == ["3 login-ack banned"])
        // The epochs continue after the restart.
        #expect(server.login(4, "web", .web).first == "4 login-ack ok epoch=3")
    }

    @Test("C-14: waiting messages survive, and an accepted message is not accepted again")
    func messagesStay() {
        let server = ServerTranscript(rtm)
        server.command(.addAccount("carol"))
        server.login(1, "a")
        server.login(2, "b", user: "bob")
        server.close(2)
        for (id, to) in [("m", "bob"), ("n", "carol")] {
            server.receive(1, .send(ChatMessage(id: id, to: to, text: id)))
        }
        server.restart()
        server.login(1, "a", .ios, .resume, epoch: 1)
        server.receive(1, .send(ChatMessage(id: "m", to: "bob", text: "m")))
        #expect(
            server.login(2, "b", user: "bob", .resume, epoch: 1).filter { $0.contains("message") }
                == ["2 message alice: m"])
        #expect(server.login(3, "c", user: "carol").filter { $0.contains("message") } == ["3 message alice: n"])
    }

    @Test("C-14: accounts of an older version are read; waiting messages get their numbers at the next login")
    func olderAccounts() throws {
        let server = ServerTranscript(chat)
        server.login(2, "b", user: "bob")
        server.close(2)
        server.login(1, "a")
        server.receive(1, .send(ChatMessage(id: "m", to: "bob", text: "m")))
        let kept = try #require(server.machine.keptAccount(of: "bob"))
        func older(_ json: Any) -> Any {
            if let list = json as? [Any] { return list.map(older) }
            guard let fields = json as? [String: Any] else { return json }
            return fields.filter { !["taken", "numbering", "pulled", "number", "feed"].contains($0.key) }.mapValues(
                older)
        }
        let newer = try JSONSerialization.jsonObject(with: JSONEncoder().encode(kept))
        let account = try JSONDecoder().decode(
            KeptAccount.self, from: JSONSerialization.data(withJSONObject: older(newer)))
        var machine = ServerMachine(policy: chat, epochMilliseconds: ServerTranscript.noon)
        machine.restore([("bob", account)])
        let next = ServerTranscript(copy: machine, at: .zero)
        next.login(2, "b", user: "bob")
        #expect(next.receive(2, .sync).contains("2 message alice: m"))
        #expect(next.number(2, "m") != 0)
        next.confirm(2, "m")
        #expect(!next.receive(2, .sync).contains("2 message alice: m"))
    }

    @Test("RTM-4 C-15: connections and watches end; users count as online, with channels and attributes, for 30 s")
    func presenceIsHeld() {
        let server = ServerTranscript(rtm)
        server.login(1, "a")
        server.login(2, "b", user: "bob")
        server.receive(1, .join(channel: "c"))
        server.receive(2, .watch(user: "alice", isOn: true))
        server.receive(1, .setAttributes(channel: "", [AnswerField(name: "mood", value: "fine")]))
        server.restart()
        #expect(server.receive(1, .heartbeat) == [] && server.close(1) == [])
        server.login(2, "b", user: "bob", .resume, epoch: 1)
        #expect(server.receive(2, .ask(.attributes(user: "alice"))) == ["2 answer ok mood=fine"])
        // The user returns within the presence hold. Nobody is notified, and bob's watch ended with his connection.
        #expect(server.login(1, "a", .ios, .resume, epoch: 1) == ["1 login-ack ok epoch=1"])
        if case .loginAck(let reply) = server.last[1] { #expect(!reply.wasGone) }
        #expect(server.receive(1, .join(channel: "c")) == ["1 join-ack ok alice"])
    }

    @Test("RTM-4: a user who has not returned within 30 s is removed, and the members and the client are notified")
    func presenceEnds() {
        let before = ServerTranscript(rtm)
        before.login(1, "a")
        before.login(2, "b", user: "bob")
        before.receive(1, .join(channel: "c"))
        before.receive(2, .join(channel: "c"))
        var machine = before.machine.withoutConnections(at: .zero)
        machine.holdPresence(at: .zero)
        let server = ServerTranscript(copy: machine, at: .zero)
        server.login(2, "b", user: "bob", .resume, epoch: 1)
        #expect(server.receive(2, .join(channel: "c")) == ["2 join-ack ok alice,bob"])
        #expect(server.wait(29.9) == [])
        #expect(server.wait(0.2).contains("100ms 2 alice left"))
        #expect(server.login(1, "a", .ios, .resume, epoch: 1).contains("1 login-ack ok epoch=1"))
        if case .loginAck(let reply) = server.last[1] { #expect(reply.wasGone) }
    }

    @Test("NIM-8 C-10: rate limits and timers end with the server's process")
    func instantsEnd() {
        var policy = zim
        policy.loginRateMax = 1
        policy.loginRatePenalty = .seconds(60)
        let server = ServerTranscript(policy)
        server.login(1, "a", expiresAt: ServerTranscript.noon + 10_000)
        #expect(server.login(2, "a") == ["2 login-ack rate-limited"])
        server.restart()
        #expect(server.wait(60) == [])
        #expect(server.login(1, "a").first == "1 login-ack ok epoch=2")
    }

    @Test("design 2: a restart after a restart changes nothing")
    func twice() {
        let server = ServerTranscript(nim)
        server.login(1, "a")
        server.login(2, "b")
        let once = server.machine.withoutConnections(at: server.now)
        #expect(once.withoutConnections(at: server.now) == once)
    }
}
