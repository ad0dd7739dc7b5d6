import SansIO

/// A set of received numbers, stored as ranges, so that a long run of them costs no more than one.
///
/// Within the limit on ranges no number is ever lost. At the limit the lowest range is dropped, and from then on it is
/// unknown of any number up to its end whether it was received.
public struct NumberRanges: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// The state of a number.
    public enum Finding: Hashable, Sendable {
        /// The number has not been received.
        case new
        /// The number has been received.
        case taken
        /// The number lies in the dropped range, so its state is unknown.
        case tooOld
    }

    /// In order, none adjacent to another.
    public private(set) var ranges: [ClosedRange<UInt64>] = []
    /// The state of numbers up to this one is unknown.
    private var floor: UInt64?

    /// No numbers.
    public init() {}

    /// The state of a number; changes nothing.
    public func finding(_ number: UInt64) -> Finding {
        if let floor, number <= floor { return .tooOld }
        let index = rangeIndex(of: number)
        return index < ranges.count && ranges[index].contains(number) ? .taken : .new
    }

    /// Adds a number.
    ///
    /// - Parameter rangesMax: the maximum number of ranges.
    /// - Returns: the state of the number before.
    @discardableResult
    public mutating func take(_ number: UInt64, rangesMax: Int) -> Finding {
        let finding = finding(number)
        guard finding == .new else { return finding }
        let index = rangeIndex(of: number)
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

    /// The last number of the range that contains a number; nil if it was not received.
    public func end(ofRunWith number: UInt64) -> UInt64? {
        let index = rangeIndex(of: number)
        return index < ranges.count && ranges[index].contains(number) ? ranges[index].upperBound : nil
    }

    /// The index of the first range that does not end before the number.
    private func rangeIndex(of number: UInt64) -> Int {
        // Nearly always the number comes after all ranges, or belongs to the last one.
        guard let last = ranges.last, last.upperBound >= number else { return ranges.count }
        return ranges.partitioningIndex { $0.upperBound >= number }
    }
}

/// A part of a stored state that older versions did not have: if it is absent, it is empty.
public protocol EmptyWhenAbsent {
    /// The empty part.
    init()
}

extension KeyedDecodingContainer {
    // Overload resolution prefers this more specific function in synthesised decoding.
    /// The part for this key; empty if the key is absent or its value is null.
    public func decode<Part: Decodable & EmptyWhenAbsent>(_ type: Part.Type, forKey key: Key) throws -> Part {
        try decodeIfPresent(type, forKey: key) ?? Part()
    }
}
