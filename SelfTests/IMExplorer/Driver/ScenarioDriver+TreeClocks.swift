import IMClient
import IMDebugger
import IMProtocol
import IMSession
import IMTree
import SansIO

// Patterns about the device's clock and the tree features that depend on it.

extension ScenarioDriver {
    /// The device's clock is changed. The next connection measures its new offset from the server's clock (SYNC-5).
    mutating func clockSetBetweenLinks(_ client: String) {
        tree(client, .listen(path: ".info/serverTimeOffset"))
        wait(.seconds(1))
        for _ in 0...random.below(2) {
            steps.append(ScenarioStep(client, .skew(pick([.minutes(60), .minutes(-60), .zero]))))
            wait(.seconds(1))
        }
        // A delay makes the answer that measures the offset slower.
        if random.below(3) == 0 { net(client, .delay(.seconds(2), jitter: .zero)) }
        net(client, pick([.reset, .switchNetwork]))
        wait(pick([.seconds(2), .seconds(8)]))
        // The client shows its estimate of a server timestamp before the server has written the value (SYNC-7).
        tree(client, .listen(path: "s"))
        wait(.milliseconds(100))
        tree(client, .set(path: "s", TreeNode(.serverTimestamp)))
        reachQuiescence()
    }

    /// The client pushes values before and after the server's time arrives or the clock is changed (SYNC-7).
    mutating func pushesAroundAClockChange(_ client: String) {
        startNewProcess(client)
        steps.append(ScenarioStep(client, .skew(pick([.minutes(60), .minutes(-60), .zero]))))
        if random.below(3) != 0 { net(client, .down) }
        for _ in 0...random.below(2) { tree(client, .push(path: "x", TreeNode(.text(text())))) }
        wait(pick([.milliseconds(5), .seconds(1)]))
        if random.below(2) == 0 { steps.append(ScenarioStep(client, .skew(pick([.minutes(-60), .zero])))) }
        net(client, .clear)
        wait(pick([.milliseconds(200), .seconds(5)]))
        for _ in 0...random.below(2) { tree(client, .push(path: "x", TreeNode(.text(text())))) }
        reachQuiescence()
    }
}
