import IMClient
import IMProtocol
import SansIO
import Testing

/// Tests of a logout that ends push notifications and therefore needs the server (CHAT-11), of the calls that are
/// refused during it (S-19), and of the events that end a login finally (CHAT-10).
@Suite struct LogoutNeedsServerTests {
    @discardableResult
    private func keepPush(_ phone: ClientTranscript) -> [String] { phone.command(.logout(keepsPush: true)) }

    @Test(
        "CHAT-11 C-1 S-18: without a link a logout fails once, and nothing changes",
        arguments: [ClientPhase.waiting, .relinking, .reauthenticating, .retryingAutologin])
    func failsOffline(_ phase: ClientPhase) {
        let phone = phase.transcript(chat)
        let before = phone.machine
        #expect(phone.logout() == ["done \(phone.commands) network-unavailable"])
        #expect(phone.machine == before && phone.user == "alice")
        // The client continues to retry, and is online again when the network returns.
        phone.waitForRetry()
        phone.open()
        phone.accept()
        #expect(phone.state == .online && phone.incomplete == [])
    }

    @Test(
        "CHAT-11 S-18: a logout that keeps push always succeeds, at once without a link",
        arguments: ClientPhase.withLogin)
    func keepsPush(_ phase: ClientPhase) {
        let phone = phase.transcript(chat)
        // If a logout is already running, only its completion counts.
        let running = phase == .leaving ? "cancelled" : "ok"
        let lines = keepPush(phone)
        if phone.state != .loggedOut {
            #expect(lines.contains { $0.hasSuffix("logout keeps-push") } || running == "cancelled")
            phone.receive(.logoutAck(.ok))
        }
        #expect(phone.state == .loggedOut && phone.incomplete == [] && phone.links == [])
        #expect(phone.wait(3600) == [] && phone.feed(.networkChanged(.up)) == [])
    }

    @Test("CHAT-11: during a first manual login the logout ends that login")
    func firstLogin() {
        for opens in [false, true] {
            let phone = ClientTranscript(chat)
            phone.login()
            if opens { phone.open() }
            #expect(phone.logout().suffix(2) == ["done 1 cancelled", "done 2 ok"])
            #expect(phone.state == .loggedOut && phone.wait(3600) == [])
        }
    }

    @Test("CHAT-11: without an answer within 3 s, or if a link breaks, the user stays logged in")
    func unanswered() {
        for (fail, status, time) in [
            ({ $0.wait(3, answeringHeartbeats: true) }, "timeout", "3s "), ({ $0.drop() }, "connection-failed", ""),
        ] as [((ClientTranscript) -> [String], String, String)] {
            let phone = ClientPhase.online.transcript(chat)
            phone.pass(.seconds(5))
            #expect(phone.logout() == ["send 1 logout"])
            let command = phone.commands
            let lines = fail(phone)
            let word = status == "timeout" ? "timeout" : "network-unavailable"
            #expect(lines.last == time + "done \(command) \(word)")
            #expect(lines.contains(time + "online > reconnecting (interrupted)"))
            #expect(phone.state == .reconnecting && phone.machine.isDataOpen)
            // The client resumes its login, and a second logout succeeds.
            #expect(phone.open() == ["send 2 login alice resume epoch=1"])
            phone.accept()
            #expect(phone.logout() == ["send 2 logout"])
            #expect(phone.receive(.logoutAck(.ok)).last == "done \(phone.commands) ok")
            #expect(phone.state == .loggedOut && phone.incomplete == [])
        }
    }

    @Test("CHAT-11: a logout that keeps push also succeeds without an answer")
    func unansweredKeepsPush() {
        let phone = ClientPhase.online.transcript(chat)
        #expect(keepPush(phone) == ["send 1 logout keeps-push"])
        #expect(phone.wait(3).last == "3s done 2 ok")
        #expect(phone.state == .loggedOut && phone.wait(3600) == [])
    }

    @Test("CHAT-11 CHAT-10: a token that expires after a failed logout still ends the login")
    func tokenAfterwards() {
        let phone = ClientTranscript(chat)
        phone.login()
        phone.open()
        phone.accept(expiresAt: 100_000, serverTime: 1)
        phone.logout()
        phone.drop()
        #expect(phone.fail().contains { $0.contains("reconnecting") } == false)
        #expect(phone.wait(200).contains { $0.hasSuffix("token-expired") })
        #expect(phone.state == .tokenExpired && phone.incomplete == [])
    }

