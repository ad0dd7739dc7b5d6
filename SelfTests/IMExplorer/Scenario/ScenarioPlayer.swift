import IMCheckers
import IMClient
import IMDebugger
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import SansIO

/// Plays a scenario in its own world, observed by all checkers: first its steps, then the network heals and all clients
/// have the time that the policy allows, then all log out (``Scenario/ending(_:)``).
public struct ScenarioPlayer {
    /// The checks during a scenario.
    public struct Options: Sendable {
        /// True if checkers observe the scenario.
        public var hasOracles = true
        /// True if the network heals and all clients log out after the scenario.
        public var heals = true
        /// The maximum number of events, because a scenario must end.
        public var eventsMax = 200_000
        /// The maximum number of inputs at one instant. If there are more, time does not advance.
        var inputsPerInstantMax = 20_000
        /// The number of events after which a violation is reported on purpose; nil for never.
        public var canaryAt: Int?
        /// True if each app with stored tree data is restarted at the end, in a copy of the world.
        public var restartsApps = false
        /// True if each machine is encoded and decoded once, and local data is read page by page.
        var readsStates = false
        /// True if the world is copied when it first reaches something new.
        var keepsMoment = false

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
        /// A hash of the events, equal on all computers.
        public var chain: UInt64 = 0xCBF2_9CE4_8422_2325
        /// The indices of the steps that could not be carried out.
        public var refused: [Int] = []
        /// The number of events that were not played again, because the scenario continues another one.
        public var inherited = 0
    }

    /// The kind of the violation for an endless loop at one instant, such as a retry without a delay.
    package static let stallKind = "time does not go on"

    private let scenario: Scenario
    private let options: Options
    private let beginning: ScenarioMoment?

    /// A player of one scenario.
    public init(_ scenario: Scenario, _ options: Options = Options()) {
        self.init(scenario, options, from: nil)
    }

    /// - Parameter beginning: the state from which it continues; its steps and random numbers are those of the
    ///   scenario's beginning.
    init(_ scenario: Scenario, _ options: Options, from beginning: ScenarioMoment?) {
        self.scenario = scenario
        self.options = options
        self.beginning = beginning
    }

    /// - Parameters:
    ///   - recording: records the scenario from its beginning; nil for none.
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

