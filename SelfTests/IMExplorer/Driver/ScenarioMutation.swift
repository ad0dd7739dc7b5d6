import IMDebugger
import IMProfiles
import IMProtocol
import SansIO

/// Changes a scenario that reached something new. Variations of such a scenario reach new things more often than random
/// ones.
struct ScenarioMutation {
    private var driver: ScenarioDriver

    /// - Parameter seed: the seed of the changes.
    init(seed: UInt64, profile: String) {
        driver = ScenarioDriver(seed: seed, profile: profile)
    }

    /// - Parameters:
    ///   - parent: the scenario that reached something new.
    ///   - place: the number of steps after which it did.
    ///   - beginning: the steps that led there, with a wait cut at that time.
    ///   - other: another scenario of the same profile, for a part of its steps; nil if there is none.
    mutating func mutated(
        _ parent: Scenario, at stepIndex: Int, behind beginning: [ScenarioStep], with other: Scenario?, seed: UInt64
    ) -> Scenario {
        var scenario = parent
        driver.adopt(parent)
        let way = driver.random.below(5)
        switch way {
        // A fork: the same beginning, with other steps after it.
        case 0, 1: scenario.steps = beginning + fresh(12)
        // More steps at that position.
        case 2: scenario.steps.insert(contentsOf: fresh(3), at: min(stepIndex, parent.steps.count))
        // Fewer steps.
        case 3:
            for _ in 0...driver.random.below(3) where scenario.steps.count > 2 {
                let index = Int(driver.random.below(UInt64(scenario.steps.count)))
                if case .addClient = scenario.steps[index].action { continue }
                scenario.steps.remove(at: index)
            }
            scenario.steps += fresh(2)
        // The end of another scenario.
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
        // In some cases another seed for machines and networks. A fork keeps its seed, because it might otherwise not
        // reach that position.
        if driver.random.below(2) == 0, (2...3).contains(way) { scenario.seed = seed }
        return scenario
    }

    /// No text is used twice.
    private static func withTextsApart(_ steps: [ScenarioStep]) -> [ScenarioStep] {
        var seen: Set<String> = []
        return steps.enumerated().map { stepIndex, step in
            let other: (String) -> String = { "\($0)-\(stepIndex)" }
            switch step.action {
            case .command(.send(let to, let text, let isToChannel)):
                guard !seen.insert(text).inserted else { return step }
                seen.insert(other(text))
                return ScenarioStep(step.node, .command(.send(to: to, text: other(text), isToChannel: isToChannel)))
            case .command(.change(var record)) where record.kind == .message:
                guard let text = record.fields["message"], !seen.insert(text).inserted else { return step }
                seen.insert(other(text))
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
