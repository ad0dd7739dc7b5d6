import IMClient
import IMSession
import Recorder
import SansIO

/// How two runs of a scenario went, from where they could part.
public struct WhatIfOutcome: Sendable {
    /// Something from outside that could not be done any more in the changed scenario.
    public struct Skipped: Hashable, Sendable {
        /// The number of the event that it was.
        public var number: UInt64
        /// What stood in its way, in words.
        public var reason: String
    }

    /// The first thing that is not the same, of the node whose comes first; nil on the side that has no more.
    public struct Difference: Sendable {
        /// The node's name.
        public var node: String
        /// What it was in the recording.
        public var recorded: SessionEvent?
        /// What it became.
        public var retold: SessionEvent?
    }

    /// What apps are told and what states they go through, in order: as it was, and as it became.
    public let recorded: [SessionEvent]
    /// The same of the changed scenario; its events have no numbers unless that was recorded.
    public let retold: [SessionEvent]
    /// The state of each client at the end, by name, in the order of the clients; nil where its app does not run.
    public let finals: [(node: String, recorded: ClientState?, retold: ClientState?)]
    /// What could not be done any more, in order.
    public let skipped: [Skipped]
    /// The first command behind the change that a sleeping app was given; nil for none. When it was given, no recording
    /// says: in the changed scenario it comes as the app wakes, behind what had come in meanwhile.
    public let commandInSleep: SessionEvent?
    /// The first difference; nil when both scenarios went the same way.
    public let difference: Difference?

    /// Where the changed scenario was ended, and the recorded one with it.
    public let ending: Ending

    /// All that happened in the changed scenario.
    package let happened: [SessionEvent]

    /// - Parameter continued: how the recorded scenario goes on after the recording's end.
    init(
        _ whatIf: WhatIf, happened: [SessionEvent], continued: [SessionEvent], skipped: [Skipped], ending: Ending
    ) {
        self.happened = happened
        self.ending = ending
        let rest = whatIf.decoded.events[whatIf.place...] + continued
        let recorded = rest.filter(\.isOutcome)
        let retold = happened.filter(\.isOutcome)
        self.recorded = recorded
        self.retold = retold
        self.skipped = skipped
        commandInSleep = whatIf.decoded.commandInSleep(from: whatIf.place).map { whatIf.decoded.events[$0] }
        let before = whatIf.decoded.events[..<whatIf.place]
        let asItWas = Self.finals(before + rest)
        let asItBecame = Self.finals(Array(before) + happened)
        let names =
            asItWas.map(\.node) + asItBecame.map(\.node).filter { name in !asItWas.contains { $0.node == name } }
        finals = names.map { name in
            (
                name, asItWas.first { $0.node == name }?.state, asItBecame.first { $0.node == name }?.state
            )
        }
        difference = Self.difference(recorded, retold, names)
    }

    /// Whether apps were told the same and went through the same states; when that was does not count.
    public var isSame: Bool { difference == nil }

    private static func finals(_ events: some Sequence<SessionEvent>) -> [(node: String, state: ClientState?)] {
        var states = NodeStates<String>()
        for event in events { states.note(event) }
        return states.clients
    }

    private static func difference(
        _ recorded: [SessionEvent], _ retold: [SessionEvent], _ names: [String]
    ) -> Difference? {
        var first: (time: Instant, difference: Difference)?
        for name in names {
            let one = recorded.filter { $0.node == name }
            let two = retold.filter { $0.node == name }
            for place in 0..<max(one.count, two.count) {
                let left = place < one.count ? one[place] : nil
                let right = place < two.count ? two[place] : nil
                if let left, let right, left.isSame(as: right) { continue }
                let moments = [left, right].compactMap { $0?.time }
                let time = moments.min() ?? .zero
                if first == nil || time < first?.time ?? .zero {
                    first = (time, Difference(node: name, recorded: left, retold: right))
                }
                break
            }
        }
        return first?.difference
    }
}

extension SessionEvent {
    /// Whether it is something that an app is told, or a state that it goes through.
    public var isOutcome: Bool {
        switch content {
        case .effect(.transition), .effect(.notify): true
        default: false
        }
    }
}

/// A world that goes on from a moment of a recording.
public enum Fork {
    /// - Parameters:
    ///   - number: the event behind which it goes on, with what follows from it in the same batch.
    ///   - recording: begins with what happened before.
    public static func world(
        from decoded: DecodedSession, after number: UInt64, configuration: WorldConfiguration, recording: Recording?,
        summarize: @escaping (SessionEvent) -> String
    ) throws -> SimulatedWorld {
        guard number <= UInt64(decoded.events.count) else { throw WorldError("there is no event \(number)") }
        var reconstructor = try StateReconstructor(
            decoded, configuration: configuration, recording: recording, restoresPast: true, summarize: summarize)
        try reconstructor.follow(upTo: decoded.batchEnd(after: max(number, decoded.firstPlace)))
        reconstructor.finish()
        return reconstructor.world
    }
}