    @Test(
        "S-19 C-2: a login during a logout is refused, with a code that depends on the user, and the logout continues")
    func loginWhileLeaving() {
        let phone = ClientPhase.leaving.transcript(chat)
        let before = phone.machine
        #expect(phone.login("alice") == ["done 3 already-logged-in"])
        #expect(phone.login("bob") == ["done 4 other-user-logged-in"])
        #expect(phone.login("alice", .automatic) == ["done 5 already-logged-in"])
        #expect(phone.machine == before)
        #expect(phone.receive(.logoutAck(.ok)).last == "done 2 ok")
        #expect(phone.login("bob").last == "connect 2")
        phone.succeed(epoch: 2)
        #expect(phone.user == "bob" && phone.incomplete == [])
    }

    @Test(
        "C-2: a second login is refused in every phase with a login, with a code that depends on the user",
        arguments: ClientPhase.withLogin)
    func secondLogin(_ phase: ClientPhase) {
        let phone = phase.transcript(chat)
        let before = phone.machine
        #expect(phone.login("alice") == ["done \(phone.commands) already-logged-in"])
        #expect(phone.login("bob") == ["done \(phone.commands) other-user-logged-in"])
        #expect(phone.machine == before)
    }

    @Test(
        "CHAT-10 CHAT-3: a refusal of the user or the slot at a reconnect ends the login without a retry",
        arguments: [Status.wrongCredential, .credentialExpired, .banned, .tooManyDevices, .deviceChanged])
    func refusedReturn(_ status: Status) {
        let phone = ClientPhase.reauthenticating.transcript(chat)
        phone.refuse(status)
        #expect(phone.state == (status == .credentialExpired ? .tokenExpired : .loggedOut))
        #expect(phone.wait(3600) == [] && phone.feed(.networkChanged(.up)) == [])
        #expect(phone.login("alice", .automatic).last == "done \(phone.commands) autologin-not-allowed")
        // The automatic login at the start of an app is refused with the same status.
        let local = LocalData(
            lastUser: "alice", credentialReference: "token", lastEpoch: 1, lastResult: .ok, autologinAllowed: true)
        let next = ClientTranscript(chat, local: local)
        next.login("alice", .automatic)
        next.open()
        #expect(next.refuse(status).suffix(2) == ["autologin-completed \(status.name)", "done 1 \(status.name)"])
        #expect(next.login("alice", .automatic) == ["done 2 autologin-not-allowed"])
        #expect(next.kept?.autologinAllowed == false)
        // After the refusal, a manual login succeeds.
        next.login()
        next.succeed(epoch: 2)
        #expect(next.kept?.autologinAllowed == true && next.incomplete == [])
    }

    @Test(
        "CHAT-10 C-5: each kick ends the login, is reported once, and forbids autologin",
        arguments: KickReason.allCases)
    func kicks(_ reason: KickReason) {
        let phone = ClientPhase.online.transcript(chat)
        let lines = phone.receive(.kicked(KickNotice(reason: reason, epoch: 1, by: pad)))
        #expect(lines.filter { $0.hasSuffix(" by pad") } == ["kicked \(reason.name) by pad"])
        #expect(lines.last == "kicked > logged-out (logout)")
        #expect(phone.login("alice", .automatic) == ["done 2 autologin-not-allowed"])
        #expect(phone.wait(3600) == [] && phone.feed(.networkChanged(.up)) == [])
        let next = ClientTranscript(chat, local: phone.kept ?? LocalData())
        #expect(next.login("alice", .automatic) == ["done 1 autologin-not-allowed"])
    }

    @Test("C-11: a network failure does not forbid autologin")
    func networkFailures() {
        let phone = ClientPhase.retryingAutologin.transcript(chat)
        for _ in 0..<20 {
            phone.wait(60)
            phone.fail()
        }
        #expect(phone.machine.local.autologinAllowed)
        let next = ClientTranscript(chat, local: phone.machine.local)
        #expect(next.login("alice", .automatic).last == "connect 1")
    }
}

extension ClientTranscript {
    fileprivate var user: String? { machine.user }
}
