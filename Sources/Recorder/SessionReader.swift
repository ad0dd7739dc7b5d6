import SansIO
public import SystemPackage

/// Reads a session file.
///
/// Opening a closed session reads only its first event and its closing record. The other events are checked when they
/// are read. A session that was not closed is read once as a whole when it is opened, to find its last complete event.
public final class SessionReader: Sendable {
    /// Whether the end of the session is in the file.
    public enum Completeness: Hashable, Sendable, CustomStringConvertible {
        /// The session has a closing record.
        case closed
        /// The session has no closing record, because the process was killed or the file was cut off. All complete
        /// events are usable.
        case torn(droppedBytes: UInt64)
        /// The session has a closing record, but the attachments after it were cut off.
        case partsMissing(droppedBytes: UInt64)

        /// One line for display.
        public var description: String {
            switch self {
            case .closed: "closed"
            case .torn(droppedBytes: 0): "closing record missing"
            case .torn(let bytes): "closing record missing, \(bytes) bytes of an incomplete event dropped"
            case .partsMissing(let bytes): "attachment truncated, \(bytes) bytes dropped"
            }
        }
    }

    /// The session's header.
    public let header: SessionHeader
    /// The names of the nodes, by node index. The first name is `session`. A node without events may be missing.
    public let nodes: [String]
    /// Whether the end of the session is in the file.
    public let completeness: Completeness
    /// The number of events in the session.
    public let eventCount: UInt64
    /// The positions of the starts and keyframes, in order; empty for a session that was not closed.
    public let index: [IndexEntry]
    /// The parts of the file that are not events, in order.
    public let attachments: [SessionAttachment]
    private let interfaces: [CaptureInterface]
    /// The bookmark after the first event. It contains the tags that precede each payload.
    private let first: SessionScanner.Bookmark
    let source: ByteSource
    /// The byte offset of the end of the last event, and the chain at this offset.
    let end: (offset: UInt64, chain: Chain)

    /// Opens a file.
    ///
    /// - Throws: ``SessionError`` if the file cannot be read, is not a session, or is damaged.
    public convenience init(path: FilePath) throws(SessionError) {
        try self.init(source: ByteSource(path: path))
    }

    /// Does the same as ``init(path:)-(FilePath)``, for callers that do not import `FilePath`.
    public convenience init(path: String) throws(SessionError) {
        try self.init(path: FilePath(path))
    }

    /// Opens a session in memory.
    public convenience init(bytes: [UInt8]) throws(SessionError) {
        try self.init(source: ByteSource(bytes: bytes))
    }

    private init(source: ByteSource) throws(SessionError) {
        let version = try SectionHeader.version(of: source)
        self.source = source
        let scanner = SessionScanner(source: source, from: SessionScanner.Bookmark(version: version))
        guard let first = try scanner.next() else { throw .cutBeforeHeader(bytes: source.size) }
        guard first.role == .header else { throw .damaged(event: 1, reason: "it is not a header") }
        do {
            header = try SessionHeader(decoding: Array(first.payload), formatName: scanner.formatName)
        } catch {
            throw .damaged(event: 1, reason: "\(error)")
        }
        scanner.epochNanoseconds = header.epochNanoseconds
        self.first = scanner.bookmark
        if let (closing, end) = SessionReader.closingRecord(source, self.first), closing.hasTables,
            let attached = try? AttachedParts(source, from: end.offset, after: closing.events, chain: end.chain),
            attached.droppedBytes == nil
        {
            completeness = .closed
            self.end = end
            attachments = attached.parts
            eventCount = closing.events
            index = closing.entries
            interfaces = closing.interfaces
            nodes = SessionReader.names(closing.nodes)
            return
        }
        while try scanner.next() != nil {}
        completeness = scanner.completeness ?? .torn(droppedBytes: 0)
        end = (scanner.position.offset, scanner.position.chain ?? Chain())
        attachments = scanner.attachments
        eventCount = scanner.lastNumber
        index = []
        interfaces = scanner.bookmark.interfaces
        nodes = scanner.nodeNames
    }

    /// The name of a node; `node` and its number if the session has no name for it.
    public func name(of node: NodeIndex) -> String {
        nodeName(node, in: nodes)
    }

    /// The node with this name; nil if no node has it.
    public func node(named name: String) -> NodeIndex? {
        nodes.firstIndex(of: name).map { NodeIndex(rawValue: UInt16(clamping: $0)) }
    }

