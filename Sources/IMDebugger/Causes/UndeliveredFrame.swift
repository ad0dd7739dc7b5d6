import IMSession
import Recorder

/// The fate of a frame that was sent and did not arrive.
package enum UndeliveredFrame: String, Sendable {
    case lost
    /// The recording ends while it could still arrive.
    case inFlight = "in-flight"

    /// The suffix of its event's text.
    package var mark: String {
        switch self {
        case .lost: "  ✗ lost"
        case .inFlight: "  … in flight"
        }
    }
}

extension CausalGraph {
    /// Nil for a frame that arrived, and for every event that sent no frame.
    package func undelivered(_ number: UInt64) -> UndeliveredFrame? {
        switch deliveries[number] {
        case .lost: .lost
        case .underway: .inFlight
        case .arrived, .unseen, nil: nil
        }
    }

    /// The graph of a whole recording. It ends at the first damaged event; readers of the events report the damage.
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
    /// True if an event says anything about frames and connections, decided without decoding it.
    fileprivate static func needs(_ view: EventView) -> Bool {
        switch view.role {
        case .start, .stop, .environment, .closing: true
        case .input, .effect: view.channel == .transport || view.channel == .runtime && view.stream != 0
        case .header, .clock, .mark, .keyframe: false
        }
    }
}

extension DebugSession {
    /// The fate of the frame that an event sent, if it did not arrive.
    package func undelivered(_ event: SessionEvent) throws -> UndeliveredFrame? {
        guard case .effect(.send) = event.content else { return nil }
        return try causalGraph().undelivered(event.number)
    }
}
