import IMClient
import IMLocalData
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMTree
import SansIO
import Testing

@testable import IMCheckers
@testable import IMExplorer

/// Checkers of granted and refused requests: groups, friends, limits, queries.
@Suite struct GrantedCheckerTests: CheckerScript {
    private var second: ConnectionID { ConnectionID(2) }

    /// Logs a user in over a connection.
    private func present(_ user: String, over connection: ConnectionID) -> [SessionEvent.Content] {
        var login = request()
        (login.user, login.device) = (user, Device(id: "\(user)-1", platform: .ios))
        return [
            .input(.frame(connection, Frame(request: 1, .login(login)))),
            .effect(.send(connection, Frame(request: 1, .loginAck(LoginReply(.ok, epoch: 1))))),
        ]
    }

    private func operated(
        _ kind: OperationKind, _ group: String, _ ext: String = "", by connection: ConnectionID, _ status: Status = .ok
    ) -> [SessionEvent.Content] {
        let operation = DeviceOperation(id: "\(kind.name) \(group) \(ext)", kind: kind, target: group, ext: ext)
        return [
            .input(.frame(connection, Frame(request: 2, .operation(operation)))),
            .effect(.send(connection, Frame(request: 2, .operationAck(status)))),
        ]
    }

    private func changed(
        _ change: LocalChange, by connection: ConnectionID, _ status: Status = .ok,
        between effects: [SessionEvent.Content] = []
    ) -> [SessionEvent.Content] {
        [.input(.frame(connection, Frame(request: 3, .change(change.record()))))] + effects
            + [.effect(.send(connection, Frame(request: 3, .changeAck(status))))]
    }

    private func said(_ group: String, _ id: String) -> LocalChange {
        .message(
            LocalMessage(
                id: id, conversation: ConversationID(kind: .group, id: group), sender: "bob", text: id, timestamp: 0))
    }

    private func device(_ user: String, _ changes: [LocalChange]) -> DataAgreementChecker.Device {
        var database = UserDatabase(owner: user)
        database.apply(changes, upTo: UInt64(changes.count))
        return DataAgreementChecker.Device(name: "phone", user: user, database: database)
    }

    // MARK: Groups

    private func kinds(_ contents: [SessionEvent.Content]) -> [String] {
        var (checker, violations) = (GroupChecker(), [Violation]())
        let both = present("alice", over: link) + present("bob", over: second)
        served(both + contents) { checker.observeServer($0, $1, into: &violations) }
        return violations.map(\.kind)
    }

    @Test func whoMayIsGranted() {
        let made = operated(.groupCreate, "tea", by: link) + operated(.groupJoin, "tea", by: second)
        #expect(kinds(made + changed(said("tea", "m"), by: second)).isEmpty)
        #expect(kinds(made + operated(.groupKick, "tea", "bob", by: link)).isEmpty)
        let muted = made + operated(.groupAddMute, "tea", "bob", by: link)
        #expect(kinds(muted + changed(said("tea", "m"), by: second, .forbidden)).isEmpty)
    }

