/// An expression for the new value of a transaction, such as `value + 1`, or `if exists then abort else {"owner": "me",
/// "since": timestamp}`. This value replaces the app's function, so that a transaction can be recorded and replayed.
///
/// `value` is the old value, `value/a/b` a value below it, and `exists` is true if there is an old value. In a sum, a
/// missing value counts as 0. An impossible operation, such as a product of texts, aborts the transaction.
public struct TransactionExpression: Sendable, Hashable {
    /// The text from which the expression was parsed.
    public let text: String
    private let term: Term

    /// An expression that always aborts its transaction.
    public static let abort = TransactionExpression(abort: ())

    private init(abort: Void) {
        text = "abort"
        term = .abort
    }

    /// Parses an expression.
    ///
    /// - Throws: the reason why the text is not an expression.
    public init(_ text: String) throws(TransactionExpressionError) {
        var parser = TransactionExpressionParser(text)
        self.text = text
        term = try parser.parse()
    }

    /// The expression with its keys, texts and numbers replaced, as for a redaction.
    ///
    /// - Throws: the reason why the result is not a valid expression.
    public func renamed(
        key: (TreeKey) -> TreeKey, text replacement: (String) -> String,
        number: (Double) -> Double = { $0 }
    ) throws(TransactionExpressionError) -> TransactionExpression {
        try TransactionExpression(
            TransactionExpressionParser.renamed(text, key: key, text: replacement, number: number))
    }

    /// - Returns: the new value; nil if the expression aborts the transaction.
    public func result(for node: TreeNode) -> TreeNode? { term.value(node) }

    indirect enum Term: Sendable, Hashable {
        case literal(TreeNode)
        case value([TreeKey])
        case exists([TreeKey])
        case object([Member])
        case abort
        case not(Term)
        case pair(Operator, Term, Term)
        case condition(Term, then: Term, else: Term)

        struct Member: Sendable, Hashable {
            var key: TreeKey
            var term: Term
        }
    }

    enum Operator: String, Sendable, Hashable, CaseIterable {
        case or, and
        case equal = "==", unequal = "!=", atMost = "<=", atLeast = ">=", less = "<", greater = ">"
        case plus = "+", minus = "-", times = "*"

        /// The precedence: an operator with a greater number is applied first.
        var precedence: Int {
            switch self {
            case .or: 1
            case .and: 2
            case .equal, .unequal, .atMost, .atLeast, .less, .greater: 3
            case .plus, .minus: 4
            case .times: 5
            }
        }
    }
}

/// The reason why a text is not a valid expression.
public struct TransactionExpressionError: Error, Hashable, Sendable {
    public let message: String

    public init(message: String) { self.message = message }
}

extension TransactionExpression.Term {
    /// - Returns: the value of the term; nil if it aborts the transaction.
    fileprivate func value(_ old: TreeNode) -> TreeNode? {
        switch self {
        case .literal(let node): return node
        case .value(let keys): return old[keys[...]]
        case .exists(let keys): return TreeNode(.bool(!old[keys[...]].isEmpty))
        case .abort: return nil
        case .not(let term): return term.isTrue(old).map { TreeNode(.bool(!$0)) }
        case .condition(let condition, let then, let other):
            guard let isTrue = condition.isTrue(old) else { return nil }
            return isTrue ? then.value(old) : other.value(old)
        case .object(let members):
            var node = TreeNode.empty
            for member in members {
                guard let value = member.term.value(old) else { return nil }
                // In JSON, a leaf with a priority has its value under the key `.value`.
                node =
                    member.key == ".value" ? value.with(priority: node.priority) : node.setting(member.key, to: value)
            }
            return node
        case .pair(.and, let one, let other):
            guard let isTrue = one.isTrue(old) else { return nil }
            return isTrue ? other.isTrue(old).map { TreeNode(.bool($0)) } : TreeNode(.bool(false))
        case .pair(.or, let one, let other):
            guard let isTrue = one.isTrue(old) else { return nil }
            return isTrue ? TreeNode(.bool(true)) : other.isTrue(old).map { TreeNode(.bool($0)) }
        case .pair(let sign, let one, let other):
            guard let one = one.value(old), let other = other.value(old) else { return nil }
            return sign.result(one, other)
        }
    }

    /// - Returns: the value of a condition; nil if it aborts the transaction, or is neither true nor false.
    private func isTrue(_ old: TreeNode) -> Bool? {
        guard case .bool(let flag)? = value(old)?.leaf else { return nil }
        return flag
    }
}

extension TransactionExpression.Operator {
    fileprivate func result(_ one: TreeNode, _ other: TreeNode) -> TreeNode? {
        switch self {
        case .equal: return TreeNode(.bool(one == other))
        case .unequal: return TreeNode(.bool(one != other))
        case .less: return TreeNode(.bool(SortValue(one) < SortValue(other)))
        case .greater: return TreeNode(.bool(SortValue(one) > SortValue(other)))
        case .atMost: return TreeNode(.bool(SortValue(one) <= SortValue(other)))
        case .atLeast: return TreeNode(.bool(SortValue(one) >= SortValue(other)))
        case .plus:
            if case .text(let text)? = one.leaf, case .text(let more)? = other.leaf {
                return TreeNode(.text(text + more))
            }
            return arithmetic(one, other, +)
        case .minus: return arithmetic(one, other, -)
        case .times: return arithmetic(one, other, *)
        case .and, .or: return nil
        }
    }

    private func arithmetic(_ one: TreeNode, _ other: TreeNode, _ body: (Double, Double) -> Double) -> TreeNode? {
        func number(_ node: TreeNode) -> Double? {
            if node.isEmpty { return 0 }
            guard case .number(let number)? = node.leaf else { return nil }
            return number
        }
        guard let one = number(one), let other = number(other) else { return nil }
        let result = body(one, other)
        return result.isFinite ? TreeNode(.number(result)) : nil
    }
}
