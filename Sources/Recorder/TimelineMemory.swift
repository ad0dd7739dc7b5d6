import SansIO

/// A position from which a replay can continue: the machines, and the bookmark of the scan.
struct TimelineCheckpoint<Schema: SessionSchema>: Sendable {
    var number: UInt64
    var replay: Replay<Schema>
    /// Nil at the session's beginning.
    var bookmark: SessionScanner.Bookmark?

    /// Before all events.
    static var beginning: Self { Self(number: 0, replay: Replay(), bookmark: nil) }
}

/// The cache of a timeline, so that the next jump is short: copies of the machines, and positions in the file.
///
/// It has three kinds of copies, from coarse to fine: those from keyframes of the file, those of a long run at even
/// distances, and those of the last run, so close together that a step back is almost free. A search for an event needs
/// no machines, and stores bookmarks of the file at the same fine distance.
///
/// The cache affects only speed, not results; so the copies of a timeline share it, and it stays on their thread.
final class TimelineMemory<Schema: SessionSchema> {
    private struct Kept: Sendable {
        /// Nil until the first jump needs it.
        var keyframes: KeyframeIndex?
        /// From keyframes, in order.
        var loaded: [TimelineCheckpoint<Schema>] = []
        /// From long runs, in order, at multiples of the interval.
        var own: [TimelineCheckpoint<Schema>] = []
        /// From the last run, in order.
        var fine: [TimelineCheckpoint<Schema>] = []
        /// The end of the last run.
        var last = TimelineCheckpoint<Schema>.beginning
        /// From the last long search for an event, in order.
        var places: [SessionScanner.Bookmark] = []
        var interval: UInt64
    }

    private let reader: SessionReader
    private let schema: Schema
    private var kept: Kept
    /// The number of events that the last call of `arrive(at:)` ran.
    private(set) var lastRun: UInt64 = 0

    /// The maximum number of copies of a long run.
    private static var ownCountMax: Int { 512 }
    /// Lower, because they share no memory with each other, unlike those of a run.
    private static var loadedCountMax: Int { 64 }
    private static var fineDistance: UInt64 { 32 }
    private static var fineCountMax: Int { 64 }
    /// The distance before the end of a run within which fine copies are kept.
    private static var fineLength: UInt64 { fineDistance * UInt64(fineCountMax) }
    /// The number of bytes read at a time if only a few events are needed.
    private static var shortChunkLength: Int { 32 << 10 }
    /// The number of bytes read at a time between two keyframes.
    private static var chunkLength: Int { 64 << 10 }

    init(reader: SessionReader, schema: Schema, interval: UInt64) {
        self.reader = reader
        self.schema = schema
        kept = Kept(interval: interval)
    }

    /// The machines after an event.
    func arrive(at number: UInt64) throws(SessionError) -> TimelineCheckpoint<Schema> {
        lastRun = 0
        if number == kept.last.number { return kept.last }
        var begin = try checkpoint(notAfter: number)
        if kept.last.number <= number, kept.last.number >= begin.number { begin = kept.last }
        guard begin.number < number else {
            kept.last = begin
            return begin
        }
        var replay = begin.replay
        var fine: [TimelineCheckpoint<Schema>] = []
        var effects: [Schema.Subject.Effect] = []
        let interval = kept.interval
        lastRun = number - begin.number
        let isShort = lastRun < TimelineMemory.fineDistance
        let scanner = reader.makeScanner(
            from: begin.bookmark,
            chunkLength: isShort ? TimelineMemory.shortChunkLength : TimelineMemory.chunkLength)
        while scanner.lastNumber < number, let view = try scanner.next() {
            try schema.apply(view, to: &replay, effects: &effects, nodeNames: reader.nodes)
            let isFine =
                number - view.number < TimelineMemory.fineLength && view.number % TimelineMemory.fineDistance == 0
            let isOwn = view.number % interval == 0
            guard isFine || isOwn else { continue }
            let copy = TimelineCheckpoint(number: view.number, replay: replay, bookmark: scanner.bookmark)
            if isFine { fine.append(copy) }
            if isOwn { keep(copy) }
        }
        // Short steps keep the fine copies of the run before.
        if !isShort { kept.fine = fine }
        kept.last = TimelineCheckpoint(number: number, replay: replay, bookmark: scanner.bookmark)
        return kept.last
    }

