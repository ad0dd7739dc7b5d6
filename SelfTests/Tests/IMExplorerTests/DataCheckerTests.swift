import IMClient
import IMLocalData
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import SansIO
import Testing

@testable import IMCheckers
@testable import IMExplorer

/// Tests of checkers for data that users share, and for block lists.
@Suite struct DataCheckerTests: CheckerScript {
    private func group(_ members: [(String, GroupMember.Role)]) -> [LocalChange] {
        [.group(LocalGroup(id: "tea", name: "tea"))]
            + members.map { .member(group: "tea", GroupMember(user: $0.0, role: $0.1)) }
    }

    @Test(arguments: [(true, ["ZIM-9"]), (false, [])])
    func aMessageOfABlockedUserIsAViolation(_ isOn: Bool, _ rules: [String]) throws {
        let server = try #require(Dialects.named("zim")).serverPolicy
        var (checker, violations) = (MessageChecker(client: try policy("zim"), server: server), [Violation]())
        let (alices, bobs) = (ConnectionID(1), ConnectionID(2))
        func serve(_ connection: ConnectionID, _ asked: FrameBody, _ answer: FrameBody) {
            let contents: [SessionEvent.Content] = [
                .input(.frame(connection, Frame(request: 1, asked))),
                .effect(.send(connection, Frame(request: 1, answer))),
            ]
            for content in contents {
                checker.observeServer(event(0, content, node: "server"), ServerTrace(), into: &violations)
            }
        }
        for (connection, user) in [(alices, "alice"), (bobs, "bob")] {
            var login = request()
            login.user = user
            serve(connection, .login(login), .loginAck(LoginReply(.ok, epoch: 1)))
        }
        serve(alices, .change(LocalChange.blacklisted("bob", true).record()), .changeAck(.ok))
        if !isOn { serve(alices, .change(LocalChange.blacklisted("bob", false).record()), .changeAck(.ok)) }
        let message = ChatMessage(id: "1", from: "bob", to: "alice", text: "hello")
        serve(bobs, .send(message), .sendAck(.ok, id: "1"))
        checker.observe(event(20, .effect(.notify(.messageReceived(message)))), trace(of: "alice"), into: &violations)
        #expect(violations.map(\.rule) == rules)
    }

    /// A login that was sent before the network failed still arrives at the server. A rule of the network does not
    /// count the server's answer to it.
    @Test func aLoginOfALostNetworkIsNotTheNextLinks() throws {
        var (checker, violations) = (NetworkChecker(), [Violation]())
        func client(_ contents: SessionEvent.Content...) {
            for content in contents { checker.observe(event(0, content), ClientTrace(), into: &violations) }
        }
        func server(_ content: SessionEvent.Content) {
            checker.observeServer(event(0, content, node: "server"), into: &violations)
        }
        let body = StartRecord.Body.client(
            policy: try policy("nim"), device: Device(id: "phone-1", platform: .ios), local: LocalData(), seed: 1,
            firstConnection: link, nonce: nil)
        let login = Frame(request: 1, .login(request()))
        let (old, new) = (ConnectionID(7), ConnectionID(8))
        client(.start(StartRecord(name: "phone", profile: "nim", body: body)), .input(.linkOpened(link)))
        client(.effect(.send(link, login)), .environment(.net(.switchNetwork)), .input(.network(.switched)))
        server(.input(.frame(old, login)))
        client(.input(.linkOpened(ConnectionID(2))), .effect(.send(ConnectionID(2), login)))
        server(.input(.frame(new, login)))
        client(.environment(.net(.rule(FrameRule(.drop, frame: "kicked", direction: .toClient, count: 1)))))
        let kicked = Frame(.kicked(KickNotice(reason: .server, epoch: 1)))
        server(.effect(.send(old, kicked)))
        server(.effect(.send(new, kicked)))
        #expect(checker.violation(of: 0) == nil)
        #expect(violations.isEmpty)
    }

    // MARK: Data from the server and to it

