import IMClient
import IMProtocol
import SansIO
import Testing

@Suite struct KickTests {
    private let notice = KickNotice(reason: .otherLogin, epoch: 1, by: pad)

    @Test(
        "C-5: a kick ends the login in every phase with an open link, without a retry",
        arguments: [ClientPhase.syncing, .online, .reauthenticating])
    func kickInEveryPhase(_ phase: ClientPhase) {
        for policy in [nim, rtm] {
            let phone = phase.transcript(policy)
            phone.command(.send(to: "bob", text: "hi"))
            let lines = phone.receive(.kicked(notice))
            let link = phone.link.rawValue
            #expect(lines.prefix(3) == ["send \(link) kicked-ack 1", "close \(link)", "keep alice kicked"])
            #expect(lines.contains("kicked other-login by pad"))
            #expect(lines.filter { $0.hasSuffix("> kicked (remote-login)") }.count == 1)
            #expect(phone.state == .kicked)
            #expect(phone.machine.nextDeadline == nil)
            #expect(phone.drop() == [])
            for input in [
                ClientInput.networkChanged(.up), .networkChanged(.switched), .appChanged(.foreground), .deadlineReached,
            ] {
                #expect(!phone.feed(input).contains { $0.hasPrefix("connect") || $0.hasPrefix("step") })
            }
            #expect(phone.wait(3600) == [])
            #expect(phone.incomplete == [])
            #expect(phone.kept?.lastResult == .kicked && phone.kept?.autologinAllowed == false)
        }
    }

    @Test("C-5 NIM-12: each reason ends the login and is reported unchanged", arguments: KickReason.allCases)
    func reasons(_ reason: KickReason) {
        let phone = ClientPhase.online.transcript(nim)
        let lines = phone.receive(.kicked(KickNotice(reason: reason, epoch: 1)))
        #expect(lines.contains("kicked \(reason.name) by -"))
        let words = [
            "remote-login", "kicked-by-server", "kicked-by-other-device", "banned", "account-removed",
            "password-changed",
        ]
        #expect(lines.contains("online > kicked (\(words[Int(reason.rawValue) - 1]))"))
    }

    @Test("NIM-3: after a kick autologin is refused until a manual login succeeds")
    func autologinAfterKick() {
        let phone = ClientPhase.kicked.transcript(nim)
        #expect(phone.login("alice", .automatic) == ["done 2 autologin-not-allowed"])
        #expect(phone.login("alice", .forced) == ["done 3 autologin-not-allowed"])
        // A new process reads the stored state, so it refuses the autologin too.
        let restarted = ClientTranscript(nim, local: phone.machine.local)
        #expect(restarted.login("alice", .automatic) == ["done 1 autologin-not-allowed"])
        restarted.goOnline(epoch: 2)
        let next = ClientTranscript(nim, local: restarted.machine.local)
        #expect(next.login("alice", .automatic).contains("step linking"))
    }

    @Test("C-8: a kick of another epoch does not end this login", arguments: [0, 2, .max] as [LoginEpoch])
    func otherEpoch(_ epoch: LoginEpoch) {
        for phase in [ClientPhase.syncing, .online, .leaving] + (epoch == 0 ? [.reauthenticating] : []) {
            let phone = phase.transcript(nim)
            #expect(phone.receive(.kicked(KickNotice(reason: .server, epoch: epoch))) == [])
            #expect(phone.state != .kicked)
        }
    }

    @Test("C-5: a kick of a later epoch ends the login whose answer was lost")
    func answerLost() {
        let phone = ClientPhase.reauthenticating.transcript(nim)
        #expect(phone.receive(.kicked(KickNotice(reason: .server, epoch: 2))).contains("send 2 kicked-ack 2"))
        #expect(phone.state == .kicked)
    }

