import IMProtocol
import IMServer
import SansIO
import Testing

/// Tests of which device is kicked when there are too many, and of devices that return (CHAT-2, CHAT-3, CHAT-11).
@Suite struct SlotTests {
    private func server(_ keys: (String, String)...) -> ServerTranscript {
        let server = ServerTranscript(chat)
        for (key, value) in keys { #expect(server.command(.setPolicy(key: key, value: value)) == ["done ok"]) }
        return server
    }

    private func kicks(_ lines: [String]) -> [String] { lines.filter { $0.contains(" kicked ") } }

    private func online(_ server: ServerTranscript) -> String {
        server.devices("presence").filter { $0.hasSuffix(" online") }.map { $0.prefix(1) }.joined()
    }

    /// A server with the devices `a`, `b`, `c` and `d` over the connections 1 to 4.
    private func full(_ keys: (String, String)...) -> ServerTranscript {
        let server = ServerTranscript(chat)
        for (key, value) in keys { server.command(.setPolicy(key: key, value: value)) }
        for (number, name) in ["a", "b", "c", "d"].enumerated() { server.login(UInt32(number + 1), name) }
        return server
    }

    @Test("CHAT-2: four devices of a platform may log in; the fifth ends the earliest login of that platform only")
    func four() {
        let server = full()
        #expect(online(server) == "abcd")
        #expect(kicks(server.login(5, "e")) == ["1 kicked other-login epoch=1 by e"])
        #expect(kicks(server.login(6, "f")) == ["2 kicked other-login epoch=2 by f"])
        #expect(online(server) == "cdef")
        // Another platform has its own slots.
        for (number, name) in ["g", "h", "i", "j"].enumerated() {
            #expect(kicks(server.login(UInt32(number + 7), name, .android)) == [])
        }
        #expect(online(server) == "cdefghij")
    }

    @Test("CHAT-2: the earliest login is ended, not that of the earliest device; a reconnect does not change the order")
    func earliest() {
        let server = full()
        // A device that logs in again keeps its slot, kicks nobody, and has now the latest login.
        #expect(kicks(server.login(11, "a")) == [])
        #expect(online(server) == "abcd")
        #expect(kicks(server.login(5, "e")) == ["2 kicked other-login epoch=2 by e"])
        // The device reconnects before the server has detected the end of its old connection. It continues its login.
        #expect(server.login(13, "c", .ios, .resume, epoch: 3).contains("13 login-ack ok epoch=3"))
        #expect(kicks(server.login(6, "f")) == ["13 kicked other-login epoch=3 by f"])
    }

    @Test("CHAT-2: the number of devices is a policy, and a lower number applies from the next login on")
    func count() {
        let server = full(("device-count-max", "4"))
        server.command(.setPolicy(key: "device-count-max", value: "2"))
        #expect(online(server) == "abcd")
        #expect(
            kicks(server.login(5, "e")) == [
                "1 kicked other-login epoch=1 by e", "2 kicked other-login epoch=2 by e",
                "3 kicked other-login epoch=3 by e",
            ])
        #expect(online(server) == "de")
    }

    @Test("CHAT-5: a custom platform counts as a platform, whatever the device is")
    func osTypes() {
        let server = server(("device-count-max", "1"))
        func login(_ id: UInt32, _ name: String, _ platform: Platform, _ osType: UInt32) -> [String] {
            server.open(id)
            let device = Device(id: name, platform: platform, name: "n-\(name)", osType: osType, ext: "x-\(name)")
            return server.receive(
                id,
                .login(
                    LoginRequest(
                        application: "agora-chat", user: "alice", device: device, mode: .manual, epoch: 0,
                        credential: .verdict(CredentialVerdict(.valid, user: "alice")))))
        }
        _ = login(1, "a", .ios, 0)
        #expect(kicks(login(2, "b", .ios, 60)) == [])
        #expect(kicks(login(3, "c", .ios, 61)) == [])
        #expect(kicks(login(4, "d", .android, 60)) == ["2 kicked other-login epoch=2 by d"])
        // The kicked device gets the name and the extension of the new device.
        guard case .kicked(let notice)? = server.last[2] else {
            Issue.record("no notice")
            return
        }
        #expect(notice.by == Device(id: "d", platform: .android, name: "n-d", osType: 60, ext: "x-d"))
    }

    @Test("CHAT-5: a device's name and platform are known only after a successful login")
    func onlyWithSuccess() {
        let server = server()
        server.login(1, "a", credential: .verdict(CredentialVerdict(.wrong)))
        #expect(server.devices("name") == [])
        server.login(2, "a")
        server.login(3, "b", credential: .verdict(CredentialVerdict(.wrong)))
        #expect(server.devices("name") == ["a "])
    }

