import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMTree
import SansIO
import Testing

@testable import IMCheckers
@testable import IMExplorer

/// Checkers of call results, reasons of state changes, refused logins and causes of kicks.
@Suite struct AnswerCheckerTests: CheckerScript {
    private func changed(_ from: ClientState, _ to: ClientState, _ reason: StateReason) -> SessionEvent.Content {
        .effect(.transition(StateChange(from: from, to: to, reason: reason)))
    }

    private var online: [(Int64, SessionEvent.Content)] {
        [
            (0, login()), (0, changed(.loggedOut, .connecting, .login)), (0, .effect(.connect(link))),
            (1, .input(.linkOpened(link))), (2, .input(.frame(link, Frame(.loginAck(LoginReply(.ok, epoch: 1)))))),
            (2, changed(.connecting, .online, .loginSucceeded)), (2, done(1, .ok)),
        ]
    }

    private func calls(_ profile: String, _ contents: [(Int64, SessionEvent.Content)]) throws -> [String] {
        var (checker, violations) = (CallChecker(try policy(profile)), [Violation]())
        traced(contents) { checker.observe($0, $1, into: &violations) }
        return violations.map(\.rule)
    }

    // MARK: Calls

    @Test(arguments: [
        ("bob", Status.alreadyLoggedIn, 1), ("bob", .otherUserLoggedIn, 0), ("alice", .alreadyLoggedIn, 0),
    ])
    func aSecondLoginCalledAnotherUsersIsSeen(_ user: String, _ status: Status, _ count: Int) throws {
        let second = ClientCommand.login(user: user, credential: "", mode: .manual)
        let found = try calls("agora-chat", online + [(3, command(2, second)), (3, done(2, status))])
        #expect(found == Array(repeating: "C-2", count: count))
    }

    @Test(arguments: [
        ("agora-rtm", Status.connectionFailed, 1), ("agora-rtm", .timeout, 0), ("nim", .connectionFailed, 0),
    ])
    func aMessageThatDoesNotOutliveAnAttemptIsSeen(_ profile: String, _ status: Status, _ count: Int) throws {
        let send = ClientCommand.send(to: "bob", text: "hello")
        let contents: [(Int64, SessionEvent.Content)] = [
            (3, command(2, send)), (13_000, .input(.deadlineReached)), (13_000, done(2, status)),
        ]
        #expect(try calls(profile, online + contents) == Array(repeating: "C-14", count: count))
    }

    // MARK: Logins at the server