    @Test("C-1 C-5: a kick during the logout completes the logout and is not reported")
    func kickDuringLogout() {
        let phone = ClientPhase.leaving.transcript(nim)
        #expect(
            phone.receive(.kicked(notice)) == [
                "send 1 kicked-ack 1", "close 1", "keep alice kicked", "online > logged-out (logout)", "done 2 ok",
            ])
        #expect(phone.wait(3600) == [])
    }

    @Test("RTM-6: a kick during a hidden or reported interruption is Aborted, never Connected")
    func kickFoundAtReconnect() {
        for seconds in [0.0, 5.0] {
            let phone = ClientPhase.online.transcript(rtm)
            phone.wait(10, answeringHeartbeats: true)
            phone.drop()
            phone.wait(seconds)
            phone.open()
            let before = phone.state
            let lines = phone.receive(.kicked(notice)).filter { $0.contains(">") }
            #expect(lines == ["\(before.name) > kicked (remote-login)"])
        }
    }

    @Test("NIM-12: a kick command is sent to the server and completes with its answer; a client cannot kick itself")
    func kickOthers() {
        let phone = ClientPhase.online.transcript(nim)
        #expect(phone.command(.kick(.device("pad"))) == ["send 1 kick pad"])
        #expect(phone.receive(.kickAck(.ok), request: phone.request) == ["done 2 ok"])
        #expect(phone.command(.kick(.otherDevices)) == ["send 1 kick others"])
        #expect(phone.receive(.kickAck(.notFound), request: phone.request) == ["done 3 not-found"])
        #expect(phone.receive(.kickAck(.ok), request: phone.request) == [])
        #expect(phone.command(.kick(.device("phone"))) == ["done 4 invalid-argument"])
        #expect(phone.command(.kick(.device(""))) == ["done 5 invalid-argument"])
        #expect(ClientPhase.waiting.transcript(nim).command(.kick(.device("pad"))) == ["done 2 network-unavailable"])
        #expect(ClientPhase.loggedOut.transcript(nim).command(.kick(.device("pad"))) == ["done 1 not-logged-in"])
        #expect(ClientPhase.online.transcript(rtm).command(.kick(.device("pad"))) == ["done 2 unsupported"])
    }

    @Test("NIM-13: the other devices are reported at login and on every change; the query does not list the own device")
    func otherDevices() {
        let mac = Device(id: "mac", platform: .macos)
        let phone = ClientPhase.authenticating.transcript(nim)
        #expect(phone.accept(others: [pad]).last == "devices initial pad")
        #expect(phone.receive(.devicesChanged(.login, [mac])) == ["devices login mac"])
        #expect(phone.receive(.devicesChanged(.logout, [pad])) == ["devices logout pad"])
        #expect(phone.ask(.devices)["device"] == "mac")
        #expect(ClientPhase.authenticating.transcript(nim).accept().allSatisfy { !$0.hasPrefix("devices") })
        #expect(ClientTranscript(nim).ask(.devices)["status"] == "not-logged-in")
        #expect(ClientPhase.online.transcript(rtm).receive(.devicesChanged(.login, [mac])) == [])
    }
}