    @Test("CHAT-2: the single-device policy: the new login ends the current one, on any platform")
    func single() {
        let server = server(("exclusion", "single"))
        server.login(1, "a")
        #expect(kicks(server.login(2, "b", .web)) == ["1 kicked other-login epoch=1 by b"])
        #expect(kicks(server.login(3, "b", .web)) == [])
        #expect(online(server) == "b")
    }

    @Test(
        "S-17 CHAT-3: an offline device frees its slot; at its return it kicks the earliest, without a chain of kicks")
    func returnKicksEarliest() {
        let server = full(("silence-limit-ms", "90000"))
        // The network of `a` is down, and the server detects it after 90 s.
        for _ in 0..<9 {
            server.wait(10)
            for id in UInt32(2)...4 { server.receive(id, .heartbeat) }
        }
        #expect(server.devices("presence").first == "a away")
        #expect(kicks(server.login(5, "e")) == [])
        #expect(online(server) == "bcde")
        let lines = server.login(6, "a", .ios, .resume, epoch: 1)
        #expect(kicks(lines) == ["2 kicked other-login epoch=2 by a"])
        #expect(lines.contains("6 login-ack ok epoch=6"))
        #expect(online(server) == "acde")
        // The kicked device is notified when it returns, and kicks nobody.
        #expect(server.login(7, "b", .ios, .resume, epoch: 2) == ["7 kicked other-login epoch=2 by a"])
        #expect(online(server) == "acde")
    }

    @Test("S-17 CHAT-3: with keep-current the return fails and kicks nobody, and succeeds when a slot is free")
    func returnKeepsCurrent() {
        let server = full(("taken-place", "keep-current"))
        server.close(1)
        server.login(5, "e")
        for (id, mode) in [(6, LoginMode.resume), (7, .automatic), (8, .resume)] as [(UInt32, LoginMode)] {
            #expect(server.login(id, "a", .ios, mode, epoch: 1) == ["\(id) login-ack too-many-devices"])
        }
        #expect(online(server) == "bcde")
        // A manual login is not refused. It takes the slot of the device with the earliest login.
        let copy = ServerTranscript(copy: server.machine, at: server.now)
        #expect(kicks(copy.login(9, "a")) == ["2 kicked other-login epoch=2 by a"])
        server.receive(2, .logout(keepsPush: false))
        #expect(server.login(9, "a", .ios, .resume, epoch: 1).first == "9 login-ack ok epoch=6")
    }

    @Test(
        "CHAT-3: the single-device policy: the current device is kicked, or with keep-current the returning one is refused"
    )
    func returnSingle() {
        for mode in [LoginMode.resume, .automatic] {
            let kicking = server(("exclusion", "single"))
            kicking.login(1, "a")
            kicking.close(1)
            kicking.login(2, "b", .android)
            #expect(kicks(kicking.login(3, "a", .ios, mode, epoch: 1)) == ["2 kicked other-login epoch=2 by a"])
            let keeping = server(("exclusion", "single"), ("taken-place", "keep-current"))
            keeping.login(1, "a")
            keeping.close(1)
            keeping.login(2, "b", .android)
            #expect(keeping.login(3, "a", .ios, mode, epoch: 1) == ["3 login-ack too-many-devices"])
            #expect(online(keeping) == "b")
        }
    }

    @Test("CHAT-3 C-6: where a taken slot is lost, the device is told who took it, and is admitted otherwise")
    func returnKicked() {
        let server = full(("taken-place", "kicked"))
        server.close(1)
        #expect(server.login(5, "a", .ios, .resume, epoch: 1).first == "5 login-ack ok epoch=5")
        server.close(5)
        server.login(6, "e")
        #expect(server.login(7, "a", .ios, .resume, epoch: 5) == ["7 kicked other-login epoch=5 by e"])
        #expect(online(server) == "bcde")
    }

    @Test("CHAT-3: a returning device takes a free slot again, and nobody is kicked")
    func returnToFreeSlot() {
        for policy in ["kick-current", "keep-current"] {
            let server = full(("taken-place", policy))
            server.close(1)
            #expect(kicks(server.login(5, "a", .ios, .resume, epoch: 1)) == [])
            #expect(online(server) == "abcd")
        }
    }

