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
        ("kick and node == pad or reconnect", "words and comparisons together"),
        ("callback == onKick and in-state == syncing", "kicks in the middle of a sync"),
        ("node == phone and t > 12.5s and t < 1m", "what the phone did in a time"),
        ("type in {login, login-ack} and dir == in", "logins as they arrive"),
        ("result and not status == ok", "every command that failed"),
        ("text =~ \"kick.*(by|remote)\" or reason == NIMKickReasonByClient", "words, and a vendor's name"),
    ]

    private static let about = [
        "A filter is a condition on events: for 'imrepl show --filter' and 'sessions",
        "search', for 'break', 'continue' and 'rcontinue' of a replay, and for 'expect",
        "event' in the shell and in scripts.",
    ]

    private static var examples: [String] {
        ["EXAMPLES"] + exampleFilters.flatMap { ["  \($0.filter)", "      \($0.what)"] }
    }

    private static var words: [String] { ["WORDS THAT ARE CONDITIONS"] + FilterWord.lines }

    private static let operators = [
        "OPERATORS",
        "  == !=            equal; the field is there and no value of it is equal",
        "  < <= > >=        numbers and durations (250ms, 12.5s, 2m, 1h)",
        "  =~               a regular expression occurs in it; capitals do not matter",
        "                   unless the expression begins with (?-i)",
        "  in {a, b}        one of these; also 'not in'",
        "  and or not ( )   'not' binds tightest, then 'and'",
        "  user             a field alone: the event has it",
    ]

    private static let notes = [
        "VALUES",
        "  Bare words or quoted: \"two words\". NIMKickReasonByClient, 1 and",
        "  NIMKickReasonByClient(1) are the same. t is equal in milliseconds, as shown.",
        "  A field can have several values: it is enough that one of them fits.",
        "  fields.NAME is only what the event says, callback.NAME only what the vendor's",
        "  callback says, both under any name: fields.topic == tea.",
        "  in-state is the state before the input that led to the event, so a kick's",
        "  callback is in the state that the kick met.",
    ]

    private static func fields(_ width: Int) -> [String] {
        let common = FilterFieldCatalogue.own + FilterFieldCatalogue.told
        let rest = (FilterFieldCatalogue.listed + FilterFieldCatalogue.ofCallbacks).map(\.name).sorted()
        return ["FIELDS"] + common.flatMap { row($0, width) } + ["", "MORE FIELDS, AS THEY ARE SHOWN"]
            + fill(rest, width, indent: 2)
    }

    private static let column = 15

    private static func row(_ field: FilterField, _ width: Int) -> [String] {
        let gap = String(repeating: " ", count: max(1, column - field.name.count))
        let head = "  \(field.name)\(gap)\(field.what)"
        // Completion shows long lists.
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
