import IMProfiles
import IMSession
import IMSimulation
import SansIO

/// Plays a scenario in a new world. With ``Reseeding``, the random seeds change after a given event.
package struct ScenarioRun {
    /// The change of the random seeds during a run.
    package struct Reseeding: Sendable {
        /// The number of events before the seeds change.
        var afterEvent: Int
        var seed: UInt64
        /// How much each wait after the change becomes longer or shorter, at most, in thousandths of its length.
        var timingPerMille: UInt64
    }

    /// The maximum number of events of a run, so that every run ends.
    package static let eventsMax = 200_000
    /// The maximum number of inputs at one instant. If there are more, the machines are probably in an endless loop,
    /// and the run ends.
    package static let inputsPerInstantMax = 20_000

    private let scenario: Scenario
    private let world: SimulatedWorld
    private let reseeding: Reseeding?
    private let checksum = EventChecksum()
    private var isReseeded = false
    private var jitter = SeededRandom(seed: 0)

    /// - Parameters:
    ///   - recording: receives all events of the world; nil for no recording.
    ///   - summarize: returns the line of text that is stored with an event.
    /// - Throws: ``WorldError`` for an unknown system.
    package init(
        _ scenario: Scenario, reseeding: Reseeding? = nil, recording: Recording? = nil,
        summarize: @escaping (SessionEvent) -> String = { _ in "" }
    ) throws {
        self.scenario = scenario
        self.reseeding = reseeding
        world = try SimulatedWorld(scenario.configuration(), recording: recording, summarize: summarize)
    }

    /// - Parameters:
    ///   - mark: the text of a mark at the beginning of the recording; nil for no mark.
    ///   - watch: called with each event.
    /// - Returns: a checksum of the run, without the shutdown of the world. It is equal for equal events, on every
    ///   computer.
    package mutating func play(mark: String? = nil, watching watch: ((SessionEvent) -> Void)? = nil) throws -> UInt64 {
        if let mark { world.core.mark(mark) }
        let checksum = checksum
        for event in world.core.events(from: 0) {
            checksum.note(event)
            watch?(event)
        }
        world.core.onEvent = { event in
            checksum.note(event)
            watch?(event)
        }
        world.core.keepsEvents = false
        for step in scenario.steps where !isOver {
            reseedIfDue()
            if let interval = step.waiting {
                advance(by: varied(interval))
            } else {
                // A step may fail, such as a command that a client refuses. The run continues with the next step.
                try? world.core.perform(step)
            }
        }
        let chain = checksum.chain
        try world.shutDown()
        return chain
    }

    private var isOver: Bool {
        checksum.count >= Self.eventsMax || world.core.inputsAtInstant > Self.inputsPerInstantMax || world.core.isOver
    }

    private mutating func advance(by interval: Interval) {
        let end = world.core.now + interval
        while !isOver, world.stepOnce(until: end) { reseedIfDue() }
    }

    private mutating func reseedIfDue() {
        guard let reseeding, !isReseeded, checksum.count >= reseeding.afterEvent else { return }
        isReseeded = true
        world.reseed(seed: reseeding.seed)
        jitter = SeededRandom(seed: ~reseeding.seed)
    }

    /// The length of a wait between commands. After the change of the seeds, a random part is added or subtracted, at
    /// most `timingPerMille` thousandths.
    private mutating func varied(_ interval: Interval) -> Interval {
        guard isReseeded, let most = reseeding?.timingPerMille, most > 0 else { return interval }
        let share = Int64(jitter.below(2 * most + 1)) - Int64(most)
        return interval + Interval(nanoseconds: interval.nanoseconds / 1000 * share)
    }
}
