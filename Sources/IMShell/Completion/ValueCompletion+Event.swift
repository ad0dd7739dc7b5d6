import IMDebugger
import IMText

// Completion of `expect event`: inside the filter and after it.

extension ValueCompletion {
    /// - Returns: nil if the expectation is not one of `expect event`.
    func event(_ partial: PartialLine, after positionals: [String], of command: CommandInfo) -> LineCompletion? {
        var isNegative = command.name == "expect-none"
        var words = partial.typedWords.suffix(positionals.count)
        if words.first == "none" {
            isNegative = true
            words = words.dropFirst()
        }
        guard words.popFirst() == ObservedEvent.Kind.event.rawValue else { return nil }
        let filter = Array(words)
        let end = ExpectClause.endOfFilter(filter, from: 0)
        guard end == filter.count else {
            return suffix(partial, after: Array(filter[end...]), isNegative: isNegative)
        }
        let typed = (filter + [partial.typedCurrent]).joined(separator: " ")
        let (length, found) = FilterCompletion.completion(for: typed, nodes: context.clients)
        var candidates = found.map { Candidate(partial.typedCurrent.dropLast(length) + $0) }
        if isWhole(filter) {
            candidates += suffixes(isNegative: isNegative, used: [])
                .filter { $0.text.hasPrefix(partial.typedCurrent) }
        }
        return LineCompletion(replaceFrom: partial.currentStart, candidates: candidates)
    }

    /// True if the words are a complete filter.
    private func isWhole(_ words: [String]) -> Bool {
        (try? Filter(parsing: words.joined(separator: " "))) != nil
    }

    private func suffix(_ partial: PartialLine, after words: [String], isNegative: Bool) -> LineCompletion {
        let found =
            switch words.last.flatMap(ExpectClause.Suffix.init(rawValue:)) {
            case .within, .for: durations(partial.current)
            case .as: context.variables.sorted().map { Candidate("$" + $0, help: "variable") }
            case nil: suffixes(isNegative: isNegative, used: words)
            }
        return LineCompletion(
            replaceFrom: partial.currentStart, candidates: found.filter { $0.text.hasPrefix(partial.current) })
    }
}
