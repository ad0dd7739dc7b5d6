import IMSession
import IMText
import Recorder

/// A condition on a whole session: the number of events that match a filter.
///
/// An example is `count(kick and node == phone) >= 2 and not count(callback == onKick) == 0`. A filter alone means
/// `count(FILTER) >= 1`: at least one event matches.
package struct SessionCondition: Sendable {
    /// The condition as the user typed it.
    package let source: String
    private let node: Node

    private indirect enum Node: Sendable {
        case all([Node])
        case any([Node])
        case not(Node)
        case count(Filter, Comparison, Int)
    }

    private enum Comparison: String, Sendable, CaseIterable {
        // `>=` precedes `>`, and `<=` precedes `<`, because the parser uses the first operator that fits.
        case atLeast = ">="
        case atMost = "<="
        case equal = "=="
        case unequal = "!="
        case more = ">"
        case fewer = "<"

        func holds(_ left: Int, _ right: Int) -> Bool {
            switch self {
            case .atLeast: left >= right
            case .atMost: left <= right
            case .equal: left == right
            case .unequal: left != right
            case .more: left > right
            case .fewer: left < right
            }
        }
    }

    /// - Throws: ``FilterError`` for an invalid condition.
    package init(_ source: String) throws(FilterError) {
        self.source = source
        guard source.contains("count(") else {
            node = .count(try Filter(parsing: source), .atLeast, 1)
            return
        }
        var parser = Parser(source)
        node = try parser.parse()
    }

    /// The text of a condition that holds exactly if this condition does not hold.
    package var negated: String { source.contains("count(") ? "not (\(source))" : "count(\(source)) == 0" }

    /// The line of a script that fails if this condition holds.
    package var negatedCheck: String { "check " + (negated.contains("'") ? "\"\(negated)\"" : "'\(negated)'") }

    /// The filters whose matching events are counted, in the order of the text.
    package var filters: [Filter] { Self.filters(node) }

    private static func filters(_ node: Node) -> [Filter] {
        switch node {
        case .all(let nodes), .any(let nodes): nodes.flatMap(filters)
        case .not(let node): filters(node)
        case .count(let filter, _, _): [filter]
        }
    }

    /// True if the condition holds.
    ///
    /// - Parameter counts: the number of matching events for each of ``filters``.
    package func holds(_ counts: [Int]) -> Bool {
        var offset = 0
        return Self.holds(node, counts, &offset)
    }

    private static func holds(_ node: Node, _ counts: [Int], _ offset: inout Int) -> Bool {
        switch node {
        // `map` evaluates all parts, because each part advances the index into the counts.
        case .all(let nodes): return nodes.map { holds($0, counts, &offset) }.allSatisfy(\.self)
        case .any(let nodes): return nodes.map { holds($0, counts, &offset) }.contains(true)
        case .not(let node): return !holds(node, counts, &offset)
        case .count(_, let comparison, let number):
            defer { offset += 1 }
            return comparison.holds(offset < counts.count ? counts[offset] : 0, number)
        }
    }

    /// Parses conditions with `count(FILTER) OPERATOR NUMBER`, `not`, `and`, `or` and parentheses.
    private struct Parser {
        private let text: [Character]
        private var offset = 0

        init(_ source: String) { text = Array(source) }

        mutating func parse() throws(FilterError) -> Node {
            let node = try disjunction(depth: 0)
            skipSpaces()
            guard offset == text.count else { throw error("unexpected text after the condition") }
            return node
        }

        private mutating func disjunction(depth: Int) throws(FilterError) -> Node {
            var nodes = [try conjunction(depth: depth)]
            while take(word: "or") { nodes.append(try conjunction(depth: depth)) }
            return nodes.count == 1 ? nodes[0] : .any(nodes)
        }

        private mutating func conjunction(depth: Int) throws(FilterError) -> Node {
            var nodes = [try condition(depth: depth)]
            while take(word: "and") { nodes.append(try condition(depth: depth)) }
            return nodes.count == 1 ? nodes[0] : .all(nodes)
        }

        private mutating func condition(depth: Int) throws(FilterError) -> Node {
            guard depth < 50 else { throw error("too many brackets") }
            if take(word: "not") { return .not(try condition(depth: depth + 1)) }
            skipSpaces()
            if offset < text.count, text[offset] == "(" {
                offset += 1
                let node = try disjunction(depth: depth + 1)
                skipSpaces()
                guard offset < text.count, text[offset] == ")" else { throw error("')' is missing") }
                offset += 1
                return node
            }
            guard take(word: "count") else { throw error("expected count(FILTER)") }
            let filter = try countedFilter()
            skipSpaces()
            for comparison in Comparison.allCases where starts(comparison.rawValue) {
                offset += comparison.rawValue.count
                return .count(filter, comparison, try number())
            }
            throw error("expected one of >= <= == != > <")
        }

        private mutating func countedFilter() throws(FilterError) -> Filter {
            skipSpaces()
            guard offset < text.count, text[offset] == "(" else { throw error("'(' is missing") }
            let start = offset + 1
            var depth = 0
            var quote: Character?
            while offset < text.count {
                let character = text[offset]
                if let open = quote {
                    if character == open { quote = nil }
                } else if character == "\"" || character == "'" {
                    quote = character
                } else if character == "(" {
                    depth += 1
                } else if character == ")" {
                    depth -= 1
                    if depth == 0 { break }
                }
                offset += 1
            }
            guard offset < text.count else { throw error("')' is missing") }
            offset += 1
            return try Filter(parsing: String(text[start..<(offset - 1)]))
        }

        private mutating func number() throws(FilterError) -> Int {
            skipSpaces()
            var digits = ""
            while offset < text.count, text[offset].isASCII, text[offset].isNumber {
                digits.append(text[offset])
                offset += 1
            }
            guard let number = Int(digits) else { throw error("expected a number") }
            return number
        }

        private mutating func take(word: String) -> Bool {
            skipSpaces()
            guard starts(word) else { return false }
            let end = offset + word.count
            if end < text.count, text[end].isLetter { return false }
            offset = end
            return true
        }

        private func starts(_ word: String) -> Bool { text[offset...].starts(with: word) }

        private mutating func skipSpaces() {
            while offset < text.count, text[offset].isWhitespace { offset += 1 }
        }

        private func error(_ message: String) -> FilterError {
            var error = FilterError(message, at: offset)
            error.source = String(text)
            return error
        }
    }
}
