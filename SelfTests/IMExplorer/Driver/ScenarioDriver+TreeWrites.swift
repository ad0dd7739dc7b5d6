import IMClient
import IMSession
import IMTree
import SansIO

// Several things in a row about what one client writes into the tree, while some of it has no answer.

extension ScenarioDriver {
    /// The answer to a write gets lost, and the place above it is written, or one below (SYNC-10).
    mutating func writtenAboveTheUnanswered(_ client: String) {
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
        calm()
    }

    /// An app writes where its transaction has no answer yet (SYNC-5).
    mutating func writeOverATransaction(_ client: String) {
        guard let expression = try? TransactionExpression("value + 1") else { return }
        let path = pick(["a", "a/b", "x/y"])
        tree(client, .set(path: path, TreeNode(.number(1))))
        wait(.milliseconds(100))
        // Somebody else's word makes the transaction's first try a stale one.
        if random.below(2) == 0 { tree(pick(clients), .set(path: path, TreeNode(.number(Double(random.below(100)))))) }
        tree(client, .transaction(path: path, expression, isHidden: random.below(4) == 0))
        wait(pick([.milliseconds(5), .milliseconds(15), .milliseconds(25)]))
        tree(client, .set(path: pick([path, "a", "a/b"]), TreeNode(.number(Double(random.below(100))))))
        wait(pick([.milliseconds(100), .seconds(1)]))
    }
}
