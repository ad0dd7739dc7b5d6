import SansIO

/// A state from which a replay can continue: the machines after an event, and the bookmark after the event.
struct TimelineCheckpoint<Schema: SessionSchema>: Sendable {
    var number: UInt64
    var replay: Replay<Schema>
    /// The bookmark after the event; nil before the first event.
    var bookmark: SessionScanner.Bookmark?

    /// The state before the first event.
    static var beginning: Self { Self(number: 0, replay: Replay(), bookmark: nil) }
}

/// The cache of a timeline: checkpoints and bookmarks, so that the next state or event is found quickly.
///
/// It has three kinds of checkpoints: those loaded from keyframes of the file, those of long runs at a regular
/// interval, and those near the end of the last run. The last kind is so dense that a step backwards replays only a few
/// events. A search for an event needs no machines, and stores bookmarks as densely.
///
/// The cache affects only the speed, not the results. So all copies of a timeline share it. They must be used on one
/// thread.
final class TimelineMemory<Schema: SessionSchema> {
    private struct Cache: Sendable {
        /// The keyframes of the file; nil until they are needed.
        var keyframes: KeyframeIndex?
        /// The checkpoints that were loaded from keyframes, in order.
        var fromKeyframes: [TimelineCheckpoint<Schema>] = []
        /// The checkpoints of long runs, at multiples of the interval, in order.
        var fromRuns: [TimelineCheckpoint<Schema>] = []
        /// The dense checkpoints near the end of the last run, in order.
        var dense: [TimelineCheckpoint<Schema>] = []
        /// The checkpoint at the end of the last run.
        var last = TimelineCheckpoint<Schema>.beginning
        /// The dense bookmarks near the end of the last long search for an event, in order.
        var bookmarks: [SessionScanner.Bookmark] = []
        /// The number of events between two checkpoints of a long run.
        var interval: UInt64
    }

    private let reader: SessionReader
    private let schema: Schema
    private var cache: Cache
    /// The number of events that the last call of `checkpoint(at:)` replayed.
    private(set) var lastRun: UInt64 = 0

    /// The maximum number of checkpoints of long runs.
    private static var runCheckpointsMax: Int { 512 }
    /// The maximum number of checkpoints from keyframes. It is lower, because they share no memory with each other,
    /// while the checkpoints of a run do.
    private static var keyframeCheckpointsMax: Int { 64 }
    /// The number of events between two dense checkpoints.
    private static var denseInterval: UInt64 { 32 }
    /// The maximum number of dense checkpoints.
    private static var denseCountMax: Int { 64 }
    /// The number of events before the end of a run for which there are dense checkpoints.
    private static var denseLength: UInt64 { denseInterval * UInt64(denseCountMax) }
    /// The number of bytes that are read at once if only a few events are needed.
    private static var shortChunkLength: Int { 32 << 10 }
    /// The number of bytes that are read at once in other cases.
    private static var chunkLength: Int { 64 << 10 }

    init(reader: SessionReader, schema: Schema, interval: UInt64) {
        self.reader = reader
        self.schema = schema
        cache = Cache(interval: interval)
    }

    /// The machines after an event.
    func checkpoint(at number: UInt64) throws(SessionError) -> TimelineCheckpoint<Schema> {
        lastRun = 0
        if number == cache.last.number { return cache.last }
        var begin = try checkpoint(notAfter: number)
        if cache.last.number <= number, cache.last.number >= begin.number { begin = cache.last }
        guard begin.number < number else {
            cache.last = begin
            return begin
        }
        var replay = begin.replay
        var dense: [TimelineCheckpoint<Schema>] = []
        var effects: [Schema.Subject.Effect] = []
        let interval = cache.interval
        lastRun = number - begin.number
        let isShort = lastRun < TimelineMemory.denseInterval
        let scanner = reader.makeScanner(
            from: begin.bookmark,
            chunkLength: isShort ? TimelineMemory.shortChunkLength : TimelineMemory.chunkLength)
        while scanner.lastNumber < number, let view = try scanner.next() {
            try schema.apply(view, to: &replay, effects: &effects, nodeNames: reader.nodes)
            let isDense =
                number - view.number < TimelineMemory.denseLength && view.number % TimelineMemory.denseInterval == 0
            let isAtInterval = view.number % interval == 0
            guard isDense || isAtInterval else { continue }
            let checkpoint = TimelineCheckpoint(number: view.number, replay: replay, bookmark: scanner.bookmark)
            if isDense { dense.append(checkpoint) }
            if isAtInterval { add(checkpoint) }
        }
        // A short run keeps the dense checkpoints of the run before it.
        if !isShort { cache.dense = dense }
        cache.last = TimelineCheckpoint(number: number, replay: replay, bookmark: scanner.bookmark)
        return cache.last
    }

