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

/// Tests of checkers for granted and refused requests: groups, friends, limits, queries.
@Suite struct GrantedCheckerTests: CheckerScript {
    private var second: ConnectionID { ConnectionID(2) }

    // MARK: Limits and questions

    @Test(arguments: [(0.0, []), (5.0, ["SYNC-5"])])
    func aWrongTransactionResultIsAViolation(_ second: Double, _ rules: [String]) {
        var (checker, violations) = (ExpressionChecker(), [Violation]())
        func ran(_ value: Double) -> [SessionEvent.Content] {
            let node = TreeNode(.number(value))
            let treeRequest = TreeRequest.transaction(path: ExpressionChecker.treePath, node, over: TreeNode.empty.hash)
            return [
                .input(.frame(link, Frame(request: 2, .tree(treeRequest)))),
                .effect(.send(link, Frame(request: 2, .treeAck(.ok, node)))),
            ]
        }
        served(ran(4) + ran(second)) { checker.observeServer($0, $1, into: &violations) }
        #expect(violations.map(\.rule) == rules)
    }

    @Test(arguments: [(Status.tooManyDevices, ["C-11"]), (.rateLimited, [])])
    func aRetryAfterAFinalRefusalIsAViolation(_ status: Status, _ rules: [String]) throws {
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
