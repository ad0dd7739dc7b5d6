/// Parses the expression of a transaction.
struct TransactionExpressionParser {
    typealias Term = TransactionExpression.Term
    typealias Operator = TransactionExpression.Operator

    /// The maximum length. It is enough for two nodes: a result, and a value to compare with.
    private static let bytesMax = 1 << 16
    private static let depthMax = 40

    private let text: String
    private var tokens: [Token] = []
    private var next = 0
    private var depth = 0

    private enum Token: Hashable {
        case word(String)
        case sign(String)
        case number(Double)
        case text(String)
    }

    init(_ text: String) { self.text = text }

    mutating func parse() throws(TransactionExpressionError) -> Term {
        guard text.utf8.count <= Self.bytesMax else {
            throw TransactionExpressionError(message: "an expression has at most \(Self.bytesMax) bytes")
        }
        tokens = try Self.tokens(of: text)
        let term = try expression(0)
        guard next == tokens.count else { throw unexpected("an operator") }
        return term
    }

    private func unexpected(_ wanted: String) -> TransactionExpressionError {
        guard next < tokens.count else {
            return TransactionExpressionError(message: "expected \(wanted) at the end of the expression")
        }
        let found =
            switch tokens[next] {
            case .word(let word), .sign(let word): word
            case .number(let number): TreeLeaf.number(number).description
            case .text(let text): TreeLeaf.text(text).description
            }
        return TransactionExpressionError(message: "expected \(wanted), found '\(found)'")
    }

    private mutating func take(_ token: Token) -> Bool {
        guard next < tokens.count, tokens[next] == token else { return false }
        next += 1
        return true
    }

    private mutating func expect(_ token: Token, _ name: String) throws(TransactionExpressionError) {
        guard take(token) else { throw unexpected("'\(name)'") }
    }

    // MARK: Terms

    /// - Parameter precedence: the precedence of the operator before the expression. Operators with a lower or equal
    ///   one are not part of the expression.
    private mutating func expression(_ precedence: Int) throws(TransactionExpressionError) -> Term {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.depthMax else {
            throw TransactionExpressionError(message: "the expression is nested too deeply")
        }
        if take(.word("if")) {
            let condition = try expression(0)
            try expect(.word("then"), "then")
            let then = try expression(0)
            try expect(.word("else"), "else")
            return .condition(condition, then: then, else: try expression(0))
        }
        var term = try operand()
        while let sign = nextOperator, sign.precedence > precedence {
            next += 1
            term = .pair(sign, term, try expression(sign.precedence))
        }
        return term
    }

    private var nextOperator: Operator? {
        guard next < tokens.count else { return nil }
        switch tokens[next] {
        case .word(let word), .sign(let word): return Operator(rawValue: word)
        case .number, .text: return nil
        }
    }

    private mutating func operand() throws(TransactionExpressionError) -> Term {
        guard next < tokens.count else { throw unexpected("a value") }
        let token = tokens[next]
        next += 1
        switch token {
        case .number(let number): return .literal(TreeNode(.number(number)))
        case .text(let text): return .literal(TreeNode(.text(text)))
        case .word("true"): return .literal(TreeNode(.bool(true)))
        case .word("false"): return .literal(TreeNode(.bool(false)))
        case .word("null"): return .literal(.empty)
        case .word("timestamp"): return .literal(TreeNode(.serverTimestamp))
        case .word("abort"): return .abort
        case .word("not"): return .not(try expression(Operator.and.precedence))
        case .word(let word): return try reference(word)
        case .sign("("):
            let term = try expression(0)
            try expect(.sign(")"), ")")
            return term
        case .sign("{"): return try object()
        case .sign("-"):
            guard next < tokens.count, case .number(let number) = tokens[next] else { throw unexpected("a number") }
            next += 1
            return .literal(TreeNode(.number(-number)))
        case .sign:
            next -= 1
            throw unexpected("a value")
        }
    }

    private mutating func reference(_ word: String) throws(TransactionExpressionError) -> Term {
        let parts = word.split(separator: "/", omittingEmptySubsequences: false)
        let keys = parts.dropFirst().map { TreeKey(String($0)) }
        switch parts.first {
        case "value" where !keys.contains(""): return .value(keys)
        case "exists" where !keys.contains(""): return .exists(keys)
        default:
            next -= 1
            throw unexpected("a value")
        }
    }

