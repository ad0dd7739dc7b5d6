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

/// Checkers of data that users share, and of block lists.
@Suite struct DataCheckerTests: CheckerScript {
    private typealias Shown = DataAgreementChecker.Device

    private func device(_ name: String, _ user: String, _ changes: [LocalChange]) -> Shown {
        var database = UserDatabase(owner: user)
        database.apply(changes, upTo: UInt64(changes.count))
        return Shown(name: name, user: user, database: database)
    }

    private func group(_ members: [(String, GroupMember.Role)]) -> [LocalChange] {
        [.group(LocalGroup(id: "tea", name: "tea"))]
            + members.map { .member(group: "tea", GroupMember(user: $0.0, role: $0.1)) }
    }

    @Test func whoSeesTheSameIsSilent() {
        let members = group([("alice", .owner), ("bob", .member)])
        let devices = [device("phone", "alice", members), device("pad", "bob", members)]
        #expect(DataAgreementChecker().violations(devices).isEmpty)
    }

    @Test func aGroupWithoutAnOwnerIsSeen() {
        let violations = DataAgreementChecker().violations([device("pad", "bob", group([("bob", .member)]))])
        #expect(violations.map(\.kind) == ["a group has not one owner"])
    }

    @Test func whatTwoMembersSeeDifferentlyIsSeen() {
        let alices = device("phone", "alice", group([("alice", .owner), ("bob", .member)]))
        let kinds = { (other: Shown) in Set(DataAgreementChecker().violations([alices, other]).map(\.kind)) }
        #expect(
            kinds(device("pad", "bob", group([("alice", .owner), ("bob", .admin)])))
                == ["two members of a group see other members"])
        #expect(kinds(device("pad", "bob", [])) == ["a member of a group does not have it"])
        #expect(
            kinds(device("pad", "bob", group([("alice", .owner)])))
                == ["two members of a group see other members", "in a group whose members one is not one of"])
    }

    @Test func whatTwoDevicesOfAUserShowDifferentlyIsSeen() {
        let peer = ConversationID(kind: .peer, id: "bob")
        func said(_ id: String) -> LocalMessage {
            LocalMessage(id: id, conversation: peer, sender: "bob", text: id, timestamp: 1, sequence: 1)
        }
        let whole = device("phone", "alice", [.message(said("1")), .message(said("2"))])
        func kinds(_ other: Shown, server: [LocalMessage] = [said("1"), said("2")]) -> [String] {
            var checker = DevicePairChecker()
            let devices = [whole, other].map { DevicePairChecker.Device(device: $0, position: 2) }
            return checker.violations(devices) { _ in server }.map(\.kind)
        }
        let same = device("pad", "alice", [.message(said("1")), .message(said("2"))])
        #expect(kinds(same) == [])
        #expect(kinds(same, server: [said("1")]).contains("a device has other messages than the server"))
        #expect(kinds(device("pad", "alice", [])).first == "two devices of a user have other conversations")
        #expect(
            kinds(device("pad", "alice", [.message(said("1"))])).first
                == "two devices of a user show other things of a conversation")
        // Another user's device may show other data.
        #expect(kinds(device("pad", "carol", [])) == [])
    }

    @Test func friendshipsOfOneSideAreSeen() {
        let alices = device("phone", "alice", [.friend(LocalFriend(user: "bob"))])
        let kinds = { (other: Shown) in DataAgreementChecker().violations([alices, other]).map(\.kind) }
        #expect(kinds(device("pad", "bob", [.friend(LocalFriend(user: "alice"))])) == [])
        #expect(kinds(device("pad", "bob", [])) == ["somebody is a friend of who is none of theirs"])
        #expect(kinds(device("pad", "alice", [])).count == 2)
    }

    @Test func whoseDataIsMadeUpIsNotCompared() {
        var checker = DataAgreementChecker()
        let population = Population(seed: 1, messages: 10, endMilliseconds: 0)
        checker.observeServer(
            event(0, .input(.serverCommand(CommandID(1), .populateData(user: "bob", population))), node: "server"))
        #expect(checker.violations([device("pad", "bob", group([("bob", .member)]))]).isEmpty)
    }

    @Test(arguments: [(true, ["ZIM-9"]), (false, [])])
    func aMessageOfSomebodyWhoIsShutOutIsSeen(_ isOn: Bool, _ rules: [String]) throws {
        let server = try #require(Dialects.named("zim")).serverPolicy
        var (checker, violations) = (MessageChecker(client: try policy("zim"), server: server), [Violation]())
        let (alices, bobs) = (ConnectionID(1), ConnectionID(2))
        func serve(_ connection: ConnectionID, _ asked: FrameBody, _ answer: FrameBody) {
            let contents: [SessionEvent.Content] = [
                .input(.frame(connection, Frame(request: 1, asked))),
                .effect(.send(connection, Frame(request: 1, answer))),
            ]
            for content in contents { checker.observeServer(event(0, content, node: "server"), into: &violations) }
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
        checker.observeClient(event(20, .effect(.notify(.messageReceived(message)))), user: "alice", into: &violations)
        #expect(violations.map(\.rule) == rules)
    }

    /// A login over the connection that broke with the network still arrives at the server, and the server's answer to
    /// it uses up no rule.
    @Test func aLoginThatIsOvertakenByItsNetworkIsNotTheNextLinks() throws {
        var (checker, violations) = (NetworkChecker(), [Violation]())
        func client(_ contents: SessionEvent.Content...) {
            for content in contents { checker.observeClient(event(0, content), 0, ClientTrace(), into: &violations) }
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

    @Test(arguments: [("cup", "", 1), ("tea", "", 0), ("tea", "old", 1)])
    func whatADeviceShowsOtherwiseIsSeen(_ name: String, _ notice: String, _ count: Int) {
        var (checker, violations) = (DisplayedDataChecker(), [Violation]())
        var shown = LocalGroup(id: "tea", name: name)
        shown.notice = notice
        let said = LocalChange.group(LocalGroup(id: "tea", name: "tea")).record(number: 7)
        served([
            .input(.frame(link, Frame(request: 1, .login(request())))),
            .effect(.send(link, Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1))))),
            .effect(.send(link, Frame(.changes(ChangePage(after: 0, changes: [said], isLast: true))))),
        ]) { checker.observeServer($0, $1, into: &violations) }
        #expect(violations.isEmpty)
        let device = device("phone", "alice", [.group(shown)])
        #expect(checker.needsCheck(of: "alice", for: "phone", at: 7))
        #expect((checker.violation(device, at: 7) == nil ? 0 : 1) == count)
        // Once, until there are more changes.
        #expect(checker.violation(device, at: 7) == nil)
    }

    @Test(arguments: [(true, 0), (false, 1)])
    func whatIsNotToldToItsEndIsSeen(_ isToldAgain: Bool, _ count: Int) {
        var (checker, violations) = (LocalChangeChecker(), [Violation]())
        let trying = StateChange(from: .loggedOut, to: .connecting, reason: .login)
        let read = LocalChange.readElsewhere(ConversationID(kind: .peer, id: "bob"), upTo: 5).record()
        let call = LocalRequest(.clearConversationUnreadMessageCount, [("conversationID", "bob")])
        let other = ConnectionID(2)
        let again: [(Int64, SessionEvent.Content)] = [
            (9, .effect(.send(other, Frame(request: 4, .change(read))))),
            (10, .input(.frame(other, Frame(request: 4, .changeAck(.ok))))),
        ]
        traced(
            [
                (0, login()), (0, .effect(.transition(trying))), (0, command(2, .call(call))),
                (1, .input(.linkOpened(link))), (2, .effect(.send(link, Frame(request: 2, .change(read))))),
                (3, .input(.linkClosed(link, .reset))), (4, .input(.linkOpened(other))),
            ] + (isToldAgain ? again : [])
        ) { checker.observe($0, $1, into: &violations) }
        #expect((checker.violation(of: "alice") == nil ? 0 : 1) == count)
        #expect(checker.violation(of: "bob") == nil)
        #expect(violations.isEmpty)
    }

    /// After a connection is opened, earlier changes are sent over it.
    @Test(arguments: [("bob", []), ("carol", ["C-13"])])
    func whatAnotherUserDidIsSeenToBeTold(_ read: String, _ rules: [String]) {
        var (checker, violations) = (LocalChangeChecker(), [Violation]())
        let call = LocalRequest(.clearConversationUnreadMessageCount, [("conversationID", "bob")])
        let told = LocalChange.readElsewhere(ConversationID(kind: .peer, id: read), upTo: 1).record()
        let online = StateChange(from: .connecting, to: .online, reason: .loginSucceeded)
        traced([
            (0, login()), (0, .effect(.transition(online))), (1, command(2, .call(call))),
            (2, .input(.linkOpened(link))), (2, .effect(.send(link, Frame(request: 2, .change(told))))),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [(8, ["C-14"]), (7, [])] as [(UInt64, [String])])
    func aMessageThatIsInTheDataTwiceIsSeen(_ number: UInt64, _ rules: [String]) {
        var (checker, violations) = (DisplayedDataChecker(), [Violation]())
        let message = LocalMessage(
            id: "m1", conversation: ConversationID(kind: .peer, id: "bob"), sender: "bob", text: "hello", timestamp: 1)
        let pages = [7, number].map {
            ChangePage(after: 6, changes: [LocalChange.message(message).record(number: $0)], isLast: true)
        }
        served(
            [
                .input(.frame(link, Frame(request: 1, .login(request())))),
                .effect(.send(link, Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1))))),
            ] + pages.map { .effect(.send(link, Frame(.changes($0)))) }
        ) { checker.observeServer($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [(false, "bob", 1), (true, "bob", 0), (false, "tea", 0)])
    func whatWasSaidInAGroupAndIsNotToldOnEachDeviceIsSeen(_ isTold: Bool, _ removed: String, _ count: Int) throws {
        let server = try #require(Dialects.named("agora-chat")).serverPolicy
        var (checker, violations) = (MessageChecker(client: try policy("agora-chat"), server: server), [Violation]())
        let conversation = ConversationID(kind: .group, id: "tea")
        let said = LocalChange.message(
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
                .input(.frame(other, Frame(request: 2, .change(said)))),
                .effect(.send(phone, Frame(.message(message)))),
                .effect(.send(other, Frame(request: 2, .changeAck(.ok)))),
                .input(.frame(phone, Frame(request: 2, .operation(remove)))),
                .effect(.send(phone, Frame(request: 2, .operationAck(.ok)))),
            ]
        for (at, content) in contents.enumerated() {
            checker.observeServer(event(Int64(at), content), into: &violations)
        }
        let id = CommandID(3)
        checker.observeClient(
            event(20, .input(.clientCommand(id, .change(said))), node: "tv"), user: "bob", into: &violations)
        checker.observeClient(
            event(21, .effect(.complete(id, Completion(.ok))), node: "tv"), user: "bob", into: &violations)
        if isTold {
            let told = event(22, .effect(.notify(.messageReceived(message))), node: "pad")
            checker.observeClient(told, user: "alice", into: &violations)
        }
        checker.finish([("pad", "alice", "pad")], ServerTrace(), into: &violations)
        #expect(violations.map(\.rule) == Array(repeating: "C-14", count: count))
    }

    @Test(arguments: [(false, 1), (true, 0)])
    func aTextThatWasTakenBackIsSeen(_ isTakenBack: Bool, _ count: Int) {
        var (checker, violations) = (DisplayedDataChecker(), [Violation]())
        let message = LocalMessage(
            id: "m1", conversation: ConversationID(kind: .peer, id: "bob"), sender: "bob", text: "oops", timestamp: 1)
        let end = LocalChange.messageRevoked(id: "m1")
        served([
            .input(.frame(link, Frame(request: 1, .login(request())))),
            .effect(.send(link, Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1))))),
            .effect(.send(link, Frame(.changes(ChangePage(after: 1, changes: [end.record(number: 2)], isLast: true))))),
        ]) { checker.observeServer($0, $1, into: &violations) }
        #expect(violations.isEmpty)
        let device = device("phone", "alice", [.message(message)] + (isTakenBack ? [end] : []))
        #expect((checker.violation(device, at: 2) == nil ? 0 : 1) == count)
    }

    @Test(arguments: [(LoginMode.manual, false, 1), (.manual, true, 0), (.automatic, false, 0)])
    func dataThatIsOpenBeforeTheLoginIsSeen(_ mode: LoginMode, _ isAccepted: Bool, _ count: Int) throws {
        var (checker, violations) = (LocalDataChecker(try policy("nim")), [Violation]())
        let trying = StateChange(from: .loggedOut, to: .connecting, reason: .login)
        let accepted: [(Int64, SessionEvent.Content)] = [
            (1, .input(.linkOpened(link))), (2, .input(.frame(link, Frame(.loginAck(LoginReply(.ok, epoch: 1)))))),
        ]
        traced(
            [
                (0, command(1, .login(user: "alice", credential: "", mode: mode))), (0, .effect(.transition(trying))),
                (0, .effect(.connect(link))),
            ] + (isAccepted ? accepted : []) + [(3, .effect(.data(DataRequest(generation: 1, .open(user: "alice")))))]
        ) { checker.observe($0, $1, isOpen: { true }, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "NIM-2", count: count))
    }

    /// An app is notified of a device that came or went in between, and of none twice in a row.
    @Test(arguments: [(nil, 1), (DeviceChange.logout, 0)])
    func devicesThatAreToldTwiceAreSeen(_ change: DeviceChange?, _ count: Int) {
        let pad = [Device(id: "pad", platform: .ios)]
        var (checker, violations) = (PresenceChecker(), [Violation]())
        for change in [.initial, change, .initial].compactMap(\.self) {
            checker.observe(event(0, .effect(.notify(.devicesChanged(change, pad)))), into: &violations)
        }
        #expect(violations.map(\.rule) == Array(repeating: "P13", count: count))
    }

    /// Messages after the last read one are unread. Messages that the app inserted or deleted do not count.
    @Test(arguments: [(2000, nil, 0), (1000, nil, 1), (1000, LocalCall.deleteAllMessage, 0)])
    func whatIsUnreadBesideWhatCameIsSeen(_ readUpTo: Int64, _ call: LocalCall?, _ count: Int) {
        let chat = ConversationID(kind: .peer, id: "bob")
        func said(_ number: Int64) -> LocalChange {
            .message(
                LocalMessage(
                    id: "m\(number)", conversation: chat, sender: "bob", text: "hi", timestamp: number * 1000))
        }
        let told: [LocalChange] = [said(1), said(2), .readElsewhere(chat, upTo: readUpTo)]
        // A device that shows both as read.
        let shown = device("phone", "alice", [said(1), said(2), .readElsewhere(chat, upTo: 2000)])
        let page = ChangePage(after: 0, changes: told.map { $0.record() }, isLast: true)
        var requests: [DataRequest.Action] = [.open(user: "alice"), .apply(page)]
        let conversationKey = [("conversationID", "bob"), ("conversationType", "peer")]
        if let call { requests.append(.call(number: 1, LocalRequest(call, conversationKey))) }
        var checker = UnreadChecker()
        for request in requests {
            checker.observeClient(event(0, .effect(.data(DataRequest(generation: 1, request)))))
        }
        #expect(checker.violation(shown).map { _ in 1 } ?? 0 == count)
    }
}
