/// A generator of random numbers that is part of a machine's state (SplitMix64).
///
/// A seed gives the same numbers on every computer. A copy of the generator continues with the same numbers as the
/// original.
public struct SeededRandom: Hashable, Sendable, Codable {
    private var state: UInt64

    /// A generator that starts with this seed. Every seed is valid, including 0.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next 64 random bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number in `0 ..< bound`; 0 if the bound is 0.
    public mutating func below(_ bound: UInt64) -> UInt64 {
        // The high half of the product. The probabilities of two numbers differ by at most 2^-64. A loop that rejects
        // some draws would make them equal, which is not necessary here.
        next().multipliedFullWidth(by: bound).high
    }

    /// An interval in `0 ... limit`; zero if the limit is not positive.
    public mutating func interval(upTo limit: Interval) -> Interval {
        guard limit.nanoseconds > 0 else { return .zero }
        return Interval(nanoseconds: Int64(below(UInt64(limit.nanoseconds) + 1)))
    }

    /// True with the given probability, in parts per million.
    public mutating func chance(partsPerMillion: UInt64) -> Bool {
        below(1_000_000) < partsPerMillion
    }

    /// A new generator whose seed is drawn from this one. Draws from the new generator do not change the later draws
    /// from this one.
    public mutating func fork() -> SeededRandom {
        SeededRandom(seed: next())
    }
}
