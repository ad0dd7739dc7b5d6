import IMClient
import IMProtocol
import SansIO
import Testing

@Suite struct MessageQueueTests {
    private func send(_ phone: ClientTranscript, _ text: String = "hi") -> [String] {
        phone.command(.send(to: "bob", text: text))
    }

    /// A client that was online for 5 s and has no connection.
    private func broken(_ policy: ClientPolicy = zim) -> ClientTranscript {
        let phone = ClientPhase.online.transcript(policy)
        phone.wait(5)
        phone.drop()
        phone.fail()
        return phone
    }

    @Test("ZIM-3 ZIM-10: messages wait only during a login that the server has accepted once")
    func waitsAfterFirstLogin() {
        for phase in [ClientPhase.linking, .authenticating] {
            #expect(send(phase.transcript(zim)) == ["done 2 network-unavailable"])
        }
        for phase in [ClientPhase.relinking, .reauthenticating, .waiting] { #expect(send(phase.transcript(zim)) == []) }
        #expect(send(ClientTranscript(zim)) == ["done 1 not-logged-in"])
        #expect(send(ClientPhase.kicked.transcript(zim)) == ["done 2 not-logged-in"])
    }

    @Test("NIM-1: requests during the sync are sent at once, and once")
    func whileSyncing() {
        let phone = ClientPhase.syncing.transcript(nim)
        #expect(send(phone) == ["send 1 send bob: hi"])
        #expect(
            phone.command(.kick(.otherDevices)).map { $0.split(separator: " ").prefix(3) } == [["send", "1", "kick"]])
        #expect(!phone.receive(.syncDone).contains { $0.contains("send bob") })
        #expect(phone.receive(.sendAck(.ok, id: phone.message?.id ?? "")).last == "done 2 ok")
        // A call fails with its connection, because its answer cannot arrive over another one.
        let pad = ClientPhase.syncing.transcript(nim)
        _ = send(pad)
        #expect(pad.drop().contains("done 2 connection-failed"))
    }

    @Test("S-15 ZIM-10: after a break of 29 s a message is sent by itself, once")
    func returnsInTime() {
        let phone = broken()
        let since = phone.now
        #expect(send(phone) == [])
        while (phone.now - since).inSeconds < 29 {
            phone.wait(min(1, 29 - (phone.now - since).inSeconds))
            if phone.links.contains(phone.link), (phone.now - since).inSeconds < 29 { phone.fail() }
        }
        phone.feed(.networkChanged(.up))
        phone.open()
        #expect(phone.accept().filter { $0.contains("send bob") } == ["send \(phone.link.rawValue) send bob: hi"])
        #expect(phone.receive(.sendAck(.ok, id: phone.message?.id ?? "")).last == "done 2 ok")
        #expect(!phone.wait(60, answeringHeartbeats: true).contains { $0.contains("done") || $0.contains("bob") })
        #expect(phone.incomplete == [])
    }

    @Test("S-15 ZIM-10: after a break of 30 s a message has failed; a resend has the same id and completes once")
    func failedAndResent() {
        let phone = broken()
        _ = send(phone)
        _ = send(phone, "you")
        var done: [String] = []
        for _ in 0..<31 {
            done += phone.wait(1).filter { $0.contains("done") }
            if phone.links.contains(phone.link) { phone.fail() }
        }
        #expect(done.map { $0.suffix(14) } == ["done 2 timeout", "done 3 timeout"])
        phone.feed(.networkChanged(.up))
        phone.open()
        // After a failure, the SDK does not send the message again by itself.
        #expect(!phone.accept().contains { $0.contains("bob") })
        #expect(phone.list(.failed).map { String($0.drop { $0 != " " }) } == [" bob hi", " bob you"])
        let link = phone.link.rawValue
        #expect(phone.command(.resend) == ["send \(link) send bob: hi"])
        let id = phone.message?.id ?? ""
        #expect(id.hasSuffix("-1"))
        #expect(phone.list(.failed).map { String($0.drop { $0 != " " }) } == [" bob you"])
        #expect(phone.receive(.sendAck(.stored, id: id)).last == "done \(phone.commands - 1) stored")
        #expect(phone.command(.resend) == ["send \(link) send bob: you"])
        #expect(phone.command(.resend) == ["done \(phone.commands) not-found"])
        // The resent message fails with its connection and waits for the next one, like any message.
        phone.wait(5)
        phone.drop()
        phone.open()
        #expect(phone.accept().filter { $0.contains("bob") } == ["send \(link + 1) send bob: you"])
        #expect(phone.message?.id.hasSuffix("-2") == true)
    }

    @Test("C-14 P15: a message whose acknowledgement was lost is sent again with the same id, and completes once")
    func lostAcknowledgement() {
        let phone = ClientPhase.online.transcript(zim)
        _ = send(phone)
        let id = phone.message?.id
        for link in UInt32(2)...4 {
            phone.wait(5)
            phone.drop()
            phone.open()
            #expect(phone.accept().filter { $0.contains("bob") } == ["send \(link) send bob: hi"])
            #expect(phone.message?.id == id)
        }
        #expect(phone.receive(.sendAck(.ok, id: id ?? "")).suffix(1) == ["done 2 ok"])
        #expect(phone.receive(.sendAck(.ok, id: id ?? "")) == [])
        phone.wait(5)
        phone.drop()
        phone.open()
        #expect(!phone.accept().contains { $0.contains("bob") })
    }

