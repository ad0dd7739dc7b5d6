import IMText

/// Completes a filter while the user types it.
package enum FilterCompletion {
    /// The words that can replace the last word or follow the text. Empty if any text can follow.
    ///
    /// - Parameters:
    ///   - partial: the filter up to the cursor.
    ///   - nodes: the names of the recording's nodes, if they are known.
    package static func candidates(for partial: String, nodes: [String] = []) -> [String] {
        completion(for: partial, nodes: nodes).candidates
    }

    /// - Returns: the number of typed characters of the last word, and the words that begin with them.
    package static func completion(for partial: String, nodes: [String] = []) -> (typed: Int, candidates: [String]) {
        guard partial.utf8.count <= FilterParser.lengthMax else { return (0, []) }
        var filter = PartialFilter(partial, nodes: nodes)
        do throws(FilterError) {
            return try filter.candidates()
        } catch {
            // The text has an open quote, or an error that `FilterParser` reports later.
            return (0, [])
        }
    }

    private struct PartialFilter {
        private enum Context {
            case field
            case operatorOf(String)
            /// After a field and `not`, as in `node not in {…}`.
            case notIn(String)
            case setOf(String)
            case value(String)
            case member(String)
            case memberEnd(String)
            case join
        }

        private let end: Int
        private let nodes: [String]
        private var lexer: FilterLexer
        private var context = Context.field
        private var openCount = 0

        init(_ partial: String, nodes: [String]) {
            end = partial.count
            self.nodes = nodes
            lexer = FilterLexer(partial)
        }

        mutating func candidates() throws(FilterError) -> (typed: Int, candidates: [String]) {
            while true {
                let token = try next()
                let isAtCursor = token.offset + token.length == end
                if token.kind == .end { return (0, words) }
                if token.kind == .word, isAtCursor {
                    return (token.length, words.filter { $0.hasPrefix(token.text) && $0 != token.text })
                }
                guard let following = context(after: token) else { return (0, []) }
                context = following
            }
        }

        private mutating func next() throws(FilterError) -> FilterToken {
            switch context {
            case .value, .member: try lexer.nextValue()
            case .field, .operatorOf, .notIn, .setOf, .memberEnd, .join: try lexer.next()
            }
        }

        private mutating func context(after token: FilterToken) -> Context? {
            switch context {
            case .field:
                if token.isWord("not") { return .field }
                if token.isSign("(") {
                    openCount += 1
                    return .field
                }
                return token.kind == .word ? .operatorOf(token.text) : nil
            case .operatorOf(let field):
                if token.isWord("not") { return .notIn(field) }
                if token.isWord("in") { return .setOf(field) }
                if FilterLexer.operators.contains(token.text) { return .value(field) }
                return afterCondition(token)
            case .notIn(let field): return token.isWord("in") ? .setOf(field) : nil
            case .setOf(let field): return token.isSign("{") ? .member(field) : nil
            case .value: return token.kind == .sign ? nil : .join
            case .member(let field): return token.kind == .sign ? nil : .memberEnd(field)
            case .memberEnd(let field): return token.isSign(",") ? .member(field) : token.isSign("}") ? .join : nil
            case .join: return afterCondition(token)
            }
        }

        private mutating func afterCondition(_ token: FilterToken) -> Context? {
            if token.isWord("and") || token.isWord("or") { return .field }
            guard token.isSign(")"), openCount > 0 else { return nil }
            openCount -= 1
            return .join
        }

        private var words: [String] {
            switch context {
            case .field:
                FilterWord.all.map(\.name).filter { FilterFields[$0] == nil } + FilterFields.all.map(\.name) + ["not"]
            case .operatorOf: FilterLexer.operators + ["in", "not in"] + joins
            case .notIn: ["in"]
            case .setOf: ["{"]
            case .value(let field), .member(let field): values(of: field)
            case .memberEnd: [",", "}"]
            case .join: joins
            }
        }

        private var joins: [String] { ["and", "or"] + (openCount > 0 ? [")"] : []) }

        private func values(of field: String) -> [String] {
            field == "node" ? nodes : FilterFields[field]?.values ?? []
        }
    }
}