    /// - Returns: also the state when it first reached something new; nil if it did not.
    func playKeepingMoment(_ coverage: Coverage) throws -> (outcome: Outcome, moment: ScenarioMoment?) {
        let play = try run(nil, coverage, nil) { _ in "" }
        return (play.outcome, play.moment)
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
    let oracles: OracleSet?
    let coverage: Coverage?
    let dialect: any Dialect
    var outcome = ScenarioPlayer.Outcome()
    var moment: ScenarioMoment?
    private let log: EventTally
    private let beginning: ScenarioMoment?

    init(
        _ world: SimulatedWorld, _ dialect: any Dialect, _ scenario: Scenario, _ options: ScenarioPlayer.Options,
        _ beginning: ScenarioMoment?, _ coverage: Coverage?, _ watch: ((SessionEvent) -> Void)?
    ) {
        self.world = world
        self.scenario = scenario
        self.options = options
        self.coverage = coverage
        self.dialect = dialect
        self.beginning = beginning
        let log = EventTally()
        if let beginning {
            oracles = beginning.oracles.map(OracleSet.init(copying:))
            (log.count, log.chain) = (beginning.events, beginning.chain)
            (outcome.inherited, outcome.refused) = (beginning.events, beginning.refused)
        } else {
            oracles = options.hasOracles ? OracleSet(dialect, canaryAt: options.canaryAt) : nil
        }
        self.log = log
        let (core, seen, reached) = (world.core, oracles, coverage)
        // The core itself calls it, so it exists then.
        core.onEvent = { [unowned(unsafe) core] event in
            log.note(event)
            seen?.see(event, in: core)
            reached?.see(event, in: core)
            watch?(event)
        }
        defer { core.keepsEvents = false }
        guard beginning == nil else { return }
        // The events before the observer was set.
        for event in core.events(from: 0) {
            log.note(event)
            seen?.see(event, in: core)
            reached?.see(event, in: core)
            watch?(event)
        }
    }

    private var isOver: Bool {
        !(oracles?.violations.isEmpty ?? true) || log.count >= options.eventsMax || isStalled
            || world.core.isOver
    }

    private var isStalled: Bool { world.core.inputsAtInstant > options.inputsPerInstantMax }

    mutating func run() {
        let steps = options.heals ? scenario.steps + scenario.ending(dialect) : scenario.steps
        // A wait ends with a check, which has not taken place in the middle of it.
        if beginning?.isWithinWait == true, !isOver { oracles?.look(at: world) }
        for (place, step) in steps.enumerated().dropFirst(beginning?.steps.count ?? 0) where !isOver {
            if !perform(step, place), place < scenario.steps.count { outcome.refused.append(place) }
            coverage?.stepEnded(place)
            if place + 1 == scenario.steps.count, !isOver, let found = readingFault { outcome.violations.append(found) }
            if mayKeepMoment { keepMoment(behind: Array(scenario.steps.prefix(place + 1)), isWithinWait: false) }
        }
        if !isOver { oracles?.look(at: world) }
        outcome.events = log.count
        outcome.chain = log.chain
        outcome.violations += oracles?.violations ?? []
        if isStalled {
            let words = "\(world.core.inputsAtInstant) inputs at +\(world.core.now.secondsText)"
            outcome.violations.append(Violation(.progress, "C-9", ScenarioPlayer.stallKind, words))
        }
        outcome.violation = outcome.violations.first
    }

    /// A violation in the decoded machines and in local data. Made-up data is large enough to check pages.
    private var readingFault: Violation? {
        if options.readsStates, let found = StateReading.violation(of: world) { return found }
        guard options.readsStates || oracles != nil && scenario.hasMadeUpData else { return nil }
        return LocalPages.violation(of: world) ?? LocalAnswers.violation(of: world)
    }

    func restart() throws -> Violation? {
        guard dialect.clientPolicy.features.contains(.tree), let oracles else { return nil }
        return try TreeRestart.violation(in: world) { oracles.isTreeKept(by: $0) }
    }

    private mutating func perform(_ step: ScenarioStep, _ place: Int) -> Bool {
        if let interval = step.waiting {
            advance(by: interval, place)
            return true
        }
        do {
            if case .serverProcess = step.action { oracles?.lookBeforeEnd(ofServerIn: world.core) }
            try world.core.perform(step)
            if case .command(.tree) = step.action {
                oracles?.lookBehindTreeCommand(of: step.node, in: world.core)
            }
            return true
        } catch {
            // A step that cannot be carried out now is part of the scenario.
            return false
        }
    }

    private mutating func advance(by interval: Interval, _ place: Int) {
        let (start, end) = (world.core.now, world.core.now + interval)
        while !isOver, world.stepOnce(until: end) {
            // Other scenarios act directly after it, when all events due at that instant have happened.
            if mayKeepMoment, world.core.now > start, !world.isAnythingDue {
                let waited = ScenarioStep.wait(world.core.now - start)
                keepMoment(behind: Array(scenario.steps.prefix(place)) + [waited], isWithinWait: true)
            }
        }
        if !isOver { oracles?.look(at: world) }
    }
}

// The state from which other scenarios continue.
extension Play {
    private var mayKeepMoment: Bool { options.keepsMoment && moment == nil && coverage?.newAt != nil }

    private mutating func keepMoment(behind steps: [ScenarioStep], isWithinWait: Bool) {
        guard !isOver, let world = try? world.copy() else { return }
        moment = ScenarioMoment(
            steps: steps, seed: scenario.seed, order: scenario.order, world: world,
            oracles: oracles.map(OracleSet.init(copying:)), seen: coverage?.seen, events: log.count, chain: log.chain,
            refused: outcome.refused, isWithinWait: isWithinWait)
    }
}
