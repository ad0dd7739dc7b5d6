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

/// Checkers of the tree: writes over transactions, and onDisconnect writes.
@Suite struct TreeCheckerTests: CheckerScript {
    @Test(arguments: [("a", 1), ("a/b", 1), ("c", 0)])
    func aTransactionBehindAnOwnWriteIsSeen(_ written: String, _ count: Int) throws {
        var (checker, violations) = (TransactionChecker(), [Violation]())
        let expression = try TransactionExpression("value + 1")
        let frame = Frame(request: 2, .tree(.transaction(path: "a", TreeNode(.number(1)), over: TreeNode.empty.hash)))
        for content: SessionEvent.Content in [
            .input(.clientCommand(CommandID(1), .tree(.transaction(path: "a", expression, isHidden: false)))),
            .effect(.send(link, frame)),
            .input(.clientCommand(CommandID(2), .tree(.set(path: written, TreeNode(.number(5)))))),
            .effect(.send(link, frame)),
        ] { checker.observe(event(0, content), into: &violations) }
        #expect(violations.count == count)
    }

    /// The arguments: an action after the order, the value after the end of the connection, and the broken rule.
    @Test(arguments: [
        (nil, "gone", nil), (nil, "else", "SYNC-6"), ("cancel", "gone", "SYNC-6"), ("cancel", "else", nil),
        ("rule", "gone", "SYNC-9"), ("rule", "else", nil),
    ])
    func anOrderThatIsNotKeptToIsSeen(_ undone: String?, _ there: String, _ rule: String?) {
        var (checker, violations) = (DisconnectChecker(), [Violation]())
        func asked(_ request: TreeRequest, _ number: UInt32) -> [SessionEvent.Content] {
            [
                .input(.frame(link, Frame(request: number, .tree(request)))),
                .effect(.send(link, Frame(request: number, .treeAck(.ok, .empty)))),
            ]
        }
        var contents = asked(.onDisconnect(path: "a/b", TreeNode(.text("gone"))), 1)
        if undone == "cancel" { contents += asked(.cancelOnDisconnect(path: "a"), 2) }
        let nobody = ServerCommand.setTreeRule(path: "a", TreeRule(write: .nobody))
        if undone == "rule" { contents.append(.input(.serverCommand(CommandID(1), nobody))) }
        // Checked after the effects of the end.
        contents += [.input(.linkClosed(link, .reset)), .input(.deadlineReached)]
        let root = TreeNode.empty.setting([TreeKey("a"), TreeKey("b")][...], to: TreeNode(.text(there)))
        let known = checker
        for (place, content) in contents.enumerated() {
            let isOver = place >= contents.count - 2
            checker.observeServer(
                event(0, content, node: "server"), root: { isOver ? root : .empty }, epochMilliseconds: 0,
                into: &violations
            )
        }
        #expect(violations.map(\.rule) == [rule].compactMap(\.self))

        // A value that existed before proves nothing.
        guard undone != nil else { return }
        (checker, violations) = (known, [])
        for content in contents {
            checker.observeServer(
                event(0, content, node: "server"), root: { root }, epochMilliseconds: 0, into: &violations)
        }
        #expect(violations.isEmpty)
    }

    /// Unanswered writes are sent over each connection in the order of the calls. Writes that were made twice are not
    /// checked.
    @Test(arguments: [(["a", "b"], 0), (["b", "a"], 1), (["b", "c"], 0)])
    func writesThatGoOutInAnotherOrderAreSeen(_ sent: [String], _ count: Int) {
        var (checker, violations) = (WriteOrderChecker(), [Violation]())
        let node = TreeNode(.number(1))
        var contents: [SessionEvent.Content] = []
        for (place, path) in ["a", "b", "c", "c"].enumerated() {
            contents.append(command(UInt32(place + 1), .tree(.set(path: path, node))))
        }
        contents.append(.input(.linkOpened(link)))
        for (place, path) in sent.enumerated() {
            contents.append(.effect(.send(link, Frame(request: UInt32(place + 1), .tree(.set(path: path, node))))))
        }
        for content in contents { checker.observe(event(0, content), into: &violations) }
        #expect(violations.map(\.rule) == Array(repeating: "SYNC-10", count: count))
    }

