import IMCheckers
import IMDebugger
import IMSession
import IMSimulation
import SansIO

/// The state of a scenario when it first reached new coverage, with all its observers. Other scenarios can continue
/// from the snapshot. They give the same events as if they had been played from their beginning.
struct ScenarioSnapshot {
    /// The steps before the snapshot. A wait in progress is shortened to the time that has passed.
    let steps: [ScenarioStep]
    let seed: UInt64
    let order: DueOrder
    /// The world is only copied, never run.
    let world: SimulatedWorld
    let checkers: CheckerSet?
    let observations: Coverage.Observations?
    let events: Int
    let chain: UInt64
    let refused: [Int]
    /// True if the snapshot was taken within a wait.
    let isWithinWait: Bool

    /// True if the scenario can continue from the snapshot: it has the same seed and event order, and begins with the
    /// same steps.
    func begins(_ scenario: Scenario) -> Bool {
        scenario.seed == seed && scenario.order == order && scenario.steps.count >= steps.count
            && scenario.steps.starts(with: steps)
    }
}
