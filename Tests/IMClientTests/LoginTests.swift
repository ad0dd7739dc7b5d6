import IMClient
import IMProtocol
import SansIO
import Testing

@Suite struct LoginTests {
    @Test("NIM-1: a manual login goes through steps 1, 2, 4, 5, 7, 8 and completes once")
    func manualLogin() {
        let phone = ClientTranscript(nim)
        #expect(phone.login() == ["logged-out > connecting (login)", "step linking", "connect 1"])
        #expect(phone.open() == ["step link-ok", "step authenticating", "send 1 login alice manual epoch=0"])
        #expect(
            phone.accept() == [
                "keep alice ok autologin", "step login-ok", "connecting > syncing (login-succeeded)", "done 1 ok",
                "step syncing", "send 1 sync",
            ])
        #expect(phone.receive(.syncPhase(.groups, count: 0)) == [])
        #expect(phone.receive(.syncDone) == ["syncing > online (sync-finished)", "step sync-ok"])
        #expect(phone.incomplete == [])
    }

    @Test("NIM-1: an autologin has the same steps")
    func automaticLogin() {
        let phone = ClientPhase.loggedOut.transcript(nim)
        #expect(phone.login("alice", .automatic).contains("step linking"))
        #expect(phone.open() == ["step link-ok", "step authenticating", "send 1 login alice automatic epoch=1"])
        #expect(phone.accept().filter { $0.hasPrefix("step") } == ["step login-ok", "step syncing"])
        #expect(phone.receive(.syncDone).contains("step sync-ok"))
    }

    @Test("NIM-2: data is closed until a manual login has succeeded, and closed again after a logout")
    func dataOfManualLogin() {
        let phone = ClientTranscript(nim)
        for step in [{ phone.login() }, { phone.open() }] {
            #expect(phone.ask(.account)["status"] == "not-logged-in")
            _ = step()
        }
        #expect(!phone.machine.isDataOpen)
        phone.accept()
        #expect(phone.ask(.account)["account"] == "alice")
        phone.drop()
        #expect(phone.ask(.account)["account"] == "alice")
        phone.logout()
        #expect(phone.ask(.account)["status"] == "not-logged-in")
    }

    @Test("NIM-2: an autologin opens the data at once, without a network")
    func dataOfAutomaticLogin() {
        let phone = ClientPhase.loggedOut.transcript(nim)
        phone.login("alice", .automatic)
        #expect(phone.ask(.account)["account"] == "alice")
        phone.fail()
        #expect(phone.state == .offline)
        #expect(phone.ask(.account)["account"] == "alice")
    }

    @Test("NIM-3: an autologin is refused before any manual login, and for any user but the last")
    func autologinNeedsHistory() {
        let phone = ClientTranscript(nim)
        #expect(phone.login("alice", .automatic) == ["done 1 autologin-not-allowed"])
        #expect(phone.login("alice", .forced) == ["done 2 autologin-not-allowed"])
        phone.goOnline()
        let next = ClientTranscript(nim, local: phone.machine.local)
        #expect(next.login("bob", .automatic) == ["done 1 autologin-not-allowed"])
        #expect(next.login("alice", .automatic).contains("step linking"))
    }

    @Test(
        "NIM-3 NIM-5: a failed manual login is not retried, and forbids autologin until a manual one succeeds",
        arguments: [Status.wrongCredential, .banned, .serverError, .rateLimited])
    func failedManualLogin(_ status: Status) {
        let phone = ClientPhase.loggedOut.transcript(nim)
        phone.login()
        phone.open()
        let reason = status == .wrongCredential ? "credential-refused" : "login-failed"
        #expect(
            phone.refuse(status) == [
                "close 1", "step login-failed", "keep alice \(status.name)", "connecting > logged-out (\(reason))",
                "done 1 \(status.name)",
            ])
        #expect(phone.wait(3600) == [])
        #expect(phone.login("alice", .automatic) == ["done 2 autologin-not-allowed"])
        #expect(phone.login("alice", .forced) == ["done 3 autologin-not-allowed"])
        phone.goOnline()
        let next = ClientTranscript(nim, local: phone.machine.local)
        #expect(next.login("alice", .automatic).contains("step linking"))
    }

    @Test("NIM-5 C-11: a manual login that times out gives 408, is not retried, and keeps the name of the credential")
    func manualTimeout() {
        let phone = ClientPhase.loggedOut.transcript(nim)
        phone.login()
        phone.open()
        #expect(
            phone.wait(3600) == [
                "10s close 1", "10s step login-failed", "10s keep alice timeout",
                "10s connecting > logged-out (login-timed-out)", "10s done 1 timeout",
            ])
        #expect(phone.kept?.credentialReference == "token")
    }

    @Test("NIM-9: a failed connect is LinkFailed(3)")
    func linkFailed() {
        let phone = ClientTranscript(nim)
        phone.login()
        #expect(
            phone.fail() == [
                "step link-failed", "keep - connection-failed", "connecting > logged-out (login-failed)",
                "done 1 connection-failed",
            ])
    }

    @Test(
        "C-2: a second login is refused in every phase, and the first continues unchanged",
        arguments: ClientPhase.withLogin)
    func secondLogin(_ phase: ClientPhase) {
        for policy in phase == .retryingAutologin ? [nim] : [nim, rtm] {
            for (user, mode) in [("alice", LoginMode.manual), ("bob", .manual), ("alice", .automatic)] {
                let phone = phase.transcript(policy)
                let before = phone.machine
                let lines = phone.login(user, mode)
                #expect(lines.count == 1)
                #expect(
                    ["login-in-progress", "already-logged-in", "other-user-logged-in"]
                        .contains { lines == ["done \(phone.commands) \($0)"] })
                #expect(phone.machine == before)
            }
        }
    }

    @Test("C-2: invalid names and an explicit resume are refused without a link")
    func impossibleLogins() {
        let phone = ClientTranscript(nim)
        #expect(phone.login("") == ["done 1 invalid-argument"])
        #expect(phone.login("a\nb") == ["done 2 invalid-argument"])
        #expect(phone.login(String(repeating: "a", count: 256)) == ["done 3 invalid-argument"])
        #expect(phone.login("alice", .resume) == ["done 4 invalid-argument"])
        #expect(ClientTranscript(rtm).login("alice", .automatic) == ["done 1 unsupported"])
        #expect(phone.machine.nextDeadline == nil)
    }

    @Test("C-3: events of an old generation are ignored in every phase", arguments: ClientPhase.allCases)
    func staleGenerations(_ phase: ClientPhase) {
        let frames: [FrameBody] = [
            .loginAck(LoginReply(.ok, epoch: 9)), .loginAck(LoginReply(.wrongCredential)), .logoutAck(.ok), .syncDone,
            .kicked(KickNotice(reason: .server, epoch: 1)), .heartbeatAck, .goodbye(.shutdown, detail: ""),
            .login(
                LoginRequest(
                    application: "", user: "", device: pad, mode: .manual, epoch: 0, credential: .reference(""))),
        ]
        for policy in [nim, rtm] {
            let phone = phase.transcript(policy)
            let before = phone.machine
            let hasLink: Bool = [.linking, .authenticating, .syncing, .online, .relinking, .reauthenticating, .leaving]
                .contains(phase)
            // Numbers of older connections, of later ones, and of the current connection after its end.
            for raw in [UInt32(0), phone.link.rawValue &- 1, phone.link.rawValue + 1, .max]
                + (hasLink ? [] : [phone.link.rawValue])
            {
                guard !(policy.profile == "agora-rtm" && raw == phone.link.rawValue && phone.state == .connecting)
                else {
                    continue
                }
                let id = ConnectionID(raw)
                if phone.links.contains(id) { continue }
                #expect(phone.feed(.linkOpened(id)) == [])
                #expect(phone.feed(.linkFailed(id, .refused)) == [])
                #expect(phone.feed(.linkClosed(id, .reset)) == [])
                #expect(phone.feed(.frameUnreadable(id, .notProtobuf)) == [])
                for frame in frames { #expect(phone.feed(.frameReceived(id, Frame(frame))) == []) }
            }
            #expect(phone.machine == before)
        }
    }

    @Test("NIM-14: a drop during the sync is followed by a login that syncs again")
    func dropDuringSync() {
        let phone = ClientPhase.syncing.transcript(nim)
        phone.receive(.syncPhase(.groups, count: 3))
        #expect(phone.drop() == ["step connection-lost", "syncing > reconnecting (interrupted)"])
        #expect(phone.wait(2) == ["2s step linking", "2s connect 2"])
        #expect(phone.open().last == "send 2 login alice resume epoch=1")
        #expect(phone.accept().suffix(2) == ["step syncing", "send 2 sync"])
        #expect(phone.receive(.syncDone) == ["syncing > online (sync-finished)", "step sync-ok"])
        #expect(phone.incomplete == [])
    }

    @Test("NIM-14: the sync has a time limit of its own")
    func syncTimesOut() {
        let phone = ClientPhase.syncing.transcript(nim)
        #expect(phone.wait(10).prefix(2) == ["10s close 1", "10s step connection-lost"])
    }
}

