import IMDebugger
import IMProfiles
import IMProtocol
import SansIO

/// Changes a scenario that reached new coverage. Variations of such a scenario reach new coverage more often than
/// random scenarios.
struct ScenarioMutation {
    private var driver: ScenarioDriver

    /// - Parameter seed: the seed of the changes.
    init(seed: UInt64, profile: String) {
        driver = ScenarioDriver(seed: seed, profile: profile)
    }

    /// - Parameters:
    ///   - parent: the scenario that reached new coverage.
    ///   - stepIndex: the number of steps after which it did.
    ///   - beginning: the steps up to that position. If it was within a wait, the wait ends there.
    ///   - other: another scenario of the same profile, whose steps may be used; nil if there is none.
    mutating func mutated(
        _ parent: Scenario, at stepIndex: Int, behind beginning: [ScenarioStep], with other: Scenario?, seed: UInt64
    ) -> Scenario {
        var scenario = parent
        driver.adopt(parent)
        let kind = driver.random.below(5)
        switch kind {
        // A fork: the same beginning, followed by new random steps.
        case 0, 1: scenario.steps = beginning + fresh(12)
        // New random steps are inserted at the position of the new coverage.
        case 2: scenario.steps.insert(contentsOf: fresh(3), at: min(stepIndex, parent.steps.count))
        // Some steps are removed.
        case 3:
            for _ in 0...driver.random.below(3) where scenario.steps.count > 2 {
                let index = Int(driver.random.below(UInt64(scenario.steps.count)))
                if case .addClient = scenario.steps[index].action { continue }
                scenario.steps.remove(at: index)
            }
            scenario.steps += fresh(2)
        // The beginning is followed by the end of another scenario.
        default:
            let tail = other?.steps ?? []
            let start = tail.isEmpty ? 0 : Int(driver.random.below(UInt64(tail.count)))
            scenario.steps =
                beginning
                + tail[start...].filter { step in
                    if case .addClient = step.action { return false }
                    return step.node.isEmpty || step.node == "server" || parent.clients.contains(step.node)
                }
        }
        scenario.steps = Self.withTextsApart(scenario.steps)
        // Some mutations get another seed for machines and networks. A fork keeps the seed, because with another one
        // its beginning might not reach the new coverage.
        if driver.random.below(2) == 0, (2...3).contains(kind) { scenario.seed = seed }
        return scenario
    }

    /// Changes texts that occur twice, because the checkers identify a message by its text.
    private static func withTextsApart(_ steps: [ScenarioStep]) -> [ScenarioStep] {
        var usedTexts: Set<String> = []
        return steps.enumerated().map { stepIndex, step in
            let other: (String) -> String = { "\($0)-\(stepIndex)" }
            switch step.action {
            case .command(.send(let to, let text, let isToChannel)):
                guard !usedTexts.insert(text).inserted else { return step }
                usedTexts.insert(other(text))
                return ScenarioStep(step.node, .command(.send(to: to, text: other(text), isToChannel: isToChannel)))
            case .command(.change(var record)) where record.kind == .message:
                guard let text = record.fields["message"], !usedTexts.insert(text).inserted else { return step }
                usedTexts.insert(other(text))
                for index in record.fields.indices where record.fields[index].name == "message" {
                    record.fields[index].value = other(text)
                }
                return ScenarioStep(step.node, .command(.change(record)))
            default: return step
            }
        }
    }

    private mutating func fresh(_ most: UInt64) -> [ScenarioStep] {
        driver.steps.removeAll()
        for _ in 0...driver.random.below(most) {
            driver.drawStep()
            if driver.random.chance(partsPerMillion: driver.stepWeights.waits) {
                driver.wait(driver.pick(ScenarioDriver.waits))
            }
        }
        return driver.steps
    }
}
