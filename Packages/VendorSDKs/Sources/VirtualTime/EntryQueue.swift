import SansIO

/// Entries in their running order: those that are due in an array, the others in a heap by time.
struct EntryQueue {
    /// The maximum number of due entries that a draw covers, so that a burst of blocks stays quick.
    private static let window = 64

    private var ready: [Entry] = []
    private var firstReady = 0
    /// A binary heap by time, then by the order of enqueuing.
    private var later: [Entry] = []

    /// The time of the earliest entry that is not due yet.
    mutating func nextDue() -> UInt64? {
        while let first = later.first, first.work == nil { _ = popLater() }
        return later.first?.due
    }

    mutating func add(_ entry: Entry, now: UInt64) {
        if entry.due <= now {
            ready.append(entry)
        } else {
            pushLater(entry)
        }
    }

    /// Moves due entries to `ready`, in the order of their times.
    mutating func makeReady(now: UInt64) {
        while let first = later.first, first.due <= now || first.work == nil {
            let entry = popLater()
            if entry.work != nil { ready.append(entry) }
        }
    }

    /// Removes the ready entry that runs next: the first whose place is free or, with a generator, a drawn one among
    /// those without a promised order.
    mutating func takeReady(isFree: (Position) -> Bool, generator: inout SeededRandom?) -> Entry? {
        while firstReady < ready.count, ready[firstReady].work == nil { dropFirst() }
        guard generator != nil else {
            let index = (firstReady..<ready.count).first { isRunnable(at: $0, isFree) }
            return index.map { take(at: $0) }
        }
        let candidates = candidates(isFree: isFree)
        guard !candidates.isEmpty else { return nil }
        let choice = candidates.count == 1 ? 0 : generator?.draw(below: candidates.count) ?? 0
        return take(at: candidates[choice])
    }

    /// True if an entry is due at a position.
    func hasReady(at position: Position) -> Bool {
        ready[firstReady...].contains { $0.work != nil && $0.position == position }
    }

    /// All entries that have not run yet: first the due ones, then the rest by time.
    var pending: [Entry] {
        let ordered = later.sorted { Self.isEarlier($0, $1) }
        return ready[firstReady...].filter(\.isPending) + ordered.filter(\.isPending)
    }

    /// Drops the entries of a process.
    mutating func discard(_ process: ProcessID) {
        for entry in pending where entry.process == process { entry.cancel() }
    }

    private func isRunnable(at index: Int, _ isFree: (Position) -> Bool) -> Bool {
        ready[index].work != nil && isFree(ready[index].position)
    }

    private func candidates(isFree: (Position) -> Bool) -> [Int] {
        var result: [Int] = []
        var promised: Set<Position> = []
        var index = firstReady
        while index < ready.count, result.count < Self.window {
            defer { index += 1 }
            guard isRunnable(at: index, isFree) else { continue }
            let entry = ready[index]
            if entry.isOrdered && !promised.insert(entry.position).inserted { continue }
            result.append(index)
        }
        return result
    }

    private mutating func take(at index: Int) -> Entry {
        let entry = ready[index]
        // The entries before it move up: they are few, while there may be many after it.
        for moved in stride(from: index, to: firstReady, by: -1) { ready[moved] = ready[moved - 1] }
        dropFirst()
        return entry
    }

    private mutating func dropFirst() {
        firstReady += 1
        if firstReady == ready.count {
            ready.removeAll(keepingCapacity: true)
            firstReady = 0
        } else if firstReady > 1_024, firstReady * 2 > ready.count {
            ready.removeFirst(firstReady)
            firstReady = 0
        }
    }

    private static func isEarlier(_ one: Entry, _ other: Entry) -> Bool {
        (one.due, one.sequence) < (other.due, other.sequence)
    }

    private mutating func pushLater(_ entry: Entry) {
        later.append(entry)
        var child = later.count - 1
        while child > 0, case let parent = (child - 1) / 2, Self.isEarlier(later[child], later[parent]) {
            later.swapAt(child, parent)
            child = parent
        }
    }

    private mutating func popLater() -> Entry {
        later.swapAt(0, later.count - 1)
        let entry = later.removeLast()
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < later.count && Self.isEarlier(later[child], later[smallest]) {
                smallest = child
            }
            guard smallest != parent else { return entry }
            later.swapAt(parent, smallest)
            parent = smallest
        }
    }
}

extension SeededRandom {
    /// A number in `0 ..< bound`; `bound` is above zero.
    mutating func draw(below bound: Int) -> Int { Int(below(UInt64(bound))) }
}
