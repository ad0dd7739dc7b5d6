import IMClient
import IMProtocol
import SansIO
import Testing

@Suite struct GraceTests {
    @Test("RTM-3: an interruption of 3.9 s is not reported")
    func shortInterruption() {
        let phone = ClientPhase.online.transcript(rtm)
        phone.wait(10, answeringHeartbeats: true)
        #expect(phone.drop() == ["connect 2"])
        #expect(phone.fail() == [])
        #expect(!phone.wait(3.9).contains { $0.contains(">") })
        #expect(phone.state == .online)
        phone.open()
        #expect(!phone.accept().contains { $0.contains(">") })
        #expect(!phone.wait(0.5).contains { $0.contains(">") })
        #expect(phone.state == .online)
    }

    @Test("RTM-3: an interruption of 4.1 s is reported after 4 s, as Reconnecting + Interrupted")
    func longInterruption() {
        let phone = ClientPhase.online.transcript(rtm)
        phone.wait(10, answeringHeartbeats: true)
        phone.drop()
        phone.fail()
        #expect(phone.wait(4.1).filter { $0.contains(">") } == ["4s online > reconnecting (interrupted)"])
        #expect(phone.state == .reconnecting)
    }

    @Test("RTM-4: the return after a reported interruption is Connected + LoginSuccess, without a completion")
    func recovered() {
        let phone = ClientPhase.online.transcript(rtm)
        phone.wait(10, answeringHeartbeats: true)
        phone.drop()
        phone.wait(5)
        phone.open()
        #expect(phone.accept() == ["keep alice ok autologin", "reconnecting > online (login-succeeded)"])
    }

    @Test("RTM-3: a silent link counts as interrupted since its last frame")
    func silentLink() {
        let phone = ClientPhase.online.transcript(rtm)
        #expect(phone.wait(6).filter { $0.contains(">") } == ["4s online > reconnecting (interrupted)"])
    }

    @Test("RTM-3: the client retries until the logout, even for hours")
    func retriesForEver() {
        let phone = ClientPhase.waiting.transcript(rtm)
        for _ in 0..<200 {
            phone.wait(20)
            phone.fail()
        }
        #expect(phone.state == .reconnecting)
        #expect(phone.machine.nextDeadline != nil)
    }

    @Test("RTM-1: login is Connecting (Login), then Connected (LoginSuccess), completion 0")
    func login() {
        let phone = ClientTranscript(rtm)
        #expect(phone.login() == ["logged-out > connecting (login)", "connect 1"])
        #expect(phone.open() == ["send 1 login alice manual epoch=0"])
        #expect(phone.accept() == ["keep alice ok autologin", "connecting > online (login-succeeded)", "done 1 ok"])
    }

    @Test("RTM-2: 6 s without success is Disconnected + LoginTimeout, and no retry follows")
    func timeout() {
        for phase in [ClientPhase.linking, .authenticating] {
            #expect(
                phase.transcript(rtm).wait(3600) == [
                    "6s close 1", "6s keep alice timeout autologin", "6s connecting > logged-out (login-timed-out)",
                    "6s done 1 timeout",
                ])
        }
    }

    @Test("RTM-2: a refusal is Disconnected + LoginFailure with the code, and no retry follows")
    func failure() {
        let phone = ClientPhase.authenticating.transcript(rtm)
        #expect(
            phone.refuse(.wrongCredential).suffix(2) == [
                "connecting > logged-out (credential-refused)", "done 1 wrong-credential",
            ])
        #expect(phone.wait(3600) == [])
    }

    @Test("RTM-6: Aborted refuses a login until the logout; NIM's kicked client may log in")
    func abortedNeedsLogout() {
        let aborted = ClientPhase.kicked.transcript(rtm)
        #expect(aborted.login() == ["done 2 already-logged-in"])
        #expect(aborted.state == .kicked)
        aborted.logout()
        #expect(aborted.login() == ["logged-out > connecting (login)", "connect 2"])
        #expect(ClientPhase.kicked.transcript(nim).login().first == "kicked > connecting (login)")
    }

    @Test("RTM-4 C-15: channels are joined again only after the login is confirmed, each once")
    func channelsRejoined() {
        let phone = ClientPhase.online.transcript(rtm)
        for channel in ["a", "b"] {
            phone.command(.join(channel: channel))
            phone.receive(.joinAck(.ok, channel: channel, members: ["alice"]), request: phone.request)
        }
        #expect(phone.machine.joinedChannels == ["a", "b"])
        phone.wait(1)
        phone.drop()
        #expect(phone.open() == ["send 2 login alice resume epoch=1"])
        #expect(
            phone.accept().filter { $0.hasPrefix("send") } == [
                "send 2 join a", "send 2 join b", "send 2 settle [a,b] watching []",
            ])
        #expect(phone.receive(.joinAck(.ok, channel: "a", members: []), request: phone.request) == [])
        #expect(phone.machine.joinedChannels == ["a", "b"])
        phone.logout()
        phone.receive(.logoutAck(.ok))
        phone.goOnline(epoch: 2)
        #expect(phone.machine.joinedChannels == [])
    }

    @Test("C-15: a leave that does not reach the server changes nothing")
    func leaveWithoutLink() {
        let phone = ClientPhase.online.transcript(rtm)
        phone.command(.join(channel: "a"))
        phone.receive(.joinAck(.ok, channel: "a", members: []), request: phone.request)
        phone.wait(1)
        phone.drop()
        #expect(phone.command(.leave(channel: "a")) == ["done 3 network-unavailable"])
        #expect(phone.machine.joinedChannels == ["a"])
    }

    @Test("RTM-9: at most 20 channels, including running joins")
    func channelLimit() {
        let phone = ClientPhase.online.transcript(rtm)
        for number in 1...20 { #expect(phone.command(.join(channel: "c\(number)")) == ["send 1 join c\(number)"]) }
        #expect(phone.command(.join(channel: "c21")).last == "done 22 limit-exceeded")
        #expect(phone.command(.join(channel: "c1")).last == "done 23 already-joined")
    }
}
