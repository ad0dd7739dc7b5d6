import IMCheckers
import IMClient
import IMDebugger
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import SansIO

/// Plays a scenario in its own world, while all checkers observe it. After the scenario's own steps, the network works
/// again, the clients have the recovery time that the policy permits, and then they log out (``Scenario/ending(_:)``).
public struct ScenarioPlayer {
    /// The options of a run: the checks that are made, and the limits.
    public struct Options: Sendable {
        /// True if checkers observe the scenario.
        public var hasCheckers = true
        /// True if the second phase follows: the network works again, and all clients log out.
        public var heals = true
        /// The maximum number of events. It ends a scenario that would not end by itself.
        public var eventsMax = 200_000
        /// The maximum number of inputs at one instant. If a world has more, it is in an endless loop in which time
        /// does not advance.
        var inputsPerInstantMax = 20_000
        /// The number of events after which a violation is reported on purpose; nil for never.
        public var canaryAt: Int?
        /// True if each app with stored tree data is restarted in a copy of the world at the end.
        public var restartsApps = false
        /// True if each machine is encoded and decoded, and local data is read page by page, after the scenario's own
        /// steps.
        var readsStates = false
        /// True if the world is copied when the scenario first reaches new coverage.
        var keepsSnapshot = false

        /// The default options.
        public init() {}
    }

    /// The result of a scenario.
    public struct Outcome: Sendable {
        /// The number of events.
        public var events = 0
        /// The first violation; nil if there is none.
        public var violation: Violation?
        /// All violations, in order. Several of them usually have one cause.
        public var violations: [Violation] = []
        /// A hash of all events. It is equal on all computers.
        public var chain: UInt64 = 0xCBF2_9CE4_8422_2325
        /// The indices of the steps that the world rejected.
        public var refused: [Int] = []
        /// The number of events that were not played, because the scenario continues from the snapshot of another one.
        public var inherited = 0
    }

    /// The kind of the violation for an endless loop at one instant, such as retries without a delay.
    package static let stallKind = "the simulated time does not advance"

    private let scenario: Scenario
    private let options: Options
    private let beginning: ScenarioSnapshot?

    /// A player of one scenario.
    public init(_ scenario: Scenario, _ options: Options = Options()) {
        self.init(scenario, options, from: nil)
    }

    /// - Parameter beginning: the snapshot from which the scenario continues. The scenario begins with the steps and
    ///   the random numbers of the snapshot.
    init(_ scenario: Scenario, _ options: Options, from beginning: ScenarioSnapshot?) {
        self.scenario = scenario
        self.options = options
        self.beginning = beginning
    }

    /// - Parameters:
    ///   - recording: records the scenario from its first event; nil for no recording.
    ///   - coverage: collects the coverage; nil for none.
    ///   - watch: is called with each event.
    ///   - summarize: returns the text of each event in the recording.
    /// - Throws: ``WorldError`` if the profile does not exist.
    public func play(
        recording: Recording? = nil, coverage: Coverage? = nil, watching watch: ((SessionEvent) -> Void)? = nil,
        summarize: @escaping (SessionEvent) -> String = { _ in "" }
    ) throws -> Outcome {
        try run(recording, coverage, watch, summarize).outcome
    }

    /// - Returns: the outcome, and a snapshot of the world when it first reached new coverage; nil if it did not.
    func playKeepingSnapshot(_ coverage: Coverage) throws -> (outcome: Outcome, snapshot: ScenarioSnapshot?) {
        let play = try run(nil, coverage, nil) { _ in "" }
        return (play.outcome, play.snapshot)
    }

    private func run(
        _ recording: Recording?, _ coverage: Coverage?, _ watch: ((SessionEvent) -> Void)?,
        _ summarize: @escaping (SessionEvent) -> String
    ) throws -> Play {
        guard let dialect = Dialects.named(scenario.profile) else {
            throw WorldError("there is no system '\(scenario.profile)'")
        }
        let world =
            try beginning?.world.copy()
            ?? SimulatedWorld(scenario.configuration(), recording: recording, summarize: summarize)
        var play = Play(world, dialect, scenario, options, beginning, coverage, watch)
        play.run()
        if options.restartsApps, play.outcome.violation == nil, let violation = try play.restart() {
            play.outcome.add(violation)
        }
        try world.shutDown()
        return play
    }
}

/// A scenario in progress.
private struct Play {
    let world: SimulatedWorld
    let scenario: Scenario
    let options: ScenarioPlayer.Options
    let checkers: CheckerSet?
    let coverage: Coverage?
    let dialect: any Dialect
    var outcome = ScenarioPlayer.Outcome()
    var snapshot: ScenarioSnapshot?
    private let log: EventChecksum
    private let beginning: ScenarioSnapshot?

