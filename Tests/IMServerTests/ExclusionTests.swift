import IMProtocol
import IMServer
import SansIO
import Testing

@Suite struct ExclusionTests {
    /// True if a login on the second platform ends a login on the first platform.
    private func excludes(_ first: Platform, _ second: Platform, _ policy: ServerPolicy) -> Bool {
        let server = ServerTranscript(policy)
        server.login(1, "a", first)
        return server.login(2, "b", second).contains("1 kicked other-login epoch=1 by b")
    }

    @Test("NIM-11: phones exclude each other, computers and browsers exclude each other, the two groups coexist")
    func groups() {
        let mobile: [Platform] = [.ios, .android, .windowsPhone]
        let desktop: [Platform] = [.windows, .macos, .web]
        for first in mobile + desktop {
            for second in mobile + desktop {
                #expect(excludes(first, second, nim) == (mobile.contains(first) == mobile.contains(second)))
            }
        }
    }

    @Test("NIM-11: one device only, no exclusion, and a limit that ends the earliest login")
    func otherPolicies() {
        #expect(excludes(.ios, .web, rtm))
        var policy = nim
        policy.exclusion = .none
        policy.deviceCountMax = 1
        #expect(!excludes(.ios, .ios, policy))
        policy.exclusion = .unlimited
        policy.deviceCountMax = 10
        let server = ServerTranscript(policy)
        for number in UInt32(1)...10 {
            #expect(!server.login(number, "d\(number)").contains { $0.contains("kicked") })
            server.wait(0.1)
        }
        let lines = server.login(11, "d11").filter { $0.contains("kicked other") }
        #expect(lines == ["1 kicked other-login epoch=1 by d11"])
    }

    @Test("NIM-11: the policy can be changed, applies from the next login on, and refuses invalid values")
    func setPolicy() {
        let server = ServerTranscript(nim)
        #expect(server.command(.setPolicy(key: "exclusion", value: "none")) == ["done ok"])
        server.login(1, "a")
        #expect(!server.login(2, "b").contains { $0.contains("kicked") })
        for (key, value) in [
            ("exclusion", "all"), ("device-count-max", "0"), ("checks-last-device", "maybe"), ("silence-limit-ms", "0"),
            ("presence-hold-ms", "-1"), ("makes-accounts", ""),
        ] { #expect(server.command(.setPolicy(key: key, value: value)) == ["done invalid-argument"]) }
        #expect(server.command(.setPolicy(key: "colour", value: "red")) == ["done not-found"])
    }

    @Test("NIM-4: an unforced autologin is refused after another device of the group, online or not")
    func usedElsewhere() {
        let server = ServerTranscript(nim)
        server.login(1, "a")
        server.close(1)
        server.login(2, "b", .android)
        #expect(server.login(3, "a", .ios, .automatic) == ["3 login-ack logged-in-elsewhere"])
        server.receive(2, .logout(keepsPush: false))
        #expect(server.login(4, "a", .ios, .automatic) == ["4 login-ack logged-in-elsewhere"])
        #expect(server.login(5, "a", .ios, .forced).first == "5 login-ack ok epoch=3")
        #expect(server.login(6, "a", .ios, .automatic).contains("6 login-ack ok epoch=4"))
        // A login of another group has no effect.
        server.login(7, "c", .web)
        #expect(server.login(8, "a", .ios, .automatic).contains("8 login-ack ok epoch=6"))
    }

    @Test("NIM-4: a forced login kicks the device of its group that is online")
    func forced() {
        let server = ServerTranscript(nim)
        server.login(1, "a")
        server.login(2, "b")
        #expect(server.login(3, "a", .ios, .forced).contains("2 kicked other-login epoch=2 by a"))
    }
}

@Suite struct KickDeliveryTests {
    @Test("C-8: a kick goes to the connection of the login that it names, and to no other")
    func addressed() {
        let server = ServerTranscript(nim)
        server.login(1, "a")
        server.login(2, "web", .web)
        #expect(
            server.login(3, "b") == [
                "alice/a kicked", "2 devices logout a", "1 kicked other-login epoch=1 by b", "3 login-ack ok epoch=3",
                "alice/b online", "2 devices login b",
            ])
        // The confirmation of the kick closes only this connection.
        #expect(server.receive(1, .kickedAck(epoch: 1)) == ["close 1"])
        #expect(server.devices("presence") == ["a logged-out", "web online", "b online"])
    }

