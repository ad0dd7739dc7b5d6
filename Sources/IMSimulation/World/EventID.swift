/// An event of a world: how many there had been when it came, itself included. It stays what it is whichever recording is
/// being written, so that what is on its way can name where it comes from.
package struct EventID: Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Nothing that happened in the world: it came from outside.
    package static let none = EventID(rawValue: 0)

    /// The event that came so many behind it.
    func advanced(by count: Int) -> EventID {
        self == .none ? .none : EventID(rawValue: rawValue &+ UInt64(count))
    }
}

/// The numbers that a recording gave to the events of a world.
///
/// A recording also counts what is no event of the world, such as keyframes, and may begin late or pause; between two of
/// these both count alike.
struct EventNumbers {
    private struct Run {
        var begin: EventID
        /// The number of the first one; 0 where nothing is recorded.
        var number: UInt64
    }

    /// Older runs than so many are forgotten: what comes of an event so old is written without it.
    static let runCountMax = 8192
    private var runs: [Run] = []

    /// Takes in the number of an event; 0 for one that is not recorded.
    mutating func note(_ id: EventID, _ number: UInt64) {
        if let last = runs.last, Self.number(of: id, in: last) == number { return }
        runs.append(Run(begin: id, number: number))
        if runs.count > Self.runCountMax { runs.removeFirst(Self.runCountMax / 2) }
    }

    /// The number of an event; 0 for one that is not in the recording.
    func number(of id: EventID) -> UInt64 {
        // What comes of something mostly comes soon.
        guard id != .none, let run = runs.last(where: { $0.begin.rawValue <= id.rawValue }) else { return 0 }
        return Self.number(of: id, in: run)
    }

    private static func number(of id: EventID, in run: Run) -> UInt64 {
        run.number == 0 ? 0 : run.number &+ (id.rawValue &- run.begin.rawValue)
    }
}