    @Test func whoMayNotIsSeen() {
        let made = operated(.groupCreate, "tea", by: link) + operated(.groupJoin, "tea", by: second)
        #expect(
            kinds(made + operated(.groupKick, "tea", "alice", by: second)) == [
                "who may not puts somebody out of a group"
            ])
        #expect(kinds(made + operated(.groupAllBan, "tea", by: second)) == ["who may not changes the rules of a group"])
        let muted = made + operated(.groupAddMute, "tea", "bob", by: link)
        #expect(kinds(muted + changed(said("tea", "m"), by: second)) == ["who may not speaks in a group"])
        #expect(kinds(made + changed(said("tea", "m"), by: second, .forbidden)) == ["who may is refused in a group"])
        let banned = operated(.groupCreate, "tea", by: link) + operated(.groupBan, "tea", "bob", by: link)
        #expect(kinds(banned + operated(.groupJoin, "tea", by: second)) == ["who is shut out comes into a group"])
    }

    @Test func whatGoesOnInADismissedGroupIsSeen() {
        let made = operated(.groupCreate, "tea", by: link) + operated(.threadCreate, "cake", "tea", by: link)
        let gone = made + operated(.groupDestroy, "tea", by: link)
        let word = "something is granted in a group that was dismissed"
        #expect(kinds(gone + changed(said("cake", "m"), by: link)) == [word])
        #expect(kinds(gone + changed(said("cake", "m"), by: link, .notFound)).isEmpty)
        #expect(kinds(gone + operated(.groupCreate, "cake", by: link) + changed(said("cake", "m"), by: link)).isEmpty)
    }

    @Test func whoIsPutOutOfAGroupIsInNoneOfItsThreads() {
        let made =
            operated(.groupCreate, "tea", by: link) + operated(.groupJoin, "tea", by: second)
            + operated(.threadCreate, "cake", "tea", by: link) + operated(.threadJoin, "cake", by: second)
        let told = changed(
            said("cake", "m"), by: link,
            between: [
                .effect(
                    .send(
                        second,
                        Frame(.changes(ChangePage(after: 0, changes: [said("cake", "m").record()], isLast: true)))))
            ])
        #expect(kinds(made + told).isEmpty)
        #expect(
            kinds(made + operated(.groupKick, "tea", "bob", by: link) + told)
                == ["what is said in a group is told to who is not in it"])
    }

    @Test func aDeviceThatShowsOtherMembersIsSeen() {
        var (checker, violations) = (GroupChecker(), [Violation]())
        let made = operated(.groupCreate, "tea", by: link) + operated(.groupJoin, "tea", by: second)
        served(present("alice", over: link) + present("bob", over: second) + made) {
            checker.observeServer($0, $1, into: &violations)
        }
        let group = LocalChange.group(LocalGroup(id: "tea", name: "tea"))
        let owner = LocalChange.member(group: "tea", GroupMember(user: "alice", role: .owner))
        let other = LocalChange.member(group: "tea", GroupMember(user: "bob"))
        var alike = checker
        #expect(alike.violation(device("alice", [group, owner, other])) == nil)
        #expect(checker.violation(device("alice", [group, owner]))?.rule == "CHAT-8")
    }

    @Test func whoIsRemovedAndStaysIsSeen() {
        var (checker, violations) = (GroupChecker(), [Violation]())
        let made = operated(.groupCreate, "tea", by: link) + operated(.groupJoin, "tea", by: second)
        let removed = [SessionEvent.Content.input(.serverCommand(CommandID(3), .deleteAccount("alice")))]
        served(present("alice", over: link) + present("bob", over: second) + made + removed) {
            checker.observeServer($0, $1, into: &violations)
        }
        let group = LocalChange.group(LocalGroup(id: "tea", name: "tea"))
        let owner = LocalChange.member(group: "tea", GroupMember(user: "alice", role: .owner))
        let heir = LocalChange.member(group: "tea", GroupMember(user: "bob", role: .owner))
        var alike = checker
        #expect(alike.violation(device("bob", [group, heir])) == nil)
        #expect(checker.violation(device("bob", [group, owner, heir]))?.rule == "CHAT-8")
    }

    // MARK: Friends and reactions

    @Test func otherFriendsThanWereMadeAreSeen() {
        var checker = FriendChecker()
        let application = LocalChange.friendApplication(FriendApplication(user: "bob", isReceived: false))
        let accepted = operated(.contactAccept, "alice", by: second)
        served(
            present("alice", over: link) + present("bob", over: second) + changed(application, by: link) + accepted
        ) { checker.observeServer($0, $1) }
        var alike = checker
        #expect(alike.violation(device("alice", [.friend(LocalFriend(user: "bob"))])) == nil)
        #expect(checker.violation(device("alice", []))?.rule == "ZIM-9")
    }

    @Test(arguments: [("heart", nil), ("smile", "ZIM-9")])
    func otherReactionsThanWereMadeAreSeen(_ shown: String, _ rule: String?) {
        var checker = ReactionChecker()
        let peer = ConversationID(kind: .peer, id: "bob")
        let message = LocalMessage(id: "m", conversation: peer, sender: "alice", text: "hello", timestamp: 1)
        func reaction(_ type: String) -> LocalChange {
            .reaction(message: "m", LocalMessage.Reaction(type: type, user: "bob"), isOn: true)
        }
        served(
            present("alice", over: link) + present("bob", over: second) + changed(.message(message), by: link)
                + changed(reaction("heart"), by: second)
        ) { checker.observeServer($0, $1) }
        #expect(checker.violation(device("alice", [.message(message), reaction(shown)]))?.rule == rule)
    }

    @Test(arguments: [(1, nil), (2, "ZIM-9")])
    func anImportThatDoublesIsSeen(_ count: Int, _ rule: String?) {
        var checker = ImportChecker()
        let said = [("message", "hello"), ("conversationID", "bob"), ("senderUserID", "bob")]
        for call in [LocalRequest(.insertMessageToLocalDB, said), LocalRequest(.importLocalMessages)] {
            checker.observeClient(event(0, command(1, .call(call))))
        }
        var database = UserDatabase(owner: "alice")
        for _ in 0..<count { _ = database.answer(LocalRequest(.insertMessageToLocalDB, said)) }
        #expect(checker.violation(of: "phone", database)?.rule == rule)
    }

    // MARK: Limits and questions

    private func joined(_ channel: String, _ status: Status, over connection: ConnectionID) -> [SessionEvent.Content] {
        [
            .input(.frame(connection, Frame(request: 4, .join(channel: channel)))),
            .effect(.send(connection, Frame(request: 4, .joinAck(status, channel: channel, members: [])))),
        ]
    }

    @Test(arguments: [(1, Status.limitExceeded, []), (2, .ok, ["RTM-9"]), (0, .limitExceeded, ["RTM-9"])])
    func moreThanThereMayBeIsSeen(_ count: Int, _ status: Status, _ rules: [String]) throws {
        let server = try #require(Dialects.named("agora-rtm")).serverPolicy
        var (checker, violations) = (LimitChecker(server), [Violation]())
        let there = Array(["alice", "bob"].prefix(count))
        served(
            [.input(.serverCommand(CommandID(9), .setPolicy(key: "channel-members-max", value: "1")))]
                + present("bob", over: second) + joined("lobby", status, over: second)
        ) { event, trace in
            var policy = server
            policy.channelMembersMax = 1
            let isSet = if case .input(.serverCommand) = event.content { true } else { false }
            let channels = isSet ? [] : [(channel: "lobby", members: there)]
            checker.observeServer(event, trace, policy, { channels }, into: &violations)
        }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [(Status.channelRateLimited, 3, []), (.ok, 3, ["RTM-9"]), (.channelRateLimited, 2, ["RTM-9"])])
    func aCallThatComesTooOftenIsSeen(_ last: Status, _ count: Int, _ rules: [String]) throws {
        var checker = CallRateChecker(try policy("agora-rtm"))
        var violations: [Violation] = []
        let online = StateChange(from: .connecting, to: .online, reason: .loginSucceeded)
        var contents: [(Int64, SessionEvent.Content)] = [
            (0, login()), (0, .effect(.connect(link))), (1, .input(.linkOpened(link))),
            (2, .effect(.transition(online))),
        ]
        for number in 1...count {
            contents.append((3, command(UInt32(number) + 5, .join(channel: "lobby"))))
            if number == count, last != .ok { contents.append((3, done(UInt32(number) + 5, last))) }
        }
        contents.append((4, .input(.deadlineReached)))
        traced(contents) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [("online", []), ("away", ["NIM-13"])])
    func anOperatorThatIsToldOtherDevicesIsSeen(_ presence: String, _ rules: [String]) {
        var (checker, violations) = (QueryAnswerChecker(), [Violation]())
        let row = AnswerRow([("device", "alice-1"), ("presence", presence), ("epoch", "1"), ("connection", "1")])
        served(
            present("alice", over: link)
                + [.input(.serverCommand(CommandID(5), .listDevices(user: "alice"))), done(5, .ok, rows: [row])]
        ) { checker.observeServer($0, $1, { [] }, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [(["alice"], []), ([], ["C-15"])])
    func aLateSettlementThatUndoesAJoinIsSeen(_ members: [String], _ rules: [String]) {
        var (checker, violations) = (LateSnapshotChecker(), [Violation]())
        served(
            present("alice", over: link) + joined("lobby", .ok, over: link)
                + [.input(.frame(link, Frame(request: 2, .settle(SubscriptionSnapshot()))))]
        ) { checker.observeServer($0, $1, { [(channel: "lobby", members: members)] }, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [(0.0, []), (5.0, ["SYNC-5"])])
    func aTransactionThatMakesSomethingElseIsSeen(_ second: Double, _ rules: [String]) {
        var (checker, violations) = (ExpressionChecker(), [Violation]())
        func ran(_ value: Double) -> [SessionEvent.Content] {
            let node = TreeNode(.number(value))
            let asked = TreeRequest.transaction(path: ExpressionChecker.treePath, node, over: TreeNode.empty.hash)
            return [
                .input(.frame(link, Frame(request: 2, .tree(asked)))),
                .effect(.send(link, Frame(request: 2, .treeAck(.ok, node)))),
            ]
        }
        served(ran(4) + ran(second)) { event, _ in checker.observeServer(event, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [(Status.tooManyDevices, ["C-11"]), (.rateLimited, [])])
    func whoWasRefusedForGoodAndTriesAgainIsSeen(_ status: Status, _ rules: [String]) throws {
        var checker = RetryChecker(try policy("nim"))
        var violations: [Violation] = []
        traced([
            (0, login()), (0, .effect(.connect(link))), (1, .input(.linkOpened(link))),
            (2, .input(.frame(link, Frame(request: 1, .loginAck(LoginReply(status)))))), (2, .effect(.closeLink(link))),
            (1002, .input(.deadlineReached)), (1002, .effect(.connect(second))),
        ]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.filter { $0.rule == "C-11" }.map(\.rule) == rules)
    }
}
