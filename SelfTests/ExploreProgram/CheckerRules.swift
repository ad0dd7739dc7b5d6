import IMCheckers
import IMProfiles
import IMSession
import IMShell
import IMSimulation

/// All checkers, as the rules of the command `check rules`.
///
/// `@unchecked Sendable`: only the thread that runs the simulated world uses the object.
final class CheckerRules: RuleChecker, @unchecked Sendable {
    private let checkers: CheckerSet

    init(_ dialect: any Dialect) { checkers = CheckerSet(dialect) }

    func observe(_ event: SessionEvent, in core: WorldCore) { checkers.observe(event, in: core) }

    func checkAtQuiescence(_ world: SimulatedWorld) -> String? {
        checkers.checkAtQuiescence(at: world)
        guard let found = checkers.violations.first else { return nil }
        let node = found.node.isEmpty ? "" : "\(found.node): "
        return "\(found.rule) is broken at event \(found.event): \(node)\(found.text)"
    }
}
