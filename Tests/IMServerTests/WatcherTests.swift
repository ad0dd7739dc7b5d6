import IMProtocol
import IMServer
import SansIO
import Testing

@Suite struct WatcherTests {
    /// A server on which bob watches alice. Bob's connection needs no heartbeats.
    private func watched(_ policy: ServerPolicy = zim) -> ServerTranscript {
        let server = ServerTranscript(policy)
        server.login(1, "a")
        server.login(2, "b", user: "bob")
        #expect(server.receive(2, .watch(user: "alice", isOn: true)) == ["2 watch-ack ok", "2 alice is online"])
        return server
    }

    /// Advances the time by this number of seconds, while bob sends heartbeats. Returns the presence of alice that bob
    /// was notified of, each after its second.
    private func presenceEvents(_ seconds: Int, _ server: ServerTranscript) -> [String] {
        var presenceEvents: [String] = []
        for second in 1...seconds {
            presenceEvents += server.wait(1).filter { $0.contains(" is ") }.map { _ in "\(second)s " + presence(server)
            }
            server.receive(2, .heartbeat)
        }
        return presenceEvents
    }

    private func presence(_ server: ServerTranscript) -> String {
        if case .presence(_, let change) = server.last[2] { change.name } else { "-" }
    }

    @Test("ZIM-5 S-16: a killed app is Offline after 35 s of silence, a logout is Logout at once")
    func offlineOrLogout() {
        #expect(presenceEvents(40, watched()) == ["35s offline"])
        let server = watched()
        #expect(
            server.receive(1, .logout(keepsPush: false)) == ["alice/a logout", "2 alice is logout", "1 logout-ack ok"])
        #expect(presenceEvents(60, server) == [])
        let closed = watched()
        #expect(closed.close(1) == ["alice/a offline", "2 alice is offline"])
        #expect(closed.login(3, "a").contains("2 alice is online"))
    }

    @Test("ZIM-5: a kick by the operator and an expired token are reported too")
    func otherEnds() {
        let kicked = watched()
        #expect(kicked.command(.kick(user: "alice", device: nil)).contains("2 alice is kicked"))
        let ended = watched()
        ended.receive(
            1, .renewToken(.verdict(CredentialVerdict(.valid, user: "alice", expiresAtMilliseconds: 1))))
        #expect(ended.wait(0).contains("0ms 2 alice is offline"))
    }

    @Test("RTM-4: while a user with a broken connection counts as online, watchers are not notified")
    func held() {
        let server = watched(rtm)
        server.close(1)
        #expect(presenceEvents(29, server) == [])
        server.login(3, "a", .ios, .resume, epoch: 1)
        #expect(presenceEvents(5, server) == [])
        server.close(3)
        #expect(presenceEvents(31, server) == ["30s offline"])
    }

    @Test("P8: a user is offline only when the last device is")
    func severalDevices() {
        var policy = zim
        policy.exclusion = .multi
        let server = watched(policy)
        #expect(!server.login(3, "web", .web).contains("2 alice is online"))
        #expect(!server.receive(1, .logout(keepsPush: false)).contains { $0.contains(" is ") })
        #expect(server.close(3).contains("2 alice is offline"))
        #expect(server.login(4, "a").contains("2 alice is online"))
    }

    @Test("ZIM-5: a second watch reports once, and an ended watch reports nothing")
    func onAndOff() {
        let server = watched()
        #expect(server.receive(2, .watch(user: "alice", isOn: true)) == ["2 watch-ack ok", "2 alice is online"])
        #expect(server.receive(1, .logout(keepsPush: false)).filter { $0.hasPrefix("2 ") }.count == 1)
        #expect(server.receive(2, .watch(user: "alice", isOn: false)) == ["2 watch-ack ok"])
        #expect(server.receive(2, .watch(user: "alice", isOn: false)) == ["2 watch-ack ok"])
        #expect(!server.login(3, "a").contains { $0.hasPrefix("2 ") })
    }

    @Test("ZIM-5: a user can be watched before the first login, unless only the operator creates accounts")
    func unknownUsers() {
        let server = watched()
        #expect(server.receive(2, .watch(user: "carol", isOn: true)) == ["2 watch-ack ok", "2 carol is offline"])
        #expect(server.login(3, "c", user: "carol").contains("2 carol is online"))
        #expect(server.receive(2, .watch(user: "", isOn: true)) == ["2 watch-ack invalid-argument"])
        var strict = zim
        strict.makesAccounts = false
        let closed = ServerTranscript(strict)
        closed.command(.addAccount("alice"))
        closed.login(1, "a")
        #expect(closed.receive(1, .watch(user: "carol", isOn: true)) == ["1 watch-ack not-found"])
        closed.command(.addAccount("carol"))
        #expect(closed.receive(1, .watch(user: "carol", isOn: true)) == ["1 watch-ack ok", "1 carol is offline"])
    }

    @Test("C-15 C-8: a watch belongs to its connection: it ends with it, or with its login")
    func belongsToTheConnection() {
        let broken = watched()
        broken.close(2)
        broken.login(3, "b", user: "bob", .resume, epoch: 1)
        #expect(!broken.close(1).contains { $0.contains(" is ") })
        for end in ["logout", "kick", "token"] {
            let server = watched()
            switch end {
            case "logout": server.receive(2, .logout(keepsPush: false))
            case "kick": server.command(.kick(user: "bob", device: nil))
            default:
                server.receive(
                    2, .renewToken(.verdict(CredentialVerdict(.valid, user: "bob", expiresAtMilliseconds: 1))))
                server.wait(0)
            }
            #expect(server.close(1) == ["alice/a offline"])
        }
    }

    @Test("design 2: one connection watches 512 users, and may watch those again")
    func limit() {
        let server = watched()
        for number in 2...512 {
            #expect(server.receive(2, .watch(user: "u\(number)", isOn: true)).first == "2 watch-ack ok")
        }
        #expect(server.receive(2, .watch(user: "u513", isOn: true)) == ["2 watch-ack limit-exceeded"])
        #expect(server.receive(2, .watch(user: "u512", isOn: true)).first == "2 watch-ack ok")
        server.receive(2, .watch(user: "u2", isOn: false))
        #expect(server.receive(2, .watch(user: "u513", isOn: true)).first == "2 watch-ack ok")
        #expect(server.receive(1, .watch(user: "bob", isOn: true)).first == "1 watch-ack ok")
    }
}
