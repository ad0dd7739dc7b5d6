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

/// Tests of checkers for the tree: writes over transactions, and onDisconnect writes.
@Suite struct TreeCheckerTests: CheckerScript {
    /// The arguments: how the onDisconnect write is undone, the value after the end of the connection, and the broken
    /// rule.
    @Test(arguments: [
        (nil, "gone", nil), (nil, "else", "SYNC-6"), ("cancel", "gone", "SYNC-6"), ("cancel", "else", nil),
        ("rule", "gone", "SYNC-9"), ("rule", "else", nil),
    ])
    func aBrokenOnDisconnectWriteIsAViolation(_ cancellation: String?, _ value: String, _ rule: String?) {
        var (checker, violations) = (DisconnectChecker(), [Violation]())
        func acknowledged(_ request: TreeRequest, _ number: UInt32) -> [SessionEvent.Content] {
            [
                .input(.frame(link, Frame(request: number, .tree(request)))),
                .effect(.send(link, Frame(request: number, .treeAck(.ok, .empty)))),
            ]
        }
        var contents = acknowledged(.onDisconnect(path: "a/b", TreeNode(.text("gone"))), 1)
        if cancellation == "cancel" { contents += acknowledged(.cancelOnDisconnect(path: "a"), 2) }
        let nobody = ServerCommand.setTreeRule(path: "a", TreeRule(write: .nobody))
        if cancellation == "rule" { contents.append(.input(.serverCommand(CommandID(1), nobody))) }
        // The checker checks the end of a connection with the next input.
        contents += [.input(.linkClosed(link, .reset)), .input(.deadlineReached)]
        let root = TreeNode.empty.setting([TreeKey("a"), TreeKey("b")][...], to: TreeNode(.text(value)))
        let known = checker
        for (index, content) in contents.enumerated() {
            let isOver = index >= contents.count - 2
            checker.observeServer(
                event(0, content, node: "server"), trace(root: isOver ? root : .empty),
                into: &violations
            )
        }
        #expect(violations.map(\.rule) == [rule].compactMap(\.self))

        // If the value was already in the tree before, the checker reports nothing.
        guard cancellation != nil else { return }
        (checker, violations) = (known, [])
        for content in contents {
            checker.observeServer(
                event(0, content, node: "server"), trace(root: root), into: &violations)
        }
        #expect(violations.isEmpty)
    }

    /// The value of a server timestamp in an onDisconnect write is the time at which the connection ended.
    @Test(arguments: [(60_000, nil), (0, "SYNC-6")])
    func anOnDisconnectOperationWithAWrongTimeIsAViolation(_ time: Double, _ rule: String?) {
        var (checker, violations) = (DisconnectChecker(), [Violation]())
        let request = Frame(request: 1, .tree(.onDisconnect(path: "a", TreeNode(.serverTimestamp))))
        let contents: [(Int64, SessionEvent.Content)] = [
            (0, .input(.frame(link, request))), (0, .effect(.send(link, Frame(request: 1, .treeAck(.ok, .empty))))),
            (60_000, .input(.linkClosed(link, .reset))), (60_001, .input(.deadlineReached)),
        ]
        let root = TreeNode.empty.setting([TreeKey("a")][...], to: TreeNode(.number(time)))
        for (at, content) in contents {
            let value = at < 60_000 ? .empty : root
            checker.observeServer(
                event(at, content, node: "server"), trace(root: value), into: &violations)
        }
        #expect(violations.map(\.rule) == [rule].compactMap(\.self))
    }

    /// If several connections end together, or if the server ends, one connection's write may have overwritten
    /// another's.
    @Test(arguments: [("a", nil), ("b", "SYNC-6")], [true, false])
    func overlappingOnDisconnectOperationsAreIgnored(_ order: (String, String?), _ isRestart: Bool) throws {
        let (path, rule) = order
        var (checker, violations) = (DisconnectChecker(), [Violation]())
        let writes = [(link, "a/b"), (ConnectionID(2), path), (ConnectionID(2), path + "/c")]
        for (number, (connection, path)) in writes.enumerated() {
            let request = TreeRequest.onDisconnect(path: path, TreeNode(.text(path)))
            let number = UInt32(number + 1)
            for content: SessionEvent.Content in [
                .input(.frame(connection, Frame(request: number, .tree(request)))),
                .effect(.send(connection, Frame(request: number, .treeAck(.ok, .empty)))),
            ] {
                checker.observeServer(
                    event(0, content, node: "server"), trace(root: .empty), into: &violations)
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
                event(0, content, node: "server"), trace(root: root), into: &violations)
        }
        #expect(violations.map(\.rule) == [rule].compactMap(\.self))
    }
}
