/// The subject of a report: a search over a range of seeds, or one shard of such a search.
package struct SearchPart: Codable, Hashable {
    /// The upper bound of all seeds, exclusive.
    package static let end = UInt64.max - 1

    /// The first and last seed of the whole search. `last` is nil if a time limit ended the search.
    package var first: UInt64
    package var last: UInt64?
    /// The number of the part and the number of parts, such as 2 of 4. Both are nil for a whole search.
    package var part: UInt64?
    package var of: UInt64?
    // The other settings that change the scenario of a seed or the checks.
    package var profile: String?
    package var canary: Int?
    package var withoutCheckers: Bool?

    /// A whole search with default settings.
    package init(seeds: Range<UInt64>, isOpen: Bool) {
        first = seeds.lowerBound
        last = isOpen ? nil : seeds.upperBound - 1
    }

    /// True if the values are consistent. A report file may contain any values.
    package var isPossible: Bool {
        guard first < Self.end, last.map({ $0 >= first && $0 < Self.end }) ?? true else { return false }
        guard let part, let of else { return part == nil && of == nil }
        return part > 0 && part <= of
    }

    /// The whole search to which this part belongs.
    package var whole: SearchPart {
        var whole = self
        (whole.part, whole.of) = (nil, nil)
        return whole
    }

    /// The search without its range of seeds. Reports of different ranges can only be merged if these settings are
    /// equal.
    private var settings: SearchPart {
        var settings = whole
        (settings.first, settings.last) = (0, nil)
        return settings
    }

    /// The blocks of seeds of the whole search.
    private var blocks: Range<UInt64> { Explorer.blocks(of: first..<((last ?? Self.end - 1) + 1)) }

    /// True if both contain a seed of the same search. A search without a last seed only overlaps with an equal search.
    package func overlaps(_ other: SearchPart) -> Bool {
        guard settings == other.settings else { return false }
        guard let last, let otherLast = other.last else { return whole == other.whole }
        return first <= otherLast && other.first <= last
    }

    /// The numbers of the parts that have seeds and are not in `numbers`: the first `shown` of them, and their count.
    package func missing(besides numbers: Set<UInt64>, shown: Int) -> (numbers: [UInt64], count: UInt64) {
        guard let of else { return ([], 0) }
        let blocks = blocks
        let count = UInt64(blocks.count)
        let firstMissing: [UInt64]
        let presentCount: Int
        // If there are more parts than blocks, some parts contain no seeds.
        if count < of {
            firstMissing = Array(blocks.lazy.map { $0 % of + 1 }.filter { !numbers.contains($0) }.prefix(shown))
            presentCount = numbers.count { number in
                let (index, start) = (number - 1, blocks.lowerBound % of)
                return (index >= start ? index - start : of - start + index) < count
            }
        } else {
            firstMissing = Array((1...of).lazy.filter { !numbers.contains($0) }.prefix(shown))
            presentCount = numbers.count
        }
        return (firstMissing.sorted(), min(count, of) - UInt64(presentCount))
    }

    /// The search as text, such as `seeds 0..255 of nim`.
    package var summary: String {
        var summary = "seeds \(first).." + (last.map { "\($0)" } ?? "")
        if let profile { summary += " of \(profile)" }
        if let canary { summary += " with --canary \(canary)" }
        if withoutCheckers == true { summary += " without checkers" }
        guard let part, let of else { return summary }
        return "part \(part)/\(of) of \(summary)"
    }
}

extension SearchPart: Comparable {
    package static func < (left: SearchPart, right: SearchPart) -> Bool {
        if left.first != right.first { return left.first < right.first }
        let (one, two) = (left.last ?? .max, right.last ?? .max)
        if one != two { return one < two }
        if left.part != right.part { return left.part ?? 0 < right.part ?? 0 }
        return left.summary < right.summary
    }
}