    init(
        _ world: SimulatedWorld, _ dialect: any Dialect, _ scenario: Scenario, _ options: ScenarioPlayer.Options,
        _ beginning: ScenarioSnapshot?, _ coverage: Coverage?, _ watch: ((SessionEvent) -> Void)?
    ) {
        self.world = world
        self.scenario = scenario
        self.options = options
        self.coverage = coverage
        self.dialect = dialect
        self.beginning = beginning
        let log = EventChecksum()
        if let beginning {
            checkers = beginning.checkers.map(CheckerSet.init(copying:))
            (log.count, log.chain) = (beginning.events, beginning.chain)
            (outcome.inherited, outcome.refused) = (beginning.events, beginning.refused)
        } else {
            checkers = options.hasCheckers ? CheckerSet(dialect, canaryAt: options.canaryAt) : nil
        }
        self.log = log
        let (core, activeCheckers, activeCoverage) = (world.core, checkers, coverage)
        // `unowned(unsafe)` is safe: only the core calls the closure, so the core exists during each call.
        core.onEvent = { [unowned(unsafe) core] event in
            log.note(event)
            activeCheckers?.observe(event, in: core)
            activeCoverage?.observe(event, in: core)
            watch?(event)
        }
        defer { core.keepsEvents = false }
        guard beginning == nil else { return }
        // The initializer of the world caused events before `onEvent` was set. They are observed here.
        for event in core.events(from: 0) {
            log.note(event)
            activeCheckers?.observe(event, in: core)
            activeCoverage?.observe(event, in: core)
            watch?(event)
        }
    }

    private var isOver: Bool {
        !(checkers?.violations.isEmpty ?? true) || log.count >= options.eventsMax || isStalled
            || world.core.isOver
    }

    private var isStalled: Bool { world.core.inputsAtInstant > options.inputsPerInstantMax }

    mutating func run() {
        let steps = options.heals ? scenario.steps + scenario.ending(dialect) : scenario.steps
        // A wait ends with a check. If the snapshot was taken within a wait, the check has not been made yet.
        if beginning?.isWithinWait == true, !isOver { checkers?.checkAtQuiescence(at: world) }
        for (stepIndex, step) in steps.enumerated().dropFirst(beginning?.steps.count ?? 0) where !isOver {
            if !perform(step, stepIndex), stepIndex < scenario.steps.count { outcome.refused.append(stepIndex) }
            coverage?.stepEnded(stepIndex)
            if stepIndex + 1 == scenario.steps.count, !isOver, let found = readingViolation {
                outcome.violations.append(found)
            }
            if mayKeepSnapshot {
                keepSnapshot(behind: Array(scenario.steps.prefix(stepIndex + 1)), isWithinWait: false)
            }
        }
        if !isOver { checkers?.checkAtQuiescence(at: world) }
        outcome.events = log.count
        outcome.chain = log.chain
        outcome.violations += checkers?.violations ?? []
        if isStalled {
            let detail = "\(world.core.inputsAtInstant) inputs at +\(world.core.now.secondsText)"
            outcome.violations.append(Violation(.progress, "C-9", ScenarioPlayer.stallKind, detail))
        }
        outcome.violation = outcome.violations.first
    }

    /// A violation in the decoded machines or in local data. Local data is also checked if the scenario generated data,
    /// because it then has several pages.
    private var readingViolation: Violation? {
        if options.readsStates, let found = StateCodingCheck.violation(of: world) { return found }
        guard options.readsStates || checkers != nil && scenario.hasGeneratedData else { return nil }
        return LocalPagingCheck.violation(of: world) ?? LocalCallCheck.violation(of: world)
    }

    func restart() throws -> Violation? {
        guard dialect.clientPolicy.features.contains(.tree), let checkers else { return nil }
        return try TreeRestartCheck.violation(in: world) { checkers.storesTree(by: $0) }
    }

    private mutating func perform(_ step: ScenarioStep, _ stepIndex: Int) -> Bool {
        if let interval = step.waiting {
            advance(by: interval, stepIndex)
            return true
        }
        do {
            try world.core.perform(step)
            return true
        } catch {
            // A scenario may contain steps that the world cannot carry out in its current state.
            return false
        }
    }

    private mutating func advance(by interval: Interval, _ stepIndex: Int) {
        let (start, end) = (world.core.now, world.core.now + interval)
        while !isOver, world.stepOnce(until: end) {
            // Scenarios that continue from the snapshot start their steps at this instant, after all its events.
            if mayKeepSnapshot, world.core.now > start, !world.hasDueEvents {
                let waited = ScenarioStep.wait(world.core.now - start)
                keepSnapshot(behind: Array(scenario.steps.prefix(stepIndex)) + [waited], isWithinWait: true)
            }
        }
        if !isOver { checkers?.checkAtQuiescence(at: world) }
    }
}

// The state from which other scenarios continue.
extension Play {
    private var mayKeepSnapshot: Bool { options.keepsSnapshot && snapshot == nil && coverage?.newAt != nil }

    private mutating func keepSnapshot(behind steps: [ScenarioStep], isWithinWait: Bool) {
        guard !isOver, let world = try? world.copy() else { return }
        snapshot = ScenarioSnapshot(
            steps: steps, seed: scenario.seed, order: scenario.order, world: world,
            checkers: checkers.map(CheckerSet.init(copying:)), observations: coverage?.observations, events: log.count,
            chain: log.chain,
            refused: outcome.refused, isWithinWait: isWithinWait)
    }
}
