import IMProfiles
import IMSession
import IMSimulation
import SansIO

/// Plays a scenario in a world of its own, with other random seeds from some event on where that is asked.
package struct ScenarioRun {
    /// Other random seeds after some event.
    package struct FreshChance: Sendable {
        /// After so many events.
        var afterEvent: Int
        var seed: UInt64
        /// By so many thousandths at most each later wait is longer or shorter.
        var timingPerMille: UInt64
    }

    /// Ends after so many events: no scenario may go on for ever.
    package static let eventsMax = 200_000
    /// Where more inputs come at one instant, time does not go on.
    package static let inputsPerInstantMax = 20_000

    private let scenario: Scenario
    private let world: SimulatedWorld
    private let fresh: FreshChance?
    private let tally = EventTally()
    private var isFresh = false
    private var jitter = SeededRandom(seed: 0)

    /// - Parameters:
    ///   - recording: takes it from its beginning on; nil for none.
    ///   - summarize: composes the line of each event that stands in the recording.
    /// - Throws: ``WorldError`` for a system that there is not.
    package init(
        _ scenario: Scenario, fresh: FreshChance? = nil, recording: Recording? = nil,
        summarize: @escaping (SessionEvent) -> String = { _ in "" }
    ) throws {
        self.scenario = scenario
        self.fresh = fresh
        world = try SimulatedWorld(scenario.configuration(), recording: recording, summarize: summarize)
    }

    /// - Parameters:
    ///   - mark: what somebody notes in the recording at its beginning; nil for nothing.
    ///   - watch: gets each event.
    /// - Returns: a number that is the same for the same events, whatever machine they happened on.
    package mutating func play(mark: String? = nil, watching watch: ((SessionEvent) -> Void)? = nil) throws -> UInt64 {
        if let mark { world.core.mark(mark) }
        let tally = tally
        for event in world.core.events(from: 0) {
            tally.note(event)
            watch?(event)
        }
        world.core.onEvent = { event in
            tally.note(event)
            watch?(event)
        }
        world.core.keepsEvents = false
        for step in scenario.steps where !isOver {
            useFreshChanceIfDue()
            if let interval = step.waiting {
                advance(by: varied(interval))
            } else {
                // What cannot be done now is part of the scenario.
                try? world.core.perform(step)
            }
        }
        let chain = tally.chain
        try world.shutDown()
        return chain
    }

    private var isOver: Bool {
        tally.count >= Self.eventsMax || world.core.inputsAtInstant > Self.inputsPerInstantMax || world.core.isOver
    }

    private mutating func advance(by interval: Interval) {
        let end = world.core.now + interval
        while !isOver, world.stepOnce(until: end) { useFreshChanceIfDue() }
    }

    private mutating func useFreshChanceIfDue() {
        guard let fresh, !isFresh, tally.count >= fresh.afterEvent else { return }
        isFresh = true
        world.drawAnew(seed: fresh.seed)
        jitter = SeededRandom(seed: ~fresh.seed)
    }

    /// The waits between commands are other ones, too.
    private mutating func varied(_ interval: Interval) -> Interval {
        guard isFresh, let most = fresh?.timingPerMille, most > 0 else { return interval }
        let share = Int64(jitter.below(2 * most + 1)) - Int64(most)
        return interval + Interval(nanoseconds: interval.nanoseconds / 1000 * share)
    }
}