    @Test(arguments: [(false, "bob", 1), (true, "bob", 0), (false, "tea", 0)])
    func aGroupMessageMissingOnADeviceIsAViolation(_ isNotified: Bool, _ removed: String, _ count: Int) throws {
        let server = try #require(Dialects.named("agora-chat")).serverPolicy
        var (checker, violations) = (MessageChecker(client: try policy("agora-chat"), server: server), [Violation]())
        let conversation = ConversationID(kind: .group, id: "tea")
        let localChange = LocalChange.message(
            LocalMessage(id: "m1", conversation: conversation, sender: "bob", text: "hello", timestamp: 1)
        ).record()
        let message = ChatMessage(id: "m1", from: "bob", to: "tea", text: "hello", isToGroup: true)
        let (phone, pad, other) = (ConnectionID(7), ConnectionID(8), ConnectionID(9))
        func logIn(_ link: ConnectionID, _ user: String, _ device: String) -> [SessionEvent.Content] {
            let login = LoginRequest(
                application: "chat", user: user, device: Device(id: device, platform: .ios), mode: .manual, epoch: 0,
                credential: .reference(""))
            return [
                .input(.frame(link, Frame(request: 1, .login(login)))),
                .effect(.send(link, Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1))))),
            ]
        }
        let remove = DeviceOperation(id: "2", kind: .conversationDelete, target: removed)
        let contents: [SessionEvent.Content] =
            logIn(phone, "alice", "phone") + logIn(pad, "alice", "pad") + logIn(other, "bob", "tv") + [
                .input(.frame(other, Frame(request: 2, .change(localChange)))),
                .effect(.send(phone, Frame(.message(message)))),
                .effect(.send(other, Frame(request: 2, .changeAck(.ok)))),
                .input(.frame(phone, Frame(request: 2, .operation(remove)))),
                .effect(.send(phone, Frame(request: 2, .operationAck(.ok)))),
            ]
        for (at, content) in contents.enumerated() {
            checker.observeServer(event(Int64(at), content), ServerTrace(), into: &violations)
        }
        let id = CommandID(3)
        checker.observe(
            event(20, .input(.clientCommand(id, .change(localChange))), node: "tv"), trace(of: "bob"), into: &violations
        )
        checker.observe(
            event(21, .effect(.complete(id, Completion(.ok))), node: "tv"), trace(of: "bob"), into: &violations)
        if isNotified {
            let delivery = event(22, .effect(.notify(.messageReceived(message))), node: "pad")
            checker.observe(delivery, trace(of: "alice"), into: &violations)
        }
        let idle = IdleWorld(online: [("pad", "alice", "pad", [])], trace: ServerTrace())
        violations += checker.checkAtQuiescence(idle, ServerMachine(policy: server, epochMilliseconds: 0))
        #expect(violations.map(\.rule) == Array(repeating: "C-14", count: count))
    }

    @Test(arguments: [(LoginMode.manual, false, 1), (.manual, true, 0), (.automatic, false, 0)])
    func openDataBeforeTheLoginIsAViolation(_ mode: LoginMode, _ isAccepted: Bool, _ count: Int) throws {
        var (checker, violations) = (LocalDataChecker(try policy("nim")), [Violation]())
        let trying = StateChange(from: .loggedOut, to: .connecting, reason: .login)
        let accepted: [(Int64, SessionEvent.Content)] = [
            (1, .input(.linkOpened(link))), (2, .input(.frame(link, Frame(.loginAck(LoginReply(.ok, epoch: 1)))))),
        ]
        traced(
            isDataOpen: true,
            [
                (0, command(1, .login(user: "alice", credential: "", mode: mode))), (0, .effect(.transition(trying))),
                (0, .effect(.connect(link))),
            ] + (isAccepted ? accepted : []) + [(3, .effect(.data(DataRequest(generation: 1, .open(user: "alice")))))]
        ) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "NIM-2", count: count))
    }

    /// The app is notified of the complete list of devices again only after a change in between.
    @Test(arguments: [(nil, 1), (DeviceChange.logout, 0)])
    func aDeviceListThatIsReportedTwiceIsAViolation(_ change: DeviceChange?, _ count: Int) {
        let pad = [Device(id: "pad", platform: .ios)]
        var (checker, violations) = (PresenceChecker(), [Violation]())
        for change in [.initial, change, .initial].compactMap(\.self) {
            let event = event(0, .effect(.notify(.devicesChanged(change, pad))))
            checker.observe(event, ClientTrace(), into: &violations)
        }
        #expect(violations.map(\.rule) == Array(repeating: "P13", count: count))
    }
}
