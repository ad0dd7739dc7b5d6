import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMText
import Recorder

/// A field of the filter language.
struct FilterField: Sendable {
    let name: String
    let what: String
    /// The usual values, for completion; empty if the field has no usual values.
    var values: [String] = []
    /// True if the field can have no values except `values`.
    var isClosed = false
}

/// The fields that a filter can use. Filters are checked against them, and completion and `help filter` list them.
enum FilterFields {
    /// All fields, the common ones first.
    static let all = FilterFieldCatalogue.common + FilterFieldCatalogue.facts + FilterFieldCatalogue.ofCallbacks

    private static let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }

    static subscript(_ name: String) -> FilterField? { byName[name] }

    // MARK: Checks

    /// - Throws: ``FilterError`` for a name that no event can have.
    static func name(_ token: FilterToken) throws(FilterError) -> FilterName {
        let name = FilterName(token.text)
        switch name {
        case .fact(let bare), .callbackField(let bare):
            guard bare.isEmpty else { return name }
            throw FilterError(
                "a name is missing after '\(token.text)'", at: token.offset, length: token.length)
        case .any(let bare):
            guard self[bare] == nil else { return name }
            let hint =
                Suggestion.nearest(to: bare, among: FilterWord.all.map(\.name) + all.map(\.name)).map {
                    "did you mean '\($0)'?"
                }
                ?? "'help filter' lists the fields; for your own attribute, write \(FilterName.factPrefix)\(bare)"
            throw FilterError("there is no field '\(bare)'", at: token.offset, length: token.length, hint: hint)
        case .number, .time, .node, .kind, .direction, .role, .channel, .connection, .cause, .inState, .session:
            return name
        }
    }

    /// - Throws: ``FilterError`` for a value that the field never has, or that looks like a misspelled value of the
    ///   field.
    static func check(_ value: FilterToken, of token: FilterToken) throws(FilterError) {
        try checkUnit(value, of: token)
        guard let field = self[token.text], !field.values.isEmpty else { return }
        if field.values.contains(where: { PrintedValue.matches(value.text, printed: $0) }) { return }
        guard !field.isClosed else {
            var hint = Suggestion.nearest(to: value.text, among: field.values).map { "did you mean '\($0)'?" }
            hint = hint ?? "available: \(field.values.joined(separator: ", "))"
            if token.text == "channel" {
                hint = (hint ?? "") + "; for a chat channel, use \(FilterName.factPrefix)channel"
            }
            throw FilterError(
                "'\(token.text)' is never '\(value.text)'", at: value.offset, length: value.length, hint: hint)
        }
        // The field can have any value. But a word that differs from a usual value in one or two letters is probably
        // misspelled. A value in quotes is accepted.
        guard value.kind == .word, let intended = intendedValue(for: value.text, among: field.values) else { return }
        throw FilterError(
            "'\(token.text)' is probably never '\(value.text)'", at: value.offset, length: value.length,
            hint: "did you mean '\(intended)'? Quote the value if not")
    }

    private static func intendedValue(for value: String, among values: [String]) -> String? {
        guard value.count >= 5, let near = Suggestion.nearest(to: value, among: values) else { return nil }
        // A word that is only the beginning of a usual value is no error: a user may have chosen a name that begins
        // like it.
        return Suggestion.distance(value, near) <= 2 ? near : nil
    }

    /// Checks that a time has a unit.
    static func checkUnit(_ value: FilterToken, of token: FilterToken) throws(FilterError) {
        guard FilterName(token.text) == .time, DurationText.signedInterval(value.text) == nil else { return }
        let isNumber = FilterOperand.number(value.text) != nil
        throw FilterError(
            isNumber ? "'\(value.text)' has no unit" : "'\(value.text)' is not a time", at: value.offset,
            length: value.length, hint: isNumber ? "did you mean '\(value.text)s'?" : "for example: t > 12.5s")
    }

    // MARK: Kinds with the field

    /// True if an event of the kind can have the field.
    static func canHave(_ name: FilterName, _ kind: EventKind) -> Bool {
        switch name {
        case .any("text"): true
        case .any("callback"), .callbackField: kind == .callback || kind == .transition
        case .any("result"): kind == .result
        case .any(let field): canHaveFact(field, kind) || kind == .transition
        case .fact(let field): canHaveFact(field, kind)
        case .number, .time, .node, .kind, .direction, .role, .channel, .connection, .cause, .inState, .session: true
        }
    }

    private static func canHaveFact(_ name: String, _ kind: EventKind) -> Bool {
        switch kind {
        case .header, .clock, .stop, .closing, .timer: false
        case .fault: name == "command"
        case .mark: name == "text"
        case .keyframe: name == "bytes"
        case .unreadable: name == "error"
        case .link: name == "link" || name == "fault"
        case .network: name == "network"
        case .transition: ["from", "to", "reason"].contains(name)
        case .presence: ["user", "device", "presence"].contains(name)
        // An event of an observed session has the field names of the log.
        case .app: true
        // Events of the following kinds contain names that users chose, or too many names for an up-to-date list.
        case .start, .store, .data, .frame, .command, .result, .callback, .line: true
        }
    }
}
