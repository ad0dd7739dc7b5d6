import IMClient
import IMProtocol
import SansIO
import Testing

@Suite struct AttributeTests {
    private let mood = [AnswerField(name: "mood", value: "fine")]

    /// Reconnects over a new connection. `wasGone` is true if the server had removed the user's attributes.
    private func comeBack(_ phone: ClientTranscript, wasGone: Bool) -> [String] {
        phone.wait(2, answeringHeartbeats: true)
        phone.drop()
        phone.open()
        return phone.accept(wasGone: wasGone).filter { $0.hasPrefix("send") }
    }

    @Test("RTM-4: the client sends its attributes again only if the server has removed the user")
    func sentAgain() {
        let phone = ClientPhase.online.transcript(rtm)
        #expect(phone.command(.setAttributes(channel: "", mood)) == ["send 1 set-attributes - mood=fine"])
        #expect(phone.receive(.setAttributesAck(.ok), request: phone.request) == ["done 2 ok"])
        #expect(comeBack(phone, wasGone: false) == ["send 2 settle [] watching [] mood=fine"])
        #expect(
            comeBack(phone, wasGone: true) == [
                "send 3 settle [] watching [] mood=fine", "send 3 set-attributes - mood=fine",
            ])
        #expect(phone.receive(.setAttributesAck(.ok), request: phone.request) == [])
        // After a logout, the client has no attributes that it could send again.
        phone.logout()
        phone.receive(.logoutAck(.ok))
        phone.login()
        phone.open()
        #expect(!phone.accept(epoch: 2, wasGone: true).contains { $0.contains("attributes") })
    }

    @Test("RTM-4: refused, lost and channel attributes are not sent again")
    func notSentAgain() {
        let refused = ClientPhase.online.transcript(rtm)
        refused.command(.setAttributes(channel: "", mood))
        refused.receive(.setAttributesAck(.invalidArgument), request: refused.request)
        #expect(comeBack(refused, wasGone: true) == ["send 2 settle [] watching []"])
        let lost = ClientPhase.online.transcript(rtm)
        lost.command(.setAttributes(channel: "", mood))
        let request = lost.request
        // The app's call failed without an answer, so the client undoes its possible effect on the server.
        #expect(comeBack(lost, wasGone: true) == ["send 2 settle [] watching [] none"])
        // The late answer to the failed call is ignored.
        #expect(lost.receive(.setAttributesAck(.ok), request: request) == [])
        lost.receive(.settleAck(channels: [], watched: []), request: lost.request)
        #expect(comeBack(lost, wasGone: true) == ["send 3 settle [] watching []"])
        let channel = ClientPhase.online.transcript(rtm)
        channel.command(.join(channel: "c"))
        channel.receive(.joinAck(.ok, channel: "c", members: []), request: channel.request)
        #expect(channel.command(.setAttributes(channel: "c", mood)) == ["send 1 set-attributes c mood=fine"])
        channel.receive(.setAttributesAck(.ok), request: channel.request)
        #expect(comeBack(channel, wasGone: true) == ["send 2 join c", "send 2 settle [c] watching []"])
    }

    @Test(
        "RTM: the limits: 32 attributes, names of 32 bytes, values of 8 KB, 16 KB for a user and 32 KB for a joined channel"
    )
    func limits() {
        let phone = ClientPhase.online.transcript(rtm)
        func text(_ count: Int) -> String { String(repeating: "x", count: count) }
        let many = (11...42).map { AnswerField(name: "n\($0)", value: text(509)) }
        #expect(phone.command(.setAttributes(channel: "", many)).count == 1)
        let large = [AnswerField(name: text(32), value: text(8192))]
        #expect(phone.command(.setAttributes(channel: "", large)).count == 1)
        let more = many.dropLast() + [AnswerField(name: "n99", value: text(510))]
        for big in [
            Array(more), [AnswerField(name: "a", value: text(8193))],
            (1...2).map { AnswerField(name: "\($0)", value: text(8192)) },
        ] {
            #expect(phone.command(.setAttributes(channel: "", big)) == ["done \(phone.commands) limit-exceeded"])
        }
        phone.command(.join(channel: "d"))
        phone.receive(.joinAck(.ok, channel: "d", members: []), request: phone.request)
        let four = ["a", "b", "c", "d"].map { AnswerField(name: $0, value: text(8191)) }
        #expect(phone.command(.setAttributes(channel: "d", four)).count == 1)
        let five = four + [AnswerField(name: "e", value: "")]
        #expect(phone.command(.setAttributes(channel: "d", five)) == ["done \(phone.commands) limit-exceeded"])
        for bad in [
            [AnswerField(name: "", value: "")], [AnswerField(name: "a\n", value: "")],
            [AnswerField(name: text(33), value: "x")], [AnswerField(name: "a", value: "\u{7}")],
        ] {
            #expect(phone.command(.setAttributes(channel: "", bad)) == ["done \(phone.commands) invalid-argument"])
        }
        #expect(phone.command(.setAttributes(channel: "", many + mood)) == ["done \(phone.commands) limit-exceeded"])
        #expect(phone.command(.setAttributes(channel: "c", mood)) == ["done \(phone.commands) not-found"])
        #expect(ClientPhase.online.transcript(zim).command(.setAttributes(channel: "", mood)) == ["done 2 unsupported"])
        #expect(
            ClientPhase.waiting.transcript(rtm).command(.setAttributes(channel: "", mood)) == [
                "done 2 network-unavailable"
            ])
        #expect(ClientTranscript(rtm).command(.setAttributes(channel: "", mood)) == ["done 1 not-logged-in"])
    }

    @Test(
        "RTM-9: a query completes once with the server's answer; a lost one fails, a slow one times out")
    func questions() {
        let phone = ClientPhase.online.transcript(rtm)
        #expect(phone.command(.ask(.attributes(user: "bob"))) == ["send 1 ask"])
        let rows = [AnswerRow(fields: mood)]
        #expect(phone.receive(.answer(.ok, rows), request: phone.request) == ["done 2 ok"])
        #expect(phone.receive(.answer(.ok, rows), request: phone.request) == [])
        phone.command(.ask(.channelAttributes(channel: "c")))
        #expect(phone.wait(5, answeringHeartbeats: true).contains("5s done 3 timeout"))
        phone.command(.ask(.members(channel: "c")))
        #expect(phone.drop().contains("done 4 connection-failed"))
        #expect(ClientTranscript(rtm).command(.ask(.members(channel: ""))) == ["done 1 invalid-argument"])
        for question in [Question.members(channel: "c"), .attributes(user: ""), .channelAttributes(channel: "c")] {
            #expect(ClientPhase.online.transcript(nim).command(.ask(question)) == ["done 2 unsupported"])
        }
        #expect(phone.incomplete == [])
    }
}

