import IMClient
import IMProfiles
import IMProtocol
import IMSession
import SansIO

/// Makes a scenario as short as possible while it still shows the behaviour to be kept. The shrinker removes devices,
/// commands, faults and waits, singly and in groups. It merges and shortens waits, and replaces values by simpler ones.
/// It repeats this until no change is possible.
public struct Shrinker {
    /// The result of shrinking.
    public struct Outcome: Sendable {
        /// The shortest scenario.
        public var scenario: Scenario
        /// The number of scenarios that were played.
        public var tries: Int
        /// True if no further change is possible; false if the maximum number of tries was reached.
        public var isDone: Bool
    }

    private let isKept: (Scenario) -> Bool
    private let triesMax: Int
    private var tries = 0
    private var best: Scenario

    /// - Parameters:
    ///   - scenario: a scenario that shows the behaviour to be kept.
    ///   - triesMax: the maximum number of played scenarios.
    ///   - isKept: returns true if a smaller scenario still shows the behaviour.
    public init(_ scenario: Scenario, triesMax: Int = 20_000, isKept: @escaping (Scenario) -> Bool) {
        best = scenario
        self.isKept = isKept
        self.triesMax = triesMax
    }

    /// Shortens the scenario.
    public mutating func shrink() -> Outcome {
        var last = best
        repeat {
            last = best
            removeClients()
            removeSteps()
            mergeUsers()
            simplify()
            shortenWaits()
        } while best != last && tries < triesMax
        return Outcome(scenario: best, tries: tries, isDone: tries < triesMax)
    }

    // MARK: Tries

    private mutating func keep(_ scenario: Scenario) -> Bool {
        guard scenario != best, tries < triesMax else { return false }
        tries += 1
        guard isKept(scenario) else { return false }
        best = scenario
        return true
    }

    private mutating func keep(_ steps: [ScenarioStep]) -> Bool {
        var scenario = best
        scenario.steps = Self.merged(steps)
        return keep(scenario)
    }

    /// Merges consecutive waits.
    static func merged(_ steps: [ScenarioStep]) -> [ScenarioStep] {
        var merged: [ScenarioStep] = []
        for step in steps {
            if let wait = step.waiting, let before = merged.last?.waiting {
                merged[merged.count - 1] = .wait(before + wait)
            } else {
                merged.append(step)
            }
        }
        return merged
    }

    // MARK: Passes

    private mutating func removeClients() {
        for client in best.clients.reversed() where best.clients.count > 1 {
            _ = keep(best.steps.filter { $0.node != client && !$0.kicks(client) })
        }
    }

    /// Removes groups of consecutive steps: first halves, then quarters, and finally single steps. Each pass starts at
    /// the end, because a later step often depends on an earlier one, so the later one must be removed first.
    private mutating func removeSteps() {
        var length = max(1, best.steps.count / 2)
        while true {
            var end = best.steps.count
            while end > 0 {
                let start = max(0, end - length)
                var steps = best.steps
                steps.removeSubrange(start..<min(end, steps.count))
                if keep(steps) {
                    end = min(start, best.steps.count)
                } else {
                    end = start
                }
            }
            if length == 1 { break }
            length = max(1, length / 2)
        }
        removePairs()
    }

    /// Removes pairs of steps. Two steps that belong together, such as a fault and its end, can often only be removed
    /// together.
    private mutating func removePairs() {
        guard best.steps.count <= 40 else { return }
        var first = 0
        while first < best.steps.count {
            var second = first + 1
            while second < best.steps.count {
                var steps = best.steps
                steps.remove(at: second)
                steps.remove(at: first)
                if !keep(steps) { second += 1 }
            }
            first += 1
        }
    }

    private mutating func mergeUsers() {
        for user in Scenario.people.dropFirst() {
            _ = keep(best.steps.map { $0.renaming(user, to: Scenario.people[0]) })
        }
    }

    private mutating func simplify() {
        for index in best.steps.indices {
            guard index < best.steps.count else { return }
            for simpler in best.steps[index].simpler {
                var steps = best.steps
                steps[index] = simpler
                if keep(steps) { break }
            }
        }
        if best.order != .fixed {
            var scenario = best
            scenario.order = .fixed
            _ = keep(scenario)
        }
        if best.seed != 1 {
            var scenario = best
            scenario.seed = 1
            _ = keep(scenario)
        }
    }

    private static let lengths: [Interval] = [
        .milliseconds(1), .milliseconds(10), .milliseconds(20), .milliseconds(50), .milliseconds(100),
        .milliseconds(500), .seconds(1), .seconds(2), .seconds(5), .seconds(10), .seconds(20), .seconds(30),
        .minutes(1), .minutes(2), .minutes(5), .minutes(10),
    ]

