import IMText

/// Parses a filter. A text that is not a filter gets an error with the position of the first unexpected token.
///
///     filter     = and { "or" and }
///     and        = not { "and" not }
///     not        = "not" not | "(" filter ")" | comparison
///     comparison = word | field [ operator value | ["not"] "in" "{" value { "," value } "}" ]
struct FilterParser {
    /// The maximum nesting of parentheses and `not`s.
    static let depthMax = 60
    static let lengthMax = 10_000

    private let source: String
    /// True if words such as `kick` have their meaning for a recording that contains only a server
    /// (``FilterWord/serverFilter``).
    private let ofServer: Bool
    private var lexer: FilterLexer
    /// The next token. The lexer has read it, but no rule of the grammar has consumed it.
    private var token = FilterToken(kind: .end, text: "", offset: 0, length: 0)
    private var depth = 0

    private static let keywords = ["and", "or", "not", "in"]

    init(_ source: String, ofServer: Bool = false) {
        self.source = source
        self.ofServer = ofServer
        lexer = FilterLexer(source)
    }

    mutating func parse() throws(FilterError) -> FilterCondition {
        guard source.utf8.count <= Self.lengthMax else {
            throw FilterError("a filter has at most \(Self.lengthMax) bytes", at: 0)
        }
        token = try lexer.next()
        guard token.kind != .end else {
            throw FilterError("the filter is empty", at: token.offset, hint: "for example: kind == transition")
        }
        let condition = try disjunction()
        guard token.kind == .end else {
            throw error("unexpected '\(token.text)'", hint: unexpectedHint)
        }
        return condition
    }

    private var unexpectedHint: String? {
        if token.isSign(")") { return "there is no matching '('" }
        if let near = Suggestion.nearest(to: token.text.lowercased(), among: ["and", "or"]) {
            return "did you mean '\(near)'?"
        }
        return ["AND", "OR"].contains(token.text)
            ? "did you mean '\(token.text.lowercased())'?"
            : "join conditions with 'and' or 'or'; quote values that contain spaces"
    }

    // MARK: Conditions

    private mutating func disjunction() throws(FilterError) -> FilterCondition {
        var conditions = [try conjunction()]
        while token.isWord("or") {
            token = try lexer.next()
            conditions.append(try conjunction())
        }
        return conditions.count == 1 ? conditions[0] : .any(conditions)
    }

    private mutating func conjunction() throws(FilterError) -> FilterCondition {
        var conditions = [try negation()]
        while token.isWord("and") {
            token = try lexer.next()
            conditions.append(try negation())
        }
        return conditions.count == 1 ? conditions[0] : .all(conditions)
    }

    private mutating func negation() throws(FilterError) -> FilterCondition {
        guard token.isWord("not") || token.isSign("(") else { return try comparison() }
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthMax else {
            throw error("more than \(Self.depthMax) nested parentheses and 'not's")
        }
        let opening = token
        token = try lexer.next()
        if opening.isWord("not") { return .not(try negation()) }
        let condition = try disjunction()
        guard token.isSign(")") else {
            throw FilterError(
                token.kind == .end ? "the parenthesis is not closed" : "')' is missing before '\(token.text)'",
                at: token.kind == .end ? opening.offset : token.offset, hint: token.kind == .end ? nil : unexpectedHint)
        }
        token = try lexer.next()
        return condition
    }

    // MARK: Comparisons

    private mutating func comparison() throws(FilterError) -> FilterCondition {
        let field = token
        guard field.kind == .word, !Self.keywords.contains(field.text) else { throw missingField() }
        token = try lexer.next()
        if let word = FilterWord.named(field.text), isEnd { return try condition(of: word) }
        let name = try FilterFields.name(field)
        var isNegated = false
        if token.isWord("not") {
            isNegated = true
            token = try lexer.next()
            guard token.isWord("in") else {
                throw error(
                    "'in' is missing after 'not'",
                    hint: "put 'not' before the whole condition: not \(field.text) == x")
            }
        }
        if token.isWord("in") {
            let test = FilterCondition.test(.init(name: name, test: .compare(.isIn, try set(field))))
            return isNegated ? .not(test) : test
        }
        guard token.kind == .sign, let order = FilterComparison.Operator(rawValue: token.text) else {
            try checkEnd(after: field)
            return .test(.init(name: name, test: .present))
        }
        let value = try value(after: order.rawValue)
        token = try lexer.next()
        return .test(.init(name: name, test: try test(order, field, name, value)))
    }