    @Test("C-7 CHAT-3: a kick during an absence is delivered before anything else, with any policy")
    func undeliveredFirst() {
        for policy in ["kick-current", "keep-current"] {
            let server = full(("taken-place", policy))
            // The connection of `a` is dead but not detected. The device still has its slot, and loses it.
            #expect(kicks(server.login(5, "e")) == ["1 kicked other-login epoch=1 by e"])
            server.close(1)
            #expect(server.login(6, "a", .ios, .resume, epoch: 1) == ["6 kicked other-login epoch=1 by e"])
            #expect(online(server) == "bcde")
        }
        // The result is the same for a device that the server counts as absent.
        let server = full()
        server.close(1)
        server.command(.kick(user: "alice", device: "a"))
        #expect(server.login(6, "a", .ios, .resume, epoch: 1) == ["6 kicked server epoch=1 by -"])
        #expect(server.command(.kick(user: "alice", device: "a")) == ["done not-logged-in"])
        #expect(server.command(.kick(user: "alice", device: "x")) == ["done not-found"])
    }

    @Test("P6 CHAT-3: an autologin of a device that missed its kick takes the slot by default, or is refused")
    func missedKick() {
        let server = full()
        server.login(5, "e")
        server.close(1)
        #expect(kicks(server.login(6, "a", .ios, .automatic, epoch: 1)) == ["2 kicked other-login epoch=2 by a"])
        let keeping = full(("taken-place", "keep-current"))
        keeping.login(5, "e")
        keeping.close(1)
        #expect(keeping.login(6, "a", .ios, .automatic, epoch: 1) == ["6 login-ack too-many-devices"])
    }

    @Test(
        "CHAT-10 C-7: a password change, a removal and a ban reach an absent device however it returns",
        arguments: [LoginMode.resume, .automatic])
    func endedWhileAway(_ mode: LoginMode) {
        for (command, line) in [
            (ServerCommand.passwordChanged(user: "alice"), "2 kicked password-changed epoch=1 by -"),
            (.deleteAccount("alice"), "2 kicked account-removed epoch=1 by -"),
            (.banAccount("alice"), "2 kicked banned epoch=1 by -"),
        ] {
            let server = server()
            server.login(1, "a")
            server.close(1)
            server.command(command)
            #expect(server.login(2, "a", .ios, mode, epoch: 1) == [line])
            // The confirmation of the kick completes it.
            #expect(server.receive(2, .kickedAck(epoch: 1)) == ["close 2"])
        }
    }

    @Test("CHAT-10: after its removal an account can be created again, by an operator or by a manual login")
    func createdAgain() {
        for make in [
            { $0.command(.addAccount("alice")) }, { $0.login(5, "b") },
        ] as [(ServerTranscript) -> [String]] {
            let server = server()
            server.login(1, "a")
            server.command(.deleteAccount("alice"))
            #expect(server.machine.users == [])
            _ = make(server)
            #expect(server.machine.users == ["alice"])
            #expect(server.login(6, "a").contains { $0.hasPrefix("6 login-ack ok") })
        }
        let strict = server(("makes-accounts", "false"))
        #expect(strict.login(1, "a") == ["1 login-ack wrong-credential"])
        strict.command(.addAccount("alice"))
        strict.login(1, "a")
        strict.command(.deleteAccount("alice"))
        #expect(strict.login(2, "a", .ios, .resume, epoch: 1) == ["2 kicked account-removed epoch=1 by -"])
        #expect(strict.login(3, "a") == ["3 login-ack wrong-credential"])
    }

    @Test("CHAT-11: a device that did not get the answer to its logout is still logged in, and returns")
    func unansweredLogout() {
        let server = server()
        server.login(1, "a")
        #expect(server.receive(1, .logout(keepsPush: false)).last == "1 logout-ack ok")
        server.close(1)
        #expect(server.devices("presence") == ["a logged-out"] && server.devices("push") == ["a unbound"])
        #expect(server.login(2, "a", .ios, .resume, epoch: 1).first == "2 login-ack ok epoch=2")
        #expect(server.devices("push") == ["a bound"])
        // Only the latest login may return, and only if no other event ended it.
        server.receive(2, .logout(keepsPush: false))
        #expect(server.login(3, "a", .ios, .resume, epoch: 1) == ["3 kicked server epoch=1 by -"])
        server.command(.kick(user: "alice", device: nil))
        #expect(server.login(4, "a", .ios, .resume, epoch: 2) == ["4 kicked server epoch=2 by -"])
    }

    @Test("CHAT-3: after a restart of the server absent devices have no slots")
    func restart() {
        let server = full()
        server.restart()
        #expect(server.devices("presence") == ["a away", "b away", "c away", "d away"])
        for (id, name, epoch) in [(2, "b", 2), (3, "c", 3), (4, "d", 4)] as [(UInt32, String, LoginEpoch)] {
            #expect(kicks(server.login(id, name, .ios, .resume, epoch: epoch)) == [])
        }
        #expect(kicks(server.login(5, "e")) == [])
        #expect(online(server) == "bcde")
        let next = server.machine.withoutConnections(at: server.now)
        #expect(next.withoutConnections(at: server.now) == next)
    }
}
