import Foundation
import IMExport
import IMProtocol
import IMSession
import IMSimulation
import Recorder

/// Self-checks of a recording that is exported as a list of objects and as a diagram. Each event must be in the list
/// with its fields. In the diagram, each sent frame must be an arrow, and each transition a note.
enum DiagramSelfChecks {
    static func failure(_ bytes: [UInt8]) throws -> String? {
        let reader = try SessionReader(bytes: bytes)
        let decoded = try DecodedSession(reader)
        let session = try ExportedSession(reader: reader, path: "scenario")
        return try objects(session, decoded) ?? diagram(session, decoded)
    }

    private static func objects(_ session: ExportedSession, _ decoded: DecodedSession) throws -> String? {
        var lines: [String] = []
        try IMExport.EventLines(session).forEach { lines.append($0) }
        guard lines.count == decoded.events.count else { return "a recording as JSON objects has other events" }
        for (line, event) in zip(lines, decoded.events) {
            guard let object = try JSONSerialization.jsonObject(with: Foundation.Data(line.utf8)) as? [String: Any],
                let fields = object["fields"] as? [String: String]
            else { return "a line of a recording as JSON objects is no object" }
            let cause = object["cause"] as? UInt64 ?? 0
            guard object["n"] as? UInt64 == event.number, object["t"] as? Int64 == event.time.nanoseconds,
                object["node"] as? String == event.node, object["kind"] as? String == event.kind, cause == event.cause,
                fields.count == event.facts.count,
                event.facts.allSatisfy({ fact in fields.values.contains(fact.value) })
            else { return "a recording as JSON objects has other values of an event" }
        }
        return nil
    }

    private static func diagram(_ session: ExportedSession, _ decoded: DecodedSession) throws -> String? {
        let picture = try SessionPicture(session)
        var whole = MermaidDiagram(picture: picture)
        whole.stepsMax = .max
        let lines = whole.lines
        let frames = decoded.events.count { event in
            guard case .effect(.send(_, let frame)) = event.content else { return false }
            return !frame.body.isHeartbeat
        }
        let arrows = lines.count { line in
            ["->>", "-x", "--)"].contains { line.prefix { $0 != ":" }.contains($0) }
        }
        guard arrows == frames else { return "a diagram has other arrows than the frames that were sent" }
        let changes = decoded.events.count { if case .effect(.transition) = $0.content { true } else { false } }
        let notes = lines.count { $0.contains("Note over") && $0.contains(" → ") }
        guard notes >= changes else { return "a diagram lacks a change of state" }
        return nil
    }
}