    @Test("C-7 C-6: an undelivered kick is sent at each resume until it is confirmed, without other frames")
    func sentUntilConfirmed() {
        let server = ServerTranscript(nim)
        server.login(1, "a")
        server.close(1)
        server.login(2, "b")
        for id in UInt32(3)...4 {
            #expect(server.login(id, "a", .ios, .resume, epoch: 1) == ["\(id) kicked other-login epoch=1 by b"])
            server.close(id)
            #expect(server.devices("undelivered-kick").first == "a other-login")
        }
        server.login(5, "a", .ios, .resume, epoch: 1)
        // On this connection, only the confirmation of the pending kick has an effect. The confirmation of another
        // login's kick does not confirm it.
        #expect(server.receive(5, .sync) == [])
        #expect(server.receive(5, .kickedAck(epoch: 1)) == ["close 5"])
        #expect(server.devices("undelivered-kick").first == "a -")
        #expect(server.devices("presence") == ["a logged-out", "b online"])
    }

    @Test("C-7 NIM-12: an undelivered kick keeps its reason, and the confirmation of another kick does not confirm it")
    func undeliveredKeepsItsReason() {
        let server = ServerTranscript(nim)
        server.login(1, "a")
        server.close(1)
        server.login(2, "web", .web)
        server.receive(2, .kick(device: "a"))
        #expect(server.login(3, "a", .ios, .resume, epoch: 1) == ["3 kicked other-device epoch=1 by web"])
        #expect(server.receive(3, .kickedAck(epoch: 9)) == ["close 3"])
        #expect(server.login(4, "a", .ios, .resume, epoch: 1) == ["4 kicked other-device epoch=1 by web"])
    }

    @Test("C-5 C-6: a login that was kicked and confirmed, logged out, or never existed cannot be resumed")
    func endedIsEnded() {
        let server = ServerTranscript(nim)
        server.login(1, "a")
        server.command(.kick(user: "alice", device: nil))
        server.receive(1, .kickedAck(epoch: 1))
        #expect(server.login(2, "a", .ios, .resume, epoch: 1) == ["2 kicked server epoch=1 by -"])
        server.login(3, "a")
        server.receive(3, .logout(keepsPush: false))
        #expect(server.login(4, "a", .ios, .resume, epoch: 2) == ["4 kicked server epoch=2 by -"])
        #expect(server.login(5, "a", .ios, .resume, epoch: 99) == ["5 kicked server epoch=99 by -"])
        #expect(server.login(6, "a", .ios, .resume, epoch: 0) == ["6 kicked server epoch=0 by -"])
        #expect(server.devices("presence") == ["a logged-out"])
    }

    @Test("C-6: a late resume of a device's own older login does not replace its newer one")
    func ownOlderLogin() {
        let server = ServerTranscript(nim)
        server.login(1, "a")
        server.close(1)
        server.login(2, "a")
        let lines = server.login(3, "a", .ios, .resume, epoch: 1)
        #expect(lines.count == 1 && lines.allSatisfy { $0.hasPrefix("3 kicked") })
        #expect(server.devices("connection") == ["a 2"])
    }

    @Test("C-8: a device's own reconnect replaces its old connection and is never a kick")
    func ownReconnect() {
        for mode in [LoginMode.resume, .manual, .automatic, .forced] {
            let server = ServerTranscript(nim)
            server.login(1, "a")
            let lines = server.login(2, "a", .ios, mode, epoch: 1)
            #expect(lines.prefix(2) == ["1 goodbye replaced", "close 1"])
            #expect(!lines.contains { $0.contains("kicked") || $0.contains("alice/") })
            #expect(server.close(1) == [])
            #expect(server.devices("connection") == ["a 2"])
        }
    }

