import IMCommands
import IMExplorer
import IMOracles
import IMScript
import IMSession
import IMSimulation
import IMTraces

// `check`: what has to hold for a whole session.

extension Shell {
    package func check(_ request: CheckRequest) throws {
        defer { noteStand() }
        switch request {
        case .rules: try checkRules()
        case .condition(let text): try check(condition: text)
        }
    }

    private func checkRules() throws {
        guard let simulated = world as? SimulatedWorld, let rules = plan.rules else {
            throw CommandFailure(
                "'check rules' is for scripts in virtual time: what looks has to look from the beginning")
        }
        // A simulated world is the caller's own thread's.
        rules.oracles.look(at: simulated)
        guard let found = rules.oracles.violations.first else { return }
        let node = found.node.isEmpty ? "" : "\(found.node): "
        throw CommandFailure("\(found.rule) is broken at event \(found.event): \(node)\(found.text)")
    }

    private func check(condition text: String) throws {
        let condition: SessionCondition
        do throws(FilterError) {
            condition = try SessionCondition(text)
        } catch {
            throw CommandFailure(error.text)
        }
        let log = log
        let counts = try world.perform { _ in condition.filters.map { log.count($0) } }
        guard !condition.holds(counts) else { return }
        let words = zip(condition.filters, counts).map { "\($1) of '\($0.source)'" }
        throw CommandFailure("it does not hold: there are \(words.joined(separator: ", "))")
    }
}

/// Watches a world from its beginning on, for `check rules`.
///
/// `@unchecked Sendable`: used by the one thread on which a simulated world runs.
package final class RuleWatch: @unchecked Sendable {
    let oracles: OracleSet

    init(_ plan: WorldPlan) { oracles = OracleSet(plan.dialect) }
}
