import IMClient
import IMProtocol
import SansIO
import Testing

/// Tests that the client repeats a reconciliation until the server has the client's state (C-15).
@Suite struct SettleTests {
    /// A client that is online and in the channel `c`.
    private func joined(_ policy: ClientPolicy = rtm) -> ClientTranscript {
        let phone = ClientPhase.online.transcript(policy)
        phone.command(.join(channel: "c"))
        phone.receive(.joinAck(.ok, channel: "c", members: ["alice"]), request: phone.request)
        return phone
    }

    @discardableResult
    private func comeBack(_ phone: ClientTranscript) -> [String] {
        phone.wait(2, answeringHeartbeats: true)
        phone.drop()
        phone.open()
        return phone.accept().filter { $0.hasPrefix("send") }
    }

    @Test("C-15: a leave without an answer is reconciled over the live link, until it is answered")
    func leaveOnALivingLink() {
        let phone = joined()
        phone.command(.leave(channel: "c"))
        var lines = phone.wait(5, answeringHeartbeats: true)
        #expect(lines.suffix(2) == ["5s done 3 timeout", "5s send 1 settle [] watching []"])
        lines = phone.wait(5, answeringHeartbeats: true)
        #expect(lines.last == "5s send 1 settle [] watching []")
        phone.receive(.settleAck(channels: [], watched: []), request: phone.request)
        #expect(!phone.wait(30, answeringHeartbeats: true).contains { $0.contains("settle") })
    }

    @Test("C-15: a join without an answer is undone; a running join stays")
    func joinWithoutAnswer() {
        let phone = joined()
        phone.command(.join(channel: "d"))
        phone.wait(1, answeringHeartbeats: true)
        phone.command(.join(channel: "e"))
        let request = phone.request
        #expect(phone.wait(4, answeringHeartbeats: true).last == "4s send 1 settle [c,e] watching []")
        phone.receive(.joinAck(.ok, channel: "e", members: []), request: request)
        #expect(phone.list(.channels) == ["c", "e"])
    }

