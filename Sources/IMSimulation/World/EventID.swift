/// The number of an event in its world, from 1. It is the same with and without a recording, so that a frame in flight
/// can refer to its cause.
package struct EventID: Hashable, Sendable {
    package let rawValue: UInt64

    package init(rawValue: UInt64) { self.rawValue = rawValue }

    /// No event: the cause was outside of the world.
    package static let none = EventID(rawValue: 0)

    /// The event that came `count` events later.
    func advanced(by count: Int) -> EventID {
        self == .none ? .none : EventID(rawValue: rawValue &+ UInt64(count))
    }
}

/// The numbers that a recording gave to the events of a world.
///
/// A recording also counts records that are no events of the world, such as keyframes. It may begin late or pause.
/// Between two such interruptions, an event's id and its number in the recording increase together: that is a run.
struct EventNumbers {
    private struct Run {
        var begin: EventID
        /// The number of the first event in the recording; 0 if the run is not recorded.
        var number: UInt64
    }

    /// The maximum number of runs. The oldest are dropped; an effect whose cause is in a dropped run is written without
    /// the cause.
    static let runCountMax = 8192
    private var runs: [Run] = []

    /// Adds the number of an event; 0 for one that is not recorded.
    mutating func note(_ id: EventID, _ number: UInt64) {
        if let last = runs.last, Self.number(of: id, in: last) == number { return }
        runs.append(Run(begin: id, number: number))
        if runs.count > Self.runCountMax { runs.removeFirst(Self.runCountMax / 2) }
    }

    /// The number of an event; 0 for one that is not in the recording.
    func number(of id: EventID) -> UInt64 {
        // The search begins with the newest run, because an effect mostly comes soon after its cause.
        guard id != .none, let run = runs.last(where: { $0.begin.rawValue <= id.rawValue }) else { return 0 }
        return Self.number(of: id, in: run)
    }

    private static func number(of id: EventID, in run: Run) -> UInt64 {
        run.number == 0 ? 0 : run.number &+ (id.rawValue &- run.begin.rawValue)
    }
}
