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

/// Tests of checkers for call results, reasons of state changes, refused logins and causes of kicks.
@Suite struct AnswerCheckerTests: CheckerScript {
    // MARK: At the server

    @Test(arguments: [true, false])
    func aServerThatLosesStateIsAViolation(_ isKept: Bool) throws {
        var server = ServerMachine(policy: try #require(Dialects.named("nim")).serverPolicy, epochMilliseconds: 1000)
        var effects: [ServerEffect] = []
        server.handle(.command(CommandID(1), .addAccount("alice")), at: .zero, into: &effects)
        let empty = ServerMachine(policy: server.policy, epochMilliseconds: 1000)
        #expect((StoredServerState.forgotten(from: server, in: isKept ? server : empty) == nil) == isKept)
    }

    // MARK: Changes and the tree

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
}