@Suite struct WatchTests {
    @Test("C-15: watches belong to the login: requested again once after a reconnect, and gone after a logout")
    func restored() {
        let phone = ClientPhase.online.transcript(rtm)
        for user in ["bob", "carol", "bob"] {
            #expect(phone.command(.watch(user: user, isOn: true)) == ["send 1 watch \(user)"])
            phone.receive(.watchAck(.ok), request: phone.request)
        }
        #expect(phone.command(.watch(user: "carol", isOn: false)) == ["send 1 unwatch carol"])
        phone.command(.watch(user: "dave", isOn: true))
        phone.wait(2, answeringHeartbeats: true)
        phone.drop()
        phone.open()
        // The watch of dave had no answer, so it failed and is not requested again.
        #expect(
            phone.accept().filter { $0.hasPrefix("send") } == ["send 2 watch bob", "send 2 settle [] watching [bob]"])
        phone.logout()
        phone.receive(.logoutAck(.ok))
        phone.login()
        phone.open()
        #expect(!phone.accept(epoch: 2).contains { $0.contains("watch") })
    }

    @Test("ZIM-5: the app gets a user's presence as the server sends it", arguments: PresenceChange.allCases)
    func presenceIsReported(_ change: PresenceChange) {
        let phone = ClientPhase.online.transcript(zim)
        #expect(phone.receive(.presence(user: "bob", change)) == [])
        phone.command(.watch(user: "bob", isOn: true))
        #expect(phone.receive(.presence(user: "bob", change)) == ["presence bob \(change.name)"])
        #expect(phone.receive(.presence(user: "bob", change)) == [])
    }

    @Test("C-15: a refused watch is removed, and is not requested again")
    func refused() {
        let phone = ClientPhase.online.transcript(rtm)
        phone.command(.watch(user: "bob", isOn: true))
        #expect(phone.receive(.watchAck(.notFound), request: phone.request) == ["done 2 not-found"])
        phone.wait(2, answeringHeartbeats: true)
        phone.drop()
        phone.open()
        #expect(phone.accept().filter { $0.hasPrefix("send") } == ["send 2 settle [] watching []"])
    }

    @Test("C-15: after a reconnect the app gets only changed presence")
    func presenceIsReportedOnce() {
        let phone = ClientPhase.online.transcript(zim)
        phone.command(.watch(user: "bob", isOn: true))
        phone.receive(.watchAck(.ok), request: phone.request)
        #expect(phone.receive(.presence(user: "bob", .logout)) == ["presence bob logout"])
        func comeBack() {
            phone.wait(3)
            phone.drop()
            phone.open()
            phone.accept()
        }
        comeBack()
        #expect(phone.receive(.presence(user: "bob", .offline)) == [])
        comeBack()
        #expect(phone.receive(.presence(user: "bob", .online)) == ["presence bob online"])
    }

    @Test("design 2: 512 users may be watched; none without a login, a link or the feature")
    func limits() {
        var withoutCallLimits = rtm
        withoutCallLimits.callRates = []
        let phone = ClientPhase.online.transcript(withoutCallLimits)
        for number in 1...512 { #expect(phone.command(.watch(user: "u\(number)", isOn: true)).count == 1) }
        #expect(phone.command(.watch(user: "u513", isOn: true)) == ["done 514 limit-exceeded"])
        #expect(phone.command(.watch(user: "u512", isOn: true)) == ["send 1 watch u512"])
        phone.command(.watch(user: "u1", isOn: false))
        #expect(phone.command(.watch(user: "u513", isOn: true)) == ["send 1 watch u513"])
        #expect(phone.command(.watch(user: "", isOn: true)).last == "done \(phone.commands) invalid-argument")
        #expect(
            ClientPhase.waiting.transcript(rtm).command(.watch(user: "bob", isOn: true)) == [
                "done 2 network-unavailable"
            ])
        #expect(ClientTranscript(rtm).command(.watch(user: "bob", isOn: true)) == ["done 1 not-logged-in"])
        #expect(ClientPhase.online.transcript(nim).command(.watch(user: "bob", isOn: true)) == ["done 2 unsupported"])
    }
}