    /// True if the next token ends a condition that consists of one word.
    private var isEnd: Bool {
        token.kind == .end || token.isWord("and") || token.isWord("or") || token.isSign(")")
    }

    private func condition(of word: FilterWord) throws(FilterError) -> FilterCondition {
        var parser = FilterParser(ofServer ? word.serverFilter ?? word.filter : word.filter)
        return try parser.parse()
    }

    private func missingField() -> FilterError {
        switch token.kind {
        case .end: return error("a condition is missing at the end")
        case .quoted: return error("a field's name cannot be quoted", hint: "for example: text =~ \"\(token.text)\"")
        case .word, .sign:
            return error("a field's name is missing before '\(token.text)'", hint: "'help filter' lists the fields")
        }
    }

    /// Checks that nothing follows a field that is used alone. Such a condition means that the event has the field. If
    /// a word follows, an operator is probably missing.
    private func checkEnd(after field: FilterToken) throws(FilterError) {
        guard !isEnd else { return }
        let operators = FilterComparison.Operator.allCases.map(\.rawValue).joined(separator: " ")
        let isJoin = ["AND", "OR", "&", "|"].contains(token.text)
        throw error(
            isJoin ? "unexpected '\(token.text)'" : "an operator is missing after '\(field.text)'",
            hint: isJoin ? "did you mean '\(token.text.lowercased())'?" : "available: \(operators)")
    }

    private func test(
        _ order: FilterComparison.Operator, _ field: FilterToken, _ name: FilterName, _ value: FilterToken
    ) throws(FilterError) -> FilterComparison.Test {
        switch order {
        case .matches:
            do {
                return .pattern(try FilterPattern(value.text))
            } catch {
                throw FilterError(error.message, at: value.offset, length: value.length)
            }
        case .equal, .unequal, .isIn:
            try FilterFields.check(value, of: field)
            return .compare(order, [FilterOperand(value.text)])
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            let operand = FilterOperand(value.text)
            try FilterFields.checkUnit(value, of: field)
            guard operand.number != nil || operand.duration != nil else {
                throw FilterError(
                    "'\(order.rawValue)' compares numbers and durations; '\(value.text)' is neither",
                    at: value.offset, length: value.length, hint: "for example: n > 100, t > 12.5s")
            }
            return .compare(order, [operand])
        }
    }

    private mutating func set(_ field: FilterToken) throws(FilterError) -> [FilterOperand] {
        token = try lexer.next()
        let opening = token
        guard opening.isSign("{") else {
            throw error("a set is missing after 'in'", hint: "for example: \(field.text) in {a, b}")
        }
        var operands: [FilterOperand] = []
        repeat {
            let value = try value(after: operands.isEmpty ? "{" : ",")
            try FilterFields.check(value, of: field)
            operands.append(FilterOperand(value.text))
            token = try lexer.next()
        } while token.isSign(",")
        guard token.isSign("}") else {
            throw token.kind == .end
                ? FilterError("the set is not closed", at: opening.offset, hint: "close it with }")
                : error("',' or '}' is missing before '\(token.text)'")
        }
        token = try lexer.next()
        return operands
    }

    private mutating func value(after sign: String) throws(FilterError) -> FilterToken {
        let value = try lexer.nextValue()
        // 'in' is allowed without quotes, because it is a value of the field 'dir'.
        let isKeyword = value.kind == .word && value.text != "in" && Self.keywords.contains(value.text)
        guard value.kind == .quoted || value.kind == .word && !isKeyword else {
            throw FilterError(
                "a value is missing after '\(sign)'", at: value.offset, length: value.length,
                hint: isKeyword ? "quote it if you mean the word: \"\(value.text)\"" : nil)
        }
        return value
    }

    private func error(_ message: String, hint: String? = nil) -> FilterError {
        FilterError(message, at: token.offset, length: token.length, hint: hint)
    }
}