    @Test("RTM-8: a waiting message times out after 10 s, with or without a link")
    func timesOut() {
        let phone = broken(rtm)
        _ = send(phone)
        #expect(phone.wait(9.9).filter { $0.contains("done") } == [])
        #expect(phone.wait(0.1).filter { $0.contains("done") } == ["0.1s done 2 timeout"])
        #expect(phone.command(.resend) == ["done 3 unsupported"])
        #expect(phone.list(.failed) == [])
    }

    @Test("C-14 C-4: a logout removes waiting and failed messages, and the next user sends none of them")
    func logoutRemovesMessages() {
        let phone = broken()
        _ = send(phone)
        phone.wait(31)
        _ = send(phone, "you")
        #expect(phone.list(.failed).count == 1)
        #expect(phone.logout().filter { $0.hasPrefix("done") } == ["done 3 cancelled", "done 5 ok"])
        #expect(phone.command(.resend) == ["done 6 not-logged-in"])
        phone.login("carol")
        phone.open()
        #expect(!phone.accept(epoch: 2).contains { $0.contains("bob") })
        #expect(phone.list(.failed) == [])
        #expect(phone.command(.resend) == ["done \(phone.commands) not-found"])
    }

    @Test("C-14: messages that are sent during the logout fail with it")
    func sentWhileLeaving() {
        let phone = ClientPhase.leaving.transcript(zim)
        #expect(send(phone) == [])
        #expect(phone.receive(.logoutAck(.ok)).filter { $0.hasPrefix("done") } == ["done 3 cancelled", "done 2 ok"])
        #expect(phone.list(.failed) == [] && phone.incomplete == [])
    }

