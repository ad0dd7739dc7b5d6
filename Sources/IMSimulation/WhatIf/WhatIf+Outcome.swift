import IMClient
import IMSession
import Recorder
import SansIO

/// The outcomes of two runs of a scenario, from the change on.
public struct WhatIfOutcome: Sendable {
    /// An action from outside that was not possible in the changed scenario.
    public struct Skipped: Hashable, Sendable {
        /// The number of its event.
        public var number: UInt64
        /// The reason, as a text.
        public var reason: String
    }

    /// The first difference, of the node with the earliest one; nil on the side that has no more events.
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
    /// The callbacks and state transitions in the changed scenario, in order. Its events have no numbers unless it
    /// was recorded.
    public let altered: [SessionEvent]
    /// The state of each client at the end, by name, in the order of the clients; nil if its app does not run.
    public let finals: [(node: String, recorded: ClientState?, altered: ClientState?)]
    /// The actions that were not possible, in order.
    public let skipped: [Skipped]
    /// The first command after the change that was given to a sleeping app; nil for none. No recording contains when it
    /// was given: in the changed scenario it comes when the app wakes, after the inputs that had queued meanwhile.
    public let commandDuringSleep: SessionEvent?
    /// The first difference; nil if both scenarios had the same outcome.
    public let difference: Difference?

    /// The end of the changed scenario, which is also that of the recorded one.
    public let ending: Ending

    /// All events of the changed scenario.
    package let happened: [SessionEvent]

    /// - Parameter continued: the events of the recorded scenario after the recording's end.
    init(
        _ whatIf: WhatIf, happened: [SessionEvent], continued: [SessionEvent], skipped: [Skipped], ending: Ending
    ) {
        self.happened = happened
        self.ending = ending
        let rest = whatIf.decoded.events[whatIf.position...] + continued
        let recorded = rest.filter(\.isOutcome)
        let altered = happened.filter(\.isOutcome)
        self.recorded = recorded
        self.altered = altered
        self.skipped = skipped
        commandDuringSleep = whatIf.decoded.commandDuringSleep(from: whatIf.position).map { whatIf.decoded.events[$0] }
        let before = whatIf.decoded.events[..<whatIf.position]
        let asItWas = Self.finals(before + rest)
        let asItBecame = Self.finals(Array(before) + happened)
        let names =
            asItWas.map(\.node) + asItBecame.map(\.node).filter { name in !asItWas.contains { $0.node == name } }
        finals = names.map { name in
            (
                name, asItWas.first { $0.node == name }?.state, asItBecame.first { $0.node == name }?.state
            )
        }
        difference = Self.difference(recorded, altered, names)
    }

    /// True if apps got the same callbacks and went through the same states; the times do not count.
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
            let one = recorded.filter { $0.node == name }
            let two = altered.filter { $0.node == name }
            for position in 0..<max(one.count, two.count) {
                let left = position < one.count ? one[position] : nil
                let right = position < two.count ? two[position] : nil
                if let left, let right, left.isSame(as: right) { continue }
                let moments = [left, right].compactMap { $0?.time }
                let time = moments.min() ?? .zero
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

/// A world that continues from a position in a recording.
public enum Fork {
    /// - Parameters:
    ///   - number: the event after which it continues, including the rest of the same batch.
    ///   - recording: begins with the earlier events.
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
