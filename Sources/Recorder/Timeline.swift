/// A session that can be walked through in both directions.
///
/// A position is the number of the last event that has happened; 0 is before all. Opening replays the session once and
/// keeps copies of the machines on the way; a jump takes the nearest copy before the target and runs on from there.
public struct Timeline<Schema: SessionSchema>: Sendable {
    /// A place to enter: the machines, and where the scan goes on.
    private struct Checkpoint: Sendable {
        var number: UInt64
        var replay: Replay<Schema>
        var bookmark: SessionScanner.Bookmark?
    }

    public let reader: SessionReader
    public let schema: Schema
    /// The number of the last event.
    public let count: UInt64
    /// In order; the first is before all events.
    private var checkpoints: [Checkpoint]
    /// The last event that has happened.
    public private(set) var position: UInt64 = 0
    /// The machines at the position.
    public private(set) var state = Replay<Schema>()

    /// How many events the last jump ran again.
    public private(set) var lastRun: UInt64 = 0

    /// So many copies are kept at most; the distance between them grows with the session.
    private static var checkpointCountMax: Int { 512 }

    /// Opens a session and replays it once, without comparing effects.
    ///
    /// - Parameter checkpointInterval: events between two copies of the machines, at first; at least 1.
    /// - Throws: ``SessionError``.
    public init(
        reader: SessionReader, schema: Schema, checkpointInterval: UInt64 = 1024, sameBehaviour: Bool = true
    ) throws(SessionError) {
        try reader.requireFormat(of: schema, sameBehaviour: sameBehaviour)
        self.reader = reader
        self.schema = schema
        var checkpoints = [Checkpoint(number: 0, replay: Replay(), bookmark: nil)]
        var interval = max(checkpointInterval, 1)
        var replay = Replay<Schema>()
        var effects: [Schema.Subject.Effect] = []
        let scanner = reader.makeScanner()
        while let view = try scanner.next() {
            effects.removeAll(keepingCapacity: true)
            try replay.apply(view, schema: schema, effects: &effects, nodeNames: reader.nodes)
            guard view.number % interval == 0 else { continue }
            checkpoints.append(Checkpoint(number: view.number, replay: replay, bookmark: scanner.bookmark))
            if checkpoints.count > Timeline.checkpointCountMax {
                // Cannot overflow: that many copies at this distance lie within the numbers of the events.
                interval &*= 2
                checkpoints.removeAll { $0.number % interval != 0 }
            }
        }
        self.checkpoints = checkpoints
        count = scanner.lastNumber
    }

    /// The machines after an event.
    ///
    /// - Parameter number: 0 ... ``count``; 0 gives none.
    /// - Throws: ``SessionError/noSuchEvent(number:last:)``.
    public func state(at number: UInt64) throws(SessionError) -> Replay<Schema> {
        guard number <= count else { throw .noSuchEvent(number: number, last: count) }
        if number == position { return state }
        let checkpoint = nearest(number)
        var replay = checkpoint.replay
        if checkpoint.number == number { return replay }
        var effects: [Schema.Subject.Effect] = []
        let scanner = reader.makeScanner(from: checkpoint.bookmark)
        while scanner.lastNumber < number, let view = try scanner.next() {
            effects.removeAll(keepingCapacity: true)
            try replay.apply(view, schema: schema, effects: &effects, nodeNames: reader.nodes)
        }
        return replay
    }

    /// Goes to an event, forwards or backwards.
    public mutating func go(to number: UInt64) throws(SessionError) {
        state = try state(at: number)
        position = number
    }

    /// Goes one event on.
    ///
    /// - Returns: that event; nil at the end.
    @discardableResult
    public mutating func step() throws(SessionError) -> Event? {
        guard position < count else { return nil }
        let event = try event(position + 1)
        try go(to: position + 1)
        return event
    }

    /// Takes back the last event.
    ///
    /// - Returns: the event that is now the last one; nil at the beginning.
    @discardableResult
    public mutating func stepBack() throws(SessionError) -> Event? {
        guard position > 0 else { return nil }
        try go(to: position - 1)
        return position == 0 ? nil : try event(position)
    }

    /// One event.
    public func event(_ number: UInt64) throws(SessionError) -> Event {
        guard let event = try events(number...number).first else {
            throw .noSuchEvent(number: number, last: count)
        }
        return event
    }

    /// The events of a range, as far as they exist.
    public func events(_ range: ClosedRange<UInt64>) throws(SessionError) -> [Event] {
        var events: [Event] = []
        let first = max(range.lowerBound, 1)
        guard first <= count else { return [] }
        let scanner = reader.makeScanner(from: nearest(first - 1).bookmark)
        while scanner.lastNumber < min(range.upperBound, count), let view = try scanner.next() {
            if view.number >= first { events.append(Event(view)) }
        }
        return events
    }

    /// The next event behind `number`, up to `last`, that satisfies the condition.
    public func first(
        after number: UInt64, upTo last: UInt64 = .max, where condition: (EventView) -> Bool
    ) throws(SessionError) -> Event? {
        guard number < count else { return nil }
        let scanner = reader.makeScanner(from: nearest(number).bookmark)
        while scanner.lastNumber < last, let view = try scanner.next() {
            if view.number > number, condition(view) { return Event(view) }
        }
        return nil
    }

    /// The last event before `number` that satisfies the condition.
    public func last(before number: UInt64, where condition: (EventView) -> Bool) throws(SessionError) -> Event? {
        var end = min(number, count &+ 1)
        while end > 1 {
            // From the copy before the end, so that a long session is not read from its beginning.
            let checkpoint = nearest(end - 2)
            var found: Event?
            let scanner = reader.makeScanner(from: checkpoint.bookmark)
            while scanner.lastNumber < end - 1, let view = try scanner.next() {
                if condition(view) { found = Event(view) }
            }
            if let found { return found }
            end = checkpoint.number + 1
        }
        return nil
    }

    /// The last copy that is not behind the event.
    private func nearest(_ number: UInt64) -> Checkpoint {
        var low = 0
        var high = checkpoints.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if checkpoints[middle].number <= number { low = middle } else { high = middle }
        }
        return checkpoints[low]
    }
}
