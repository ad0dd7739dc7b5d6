import IMText
import SansIO

extension ExpectClause {
    /// The words after the fields of a clause. Each of them has one argument.
    package enum Suffix: String, CaseIterable, Sendable {
        case within, `for`, `as`
    }

    /// The word between two clauses whose events may arrive in any order.
    package static let conjunction = "and"

    /// Parses the words after `expect`, or after `expect-none` if `isNegative` is true.
    package init(words: [String], isNegative: Bool) throws(WordError) {
        var parser = ExpectParser(words: words)
        self = try parser.parse(isNegative: isNegative)
    }
}

/// Parses the words of one expectation from left to right.
private struct ExpectParser {
    let words: [String]
    var index = 0

    private var subjects: [String] { ObservedEvent.Kind.allCases.map(\.rawValue) }

    mutating func parse(isNegative given: Bool) throws(WordError) -> ExpectClause {
        var isNegative = given
        if !given, peek == "none" {
            isNegative = true
            index += 1
        }
        let pattern = try parsePattern()
        let fields = pattern.isFilter ? [] : try parseFields()
        if case .result(nil, nil) = pattern, fields.isEmpty {
            throw WordError(index, "'ok', 'failed' or a field must follow 'result'", hint: "expect result code=417")
        }
        var clause = ExpectClause(pattern: pattern, fields: fields, isNegative: isNegative)
        while peek == ExpectClause.conjunction { clause.others.append(try parseOther(of: clause)) }
        while index < words.count {
            try parseSuffix(into: &clause)
        }
        if isNegative, clause.duration == nil {
            throw WordError(
                index, "'expect-none' must end with 'for' and a duration", hint: "expect-none callback onKick for 5s")
        }
        return clause
    }

    private mutating func parseOther(of clause: ExpectClause) throws(WordError) -> ExpectClause {
        try refuseNext(clause.isNegative, "'and' cannot follow 'expect-none'", hint: "write two lines")
        try refuseNext(clause.pattern.isOutput, "'and' cannot follow 'output'", hint: "write two lines")
        index += 1
        let start = index
        let pattern = try parsePattern()
        guard !pattern.isFilter, !pattern.isOutput else {
            throw WordError(start, "'\(words[start])' cannot follow 'and'", hint: "write two lines")
        }
        let fields = try parseFields()
        if case .result(nil, nil) = pattern, fields.isEmpty {
            throw WordError(index, "'ok', 'failed' or a field must follow 'result'", hint: "expect result code=417")
        }
        return ExpectClause(pattern: pattern, fields: fields, isNegative: false)
    }

    private func refuseNext(_ condition: Bool, _ message: String, hint: String) throws(WordError) {
        if condition { throw WordError(index, message, hint: hint) }
    }

    private var peek: String? { index < words.count ? words[index] : nil }

    private mutating func next(_ what: String, hint: String? = nil) throws(WordError) -> String {
        guard let word = peek else { throw WordError(index, "\(what) is missing", hint: hint) }
        index += 1
        return word
    }

    private mutating func parsePattern() throws(WordError) -> ExpectClause.Pattern {
        let choice = "one of: " + subjects.joined(separator: ", ")
        let word = try next("what to expect", hint: choice)
        guard let kind = ObservedEvent.Kind(rawValue: word) else {
            throw WordError(
                index - 1, "'\(word)' cannot be expected",
                hint: Suggestion.hint(for: word, among: subjects + ["none"]))
        }
        switch kind {
        case .state: return .state(try parseState())
        case .callback: return .callback(try name("the callback's name"))
        case .frame:
            let direction = try parseDirection()
            return .frame(direction, try name("the frame's type"))
        case .result: return parseResult()
        case .output: return .output(try next("the text"))
        case .event: return .event(try parseFilter())
        }
    }

    /// Parses the filter of `expect event`, which extends to the first suffix.
    private mutating func parseFilter() throws(WordError) -> Filter {
        let first = index
        let end = ExpectClause.endOfFilter(words, from: first)
        guard end > first else {
            let location = peek.map { " before '\($0)'" } ?? ""
            throw WordError(index, "the condition is missing\(location)", hint: ExpectClause.filterExample)
        }
        index = end
        do throws(FilterError) {
            return try Filter(ofOneEvent: words[first..<end].joined(separator: " "))
        } catch {
            throw ExpectClause.wordError(for: error, in: words, first..<end)
        }
    }

