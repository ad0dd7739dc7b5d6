import IMSession
import Recorder

/// The fate of a frame that was sent and did not arrive.
package enum UndeliveredFrame: String, Sendable {
    case lost
    /// The recording ends while the frame can still arrive.
    case inFlight = "in-flight"

    /// The suffix that event lists add to the line of the frame.
    package var mark: String {
        switch self {
        case .lost: "  ✗ lost"
        case .inFlight: "  … in flight"
        }
    }
}

extension CausalGraph {
    /// The fate of the frame that an event sent. Nil if the frame arrived, and for an event that sent no frame.
    package func undelivered(_ number: UInt64) -> UndeliveredFrame? {
        switch deliveries[number] {
        case .lost: .lost
        case .inFlight: .inFlight
        case .arrived, .notRecorded, nil: nil
        }
    }

    /// Builds the graph of a whole recording. The graph ends at the first damaged event. The damage is not reported
    /// here, because each reader of the events reports it.
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
    /// False if an event does not concern frames or connections. The event is not decoded for this check.
    fileprivate static func needs(_ view: EventView) -> Bool {
        switch view.role {
        case .start, .stop, .environment, .closing: true
        case .input, .effect: view.channel == .transport || view.channel == .runtime && view.stream != 0
        case .header, .clock, .mark, .keyframe: false
        }
    }
}

extension DebugSession {
    /// The fate of the frame that an event sent; nil if the frame arrived.
    package func undelivered(_ event: SessionEvent) throws -> UndeliveredFrame? {
        guard case .effect(.send) = event.content else { return nil }
        return try causalGraph().undelivered(event.number)
    }
}