    private mutating func shortenWaits() {
        for index in best.steps.indices {
            guard index < best.steps.count, let wait = best.steps[index].waiting else { continue }
            for length in Self.lengths where length < wait {
                var steps = best.steps
                steps[index] = .wait(length)
                if keep(steps) { break }
            }
        }
    }
}

extension ScenarioStep {
    /// True if the step kicks the client.
    fileprivate func kicks(_ client: String) -> Bool {
        if case .kickClient(let other) = action { other == client } else { false }
    }

    /// The step with one user replaced by another.
    package func renaming(_ old: String, to new: String) -> ScenarioStep {
        var step = self
        switch action {
        case .login(old, let mode, let lifetime): step.action = .login(user: new, mode, lifetime: lifetime)
        case .loginWrongly(old): step.action = .loginWrongly(user: new)
        case .accountCall(old, let call): step.action = .accountCall(user: new, call)
        case .command(.send(let to, let text, false)) where to.hasPrefix(old + "/"):
            step.action = .command(.send(to: new + to.dropFirst(old.count), text: text))
        case .command(.send(old, let text, false)): step.action = .command(.send(to: new, text: text))
        case .command(.watch(old, let isOn)): step.action = .command(.watch(user: new, isOn: isOn))
        case .server(.kick(old, let device)): step.action = .server(.kick(user: new, device: device))
        case .server(.banAccount(old)): step.action = .server(.banAccount(new))
        case .server(.addAccount(old)): step.action = .server(.addAccount(new))
        case .server(.deleteAccount(old)): step.action = .server(.deleteAccount(new))
        case .server(.passwordChanged(old)): step.action = .server(.passwordChanged(user: new))
        case .server(.revokeTokens(old)): step.action = .server(.revokeTokens(user: new))
        case .server(.setRefusal(old, let status)): step.action = .server(.setRefusal(user: new, status))
        case .server(.populate(old, let amounts)): step.action = .server(.populate(user: new, amounts))
        case .server(.putChange(old, let change)):
            step.action = .server(.putChange(user: new, change.renaming(old, to: new)))
        case .command(.change(let change)): step.action = .command(.change(change.renaming(old, to: new)))
        default: break
        }
        return step
    }

    /// Simpler steps that could replace this step, the simplest first.
    fileprivate var simpler: [ScenarioStep] {
        switch action {
        case .addClient(let platform, let device):
            var plain: [Action] = device != nil ? [.addClient(platform, device: nil)] : []
            if platform != .ios { plain.append(.addClient(.ios, device: nil)) }
            return plain.map { ScenarioStep(node, $0) }
        case .login(let user, let mode, let lifetime):
            var plain: [Action] = []
            if mode != .manual { plain.append(.login(user: user, .manual, lifetime: nil)) }
            if lifetime != nil { plain.append(.login(user: user, mode, lifetime: nil)) }
            return plain.map { ScenarioStep(node, $0) }
        case .renewToken(let lifetime?) where lifetime > .zero: return [ScenarioStep(node, .renewToken(lifetime: nil))]
        case .net(let action): return action.simpler.map { ScenarioStep(node, .net($0)) }
        case .app(.sleep(let length)) where length > .seconds(3):
            return [.seconds(3), .minutes(1)].filter { $0 < length }.map { ScenarioStep(node, .app(.sleep($0))) }
        case .server(.populate(let user, let amounts)):
            return amounts.indices.flatMap { index -> [ScenarioStep] in
                var fewer = amounts
                fewer.remove(at: index)
                var one = amounts
                one[index].count = 1
                return [fewer, one].filter { !$0.isEmpty && $0 != amounts }.map { .server(.populate(user: user, $0)) }
            }
        case .command(.logout(keepsPush: true)): return [ScenarioStep(node, .command(.logout(keepsPush: false)))]
        default: return []
        }
    }
}

extension ChangeRecord {
    /// The change with one user replaced by another.
    fileprivate func renaming(_ old: String, to new: String) -> ChangeRecord {
        var change = self
        change.fields = fields.map { $0.value == old ? AnswerField(name: $0.name, value: new) : $0 }
        return change
    }
}

extension NetAction {
    fileprivate var simpler: [NetAction] {
        switch self {
        case .switchNetwork, .halfOpen: [.down, .reset]
        case .rule(var rule) where (rule.remaining ?? 0) > 1:
            {
                rule.remaining = 1
                return [.rule(rule)]
            }()
        case .delay(let delay, let jitter) where jitter > .zero: [.delay(delay, jitter: .zero)]
        case .loss(let loss) where loss < LinkConditions.certain: [.loss(LinkConditions.certain)]
        default: []
        }
    }
}
