import IMDebugger
import IMSession
import Recorder

/// The page's data as JSON. Each property of the events is one array, and a text that occurs several times is stored
/// once. The output for a session is always the same.
struct PageData {
    let picture: SessionPicture
    let states: PageStates
    let causes: PageCauses
    /// The recording's file name. Its folder is left out, because the folder's name is private.
    let fileName: String

    /// The values of the column `peer` for an event that is not one end of a delivered frame. The page's script has the
    /// same constants.
    private enum PeerCode: Int {
        case none = -1
        case lost = -2
        case underway = -3
        case unseen = -4
    }

    var json: String {
        var texts = InternedTexts()
        var facts = InternedTexts()
        var columns: [(String, [Int])] = [
            ("dt", []), ("node", []), ("kind", []), ("text", []), ("facts", []), ("dir", []), ("link", []),
            ("peer", []), ("weight", []), ("what", []),
        ]
        var kinds = InternedTexts()
        var before: Int64 = 0
        for (position, event) in picture.events.enumerated() {
            let words = event.facts.flatMap { [JSONText.shown($0.name), JSONText.shown($0.value)] }
            let values = [
                Int(event.time.nanoseconds &- before), event.node ?? -1, kinds.index(of: JSONText.shown(event.kind)),
                texts.index(of: JSONText.shown(event.text)), facts.index(of: JSONText.list(words)),
                event.direction == "in" ? 1 : event.direction == "out" ? 2 : 0, Int(event.end.connection),
                peer(of: position),
                event.weight.rawValue, Self.code(event),
            ]
            before = event.time.nanoseconds
            for column in columns.indices { columns[column].1.append(values[column]) }
        }
        var parts = [
            "\"version\":1", "\"head\":\(head)", "\"nodes\":\(nodes)", "\"kinds\":\(JSONText.list(kinds.values))",
            "\"texts\":\(JSONText.list(texts.values))", "\"factLists\":\(JSONText.list(facts.values))",
            "\"transitions\":\(transitions)", "\"numbers\":\(numbers)",
        ]
        parts += columns.map { "\"\($0.0)\":\(JSONText.numbers($0.1))" }
        parts.append("\"changes\":\(changes)")
        parts.append("\"causes\":\(causes.json)")
        if let absence = states.absence { parts.append("\"noStates\":\(JSONText.shown(absence))") }
        return "{\(parts.joined(separator: ","))}"
    }

    private var head: String {
        let header = picture.header
        let rows =
            [
                ("file", fileName), ("title", header.title), ("profile", header.profile),
                ("profileTitle", picture.profileTitle), ("application", header.application), ("os", header.os),
                ("epoch", String(header.epochNanoseconds / 1_000_000)),
                ("wall", WallClock(header)?.text(of: .zero) ?? ""),
                ("behaviour", String(header.behaviourVersion)),
                ("complete", picture.completeness == .closed ? "" : picture.completeness.description),
            ] + header.parameters.map { ("parameter \($0.key)", $0.value) }
        return "{" + rows.map { "\(JSONText.shown($0.0)):\(JSONText.shown($0.1))" }.joined(separator: ",") + "}"
    }

    private var nodes: String {
        JSONText.list(
            picture.nodes.map { node in
                let about = node.facts.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
                return "{\"name\":\(JSONText.shown(node.name)),\"server\":\(node.isServer),"
                    + "\"about\":\(JSONText.shown(about))}"
            })
    }

    /// The numbers of the events; `null` if they are 1, 2, 3 and so on.
    private var numbers: String {
        let isPlain = picture.events.enumerated().allSatisfy { $1.number == UInt64($0) + 1 }
        return isPlain ? "null" : JSONText.numbers(picture.events.map(\.number))
    }

    /// A row `[event, state before, state after, reason]` for each transition.
    private var transitions: String {
        JSONText.list(
            picture.events.enumerated().compactMap { position, event in
                guard case .transition(let from, let to, let reason) = event.drawingKind else { return nil }
                return "[\(position),\"\(from.name)\",\"\(to.name)\",\(JSONText.shown(reason))]"
            })
    }

    private var changes: String {
        var paths = InternedTexts()
        var rows: [String] = []
        for change in states.changes {
            let leaves = change.leaves.map { leaf -> String in
                let value = leaf.value.map { JSONText.shown(StateText.value($0, at: leaf.path)) }
                return "\(paths.index(of: JSONText.shown(StateText.path(leaf.path)))),\(value ?? "null")"
            }
            rows.append("[\(change.event),\(JSONText.list(leaves))]")
        }
        return "{\"paths\":\(JSONText.list(paths.values)),\"rows\":\(JSONText.list(rows))}"
    }

    private func peer(of position: Int) -> Int {
        let number = picture.events[position].number
        if let sending = picture.graph.sendings[number] { return SessionPicture.position(ofEvent: sending) }
        switch picture.graph.deliveries[number] {
        case .arrived(let arrival): return SessionPicture.position(ofEvent: arrival)
        case .lost: return PeerCode.lost.rawValue
        case .inFlight: return PeerCode.underway.rawValue
        case .notRecorded: return PeerCode.unseen.rawValue
        case nil:
            return picture.graph.hasBothSides || !Self.isArrival(picture.events[position])
                ? PeerCode.none.rawValue : PeerCode.unseen.rawValue
        }
    }

    private static func isArrival(_ event: SessionPicture.Event) -> Bool {
        (event.drawingKind == .frame || event.drawingKind == .heartbeat) && event.direction == "in"
    }

    /// The number in the column `what`. The page's script has the same constants, and draws the event accordingly.
    private static func code(_ event: SessionPicture.Event) -> Int {
        switch event.drawingKind {
        case .other: 0
        case .heartbeat: 1
        case .frame: event.isKick ? 3 : 2
        case .transition: event.isKick ? 5 : 4
        case .start: 6
        case .stop: 7
        case .command: 8
        case .fault: 9
        case .mark: 10
        }
    }
}

/// Gives each different text an index, in the order of first appearance.
private struct InternedTexts {
    private(set) var values: [String] = []
    private var indexByValue: [String: Int] = [:]

    mutating func index(of value: String) -> Int {
        if let position = indexByValue[value] { return position }
        indexByValue[value] = values.count
        values.append(value)
        return values.count - 1
    }
}
