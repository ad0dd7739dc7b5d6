import IMCheckers
import IMClient
import IMProtocol
import IMSession
import IMTree
import SansIO

// Patterns about tree listeners and connections.

extension ScenarioDriver {
    /// A client listens to a child, to all data at the parent, and to a query there. Then it ends the listener for all
    /// data, and children change (SYNC-4, SYNC-10).
    mutating func listenerBelowAQuery(_ client: String) {
        let limitedQuery = limitedQuery()
        for key in 1...3 { tree(client, .set(path: "l/k\(key)", TreeNode(.number(Double(key))))) }
        tree(client, .listen(path: "l/k\(1 + random.below(3))"))
        tree(client, .listen(path: "l"))
        tree(client, .listen(path: "l", TreeListening(limitedQuery)))
        wait(.milliseconds(200))
        tree(client, .unlisten(path: "l", .all))
        if random.below(3) == 0 { tree(client, .unlisten(path: "l", limitedQuery)) }
        wait(.milliseconds(200))
        for key in 1...3 { tree(pick(clients), .set(path: "l/k\(key)", TreeNode(.number(Double(random.below(100)))))) }
        reachQuiescence()
    }

    /// After many retries, a client goes offline and online again (SYNC-8, C-9).
    mutating func switchedInAnOutage(_ client: String) {
        tree(client, .listen(path: "a"))
        wait(.seconds(1))
        net(client, .down)
        wait(pick([.seconds(20), .seconds(90)]))
        command(client, .goOffline)
        wait(pick([.milliseconds(100), .seconds(1)]))
        command(client, .goOnline)
        wait(.seconds(40))
        net(client, .clear)
        wait(.seconds(2))
    }

    /// A client writes a part of a child that a stored query excludes, and reads the query without a network (SYNC-2).
    mutating func partsOfAQueryOffline(_ client: String) {
        let path = "\(TreePaths.limitedQuery)/\(client)"
        let query = TreeQuery(order: .child([TreeKey("n")]), limit: .init(.last, 1))
        let keys = [text(), text()]
        startKeepingTree(client)
        for (key, number) in zip(keys, [9.0, 1.0]) {
            let name = TreeNode(.text(text()))
            let child = TreeNode.empty.setting(TreeKey("n"), to: TreeNode(.number(number)))
            tree(client, .set(path: "\(path)/\(key)", child.setting(TreeKey("name"), to: name)))
        }
        wait(.milliseconds(200))
        tree(client, .listen(path: path, TreeListening(query)))
        wait(.milliseconds(200))
        if random.below(2) == 0 { tree(client, .unlisten(path: path, query)) }
        wait(.milliseconds(50))
        tree(client, .set(path: "\(path)/\(pick(keys))/n", TreeNode(.number(pick([0, 20])))))
        wait(.milliseconds(200))
        net(client, .down)
        if random.below(2) == 0 { startKeepingTree(client) }
        tree(client, .get(path: path, query))
        wait(.seconds(5))
        net(client, .clear)
        wait(.seconds(1))
    }

    /// All children below a limited query are written at once, and then some of them are removed (SYNC-4).
    mutating func limitedQueryAndWholeWrite(_ client: String) {
        func whole(_ keys: [String], _ driver: inout Self) -> TreeNode {
            keys.reduce(TreeNode.empty) { node, key in
                node.setting(TreeKey(key), to: TreeNode(.number(Double(driver.random.below(100)))))
            }
        }
        startNewProcess(client)
        tree(pick(clients), .set(path: "l", whole(["k1", "k2", "k3", "k4"], &self)))
        wait(.milliseconds(100))
        tree(client, .listen(path: "l", TreeListening(limitedQuery())))
        wait(.milliseconds(200))
        tree(pick(clients), .set(path: "l", whole(pick([["x", "y"], ["x", "y", "z"], ["k1", "x", "y"]]), &self)))
        wait(.milliseconds(100))
        tree(pick(clients), .set(path: "l/\(pick(["x", "y"]))", .empty))
        wait(.milliseconds(100))
        reachQuiescence()
    }
}

/// Paths below which each client has a child with its own name, which no other client writes unless stated.
enum TreePaths {
    /// Each client writes and reads its own value.
    static let own = "o"
    /// Each client reads a value that other clients write.
    static let foreign = "h"
    /// Each client writes and queries children, and removes none.
    static let limitedQuery = "q"
    /// Each client writes values of equal size, more than its device stores.
    static let recent = "r"
}
