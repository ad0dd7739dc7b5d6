import IMClient
import IMNetwork
import IMProtocol
import IMTree
import SansIO

// Who listens to what of the tree, and over which link.

extension ScenarioDriver {
    /// Somebody listens below a place of which others hear all, and then a part (SYNC-4, SYNC-10).
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
        calm()
    }

    /// A client that has tried for long is taken offline and online again (SYNC-8, C-9).
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
}
