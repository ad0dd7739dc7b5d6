import IMClient
import IMProtocol
import SansIO
import Testing

@Suite struct AccountCallTests {
    private static let outside: [ClientPhase] = [.loggedOut, .kicked, .tokenExpired]

    private func list(_ phone: ClientTranscript, _ user: String = "alice") -> [String] {
        phone.command(.accountCall(user: user, credential: "outside", .listDevices))
    }

    private func answer(
        _ phone: ClientTranscript, _ status: Status = .ok, _ devices: [Device] = [], request: UInt32? = nil
    ) -> [String] {
        phone.receive(.accountCallAck(status, devices), request: request ?? phone.request)
    }

    @Test(
        "CHAT-6 C-2: without a login an account call opens its own link, sends one frame, and closes the link",
        arguments: outside)
    func ownLink(_ phase: ClientPhase) {
        let phone = phase.transcript(chat)
        let before = phone.state
        let link = phone.link.rawValue + 1
        #expect(list(phone) == ["connect \(link)"])
        #expect(phone.machine.nextDeadline == phone.now + .seconds(10))
        #expect(phone.open() == ["send \(link) account-call"])
        #expect(answer(phone) == ["close \(link)", "done \(phone.commands) ok"])
        #expect(phone.state == before && phone.links == [] && phone.machine.nextDeadline == nil)
        #expect(phone.incomplete == [])
    }

    @Test("CHAT-6: the frame has the account, the credential and the action, and logs nobody in")
    func frame() {
        for action in [AccountCall.Action.listDevices, .kick(device: "pad"), .kickAll] {
            let phone = ClientTranscript(chat)
            phone.command(.accountCall(user: "bob", credential: "outside", action))
            var machine = phone.machine
            guard case .send(_, let frame)? = machine.handle(.linkOpened(phone.link), at: .zero).first,
                case .accountCall(let call) = frame.body
            else {
                Issue.record("no call")
                continue
            }
            #expect(frame.request != 0)
            let expected = AccountCall(
                application: "agora-chat", user: "bob", credential: .reference("outside"), action: action)
            #expect(call == expected)
            #expect(machine.user == nil && !machine.isDataOpen)
        }
    }

