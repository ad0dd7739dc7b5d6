/// The visited positions, like the history of a browser.
struct VisitedPositions: Equatable, Sendable {
    /// The maximum length; older positions are dropped.
    static let countMax = 1000

    private(set) var numbers: [UInt64] = [0]
    private(set) var index = 0

    /// Visits a new position and drops the ones ahead.
    mutating func visit(_ number: UInt64, from: UInt64) {
        guard number != from else { return }
        numbers.removeSubrange((index + 1)...)
        if numbers[index] != from { numbers.append(from) }
        numbers.append(number)
        if numbers.count > VisitedPositions.countMax { numbers.removeFirst(numbers.count - VisitedPositions.countMax) }
        index = numbers.count - 1
    }

    /// The position before (-1) or after (1); nil at the end of the list.
    mutating func turn(_ step: Int, from: UInt64) -> UInt64? {
        guard numbers.indices.contains(index + step) else { return nil }
        index += step
        return numbers[index]
    }
}
