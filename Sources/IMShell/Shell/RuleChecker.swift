import IMProfiles
import IMSession
import IMSimulation

/// Checks the rules in a simulated world from its start, for `check rules`. `imrepl` has no checkers. A program that
/// has checkers, such as `imrepl-explore`, passes them to its shells with ``ShellHost/ruleChecker(_:)``.
package protocol RuleChecker: AnyObject, Sendable {
    /// Receives the next event. Called on the thread of the world.
    func observe(_ event: SessionEvent, in core: WorldCore)

    /// - Returns: the first broken rule, with its event; nil if no rule is broken.
    func checkAtQuiescence(_ world: SimulatedWorld) -> String?
}