    private mutating func object() throws(TransactionExpressionError) -> Term {
        var members: [Term.Member] = []
        guard !take(.sign("}")) else { return .literal(.empty) }
        repeat {
            guard next < tokens.count, case .text(let key) = tokens[next] else { throw unexpected("a key in quotes") }
            next += 1
            try expect(.sign(":"), ":")
            members.append(Term.Member(key: TreeKey(key), term: try expression(0)))
        } while take(.sign(","))
        try expect(.sign("}"), "}")
        return .object(members)
    }

    // MARK: Renaming

    /// The text of an expression with its keys, texts and numbers replaced.
    static func renamed(
        _ text: String, key: (TreeKey) -> TreeKey, text replacement: (String) -> String,
        number: (Double) -> Double
    ) throws(TransactionExpressionError) -> String {
        let tokens = try tokens(of: text)
        var words: [String] = []
        for (index, token) in tokens.enumerated() {
            switch token {
            case .sign(let sign): words.append(sign)
            case .number(let value): words.append(TreeLeaf.number(number(value)).description)
            case .word(let word):
                let parts = word.split(separator: "/", omittingEmptySubsequences: false)
                let keys = parts.dropFirst().map { key(TreeKey(String($0))).text }
                words.append(([parts.first.map(String.init) ?? ""] + keys).joined(separator: "/"))
            case .text(let text):
                let isKey = tokens.dropFirst(index + 1).first == .sign(":")
                let other = isKey ? key(TreeKey(text)).text : replacement(text)
                words.append(TreeLeaf.text(other).description)
            }
        }
        return words.joined(separator: " ")
    }

    // MARK: Tokens

    private static func tokens(of text: String) throws(TransactionExpressionError) -> [Token] {
        var tokens: [Token] = []
        var rest = text.unicodeScalars[...]
        while let first = rest.first {
            switch first {
            case " ", "\t", "\n", "\r": rest.removeFirst()
            case "\"": tokens.append(.text(try quoted(&rest)))
            case "0"..."9":
                var digits = take(&rest) { ("0"..."9").contains($0) || $0 == "." || $0 == "e" }
                // An exponent may have a sign, as in JSON: 1e-7.
                if digits.last == "e", let sign = rest.first, sign == "-" || sign == "+" {
                    rest.removeFirst()
                    digits += String(sign) + take(&rest) { ("0"..."9").contains($0) }
                }
                guard let number = Double(digits), number.isFinite else {
                    throw TransactionExpressionError(message: "'\(digits)' is not a number")
                }
                tokens.append(.number(number))
            case _ where isWord(first):
                tokens.append(.word(take(&rest) { isWord($0) || ("0"..."9").contains($0) || $0 == "/" || $0 == "-" }))
            default:
                let pair = String(String.UnicodeScalarView(rest.prefix(2)))
                let sign = ["==", "!=", "<=", ">="].contains(pair) ? pair : String(Character(first))
                guard "==!=<=>=+-*(){}:,".contains(sign), sign != "=", sign != "!" else {
                    throw TransactionExpressionError(
                        message: "'\(sign)' is not an operator; use one of + - * == != < <= > >=")
                }
                rest.removeFirst(sign.unicodeScalars.count)
                tokens.append(.sign(sign))
            }
        }
        return tokens
    }

    private static func isWord(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isAlphabetic || scalar == "_" }

    private static func take(_ rest: inout Substring.UnicodeScalarView, _ belongs: (Unicode.Scalar) -> Bool) -> String {
        let taken = rest.prefix(while: belongs)
        rest.removeFirst(taken.count)
        return String(taken)
    }

    private static func quoted(_ rest: inout Substring.UnicodeScalarView) throws(TransactionExpressionError) -> String {
        var quoted = String.UnicodeScalarView()
        rest.removeFirst()
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\"": return String(quoted)
            case "\\":
                guard let escaped = rest.popFirst() else { break }
                quoted.append(escaped == "n" ? "\n" : escaped)
            default: quoted.append(scalar)
            }
        }
        throw TransactionExpressionError(message: "a text has no closing quotation mark")
    }
}
