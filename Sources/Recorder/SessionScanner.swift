import SansIO

/// Reads a session event by event and checks everything on the way: the blocks, the numbers, the chain.
///
/// Each event is returned in the scanner's buffer, so that memory use is constant, however long the session is.
///
/// `@exclusivity(unchecked)`: see `WorldCore`.
public final class SessionScanner {
    /// A position between two events from which a scan can continue.
    public struct Bookmark: Sendable {
        /// The number of the next event.
        public internal(set) var nextNumber: UInt64 = 1
        /// The byte offset of the next block in the file.
        var offset: UInt64 = 0
        /// The byte offset of the last event's end. An interface may be described between it and `offset`.
        var eventEnd: UInt64 = 0
        /// The chain so far; nil if the scan starts inside the file and has to trust the first event.
        var chain: Chain? = Chain()
        var interfaces: [CaptureInterface] = []
        /// The bytes before the payload of each event (format name and event tag), read from the first event; empty
        /// before that.
        var prefix: [UInt8] = []
        /// The version of the file and of each of its events, and the length of an event's tag.
        var version = SessionFormat.version
        var tagLength = SessionFormat.tagEventLength
        var isClosed = false
        /// The payload before the last packet of a start that is longer than a packet, and its byte offset.
        var parts: [UInt8] = []
        var partsBegin: UInt64 = 0

        /// The beginning of a file of that version.
        init(version: UInt8 = SessionFormat.version) {
            self.version = version
        }
    }

    let source: ByteSource
    /// The position of the scan. Not public, so that the compiler sees every access and needs no checks at run time.
    @exclusivity(unchecked) var position: Bookmark
    /// The position of the scan, from which another scanner can continue.
    public var bookmark: Bookmark { position }
    /// The way in which the session ends; nil until ``next()`` has returned nil.
    public internal(set) var completeness: SessionReader.Completeness?
    /// The parts after the last event; complete after ``next()`` has returned nil.
    var attachments: [SessionAttachment] = []
    /// The names of the nodes so far, by node index; empty for indices without an event.
    @exclusivity(unchecked) var nodeNames: [String]
    /// The names of interfaces whose first event has not come yet.
    var pendingNames: [String] = []
    /// The dissector's name from the first event.
    var formatName = ""
    /// The origin of the packets' time stamps; the reader sets it.
    var epochNanoseconds: Int64 = 0

    static let chunkLength = 1 << 20
    @exclusivity(unchecked) private var chunk: UnsafeMutableRawBufferPointer
    @exclusivity(unchecked) private var chunkOffset: UInt64 = 0
    @exclusivity(unchecked) private var chunkCount = 0
    /// The payload of the last event, if it came in parts.
    @exclusivity(unchecked) private var whole: UnsafeMutableRawBufferPointer?