    /// Makes a scanner for the whole session, or for the events after the bookmark of another scanner.
    public func makeScanner(from bookmark: SessionScanner.Bookmark? = nil) -> SessionScanner {
        makeScanner(from: bookmark, chunkLength: SessionScanner.chunkLength)
    }

    func makeScanner(from bookmark: SessionScanner.Bookmark?, chunkLength: Int) -> SessionScanner {
        let scanner = SessionScanner(
            source: source, from: bookmark ?? SessionScanner.Bookmark(version: first.version),
            nodeNames: bookmark == nil ? [] : nodes,
            chunkLength: chunkLength)
        scanner.epochNanoseconds = header.epochNanoseconds
        return scanner
    }

    /// Makes a scanner for the events that were added to a file after another scanner reached its end.
    ///
    /// - Throws: ``SessionError`` if the file was truncated.
    public static func makeScanner(path: String, after scanner: SessionScanner) throws(SessionError) -> SessionScanner {
        let source = try ByteSource(path: FilePath(path))
        guard source.size >= scanner.position.offset else { throw .unreadable(reason: "the file was truncated") }
        return SessionScanner(source: source, after: scanner)
    }

    /// Makes a scanner that begins at a start or keyframe. Earlier events are not read, so the chain is only checked
    /// from this event on.
    public func makeScanner(from entry: IndexEntry) -> SessionScanner {
        makeScanner(from: bookmark(of: entry))
    }

    func bookmark(of entry: IndexEntry) -> SessionScanner.Bookmark {
        var bookmark = SessionScanner.Bookmark(version: first.version)
        bookmark.nextNumber = entry.number
        bookmark.offset = min(entry.offset, source.size)
        bookmark.eventEnd = bookmark.offset
        bookmark.chain = nil
        bookmark.interfaces = Array(interfaces.prefix(Int(entry.interfaceCount)))
        bookmark.prefix = first.prefix
        bookmark.tagLength = first.tagLength
        return bookmark
    }

    /// The last start or keyframe of a node at or before the event with this number; nil if there is none.
    public func nearestEntry(of node: NodeIndex, upTo number: UInt64) -> IndexEntry? {
        index.last { $0.node == node && $0.number <= number }
    }

    /// Calls `body` for every event in order. Each event is checked when it is read.
    ///
    /// - Throws: ``SessionError`` if the session is damaged, or the error of `body`.
    public func forEach(_ body: (EventView) throws -> Void) throws {
        let scanner = makeScanner()
        while let view = try scanner.next() { try body(view) }
    }

    /// Copies of all events.
    public func events() throws -> [Event] {
        var events: [Event] = []
        try forEach { events.append(Event($0)) }
        return events
    }

    /// The closing record, with the offset of its end and the chain at this offset. The record is found from the end of
    /// the file backwards. Nil if there is no plausible record.
    private static func closingRecord(
        _ source: ByteSource, _ first: SessionScanner.Bookmark
    ) -> (record: ClosingRecord, end: (offset: UInt64, chain: Chain))? {
        guard let end = try? AttachedParts.begin(in: source), end >= 12,
            let tail = try? source.read(at: end - 4, count: 4)
        else { return nil }
        let length = Int(tail.withUnsafeBytes { $0.load32(at: 0) })
        let header = SessionFormat.packetHeaderLength
        let payloadBegin = header + first.prefix.count
        guard length >= payloadBegin + SessionFormat.packetTrailerLength, length <= SessionFormat.blockLengthMax,
            UInt64(length) <= end, let block = try? source.read(at: end - UInt64(length), count: length)
        else { return nil }
        return block.withUnsafeBytes { block in
            let dataLength = Int(block.load32(at: 20))
            let role = payloadBegin - 4 - first.tagLength
            guard block.load32(at: 0) == SessionFormat.enhancedPacket, block.load32(at: 4) == UInt32(length),
                dataLength >= first.prefix.count,
                header + dataLength <= length, block[role] == EventRole.closing.rawValue,
                let record = ClosingRecord(decoding: Array(block[payloadBegin..<header + dataLength])),
                record.offset == end - UInt64(length), record.isInOrder,
                // A reader continues with the next number, so a false number must not be near the maximum.
                record.events <= end / UInt64(payloadBegin)
            else { return nil }
            return (record, (end, Chain(value: block.load64(at: role + 8))))
        }
    }

    private static func names(_ nodes: [ClosingRecord.NodeName]) -> [String] {
        var names: [String] = []
        for node in nodes {
            let position = Int(node.index.rawValue)
            while names.count <= position { names.append("") }
            names[position] = node.name
        }
        return names
    }
}