    @Test(arguments: [(false, true, 1), (false, false, 0), (true, true, 0)])
    func whoComesBackAndIsTakenForGoneIsSeen(_ isClosed: Bool, _ wasGone: Bool, _ count: Int) {
        var (checker, violations) = (PresenceChangeChecker(), [Violation]())
        var again = request()
        (again.mode, again.epoch) = (.resume, 1)
        let other = ConnectionID(2)
        let end: [SessionEvent.Content] = isClosed ? [.input(.linkClosed(link, .reset))] : []
        let contents: [SessionEvent.Content] = [
            .input(.frame(link, Frame(request: 1, .login(request())))),
            .effect(.send(link, Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1))))),
        ]
        let reply = LoginReply(.ok, epoch: 1, wasGone: wasGone)
        let back: [SessionEvent.Content] = [
            .input(.frame(other, Frame(request: 1, .login(again)))),
            .effect(.send(other, Frame(request: 1, .loginAck(reply)))),
        ]
        served(contents + end + back) { checker.observeServer($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "C-3", count: count))
    }

    @Test(arguments: [(true, 0), (false, 1)])
    func aKickBeforeTheAnswerIsSeen(_ isAnswered: Bool, _ count: Int) throws {
        let server = try #require(Dialects.named("agora-chat")).serverPolicy
        var (checker, violations) = (EndedLoginChecker(server), [Violation]())
        let call = AccountCall(
            application: "agora-chat", user: "alice", credential: .reference(""), action: .kick(device: "phone-1"))
        let answer = SessionEvent.Content.effect(.send(link, Frame(request: 2, .accountCallAck(.ok, []))))
        let kick = SessionEvent.Content.effect(.send(link, Frame(.kicked(KickNotice(reason: .otherDevice, epoch: 1)))))
        let asked = SessionEvent.Content.input(.frame(link, Frame(request: 2, .accountCall(call))))
        served([asked] + (isAnswered ? [answer, kick] : [kick, answer])) {
            checker.observeServer($0, $1, into: &violations)
        }
        #expect(violations.map(\.rule) == Array(repeating: "CHAT-6", count: count))
    }

    // MARK: Calls

    @Test func aSecondLoginThatSucceedsIsSeen() throws {
        let second = ClientCommand.login(user: "bob", credential: "", mode: .manual)
        #expect(try calls("nim", online + [(3, command(2, second)), (9, done(2, .ok))]) == ["C-2"])
    }

    @Test(arguments: [(Int64(2000), 1), (6000, 0)])
    func aCallThatRunsOutOfTimeTooSoonIsSeen(_ time: Int64, _ count: Int) throws {
        let found = try calls("agora-rtm", [(0, login()), (time, .input(.deadlineReached)), (time, done(1, .timeout))])
        #expect(found == Array(repeating: "C-1", count: count))
    }

    @Test(arguments: [(Status.networkUnavailable, ["ZIM-8"]), (.notLoggedIn, [])])
    func aCallOfNobodyIsSeen(_ status: Status, _ rules: [String]) throws {
        let join = command(2, .join(channel: "lobby"))
        #expect(try calls("agora-rtm", [(0, join), (0, done(2, status))]) == rules)
    }

    @Test(arguments: [(true, 0), (false, 1)])
    func aLogoutThatHidesThatNobodyWasToldIsSeen(_ isTold: Bool, _ count: Int) throws {
        let end: NodeInput = isTold ? .frame(link, Frame(.logoutAck(.ok))) : .deadlineReached
        let found = try calls(
            "nim", online + [(3, command(2, .logout(keepsPush: false))), (3003, .input(end)), (3003, done(2, .ok))])
        #expect(found == Array(repeating: "NIM-10", count: count))
    }

    @Test(arguments: [(true, 1), (false, 0)])
    func aConnectOfWhoIsTakenOfflineIsSeen(_ isOff: Bool, _ count: Int) throws {
        let found = try calls(
            "wilddog", [(0, command(1, isOff ? .goOffline : .goOnline)), (9, .effect(.connect(link)))])
        #expect(found == Array(repeating: "SYNC-8", count: count))
    }

    @Test(arguments: [(true, Status.ok, 1), (true, .tooLate, 0), (false, .tooLate, 1), (false, .ok, 0)])
    func whatIsKeptSaidTooLateIsSeen(_ isLate: Bool, _ status: Status, _ count: Int) throws {
        let listen = [(Int64(0), command(1, .tree(.listen(path: "a"))))]
        let keep = [(Int64(1), command(2, .tree(.persistence(bytesMax: 1)))), (1, done(2, status))]
        let found = try calls("wilddog", (isLate ? listen : []) + keep)
        #expect(found == Array(repeating: "SYNC-2", count: count))
    }

    @Test(arguments: [(true, 0), (false, 1)])
    func anOfflineLoginThatEndsLateIsSeen(_ isFirst: Bool, _ count: Int) throws {
        let offline = command(2, .login(user: "alice", credential: "", mode: .offline))
        let connecting = changed(.loggedOut, .connecting, .login)
        let effects = isFirst ? [done(2, .ok), connecting] : [connecting, done(2, .ok)]
        let found = try calls("zim", [(0, offline)] + effects.map { (0, $0) })
        #expect(found == Array(repeating: "ZIM-2", count: count))
    }

    // MARK: Reasons

    @Test(arguments: [(KickReason.server, StateReason.kickedByServer, 0), (.server, .remoteLogin, 1)])
    func aKickToldAsAnotherIsSeen(_ kick: KickReason, _ reason: StateReason, _ count: Int) {
        var (checker, violations) = (ReasonChecker(), [Violation]())
        let notice = KickNotice(reason: kick, epoch: 1)
        traced(online + [(3, .input(.frame(link, Frame(.kicked(notice))))), (3, changed(.online, .kicked, reason))]) {
            checker.observe($0, $1, into: &violations)
        }
        #expect(violations.map(\.rule) == Array(repeating: "RTM-1", count: count))
    }

    @Test(arguments: [(StateReason.loginTimedOut, 0), (.loginFailed, 1), (.logout, 1)])
    func anAttemptThatEndsForAnotherReasonIsSeen(_ reason: StateReason, _ count: Int) {
        var (checker, violations) = (ReasonChecker(), [Violation]())
        traced([
            (0, login()), (0, changed(.loggedOut, .connecting, .login)), (9, .input(.deadlineReached)),
            (9, changed(.connecting, .loggedOut, reason)),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "RTM-1", count: count))
    }

    // MARK: At the server

    private func asked(_ device: Device, _ mode: LoginMode, over link: ConnectionID, _ reply: LoginReply)
        -> [SessionEvent.Content]
    {
        var request = request()
        (request.device, request.mode) = (device, mode)
        return [
            .input(.frame(link, Frame(request: 1, .login(request)))),
            .effect(.send(link, Frame(request: 1, .loginAck(reply)))),
        ]
    }

    private let phone = Device(id: "phone-1", platform: .ios)
    private let pad = Device(id: "pad-1", platform: .ios)

    @Test(arguments: [("pad-1", 0), ("phone-1", 1)])
    func aKickByTheWrongDeviceIsSeen(_ by: String, _ count: Int) {
        var (checker, violations) = (KickCauseChecker(), [Violation]())
        let notice = KickNotice(reason: .otherLogin, epoch: 1, by: by == pad.id ? pad : phone)
        let second = asked(pad, .manual, over: ConnectionID(2), LoginReply(.ok, epoch: 2))
        served(
            asked(phone, .manual, over: link, LoginReply(.ok, epoch: 1))
                + [second[0], .effect(.send(link, Frame(.kicked(notice)))), second[1]]
        ) { checker.observeServer($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "NIM-12", count: count))
    }

    @Test(arguments: [(true, LoginMode.automatic, 0), (false, .automatic, 1), (true, .forced, 1)])
    func aRefusalForWhatIsNotSoIsSeen(_ isLater: Bool, _ mode: LoginMode, _ count: Int) throws {
        var checker = RefusalChecker(try #require(Dialects.named("nim")).serverPolicy)
        var violations: [Violation] = []
        let other = isLater ? asked(pad, .manual, over: ConnectionID(2), LoginReply(.ok, epoch: 2)) : []
        served(
            asked(phone, .manual, over: link, LoginReply(.ok, epoch: 1)) + other
                + asked(phone, mode, over: ConnectionID(3), LoginReply(.loggedInElsewhere))
        ) { checker.observeServer($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "NIM-4", count: count))
    }

    @Test(arguments: [(PresenceChange.logout, 0), (.offline, 1)])
    func whoGoesInAnotherWayIsSeen(_ change: PresenceChange, _ count: Int) {
        var (checker, violations) = (PresenceChangeChecker(), [Violation]())
        let gone = SessionEvent.Content.effect(.presence(user: "alice", device: "phone-1", change))
        served([.input(.frame(link, Frame(.logout(keepsPush: false)))), gone]) {
            checker.observeServer($0, $1, into: &violations)
        }
        #expect(violations.map(\.rule) == Array(repeating: "ZIM-5", count: count))
    }

    @Test(arguments: [(true, 0), (false, 1)])
    func aServerThatForgetsIsSeen(_ isKept: Bool, _ count: Int) throws {
        var server = ServerMachine(policy: try #require(Dialects.named("nim")).serverPolicy, epochMilliseconds: 1000)
        var effects: [ServerEffect] = []
        server.handle(.command(CommandID(1), .addAccount("alice")), at: .zero, into: &effects)
        var (checker, violations) = (RestartChecker(), [Violation]())
        checker.willEnd(server)
        let empty = ServerMachine(policy: server.policy, epochMilliseconds: 1000)
        let begun = StartRecord(name: "server", profile: "nim", body: .server(isKept ? server : empty))
        checker.observeServer(event(1, .start(begun), node: "server"), into: &violations)
        #expect(violations.map(\.rule) == Array(repeating: "C-7", count: count))
    }

    // MARK: Changes and the tree

    @Test(arguments: [(UInt64(5), 0), (6, 1)])
    func aChangeWithoutTheOneBeforeIsSeen(_ after: UInt64, _ count: Int) {
        var (checker, violations) = (ChangeChecker(), [Violation]())
        let page = ChangePage(after: after, changes: [], isLast: true)
        traced([
            (0, .input(.data(DataAnswer(generation: 1, .opened(position: 5))))),
            (1, .input(.frame(link, Frame(.changes(page))))),
            (1, .effect(.data(DataRequest(generation: 1, .apply(page))))),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "C-15", count: count))
    }

    @Test(arguments: [
        (TreeQuery(order: .value, start: .init(.number(2)), end: .init(.number(3))), ["b", "c"]),
        (TreeQuery(order: .value, limit: .init(.last, 2)), ["d", "text"]),
        (TreeQuery(order: .key, limit: .init(.first, 2)), ["9", "10"]),
        (TreeQuery(order: .priority, end: .init(nil)), ["9", "10", "a", "b", "c", "d", "text"]),
    ])
    func aQueryIsReadByItself(_ query: TreeQuery, _ names: [String]) {
        var node = TreeNode.empty
        for (key, number) in [("10", 1.0), ("9", 1), ("a", 1), ("b", 2), ("c", 3), ("d", 4)] {
            node = node.setting(TreeKey(key), to: TreeNode(.number(number)))
        }
        node = node.setting(TreeKey("text"), to: TreeNode(.text("x")))
        #expect(TreeQueryChecker.given(by: query, of: node) == Set(names))
        #expect(Set(node.given(by: query).children.map(\.key.text)) == Set(names))
    }

    @Test(arguments: [(2.0, 0), (1, 1)])
    func aValueThatWasNotToldIsSeen(_ told: Double, _ count: Int) throws {
        var checker = ListenerEventChecker()
        var violations: [Violation] = []
        checker.observe(event(0, command(1, .tree(.listen(path: "a")))), into: &violations)
        checker.observe(event(1, .effect(.notify(.treeValue(path: "a", TreeNode(.number(told)))))), into: &violations)
        #expect(violations.isEmpty)
        let path = try #require(TreePath("a"))
        let violation = checker.violation([(path: path, query: .all, known: TreeNode(.number(2)))])
        #expect((violation == nil ? 0 : 1) == count)
    }

    // MARK: Answers that are too late

    @Test(arguments: [(UInt32(2), 1), (3, 0)])
    func anAnswerToAnEarlierQuestionThatCountsIsSeen(_ request: UInt32, _ count: Int) {
        var (checker, violations) = (ResyncChecker(), [Violation]())
        let told = ClientNotification.devicesChanged(.logout, [pad])
        traced([
            (1, .effect(.send(link, Frame(request: 2, .resync)))),
            (31, .effect(.send(link, Frame(request: 3, .resync)))),
            (32, .input(.frame(link, Frame(request: request, .resyncAck([]))))), (32, .effect(.notify(told))),
        ]) { event, _ in checker.observe(event, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "C-3", count: count))
    }

    @Test(arguments: [(true, 1), (false, 0)])
    func whoIsForgottenBeforeOneThatHasLeftIsSeen(_ hasLeft: Bool, _ count: Int) {
        var (checker, violations) = (KickCauseChecker(), [Violation]())
        let watch = Device(id: "watch-1", platform: .ios)
        let known =
            asked(phone, .manual, over: link, LoginReply(.ok, epoch: 1))
            + asked(pad, .manual, over: ConnectionID(2), LoginReply(.ok, epoch: 2))
        let leaving = SessionEvent.Content.input(.frame(ConnectionID(2), Frame(.logout(keepsPush: false))))
        let back = asked(phone, .resume, over: ConnectionID(4), LoginReply(.ok, epoch: 1))[0]
        let told = SessionEvent.Content.effect(
            .send(ConnectionID(4), Frame(.kicked(KickNotice(reason: .server, epoch: 1)))))
        let few = SessionEvent.Content.input(
            .serverCommand(CommandID(9), .setPolicy(key: "devices-kept-max", value: "2")))
        served(
            [few] + known + (hasLeft ? [leaving] : [])
                + asked(watch, .manual, over: ConnectionID(3), LoginReply(.ok, epoch: 3)) + [back, told]
        ) { checker.observeServer($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "NIM-12", count: count))
    }

    @Test(arguments: [(LoginEpoch(2), ["alice"], 1), (2, ["bob"], 0), (1, ["alice"], 0)])
    func aLoginInTheChannelsOfTheOneBeforeIsSeen(_ epoch: LoginEpoch, _ there: [String], _ count: Int) throws {
        var checker = ChannelChecker(try #require(Dialects.named("agora-chat")).serverPolicy)
        var violations: [Violation] = []
        let joined = SessionEvent.Content.effect(
            .send(link, Frame(request: 2, .joinAck(.ok, channel: "lobby", members: []))))
        served(
            asked(phone, .manual, over: link, LoginReply(.ok, epoch: 1)) + [joined]
                + asked(phone, .manual, over: ConnectionID(2), LoginReply(.ok, epoch: epoch))
        ) { checker.observeServer($0, $1, { [(channel: "lobby", members: there)] }, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "RTM-4", count: count))
    }

    @Test(arguments: [(false, 1), (true, 0)])
    func whoWasThereAndIsToldToComeIsSeen(_ isClosed: Bool, _ count: Int) {
        var (checker, violations) = (PresenceChangeChecker(), [Violation]())
        let told = SessionEvent.Content.effect(.send(ConnectionID(9), Frame(.devicesChanged(.login, [phone]))))
        let back = asked(phone, .resume, over: ConnectionID(2), LoginReply(.ok, epoch: 1))
        let end: [SessionEvent.Content] = isClosed ? [.input(.linkClosed(link, .reset))] : []
        var again = request()
        (again.device, again.mode, again.epoch) = (phone, .resume, 1)
        served(
            asked(phone, .manual, over: link, LoginReply(.ok, epoch: 1)) + end
                + [.input(.frame(ConnectionID(2), Frame(request: 1, .login(again)))), told, back[1]]
        ) { checker.observeServer($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "C-3", count: count))
    }
}
