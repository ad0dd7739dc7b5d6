import IMDebugger
import IMSession
import IMText
import Recorder
import SansIO

/// `--as mermaid`: a sequence diagram that GitHub draws in an issue.
///
/// A frame is an arrow at the event that sent it, so that the diagram shows decisions in their order. Heartbeats,
/// timers and storage are left out. The arrow of a frame that never arrived ends in a cross.
package struct MermaidDiagram {
    /// The maximum number of steps. A longer diagram is hard to follow, and GitHub does not draw one that is much
    /// longer.
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
            lines.append("    Note over \(allLanes): \(text)")
        }
        return lines
    }

    /// The name of the side (the clients or the server) that was not recorded; nil if both sides were recorded.
    private var absentName: String? {
        if picture.graph.hasBothSides || picture.nodes.isEmpty { return nil }
        return picture.nodes.contains(where: \.isServer) ? "clients (not recorded)" : "server (not recorded)"
    }

    private var steps: [String] {
        picture.events.compactMap { event in
            guard let node = event.node else {
                return event.drawingKind == .mark ? mark(event) : nil
            }
            switch event.drawingKind {
            case .frame: return arrow(event, from: node)
            case .transition(let from, let to, let reason):
                let kick = event.isKick ? " (Kick)" : ""
                // The text of a transition also contains the vendor's callback that reports the transition.
                let vendor = event.text.firstRange(of: "; callback ").map { "; " + event.text[$0.upperBound...] } ?? ""
                return note(Self.id(node), event, "\(from.name) → \(to.name): \(reason)\(kick)\(vendor)")
            case .command: return note(Self.id(node), event, String(event.text.dropFirst("> ".count)))
            case .fault, .stop: return note(Self.id(node), event, event.text)
            case .mark: return mark(event)
            case .other: return event.kind == "callback" ? note(Self.id(node), event, event.text) : nil
            case .heartbeat, .start: return nil
            }
        }
    }

    private func arrow(_ event: SessionPicture.Event, from node: Int) -> String? {
        let text = Self.label(event.text.dropFirst(2))
        guard event.direction == "out" else {
            // The arrow of the sent frame already shows the arrival. The arrival gets an arrow of its own only if the
            // sender was not recorded.
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

    /// The arrow of a kick ends in a cross, because a kick is the last frame on its connection.
    private static func sign(of event: SessionPicture.Event) -> String { event.isKick ? "-x" : "->>" }

    /// The lane for the destination of a frame that did not arrive: the peer of its connection. If that is unknown, the
    /// first node of the other side.
    private func otherEnd(of event: SessionPicture.Event, _ node: Int) -> String {
        picture.graph.peer(of: event.end).flatMap { picture.position(of: $0.node) }.map(Self.id)
            ?? picture.nodes.firstIndex { $0.isServer != picture.nodes[node].isServer }.map(Self.id) ?? "other"
    }

    private func note(_ lanes: String, _ event: SessionPicture.Event, _ text: String) -> String {
        "Note over \(lanes): +\(event.time.secondsText) \(Self.label(text))"
    }

    private func mark(_ event: SessionPicture.Event) -> String? {
        picture.nodes.isEmpty ? nil : note(allLanes, event, event.text)
    }

    /// The first and the last lane, for a note over all lanes.
    private var allLanes: String {
        let lanes = picture.lanes
        let ends = lanes.count > 1 ? [lanes[0], lanes[lanes.count - 1]] : lanes
        return ends.map(Self.id).joined(separator: ",")
    }

    /// A participant's id is its index. A node's name cannot be used, because it may be a reserved word of Mermaid,
    /// such as `end` or `note`.
    private static func id(_ node: Int) -> String { "n\(node)" }

    private static let labelLengthMax = 90

    private static func label(_ text: some StringProtocol) -> String {
        escaped(text.count > labelLengthMax ? text.prefix(labelLengthMax - 1) + "…" : String(text))
    }

    /// Escapes the syntax of Mermaid: `;` ends a statement, `#` begins a character's number, `%%` a comment, and tags
    /// are HTML.
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
