import IMClient
import IMSession
import Recorder
import SansIO

/// The outcomes of a recorded scenario and of its changed rerun, from the change on.
public struct WhatIfOutcome: Sendable {
    /// A user's action that was not possible in the changed scenario.
    public struct Skipped: Hashable, Sendable {
        /// The number of the action's event in the recording.
        public var number: UInt64
        /// The reason, as a text.
        public var reason: String
    }

    /// The earliest difference between the two scenarios. An event is nil if its scenario has no more events of the
    /// node.
    public struct Difference: Sendable {
        /// The node's name.
        public var node: String
        /// The event in the recording.
        public var recorded: SessionEvent?
        /// The event in the changed scenario.
        public var altered: SessionEvent?
    }

    /// The callbacks and state transitions in the recording, in order.
    public let recorded: [SessionEvent]
    /// The callbacks and state transitions in the changed scenario, in order. The events have numbers only if the
    /// changed scenario was recorded.
    public let altered: [SessionEvent]
    /// The name of each client with its state at the end. A state is nil if the client's app does not run. The clients
    /// are in the order in which they were added.
    public let finals: [(node: String, recorded: ClientState?, altered: ClientState?)]
    /// The actions that were not possible, in order.
    public let skipped: [Skipped]
    /// The first command after the change that the user gave to a sleeping app; nil for none. The recording does not
    /// contain when the user gave it. The changed scenario gives it when the app wakes, after the inputs that queued
    /// during the sleep.
    public let commandDuringSleep: SessionEvent?
    /// The first difference; nil if both scenarios had the same outcome.
    public let difference: Difference?

    /// The condition that ended the changed scenario. The recorded scenario is compared up to the same time.
    public let ending: Ending

    /// All events of the changed scenario.
    package let rerunEvents: [SessionEvent]

    /// - Parameter continued: the events of the recorded scenario after the recording's end.
    init(
        _ whatIf: WhatIf, rerunEvents: [SessionEvent], continued: [SessionEvent], skipped: [Skipped], ending: Ending
    ) {
        self.rerunEvents = rerunEvents
        self.ending = ending
        let rest = whatIf.decoded.events[whatIf.position...] + continued
        let recorded = rest.filter(\.isOutcome)
        let altered = rerunEvents.filter(\.isOutcome)
        self.recorded = recorded
        self.altered = altered
        self.skipped = skipped
        commandDuringSleep = whatIf.decoded.commandDuringSleep(from: whatIf.position).map { whatIf.decoded.events[$0] }
        let before = whatIf.decoded.events[..<whatIf.position]
        let recordedFinals = Self.finals(before + rest)
        let alteredFinals = Self.finals(Array(before) + rerunEvents)
        let names =
            recordedFinals.map(\.node)
            + alteredFinals.map(\.node).filter { name in !recordedFinals.contains { $0.node == name } }
        finals = names.map { name in
            (
                name, recordedFinals.first { $0.node == name }?.state, alteredFinals.first { $0.node == name }?.state
            )
        }
        difference = Self.difference(recorded, altered, names)
    }

    /// True if the apps got the same callbacks and went through the same states. Times are not compared.
    public var isSame: Bool { difference == nil }

    private static func finals(_ events: some Sequence<SessionEvent>) -> [(node: String, state: ClientState?)] {
        var states = NodeStates<String>()
        for event in events { states.note(event) }
        return states.clients
    }

    private static func difference(
        _ recorded: [SessionEvent], _ altered: [SessionEvent], _ names: [String]
    ) -> Difference? {
        var first: (time: Instant, difference: Difference)?
        for name in names {
            let recordedEvents = recorded.filter { $0.node == name }
            let alteredEvents = altered.filter { $0.node == name }
            for position in 0..<max(recordedEvents.count, alteredEvents.count) {
                let left = position < recordedEvents.count ? recordedEvents[position] : nil
                let right = position < alteredEvents.count ? alteredEvents[position] : nil
                if let left, let right, left.isSame(as: right) { continue }
                let times = [left, right].compactMap { $0?.time }
                let time = times.min() ?? .zero
                if first == nil || time < first?.time ?? .zero {
                    first = (time, Difference(node: name, recorded: left, altered: right))
                }
                break
            }
        }
        return first?.difference
    }
}

extension SessionEvent {
    /// True if it is a callback or a state transition.
    public var isOutcome: Bool {
        switch content {
        case .effect(.transition), .effect(.notify): true
        default: false
        }
    }
}

/// Makes a world that continues from a position in a recording.
public enum Fork {
    /// - Parameters:
    ///   - number: the event after which the world continues. The rest of its batch happens before that.
    ///   - recording: the recording of the new world, which begins with the earlier events; nil to record nothing.
    public static func world(
        from decoded: DecodedSession, after number: UInt64, configuration: WorldConfiguration, recording: Recording?,
        summarize: @escaping (SessionEvent) -> String
    ) throws -> SimulatedWorld {
        guard number <= UInt64(decoded.events.count) else { throw WorldError("there is no event \(number)") }
        var reconstructor = try StateReconstructor(
            decoded, configuration: configuration, recording: recording, restoresPast: true, summarize: summarize)
        try reconstructor.follow(upTo: decoded.batchEnd(after: max(number, decoded.serverStartNumber)))
        reconstructor.finish()
        return reconstructor.world
    }
}
