import IMProfiles
import IMSession
import IMSimulation

/// Checks a simulated world from its beginning on, for `check rules`. The checkers are no part of imrepl: a program that has
/// them gives them to its shells with ``ShellHost/ruleChecker(_:)``.
package protocol RuleChecker: AnyObject, Sendable {
    /// Takes the next event. It runs on the thread of the world.
    func observe(_ event: SessionEvent, in core: WorldCore)

    /// - Returns: the first broken rule in words, with its event; nil for none.
    func checkAtQuiescence(_ world: SimulatedWorld) -> String?
}
