import IMCheckers
import IMDebugger
import IMSession
import IMSimulation
import SansIO

/// The state of a scenario when it first reached something new, with all observers: a world from which others continue,
/// as if each had been played from its beginning.
struct ScenarioSnapshot {
    /// The steps up to that time. A wait in progress is cut at that time.
    let steps: [ScenarioStep]
    let seed: UInt64
    let order: DueOrder
    /// Is only copied, never run.
    let world: SimulatedWorld
    let checkers: CheckerSet?
    let seen: Coverage.Seen?
    let events: Int
    let chain: UInt64
    let refused: [Int]
    /// True if the last step was in progress.
    let isWithinWait: Bool

    /// True if a scenario can continue from here: it begins with the same steps and random numbers, and has further
    /// steps.
    func begins(_ scenario: Scenario) -> Bool {
        scenario.seed == seed && scenario.order == order && scenario.steps.count >= steps.count
            && scenario.steps.starts(with: steps)
    }
}
