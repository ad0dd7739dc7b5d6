import IMClient
import IMProtocol
import SansIO
import Testing

@Suite struct TokenRenewalTests {
    private static let noon: Int64 = 1_700_000_000_000

    /// A client that is online with a token that is valid for 100 s.
    private func online(_ policy: ClientPolicy) -> ClientTranscript {
        let phone = ClientTranscript(policy)
        phone.login()
        phone.open()
        phone.accept(expiresAt: Self.noon + 100_000, serverTime: Self.noon)
        return phone
    }

    private func renew(_ phone: ClientTranscript, tokenUntil seconds: Int64 = 0) -> [String] {
        let clock = TokenClock(expiresAtMilliseconds: seconds == 0 ? 0 : Self.noon + seconds * 1000)
        return phone.command(.renewToken(credential: "next", clock: clock))
    }

    private func ends(_ phone: ClientTranscript, within seconds: Double) -> [String] {
        phone.wait(seconds, answeringHeartbeats: true).filter { $0.contains("token") }
    }

    @Test("ZIM-6: a renewal online is sent to the server, and the expiry in its answer replaces the old one")
    func renewedOnline() {
        let phone = online(zim)
        #expect(renew(phone, tokenUntil: 9999) == ["send 1 renew-token"])
        // The renewal is not complete before the server's answer.
        #expect(phone.kept?.credentialReference == "token")
        #expect(
            phone.receive(.renewTokenAck(.ok, expiresAtMilliseconds: Self.noon + 500_000), request: phone.request)
                == ["keep alice ok autologin", "done 2 ok"])
        #expect(phone.kept?.credentialReference == "next")
        #expect(phone.kept?.expiresAtMilliseconds == Self.noon + 500_000)
        #expect(ends(phone, within: 501).map { $0.split(separator: " ")[0] } == ["470s", "500s", "500s"])
    }

    @Test("C-11: a refused renewal changes nothing and is not retried")
    func refused() {
        for status in [Status.wrongCredential, .credentialExpired, .serverError] {
            let phone = online(zim)
            _ = renew(phone)
            #expect(
                phone.receive(.renewTokenAck(status, expiresAtMilliseconds: .max), request: phone.request)
                    == ["done 2 \(status.name)"])
            #expect(phone.kept?.credentialReference == "token")
            let lines = phone.wait(101, answeringHeartbeats: true)
            #expect(!lines.contains { $0.contains("renew") })
            #expect(
                lines.filter { $0.contains("token") }.map { $0.split(separator: " ")[0] } == ["70s", "100s", "100s"])
        }
    }

    @Test("P11: the answer to a renewal over an older link, or after its time limit, changes nothing")
    func lateAnswers() {
        let phone = online(zim)
        _ = renew(phone)
        let oldRequest = phone.request
        phone.wait(5)
        #expect(phone.drop().contains("done 2 connection-failed"))
        phone.open()
        phone.accept(expiresAt: Self.noon + 100_000, serverTime: Self.noon + 5000)
        let before = phone.machine
        let ack = FrameBody.renewTokenAck(.ok, expiresAtMilliseconds: .max)
        #expect(phone.feed(.frameReceived(ConnectionID(1), Frame(request: oldRequest, ack))) == [])
        #expect(phone.receive(ack, request: oldRequest) == [])
        #expect(phone.machine == before)
        // An answer to another request, or to no request, has no effect either.
        phone.command(.watch(user: "bob", isOn: true))
        #expect(phone.receive(ack, request: phone.request) == [])
        #expect(phone.receive(ack, request: 0) == [])
        #expect(phone.kept?.credentialReference == "token")
        _ = renew(phone)
        #expect(phone.wait(10).contains("10s done 4 timeout"))
        #expect(phone.receive(ack, request: phone.request) == [])
        #expect(phone.kept?.credentialReference == "token")
    }

    @Test("P11: answers to earlier renewals than the accepted one change nothing")
    func earlierRenewals() {
        let phone = online(rtm)
        phone.command(.renewToken(credential: "first"))
        let first = phone.request
        phone.command(.renewToken(credential: "second"))
        let ack = FrameBody.renewTokenAck(.ok, expiresAtMilliseconds: Self.noon + 500_000)
        #expect(
            phone.receive(ack, request: phone.request) == ["keep alice ok autologin", "done 2 cancelled", "done 3 ok"])
        #expect(phone.receive(.renewTokenAck(.ok, expiresAtMilliseconds: .max), request: first) == [])
        #expect(phone.kept?.credentialReference == "second")
        #expect(phone.kept?.expiresAtMilliseconds == Self.noon + 500_000)
    }

    @Test("RTM-5: a renewal during a retry delay is used by the retry", arguments: [true, false])
    func renewedWhileWaiting(_ ends: Bool) {
        let phone = online(ends ? zim : rtm)
        phone.wait(5, answeringHeartbeats: true)
        phone.drop()
        phone.fail()
        #expect(renew(phone, tokenUntil: 500) == ["keep alice ok autologin", "done 2 ok"])
        let lines = phone.wait(2)
        #expect(lines.contains { $0.hasSuffix("connect 3") })
        phone.open()
        #expect(phone.shown == "next")
        phone.accept(expiresAt: Self.noon + 500_000, serverTime: Self.noon + 7000)
        #expect(phone.state == .online)
        #expect(self.ends(phone, within: 400) == [])
    }

    @Test("RTM-5: after the token expired in Reconnecting, a renewal reconnects at once")
    func reconnectsAtOnce() {
        let phone = online(rtm)
        phone.wait(95, answeringHeartbeats: true)
        phone.drop()
        phone.fail()
        #expect(ends(phone, within: 10) == ["5s token-expired"])
        phone.fail()
        #expect(phone.wait(60) == [])
        #expect(renew(phone, tokenUntil: 9999).suffix(2) == ["done 2 ok", "connect \(phone.link.rawValue)"])
        phone.open()
        #expect(phone.shown == "next")
        #expect(phone.accept().contains("reconnecting > online (login-succeeded)"))
        // After the renewal, a broken connection is reconnected as usual.
        phone.wait(2, answeringHeartbeats: true)
        #expect(phone.drop().contains { $0.hasPrefix("connect") })
    }

    @Test("RTM-5: a renewal of an expired token on a live link makes the next reconnect possible")
    func renewedAfterTheEndOnline() {
        let phone = online(rtm)
        phone.wait(110, answeringHeartbeats: true)
        _ = renew(phone)
        phone.receive(.renewTokenAck(.ok, expiresAtMilliseconds: Self.noon + 500_000), request: phone.request)
        #expect(phone.drop() == ["connect 2"])
    }

    @Test("P11: an attempt that has sent the old token is restarted with the new one")
    func renewedWhileAuthenticating() {
        for policy in [zim, rtm] {
            let phone = ClientPhase.reauthenticating.transcript(policy)
            #expect(renew(phone, tokenUntil: 500) == ["keep alice ok autologin", "done 2 ok", "close 2", "connect 3"])
            // An answer about the old token has no effect after the renewal.
            let word = Frame(.loginAck(LoginReply(.credentialExpired)))
            #expect(phone.feed(.frameReceived(ConnectionID(2), word)) == [])
            phone.open()
            #expect(phone.shown == "next")
        }
        // If the old token was not sent yet, the attempt continues with the new one.
        let phone = ClientPhase.relinking.transcript(zim)
        #expect(renew(phone) == ["keep alice ok autologin", "done 2 ok"])
        phone.open()
        #expect(phone.shown == "next")
    }

    @Test("NIM-3: a renewal before the first success does not count as a successful login")
    func renewedBeforeTheFirstSuccess() {
        let phone = ClientPhase.linking.transcript(zim)
        #expect(renew(phone) == ["done 2 ok"])
        #expect(phone.kept == nil)
        phone.open()
        #expect(phone.shown == "next")
        phone.accept()
        #expect(phone.kept?.credentialReference == "next")
    }

    @Test("C-1: where a renewal is impossible, the command fails and nothing changes")
    func nothingToRenew() {
        for (phase, policy, status) in [
            (ClientPhase.loggedOut, zim, "not-logged-in"), (.kicked, zim, "not-logged-in"),
            (.leaving, zim, "cancelled"),
            (.online, nim, "unsupported"), (.loggedOut, nim, "unsupported"),
        ] {
            let phone = phase.transcript(policy)
            let before = phone.machine
            #expect(renew(phone) == ["done \(phone.commands) \(status)"])
            #expect(phone.machine == before)
        }
        let phone = ClientPhase.online.transcript(zim)
        #expect(phone.command(.renewToken(credential: "")) == ["done 2 invalid-argument"])
    }
}