@Suite struct LogoutTests {
    @Test("C-4: after a logout in any phase no timer fires for an hour", arguments: ClientPhase.allCases)
    func noTimers(_ phase: ClientPhase) {
        for policy in [nim, rtm] {
            for answers in [true, false] {
                let phone = phase.transcript(policy)
                phone.command(.send(to: "bob", text: "hi"))
                phone.logout()
                if answers { phone.receive(.logoutAck(.ok)) } else { phone.wait(3) }
                #expect(phone.state == .loggedOut)
                #expect(phone.machine.nextDeadline == nil)
                #expect(phone.links == [])
                #expect(phone.wait(3600) == [])
                #expect(phone.feed(.networkChanged(.up)) == [])
                #expect(phone.feed(.networkChanged(.switched)) == [])
                #expect(phone.feed(.appChanged(.foreground)) == [])
                #expect(phone.feed(.deadlineReached) == [])
                #expect(phone.incomplete == [])
            }
        }
    }

    @Test("NIM-10: a logout from online sends a request and completes with its answer")
    func requestAndAnswer() {
        let phone = ClientPhase.online.transcript(nim)
        #expect(phone.logout() == ["send 1 logout"])
        #expect(phone.state == .online)
        #expect(
            phone.receive(.logoutAck(.ok)) == ["close 1", "keep alice ok", "online > logged-out (logout)", "done 2 ok"])
    }

    @Test("NIM-10: after 3 s without an answer it is logged out locally, and the result shows this")
    func unanswered() {
        let phone = ClientPhase.online.transcript(nim)
        phone.logout()
        #expect(phone.wait(2.9) == [])
        #expect(
            phone.wait(1) == [
                "0.1s close 1", "0.1s keep alice ok", "0.1s online > logged-out (logout)", "0.1s done 2 timeout",
            ])
    }

    @Test("NIM-10: a link that breaks during the logout completes it with an error; it is logged out")
    func brokenDuringLogout() {
        let phone = ClientPhase.leaving.transcript(nim)
        #expect(phone.drop() == ["keep alice ok", "online > logged-out (logout)", "done 2 connection-failed"])
    }

    @Test("NIM-10: without a link the logout succeeds locally and reports that the server was not reached")
    func logoutWithoutLink() {
        let phone = ClientPhase.waiting.transcript(nim)
        #expect(phone.logout() == ["keep alice ok", "reconnecting > logged-out (logout)", "done 2 connection-failed"])
    }

    @Test("NIM-10: frames that the server sent before it read the logout do not affect it")
    func framesBeforeLogout() {
        let phone = ClientPhase.syncing.transcript(nim)
        #expect(phone.logout() == ["send 1 logout"])
        #expect(phone.receive(.syncPhase(.groups, count: 0)) == [])
        #expect(phone.receive(.syncDone) == [])
        #expect(
            phone.receive(.logoutAck(.ok)) == [
                "close 1", "keep alice ok", "syncing > logged-out (logout)", "done 2 ok",
            ])
    }

    @Test("C-1: a login that a logout supersedes is completed as cancelled, before the logout")
    func supersededLogin() {
        for phase in [ClientPhase.linking, .authenticating] {
            let phone = phase.transcript(nim)
            let lines = phone.logout().filter { $0.hasPrefix("done") }
            #expect(lines == ["done 1 cancelled", "done 2 connection-failed"])
        }
        let waiting = ClientPhase.retryingAutologin.transcript(nim)
        #expect(waiting.logout().filter { $0.hasPrefix("done") } == ["done 1 cancelled", "done 2 connection-failed"])
    }

    @Test("C-4: a server that may have admitted the login is notified before the link closes")
    func logoutWhileAuthenticating() {
        let phone = ClientPhase.authenticating.transcript(rtm)
        #expect(
            phone.logout() == [
                "send 1 logout", "close 1", "connecting > logged-out (logout)", "done 1 cancelled", "done 2 ok",
            ])
    }

    @Test("RTM-2 C-4: logout at 5 s, the late success at 5.9 s is ignored, nothing happens at 6 s")
    func lateSuccess() {
        let phone = ClientPhase.authenticating.transcript(rtm)
        phone.wait(5)
        phone.logout()
        phone.wait(0.9)
        #expect(phone.accept() == [])
        #expect(phone.wait(10) == [])
        #expect(phone.state == .loggedOut)
    }

    @Test("C-1: a second logout during the first completes at once, and the first continues")
    func twoLogouts() {
        let phone = ClientPhase.leaving.transcript(nim)
        #expect(phone.logout() == ["done 3 cancelled"])
        #expect(phone.receive(.logoutAck(.ok)).last == "done 2 ok")
    }

    @Test("RTM-7: logout from Connected, Reconnecting and Aborted is ok, without a login 102")
    func rtmLogouts() {
        let online = ClientPhase.online.transcript(rtm)
        #expect(online.logout() == ["send 1 logout"])
        #expect(online.receive(.logoutAck(.ok)) == ["close 1", "online > logged-out (logout)", "done 2 ok"])
        #expect(online.logout() == ["done 3 not-logged-in"])
        let waiting = ClientPhase.waiting.transcript(rtm)
        waiting.wait(4)
        #expect(waiting.state == .reconnecting)
        #expect(waiting.logout().suffix(2) == ["reconnecting > logged-out (logout)", "done 2 ok"])
        #expect(ClientPhase.kicked.transcript(rtm).logout() == ["kicked > logged-out (logout)", "done 2 ok"])
        #expect(ClientPhase.loggedOut.transcript(nim).logout() == ["done 1 ok"])
    }
}
