/// A recorded session with a position, which can be moved forwards and backwards.
///
/// The position is the number of the last event that has happened; 0 is before the first event. Moving the position
/// only reads events. The machines run when a state is requested, from the nearest earlier keyframe or cached state. A
/// copy of a timeline has its own position, and shares the cache with the original.
public struct Timeline<Schema: SessionSchema> {
    /// The reader of the session.
    public let reader: SessionReader
    /// The schema of the session's machines.
    public let schema: Schema
    /// The number of the last event.
    public let count: UInt64
    /// The number of the last event that has happened; 0 before the first event.
    public private(set) var position: UInt64 = 0
    /// The event at the position; nil before the first event.
    private var current: Event?
    /// The bookmark after the event at the position.
    private var bookmark: SessionScanner.Bookmark?
    private let memory: TimelineMemory<Schema>

    /// The minimum number of events between two positions of a backward search.
    private static var stepBackMin: UInt64 { 512 }

    /// Opens a session.
    ///
    /// - Parameters:
    ///   - checkpointInterval: the number of events between two cached states, at least 1. The cache increases it in a
    ///     long session.
    ///   - sameBehaviour: true to refuse a session of another behaviour version. If false, states are computed from the
    ///     starts of the machines, because the keyframes of such a session contain states of other machines.
    /// - Throws: ``SessionError/otherFormat(found:expected:)`` or ``SessionError/otherBehaviour(found:expected:)``.
    public init(
        reader: SessionReader, schema: Schema, checkpointInterval: UInt64 = 1024, sameBehaviour: Bool = true
    ) throws(SessionError) {
        try reader.requireFormat(of: schema, sameBehaviour: sameBehaviour)
        self.reader = reader
        self.schema = schema
        count = reader.eventCount
        memory = TimelineMemory(reader: reader, schema: schema, interval: max(checkpointInterval, 1))
    }

    // MARK: Moving

    /// Moves the position to an event, forwards or backwards.
    ///
    /// - Throws: ``SessionError/noSuchEvent(number:last:)``.
    public mutating func go(to number: UInt64) throws(SessionError) {
        guard number <= count else { throw .noSuchEvent(number: number, last: count) }
        guard number != position else { return }
        let found = number == 0 ? nil : try memory.event(number, from: bookmark)
        current = found?.event
        bookmark = found?.bookmark
        position = number
    }

    /// Moves the position one event forwards.
    ///
    /// - Returns: the event at the new position; nil if the position was at the end.
    @discardableResult
    public mutating func step() throws(SessionError) -> Event? {
        guard position < count else { return nil }
        try go(to: position + 1)
        return current
    }

    /// Moves the position one event backwards.
    ///
    /// - Returns: the event at the new position; nil if this is before the first event.
    @discardableResult
    public mutating func stepBack() throws(SessionError) -> Event? {
        guard position > 0 else { return nil }
        try go(to: position - 1)
        return current
    }

    // MARK: States

    /// The machines at the position.
    public func state() throws(SessionError) -> Replay<Schema> { try state(at: position) }

    /// The machines after an event.
    ///
    /// - Parameter number: the number of the event, from 0 to ``count``. Before the first event (0) there are no
    ///   machines.
    /// - Throws: ``SessionError/noSuchEvent(number:last:)``.
    public func state(at number: UInt64) throws(SessionError) -> Replay<Schema> {
        guard number <= count else { throw .noSuchEvent(number: number, last: count) }
        return try memory.checkpoint(at: number).replay
    }

    /// The number of events that were replayed for the last requested state.
    public var lastRun: UInt64 { memory.lastRun }

    // MARK: Events

    /// The event with this number.
    ///
    /// - Throws: ``SessionError/noSuchEvent(number:last:)``.
    public func event(_ number: UInt64) throws(SessionError) -> Event {
        if number == position, let current { return current }
        guard number > 0, number <= count else { throw .noSuchEvent(number: number, last: count) }
        return try memory.event(number, from: bookmark).event
    }

    /// The existing events of a range of numbers.
    public func events(_ range: ClosedRange<UInt64>) throws(SessionError) -> [Event] {
        var events: [Event] = []
        let first = max(range.lowerBound, 1)
        guard first <= count else { return [] }
        try scan(after: first - 1, upTo: range.upperBound) { view in
            events.append(Event(view))
            return true
        }
        return events
    }

    /// The first event after `number` and up to `last` that satisfies the condition; nil if none does.
    public func first(
        after number: UInt64, upTo last: UInt64 = .max, where condition: (EventView) -> Bool
    ) throws(SessionError) -> Event? {
        var found: Event?
        try scan(after: number, upTo: last) { view in
            guard condition(view) else { return true }
            found = Event(view)
            return false
        }
        return found
    }

    /// The last event before `number` that satisfies the condition; nil if none does.
    public func last(before number: UInt64, where condition: (EventView) -> Bool) throws(SessionError) -> Event? {
        var end = min(number, count &+ 1)
        while end > 1 {
            // Each step reads from an entry shortly before `end`, so that a long session is not read from its
            // beginning.
            let begin = try entry(before: end)
            var found: Event?
            try scan(after: begin, upTo: end - 1) { view in
                if condition(view) { found = Event(view) }
                return true
            }
            if let found { return found }
            end = begin + 1
        }
        return nil
    }

    /// Calls `body` for the events after `number` and up to `last`, in order, until `body` returns false.
    public func scan(
        after number: UInt64, upTo last: UInt64 = .max, _ body: (EventView) -> Bool
    ) throws(SessionError) {
        guard number < min(last, count) else { return }
        var bookmark = try memory.bookmark(notAfter: number + 1)
        if position <= number, let here = self.bookmark, here.nextNumber > bookmark?.nextNumber ?? 1 { bookmark = here }
        let isLong = min(last, count) - number > 8 * Timeline.stepBackMin
        let isShort = min(last, count) - number < 64
        let scanner = reader.makeScanner(
            from: bookmark,
            chunkLength: isShort ? 32 << 10 : isLong ? SessionScanner.chunkLength : SessionScanner.chunkLength / 4)
        while scanner.lastNumber < last, let view = try scanner.next() {
            if view.number > number, !body(view) { return }
        }
    }

    /// Calls `body` for the events after `number` and up to `last`, in order, until `body` returns false. With each
    /// event it passes the machines after the event.
    public func run(
        after number: UInt64, upTo last: UInt64 = .max, _ body: (EventView, Replay<Schema>) -> Bool
    ) throws(SessionError) {
        let begin = try memory.checkpoint(at: min(number, count))
        var replay = begin.replay
        var effects: [Schema.Subject.Effect] = []
        let scanner = reader.makeScanner(from: begin.bookmark)
        while scanner.lastNumber < last, let view = try scanner.next() {
            guard view.number > number else { continue }
            try schema.apply(view, to: &replay, effects: &effects, nodeNames: reader.nodes)
            if !body(view, replay) { return }
        }
    }

    /// A position before `number` from which a scan need not read many earlier events. A backward search moves from one
    /// such position to the one before it.
    public func entry(before number: UInt64) throws(SessionError) -> UInt64 {
        // With smaller steps a backward search would spend most of its time on starting scans.
        guard number > Timeline.stepBackMin else { return 0 }
        return try memory.entry(notAfter: number - Timeline.stepBackMin)
    }
}
