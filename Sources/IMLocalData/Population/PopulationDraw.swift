import SansIO

// The random numbers of generated data. Those of an entry are computed from the seed and the entry's index, so that any
// entry can be generated without the entries before it.

extension SeededRandom {
    /// The random numbers of one entry.
    ///
    /// - Parameters:
    ///   - key: the seed of the population.
    ///   - subject: the kind of entry.
    ///   - index: the index among the entries of the kind.
    init(_ key: UInt64, _ subject: UInt64, _ index: Int) {
        // Mixed twice, so that entries with adjacent indices get independent numbers.
        var mixed = SeededRandom(seed: key ^ (subject &* 0xD1B5_4A32_D192_ED03))
        mixed = SeededRandom(seed: mixed.next() ^ UInt64(bitPattern: Int64(index)))
        self.init(seed: mixed.next())
    }

    /// A random index of a list with `count` elements; 0 if the list is empty.
    mutating func itemIndex(_ count: Int) -> Int { Int(below(UInt64(max(count, 0)))) }

    /// A random index of a list with `count` elements. Lower indices are more frequent.
    mutating func earlyIndex(_ count: Int) -> Int {
        let even = next() >> 32
        return PopulationDraw.scaled((even * even) >> 32, to: count)
    }

    /// A random index of a list with `count` elements. The lowest indices get most draws: the index is proportional to
    /// the cube of a uniform number.
    mutating func skewedIndex(_ count: Int) -> Int {
        let even = next() >> 32
        return PopulationDraw.scaled((((even * even) >> 32) * even) >> 32, to: count)
    }

    mutating func one<Value>(of list: [Value]) -> Value { list[itemIndex(list.count)] }

    mutating func percent(_ share: UInt64) -> Bool { below(100) < share }

    /// A random time before `end`, at most `length` milliseconds earlier.
    mutating func time(before end: Int64, within length: Int64) -> Int64 {
        end - 1 - Int64(below(UInt64(max(length, 1))))
    }

    /// A random file size in bytes. Most sizes are near `middle`, and as many are below as above it.
    ///
    /// - Parameter octaves: the largest size is `middle` doubled this many times, the smallest is halved this many
    ///   times.
    mutating func size(around middle: Int64, octaves: Int64) -> Int64 {
        let bits = next()
        // The sum of four uniform numbers is nearly normal.
        let sum = (0..<4).reduce(Int64(0)) { $0 + Int64((bits >> (16 * UInt64($1))) & 0xFFFF) }
        let power = (sum - 131_070) * octaves / 2
        let whole = power >> 16
        let scaled = (middle * (0x10000 + (power & 0xFFFF))) >> 16
        return max(1, whole < 0 ? scaled >> -whole : scaled << whole)
    }
}

enum PopulationDraw {
    /// Converts `part`, a number below 2^32, into an index of a list with `count` elements, in proportion.
    static func scaled(_ part: UInt64, to count: Int) -> Int { Int((part * UInt64(max(count, 0))) >> 32) }

    /// A hash of a text (FNV-1a).
    static func key(of text: String) -> UInt64 {
        text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
    }

    /// A pseudo-random permutation of the indices of a list with `count` elements: a Feistel network with four rounds.
    /// Its range is larger than the list, so it is applied again until the result is an index of the list.
    static func shuffled(_ itemIndex: Int, of count: Int, key: UInt64) -> Int {
        guard count > 1, itemIndex >= 0, itemIndex < count else { return 0 }
        let bits = UInt64(Int.bitWidth - (count - 1).leadingZeroBitCount)
        let half = (bits + 1) / 2
        let mask = (UInt64(1) << half) - 1
        var value = UInt64(itemIndex)
        repeat {
            var (left, right) = (value >> half, value & mask)
            for round in 0..<4 {
                var random = SeededRandom(seed: key &+ UInt64(round) << 56 &+ right)
                (left, right) = (right, left ^ (random.next() & mask))
            }
            value = left << half | right
        } while value >= UInt64(count)
        return Int(value)
    }
}
