import IMClient
import IMProfiles
import IMProtocol
import SansIO
import Testing

/// Tests of the connection state that later versions of SDKs report, and of the order in which they report the end of a
/// login.
@Suite struct LinkStateTests {
    private let nimV2 = NIMV2Dialect().clientPolicy
    private let rtm2 = AgoraRTM2Dialect().clientPolicy
    private let chat5 = AgoraChat5Dialect().clientPolicy

    private func links(_ lines: [String]) -> [String] { lines.filter { $0.contains("link ") } }

    @Test("NIM-9: after a break the state is disconnected, then connecting or waiting")
    func connection() {
        let phone = ClientTranscript(nimV2)
        #expect(links(phone.login()) == ["link idle > connecting"])
        #expect(links(phone.open()) == ["link connecting > connected"])
        #expect(links(phone.accept() + phone.receive(.syncDone)) == [])
        phone.wait(10)
        #expect(links(phone.drop()) == ["link connected > disconnected", "link disconnected > connecting"])
        #expect(links(phone.fail()) == ["link connecting > disconnected", "link disconnected > waiting"])
        #expect(links(phone.wait(2)) == ["2s link waiting > connecting"])
        phone.succeed()
        #expect(links(phone.logout() + phone.receive(.logoutAck(.ok))) == ["link connected > disconnected"])
    }

    @Test("RTM-10: retries after 2, 4, 8, 16, 32 s; suspended after two minutes, with a try every 30 s")
    func suspension() {
        let phone = ClientTranscript(rtm2)
        #expect(links(phone.login()) == ["link idle > connecting"])
        #expect(links(phone.open()) == [])
        #expect(links(phone.accept()) == ["link connecting > connected"])
        #expect(links(phone.drop()) == ["link connected > disconnected"])
        for delay in [2, 4, 8, 16, 32] {
            #expect(links(phone.wait(Double(delay))) == ["\(delay)s link disconnected > connecting"])
            #expect(links(phone.fail()) == ["link connecting > disconnected"])
        }
        // The break was 62 s ago, so the suspension comes two minutes after it.
        #expect(links(phone.wait(58)) == ["58s link disconnected > suspended"])
        #expect(links(phone.wait(30)) == ["30s link suspended > connecting"])
        #expect(links(phone.fail()) == ["link connecting > suspended"])
        #expect(links(phone.wait(30)) == ["30s link suspended > connecting"])
        #expect(links(phone.open() + phone.accept()) == ["link connecting > connected"])
        // After a success, a new break starts with the first delay again.
        #expect(links(phone.drop()) == ["link connected > disconnected"])
        #expect(links(phone.wait(2)) == ["2s link disconnected > connecting"])
    }

    @Test("RTM-10: an attempt that runs when two minutes have passed ends in suspended")
    func suspendedWhileConnecting() {
        let phone = ClientTranscript(rtm2)
        phone.goOnline()
        phone.drop()
        for delay in [2.0, 4, 8, 16, 32] {
            phone.wait(delay)
            phone.fail()
        }
        phone.wait(57)
        phone.feed(.networkChanged(.up))
        #expect(links(phone.wait(1)) == [])
        #expect(links(phone.fail()) == ["link connecting > suspended"])
    }

    @Test("RTM-10: a failed login, and a kick, end in failed; a logout in idle")
    func finalStates() {
        let refused = ClientTranscript(rtm2)
        refused.login()
        refused.open()
        #expect(links(refused.refuse(.wrongCredential)) == ["link connecting > failed"])
        let kicked = ClientPhase.online.transcript(rtm2)
        let notice = KickNotice(reason: .otherLogin, epoch: 1, by: Device(id: "pad", platform: .ipad))
        #expect(links(kicked.receive(.kicked(notice))) == ["link connected > failed"])
        #expect(links(kicked.logout()) == ["link failed > idle"])
    }

    @Test("NIM-5: a manual login ends after 60 s including all its retries, and leaves no timer")
    func loginTimeLimit() {
        let phone = ClientTranscript(nimV2)
        phone.command(.setOption(.retryDelays([.seconds(25)])))
        phone.login()
        phone.fail()
        phone.wait(25)
        phone.fail()
        phone.wait(25)
        phone.fail()
        #expect(phone.wait(10).contains("10s done 2 timeout"))
        #expect(phone.state == .loggedOut && phone.machine.nextDeadline == nil)
        let other = ClientTranscript(nimV2)
        other.goOnline()
        #expect(!other.wait(70, answeringHeartbeats: true).contains { $0.contains("online >") })
    }

    @Test("CHAT-10 NIM-12: later versions notify of a kick before the login ends, earlier ones after it")
    func kickComesFirst() throws {
        let notice = KickNotice(reason: .otherLogin, epoch: 1, by: Device(id: "pad", platform: .ipad))
        for (policy, isFirst) in [(nim, false), (nimV2, true), (chat, false), (chat5, true)] {
            let lines = ClientPhase.online.transcript(policy).receive(.kicked(notice))
            let kickIndex = try #require(lines.firstIndex { $0.hasPrefix("kicked ") })
            let ended = try #require(lines.firstIndex { $0.hasPrefix("online > kicked") })
            #expect((kickIndex < ended) == isFirst, "\(lines)")
        }
    }

    @Test("C-6: only a browser's login on the same device ends quietly")
    func ownDevice() {
        for (platform, by, isQuiet) in [(Platform.web, "phone", true), (.web, "pad", false), (.ios, "phone", false)] {
            let phone = ClientTranscript(nimV2, platform: platform)
            phone.goOnline()
            let notice = KickNotice(reason: .otherLogin, epoch: 1, by: Device(id: by, platform: platform))
            #expect(phone.receive(.kicked(notice)).contains("replaced by \(by)") == isQuiet)
        }
    }

    @Test("C-13: the last user's data opens with the login call and closes if the login fails")
    func dataAtLogin() {
        let last = LocalData(lastUser: "alice", credentialReference: "token", lastEpoch: 1, lastResult: .ok)
        let phone = ClientTranscript(chat5, local: last)
        phone.showsData = true
        #expect(phone.login().contains("data 1 open alice"))
        let answer = DataAnswer(generation: 1, .opened(position: 0))
        #expect(phone.feed(.dataAnswered(answer)) == ["data of alice open"])
        phone.open()
        #expect(phone.refuse(.wrongCredential).contains("data 1 close"))
        let stranger = ClientTranscript(chat5, local: last)
        stranger.showsData = true
        #expect(!stranger.login("bob").contains { $0.hasPrefix("data") })
    }
}
