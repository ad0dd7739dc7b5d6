import IMClient
import IMProtocol
import SansIO
import Testing

@Suite struct OfflineLoginTests {
    private static let noon: Int64 = 1_700_000_000_000

    /// An app whose process was killed while alice was online. The device stores some of her items and one of bob's.
    private func restarted(_ policy: ClientPolicy = zim) -> ClientTranscript {
        ClientTranscript(
            policy,
            local: LocalData(
                lastUser: "alice", credentialReference: "token", lastEpoch: 4, lastResult: .ok,
                items: [
                    LocalItem(user: "alice", kind: .message, id: "m-1", text: "hi"),
                    LocalItem(user: "bob", kind: .message, id: "m-2", text: "secret"),
                ]))
    }

    private func offline(_ phone: ClientTranscript, _ user: String = "alice", left: Int64? = nil) -> [String] {
        guard let left else { return phone.login(user, .offline) }
        return phone.login(user, .offline, expiresAt: Self.noon + left, deviceClock: Self.noon)
    }

    @Test("ZIM-2: the completion comes first, then Connecting; local data is open and the SDK connects by itself")
    func completionFirst() {
        let phone = restarted()
        #expect(offline(phone) == ["done 1 ok", "logged-out > connecting (login)", "connect 1"])
        #expect(phone.machine.isDataOpen)
        #expect(phone.fail() == ["connecting > offline (interrupted)"])
        #expect(phone.machine.isDataOpen)
        #expect(phone.wait(2).suffix(1).allSatisfy { $0.hasSuffix("connect 2") })
        #expect(phone.open() == ["send 2 login alice offline epoch=4"])
        #expect(phone.accept(epoch: 4) == ["keep alice ok autologin", "connecting > online (login-succeeded)"])
        #expect(phone.incomplete == [])
    }

    @Test("ZIM-1 S-12: only the user of the last online login can log in offline")
    func onlyTheLastUser() {
        let phone = restarted()
        let before = phone.machine
        #expect(offline(phone, "bob") == ["done 1 offline-login-not-allowed"])
        #expect(offline(phone, "") == ["done 2 invalid-argument"])
        #expect(phone.machine == before)
        #expect(offline(ClientTranscript(zim)) == ["done 1 offline-login-not-allowed"])
        #expect(offline(restarted(nim)) == ["done 1 unsupported"])
        // A failed or unfinished login does not change the last user.
        phone.login("bob")
        phone.open()
        phone.refuse(.wrongCredential)
        #expect(offline(phone, "bob") == ["done 4 offline-login-not-allowed"])
        #expect(offline(phone).first == "done 5 ok")
    }