    @Test("CHAT-6: one row for each device, with the model if no name was set")
    func rows() {
        let phone = ClientTranscript(chat)
        _ = list(phone)
        phone.open()
        var machine = phone.machine
        let devices = [pad, Device(id: "phone-2", platform: .android)]
        let frame = Frame(request: phone.request, .accountCallAck(.ok, devices))
        guard case .complete(_, let completion)? = machine.handle(.frameReceived(phone.link, frame), at: .zero).last
        else {
            Issue.record("no completion")
            return
        }
        #expect(
            completion.rows.map { $0.fields.map { "\($0.name)=\($0.value)" }.joined(separator: " ") } == [
                "resource=pad name=Anna's pad uuid=pad platform=ipad",
                "resource=phone-2 name=android uuid=phone-2 platform=android",
            ])
    }

    @Test("CHAT-6: the server's status is the result", arguments: Status.allCases)
    func statuses(_ status: Status) {
        let phone = ClientTranscript(chat)
        _ = list(phone)
        phone.open()
        #expect(answer(phone, status) == ["close 1", "done 1 \(status.name)"])
        #expect(phone.kept == nil)
    }

    @Test("CHAT-6: over a login's link an account call is an ordinary request, and the link stays")
    func overTheLogin() {
        let phone = ClientTranscript(chat)
        phone.goOnline()
        #expect(list(phone) == ["send 1 account-call"])
        let first = phone.request
        #expect(list(phone, "bob") == ["send 1 account-call"])
        #expect(answer(phone) == ["done 3 ok"])
        #expect(answer(phone, request: first) == ["done 2 ok"])
        #expect(phone.state == .online && phone.links.count == 1)
        // An unanswered call has the time limit of a request, and fails if the connection breaks.
        _ = list(phone)
        #expect(phone.wait(10).contains("10s done 4 timeout"))
        _ = list(phone)
        #expect(phone.drop().contains("done 5 connection-failed"))
        #expect(phone.incomplete == [])
    }

    @Test(
        "CHAT-6 C-2: while a login is running the call is refused, and the login continues",
        arguments: [
            ClientPhase.linking, .authenticating, .waiting, .relinking, .reauthenticating, .leaving, .retryingAutologin,
        ])
    func refusedDuringLogin(_ phase: ClientPhase) {
        let phone = phase.transcript(chat)
        let before = phone.machine
        #expect(list(phone) == ["done \(phone.commands) network-unavailable"])
        #expect(phone.machine == before)
    }

    @Test("CHAT-6 C-2: a login takes over the link: the call is cancelled once, and its answer is ignored")
    func loginMeanwhile() {
        for opens in [false, true] {
            let phone = ClientTranscript(chat)
            _ = list(phone)
            if opens { phone.open() }
            let old = phone.link
            #expect(
                phone.login() == [
                    "close 1", "done 1 cancelled", "logged-out > connecting (login)", "connect 2",
                ])
            #expect(phone.feed(.linkOpened(old)) == [])
            #expect(phone.feed(.frameReceived(old, Frame(request: 1, .accountCallAck(.ok, [])))) == [])
            #expect(phone.feed(.linkClosed(old, .reset)) == [])
            phone.succeed()
            #expect(phone.state == .online && phone.incomplete == [])
            #expect(phone.wait(9) == [])
        }
        // If the login is refused locally, the call continues.
        let phone = ClientTranscript(chat)
        _ = list(phone)
        #expect(phone.login("alice", .automatic) == ["done 2 autologin-not-allowed"])
        phone.open()
        #expect(answer(phone) == ["close 1", "done 1 ok"])
    }

    @Test("CHAT-6 C-1: only one account call runs at a time; a new call cancels the previous one")
    func oneAtATime() {
        let phone = ClientTranscript(chat)
        _ = list(phone)
        phone.open()
        #expect(list(phone) == ["close 1", "done 1 cancelled", "connect 2"])
        phone.open()
        #expect(answer(phone) == ["close 2", "done 2 ok"])
    }

    @Test("CHAT-6 C-1: without a link, on a broken link and on silence an account call fails once", arguments: outside)
    func failures(_ phase: ClientPhase) {
        let phone = phase.transcript(chat)
        let state = phone.state
        func done(_ status: String) -> String { "done \(phone.commands) \(status)" }
        _ = list(phone)
        #expect(phone.fail() == [done("connection-failed")])
        _ = list(phone)
        phone.open()
        #expect(phone.drop() == [done("connection-failed")])
        for opens in [false, true] {
            _ = list(phone)
            if opens { phone.open() }
            let link = phone.link.rawValue
            #expect(phone.wait(9.9) == [])
            #expect(phone.wait(0.1) == ["0.1s close \(link)", "0.1s " + done("timeout")])
        }
        #expect(phone.state == state && phone.links == [] && phone.incomplete == [])
        #expect(phone.wait(3600) == [])
    }

    @Test("CHAT-6 C-3: only the answer to this call counts; other frames of the server are ignored")
    func strangeFrames() {
        for body in [
            FrameBody.message(ChatMessage(id: "m", from: "bob", to: "alice", text: "hi")), .syncDone,
            .devicesChanged(.login, [pad]), .loginAck(LoginReply(.ok, epoch: 1)), .logoutAck(.ok),
            .operated(DeviceOperation(id: "o", kind: .groupJoin, target: "g")),
            .tokenNotice(expired: false, remainingMilliseconds: 1), .kicked(KickNotice(reason: .server, epoch: 0)),
            .presence(user: "bob", .online), .heartbeat,
        ] {
            let phone = ClientTranscript(chat)
            _ = list(phone)
            phone.open()
            #expect(
                phone.receive(body) == ["send 1 goodbye protocol-violation", "close 1", "done 1 connection-failed"],
                "\(body.name)")
            #expect(phone.state == .loggedOut && phone.list(.selfIDs) == ["not-logged-in"])
        }
        let phone = ClientTranscript(chat)
        _ = list(phone)
        phone.open()
        #expect(answer(phone, request: 0) == [] && answer(phone, request: 9) == [])
        #expect(phone.receive(.goodbye(.shutdown, detail: "")) == [])
        #expect(
            phone.feed(.frameUnreadable(phone.link, .notProtobuf)) == [
                "send 1 goodbye protocol-violation", "close 1", "done 1 connection-failed",
            ])
    }

    @Test("C-1 C-4: a logout cancels an account call, and nothing connects afterwards", arguments: outside)
    func logoutMeanwhile(_ phase: ClientPhase) {
        let phone = phase.transcript(chat)
        _ = list(phone)
        let call = phone.commands
        let lines = phone.logout()
        #expect(lines.first == "close \(phone.link.rawValue)" && lines.contains("done \(call) cancelled"))
        #expect(lines.last == "done \(phone.commands) ok")
        #expect(phone.open() == [] && phone.wait(3600) == [])
        #expect(phone.machine.nextDeadline == nil && phone.incomplete == [] && phone.links == [])
    }

    @Test("CHAT-6: a call with an invalid name is refused, and so is every account call in systems without them")
    func refused() {
        #expect(list(ClientTranscript(chat), "") == ["done 1 invalid-argument"])
        #expect(list(ClientTranscript(chat), "a\u{7}") == ["done 1 invalid-argument"])
        for policy in [nim, rtm, zim] { #expect(list(ClientTranscript(policy)) == ["done 1 unsupported"]) }
    }
}
