import IMExplorer

/// What a report is about: a search of some seeds, or one part of it.
struct SearchPart: Codable, Hashable {
    /// The first seed of the whole search, and the last; nil where there is none, so that time ended it.
    var first: UInt64
    var last: UInt64?
    /// The second of four parts is 2 of 4; nil for the whole.
    var part: UInt64?
    var of: UInt64?
    // What else makes a seed another scenario, or lets it be looked at otherwise.
    var profile: String?
    var canary: Int?
    var withoutOracles: Bool?

    init(_ request: ExploreRequest) {
        let seeds = request.seeds ?? 0..<SeedRange.end
        first = seeds.lowerBound
        last = seeds.upperBound == SeedRange.end ? nil : seeds.upperBound - 1
        (part, of) = (request.shard?.index, request.shard?.count)
        (profile, canary) = (request.profile, request.canaryAt)
        withoutOracles = request.hasOracles ? nil : true
    }

    /// Whether it can be one: a file may say anything.
    var isPossible: Bool {
        guard first < SeedRange.end, last.map({ $0 >= first && $0 < SeedRange.end }) ?? true else { return false }
        guard let part, let of else { return part == nil && of == nil }
        return part > 0 && part <= of
    }

    /// The search that it is a part of.
    var whole: SearchPart {
        var whole = self
        (whole.part, whole.of) = (nil, nil)
        return whole
    }

    /// The same search of all seeds: what must be equal where reports of several ranges are put together.
    private var settings: SearchPart {
        var settings = whole
        (settings.first, settings.last) = (0, nil)
        return settings
    }

    /// The blocks that all its parts share.
    private var blocks: Range<UInt64> { Explorer.blocks(of: first..<((last ?? SeedRange.end - 1) + 1)) }

    /// Whether both have some of the seeds of one search. Where a search without a last seed ended, nobody knows.
    func overlaps(_ other: SearchPart) -> Bool {
        guard settings == other.settings else { return false }
        guard let last, let otherLast = other.last else { return whole == other.whole }
        return first <= otherLast && other.first <= last
    }

    /// The parts besides these that have seeds, a few of them by their numbers, with how many there are.
    func missing(besides numbers: Set<UInt64>, shown: Int) -> (numbers: [UInt64], count: UInt64) {
        guard let of else { return ([], 0) }
        let blocks = blocks
        let count = UInt64(blocks.count)
        let some: [UInt64]
        let there: Int
        // Of more parts than there are blocks some have nothing to search.
        if count < of {
            some = Array(blocks.lazy.map { $0 % of + 1 }.filter { !numbers.contains($0) }.prefix(shown))
            there = numbers.count { number in
                let (place, start) = (number - 1, blocks.lowerBound % of)
                return (place >= start ? place - start : of - start + place) < count
            }
        } else {
            some = Array((1...of).lazy.filter { !numbers.contains($0) }.prefix(shown))
            there = numbers.count
        }
        return (some.sorted(), min(count, of) - UInt64(there))
    }

    /// `seeds 0..255 of nim`.
    var words: String {
        var words = "seeds \(first).." + (last.map { "\($0)" } ?? "")
        if let profile { words += " of \(profile)" }
        if let canary { words += " with --canary \(canary)" }
        if withoutOracles == true { words += " without oracles" }
        guard let part, let of else { return words }
        return "part \(part)/\(of) of \(words)"
    }
}

extension SearchPart: Comparable {
    static func < (left: SearchPart, right: SearchPart) -> Bool {
        if left.first != right.first { return left.first < right.first }
        let (one, two) = (left.last ?? .max, right.last ?? .max)
        if one != two { return one < two }
        if left.part != right.part { return left.part ?? 0 < right.part ?? 0 }
        return left.words < right.words
    }
}
