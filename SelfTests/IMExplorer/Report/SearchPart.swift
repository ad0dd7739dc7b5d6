/// The subject of a report: a search over seeds, or one part of it.
package struct SearchPart: Codable, Hashable {
    /// An upper bound of the seeds, exclusive.
    package static let end = UInt64.max - 1

    /// The first and last seed of the whole search. The last is nil if the search ended by time.
    package var first: UInt64
    package var last: UInt64?
    /// The part's number and the number of parts: the second of four parts is 2 of 4. Nil for the whole.
    package var part: UInt64?
    package var of: UInt64?
    // Other settings that change the scenario of a seed, or its checks.
    package var profile: String?
    package var canary: Int?
    package var withoutCheckers: Bool?

    /// A whole search with default settings.
    package init(seeds: Range<UInt64>, isOpen: Bool) {
        first = seeds.lowerBound
        last = isOpen ? nil : seeds.upperBound - 1
    }

    /// True if the values are possible. A file may contain any values.
    package var isPossible: Bool {
        guard first < Self.end, last.map({ $0 >= first && $0 < Self.end }) ?? true else { return false }
        guard let part, let of else { return part == nil && of == nil }
        return part > 0 && part <= of
    }

    /// The search to which the part belongs.
    package var whole: SearchPart {
        var whole = self
        (whole.part, whole.of) = (nil, nil)
        return whole
    }

    /// The same search over all seeds. It must be equal in order to merge reports of several ranges.
    private var settings: SearchPart {
        var settings = whole
        (settings.first, settings.last) = (0, nil)
        return settings
    }

    /// The blocks of the whole search.
    private var blocks: Range<UInt64> { Explorer.blocks(of: first..<((last ?? Self.end - 1) + 1)) }

    /// True if both have seeds of the same search in common. The end of a search without a last seed is unknown.
    package func overlaps(_ other: SearchPart) -> Bool {
        guard settings == other.settings else { return false }
        guard let last, let otherLast = other.last else { return whole == other.whole }
        return first <= otherLast && other.first <= last
    }

    /// The parts with seeds that are missing: a few numbers, and how many there are.
    package func missing(besides numbers: Set<UInt64>, shown: Int) -> (numbers: [UInt64], count: UInt64) {
        guard let of else { return ([], 0) }
        let blocks = blocks
        let count = UInt64(blocks.count)
        let some: [UInt64]
        let there: Int
        // If there are more parts than blocks, some parts have no seeds.
        if count < of {
            some = Array(blocks.lazy.map { $0 % of + 1 }.filter { !numbers.contains($0) }.prefix(shown))
            there = numbers.count { number in
                let (index, start) = (number - 1, blocks.lowerBound % of)
                return (index >= start ? index - start : of - start + index) < count
            }
        } else {
            some = Array((1...of).lazy.filter { !numbers.contains($0) }.prefix(shown))
            there = numbers.count
        }
        return (some.sorted(), min(count, of) - UInt64(there))
    }

    /// `seeds 0..255 of nim`.
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
