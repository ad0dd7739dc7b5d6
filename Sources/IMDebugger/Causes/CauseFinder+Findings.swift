import IMProfiles
import Recorder

// Explains marks. A test of an app writes a mark for each broken rule:
// `C-2 [phone]: a login while another one is under way`.

extension CauseFinder {
    /// The rule whose id begins a mark; nil for a mark that a user set.
    static func rule(inMark text: String) -> DecidingRule? {
        let words = text.split(maxSplits: 1) { $0 == " " || $0 == ":" }
        guard let id = words.first.map(String.init), RuleCatalogue.rule(id)?.id == id else { return nil }
        return DecidingRule(id)
    }

    /// The text about the origin of a mark. For the finding of a check, the text contains the SDK call that broke the
    /// rule. A check of a call writes its mark directly before the call. Any other check writes its mark after the
    /// call.
    func origin(ofMark text: String, _ number: UInt64) throws -> String {
        guard Self.rule(inMark: text) != nil else { return "the user set a mark" }
        let finding = "a check of the app found it"
        guard let open = text.firstIndex(of: "["), let close = text[open...].firstIndex(of: "]") else { return finding }
        let device = String(text[text.index(after: open)..<close])
        let nodes = session.reader.nodes
        func isCall(_ view: EventView) -> Bool {
            let node = Int(view.node.rawValue)
            return view.role == .input && view.channel == .sdk && node < nodes.count && nodes[node] == device
        }
        let next = try session.timeline.first(after: number, upTo: number + 1, where: isCall)
        guard let call = try next ?? session.timeline.last(before: number, where: isCall) else { return finding }
        return "\(finding); the SDK call: #\(call.number) \(try session.text(of: session.decoded(call)))"
    }
}