    /// An event, and the bookmark after it.
    ///
    /// - Parameters:
    ///   - number: the number of an existing event.
    ///   - here: the bookmark at the timeline's position, from which the search may also start.
    func event(
        _ number: UInt64, from here: SessionScanner.Bookmark?
    ) throws(SessionError) -> (event: Event, bookmark: SessionScanner.Bookmark) {
        var begin = try bookmark(notAfter: number)
        if let here, here.nextNumber <= number, here.nextNumber > begin?.nextNumber ?? 0 { begin = here }
        let isShort = number - (begin?.nextNumber ?? 1) < TimelineMemory.denseInterval
        let scanner = reader.makeScanner(
            from: begin, chunkLength: isShort ? TimelineMemory.shortChunkLength : TimelineMemory.chunkLength)
        var bookmarks: [SessionScanner.Bookmark] = []
        while let view = try scanner.next() {
            if view.number == number {
                // A short search keeps the bookmarks of the search before it.
                if !isShort { cache.bookmarks = bookmarks }
                return (Event(view), scanner.bookmark)
            }
            if number - view.number < TimelineMemory.denseLength, view.number % TimelineMemory.denseInterval == 0 {
                bookmarks.append(scanner.bookmark)
            }
        }
        throw .noSuchEvent(number: number, last: scanner.lastNumber)
    }

    /// Stores a checkpoint of a long run. If there are too many, the interval is doubled, and the checkpoints that are
    /// not at its multiples are removed.
    private func add(_ checkpoint: TimelineCheckpoint<Schema>) {
        guard checkpoint.number % cache.interval == 0 else { return }
        let position = cache.fromRuns.position(of: checkpoint.number) { $0.number }
        if position > 0, cache.fromRuns[position - 1].number == checkpoint.number { return }
        cache.fromRuns.insert(checkpoint, at: position)
        guard cache.fromRuns.count > TimelineMemory.runCheckpointsMax else { return }
        // This cannot overflow, because the cache contains more than 500 checkpoints at this interval.
        cache.interval &*= 2
        let interval = cache.interval
        cache.fromRuns.removeAll { $0.number % interval != 0 }
    }

    /// The last checkpoint at or before the event.
    private func checkpoint(notAfter number: UInt64) throws(SessionError) -> TimelineCheckpoint<Schema> {
        var best = TimelineCheckpoint<Schema>.beginning
        for list in [cache.fromKeyframes, cache.fromRuns, cache.dense] {
            let position = list.position(of: number) { $0.number }
            if position > 0, list[position - 1].number > best.number { best = list[position - 1] }
        }
        // A short distance is replayed without looking for a keyframe. Keyframes of another behaviour version are not
        // used: they contain states of other machines, and the result must not depend on the checkpoint.
        let isOurs = reader.header.behaviourVersion == schema.behaviourVersion
        guard isOurs, number - best.number > TimelineMemory.denseInterval else { return best }
        var keyframes = try keyframes()
        defer { cache.keyframes = keyframes }
        let found = try keyframes.checkpoint(notAfter: number, after: best.number, in: reader, schema: schema)
        guard let found else { return best }
        if cache.fromKeyframes.count >= TimelineMemory.keyframeCheckpointsMax { cache.fromKeyframes.removeAll() }
        cache.fromKeyframes.insert(found, at: cache.fromKeyframes.position(of: found.number) { $0.number })
        return found
    }

    /// The last bookmark from which a scan includes the event; nil if this is the beginning of the file.
    func bookmark(notAfter number: UInt64) throws(SessionError) -> SessionScanner.Bookmark? {
        var best: SessionScanner.Bookmark?
        for list in [cache.fromKeyframes, cache.fromRuns, cache.dense] {
            let position = list.position(of: number &- 1) { $0.number }
            guard position > 0, let bookmark = list[position - 1].bookmark else { continue }
            if bookmark.nextNumber > best?.nextNumber ?? 0 { best = bookmark }
        }
        let position = cache.bookmarks.position(of: number) { $0.nextNumber }
        if position > 0, cache.bookmarks[position - 1].nextNumber > best?.nextNumber ?? 0 {
            best = cache.bookmarks[position - 1]
        }
        if let best, number - best.nextNumber <= TimelineMemory.denseInterval { return best }
        guard let entry = try keyframes().entry(notAfter: number), entry.number > best?.nextNumber ?? 0 else {
            return best
        }
        return reader.bookmark(of: entry)
    }

    /// The last position at or before `number` at which there is a checkpoint of a long run, a start or a keyframe.
    func entry(notAfter number: UInt64) throws(SessionError) -> UInt64 {
        let position = cache.fromRuns.position(of: number) { $0.number }
        let run = position > 0 ? cache.fromRuns[position - 1].number : 0
        let entry = try keyframes().entry(notAfter: number &+ 1)
        return max(run, entry.map { $0.number > 0 ? $0.number - 1 : 0 } ?? 0)
    }

    private func keyframes() throws(SessionError) -> KeyframeIndex {
        if let known = cache.keyframes { return known }
        let made = try KeyframeIndex(reader)
        cache.keyframes = made
        return made
    }
}

extension Array {
    /// The index after the last element whose number is not greater, in a sorted array.
    func position(of number: UInt64, by key: (Element) -> UInt64) -> Int {
        partitioningIndex { key($0) > number }
    }
}
