import SansIO

/// A set of received numbers, stored as ranges, so that consecutive numbers use no more memory than one.
///
/// The number of ranges is limited. If it exceeds the limit, the lowest range is removed. It is then unknown whether a
/// number up to the end of this range was received.
public struct NumberRanges: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// The state of a number.
    public enum Finding: Hashable, Sendable {
        /// The number has not been received.
        case new
        /// The number has been received.
        case taken
        /// The number is not higher than the end of a removed range, so it is unknown whether it was received.
        case tooOld
    }

    /// The ranges, in order. Adjacent ranges are joined.
    public private(set) var ranges: [ClosedRange<UInt64>] = []
    /// The end of the last removed range; nil if no range was removed.
    private var floor: UInt64?

    /// Creates an empty set.
    public init() {}

    /// The state of a number.
    public func finding(_ number: UInt64) -> Finding {
        if let floor, number <= floor { return .tooOld }
        let index = rangeIndex(of: number)
        return index < ranges.count && ranges[index].contains(number) ? .taken : .new
    }

    /// Adds a number.
    ///
    /// - Parameter rangesMax: the maximum number of ranges.
    /// - Returns: the state of the number before the call.
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

    /// The index of the first range whose end is not below the number.
    private func rangeIndex(of number: UInt64) -> Int {
        // Nearly always the number is above all ranges, so this case is checked first.
        guard let last = ranges.last, last.upperBound >= number else { return ranges.count }
        return ranges.partitioningIndex { $0.upperBound >= number }
    }
}

/// A part of a stored state that older versions did not have. If it is missing, it is decoded as an empty value.
public protocol EmptyWhenAbsent {
    /// Creates the empty value.
    init()
}

extension KeyedDecodingContainer {
    // Synthesized decoding calls this overload for such parts, because it is more specific than the standard one.
    /// Decodes the part for a key. If the key is missing or its value is null, the part is empty.
    public func decode<Part: Decodable & EmptyWhenAbsent>(_ type: Part.Type, forKey key: Key) throws -> Part {
        try decodeIfPresent(type, forKey: key) ?? Part()
    }
}
