import IMSession
import Recorder

/// What became of a frame that was sent and did not arrive.
package enum UndeliveredFrame: String, Sendable {
    case lost
    /// The recording ends while it could still arrive.
    case inFlight = "in-flight"

    /// What stands after the words of its event.
    package var mark: String {
        switch self {
        case .lost: "  ✗ lost"
        case .inFlight: "  … in flight"
        }
    }
}

extension CausalGraph {
    /// Of the frame that an event sent; nil for one that arrived, and for every other event.
    package func undelivered(_ number: UInt64) -> UndeliveredFrame? {
        switch deliveries[number] {
        case .lost: .lost
        case .underway: .inFlight
        case .arrived, .unseen, nil: nil
        }
    }

    /// Of a whole recording. What is damaged ends it: whoever reads the events reports that.
    package init(reading reader: SessionReader) {
        var builder = Builder(reader.header)
        let schema = IMSessionSchema()
        let scanner = reader.makeScanner()
        while let next = try? scanner.next() {
            guard Builder.needs(next) else { continue }
            builder.take(SessionEvent(next, node: reader.name(of: next.node), schema: schema), of: next.node)
        }
        self = builder.build()
    }
}

extension CausalGraph.Builder {
    /// Whether an event says anything about frames and connections, told without decoding it.
    fileprivate static func needs(_ view: EventView) -> Bool {
        switch view.role {
        case .start, .stop, .environment, .closing: true
        case .input, .effect: view.channel == .transport || view.channel == .runtime && view.stream != 0
        case .header, .clock, .mark, .keyframe: false
        }
    }
}

extension DebugSession {
    /// What became of the frame that an event sent, if it did not arrive.
    package func undelivered(_ event: SessionEvent) throws -> UndeliveredFrame? {
        guard case .effect(.send) = event.content else { return nil }
        return try causalGraph().undelivered(event.number)
    }
}
