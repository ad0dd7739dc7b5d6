import IMDebugger
import IMSession
import IMText
import Recorder
import SansIO

/// `--as mermaid`: a sequence diagram for an issue.
///
/// Frames are arrows at the time of sending, so that the diagram shows decisions in their order. Heartbeats, timers and
/// storage are left out. A frame that never arrived ends in a cross.
package struct MermaidDiagram {
    /// More steps are hard to follow, and about as many as GitHub draws.
    static let stepsMax = 120

    let picture: SessionPicture
    package var stepsMax = MermaidDiagram.stepsMax

    package init(picture: SessionPicture) {
        self.picture = picture
    }

    package var lines: [String] {
        let steps = steps
        var lines = ["sequenceDiagram"]
        lines += picture.lanes.map {
            "    participant \(Self.id($0)) as \(Self.escaped(picture.nodes[$0].name))"
        }
        if let absent = absentName { lines.append("    participant other as \(absent)") }
        lines += steps.prefix(stepsMax).map { "    " + $0 }
        if steps.count > stepsMax, !picture.nodes.isEmpty {
            let text = "the first \(stepsMax) of \(steps.count) steps; 'imrepl export --as html' shows all"
            lines.append("    Note over \(everybody): \(text)")
        }
        return lines
    }

    /// The name of the side that is not in the session; nil if both sides are.
    private var absentName: String? {
        if picture.graph.hasBothSides || picture.nodes.isEmpty { return nil }
        return picture.nodes.contains(where: \.isServer) ? "clients (not recorded)" : "server (not recorded)"
    }

    private var steps: [String] {
        picture.events.enumerated().compactMap { position, event in
            guard let node = event.node else {
                return event.drawingKind == .mark ? mark(event) : nil
            }
            switch event.drawingKind {
            case .frame: return arrow(event, position, from: node)
            case .transition(let from, let to, let reason):
                let kick = event.isKick ? " (Kick)" : ""
                // The vendor's callback follows the change that it reports.
                let vendor = event.text.firstRange(of: "; callback ").map { "; " + event.text[$0.upperBound...] } ?? ""
                return note(node, event, "\(from.name) → \(to.name): \(reason)\(kick)\(vendor)")
            case .command: return note(node, event, String(event.text.dropFirst("> ".count)))
            case .fault, .stop: return note(node, event, event.text)
            case .mark: return mark(event)
            case .other: return event.kind == "callback" ? note(node, event, event.text) : nil
            case .heartbeat, .start: return nil
            }
        }
    }

    private func arrow(_ event: SessionPicture.Event, _ position: Int, from node: Int) -> String? {
        let text = Self.escaped(Self.clipped(String(event.text.dropFirst(2)), to: Self.wordsMax))
        guard event.direction == "out" else {
            // An arrival is drawn where the frame was sent, unless the sending side was not recorded.
            guard absentName != nil else { return nil }
            return "other\(Self.sign(of: event))\(Self.id(node)): \(text)"
        }
        switch picture.graph.deliveries[event.number] {
        case .arrived(let number):
            let arrival = SessionPicture.position(ofEvent: number)
            let peer = picture.events[arrival].node ?? node
            let delay = (picture.events[arrival].time - event.time).text
            return "\(Self.id(node))\(Self.sign(of: event))\(Self.id(peer)): \(text) (\(delay))"
        case .notRecorded, nil: return "\(Self.id(node))\(Self.sign(of: event))other: \(text)"
        case .lost: return "\(Self.id(node))--x\(otherEnd(of: event, node)): \(text) (lost)"
        case .inFlight: return "\(Self.id(node))--)\(otherEnd(of: event, node)): \(text) (in flight)"
        }
    }

    /// A kick ends in a cross: it is the last frame over its connection.
    private static func sign(of event: SessionPicture.Event) -> String { event.isKick ? "-x" : "->>" }

    /// The destination of a frame that did not arrive, as far as its connection shows it.
    private func otherEnd(of event: SessionPicture.Event, _ node: Int) -> String {
        picture.graph.peer(of: event.end).flatMap { picture.position(of: $0.node) }.map(Self.id)
            ?? picture.nodes.firstIndex { $0.isServer != picture.nodes[node].isServer }.map(Self.id) ?? "other"
    }

    private func note(_ node: Int, _ event: SessionPicture.Event, _ text: String) -> String {
        let words = Self.escaped(Self.clipped(text, to: Self.wordsMax))
        return "Note over \(Self.id(node)): +\(event.time.secondsText) \(words)"
    }

    private func mark(_ event: SessionPicture.Event) -> String? {
        guard !picture.nodes.isEmpty else { return nil }
        let words = Self.escaped(Self.clipped(event.text, to: Self.wordsMax))
        return "Note over \(everybody): +\(event.time.secondsText) \(words)"
    }

    /// The first and the last lane, for a note over all lanes.
    private var everybody: String {
        let lanes = picture.lanes
        let ends = lanes.count > 1 ? [lanes[0], lanes[lanes.count - 1]] : lanes
        return ends.map(Self.id).joined(separator: ",")
    }

    /// A participant's id is its index, because a node may have a name such as `end` or `note`, which the diagram's
    /// language reserves.
    private static func id(_ node: Int) -> String { "n\(node)" }

    private static let wordsMax = 90

    private static func clipped(_ text: String, to count: Int) -> String {
        text.count > count ? text.prefix(count - 1) + "…" : text
    }

    /// Escapes the syntax of the diagram's language: `;` ends a statement, `#` begins a character's number, `%%` a
    /// comment, and tags are HTML.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in VisibleText.of(text).unicodeScalars {
            switch scalar {
            case "#", ";", "<", ">", "&", "\"", "%", "`", "{", "}", "\\": escaped += "#\(scalar.value);"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
