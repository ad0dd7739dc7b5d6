import IMClient
import IMProfiles
import IMSession
import IMSimulation
import SansIO

/// A condition on a session. Shrinking only makes changes after which the condition still holds.
package struct ShrinkCondition {
    private let condition: SessionCondition

    /// - Throws: ``FilterError`` for an invalid condition.
    package init(_ text: String) throws {
        condition = try SessionCondition(text)
    }

    /// The line of a script that fails if this condition holds.
    package var negatedCheck: String { condition.negatedCheck }

    /// Plays a scenario and counts the matching events. Returns true if the condition holds for it.
    package func holds(for scenario: Scenario) -> Bool { run(scenario, reseededBy: nil).holds }

    /// Plays a scenario and checks the condition. With `reseeding`, the random seeds change after a given event.
    package func run(_ scenario: Scenario, reseededBy reseeding: ScenarioRun.Reseeding?) -> OddsFinder.Run {
        let nothing = OddsFinder.Run(holds: false, chain: 0)
        guard let dialect = Dialects.named(scenario.profile) else { return nothing }
        let watch = ConditionWatch(condition, dialect)
        guard var run = try? ScenarioRun(scenario, reseeding: reseeding),
            let chain = try? run.play(watching: { watch.note($0) })
        else { return nothing }
        return OddsFinder.Run(holds: watch.holds, chain: chain)
    }
}

/// Counts the events that match the filters of a condition, while a scenario runs.
private final class ConditionWatch {
    private let condition: SessionCondition
    private let filters: [Filter]
    private let formatter: EventFormatter
    private var states = NodeStates<String>()
    private var counts: [Int]
    private let usesInState: Bool

    init(_ condition: SessionCondition, _ dialect: any Dialect) {
        self.condition = condition
        filters = condition.filters
        counts = filters.map { _ in 0 }
        formatter = EventFormatter(dialect: dialect)
        usesInState = filters.contains(where: \.usesInState)
    }

    func note(_ event: SessionEvent) {
        formatter.note(event)
        let state = usesInState ? states.note(event)?.name : nil
        guard EventFormatter.isObservable(event) else { return }
        let formatter = formatter
        let fields = EventFields(
            event, formatted: EventFormatter.FormattedEvent(text: formatter.text(of: event), weight: .essential),
            formatter: formatter, inState: state)
        for (index, filter) in filters.enumerated() where filter.matches(fields) { counts[index] += 1 }
    }

    var holds: Bool { condition.holds(counts) }
}
