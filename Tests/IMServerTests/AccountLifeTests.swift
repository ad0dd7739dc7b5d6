import IMProtocol
import SansIO
import Testing

@testable import IMServer

/// Tests of the server's state after the end of a login, of a credential, of an account and of a device.
@Suite struct AccountLifeTests {
    // MARK: Tokens

    @Test("ZIM-6: a device that renewed its token while it was away continues, although the server ended its login")
    func renewedWhileAway() {
        var policy = zim
        policy.silenceLimit = .seconds(1000)
        let server = ServerTranscript(policy)
        let end = server.wall + 60_000
        server.login(1, "a", expiresAt: end)
        #expect(server.wait(60) == ["60000ms alice/a offline", "60000ms 1 token-expired"])
        // The connection was dead, so the device did not receive the notice. It reconnects with a new token.
        #expect(
            server.login(2, "a", .ios, .resume, epoch: 1, expiresAt: end + 100_000)
                == ["2 login-ack ok epoch=1", "alice/a online"])
        #expect(!server.wait(99).contains { $0.contains("token") })
        #expect(server.wait(1).contains("1000ms 2 token-expired"))
    }

    @Test("C-6 ZIM-6: a device does not continue with its old token, nor if another device has the slot by then")
    func notRenewed() {
        var policy = zim
        policy.silenceLimit = .seconds(1000)
        let server = ServerTranscript(policy)
        server.login(1, "a", expiresAt: server.wall + 60_000)
        server.wait(60)
        #expect(
            server.login(2, "a", .ios, user: "alice", .resume, epoch: 1, credential: server.credential(.expired))
                == ["2 login-ack credential-expired"])
        server.login(3, "b")
        #expect(server.login(4, "a", .ios, .resume, epoch: 1) == ["4 kicked other-login epoch=1 by b"])
    }

    @Test("CHAT-3 CHAT-10: where a returning device takes a slot, so does one whose token expired meanwhile")
    func renewedWhileAwayInChat() {
        var policy = chat
        policy.silenceLimit = .seconds(1000)
        policy.deviceCountMax = 1
        let server = ServerTranscript(policy)
        server.login(1, "a", expiresAt: server.wall + 60_000)
        server.wait(60)
        server.login(2, "b")
        let lines = server.login(3, "a", .ios, .resume, epoch: 1)
        #expect(lines.contains("2 kicked other-login epoch=2 by a") && lines.contains("3 login-ack ok epoch=3"))
    }

    @Test("C-7: a ban after the expiry of a token is reported to a device that returns with a new token")
    func bannedAfterExpiry() {
        var policy = zim
        policy.silenceLimit = .seconds(1000)
        let server = ServerTranscript(policy)
        server.login(1, "a", expiresAt: server.wall + 60_000)
        server.wait(60)
        server.command(.kick(user: "alice", device: nil))
        #expect(server.login(2, "a", .ios, .resume, epoch: 1) == ["2 kicked server epoch=1 by -"])
    }

    @Test("D: credentials from before a password change are invalid for logins, calls and renewals")
    func revoked() {
        let server = ServerTranscript(chat)
        let old = server.credential()
        server.login(1, "a", credential: old)
        server.command(.passwordChanged(user: "alice"))
        #expect(server.login(2, "b", credential: old) == ["2 login-ack wrong-credential"])
        let call = AccountCall(application: "agora-chat", user: "alice", credential: old, action: .kickAll)
        server.open(3)
        server.receive(3, .accountCall(call))
        guard case .accountCallAck(let status, _)? = server.last[3] else {
            Issue.record("no answer")
            return
        }
        #expect(status == .wrongCredential)
        #expect(server.login(4, "a").contains("4 login-ack ok epoch=2"))
        #expect(server.receive(4, .renewToken(old)) == ["4 renew-token-ack wrong-credential 0"])
        #expect(
            server.receive(4, .renewToken(.verdict(CredentialVerdict(.missing))))
                == ["4 renew-token-ack wrong-credential 0"])
    }

    @Test("P11: a renewal that arrives after a later one changes nothing")
    func overtakenRenewal() {
        let server = ServerTranscript(zim)
        server.login(1, "a")
        let token = server.credential()
        #expect(server.receive(1, .renewToken(token), request: 3).first?.hasPrefix("1 renew-token-ack ok") == true)
        let before = server.machine
        #expect(server.receive(1, .renewToken(token), request: 2) == ["1 renew-token-ack cancelled 0"])
        #expect(server.machine.deviceViews == before.deviceViews)
    }

    @Test(
        "D: credentials of a removed account are invalid for a new account of the same name, also after a restart")
    func removed() throws {
        for restarts in [false, true] {
            let server = ServerTranscript(chat)
            let old = server.credential()
            server.login(1, "a", credential: old)
            server.close(1)
            server.command(.deleteAccount("alice"))
            if restarts { server.restart() }
            #expect(server.login(2, "b", credential: old) == ["2 login-ack wrong-credential"])
            #expect(server.login(3, "a", .ios, .automatic, epoch: 1) == ["3 kicked account-removed epoch=1 by -"])
            // The account is a new one. Its logins must not be taken for logins of the old account.
            #expect(server.login(4, "b").contains("4 login-ack ok epoch=2"))
            #expect(server.login(5, "c", credential: old) == ["5 login-ack wrong-credential"])
            #expect(server.login(6, "a", .ios, .resume, epoch: 1) == ["6 kicked account-removed epoch=1 by -"])
            if restarts { server.restart() }
            // In this system, a restart frees the slots of absent devices, so the resume becomes a new login.
            let epoch = restarts ? 3 : 2
            #expect(server.login(7, "b", .ios, .resume, epoch: 2).contains("7 login-ack ok epoch=\(epoch)"))
        }
    }

    // MARK: Push

    @Test("NIM-10: every end of a login unbinds push; a break does not", arguments: ["kick", "displaced", "ban"])
    func push(end: String) {
        let server = ServerTranscript(nim)
        server.login(1, "a")
        server.close(1)
        #expect(server.devices("push") == ["a bound"])
        switch end {
        case "kick": server.command(.kick(user: "alice", device: nil))
        case "displaced": server.login(2, "b")
        default: server.command(.banAccount("alice"))
        }
        #expect(server.devices("push").first == "a unbound")
    }

    @Test("NIM-10 CHAT-8: a device that was kicked and logged out gets no push")
    func noPush() {
        let server = ServerTranscript(nim)
        server.login(1, "a")
        server.login(2, "b")
        server.receive(1, .kickedAck(epoch: 1))
        server.login(3, "c", user: "bob")
        server.receive(3, .send(ChatMessage(id: "m", to: "alice", text: "hi")))
        #expect(server.devices("pushes") == ["a 0", "b 0"])
    }

    // MARK: Names

    @Test("CHAT-7: with login ids, user and device names have no slash; elsewhere a slash is allowed")
    func slashes() {
        let server = ServerTranscript(chat)
        #expect(server.login(1, "pc/1") == ["1 login-ack invalid-argument"])
        #expect(server.login(2, "pc", user: "alice/pc") == ["2 login-ack invalid-argument"])
        #expect(server.command(.addAccount("alice/pc")) == ["done invalid-argument"])
        #expect(server.login(3, "pc").contains("3 login-ack ok epoch=1"))
        let other = ServerTranscript(nim)
        other.login(1, "pc")
        #expect(other.login(2, "pc/1", user: "alice/pc").contains("2 login-ack ok epoch=1"))
        other.login(3, "web", user: "bob")
        // The receiver is the account with this name, not a device of another account.
        let lines = other.receive(3, .send(ChatMessage(id: "m", to: "alice/pc", text: "hi")))
        #expect(lines.contains("2 message bob: hi") && !lines.contains("1 message bob: hi"))
    }

    // MARK: Limits

    @Test(
        "n43: an account has a maximum of devices; the one that was away longest is removed, with its messages")
    func devices() {
        var policy = nim
        policy.exclusion = .none
        policy.devicesKeptMax = 3
        let server = ServerTranscript(policy)
        for (number, name) in ["a", "b", "c"].enumerated() { server.login(UInt32(number + 1), name) }
        // All devices are present, so no device can be removed for the new one.
        #expect(server.login(4, "d") == ["4 login-ack too-many-devices"])
        server.close(1)
        server.receive(2, .logout(keepsPush: false))
        // The logged-out device is removed before the absent one.
        #expect(server.login(4, "d").contains("4 login-ack ok epoch=4"))
        #expect(server.devices("presence") == ["a away", "c online", "d online"])
        #expect(server.login(5, "e").contains("5 login-ack ok epoch=5"))
        #expect(server.devices("presence") == ["c online", "d online", "e online"])
        // The removed device is notified when it returns.
        #expect(server.login(6, "a", .ios, .resume, epoch: 1) == ["6 kicked server epoch=1 by -"])
    }

    @Test("n43: a known device needs no slot, and a login that displaces another frees one")
    func room() {
        var policy = zim
        policy.devicesKeptMax = 1
        let server = ServerTranscript(policy)
        server.login(1, "a")
        #expect(server.login(2, "a").contains("2 login-ack ok epoch=2"))
        #expect(server.login(3, "b").contains("3 login-ack ok epoch=3"))
        #expect(server.devices("presence") == ["b online"])
    }

    @Test("h35: a full server has its own code, not that of a wrong credential")
    func full() {
        var policy = nim
        policy.accountCountMax = 1
        let server = ServerTranscript(policy)
        server.login(1, "a")
        #expect(server.login(2, "b", user: "bob") == ["2 login-ack account-limit"])
        #expect(server.command(.addAccount("bob")) == ["done account-limit"])
        #expect(server.command(.addAccount("alice")) == ["done ok"])
    }

    @Test("NIM-8 h12: wrong credentials count for the login rate, and calls without a login for their own rate")
    func wrongCredentials() {
        let server = ServerTranscript(nim)
        var answers: [String] = []
        for id in UInt32(1)...11 {
            answers += server.login(id, "a", credential: .verdict(CredentialVerdict(.wrong)))
        }
        #expect(answers.prefix(10).allSatisfy { $0.hasSuffix("wrong-credential") })
        #expect(answers.last == "11 login-ack rate-limited")
        #expect(server.machine.users == [])
        // Another device of the user is not affected.
        #expect(server.login(12, "b").contains("12 login-ack ok epoch=1"))

        var policy = chat
        policy.loginRateMax = 2
        let calls = ServerTranscript(policy)
        calls.login(1, "a")
        for (number, expected) in [Status.wrongCredential, .wrongCredential, .rateLimited].enumerated() {
            let id = UInt32(number + 2)
            calls.open(id)
            calls.receive(
                id,
                .accountCall(
                    AccountCall(
                        application: "agora-chat", user: "alice", credential: .verdict(CredentialVerdict(.wrong)),
                        action: .listDevices)))
            if case .accountCallAck(let status, _)? = calls.last[id] { #expect(status == expected) }
        }
        #expect(calls.login(9, "a").contains("9 login-ack ok epoch=2"))
    }

    @Test("NIM-8: wrong credentials from one address delay neither the device elsewhere nor other credentials there")
    func wrongElsewhere() {
        let server = ServerTranscript(nim)
        func right(_ origin: UInt32) -> Credential {
            .verdict(
                CredentialVerdict(.valid, user: "alice", issuedAtMilliseconds: server.wall + 1, origin: origin))
        }
        for finding in [CredentialVerdict.Finding.wrong, .missing] {
            for id in UInt32(1)...20 {
                server.login(id, "a", credential: .verdict(CredentialVerdict(finding, origin: 7)))
            }
        }
        #expect(server.login(30, "a", credential: right(7)) == ["30 login-ack rate-limited"])
        #expect(server.login(31, "a", credential: right(0)).contains("31 login-ack ok epoch=1"))
        #expect(server.login(32, "a", credential: right(8)).contains("32 login-ack ok epoch=2"))
    }

    @Test(
        "CHAT-10: a resume is refused after a password change only with the device's last login, and counts as a guess")
    func enumeration() {
        var policy = chat
        policy.loginRateMax = 3
        let server = ServerTranscript(policy)
        server.login(1, "a")
        server.close(1)
        server.command(.passwordChanged(user: "alice"))
        let wrong = Credential.verdict(CredentialVerdict(.wrong))
        let missing = Credential.verdict(CredentialVerdict(.missing))
        #expect(
            server.login(2, "x", .ios, user: "alice", .resume, epoch: 1, credential: wrong) == [
                "2 login-ack wrong-credential"
            ])
        #expect(
            server.login(3, "a", .ios, user: "alice", .resume, epoch: 1, credential: missing) == [
                "3 login-ack wrong-credential"
            ])
        #expect(
            server.login(4, "x", .ios, user: "alice", .resume, epoch: 1, credential: wrong) == [
                "4 login-ack wrong-credential"
            ])
        server.login(5, "x", .ios, user: "alice", .resume, epoch: 1, credential: wrong)
        #expect(
            server.login(6, "x", .ios, user: "alice", .resume, epoch: 1, credential: wrong) == [
                "6 login-ack rate-limited"
            ])
        #expect(
            server.login(7, "a", .ios, user: "alice", .resume, epoch: 1, credential: wrong)
                == ["7 kicked password-changed epoch=1 by -"])
    }

    @Test(
        "SYNC-1: a guest creates no account unless accounts are created automatically, and needs a credential if others do"
    )
    func strictGuests() {
        var policy = nim
        policy.makesAccounts = false
        let server = ServerTranscript(policy)
        #expect(server.login(1, "alice", .ios, user: "alice", .guest) == ["1 login-ack wrong-credential"])
        #expect(server.machine.users == [])
    }

    // MARK: The operator

    @Test("NIM-7: an account that the operator forbids or fails is refused at logins and at every call")
    func refused() {
        for status in [Status.forbidden, .serverError] {
            let server = ServerTranscript(chat)
            server.login(1, "a")
            #expect(server.command(.setRefusal(user: "alice", status)) == ["done ok"])
            #expect(server.login(2, "b") == ["2 login-ack \(status.name)"])
            #expect(
                server.receive(1, .send(ChatMessage(id: "m", to: "bob", text: "hi")))
                    == ["1 send-ack \(status.name)"])
            #expect(server.receive(1, .kick(device: "")) == ["1 kick-ack \(status.name)"])
            // The refused user may stay connected and log out.
            #expect(server.receive(1, .heartbeat) == ["1 heartbeat-ack"])
            server.command(.setRefusal(user: "alice", nil))
            #expect(server.receive(1, .kick(device: "")) == ["1 kick-ack ok"])
            #expect(server.login(3, "b").contains("3 login-ack ok epoch=2"))
        }
        #expect(ServerTranscript(nim).command(.setRefusal(user: "nobody", .forbidden)) == ["done not-found"])
    }

    @Test("CHAT-3: a single taken slot is too many devices, or device changed if the policy says so")
    func deviceChanged() {
        for (isSingle, isChosen, expected) in [
            (true, false, "too-many-devices"), (true, true, "device-changed"), (false, true, "too-many-devices"),
        ] {
            var policy = chat
            policy.takenPlace = .keepsCurrent
            policy.tellsDeviceChanged = isChosen
            if isSingle { policy.exclusion = .single } else { policy.deviceCountMax = 1 }
            let server = ServerTranscript(policy)
            server.login(1, "a")
            server.close(1)
            server.login(2, "b")
            #expect(server.login(3, "a", .ios, .automatic, epoch: 1) == ["3 login-ack \(expected)"])
        }
    }

    @Test("CHAT-2 CHAT-5: a phone and a pad are one platform, unless the app sets another")
    func pads() {
        var policy = chat
        policy.deviceCountMax = 1
        let server = ServerTranscript(policy)
        server.login(1, "phone", .ios)
        #expect(server.login(2, "pad", .ipad).contains("1 kicked other-login epoch=1 by pad"))
    }

    @Test("ZIM-1 h38: an offline login is not refused because of a device that has logged out")
    func offlineAfterLogouts() {
        let server = ServerTranscript(zim)
        server.login(1, "a")
        server.receive(1, .logout(keepsPush: false))
        server.login(2, "b")
        server.receive(2, .logout(keepsPush: false))
        #expect(server.login(3, "a", .ios, .offline, epoch: 1).contains("3 login-ack ok epoch=3"))
        // If another device is logged in, the offline login does not become a new login.
        let other = ServerTranscript(zim)
        other.login(1, "a")
        other.receive(1, .logout(keepsPush: false))
        other.login(2, "b")
        #expect(other.login(3, "a", .ios, .offline, epoch: 1) == ["3 kicked other-login epoch=1 by b"])
    }
}
