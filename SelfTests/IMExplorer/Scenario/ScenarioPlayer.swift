import IMCheckers
import IMClient
import IMDebugger
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import SansIO

/// Plays a scenario in a world of its own, with all oracles looking: first what it says, then the network heals and
/// everybody has the time that the policy gives, then all log out (``Scenario/ending(_:)``).
public struct ScenarioPlayer {
    /// What is looked at while a scenario is played.
    public struct Options: Sendable {
        /// Whether oracles look at all.
        public var hasOracles = true
        /// Whether the network heals and everybody logs out behind the scenario.
        public var heals = true
        /// Ends after so many events: no scenario may go on for ever.
        public var eventsMax = 200_000
        /// Where more inputs come at one instant, time does not go on.
        var inputsPerInstantMax = 20_000
        /// An oracle fails on purpose behind so many events.
        public var canaryAt: Int?
        /// Whether each app whose tree is kept on its device is restarted at the end, in a copy of the world.
        public var restartsApps = false
        /// Whether each machine is written down once, and what is read back looked at; and local data page by page.
        var readsStates = false
        /// Whether the moment is kept at which it first reaches something new.
        var keepsMoment = false

        /// Everything.
        public init() {}
    }

    /// How a scenario went.
    public struct Outcome: Sendable {
        /// How many events there were.
        public var events = 0
        /// The first rule that was broken; nil for none.
        public var violation: Violation?
        /// All that was found, in order; more than one is seldom more than one cause.
        public var violations: [Violation] = []
        /// A number that is the same for the same events, whatever machine they happened on.
        public var chain: UInt64 = 0xCBF2_9CE4_8422_2325
        /// The steps that could not be done, by their places.
        public var refused: [Int] = []
        /// So many of the events were not played again, because it went on from another scenario's.
        public var inherited = 0
    }

    /// Each thing leads to the next one at the same instant: a retry without a delay, for example.
    package static let stallKind = "time does not go on"

    private let scenario: Scenario
    private let options: Options
    private let beginning: ScenarioMoment?

    /// A player of one scenario.
    public init(_ scenario: Scenario, _ options: Options = Options()) {
        self.init(scenario, options, from: nil)
    }

    /// - Parameter beginning: where it goes on from: its first steps are those of the scenario, with the same chance.
    init(_ scenario: Scenario, _ options: Options, from beginning: ScenarioMoment?) {
        self.scenario = scenario
        self.options = options
        self.beginning = beginning
    }

    /// - Parameters:
    ///   - recording: takes it from its beginning on; nil for none.
    ///   - coverage: learns what was reached.
    ///   - watch: is told of each event.
    ///   - summarize: composes the line of each event that stands in the recording.
    /// - Throws: ``WorldError`` for a system that there is not.
    public func play(
        recording: Recording? = nil, coverage: Coverage? = nil, watching watch: ((SessionEvent) -> Void)? = nil,
        summarize: @escaping (SessionEvent) -> String = { _ in "" }
    ) throws -> Outcome {
        try run(recording, coverage, watch, summarize).outcome
    }

    /// - Returns: also the moment at which it first reached something new; nil where it did not.
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

/// A scenario that is being played.
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
        // It is the core that calls it.
        core.onEvent = { [unowned(unsafe) core] event in
            log.note(event)
            seen?.see(event, in: core)
            reached?.see(event, in: core)
            watch?(event)
        }
        defer { core.keepsEvents = false }
        guard beginning == nil else { return }
        // What happened before anybody listened.
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
        // A wait ends with a look, which has not been had within it.
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

    /// What is wrong with what is read of machines and of local data; of data that was made up there is enough for pages.
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
            // What cannot be done now is part of the scenario.
            return false
        }
    }

    private mutating func advance(by interval: Interval, _ place: Int) {
        let (start, end) = (world.core.now, world.core.now + interval)
        while !isOver, world.stepOnce(until: end) {
            // Others act right behind it, where everything has happened that is due at that instant.
            if mayKeepMoment, world.core.now > start, !world.isAnythingDue {
                let waited = ScenarioStep.wait(world.core.now - start)
                keepMoment(behind: Array(scenario.steps.prefix(place)) + [waited], isWithinWait: true)
            }
        }
        if !isOver { oracles?.look(at: world) }
    }
}

// Where others go on from.
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
