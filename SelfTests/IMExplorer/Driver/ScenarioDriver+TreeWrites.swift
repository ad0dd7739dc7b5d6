import IMClient
import IMSession
import IMTree
import SansIO

// Patterns of several steps about one client's tree writes, some of which have no answer yet.

extension ScenarioDriver {
    /// The answer to a write is lost, and the client writes at a parent or a child of its path (SYNC-10).
    mutating func writeAroundAnUnansweredOne(_ client: String) {
        let (path, key) = ("whole/\(client)", pick(["b", "c"]))
        func some(_ driver: inout Self) -> TreeNode { TreeNode(.number(Double(driver.random.below(1000)))) }
        net(client, .rule(FrameRule(.drop, frame: "tree-ack", direction: .toClient, count: 1)))
        let isAbove = random.below(2) == 0
        tree(client, .set(path: isAbove ? "\(path)/\(key)" : path, isAbove ? some(&self) : .empty))
        wait(pick([.milliseconds(15), .seconds(1)]))
        let whole = TreeNode.empty.setting(TreeKey(key), to: some(&self)).setting(TreeKey("d"), to: some(&self))
        tree(client, .set(path: isAbove ? path : "\(path)/\(key)", isAbove ? whole : some(&self)))
        wait(.seconds(30))
        tree(pick(clients), .get(path: path))
        wait(.seconds(1))
        reachQuiescence()
    }

    /// An app writes at the path of an unanswered transaction (SYNC-5).
    mutating func writeOverATransaction(_ client: String) {
        guard let expression = try? TransactionExpression("value + 1") else { return }
        let path = pick(["a", "a/b", "x/y"])
        tree(client, .set(path: path, TreeNode(.number(1))))
        wait(.milliseconds(100))
        // After another client's write, the first try of the transaction starts from an old value.
        if random.below(2) == 0 { tree(pick(clients), .set(path: path, TreeNode(.number(Double(random.below(100)))))) }
        tree(client, .transaction(path: path, expression, isHidden: random.below(4) == 0))
        wait(pick([.milliseconds(5), .milliseconds(15), .milliseconds(25)]))
        tree(client, .set(path: pick([path, "a", "a/b"]), TreeNode(.number(Double(random.below(100))))))
        wait(pick([.milliseconds(100), .seconds(1)]))
    }
}