@Suite struct CallTests {
    @Test("C-1: pending requests complete once when the link breaks, and a late answer is ignored")
    func requestsFailWithTheLink() {
        let phone = ClientPhase.online.transcript(nim)
        phone.command(.kick(.device("pad")))
        phone.command(.kick(.otherDevices))
        let request = phone.request
        #expect(
            phone.drop().filter { $0.hasPrefix("done") } == ["done 2 connection-failed", "done 3 connection-failed"])
        phone.wait(2)
        phone.succeed()
        #expect(phone.receive(.kickAck(.ok), request: request) == [])
        #expect(!phone.wait(100).contains { $0.contains("done") })
        #expect(phone.incomplete == [])
    }

    @Test("C-1: an unanswered request times out once")
    func requestTimesOut() {
        let phone = ClientPhase.online.transcript(nim)
        phone.command(.kick(.device("pad")))
        #expect(phone.wait(10) == ["10s done 2 timeout"])
        #expect(phone.receive(.kickAck(.ok), request: phone.request) == [])
    }

    @Test("C-14: a queued message is sent after the login with the same id, and completes once")
    func resend() {
        let phone = ClientPhase.online.transcript(rtm)
        #expect(phone.command(.send(to: "bob", text: "hi")) == ["send 1 send bob: hi"])
        let id = phone.message?.id ?? ""
        phone.wait(1)
        phone.drop()
        phone.command(.send(to: "bob", text: "there"))
        phone.open()
        #expect(phone.accept().filter { $0.hasPrefix("send") } == ["send 2 send bob: hi", "send 2 send bob: there"])
        #expect(phone.receive(.sendAck(.ok, id: id)) == ["done 2 ok"])
        #expect(phone.receive(.sendAck(.ok, id: id)) == [])
        #expect(phone.receive(.sendAck(.stored, id: "nobody's")) == [])
        #expect(phone.incomplete == [3])
    }

    @Test("RTM-8: a sent message times out after 10 s")
    func messageTimesOut() {
        let phone = ClientPhase.online.transcript(rtm)
        phone.drop()
        phone.command(.send(to: "bob", text: "hi"))
        #expect(phone.wait(11).filter { $0.contains("done") } == ["10s done 2 timeout"])
    }

    @Test("C-14 C-4: waiting messages fail when their login ends")
    func messagesEndWithTheLogin() {
        let phone = ClientPhase.waiting.transcript(rtm)
        phone.command(.send(to: "bob", text: "hi"))
        #expect(phone.logout().filter { $0.hasPrefix("done 2") } == ["done 2 cancelled"])
        phone.login("carol")
        phone.open()
        #expect(!phone.accept(epoch: 2).contains { $0.contains("send 2 send") })
    }

    @Test("design 2: 100 messages may wait, one more is refused")
    func outboxLimit() {
        let phone = ClientPhase.waiting.transcript(rtm)
        for _ in 0..<100 { #expect(phone.command(.send(to: "bob", text: "x")) == []) }
        #expect(phone.command(.send(to: "bob", text: "x")) == ["done 102 limit-exceeded"])
        #expect(
            ClientPhase.waiting.transcript(nim).command(.send(to: "bob", text: "x")) == ["done 2 network-unavailable"])
        #expect(ClientTranscript(nim).command(.send(to: "bob", text: "x")) == ["done 1 not-logged-in"])
    }

    @Test("design 2: a protocol violation closes the link, and the login continues")
    func violations() {
        let bodies: [FrameBody] = [
            .sync, .kick(device: ""), .heartbeat, .loginAck(LoginReply(.ok)), .logoutAck(.ok),
        ]
        for body in bodies {
            let phone = ClientPhase.online.transcript(nim)
            phone.wait(3)
            #expect(
                phone.receive(body) == [
                    "send 1 goodbye protocol-violation", "close 1", "step connection-lost",
                    "online > reconnecting (interrupted)", "step linking", "connect 2",
                ])
        }
        let phone = ClientPhase.online.transcript(nim)
        #expect(phone.feed(.frameUnreadable(phone.link, .notProtobuf)).first == "send 1 goodbye protocol-violation")
    }

    @Test("C-1 C-4: an app that ends cancels every open command once, and leaves no timer")
    func closing() {
        let online = ClientPhase.online.transcript(zim)
        online.command(.send(to: "bob", text: "hi"))
        online.command(.kick(.device("pad")))
        let attempting = ClientTranscript(nim)
        attempting.login()
        let waiting = ClientTranscript(nim, local: LocalData(lastUser: "alice", autologinAllowed: true))
        waiting.login("alice", .automatic)
        waiting.fail()
        let leaving = ClientPhase.online.transcript(nim)
        leaving.logout()
        for phone in [online, attempting, waiting, leaving] {
            #expect(!phone.incomplete.isEmpty)
            let lines = phone.feed(.appChanged(.closing))
            #expect(lines.filter { $0.hasPrefix("done") }.allSatisfy { $0.hasSuffix("cancelled") })
            #expect(phone.incomplete.isEmpty && phone.machine.nextDeadline == nil && phone.links.isEmpty)
            #expect(phone.feed(.appChanged(.closing)) == [])
        }
        #expect(ClientTranscript(nim).feed(.appChanged(.closing)) == [])
    }

    @Test("design 2: messages are acknowledged and reported, channel messages only for joined channels")
    func messages() {
        let phone = ClientPhase.online.transcript(rtm)
        #expect(
            phone.receive(.message(ChatMessage(id: "m", from: "bob", to: "alice", text: "hi")))
                == ["send 1 message-ack", "message bob: hi"])
        #expect(phone.receive(.memberChanged(channel: "a", user: "bob", joined: true)) == [])
        phone.command(.join(channel: "a"))
        phone.receive(.joinAck(.ok, channel: "a", members: ["alice", "bob"]), request: phone.request)
        #expect(phone.receive(.memberChanged(channel: "a", user: "bob", joined: false)) == ["a bob left"])
        #expect(phone.receive(.tokenNotice(expired: true, remainingMilliseconds: 0)) == ["token-expired"])
        #expect(phone.receive(.tokenNotice(expired: false, remainingMilliseconds: 5)) == ["token-will-expire 5"])
    }
}
