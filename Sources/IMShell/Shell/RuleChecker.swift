import IMProfiles
import IMSession
import IMSimulation

/// Checks a simulated world from its start, for `check rules`. The checkers are no part of imrepl: a program that has
/// them gives them to its shells with ``ShellHost/ruleChecker(_:)``.
package protocol RuleChecker: AnyObject, Sendable {
    /// Receives the next event. It runs on the thread of the world.
    func observe(_ event: SessionEvent, in core: WorldCore)

    /// - Returns: the text of the first broken rule, with its event; nil for none.
    func checkAtQuiescence(_ world: SimulatedWorld) -> String?
}