    /// An unanswered earlier write is sent over the next connection, and a later write above it must follow.
    @Test(arguments: [(["a/b", "a"], 0), (["a/b"], 1), (["c"], 0)])
    func anEarlierWriteThatUndoesALaterOneIsSeen(_ again: [String], _ count: Int) {
        var (checker, violations) = (WriteOrderChecker(), [Violation]())
        func set(_ path: String) -> TreeNode { TreeNode(.text(path)) }
        func sent(_ path: String) -> SessionEvent.Content {
            .effect(.send(link, Frame(request: 1, .tree(.set(path: path, set(path))))))
        }
        let paths = ["c", "a/b", "a"]
        var contents = paths.enumerated().map { command(UInt32($0 + 1), .tree(.set(path: $1, set($1)))) }
        contents += paths.map(sent) + [.input(.linkOpened(link))] + again.map(sent)
        for content in contents { checker.observe(event(0, content), into: &violations) }
        #expect(violations.isEmpty)
        #expect((checker.violation == nil) == (count == 0))
    }

    /// A kept path has a listener, whatever other listeners are removed.
    @Test(arguments: [([TreeKey("a")], TreeQuery.all, true), ([], .all, true), ([TreeKey("b")], .all, false)])
    func aKeptPlaceThatIsNotListenedToIsSeen(_ place: [TreeKey], _ query: TreeQuery, _ isFine: Bool) {
        var checker = ListenChecker()
        for content in [
            command(1, .tree(.keep(path: "a", isOn: true))), done(1, .ok), command(2, .tree(.listen(path: ""))),
            command(3, .tree(.listen(path: "b"))), command(4, .tree(.unlisten(path: "a"))),
        ] { checker.observe(event(0, content)) }
        #expect((checker.violation([TreeListen(number: 1, place: place, query: query)]) == nil) == isFine)
    }

    /// If the app writes a server timestamp, a time of the client's own is found.
    @Test(arguments: [
        (TreeNode(.serverTimestamp), 0), (TreeNode(.number(1_767_225_600_000)), 1), (TreeNode(.number(7)), 0),
    ])
    func aTimeOfAClientsOwnIsSeen(_ sent: TreeNode, _ count: Int) {
        var (checker, violations) = (WriteOrderChecker(), [Violation]())
        checker.observe(event(0, command(1, .tree(.set(path: "at", TreeNode(.serverTimestamp))))), into: &violations)
        checker.observe(
            event(1, .effect(.send(link, Frame(request: 1, .tree(.set(path: "at", sent)))))), into: &violations)
        #expect(violations.map(\.rule) == Array(repeating: "SYNC-7", count: count))
    }

    /// A child inside the bounds of a query is notified, one outside is not. Without bounds all are.
    @Test(arguments: [(TreeQuery(order: .value, start: .init(.number(3))), 1), (TreeQuery(order: .value), 0)])
    func aChildBeyondTheEndOfAQueryIsSeen(_ query: TreeQuery, _ count: Int) {
        var (checker, violations) = (QueryRangeChecker(), [Violation]())
        let told = TreeNode.empty.setting(TreeKey("in"), to: TreeNode(.number(5)))
            .setting(TreeKey("out"), to: TreeNode(.number(1)))
        let contents: [SessionEvent.Content] = [
            .input(.frame(link, Frame(request: 1, .tree(.listen(path: "l", query, number: 7))))),
            .effect(.send(link, Frame(.treeData(TreeData(listen: 7, path: "l", .set(told)))))),
        ]
        for content in contents { checker.observeServer(event(0, content, node: "server"), into: &violations) }
        #expect(violations.map(\.text.isEmpty) == Array(repeating: false, count: count))
        #expect(violations.allSatisfy { $0.text.contains("out is 1") })
    }

