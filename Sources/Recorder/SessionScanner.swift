import SansIO

/// Reads a session event by event, and checks each block, each event's number and the chain.
///
/// An event is returned as a view of the scanner's buffer, so the memory use does not depend on the length of the
/// session.
///
/// `@exclusivity(unchecked)`: see `WorldCore`.
public final class SessionScanner {
    /// A position between two events from which a scan can continue.
    public struct Bookmark: Sendable {
        /// The number of the next event.
        public internal(set) var nextNumber: UInt64 = 1
        /// The byte offset of the next block in the file.
        var offset: UInt64 = 0
        /// The byte offset of the end of the last event. The description of an interface may follow it, before
        /// `offset`.
        var eventEnd: UInt64 = 0
        /// The chain so far. Nil if the scan starts inside the file; then the chain in its first event is assumed to be
        /// correct.
        var chain: Chain? = Chain()
        var interfaces: [CaptureInterface] = []
        /// The tags before the payload of each event, with zeros as the value of the event's tag. Empty before the
        /// first event.
        var prefix: [UInt8] = []
        /// The version of the file's format, and the length of an event's tag in this version, in bytes.
        var version = SessionFormat.version
        var tagLength = SessionFormat.tagEventLength
        var isClosed = false
        /// If a start event consists of several packets: the payload of those read so far, and the byte offset of the
        /// first.
        var parts: [UInt8] = []
        var partsBegin: UInt64 = 0

        /// The beginning of a file of this version.
        init(version: UInt8 = SessionFormat.version) {
            self.version = version
        }
    }

    let source: ByteSource
    /// The position of the scan. It is not public, so that the compiler knows every access and adds no checks at run
    /// time.
    @exclusivity(unchecked) var position: Bookmark
    /// The position of the scan, from which another scanner can continue.
    public var bookmark: Bookmark { position }
    /// Whether the end of the session is in the file; nil until ``next()`` has returned nil.
    public internal(set) var completeness: SessionReader.Completeness?
    /// The parts after the last event; complete after ``next()`` has returned nil.
    var attachments: [SessionAttachment] = []
    /// The names of the nodes so far, by node index; empty for indices without an event.
    @exclusivity(unchecked) var nodeNames: [String]
    /// The names of interfaces that were described, but whose first event was not read yet.
    var pendingNames: [String] = []
    /// The name of the dissector, from the first event.
    var formatName = ""
    /// The wall clock at the session's instant zero, in nanoseconds since 1970. Packets contain wall clock times.
    var epochNanoseconds: Int64 = 0

    static let chunkLength = 1 << 20
    @exclusivity(unchecked) private var chunk: UnsafeMutableRawBufferPointer
    @exclusivity(unchecked) private var chunkOffset: UInt64 = 0
    @exclusivity(unchecked) private var chunkCount = 0
    /// The joined payload of the last event, if the event consists of several packets.
    @exclusivity(unchecked) private var joined: UnsafeMutableRawBufferPointer?

    /// - Parameter chunkLength: the number of bytes that are read at once. It is small if only a few events are needed.
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

    /// Continues another scan with the bytes that were added to the file after it.
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
        joined?.deallocate()
    }

    /// Joins the payloads of the packets of a start event.
    ///
    /// - Parameter last: the payload of the last packet.
    /// - Returns: the whole payload, valid until the next call.
    func join(_ last: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let whole = UnsafeMutableRawBufferPointer.allocate(byteCount: position.parts.count + last.count, alignment: 16)
        whole.copyBytes(from: position.parts)
        UnsafeMutableRawBufferPointer(rebasing: whole[position.parts.count...]).copyMemory(from: last)
        position.parts = []
        joined?.deallocate()
        joined = whole
        return UnsafeRawBufferPointer(whole)
    }

    /// The number of the last event; 0 before the first event.
    public var lastNumber: UInt64 { position.nextNumber &- 1 }

    /// Reads the next event.
    ///
    /// - Returns: the event, whose bytes are valid until the next call. Nil after the last complete event; then
    ///   ``completeness`` is set.
    /// - Throws: ``SessionError`` if the event is damaged.
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

    /// The complete block at the position of the scan, whose two lengths are equal; nil after the last usable block.
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

    /// The next `count` bytes of the file, which are read into the buffer if necessary.
    private func window(_ count: Int) throws(SessionError) -> UnsafeRawBufferPointer {
        let begin = position.offset
        // The buffer cannot grow without limit, because the caller has checked the length of the block.
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

    /// Ends the scan at the position: at the end of the file, at an incomplete block, or at the first attachment.
    private func end(_ remaining: UInt64) throws(SessionError) -> UnsafeRawBufferPointer? {
        if lastNumber > 0, remaining > 0, AttachedParts.begin(with: try window(Int(min(remaining, 4)))) {
            // The position remains after the last event, so that another scan can continue from it.
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

    /// True if the rest of the file is zeros. Some file systems fill the end of a file with zeros after a power
    /// failure.
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