    @Test("NIM-12: kicks by another device and by the server have their reasons; a device cannot kick itself")
    func kicks() {
        let server = ServerTranscript(nim)
        server.login(1, "a")
        server.login(2, "web", .web)
        #expect(
            server.receive(1, .kick(device: "web")) == [
                "alice/web kicked", "1 devices logout web", "2 kicked other-device epoch=2 by a", "1 kick-ack ok",
            ])
        #expect(server.receive(1, .kick(device: "a")) == ["1 kick-ack not-found"])
        #expect(server.receive(1, .kick(device: "nobody's")) == ["1 kick-ack not-found"])
        #expect(server.receive(1, .kick(device: "")) == ["1 kick-ack ok"])
        #expect(
            server.command(.kick(user: "alice", device: "a"))
                == ["alice/a kicked", "1 kicked server epoch=1 by -", "done ok"])
        #expect(server.command(.kick(user: "alice", device: "a")) == ["done not-logged-in"])
        #expect(server.command(.kick(user: "alice", device: "x")) == ["done not-found"])
        #expect(server.command(.kick(user: "bob", device: nil)) == ["done not-found"])
    }

    @Test("NIM-7: a ban ends every login and refuses the next ones until it is lifted")
    func ban() {
        let server = ServerTranscript(nim)
        server.login(1, "a")
        #expect(server.command(.banAccount("alice")).contains("1 kicked banned epoch=1 by -"))
        #expect(server.login(2, "a") == ["2 login-ack banned"])
        #expect(server.login(3, "a", .ios, .resume, epoch: 1) == ["3 login-ack banned"])
        server.command(.addAccount("alice"))
        #expect(server.login(4, "a").first == "4 login-ack ok epoch=2")
    }
}

@Suite struct PresenceTests {
    /// A server with two users in one channel.
    private func channel() -> ServerTranscript {
        let server = ServerTranscript(rtm)
        server.login(1, "a")
        server.login(2, "b", user: "bob")
        #expect(server.receive(1, .join(channel: "c")) == ["1 join-ack ok alice"])
        #expect(server.receive(2, .join(channel: "c")) == ["2 join-ack ok alice,bob", "1 bob joined"])
        return server
    }

    /// Advances the time by this number of seconds, while bob sends heartbeats.
    private func wait(_ seconds: Int, _ server: ServerTranscript) -> [String] {
        (0..<seconds).flatMap { _ in
            let lines = server.wait(1)
            server.receive(2, .heartbeat)
            return lines
        }
    }

    @Test("RTM-4: a return within 30 s is not reported to others, and rejoins the channel silently")
    func returnsInTime() {
        let server = channel()
        #expect(server.close(1) == [])
        #expect(wait(29, server) == [])
        #expect(server.devices("presence") == ["a held"])
        #expect(server.login(3, "a", .ios, .resume, epoch: 1) == ["3 login-ack ok epoch=1"])
        #expect(server.receive(3, .join(channel: "c")) == ["3 join-ack ok alice,bob"])
    }

    @Test("RTM-4: after 30 s the others get memberLeft, and memberJoined when the user returns")
    func returnsLate() {
        let server = channel()
        server.close(1)
        let lines = wait(31, server).map { $0.split(separator: " ").dropFirst().joined(separator: " ") }
        #expect(lines == ["alice/a offline", "2 alice left"])
        #expect(server.login(3, "a", .ios, .resume, epoch: 1) == ["3 login-ack ok epoch=1", "alice/a online"])
        #expect(server.receive(3, .join(channel: "c")) == ["3 join-ack ok bob,alice", "2 alice joined"])
    }

    @Test("RTM-4 C-12: a silent connection counts from its last heartbeat, and is closed")
    func silent() {
        let server = channel()
        let lines = wait(32, server)
        #expect(lines.contains { $0.hasSuffix("close 1") } && lines.contains { $0.hasSuffix("2 alice left") })
        let quiet = ServerTranscript(nim)
        quiet.login(1, "a")
        #expect(quiet.wait(89) == [])
        #expect(quiet.wait(1) == ["1000ms close 1", "1000ms alice/a offline"])
    }

    @Test("NIM-13: the remaining devices are notified of logins and logouts")
    func devices() {
        let server = ServerTranscript(nim)
        server.login(1, "a")
        #expect(server.login(2, "web", .web) == ["2 login-ack ok epoch=2", "alice/web online", "1 devices login web"])
        #expect(
            server.receive(2, .logout(keepsPush: false))
                == ["alice/web logout", "1 devices logout web", "2 logout-ack ok"])
    }

    @Test("NIM-10: a logout unbinds push unless it keeps push; a broken link does not unbind it")
    func push() {
        for (keeps, binding) in [(true, "a bound"), (false, "a unbound")] {
            let server = ServerTranscript(nim)
            server.login(1, "a")
            server.receive(1, .logout(keepsPush: keeps))
            #expect(server.devices("push") == [binding])
        }
        let server = ServerTranscript(nim)
        server.login(1, "a")
        server.close(1)
        #expect(server.devices("push") == ["a bound"])
    }
}
