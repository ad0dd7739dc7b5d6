import SansIO

/// Numbers that were taken in, held as ranges without gaps, so that a long run of them costs no more than one.
///
/// Nothing is ever forgotten within the bound on ranges. At the bound the lowest range is let go, and from then on it is
/// not known of any number up to its end whether it was taken in.
public struct NumberRanges: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// What is known of a number.
    public enum Finding: Hashable, Sendable {
        /// It was not taken in yet.
        case new
        /// It was taken in.
        case taken
        /// It lies where nothing is known any more.
        case tooOld
    }

    /// In order, none next to another.
    public private(set) var ranges: [ClosedRange<UInt64>] = []
    /// Up to here nothing is known.
    private var floor: UInt64?

    /// Nothing was taken in yet.
    public init() {}

    /// What is known of a number; nothing changes.
    public func finding(_ number: UInt64) -> Finding {
        if let floor, number <= floor { return .tooOld }
        let index = place(of: number)
        return index < ranges.count && ranges[index].contains(number) ? .taken : .new
    }

    /// Takes a number in.
    ///
    /// - Parameter rangesMax: how many ranges may be held.
    /// - Returns: what was known of it before.
    @discardableResult
    public mutating func take(_ number: UInt64, rangesMax: Int) -> Finding {
        let finding = finding(number)
        guard finding == .new else { return finding }
        let index = place(of: number)
        let joinsBefore = index > 0 && number > 0 && ranges[index - 1].upperBound == number - 1
        let joinsAfter = index < ranges.count && number < .max && ranges[index].lowerBound == number + 1
        switch (joinsBefore, joinsAfter) {
        case (true, true):
            ranges[index - 1] = ranges[index - 1].lowerBound...max(number, ranges[index].upperBound)
            ranges.remove(at: index)
        case (true, false): ranges[index - 1] = ranges[index - 1].lowerBound...number
        case (false, true): ranges[index] = number...max(number, ranges[index].upperBound)
        case (false, false): ranges.insert(number...number, at: index)
        }
        while ranges.count > max(1, rangesMax) { floor = ranges.removeFirst().upperBound }
        return .new
    }

    /// The last number of the run that a number is in; nil where it was not taken in.
    public func end(ofRunWith number: UInt64) -> UInt64? {
        let index = place(of: number)
        return index < ranges.count && ranges[index].contains(number) ? ranges[index].upperBound : nil
    }

    /// The first range that does not end before the number.
    private func place(of number: UInt64) -> Int {
        // Nearly always it comes after everything, or belongs to the last.
        guard let last = ranges.last, last.upperBound >= number else { return ranges.count }
        return ranges.partitioningIndex { $0.upperBound >= number }
    }
}

/// A part of a kept state that older versions did not have: where it is absent, it is empty.
public protocol EmptyWhenAbsent {
    /// The part where it is absent.
    init()
}

extension KeyedDecodingContainer {
    // The synthesised decoding of whatever holds such a part calls this one, because it is the more special.
    /// The part of this key; an empty one where the key is absent or its value is null.
    public func decode<Part: Decodable & EmptyWhenAbsent>(_ type: Part.Type, forKey key: Key) throws -> Part {
        try decodeIfPresent(type, forKey: key) ?? Part()
    }
}