    /// An event, and the bookmark after it.
    ///
    /// - Parameters:
    ///   - number: the number of an existing event.
    ///   - here: the timeline's own position, from which the search may also start.
    func event(
        _ number: UInt64, from here: SessionScanner.Bookmark?
    ) throws(SessionError) -> (event: Event, bookmark: SessionScanner.Bookmark) {
        var begin = try bookmark(notAfter: number)
        if let here, here.nextNumber <= number, here.nextNumber > begin?.nextNumber ?? 0 { begin = here }
        let isShort = number - (begin?.nextNumber ?? 1) < TimelineMemory.fineDistance
        let scanner = reader.makeScanner(
            from: begin, chunkLength: isShort ? TimelineMemory.shortChunkLength : TimelineMemory.chunkLength)
        var places: [SessionScanner.Bookmark] = []
        while let view = try scanner.next() {
            if view.number == number {
                // Short steps keep the bookmarks of the search before.
                if !isShort { kept.places = places }
                return (Event(view), scanner.bookmark)
            }
            if number - view.number < TimelineMemory.fineLength, view.number % TimelineMemory.fineDistance == 0 {
                places.append(scanner.bookmark)
            }
        }
        throw .noSuchEvent(number: number, last: scanner.lastNumber)
    }

    /// Keeps a copy of a run; the distance between the copies grows with the session.
    private func keep(_ copy: TimelineCheckpoint<Schema>) {
        guard copy.number % kept.interval == 0 else { return }
        let position = kept.own.position(of: copy.number) { $0.number }
        if position > 0, kept.own[position - 1].number == copy.number { return }
        kept.own.insert(copy, at: position)
        guard kept.own.count > TimelineMemory.ownCountMax else { return }
        // Cannot overflow: so many copies at this distance are within the numbers of the events.
        kept.interval &*= 2
        let interval = kept.interval
        kept.own.removeAll { $0.number % interval != 0 }
    }

    /// The last checkpoint at or before the event.
    private func checkpoint(notAfter number: UInt64) throws(SessionError) -> TimelineCheckpoint<Schema> {
        var best = TimelineCheckpoint<Schema>.beginning
        for list in [kept.loaded, kept.own, kept.fine] {
            let position = list.position(of: number) { $0.number }
            if position > 0, list[position - 1].number > best.number { best = list[position - 1] }
        }
        // A short distance is run, not looked up. The keyframes of machines of another behaviour version are not used,
        // because these machines may have other states: a state must not depend on the position from which it is
        // computed.
        let isOurs = reader.header.behaviourVersion == schema.behaviourVersion
        guard isOurs, number - best.number > TimelineMemory.fineDistance else { return best }
        var keyframes = try keyframes()
        defer { kept.keyframes = keyframes }
        let found = try keyframes.checkpoint(notAfter: number, after: best.number, in: reader, schema: schema)
        guard let found else { return best }
        if kept.loaded.count >= TimelineMemory.loadedCountMax { kept.loaded.removeAll() }
        kept.loaded.insert(found, at: kept.loaded.position(of: found.number) { $0.number })
        return found
    }

    /// The last bookmark from which a scan includes the event.
    func bookmark(notAfter number: UInt64) throws(SessionError) -> SessionScanner.Bookmark? {
        var best: SessionScanner.Bookmark?
        for list in [kept.loaded, kept.own, kept.fine] {
            let position = list.position(of: number &- 1) { $0.number }
            guard position > 0, let bookmark = list[position - 1].bookmark else { continue }
            if bookmark.nextNumber > best?.nextNumber ?? 0 { best = bookmark }
        }
        let position = kept.places.position(of: number) { $0.nextNumber }
        if position > 0, kept.places[position - 1].nextNumber > best?.nextNumber ?? 0 {
            best = kept.places[position - 1]
        }
        if let best, number - best.nextNumber <= TimelineMemory.fineDistance { return best }
        guard let entry = try keyframes().entry(notAfter: number), entry.number > best?.nextNumber ?? 0 else {
            return best
        }
        return reader.bookmark(of: entry)
    }

    /// The last position at or before the given one from which a scan is cheap.
    func entry(notAfter number: UInt64) throws(SessionError) -> UInt64 {
        let position = kept.own.position(of: number) { $0.number }
        let own = position > 0 ? kept.own[position - 1].number : 0
        let entry = try keyframes().entry(notAfter: number &+ 1)
        return max(own, entry.map { $0.number > 0 ? $0.number - 1 : 0 } ?? 0)
    }

    private func keyframes() throws(SessionError) -> KeyframeIndex {
        if let known = kept.keyframes { return known }
        let made = try KeyframeIndex(reader)
        kept.keyframes = made
        return made
    }
}

extension Array {
    /// The index after the last element whose number is not greater, in a sorted array.
    func position(of number: UInt64, by key: (Element) -> UInt64) -> Int {
        partitioningIndex { key($0) > number }
    }
}
