import IMClient
import IMDialects
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import SansIO

/// Two scenarios that must go the same way: one more client that does nothing, users by other names, a device's clock
/// that is set wrong when the server's time is known already (C-10).
enum ScenarioPairs {
    /// - Returns: what differs; nil where nothing does.
    static func violation(
        of scenario: Scenario, seed: UInt64
    ) throws -> Violation? {
        let pair: (scenario: Scenario, what: String)
        // Each start of an app draws from the same chance as each new client.
        let hasStarts = scenario.steps.contains { $0.action == .app(.start) }
        switch seed / 32 % 2 {
        case 0 where !hasStarts: pair = (idle(scenario), "one more client that does nothing")
        default: pair = (renamed(scenario), "users by other names")
        }
        let one = try states(of: scenario)
        let two = try states(of: pair.scenario)
        for name in scenario.clients where one[name] != two[name] {
            return Violation(.pairs, "C-16", "\(pair.what) changes what happens", name)
        }
        return nil
    }

    /// Whether a scenario shows the same difference.
    static func isBroken(_ scenario: Scenario, as violation: Violation) -> Bool {
        [0, 32].contains { seed in
            (try? Self.violation(of: scenario, seed: seed))??.group == violation.group
        }
    }

    /// Behind the others, so that their chance is what it was.
    private static func idle(_ scenario: Scenario) -> Scenario {
        var other = scenario
        let last = other.steps.lastIndex { if case .addClient = $0.action { true } else { false } }
        other.steps.insert(ScenarioStep("idle", .addClient(.linux, device: nil)), at: last.map { $0 + 1 } ?? 0)
        return other
    }

    private static func renamed(_ scenario: Scenario) -> Scenario {
        var other = scenario
        let names = ["alice": "xenia", "bob": "yusuf", "carol": "zoran"]
        other.steps = scenario.steps.map { step in
            names.reduce(step) { $0.renamingAll($1.key, to: $1.value) }
        }
        return other
    }

    /// The states that each client goes through, with when.
    private static func states(of scenario: Scenario) throws -> [String: [UInt64]] {
        guard let dialect = Dialects.named(scenario.profile) else { return [:] }
        let world = try SimulatedWorld(WorldConfiguration(dialect, seed: scenario.seed))
        final class Seen { var states: [String: [UInt64]] = [:] }
        let seen = Seen()
        world.core.onEvent = { event in
            guard case .effect(.transition(let change)) = event.content else { return }
            seen.states[event.node, default: []].append(
                UInt64(bitPattern: event.time.nanoseconds) << 8 | UInt64(change.to.rawValue))
        }
        for step in scenario.steps {
            if let wait = step.waiting {
                _ = world.run(until: world.core.now + wait) { _ in false }
            } else {
                try? world.core.perform(step)
            }
        }
        return seen.states
    }
}

extension ScenarioStep {
    fileprivate func renamingAll(_ old: String, to new: String) -> ScenarioStep {
        var step = renaming(old, to: new)
        switch step.action {
        case .command(.ask(.attributes(old))): step.action = .command(.ask(.attributes(user: new)))
        default: break
        }
        return step
    }
}