    /// - Parameter chunkLength: the number of bytes read at a time; small if only a few events are needed.
    init(
        source: ByteSource, from bookmark: Bookmark = Bookmark(), nodeNames: [String] = [],
        chunkLength: Int = SessionScanner.chunkLength
    ) {
        self.source = source
        position = bookmark
        self.nodeNames = nodeNames
        let length = Int(min(UInt64(chunkLength), max(source.size, 16)))
        chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: length, alignment: 16)
    }

    /// Continues with the bytes that were added to the file after another scan.
    convenience init(source: ByteSource, after scanner: SessionScanner) {
        self.init(source: source, from: scanner.position, nodeNames: scanner.nodeNames)
        pendingNames = scanner.pendingNames
        formatName = scanner.formatName
        epochNanoseconds = scanner.epochNanoseconds
    }

    /// The number of nodes with an event so far.
    public var nodeCount: Int { nodeNames.count }

    deinit {
        chunk.deallocate()
        whole?.deallocate()
    }

    /// The payload of a start whose last packet this is, valid until the next one.
    func join(_ last: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let joined = UnsafeMutableRawBufferPointer.allocate(byteCount: position.parts.count + last.count, alignment: 16)
        joined.copyBytes(from: position.parts)
        UnsafeMutableRawBufferPointer(rebasing: joined[position.parts.count...]).copyMemory(from: last)
        position.parts = []
        whole?.deallocate()
        whole = joined
        return UnsafeRawBufferPointer(joined)
    }

    /// The number of the last event; 0 before the first.
    public var lastNumber: UInt64 { position.nextNumber &- 1 }

    /// Returns the next event; its bytes are valid until the next call.
    ///
    /// - Returns: nil after the last complete event; then ``completeness`` shows if the session was closed.
    /// - Throws: the error in the file, with the event.
    public func next() throws(SessionError) -> EventView? {
        while true {
            guard let block = try nextBlock() else { return nil }
            switch block.load32(at: 0) {
            case SessionFormat.enhancedPacket:
                guard let view = try packet(block) else { continue }
                return view
            case SessionFormat.interfaceDescription:
                try interface(block)
            case SessionFormat.sectionHeader where position.offset == 0:
                position.chain?.mix(block)
            case let type:
                throw damage("a block of type \(type) that no recorder writes")
            }
            position.offset += UInt64(block.count)
        }
    }

    /// The block at the scan's position, complete and with equal lengths at both ends; nil at the end of usable blocks.
    private func nextBlock() throws(SessionError) -> UnsafeRawBufferPointer? {
        let remaining = source.size - position.offset
        if position.isClosed || remaining < 12 { return try end(remaining) }
        let head = try window(12)
        let type = head.load32(at: 0)
        if type == SessionFormat.sectionHeader, position.offset > 0 { throw .merged(event: position.nextNumber) }
        if type == SessionFormat.attachment { return try end(remaining) }
        let length = Int(head.load32(at: 4))
        guard length >= 12, length % 4 == 0, length <= SessionFormat.blockLengthMax else {
            if try isBlank(remaining) { return try end(remaining) }
            throw damage("invalid block length: \(length) bytes")
        }
        if UInt64(length) > remaining { return try end(remaining) }
        let block = try window(length)
        guard block.load32(at: length - 4) == UInt32(length) else {
            throw damage("the two lengths of the block differ")
        }
        return block
    }

    /// The next `count` bytes, read into the buffer if necessary.
    private func window(_ count: Int) throws(SessionError) -> UnsafeRawBufferPointer {
        let begin = position.offset
        // The caller has refused blocks that exceed the maximum length.
        if count > chunk.count {
            chunk.deallocate()
            chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
            chunkCount = 0
        }
        if begin < chunkOffset || begin + UInt64(count) > chunkOffset + UInt64(chunkCount) {
            let length = Int(min(UInt64(chunk.count), source.size - begin))
            try source.read(at: begin, into: UnsafeMutableRawBufferPointer(rebasing: chunk[0..<length]))
            chunkOffset = begin
            chunkCount = length
        }
        let first = Int(begin - chunkOffset)
        return UnsafeRawBufferPointer(rebasing: chunk[first..<first + count])
    }

    func damage(_ reason: String) -> SessionError {
        .damaged(event: position.nextNumber, reason: reason)
    }

    /// Ends the scan before bytes that are no complete block, or no event's block.
    private func end(_ remaining: UInt64) throws(SessionError) -> UnsafeRawBufferPointer? {
        if lastNumber > 0, remaining > 0, AttachedParts.begin(with: try window(Int(min(remaining, 4)))) {
            // The position stays after the last event, so that another scan can continue from here.
            let attached = try AttachedParts(source, from: position.offset, after: lastNumber, chain: position.chain)
            attachments = attached.parts
            let dropped = attached.droppedBytes
            completeness =
                position.isClosed
                ? dropped.map { .partsMissing(droppedBytes: $0) } ?? .closed : .torn(droppedBytes: dropped ?? 0)
            return nil
        }
        if position.isClosed {
            if remaining == 0 {
                completeness = .closed
                return nil
            }
            if remaining >= 4, try window(4).load32(at: 0) == SessionFormat.sectionHeader {
                throw .merged(event: position.nextNumber)
            }
            throw damage("\(remaining) bytes after the closing record")
        }
        if remaining > 0, !(try isBlank(remaining)) {
            let rest = try window(Int(min(remaining, UInt64(SessionFormat.blockLengthMax))))
            let tail = TornTail(
                bytes: rest, prefix: position.prefix, number: position.nextNumber,
                interfaceCount: position.interfaces.count)
            if let reason = tail.contradiction { throw damage(reason) }
        }
        completeness = .torn(droppedBytes: source.size - position.eventEnd)
        return nil
    }

    /// True if only zeros are left, which a file system leaves after a power failure.
    private func isBlank(_ remaining: UInt64) throws(SessionError) -> Bool {
        var offset = position.offset
        let end = position.offset + remaining
        while offset < end {
            let bytes = try source.read(at: offset, count: Int(min(end - offset, 4096)))
            if bytes.contains(where: { $0 != 0 }) { return false }
            offset += UInt64(bytes.count)
        }
        return true
    }
}

extension UnsafeRawBufferPointer {
    @inline(__always)
    func load16(at offset: Int) -> UInt16 {
        UInt16(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    @inline(__always)
    func load32(at offset: Int) -> UInt32 {
        UInt32(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    @inline(__always)
    func load64(at offset: Int) -> UInt64 {
        UInt64(littleEndian: loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
}