    private mutating func parseState() throws(WordError) -> String {
        let word = try next("the state", hint: "one of: " + StateName.allNames.joined(separator: ", "))
        guard StateName(rawValue: word) != nil else {
            throw WordError(
                index - 1, "'\(word)' is not a state", hint: Suggestion.hint(for: word, among: StateName.allNames))
        }
        return word
    }

    private mutating func parseDirection() throws(WordError) -> ObservedEvent.Direction {
        let word = try next("'in' or 'out'", hint: "expect frame out login")
        guard let direction = ObservedEvent.Direction(rawValue: word) else {
            throw WordError(index - 1, "'\(word)' is neither 'in' nor 'out'", hint: "expect frame out \(word)")
        }
        return direction
    }

    private mutating func name(_ what: String) throws(WordError) -> String {
        let word = try next(what)
        guard KeyValue(word) == nil, ExpectClause.Suffix(rawValue: word) == nil else {
            throw WordError(index - 1, "\(what) is missing before '\(word)'")
        }
        return word
    }

    private mutating func parseResult() -> ExpectClause.Pattern {
        var command: String?
        if let word = peek, isPlain(word), ExpectClause.Outcome(rawValue: word) == nil {
            command = word
            index += 1
        }
        guard let word = peek, let outcome = ExpectClause.Outcome(rawValue: word) else {
            return .result(command: command, outcome: nil)
        }
        index += 1
        return .result(command: command, outcome: outcome)
    }

    private func isPlain(_ word: String) -> Bool {
        KeyValue(word) == nil && !endsFields(word)
    }

    private func endsFields(_ word: String) -> Bool {
        ExpectClause.Suffix(rawValue: word) != nil || word == ExpectClause.conjunction
    }

    private mutating func parseFields() throws(WordError) -> [KeyValue] {
        var fields: [KeyValue] = []
        while let word = peek, !endsFields(word) {
            guard let field = KeyValue(word) else {
                throw WordError(
                    index, "'\(word)' is neither a field nor 'within', 'for', 'as' or 'and'",
                    hint: Suggestion.hint(for: word, among: ExpectClause.Suffix.allCases.map(\.rawValue))
                        ?? "a field is key=value, key!=value, key~/pattern/ or key=>$variable")
            }
            if field.comparison == .matching {
                do throws(PatternError) {
                    _ = try LinearPattern(field.value)
                } catch {
                    throw WordError(index, "'\(field.value)' is not a regular expression: it \(error)")
                }
            }
            fields.append(field)
            index += 1
        }
        return fields
    }

    private mutating func parseSuffix(into clause: inout ExpectClause) throws(WordError) {
        let word = try next("'within', 'for' or 'as'")
        guard let suffix = ExpectClause.Suffix(rawValue: word) else {
            throw WordError(index - 1, "unexpected '\(word)': only 'within', 'for' and 'as' can end a clause")
        }
        switch suffix {
        case .within:
            try refuse(clause.isNegative, "'within' cannot end 'expect-none'", hint: "use 'for' and a duration")
            try refuse(clause.within != nil, "'within' is given twice")
            clause.within = try parseDuration(after: suffix)
        case .for:
            try refuse(!clause.isNegative, "only 'expect-none' takes 'for'", hint: "use 'within' and a duration")
            try refuse(clause.duration != nil, "'for' is given twice")
            clause.duration = try parseDuration(after: suffix)
        case .as:
            try refuse(clause.isNegative, "'expect-none' has no event that 'as' could store")
            try refuse(clause.captureName != nil, "'as' is given twice")
            clause.captureName = try parseVariable()
        }
    }

    private func refuse(_ condition: Bool, _ message: String, hint: String? = nil) throws(WordError) {
        if condition { throw WordError(index - 1, message, hint: hint) }
    }

    private mutating func parseDuration(after suffix: ExpectClause.Suffix) throws(WordError) -> Interval {
        let word = try next("the duration after '\(suffix.rawValue)'", hint: "250ms, 5s, 2m, 1h")
        guard let interval = DurationText.interval(word) else {
            throw WordError(index - 1, "'\(word)' is not a duration", hint: "250ms, 5s, 2m, 1h; \(DurationText.range)")
        }
        return interval
    }

    private mutating func parseVariable() throws(WordError) -> String {
        let word = try next("the variable after 'as'", hint: "as $kick")
        guard word.hasPrefix("$"), Lexer.isVariableName(String(word.dropFirst())) else {
            throw WordError(index - 1, "a variable must follow 'as'", hint: "as $\(word)")
        }
        return String(word.dropFirst())
    }
}