    @Test("ZIM-1: the device refuses a token that has expired or is valid for less than 30 s")
    func validity() {
        for (left, status) in [
            (0, "credential-expired"), (-1, "credential-expired"), (1, "credential-too-short"),
            (29_999, "credential-too-short"), (30_000, "ok"), (3_600_000, "ok"),
        ] as [(Int64, String)] {
            let phone = restarted()
            #expect(offline(phone, left: left).first == "done 1 \(status)")
            #expect(phone.state == (status == "ok" ? .connecting : .loggedOut))
            #expect((phone.machine.nextDeadline == nil) == (status != "ok"))
        }
        // An offline login is not refused for a token without an expiry, or on a device whose clock was not read.
        #expect(restarted().login("alice", .offline, expiresAt: 0, deviceClock: Self.noon).first == "done 1 ok")
        #expect(restarted().login("alice", .offline, expiresAt: 1, deviceClock: 0).first == "done 1 ok")
        #expect(
            restarted().login("alice", .offline, expiresAt: 1, deviceClock: .max).first
                == "done 1 credential-expired")
    }

    @Test("S-13 ZIM-6: a token that expires during a connect ends the login, and is not used again")
    func endsWhileConnecting() {
        let phone = restarted()
        _ = offline(phone, left: 31_000)
        #expect(
            phone.wait(31).filter { $0.contains("token") }
                == [
                    "1s token-will-expire 30000", "31s keep alice credential-expired",
                    "31s connecting > token-expired (token-expired)", "31s token-expired",
                ].filter { $0.contains("token") })
        #expect(!phone.machine.isDataOpen && phone.links == [])
        #expect(phone.wait(3600) == [] && phone.feed(.networkChanged(.up)) == [])
    }

    @Test("ZIM-6 C-11: a token that the server finds expired is reported as expired, not as wrong")
    func refusedAsExpired() {
        let phone = restarted()
        _ = offline(phone)
        phone.open()
        #expect(
            phone.refuse(.credentialExpired) == [
                "close 1", "keep alice credential-expired", "connecting > token-expired (token-expired)",
                "token-expired",
            ])
        #expect(phone.wait(3600) == [])
        #expect(phone.kept?.credentialReference == "token")
    }

    @Test("ZIM-3: until the client is online, calls that need the network fail at once and are not queued")
    func callsFailAtOnce() {
        let phone = restarted()
        _ = offline(phone)
        for prepare in [{ _ = phone.fail() }, { _ = phone.wait(2) }, { _ = phone.open() }] {
            prepare()
            for command in [ClientCommand.send(to: "bob", text: "hi"), .watch(user: "bob", isOn: true)] {
                #expect(phone.command(command) == ["done \(phone.commands) network-unavailable"])
            }
        }
        phone.accept(epoch: 4)
        #expect(phone.command(.send(to: "bob", text: "hi")) == ["send 2 send bob: hi"])
        #expect(phone.command(.watch(user: "bob", isOn: true)) == ["send 2 watch bob"])
    }

    @Test("C-13 NIM-2: local data is open at once, only the user's own, and closed by the logout")
    func localData() {
        let phone = restarted()
        #expect(phone.list(.items) == ["not-logged-in"])
        _ = offline(phone)
        #expect(phone.list(.items) == ["message m-1 hi"])
        #expect(phone.ask(.account)["account"] == "alice")
        phone.fail()
        #expect(phone.list(.items) == ["message m-1 hi"])
        #expect(phone.logout().suffix(2) == ["offline > logged-out (logout)", "done \(phone.commands) ok"])
        #expect(phone.list(.items) == ["not-logged-in"])
        #expect(phone.ask(.account)["status"] == "not-logged-in")
    }

    @Test("S-14 C-6: a later login elsewhere ends an offline login as kicked, without a second completion or a retry")
    func kickedByALaterLogin() {
        let phone = restarted()
        _ = offline(phone)
        phone.open()
        #expect(
            phone.receive(.kicked(KickNotice(reason: .otherLogin, epoch: 4, by: pad))) == [
                "send 1 kicked-ack 4", "close 1", "keep alice kicked", "connecting > kicked (remote-login)",
                "kicked other-login by pad",
            ])
        #expect(phone.wait(3600) == [] && phone.feed(.networkChanged(.up)) == [])
        #expect(phone.incomplete == [] && !phone.machine.isDataOpen)
    }

    @Test("C-9: an offline login is retried as long as there is no network, and at once when the network returns")
    func retries() {
        let phone = restarted()
        _ = offline(phone)
        for _ in 0..<30 {
            phone.fail()
            #expect(phone.state == .offline)
            for _ in 0..<25 where phone.links.isEmpty { phone.wait(1) }
            #expect(phone.open() == ["send \(phone.link.rawValue) login alice offline epoch=4"])
            phone.drop()
        }
        #expect(phone.feed(.networkChanged(.up)).last == "connect \(phone.link.rawValue)")
        phone.succeed(epoch: 5)
        phone.wait(5)
        phone.drop()
        // After the server has accepted it, the login is like any other (C-6).
        phone.open()
        #expect(phone.state == .reconnecting)
        #expect(phone.kept?.lastEpoch == 5)
    }

    @Test("C-2 ZIM-8: during an offline login, another login is refused and changes nothing")
    func secondLogin() {
        let phone = restarted()
        _ = offline(phone)
        phone.fail()
        let before = phone.machine
        #expect(phone.login("alice") == ["done 2 already-logged-in"])
        #expect(phone.login("bob") == ["done 3 other-user-logged-in"])
        #expect(offline(phone) == ["done 4 already-logged-in"])
        #expect(phone.machine == before)
    }

    @Test("C-11: a final refusal ends an offline login with a callback, because no command is pending")
    func refused() {
        let phone = restarted()
        _ = offline(phone)
        phone.open()
        #expect(
            phone.refuse(.banned).suffix(2) == ["connecting > logged-out (login-failed)", "autologin-failed banned"])
        #expect(phone.wait(3600) == [] && phone.incomplete == [])
    }
}
