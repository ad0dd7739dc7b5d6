/// The visited positions, like the history of a browser.
struct VisitedPositions: Equatable, Sendable {
    /// The maximum number of stored positions. Older positions are removed.
    static let countMax = 1000

    private(set) var numbers: [UInt64] = [0]
    private(set) var index = 0

    /// Adds a new position after the current one, and removes all later positions.
    mutating func visit(_ number: UInt64, from: UInt64) {
        guard number != from else { return }
        numbers.removeSubrange((index + 1)...)
        if numbers[index] != from { numbers.append(from) }
        numbers.append(number)
        if numbers.count > VisitedPositions.countMax { numbers.removeFirst(numbers.count - VisitedPositions.countMax) }
        index = numbers.count - 1
    }

    /// Moves to the previous (-1) or next (1) position and returns it; nil at the end of the list.
    mutating func move(by step: Int) -> UInt64? {
        guard numbers.indices.contains(index + step) else { return nil }
        index += step
        return numbers[index]
    }
}