    /// An order below the path of another order is a part of it.
    @Test(arguments: [("there", nil), ("", "SYNC-6")])
    func anOrderAboveThatIsForgottenIsSeen(_ other: String, _ rule: String?) {
        var (checker, violations) = (DisconnectChecker(), [Violation]())
        let (state, left) = ([TreeKey("state")][...], [TreeKey("left")][...])
        let above = TreeNode.empty.setting(state, to: TreeNode(.text("on"))).setting(left, to: TreeNode(.text("there")))
        let orders = [
            TreeRequest.onDisconnect(path: "a", above), .onDisconnect(path: "a/state", TreeNode(.text("gone"))),
        ]
        var contents: [SessionEvent.Content] = []
        for (place, order) in orders.enumerated() {
            let number = UInt32(place + 1)
            contents.append(.input(.frame(link, Frame(request: number, .tree(order)))))
            contents.append(.effect(.send(link, Frame(request: number, .treeAck(.ok, .empty)))))
        }
        contents += [.input(.linkClosed(link, .reset)), .input(.deadlineReached)]
        var there = TreeNode.empty.setting(state, to: TreeNode(.text("gone")))
        if !other.isEmpty { there = there.setting(left, to: TreeNode(.text(other))) }
        let root = TreeNode.empty.setting([TreeKey("a")][...], to: there)
        for (place, content) in contents.enumerated() {
            checker.observeServer(
                event(0, content, node: "server"), root: { place < 4 ? .empty : root }, epochMilliseconds: 0,
                into: &violations)
        }
        #expect(violations.map(\.rule) == [rule].compactMap(\.self))
    }

    /// A server timestamp in an order is the time of the end.
    @Test(arguments: [(60_000, nil), (0, "SYNC-6")])
    func anOrderWithAnotherTimeIsSeen(_ time: Double, _ rule: String?) {
        var (checker, violations) = (DisconnectChecker(), [Violation]())
        let request = Frame(request: 1, .tree(.onDisconnect(path: "a", TreeNode(.serverTimestamp))))
        let contents: [(Int64, SessionEvent.Content)] = [
            (0, .input(.frame(link, request))), (0, .effect(.send(link, Frame(request: 1, .treeAck(.ok, .empty))))),
            (60_000, .input(.linkClosed(link, .reset))), (60_001, .input(.deadlineReached)),
        ]
        let root = TreeNode.empty.setting([TreeKey("a")][...], to: TreeNode(.number(time)))
        for (at, content) in contents {
            let there = at < 60_000 ? .empty : root
            checker.observeServer(
                event(at, content, node: "server"), root: { there }, epochMilliseconds: 0, into: &violations)
        }
        #expect(violations.map(\.rule) == [rule].compactMap(\.self))
    }

    /// If several connections end together, or with the server, one's order may have overwritten another's.
    @Test(arguments: [("a", nil), ("b", "SYNC-6")], [true, false])
    func ordersThatMeetAreNotLookedAt(_ order: (String, String?), _ isRestart: Bool) throws {
        let (path, rule) = order
        var (checker, violations) = (DisconnectChecker(), [Violation]())
        let orders = [(link, "a/b"), (ConnectionID(2), path), (ConnectionID(2), path + "/c")]
        for (number, (connection, path)) in orders.enumerated() {
            let request = TreeRequest.onDisconnect(path: path, TreeNode(.text(path)))
            let number = UInt32(number + 1)
            for content: SessionEvent.Content in [
                .input(.frame(connection, Frame(request: number, .tree(request)))),
                .effect(.send(connection, Frame(request: number, .treeAck(.ok, .empty)))),
            ] {
                checker.observeServer(
                    event(0, content, node: "server"), root: { .empty }, epochMilliseconds: 0, into: &violations)
            }
        }
        let root = TreeNode.empty.setting([TreeKey(path), TreeKey("c")][...], to: TreeNode(.text(path + "/c")))
        let machine = ServerMachine(policy: try #require(Dialects.named("wilddog")).serverPolicy, epochMilliseconds: 0)
        let start = StartRecord(name: "server", profile: "wilddog", body: .server(machine))
        let ends: [SessionEvent.Content] = [
            .input(.deadlineReached), .effect(.closeLink(link)), .effect(.closeLink(ConnectionID(2))),
            .input(.deadlineReached),
        ]
        for content in isRestart ? [.start(start)] : ends {
            checker.observeServer(
                event(0, content, node: "server"), root: { root }, epochMilliseconds: 0, into: &violations)
        }
        #expect(violations.map(\.rule) == [rule].compactMap(\.self))
    }
}