    @Test("C-15: a channel that cannot be joined again is removed, and the app is notified")
    func refused() {
        let phone = joined()
        #expect(comeBack(phone) == ["send 2 join c", "send 2 settle [c] watching []"])
        let settleRequest = phone.request
        #expect(
            phone.receive(.settleAck(channels: ["c", "x"], watched: []), request: settleRequest) == ["c alice left"])
        #expect(phone.receive(.settleAck(channels: ["c"], watched: []), request: settleRequest) == [])
        #expect(phone.list(.channels) == [])
        #expect(comeBack(phone) == ["send 3 settle [] watching []"])
    }

    @Test("C-15: a join that is refused after a reconciliation that listed it is reconciled again")
    func refusedAfterSettlement() {
        let phone = joined()
        phone.command(.leave(channel: "c"))
        let leave = phone.request
        phone.command(.join(channel: "d"))
        let join = phone.request
        #expect(
            phone.receive(.leaveAck(.timeout, channel: "c"), request: leave)
                == ["done 3 timeout", "send 1 join c"])
        phone.command(.watch(user: "bob", isOn: false))
        #expect(
            phone.receive(.watchAck(.forbidden), request: phone.request)
                == ["done 5 forbidden", "send 1 settle [c,d] watching []"])
        phone.receive(.settleAck(channels: [], watched: []), request: phone.request)
        #expect(
            phone.receive(.joinAck(.forbidden, channel: "d", members: []), request: join)
                == ["done 4 forbidden", "send 1 settle [c] watching []"])
    }

    @Test("C-15: a leave that is refused after a reconciliation without the channel is reconciled again")
    func refusedLeave() {
        let phone = joined()
        phone.command(.leave(channel: "c"))
        let leave = phone.request
        phone.command(.watch(user: "bob", isOn: false))
        phone.receive(.watchAck(.forbidden), request: phone.request)
        #expect(
            phone.receive(.leaveAck(.forbidden, channel: "c"), request: leave)
                == ["done 3 forbidden", "send 1 join c", "send 1 settle [c] watching []"])
        #expect(phone.list(.channels) == ["c"])
    }

    @Test("C-15: of two watches of one user the last answer counts, in any order", arguments: [true, false])
    func watchedTwice(_ isInOrder: Bool) {
        let phone = ClientPhase.online.transcript(rtm)
        phone.command(.watch(user: "bob", isOn: true))
        let first = phone.request
        phone.command(.watch(user: "bob", isOn: true))
        let answers: [(Status, UInt32)] = [(.forbidden, first), (.ok, phone.request)]
        for (status, request) in isInOrder ? answers : answers.reversed() {
            phone.receive(.watchAck(status), request: request)
        }
        phone.receive(.presence(user: "bob", .online), request: 0)
        #expect(comeBack(phone).last == "send 2 settle [] watching [bob]")
    }

    @Test("C-3: an answer to an earlier reconciliation does not complete the later one")
    func lateAnswer() {
        let phone = joined()
        comeBack(phone)
        let first = phone.request
        phone.wait(5, answeringHeartbeats: true)
        #expect(phone.receive(.settleAck(channels: ["c"], watched: []), request: first) == [])
        #expect(phone.list(.channels) == ["c"])
    }

    @Test("C-15: messages of other channels are not reported, and channel messages need no confirmation")
    func otherChannels() {
        let phone = joined()
        func receiveMessage(_ id: String, in channel: String) -> [String] {
            phone.receive(.message(ChatMessage(id: id, from: "bob", to: channel, text: "hi", isToChannel: true)))
        }
        #expect(receiveMessage("1", in: "c") == ["message bob: hi"])
        #expect(receiveMessage("2", in: "d") == [])
        phone.command(.leave(channel: "c"))
        #expect(receiveMessage("3", in: "c") == [])
    }

    @Test("C-15: a login without subscriptions sends no reconciliation")
    func nothingSubscribed() {
        let phone = ClientPhase.online.transcript(rtm)
        #expect(comeBack(phone) == [])
    }

    @Test("A.6: an answer in pages completes with all pages; without one of them it fails")
    func pages() {
        let phone = ClientPhase.online.transcript(rtm)
        func page(_ members: [String], _ page: UInt32, hasMore: Bool) -> [String] {
            let rows = members.map { AnswerRow([("member", $0)]) }
            let frame = Frame(request: phone.request, .answer(.ok, rows), page: page, hasMore: hasMore)
            return phone.feed(.frameReceived(phone.link, frame))
        }
        phone.command(.ask(.members(channel: "c")))
        #expect(page(["a", "b"], 0, hasMore: true) == [])
        #expect(page(["c"], 1, hasMore: true) == [])
        #expect(page(["d"], 2, hasMore: false) == ["done 2 ok"])
        phone.command(.ask(.members(channel: "c")))
        #expect(page(["a"], 0, hasMore: true) == [])
        #expect(page(["c"], 2, hasMore: false) == [])
        #expect(phone.wait(5, answeringHeartbeats: true).contains("5s done 3 timeout"))
        #expect(page(["x"], UInt32(phone.machine.policy.answerPagesMax), hasMore: true).contains("close 1"))
        #expect(phone.incomplete == [])
    }

    @Test(
        "RTM-9: calls that exceed the rate limits, in total or for one channel, are refused until the window has passed"
    )
    func rateLimits() {
        let phone = ClientPhase.online.transcript(rtm)
        func join(_ channel: String) -> String {
            let line = phone.command(.join(channel: channel)).last ?? ""
            phone.receive(.joinAck(.ok, channel: channel, members: []), request: phone.request)
            phone.command(.leave(channel: channel))
            phone.receive(.leaveAck(.ok, channel: channel), request: phone.request)
            return String(line.split(separator: " ").last ?? "")
        }
        #expect(["c", "c", "c"].map(join) == ["c", "c", "channel-rate-limited"])
        phone.wait(5, answeringHeartbeats: true)
        #expect(join("c") == "c")
        #expect((1...50).map { join("n\($0)") }.filter { $0 == "rate-limited" }.count == 1)
        phone.wait(3, answeringHeartbeats: true)
        #expect(join("n51") == "n51")
        let sender = ClientPhase.online.transcript(rtm)
        let refused = (1...181).filter { _ in
            let line = sender.command(.send(to: "bob", text: "hi")).last
            sender.receive(.sendAck(.ok, id: sender.message?.id ?? ""))
            return line?.hasSuffix("rate-limited") == true
        }
        #expect(refused == [181])
    }

    @Test("RTM-3: a link counts as interrupted 4 s after its last frame, however slow an answer is")
    func slowNetwork() {
        let phone = ClientPhase.online.transcript(rtm)
        // Each answer takes 2.2 s, and one arrives in each second.
        var states: [String] = []
        for second in 1...60 {
            states += phone.wait(second == 1 ? 3.2 : 1)
            phone.receive(.heartbeatAck)
        }
        #expect(!states.contains { $0.contains(">") || $0.contains("close") })
        #expect(phone.wait(3.9).filter { $0.contains(">") } == [])
        #expect(phone.wait(0.2).contains { $0.hasSuffix("online > reconnecting (interrupted)") })
    }
}
