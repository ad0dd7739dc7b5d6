import IMProfiles
import IMSession
import IMSimulation
import SansIO

/// Plays a scenario in a world of its own, with other random seeds from a given event on.
package struct ScenarioRun {
    /// Other random seeds after some event.
    package struct Reseeding: Sendable {
        /// The number of events before the seeds change.
        var afterEvent: Int
        var seed: UInt64
        /// Each later wait is longer or shorter by at most this many thousandths.
        var timingPerMille: UInt64
    }

    /// The maximum number of events, so that every scenario ends.
    package static let eventsMax = 200_000
    /// If more inputs arrive at one instant, time does not advance.
    package static let inputsPerInstantMax = 20_000

    private let scenario: Scenario
    private let world: SimulatedWorld
    private let reseeding: Reseeding?
    private let checksum = EventChecksum()
    private var isReseeded = false
    private var jitter = SeededRandom(seed: 0)

    /// - Parameters:
    ///   - recording: records the world from its beginning; nil for no recording.
    ///   - summarize: composes the text line of each recorded event.
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
    ///   - mark: the text of a mark at the beginning of the recording; nil for none.
    ///   - watch: called for each event.
    /// - Returns: a checksum that is equal for equal events, on every machine.
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
                // A step may fail, such as a command that a client refuses; the run continues.
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

    /// The interval of a wait between commands; changed after the reseed if the reseed varies times.
    private mutating func varied(_ interval: Interval) -> Interval {
        guard isReseeded, let most = reseeding?.timingPerMille, most > 0 else { return interval }
        let share = Int64(jitter.below(2 * most + 1)) - Int64(most)
        return interval + Interval(nanoseconds: interval.nanoseconds / 1000 * share)
    }
}
