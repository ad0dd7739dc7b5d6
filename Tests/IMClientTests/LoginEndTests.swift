import IMClient
import IMProtocol
import SansIO
import Testing

/// Tests of the stored state after the end of a login or a login as another user, and of its effect at the next app
/// start.
@Suite struct LoginEndTests {
    @Test("C-13 NIM-3: after a logout autologin opens no data, however the logout ended", arguments: [nim, chat])
    func noAutologinAfterLogout(_ policy: ClientPolicy) {
        for end in ["answered", "overdue", "broken", "unsent"] {
            let phone = ClientTranscript(policy)
            phone.goOnline()
            switch end {
            case "answered":
                phone.logout()
                phone.receive(.logoutAck(.ok))
            case "overdue":
                phone.command(.logout(keepsPush: true))
                phone.wait(10)
            case "broken":
                phone.command(.logout(keepsPush: true))
                phone.drop()
            default:
                phone.drop()
                phone.command(.logout(keepsPush: true))
            }
            #expect(phone.state == .loggedOut && phone.kept?.autologinAllowed == false, "\(end)")
            let command = phone.commands + 1
            #expect(phone.login("alice", .automatic) == ["done \(command) autologin-not-allowed"], "\(end)")
            #expect(!phone.machine.isDataOpen)
            // The next process refuses an autologin too, until a manual login succeeds.
            let next = ClientTranscript(policy, local: phone.kept ?? LocalData())
            #expect(next.login("alice", .automatic) == ["done 1 autologin-not-allowed"], "\(end)")
            next.goOnline(epoch: 2)
            #expect(next.kept?.autologinAllowed == true)
        }
    }

    @Test("C-11 NIM-3: a manual login without a network forbids autologin in NIM, and in no other system")
    func failedManualLogin() {
        for (policy, isAllowed) in [(nim, false), (chat, true)] {
            let first = ClientTranscript(policy)
            first.goOnline()
            let phone = ClientTranscript(policy, local: first.kept ?? LocalData())
            phone.login()
            phone.fail()
            #expect(phone.state == .loggedOut && phone.kept?.autologinAllowed == isAllowed)
            // A refusal of the user forbids autologin in every system.
            phone.login()
            phone.open()
            phone.refuse(.wrongCredential)
            #expect(phone.kept?.autologinAllowed == false)
        }
    }

    @Test("NIM-4 h31: a forced autologin is refused in systems without it")
    func forced() {
        let local = LocalData(lastUser: "alice", credentialReference: "token", lastEpoch: 1, autologinAllowed: true)
        #expect(ClientTranscript(chat, local: local).login("alice", .forced) == ["done 1 unsupported"])
        #expect(ClientTranscript(nim, local: local).login("alice", .forced).last == "connect 1")
    }

    @Test("CHAT-7: a user name with a slash is refused in systems with login ids")
    func slashInUserName() {
        #expect(ClientTranscript(chat).login("alice/pc") == ["done 1 invalid-argument"])
        #expect(ClientTranscript(nim).login("alice/pc").last == "connect 1")
    }

    @Test("NIM-13 n10: the app gets the other devices at its first login, and again only if they have changed")
    func initialDevices() {
        let phone = ClientTranscript(nim)
        phone.login()
        phone.open()
        #expect(phone.accept(others: [pad]).contains("devices initial pad"))
        phone.receive(.syncDone)
        for (others, isReported) in [([pad], false), ([], true), ([], false), ([pad], true)] {
            phone.wait(5, answeringHeartbeats: true)
            phone.drop()
            phone.open()
            #expect(phone.accept(others: others).contains { $0.hasPrefix("devices initial") } == isReported)
            phone.receive(.syncDone)
        }
    }

    @Test("C-9 h21: a connect that hangs is restarted when the network returns")
    func hangingConnect() {
        let phone = ClientTranscript(nim)
        phone.goOnline()
        phone.wait(5, answeringHeartbeats: true)
        phone.drop()
        let hanging = phone.link
        #expect(phone.feed(.networkChanged(.up)).contains("close \(hanging.rawValue)"))
        #expect(phone.link != hanging && phone.links == [phone.link])
        phone.succeed()
        #expect(phone.state == .online)
        // An open connection is used and not restarted.
        let other = ClientTranscript(nim)
        other.login()
        other.open()
        #expect(other.feed(.networkChanged(.up)) == [])
    }

    @Test("RTM-2 h21: such a restart does not extend the time limit of a manual login")
    func limitStays() {
        let phone = ClientTranscript(rtm)
        phone.login()
        for _ in 0..<5 {
            phone.wait(1)
            phone.feed(.networkChanged(.up))
        }
        #expect(phone.wait(0.9) == [])
        #expect(phone.wait(0.1).contains { $0.hasSuffix("done 1 timeout") })
    }

    @Test(
        "SYNC-1 h19: a process that another one with the same device id replaces reconnects only on the app's command")
    func replaced() {
        var policy = zim
        policy.features = [.tree]
        let phone = ClientTranscript(policy)
        phone.command(.goOnline)
        phone.succeed()
        #expect(phone.state == .online)
        #expect(phone.receive(.goodbye(.replaced, detail: "")).contains("online > offline (remote-login)"))
        #expect(phone.machine.nextDeadline == nil)
        #expect(phone.feed(.networkChanged(.up)) == [] && phone.wait(600) == [])
        phone.command(.goOnline)
        phone.succeed()
        #expect(phone.state == .online)
    }

    // MARK: The warning before a token expires

    private static let noon: Int64 = 1_700_000_000_000

    private func reply(_ phone: ClientTranscript, issued: Int64, life: Int64) {
        let wall = Self.noon + (phone.now - .zero).inMilliseconds
        phone.receive(
            .loginAck(
                LoginReply(
                    .ok, epoch: 1, serverTimeMilliseconds: wall, expiresAtMilliseconds: issued + life,
                    issuedAtMilliseconds: issued)))
    }

    private func warnings(_ phone: ClientTranscript, _ seconds: Double) -> [String] {
        phone.wait(seconds, answeringHeartbeats: true).filter { $0.contains("will-expire") }
    }

    @Test("CHAT-10 h11: the app is notified at 80 % of the token's whole life, once, also with reconnects in between")
    func expiryNoticeOnce() {
        var policy = chat
        policy.firstRetryWaits = false
        let phone = ClientTranscript(policy)
        phone.login()
        phone.open()
        reply(phone, issued: Self.noon, life: 100_000)
        #expect(warnings(phone, 50) == [])
        phone.drop()
        phone.open()
        reply(phone, issued: Self.noon, life: 100_000)
        #expect(warnings(phone, 29) == [])
        #expect(warnings(phone, 2) == ["1s token-will-expire 20000"])
        phone.drop()
        phone.open()
        reply(phone, issued: Self.noon, life: 100_000)
        #expect(warnings(phone, 18) == [])
        // A new token has its own warning.
        phone.command(.renewToken(credential: "new"))
        phone.receive(
            .renewTokenAck(.ok, expiresAtMilliseconds: Self.noon + 200_000, issuedAtMilliseconds: Self.noon + 99_000),
            request: phone.request)
        #expect(warnings(phone, 80).isEmpty)
        #expect(warnings(phone, 2).count == 1)
    }

    @Test(
        "CHAT-10: for a token issued long before its login, the notice follows the token's life, possibly at once")
    func oldToken() {
        let phone = ClientTranscript(chat)
        phone.login()
        phone.open()
        reply(phone, issued: Self.noon - 900_000, life: 1_000_000)
        #expect(warnings(phone, 0) == ["0s token-will-expire 100000"])
    }
}
