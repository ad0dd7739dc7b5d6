import IMCheckers
import IMProfiles
import IMSession
import IMShell
import IMSimulation

/// All checkers, for `check rules`.
///
/// `@unchecked Sendable`: used only by the thread on which a simulated world runs.
final class OracleRules: RuleChecker, @unchecked Sendable {
    private let oracles: OracleSet

    init(_ dialect: any Dialect) { oracles = OracleSet(dialect) }

    func observe(_ event: SessionEvent, in core: WorldCore) { oracles.see(event, in: core) }

    func checkAtQuiescence(_ world: SimulatedWorld) -> String? {
        oracles.look(at: world)
        guard let found = oracles.violations.first else { return nil }
        let node = found.node.isEmpty ? "" : "\(found.node): "
        return "\(found.rule) is broken at event \(found.event): \(node)\(found.text)"
    }
}
