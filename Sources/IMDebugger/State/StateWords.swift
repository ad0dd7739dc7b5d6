import IMClient
import IMProtocol
import IMSession
import Recorder
import SansIO

/// A machine's state in the words of the shell: `last-result=timeout`, `since=+9.070s`, `retry-delays=[2s, 4s]`, where
/// the canonical JSON has the names and numbers that a keyframe holds. For looking at only: what is compared, and what
/// `state --json` prints, stays as it is.
package enum StateWords {
    /// Below these stand names of the user's own making.
    private static let tables: Set<String> = [
        "accounts", "devices", "connections", "channels", "attributes", "requests", "children", "members", "listeners",
        "inboxes", "watchers", "watched", "channelAttributes",
    ]

    /// The tree as it is shown.
    ///
    /// - Parameters:
    ///   - name: the field that it is the value of.
    ///   - keepsTimes: whether times stay numbers, for a program.
    static func shown(_ tree: StateTree, named name: String = "", keepsTimes: Bool = false) -> StateTree {
        switch tree {
        case .object(let fields):
            if fields.count == 1, let only = fields.first, only.name == "rawValue" {
                return shown(only.value, named: name, keepsTimes: keepsTimes)
            }
            let isTable = tables.contains(name)
            return .object(
                fields.map { field in
                    StateTree.Field(
                        name: isTable ? field.name : kebab(field.name),
                        value: shown(
                            field.value, named: isTable ? "" : field.name, keepsTimes: keepsTimes))
                })
        case .list(let values): return .list(values.map { shown($0, named: name, keepsTimes: keepsTimes) })
        case .bare(let text):
            let word =
                keepsTimes ? Int64(text).flatMap { choice($0, named: name) } : word(for: text, named: name)
            return word.map(StateTree.text) ?? tree
        case .text(let text):
            // Names of cases, such as those of timers.
            return name == "name" && text.contains(where: \.isUppercase) ? .text(kebab(text)) : tree
        }
    }

    /// The name that the shell has for a field: `lastResult` is `last-result`.
    static func kebab(_ name: String) -> String {
        var text = ""
        // What it counts in is told by the value.
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

    /// The name that a field is stored under, as far as its shown name tells it.
    static func camel(_ name: String) -> String {
        let parts = name.split(separator: "-")
        guard parts.count > 1, let first = parts.first else { return name }
        let rest = parts.dropFirst().map { part -> String in part.prefix(1).uppercased() + String(part.dropFirst()) }
        return String(first) + rest.joined()
    }

    // MARK: Leaves

    /// The path to a leaf, as it is shown: `local.last-result`, `timers.entries[0].at`.
    package static func path(_ path: String) -> String {
        var isInTable = false
        return path.split(separator: ".", omittingEmptySubsequences: false).map { part -> String in
            defer { isInTable = tables.contains(String(part)) }
            return isInTable ? String(part) : kebab(String(part))
        }.joined(separator: ".")
    }

    /// The value of a leaf as it stands in the JSON, as it is shown.
    package static func value(_ json: String, at path: String) -> String {
        var parts = path.split(separator: ".").map { String($0.prefix { $0 != "[" }) }
        // What a wrapped number means is said by the field that it is in.
        if parts.count > 1, ["rawValue", "nanoseconds"].contains(parts.last) { parts.removeLast() }
        guard let tree = StateTree(json: Array(json.utf8)), tree.isLeaf else { return json }
        return shown(tree, named: parts.last ?? "").line
    }

    // MARK: Values

    private static func word(for text: String, named name: String) -> String? {
        guard let number = Int64(text) else { return nil }
        if let name = choice(number, named: name) { return name }
        if isDuration(name) { return Interval(nanoseconds: number).text }
        if isInstant(name) { return "+" + Instant(nanoseconds: number).secondsText }
        if name.hasSuffix("Milliseconds") || name == "expiresAt" { return number == 0 ? "none" : moment(number) }
        return nil
    }

    /// The number of a case, as the word for it.
    private static func choice(_ number: Int64, named name: String) -> String? {
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

    /// Of the wall clock, in UTC.
    private static func moment(_ milliseconds: Int64) -> String {
        guard milliseconds >= 0, milliseconds < 253_402_300_800_000 else { return "\(milliseconds)ms" }
        let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000)
        let text = CalendarTime(epochSeconds: seconds).description
        return rest == 0 ? text : "\(text.dropLast()).\(String(1000 + rest).dropFirst())Z"
    }
}

extension StateTree {
    /// As a person reads it.
    ///
    /// - Parameter name: the field that it is the value of, under either of its names.
    package func worded(_ name: String = "") -> StateTree { StateWords.shown(self, named: StateWords.camel(name)) }

    /// As a program reads it: names and choices in words, times as numbers.
    var wordedForPrograms: StateTree { StateWords.shown(self, keepsTimes: true) }
}
