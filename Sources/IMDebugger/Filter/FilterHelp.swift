import IMText

/// The reference page of the filter language, for `help filter`.
package enum FilterHelp {
    /// - Parameter width: the maximum number of characters of a line.
    package static func text(width: Int = 80) -> String {
        let sections = [
            about, [""], examples, [""], words, [""], operators, [""], notes, [""],
            fields(width),
        ]
        return sections.flatMap { $0 }.joined(separator: "\n")
    }

    static let exampleFilters: [(filter: String, what: String)] = [
        ("kick", "every kick: kind == transition and to == kicked"),
        ("kick and node == pad or reconnect", "words combined with comparisons"),
        ("callback == onKick and in-state == syncing", "kicks during a sync"),
        ("node == phone and t > 12.5s and t < 1m", "events of the phone in a time range"),
        ("type in {login, login-ack} and dir == in", "logins that arrive"),
        ("result and not status == ok", "every command that failed"),
        ("text =~ \"kick.*(by|remote)\" or reason == NIMKickReasonByClient", "a pattern, or a vendor's name"),
    ]

    private static let about = [
        "A filter is a condition on events. 'imrepl show --filter', 'sessions search',",
        "'break', 'continue' and 'rcontinue' of a replay, and 'expect event' of the",
        "shell and of scripts take one.",
    ]

    private static var examples: [String] {
        ["EXAMPLES"] + exampleFilters.flatMap { ["  \($0.filter)", "      \($0.what)"] }
    }

    private static var words: [String] { ["PREDEFINED CONDITIONS"] + FilterWord.lines }

    private static let operators = [
        "OPERATORS",
        "  == !=            equal; the field exists and no value of it is equal",
        "  < <= > >=        numbers and durations (250ms, 12.5s, 2m, 1h)",
        "  =~               a regular expression matches a part of it, ignoring case",
        "                   (begin it with (?-i) to respect case)",
        "  in {a, b}        one of these; also 'not in'",
        "  and or not ( )   'not' binds tightest, then 'and'",
        "  user             a field alone: true if the event has it",
    ]

    private static let notes = [
        "VALUES",
        "  Words, or quoted texts: \"two words\". NIMKickReasonByClient, 1 and",
        "  NIMKickReasonByClient(1) are the same. Times are compared in milliseconds.",
        "  If a field has several values, one match is enough.",
        "  fields.NAME takes only the event's own fields, callback.NAME only those of the",
        "  vendor's callback. Any name is allowed: fields.topic == tea.",
        "  in-state is the state before the input that caused the event. For a kick's",
        "  callback it is the state before the kick.",
    ]

    private static func fields(_ width: Int) -> [String] {
        let common = FilterFieldCatalogue.common + FilterFieldCatalogue.described
        let rest = (FilterFieldCatalogue.undescribed + FilterFieldCatalogue.ofCallbacks).map(\.name).sorted()
        return ["FIELDS"] + common.flatMap { row($0, width) } + ["", "MORE FIELDS, NAMED AS SHOWN"]
            + fill(rest, width, indent: 2)
    }

    private static let column = 15

    private static func row(_ field: FilterField, _ width: Int) -> [String] {
        let gap = String(repeating: " ", count: max(1, column - field.name.count))
        let head = "  \(field.name)\(gap)\(field.what)"
        // A long list of values is not printed. Completion shows it.
        guard !field.values.isEmpty, field.values.count <= 24 else { return [head] }
        return [head] + fill(field.values, width, indent: column + 4)
    }

    private static func fill(_ words: [String], _ width: Int, indent: Int) -> [String] {
        let margin = String(repeating: " ", count: indent)
        var lines: [String] = []
        var line = margin
        for (index, word) in words.enumerated() {
            let next = word + (index + 1 < words.count ? "," : "")
            if line.count > indent, line.count + 1 + next.count > width {
                lines.append(line)
                line = margin
            }
            line += (line.count > indent ? " " : "") + next
        }
        return lines + [line]
    }
}
