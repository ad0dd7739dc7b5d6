import IMCheckers
import IMClient
import IMProtocol
import IMSession
import IMTree
import SansIO

// Tree listeners and connections.

extension ScenarioDriver {
    /// A client listens below a path that has other listeners, first for all data and then for a part (SYNC-4,
    /// SYNC-10).
    mutating func listenerBelowAWindow(_ client: String) {
        let window = window()
        for key in 1...3 { tree(client, .set(path: "l/k\(key)", TreeNode(.number(Double(key))))) }
        tree(client, .listen(path: "l/k\(1 + random.below(3))"))
        tree(client, .listen(path: "l"))
        tree(client, .listen(path: "l", TreeListening(window)))
        wait(.milliseconds(200))
        tree(client, .unlisten(path: "l", .all))
        if random.below(3) == 0 { tree(client, .unlisten(path: "l", window)) }
        wait(.milliseconds(200))
        for key in 1...3 { tree(pick(clients), .set(path: "l/k\(key)", TreeNode(.number(Double(random.below(100)))))) }
        reachQuiescence()
    }

    /// A client that has retried for long goes offline and online again (SYNC-8, C-9).
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

    /// A part is written of a child that a stored query leaves out, and the query is read without a network (SYNC-2).
    mutating func partsOfAWindowOffline(_ client: String) {
        let path = "\(TreePaths.window)/\(client)"
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

    /// All data of a window is written at once, and then some of it is removed (SYNC-4).
    mutating func windowOverAWholeWrite(_ client: String) {
        func whole(_ keys: [String], _ driver: inout Self) -> TreeNode {
            keys.reduce(TreeNode.empty) { node, key in
                node.setting(TreeKey(key), to: TreeNode(.number(Double(driver.random.below(100)))))
            }
        }
        startNewProcess(client)
        tree(pick(clients), .set(path: "l", whole(["k1", "k2", "k3", "k4"], &self)))
        wait(.milliseconds(100))
        tree(client, .listen(path: "l", TreeListening(window())))
        wait(.milliseconds(200))
        tree(pick(clients), .set(path: "l", whole(pick([["x", "y"], ["x", "y", "z"], ["k1", "x", "y"]]), &self)))
        wait(.milliseconds(100))
        tree(pick(clients), .set(path: "l/\(pick(["x", "y"]))", .empty))
        wait(.milliseconds(100))
        reachQuiescence()
    }
}

/// Paths for a client alone, below each of which it has its own name.
enum TreePaths {
    /// The client writes and reads there.
    static let own = "o"
    /// The client reads data that others write.
    static let foreign = "h"
    /// The client writes and queries there, and removes nothing.
    static let window = "q"
    /// There is more data than the device has room for, all of the same size.
    static let recent = "r"
}
