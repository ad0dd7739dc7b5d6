import IMCheckers
import IMDebugger
import IMSession
import IMSimulation
import SansIO

/// Where a scenario stood when it first reached something new, with whoever looks at it: a world from which any number of
/// others go on, as if each had been played from its beginning.
struct ScenarioMoment {
    /// What led there; a wait that was under way stands there as far as it went.
    let steps: [ScenarioStep]
    let seed: UInt64
    let order: DueOrder
    /// Is only ever copied.
    let world: SimulatedWorld
    let oracles: OracleSet?
    let seen: Coverage.Seen?
    let events: Int
    let chain: UInt64
    let refused: [Int]
    /// Whether the last step was under way.
    let isWithinWait: Bool

    /// Whether a scenario goes on from here: it begins with the same, by the same chance, and does something then.
    func begins(_ scenario: Scenario) -> Bool {
        scenario.seed == seed && scenario.order == order && scenario.steps.count >= steps.count
            && scenario.steps.starts(with: steps)
    }
}
