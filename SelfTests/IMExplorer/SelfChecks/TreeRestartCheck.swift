import IMCheckers
import IMClient
import IMDebugger
import IMProfiles
import IMProtocol
import IMSession
import IMSimulation
import IMTree
import SansIO

/// Checks that an app that restarts without a network shows the tree data that it stored before (SYNC-2, SYNC-3).
enum TreeRestartCheck {
    /// Plays a scenario until quiescence, and then restarts each client in a copy of the world.
    static func violation(of scenario: Scenario) throws -> Violation? {
        guard let dialect = Dialects.named(scenario.profile), dialect.clientPolicy.features.contains(.tree) else {
            return nil
        }
        let world = try SimulatedWorld(scenario.configuration())
        final class Kept {
            var ledger = TreeLedger()
        }
        let kept = Kept()
        world.core.onEvent = { event in
            var violations: [Violation] = []
            kept.ledger.observe(event, ClientTrace(), into: &violations)
        }
        world.play(scenario.steps + scenario.ending(dialect))
        return try violation(in: world) { kept.ledger.isKept($0) }
    }

    /// Restarts each client in a copy of a world that is at quiescence.
    ///
    /// - Parameter isKept: returns true if the client with this name stores its tree data across processes.
    static func violation(in world: SimulatedWorld, isKept: (String) -> Bool) throws -> Violation? {
        for id in world.core.clients where isKept(world.core.name(of: id)) {
            if let violation = try restarted(id, in: world) { return violation }
        }
        return nil
    }

    private static func restarted(_ id: NodeID, in world: SimulatedWorld) throws -> Violation? {
        guard let before = world.core[id].client, before.state == .online, before.treeChangesWaiting == 0 else {
            return nil
        }
        let views = before.treeViews.filter { $0.known != nil }
        guard !views.isEmpty else { return nil }
        let copy = try world.copy()
        let name = world.core.name(of: id)
        let restart: [ScenarioStep.Action] = [
            .net(.down), .app(.kill), .app(.start), .command(.tree(.persistence(bytesMax: TreeClient.storageBytesMax))),
        ]
        let listens = views.map { view in
            ScenarioStep.Action.command(.tree(.listen(path: view.path.text, TreeListening(view.query))))
        }
        for action in restart + listens { try copy.core.perform(ScenarioStep(name, action)) }
        _ = copy.run(until: copy.core.now + .seconds(1)) { _ in false }
        guard let after = copy.core[id].client else { return nil }
        for view in views {
            let known = after.treeViews.first { $0.path == view.path && $0.query == view.query }?.known
            guard known != view.known else { continue }
            let (was, now) = (view.known.map { "\($0)" } ?? "nothing", known.map { "\($0)" } ?? "nothing")
            var violation = Violation(
                .tree, "SYNC-2", "an app that starts without a network shows other data",
                "\(now) at '\(view.path.text)', not \(was)")
            violation.node = name
            return violation
        }
        return nil
    }
}
