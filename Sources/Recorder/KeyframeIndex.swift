/// The keyframes of a session, at which a replay can start. They are found in the index of the file. If the file has no
/// complete index, the whole file is read once.
///
/// A world writes the keyframes of all its running machines one after the other: a row. The row is the complete state
/// of the world, if every machine without a keyframe in the row has ended before it.
struct KeyframeIndex: Sendable {
    /// Keyframes that directly follow each other.
    private struct Row: Sendable {
        var entries: ArraySlice<IndexEntry>
        /// True if the row lacks the keyframe of a running machine, or if a keyframe cannot be read.
        var isUnusable = false

        var first: UInt64 { entries.first?.number ?? 0 }
        var last: UInt64 { entries.last?.number ?? 0 }
    }

    /// The search for the event at which a machine ended. It starts at a start or keyframe of the machine, and a later
    /// search continues at the bookmark.
    private struct Search: Sendable {
        var entry: UInt64
        var bookmark: SessionScanner.Bookmark
        var end: UInt64?
    }

    /// All starts and keyframes, in order.
    private let entries: [IndexEntry]
    private var rows: [Row] = []
    private var searches: [NodeIndex: Search] = [:]

    init(_ reader: SessionReader) throws(SessionError) {
        entries = try KeyframeIndex.isWhole(reader) ? reader.index : KeyframeIndex.entries(of: reader)
        var begin = entries.startIndex
        for index in entries.indices where entries[index].role == .keyframe {
            let isNext =
                index > begin && entries[index - 1].role == .keyframe
                && entries[index - 1].number &+ 1 == entries[index].number
            if !isNext { begin = index }
            if isNext, !rows.isEmpty { rows.removeLast() }
            rows.append(Row(entries: entries[begin...index]))
        }
    }

    /// True if the index contains the first start of the session. If the index was too long, every second entry was
    /// removed, including the first one (``ClosingRecord/thinned(_:)``).
    private static func isWhole(_ reader: SessionReader) throws(SessionError) -> Bool {
        guard let first = reader.index.first else { return false }
        let scanner = reader.makeScanner(from: nil, chunkLength: 32 << 10)
        while scanner.lastNumber < first.number, let view = try scanner.next() {
            if view.role == .start || view.role == .keyframe { return view.number == first.number }
        }
        return false
    }

    private static func entries(of reader: SessionReader) throws(SessionError) -> [IndexEntry] {
        var entries: [IndexEntry] = []
        let scanner = reader.makeScanner()
        while let view = try scanner.next() {
            guard view.role == .start || view.role == .keyframe else { continue }
            entries.append(
                IndexEntry(
                    number: view.number, offset: view.offset, node: view.node, role: view.role,
                    interfaceCount: UInt32(clamping: scanner.position.interfaces.count)))
        }
        return entries
    }

    /// The last start or keyframe at or before an event.
    func entry(notAfter number: UInt64) -> IndexEntry? {
        let position = entries.position(of: number) { $0.number }
        return position > 0 ? entries[position - 1] : nil
    }

    /// The machines after the last usable row whose last event is after `begin` and at or before `number`; nil if there
    /// is no such row.
    mutating func checkpoint<Schema: SessionSchema>(
        notAfter number: UInt64, after begin: UInt64, in reader: SessionReader, schema: Schema
    ) throws(SessionError) -> TimelineCheckpoint<Schema>? {
        var position = rows.position(of: number) { $0.last }
        while position > 0, rows[position - 1].last > begin {
            position -= 1
            if rows[position].isUnusable { continue }
            if try isComplete(rows[position], reader), let found = try load(rows[position], reader, schema) {
                return found
            }
            rows[position].isUnusable = true
        }
        return nil
    }

    /// True if every machine without a keyframe in the row ended before the row.
    private mutating func isComplete(_ row: Row, _ reader: SessionReader) throws(SessionError) -> Bool {
        var last: [NodeIndex: IndexEntry] = [:]
        for entry in entries.prefix(row.entries.startIndex) { last[entry.node] = entry }
        for entry in row.entries { last[entry.node] = nil }
        for entry in last.values where try !hasEnded(entry, before: row.first, reader) { return false }
        return true
    }

    /// True if the machine of an entry ended after the entry and before the event with this number.
    private mutating func hasEnded(
        _ entry: IndexEntry, before number: UInt64, _ reader: SessionReader
    ) throws(SessionError) -> Bool {
        var search = Search(entry: entry.number, bookmark: reader.bookmark(of: entry))
        if let known = searches[entry.node], known.entry == entry.number { search = known }
        if let end = search.end { return end < number }
        let scanner = reader.makeScanner(from: search.bookmark, chunkLength: SessionScanner.chunkLength / 4)
        while search.end == nil, scanner.lastNumber + 1 < number, let view = try scanner.next() {
            if view.role == .stop, view.node == entry.node { search.end = view.number }
        }
        search.bookmark = scanner.bookmark
        searches[entry.node] = search
        return search.end != nil
    }

    private func load<Schema: SessionSchema>(
        _ row: Row, _ reader: SessionReader, _ schema: Schema
    ) throws(SessionError) -> TimelineCheckpoint<Schema>? {
        guard let first = row.entries.first else { return nil }
        var replay = Replay<Schema>()
        let scanner = reader.makeScanner(from: reader.bookmark(of: first), chunkLength: 64 << 10)
        while scanner.lastNumber < row.last, let view = try scanner.next() {
            guard view.role == .keyframe, let machine = try? schema.decodeState(Array(view.payload)) else { return nil }
            let position = Int(view.node.rawValue)
            while replay.machines.count <= position { replay.machines.append(nil) }
            replay.machines[position] = machine
        }
        guard scanner.lastNumber == row.last else { return nil }
        // The array has an element for each node that has started, even if it has ended. A replay from the beginning
        // gives an array of the same length.
        let nodes = entries[..<row.entries.endIndex].map { Int($0.node.rawValue) }
        while replay.machines.count <= nodes.max() ?? 0 { replay.machines.append(nil) }
        return TimelineCheckpoint(number: row.last, replay: replay, bookmark: scanner.bookmark)
    }
}
