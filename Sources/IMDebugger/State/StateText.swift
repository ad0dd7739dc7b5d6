import IMClient
import IMProtocol
import IMSession
import Recorder
import SansIO

/// A machine's state in the shell's terms: `last-result=timeout`, `since=+9.070s`, `retry-delays=[2s, 4s]`. This form
/// is for display only. Comparisons use the canonical JSON, which has the names and numbers of a keyframe.
package enum StateText {
    /// Fields whose values are tables with keys that users or machines choose, such as a user's name. These keys are
    /// displayed unchanged.
    private static let tables: Set<String> = [
        "accounts", "devices", "connections", "channels", "attributes", "requests", "children", "members", "listeners",
        "inboxes", "watchers", "watched", "channelAttributes",
    ]

    /// The state tree in the form for display: without wrappers that contain only `rawValue`, with times and enum cases
    /// as text.
    ///
    /// - Parameters:
    ///   - name: the name of the field whose value is the tree.
    ///   - keepsTimes: true to return times as numbers, for a program.
    static func displayedTree(_ tree: StateTree, named name: String = "", keepsTimes: Bool = false) -> StateTree {
        switch tree {
        case .object(let fields):
            if fields.count == 1, let only = fields.first, only.name == "rawValue" {
                return displayedTree(only.value, named: name, keepsTimes: keepsTimes)
            }
            let isTable = tables.contains(name)
            return .object(
                fields.map { field in
                    StateTree.Field(
                        name: isTable ? field.name : kebab(field.name),
                        value: displayedTree(
                            field.value, named: isTable ? "" : field.name, keepsTimes: keepsTimes))
                })
        case .list(let values): return .list(values.map { displayedTree($0, named: name, keepsTimes: keepsTimes) })
        case .bare(let text):
            let word =
                keepsTimes ? Int64(text).flatMap { caseName($0, named: name) } : displayedText(of: text, named: name)
            return word.map(StateTree.text) ?? tree
        case .text(let text):
            // A field `name` contains the name of an enum case, such as `heartbeatAnswer`.
            return name == "name" && text.contains(where: \.isUppercase) ? .text(kebab(text)) : tree
        }
    }

    /// The shell's name for a field: `lastResult` is `last-result`.
    static func kebab(_ name: String) -> String {
        var text = ""
        // The displayed value contains the unit, so the name does not repeat it.
        for character in name.hasSuffix("Milliseconds") ? name.dropLast("Milliseconds".count) : name[...] {
            if character.isUppercase, character.isASCII {
                if let last = text.last, last != "-" { text += "-" }
                text += character.lowercased()
            } else {
                text.append(character)
            }
        }
        return text
    }

    /// The stored name of a field, computed from its displayed name: `lastResult` for `last-result`.
    static func camel(_ name: String) -> String {
        let parts = name.split(separator: "-")
        guard parts.count > 1, let first = parts.first else { return name }
        let rest = parts.dropFirst().map { part -> String in part.prefix(1).uppercased() + String(part.dropFirst()) }
        return String(first) + rest.joined()
    }

    // MARK: Leaves

    /// The displayed path of a leaf: `local.last-result`, `timers.entries[0].at`.
    package static func path(_ path: String) -> String {
        var isInTable = false
        return path.split(separator: ".", omittingEmptySubsequences: false).map { part -> String in
            defer { isInTable = tables.contains(String(part)) }
            return isInTable ? String(part) : kebab(String(part))
        }.joined(separator: ".")
    }

    /// The displayed value of a leaf, from its JSON text.
    package static func value(_ json: String, at path: String) -> String {
        var parts = path.split(separator: ".").map { String($0.prefix { $0 != "[" }) }
        // The meaning of a wrapped number depends on the field that contains it.
        if parts.count > 1, ["rawValue", "nanoseconds"].contains(parts.last) { parts.removeLast() }
        guard let tree = StateTree(json: Array(json.utf8)), tree.isLeaf else { return json }
        return displayedTree(tree, named: parts.last ?? "").line
    }

    // MARK: Values

    private static func displayedText(of text: String, named name: String) -> String? {
        guard let number = Int64(text) else { return nil }
        if let name = caseName(number, named: name) { return name }
        if isDuration(name) { return Interval(nanoseconds: number).text }
        if isInstant(name) { return "+" + Instant(nanoseconds: number).secondsText }
        if name.hasSuffix("Milliseconds") || name == "expiresAt" { return number == 0 ? "none" : utcText(number) }
        return nil
    }

    /// The name of an enum case, from its number.
    private static func caseName(_ number: Int64, named name: String) -> String? {
        guard let small = UInt8(exactly: number) else { return nil }
        switch name {
        case "lastResult", "status": return Status(rawValue: small)?.name
        case "mode": return LoginMode(rawValue: small).map { "\($0)" }
        case "reason": return KickReason(rawValue: small)?.name
        case "platform": return Platform(rawValue: small)?.name
        case "sync": return SyncTime(rawValue: small).map { kebab("\($0)") }
        case "stage": return ClientMachine.Stage(rawValue: small).map { "\($0)" }
        case "shown": return ClientState(rawValue: small)?.name
        default: return nil
        }
    }

    private static let durations = [
        "Limit", "Interval", "Grace", "Window", "Penalty", "Hold", "After", "Age", "Delays", "offlineTokenMin",
    ]

    private static func isDuration(_ name: String) -> Bool { durations.contains(where: name.hasSuffix) }

    private static func isInstant(_ name: String) -> Bool {
        ["since", "at", "lastHeard", "loginTimes", "connectedSince"].contains(name)
    }

    /// A time of the wall clock, in UTC.
    private static func utcText(_ milliseconds: Int64) -> String {
        guard milliseconds >= 0, milliseconds < 253_402_300_800_000 else { return "\(milliseconds)ms" }
        let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000)
        let text = CalendarTime(epochSeconds: seconds).description
        return rest == 0 ? text : "\(text.dropLast()).\(String(1000 + rest).dropFirst())Z"
    }
}

extension StateTree {
    /// The tree as people read it.
    ///
    /// - Parameter name: the stored or the displayed name of the field whose value is the tree.
    package func displayed(_ name: String = "") -> StateTree {
        StateText.displayedTree(self, named: StateText.camel(name))
    }

    /// The tree as programs read it: names and choices as text, times as numbers.
    var displayedForPrograms: StateTree { StateText.displayedTree(self, keepsTimes: true) }
}