    @Test("C-5 C-14: a kick and an expired token fail the waiting messages, each with its own code")
    func endsWithTheLogin() {
        let kicked = ClientPhase.reauthenticating.transcript(zim)
        _ = send(kicked)
        #expect(kicked.receive(.kicked(KickNotice(reason: .server, epoch: 1))).last == "done 2 kicked")
        let ended = ClientPhase.reauthenticating.transcript(zim)
        _ = send(ended)
        #expect(ended.refuse(.credentialExpired).last == "done 2 credential-expired")
        for phone in [kicked, ended] { #expect(phone.list(.failed) == [] && phone.wait(100) == []) }
    }

    @Test("ZIM-10: without a queue a message fails with its link, and is not sent again")
    func withoutQueue() {
        let phone = ClientPhase.online.transcript(nim)
        _ = send(phone)
        phone.wait(5)
        #expect(phone.drop().contains("done 2 connection-failed"))
        phone.open()
        phone.accept()
        #expect(!phone.receive(.syncDone).contains { $0.contains("bob") })
    }

    @Test("ZIM-10: a message that the server refuses has failed finally, and a resend is refused")
    func refused() {
        let phone = ClientPhase.online.transcript(zim)
        _ = send(phone)
        #expect(phone.receive(.sendAck(.notFound, id: phone.message?.id ?? "")) == ["done 2 not-found"])
        #expect(phone.list(.failed) == [])
    }

    @Test("design 2: 100 failed messages are stored; the oldest is dropped first; a resend needs space")
    func limits() {
        let phone = broken()
        for number in 0..<100 { _ = send(phone, "a\(number)") }
        #expect(send(phone) == ["done 102 limit-exceeded"])
        phone.wait(31)
        #expect(phone.list(.failed).count == 100)
        _ = send(phone, "last")
        phone.wait(31)
        #expect(phone.list(.failed).count == 100)
        #expect(phone.list(.failed).first?.hasSuffix("a1") == true)
        #expect(phone.list(.failed).last?.hasSuffix("last") == true)
        for number in 0..<100 { _ = send(phone, "b\(number)") }
        #expect(phone.command(.resend) == ["done \(phone.commands) limit-exceeded"])
        #expect(phone.list(.failed).count == 100)
    }

    @Test("C-14: ids are unique across links, processes, users and devices, also with the same seed")
    func ids() {
        var seen: Set<String> = []
        func make(_ phone: ClientTranscript) {
            for _ in 0..<3 {
                _ = send(phone)
                let isNew = seen.insert(phone.message?.id ?? "").inserted
                #expect(isNew && phone.message?.id.hasPrefix("phone-") == true)
            }
        }
        let phone = ClientPhase.online.transcript(zim)
        for _ in 0..<3 {
            make(phone)
            phone.wait(5)
            phone.drop()
            phone.open()
            phone.accept(epoch: 7)
        }
        // The next process detects from the stored data that there was an earlier login.
        let next = ClientTranscript(zim, local: phone.machine.local)
        next.goOnline(epoch: 2)
        make(next)
        #expect(seen.count == 12)
        // Two live shells with the same seed have different random nonces.
        func process(nonce: UInt64?, seed: UInt64 = 1, first: UInt32 = 1) -> String {
            let device = Device(id: "phone", platform: .ios)
            return ClientMachine(
                policy: zim, device: device, seed: seed, firstConnection: ConnectionID(first), nonce: nonce
            ).process
        }
        #expect(process(nonce: 1) == "phone-0000000000000001" && process(nonce: .max) == "phone-ffffffffffffffff")
        #expect(process(nonce: nil) == process(nonce: nil))
        #expect(Set([process(nonce: nil), process(nonce: nil, seed: 2), process(nonce: nil, first: 2)]).count == 3)
    }

    @Test("ZIM-10 P13: a repeated message is confirmed twice and reported once, in every process")
    func reportedOnce() {
        let phone = ClientPhase.online.transcript(rtm)
        func arrive(_ number: UInt64, _ phone: ClientTranscript, id: String = "m", to user: String = "alice")
            -> [String]
        {
            phone.receive(.message(ChatMessage(id: id, from: "bob", to: user, text: id, number: number)))
                .filter { !$0.hasPrefix("keep ") }
        }
        #expect(arrive(1, phone) == ["send 1 message-ack", "message bob: m"])
        #expect(arrive(1, phone) == ["send 1 message-ack"])
        phone.wait(1)
        phone.drop()
        phone.open()
        phone.accept()
        #expect(arrive(1, phone) == ["send 2 message-ack"])
        // The third message is lost, and thousands of later messages are reported.
        for number in UInt64(2)...3000 where number != 3 { #expect(arrive(number, phone).count == 2) }
        #expect(arrive(1, phone).count == 1 && arrive(3, phone).count == 2 && arrive(3, phone).count == 1)
        // The client recognizes a repeated message by the server's number. The id is not enough, because senders choose
        // it: all messages of this test have the id `m`, and number 3001 is a new message.
        #expect(arrive(3001, phone) == ["send 2 message-ack", "message bob: m"])
        phone.logout()
        phone.receive(.logoutAck(.ok))
        phone.goOnline("carol", epoch: 2)
        #expect(arrive(3001, phone, to: "carol").count == 2)
        let next = ClientTranscript(rtm, local: phone.machine.local)
        next.goOnline(epoch: 3)
        #expect(arrive(3001, next).count == 1 && arrive(3002, next).count == 2)
        for extreme in [UInt64.max, .max - 1, .max] { _ = arrive(extreme, next) }
        #expect(arrive(.max, next).count == 1)
    }

    @Test("RTM-9: a message to a channel needs the joined channel; names and texts have limits")
    func channelsAndLimits() {
        let phone = ClientPhase.online.transcript(rtm)
        #expect(phone.command(.send(to: "room", text: "hi", isToChannel: true)) == ["done 2 not-found"])
        phone.command(.join(channel: "room"))
        phone.receive(.joinAck(.ok, channel: "room", members: ["alice"]), request: phone.request)
        #expect(phone.command(.send(to: "room", text: "hi", isToChannel: true)) == ["send 1 send room: hi"])
        #expect(phone.message?.isToChannel == true && phone.message?.from == "alice")
        #expect(phone.command(.send(to: "", text: "hi")) == ["done 5 invalid-argument"])
        let long = String(repeating: "x", count: ProtocolLimit.textBytesMax)
        #expect(phone.command(.send(to: "bob", text: long)).first?.hasPrefix("send 1") == true)
        #expect(phone.command(.send(to: "bob", text: long + "x")) == ["done 7 text-too-long"])
        #expect(
            ClientPhase.online.transcript(zim).command(.send(to: "room", text: "hi", isToChannel: true))
                == ["done 2 unsupported"])
    }

    @Test("RTM-9: a call that is refused does not count for a rate limit")
    func refusedCalls() {
        var policy = rtm
        policy.callRates = [
            CallRate(.messages, 1, within: .seconds(3)), CallRate(.joins, 2, within: .seconds(3)),
            CallRate(.joinsOfOneChannel, 1, within: .seconds(5)),
        ]
        let phone = ClientTranscript(policy)
        phone.login()
        #expect(phone.command(.send(to: "bob", text: "hi")) == ["done 2 network-unavailable"])
        phone.succeed()
        #expect(phone.command(.send(to: "bob", text: "hi")) == ["send 1 send bob: hi"])
        #expect(phone.command(.send(to: "bob", text: "hi")) == ["done 4 rate-limited"])
        phone.command(.join(channel: "c"))
        phone.receive(.joinAck(.ok, channel: "c", members: []), request: phone.request)
        phone.command(.leave(channel: "c"))
        phone.receive(.leaveAck(.ok, channel: "c"), request: phone.request)
        #expect(phone.command(.join(channel: "c")) == ["done 7 channel-rate-limited"])
        #expect(phone.command(.join(channel: "d")) == ["send 1 join d"])
        #expect(phone.command(.join(channel: "e")) == ["done 9 rate-limited"])
    }
}
