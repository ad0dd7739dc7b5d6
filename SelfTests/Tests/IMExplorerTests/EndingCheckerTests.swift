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

/// Checkers of the state after a logout, a failure, a refusal and the end of a process.
@Suite struct EndingCheckerTests: CheckerScript {
    @Test(arguments: [(true, []), (false, ["C-4"])])
    func aCallThatOutlivesALogoutIsSeen(_ isEnded: Bool, _ rules: [String]) throws {
        var (checker, violations) = (CommandChecker(try policy("agora-chat")), [Violation]())
        var contents: [(Int64, SessionEvent.Content)] = [
            (0, command(1, .accountCall(user: "alice", credential: "", .listDevices))),
            (5, command(2, .logout(keepsPush: false))),
        ]
        if isEnded { contents.append((5, done(1, .cancelled))) }
        contents += [(5, done(2, .ok)), (9, .input(.linkOpened(link)))]
        traced(contents) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    // MARK: Messages that failed

    private func resent(_ texts: [String], behind: [(Int64, SessionEvent.Content)] = []) throws -> [String] {
        var (checker, violations) = (FailedMessageChecker(try policy("zim")), [Violation]())
        var contents: [(Int64, SessionEvent.Content)] = []
        for (place, text) in ["one", "two"].enumerated() {
            contents.append((0, command(UInt32(place) + 1, .send(to: "bob", text: text, isToChannel: false))))
        }
        contents += [(30, done(1, .timeout)), (30, done(2, .timeout))] + behind
        for (place, text) in texts.enumerated() {
            let id = UInt32(place) + 3
            contents.append((40, command(id, .resend)))
            let message = ChatMessage(id: "m", from: "alice", to: "bob", text: text)
            contents.append((40, text.isEmpty ? done(id, .notFound) : .effect(.send(link, Frame(.send(message))))))
        }
        traced(contents) { checker.observe($0, $1, into: &violations) }
        return violations.map(\.kind)
    }

    @Test(arguments: [
        (["one", "two"], nil), (["two"], "not the oldest message that failed is sent again"),
        (["one", ""], "a message that failed cannot be sent again"), (["one", "two", ""], nil),
    ])
    func messagesThatFailedAreSentAgainInOrder(_ texts: [String], _ kind: String?) throws {
        #expect(try resent(texts) == (kind.map { [$0] } ?? []))
    }

    @Test func whileALogoutIsUnderWayNothingIsSentAgain() throws {
        #expect(try resent([""], behind: [(35, command(9, .logout(keepsPush: false)))]) == [])
    }

    private func start(_ local: LocalData = LocalData(), of profile: String = "zim") throws -> SessionEvent.Content {
        let body = StartRecord.Body.client(
            policy: try policy(profile), device: Device(id: "phone-1", platform: .ios), local: local, seed: 1,
            firstConnection: link, nonce: nil)
        return .start(StartRecord(name: "phone", profile: profile, body: body))
    }

    // MARK: Unreadable data

    private let path = "o/phone"

    private func shown(_ contents: [(Int64, SessionEvent.Content)], isKept: Bool = true) -> [String] {
        var (checker, violations) = (OwnWriteChecker(), [Violation]())
        let refused = ClientNotification.treeCancelled(path: path, nil, .forbidden)
        traced([(0, .effect(.notify(refused)))] + contents) {
            checker.observe($0, $1, isReliable: true, isKept: isKept, into: &violations)
        }
        return violations.map(\.rule)
    }

    private var value: SessionEvent.Content {
        .effect(.notify(.treeValue(path: path, TreeNode(.number(7)), nil)))
    }

    @Test func whatMayNotBeReadIsNotShownFromTheDevice() {
        #expect(shown([(1, value)]) == ["SYNC-9"])
        let got = done(2, .ok, rows: [AnswerRow([("value", "7")])])
        #expect(shown([(1, command(2, .tree(.get(path: path)))), (1, got)]) == ["SYNC-9"])
        let nothing = done(2, .ok, rows: [AnswerRow([("value", "null")])])
        #expect(shown([(1, command(2, .tree(.get(path: path)))), (1, nothing)]) == [])
    }

    /// The device's stored data is available to the next process.
    @Test(arguments: [(true, ["SYNC-9"]), (false, [])])
    func aProcessThatKeepsNothingTakesNothingAway(_ isKept: Bool, _ rules: [String]) {
        #expect(shown([(1, .stop), (2, value)], isKept: isKept) == rules)
    }

    @Test func whatTheServerLetsReadAgainIsShown() {
        let open: [(Int64, SessionEvent.Content)] = [(1, .effect(.connect(link))), (2, .input(.linkOpened(link)))]
        #expect(shown(open + [(3, value), (4, .input(.linkClosed(link, .reset))), (5, value)]) == [])
    }

    @Test func anOwnWordIsShown() {
        let set = command(2, .tree(.set(path: path, TreeNode(.number(7)))))
        #expect(shown([(1, set), (1, value)]) == [])
    }

    @Test(arguments: [(true, 0), (false, 1)])
    func aStateThatIsToldTwiceIsSeen(_ isLost: Bool, _ count: Int) throws {
        var (checker, violations) = (StateNoticeChecker(), [Violation]())
        let dialect = try #require(Dialects.named("agora-chat"))
        let came = StateChange(from: .connecting, to: .online, reason: .loginSucceeded)
        let lost = StateChange(from: .online, to: .reconnecting, reason: .interrupted)
        for change in [came] + (isLost ? [lost] : []) + [came] {
            checker.observe(event(0, .effect(.transition(change))), dialect, into: &violations)
        }
        #expect(violations.map(\.rule) == Array(repeating: "CHAT-1", count: count))
    }

    // MARK: Listeners

    @Test(arguments: [([[TreeEventKind.value]], ["SYNC-10"]), ([[.value], [.value, .childAdded]], [])])
    func aListenerThatIsToldTwiceIsSeen(_ listeners: [[TreeEventKind]], _ rules: [String]) {
        var (checker, violations) = (ListenerEventChecker(), [Violation]())
        var contents: [(Int64, SessionEvent.Content)] = []
        for (place, kinds) in (listeners + listeners).enumerated() {
            let listening = TreeListening(kinds: kinds)
            contents.append((0, command(UInt32(place) + 1, .tree(.listen(path: path, listening)))))
        }
        traced(contents + [(1, .input(.deadlineReached)), (1, value), (1, value)]) { event, _ in
            checker.observe(event, into: &violations)
        }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [(2.0, false, ["SYNC-4"]), (2, true, []), (1, false, [])])
    func aChildThatIsNotToldAsMovedIsSeen(_ value: Double, _ isMoved: Bool, _ rules: [String]) {
        var (checker, violations) = (ListenerEventChecker(), [Violation]())
        var query = TreeQuery()
        query.order = .child(["score"])
        func told(_ kind: TreeEventKind, _ score: Double, _ name: String) -> SessionEvent.Content {
            let node = TreeNode.empty.setting("score", to: TreeNode(.number(score))).setting(
                "n", to: TreeNode(.text(name)))
            return .effect(
                .notify(.treeChild(TreeChildNotice(kind, path: path, query: query, key: "k", previous: nil, node))))
        }
        let kinds: [TreeEventKind] = [.childAdded, .childRemoved, .childChanged, .childMoved]
        let listening = TreeListening(query, kinds: kinds)
        var contents: [(Int64, SessionEvent.Content)] = [
            (0, command(1, .tree(.listen(path: path, listening)))), (1, told(.childAdded, 1, "x")),
        ]
        if isMoved { contents.append((2, told(.childMoved, value, "y"))) }
        contents.append((2, told(.childChanged, value, "y")))
        traced(contents) { event, _ in checker.observe(event, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [(true, ["SYNC-10"]), (false, [])])
    func whatComesForAListenThatHasEndedIsSeen(_ isEnded: Bool, _ rules: [String]) {
        var (checker, violations) = (EndedListenChecker(), [Violation]())
        func sent(_ request: TreeRequest) -> (Int64, SessionEvent.Content) {
            (0, .effect(.send(link, Frame(request: 1, .tree(request)))))
        }
        var contents = [sent(.listen(path: path, number: 1))]
        if isEnded { contents.append(sent(.unlisten(path: path, number: 1))) }
        contents.append(sent(.listen(path: path, number: 2)))
        let data = TreeData(listen: 1, path: path, .set(TreeNode(.number(7))))
        contents += [(1, .input(.frame(link, Frame(.treeData(data))))), (1, value)]
        traced(contents) { event, _ in checker.observe(event, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [([1, 2], []), ([1], ["SYNC-3"]), ([2], [])])
    func whatIsForgottenBeforeWhatIsOlderIsSeen(_ found: [Int], _ rules: [String]) throws {
        var (checker, violations) = (EvictionOrderChecker(), [Violation]())
        func place(_ number: Int) -> String { "\(TreeLedger.recent)/phone/\(number)" }
        var contents: [(Int64, SessionEvent.Content)] = [(0, .effect(.connect(link))), (0, .input(.linkOpened(link)))]
        for number in 1...2 {
            contents.append((1, command(UInt32(number) + 6, .tree(.listen(path: place(number))))))
            let data = TreeData(listen: UInt64(number), path: place(number), .set(TreeNode(.text("x"))))
            contents.append((1, .input(.frame(link, Frame(.treeData(data))))))
            contents.append((2, command(UInt32(number), .tree(.unlisten(path: place(number))))))
        }
        contents += [(3, .stop), (3, try start(of: "wilddog"))]
        for number in 1...2 {
            let id = UInt32(number) + 2
            let isFound = found.contains(number)
            contents.append((4, command(id, .tree(.get(path: place(number))))))
            let rows = isFound ? [AnswerRow([("value", "x")])] : []
            contents.append((4, done(id, isFound ? .ok : .networkUnavailable, rows: rows)))
        }
        traced(contents) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    // MARK: Data that outlives a process

    @Test(arguments: [(true, []), (false, ["C-11"])])
    func whatWasNotSaidYetIsKept(_ isKept: Bool, _ rules: [String]) throws {
        var (checker, violations) = (LocalDataChecker(try policy("zim")), [Violation]())
        var local = LocalData()
        local.lastUser = "alice"
        local.received = ReceivedNumbers(users: [ReceivedNumbers.OfUser(user: "alice")])
        var found = local
        if !isKept { found.received = ReceivedNumbers(users: [ReceivedNumbers.OfUser(user: "bob")]) }
        traced([(0, try start()), (1, .effect(.persist(local))), (2, .stop), (3, try start(found))]) {
            checker.observe($0, $1, isOpen: { true }, into: &violations)
        }
        #expect(violations.map(\.rule) == rules)
    }

    // MARK: The network

    @Test(arguments: [(true, true, nil), (false, true, "C-16"), (false, false, nil)])
    func aFrameThatIsHeldAndNeverLetGoIsSeen(_ arrives: Bool, _ isLetGo: Bool, _ rule: String?) throws {
        var (checker, violations) = (NetworkChecker(), [Violation]())
        let trace = ClientTrace()
        let sent = Frame(request: 9, .send(ChatMessage(id: "m", to: "bob", text: "hello")))
        func client(_ second: Int64, _ content: SessionEvent.Content) {
            checker.observeClient(event(second * 1000, content), 0, trace, into: &violations)
        }
        func server(_ content: SessionEvent.Content) {
            checker.observeServer(event(0, content, node: "server"), into: &violations)
        }
        client(0, try start())
        client(0, .input(.linkOpened(link)))
        let login = Frame(request: 1, .login(request()))
        client(0, .effect(.send(link, login)))
        server(.input(.frame(link, login)))
        client(1, .environment(.net(.rule(FrameRule(.hold, frame: "send", direction: .toServer, count: 1)))))
        client(1, .effect(.send(link, sent)))
        client(2, .environment(.net(.down)))
        client(2, .input(.network(.down)))
        client(2, .input(.linkClosed(link, .networkDown)))
        if isLetGo { client(3, .environment(.net(.release))) }
        if arrives { server(.input(.frame(link, sent))) }
        let violation = checker.overdue(of: 0, at: .zero + .seconds(30), awakeSince: .zero)
        #expect(violation?.rule == rule)
        #expect(violations.map(\.kind) == [])
    }

    @Test(arguments: [("2", []), ("1", ["SYNC-2"])])
    func anOlderWordThanTheLastIsSeen(_ shown: String, _ rules: [String]) {
        var (checker, violations) = (OfflineReadChecker(), [Violation]())
        let above = "\(TreeLedger.foreign)/phone"
        func told(_ path: String, _ node: TreeNode) -> SessionEvent.Content {
            .effect(.notify(.treeValue(path: path, node, nil)))
        }
        let (one, two) = (TreeNode(.number(1)), TreeNode(.number(2)))
        traced([
            (0, .effect(.connect(link))), (0, .input(.linkOpened(link))),
            (1, told(above, TreeNode.empty.setting(TreeKey("b"), to: one))), (2, told(above + "/b", two)),
            (3, .input(.linkClosed(link, .networkDown))), (4, command(1, .tree(.get(path: above + "/b")))),
            (4, done(1, .ok, rows: [AnswerRow([("value", shown)])])),
        ]) { checker.observe($0, $1, isReliable: true, isKept: true, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    // MARK: Attempts, members, replaced processes

    @Test(arguments: [(Int64(1000), false, ["C-9"]), (1000, true, []), (20_000, false, [])])
    func anAttemptThatIsGivenUpTooSoonIsSeen(_ lasted: Int64, _ isTheApps: Bool, _ rules: [String]) throws {
        var (checker, violations) = (AttemptChecker(try policy("zim")), [Violation]())
        var contents: [(Int64, SessionEvent.Content)] = [
            (0, login()), (0, .effect(.connect(link))), (lasted, .input(.deadlineReached)),
            (lasted, .effect(.closeLink(link))),
        ]
        if isTheApps { contents.append((lasted, done(1, .timeout))) }
        traced(contents + [(lasted + 1, .input(.deadlineReached))]) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [("bob", true, ["RTM-4"]), ("bob", false, []), ("carol", true, []), ("carol", false, ["RTM-4"])])
    func aMemberWhoComesOrGoesTwiceIsSeen(_ user: String, _ isJoin: Bool, _ rules: [String]) {
        var (checker, violations) = (MemberChecker(), [Violation]())
        let joined = ClientNotification.memberChanged(channel: "lobby", user: user, joined: isJoin)
        traced([
            (0, command(1, .join(channel: "lobby"))),
            (1, done(1, .ok, rows: ["alice", "bob"].map { AnswerRow([("member", $0)]) })),
            (2, .effect(.notify(joined))),
        ]) { event, _ in checker.observe(event, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [(false, ["SYNC-1"]), (true, [])])
    func aReplacedProcessThatComesBackIsSeen(_ isAsked: Bool, _ rules: [String]) throws {
        var (checker, violations) = (LinkChecker(try policy("wilddog")), [Violation]())
        let online = StateChange(from: .connecting, to: .online, reason: .loginSucceeded)
        var contents: [(Int64, SessionEvent.Content)] = [
            (0, command(1, .goOnline)), (0, .effect(.connect(link))), (1, .input(.linkOpened(link))),
            (2, .input(.frame(link, Frame(.loginAck(LoginReply(.ok, epoch: 1)))))), (2, .effect(.transition(online))),
            (3, .input(.frame(link, Frame(.goodbye(.replaced, detail: ""))))),
            (4, .input(.linkClosed(link, .closedByPeer))),
        ]
        let out = StateChange(from: .online, to: .offline, reason: .remoteLogin)
        contents.insert((3, .effect(.transition(out))), at: contents.count - 1)
        if isAsked { contents.append((5, command(2, .goOnline))) }
        contents.append((5, .effect(.connect(ConnectionID(2)))))
        traced(contents) { checker.observe($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [("{\"a\":{\"n\":9,\"x\":1}}", []), ("{\"z\":{\"n\":20}}", ["SYNC-2"])])
    func aPartOfAChildInAHeldQueryIsSeen(_ shown: String, _ rules: [String]) {
        var (checker, violations) = (StoredQueryChecker(), [Violation]())
        let path = "\(TreeLedger.window)/phone"
        let query = TreeQuery(order: .child([TreeKey("n")]), limit: .init(.last, 1))
        func child(_ number: Double) -> TreeNode {
            TreeNode.empty.setting(TreeKey("n"), to: TreeNode(.number(number))).setting(
                TreeKey("x"), to: TreeNode(.number(1)))
        }
        let told = TreeNode.empty.setting(TreeKey("a"), to: child(9))
        func set(_ id: UInt32, _ place: String, _ node: TreeNode) -> SessionEvent.Content {
            command(id, .tree(.set(path: "\(path)/\(place)", node)))
        }
        traced([
            (0, .effect(.connect(link))), (0, .input(.linkOpened(link))), (1, set(1, "a", child(9))),
            (1, set(2, "z", child(1))), (2, .effect(.notify(.treeValue(path: path, told, query)))),
            (3, set(3, "z/n", TreeNode(.number(20)))), (5, .input(.linkClosed(link, .networkDown))),
            (6, command(4, .tree(.get(path: path, query)))), (6, done(4, .ok, rows: [AnswerRow([("value", shown)])])),
        ]) { checker.observe($0, $1, isReliable: true, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [("{\"b\":2,\"c\":3}", []), ("{\"a\":1,\"b\":2}", ["SYNC-4"])])
    func aHeldQueryWithoutAnOwnWordIsSeen(_ shown: String, _ rules: [String]) {
        var (checker, violations) = (StoredQueryChecker(), [Violation]())
        let path = "\(TreeLedger.window)/phone"
        let query = TreeQuery(order: .key, limit: .init(.last, 2))
        func set(_ id: UInt32, _ key: String, _ value: Double) -> SessionEvent.Content {
            command(id, .tree(.set(path: "\(path)/\(key)", TreeNode(.number(value)))))
        }
        let told = TreeNode.empty.setting(TreeKey("a"), to: TreeNode(.number(1)))
        traced([
            (0, .effect(.connect(link))), (0, .input(.linkOpened(link))), (1, set(1, "a", 1)), (1, set(2, "b", 2)),
            (2, .effect(.notify(.treeValue(path: path, told, query)))), (3, set(3, "c", 3)), (4, done(3, .ok)),
            (5, .input(.linkClosed(link, .networkDown))), (6, command(4, .tree(.get(path: path, query)))),
            (6, done(4, .ok, rows: [AnswerRow([("value", shown)])])),
        ]) { checker.observe($0, $1, isReliable: true, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }
}
