import IMDebugger
import Recorder

/// Checks conditions that combine several counts with operators (C-16). The counts are known, so the result of each
/// comparison with a count is known too.
enum ConditionSelfChecks {
    private static let filters = ["kind == transition", "kind == command or kind == result", "kind == link"]

    static func failure(_ reader: SessionReader) throws -> String? {
        let recording = try FilterSelfChecks.Scanned(reader)
        let counts = try filters.map { try recording.found($0).count }
        for bits in 0..<8 {
            let truths = (0..<3).map { bits >> $0 & 1 == 1 }
            let terms = truths.indices.map { term(filters[$0], counts[$0], truths[$0], kind: bits + $0) }
            let (a, b, c) = (truths[0], truths[1], truths[2])
            let conditions = [
                ("\(terms[0]) and \(terms[1]) or \(terms[2])", a && b || c),
                ("\(terms[0]) or \(terms[1]) and \(terms[2])", a || b && c),
                ("(\(terms[0]) or \(terms[1])) and not \(terms[2])", (a || b) && !c),
                ("not (\(terms[0]) and \(terms[1])) or \(terms[2])", !(a && b) || c),
            ]
            for (text, isSo) in conditions {
                let condition = try SessionCondition(text)
                guard condition.holds(counts) == isSo else { return "a condition has the wrong result" }
                guard try SessionCondition(condition.negated).holds(counts) != isSo else {
                    return "a condition and its negation have the same result"
                }
            }
        }
        return nil
    }

    /// A comparison with a count that is true if `isSo` is true. `kind` selects the operator.
    private static func term(_ filter: String, _ count: Int, _ isSo: Bool, kind: Int) -> String {
        let right = [">= \(count)", "== \(count)", "<= \(count)", "!= \(count + 1)", "< \(count + 1)"]
        let wrong = ["> \(count)", "!= \(count)", "< \(count)", "== \(count + 1)", ">= \(count + 1)"]
        return "count(\(filter)) \((isSo ? right : wrong)[kind % 5])"
    }
}
