/// Suggests the nearest candidate for a mistyped word.
package enum Suggestion {
    /// Longer words are not compared, because the time to compute a distance is the product of both lengths.
    package static let lengthMax = 64

    /// The candidate nearest to `word`, with at most two typing errors, or one if `word` has up to four letters; nil if
    /// there is no such candidate. Ignores case.
    package static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        guard !word.isEmpty, word.count <= lengthMax else { return nil }
        let tolerance = word.count <= 4 ? 1 : 2
        let lowered = word.lowercased()
        var best: (distance: Int, candidate: String)?
        for candidate in candidates where candidate != word && candidate.count <= lengthMax {
            let distance = distance(lowered, candidate.lowercased())
            if distance <= tolerance, distance < best?.distance ?? .max, distance < candidate.count {
                best = (distance, candidate)
            }
        }
        if let best { return best.candidate }
        // An unfinished word has no typing error. If only one candidate begins with it, the user meant that candidate.
        let longer = candidates.filter { $0.hasPrefix(word) && $0 != word }
        return longer.count == 1 ? longer.first : nil
    }

    /// `did you mean 'login'?`, or the list of candidates if it is short and no candidate is near; nil otherwise.
    ///
    /// - Parameter countMax: the maximum number of candidates that are listed.
    package static func hint(
        for word: String, among candidates: [String], prefix: String = "", countMax: Int = 12
    ) -> String? {
        if let nearest = nearest(to: word, among: candidates) { return "did you mean '\(prefix)\(nearest)'?" }
        guard !candidates.isEmpty, candidates.count <= countMax else { return nil }
        return "available: " + candidates.map { prefix + $0 }.joined(separator: ", ")
    }

    /// The number of typing errors between two words (optimal string alignment, a form of the Damerau-Levenshtein
    /// distance). An error inserts, deletes or replaces a character, or swaps two neighbours.
    package static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        var beforePrevious = [Int](repeating: 0, count: right.count + 1)
        var previous = Array(0...right.count)
        for row in 1...left.count {
            var current = [row]
            for column in 1...right.count {
                let isSame = left[row - 1] == right[column - 1]
                var cost = min(previous[column] + 1, current[column - 1] + 1, previous[column - 1] + (isSame ? 0 : 1))
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    cost = min(cost, beforePrevious[column - 2] + 1)
                }
                current.append(cost)
            }
            beforePrevious = previous
            previous = current
        }
        return previous[right.count]
    }
}
