public import SansIO

/// Writes the events of a session, independent of the kind of machine. ``SessionWriter`` adds the encoding of a kind of
/// machine.
///
/// Appending events never throws, so that a failed recording does not disturb the machines. The first failure stops the
/// recording and is stored in ``failure``. Every later call of ``flush()`` and ``close(at:)`` throws it. The file ends
/// with the last event that was written before the failure.
///
/// `@exclusivity(unchecked)`: see `WorldCore`.
public final class SessionLog {
    /// The size of the buffer, in bytes, at which it is written to the sink.
    static let bufferLengthMax = 256 * 1024

    private let sink: any ByteSink
    private let epochNanoseconds: Int64
    private let prefix: [UInt8]
    @exclusivity(unchecked) private var buffer = BlockBuffer()
    /// The byte offset in the file at which the buffer will be written.
    @exclusivity(unchecked) private var bufferOffset: UInt64 = 0
    private var nodeNames: [String] = ["session"]
    /// The number of the interface of each node and channel; -1 before the first event on that interface.
    @exclusivity(unchecked) private var interfaceNumbers: [Int32] = Array(repeating: -1, count: Channel.allCases.count)
    private var interfaces: [CaptureInterface] = []
    private var entries: [IndexEntry] = []
    @exclusivity(unchecked) private var isClosed = false
    /// True to retain events that the sink could not write, up to ``retainedLengthMax``, until ``resume()`` writes
    /// them. After the failure the host appends only the rest of the current batch.
    public var retainsUnwritten = false
    /// True if the buffer contains events that the sink could not write.
    @exclusivity(unchecked) private var isRetaining = false
    /// The maximum number of retained bytes. If there are more, the retained events are discarded, and the recording
    /// cannot be resumed.
    static let retainedLengthMax = 128 << 20

    /// The number of the last event; 0 before the first event.
    @exclusivity(unchecked) public private(set) var eventCount: UInt64 = 0
    /// The reason why the recording stopped; nil if it has not stopped.
    @exclusivity(unchecked) public private(set) var failure: SessionError?
    /// The number of the last keyframe or start.
    private var lastKeyframe: UInt64 = 0
    /// The checksum over all bytes up to the end of the last event.
    public var chain: UInt64 { buffer.chain.value }
    /// The number of events after the last keyframe or start.
    public var eventsSinceKeyframe: UInt64 { eventCount - lastKeyframe }

    /// Begins a session: writes the section header, the header event and the clock event into the buffer.
    ///
    /// - Parameters:
    ///   - formatName: the name of the dissector in each packet; truncated to 64 bytes.
    ///   - epochNanoseconds: the wall clock at the session's instant zero, in nanoseconds since 1970.
    public init(
        sink: any ByteSink, formatName: String, behaviourVersion: UInt32, header: SessionHeader,
        epochNanoseconds: Int64
    ) {
        self.sink = sink
        self.epochNanoseconds = epochNanoseconds
        let name = SessionFormat.clipped(formatName, to: SessionFormat.formatNameLengthMax)
        prefix = SessionLog.prefix(formatName: name)
        var header = header
        header.epochNanoseconds = epochNanoseconds
        header.behaviourVersion = behaviourVersion
        // A copy of a session of an older version is written in the current version.
        header.formatVersion = UInt32(SessionFormat.version)
        header.formatName = name
        let limit = SessionFormat.textLengthMax
        let application = SessionFormat.clipped(header.application, to: limit)
        let summary = header.profile.isEmpty ? header.title : "\(header.title) (\(header.profile))"
        let comment = SessionFormat.clipped(summary, to: limit)
        buffer.sectionHeader(
            application: "\(application)\(SessionFormat.applicationMark)\(SessionFormat.version))",
            os: SessionFormat.clipped(header.os, to: limit), comment: comment)
        append(
            .header, node: .session, draft: EventDraft(payload: header.encoded()), at: .zero,
            comment: comment.isEmpty ? "session" : "session \(comment)")
        var clock = WireWriter()
        clock.varint(1, UInt64(bitPattern: epochNanoseconds))
        append(
            .clock, node: .session, draft: EventDraft(payload: clock.bytes), at: .zero,
            comment: "clock \(CalendarTime(epochNanoseconds: epochNanoseconds))")
    }

    /// The tags before each payload: the name of the format, the event's tag with zeros as its value, the end of tags.
    static func prefix(formatName: String, tagLength: Int = SessionFormat.tagEventLength) -> [UInt8] {
        let name = Array(formatName.utf8)
        var prefix: [UInt8] = []
        func tag(_ number: UInt16, _ length: Int) {
            for value in [number, UInt16(truncatingIfNeeded: length)] {
                prefix.append(UInt8(value >> 8))
                prefix.append(UInt8(value & 0xFF))
            }
        }
        tag(SessionFormat.tagDissectorName, SessionFormat.padded(name.count))
        prefix += name
        prefix += Array(repeating: 0, count: SessionFormat.padded(name.count) - name.count)
        tag(SessionFormat.tagEvent, tagLength)
        prefix += Array(repeating: 0, count: tagLength)
        tag(0, 0)
        return prefix
    }

    /// Gives a node its number. The file describes an interface of the node before the interface's first event.
    ///
    /// - Parameter name: the node's name, unique in the session; truncated to 255 bytes.
    /// - Returns: the number. If there are already 65534 nodes, ``NodeIndex/session``, and ``failure`` is set.
    public func addNode(_ name: String) -> NodeIndex {
        guard nodeNames.count <= SessionFormat.nodeCountMax else {
            fail(.tooManyNodes(limit: SessionFormat.nodeCountMax))
            return .session
        }
        nodeNames.append(SessionFormat.clipped(name, to: 255))
        interfaceNumbers.append(contentsOf: Channel.allCases.map { _ in -1 })
        return NodeIndex(rawValue: UInt16(nodeNames.count - 1))
    }

    /// Appends an event.
    ///
    /// - Parameter cause: the number of the event that caused this one; 0 for none. A number that is not smaller than
    ///   the event's own counts as 0.
    /// - Returns: the event's number; 0 if the recording has stopped.
    @discardableResult
    public func append(
        _ role: EventRole, node: NodeIndex, draft: EventDraft, at time: Instant, cause: UInt64 = 0, comment: String = ""
    ) -> UInt64 {
        guard failure == nil || isRetaining, !isClosed else { return 0 }
        // Only a start event may be longer than a packet, because it can contain the state of a server of any size.
        guard draft.payload.count <= SessionFormat.payloadLengthMax || role == .start else {
            fail(
                .payloadTooLarge(
                    role: role, bytes: draft.payload.count, limit: SessionFormat.payloadLengthMax))
            return 0
        }
        guard let interface = interface(node, draft.channel) else { return 0 }
        let number = eventCount + 1
        if role == .keyframe || role == .start { addEntry(role, node: node, number: number) }
        var head = BlockBuffer.PacketHead(
            interface: interface, timestamp: UInt64(bitPattern: epochNanoseconds &+ time.nanoseconds),
            role: SessionFormat.rolePart, node: node, direction: draft.direction, stream: draft.stream, number: number,
            cause: cause < number ? cause : 0)
        var text =
            comment.utf8.count > SessionFormat.commentLengthMax
            ? SessionFormat.clipped(comment, to: SessionFormat.commentLengthMax) : comment
        draft.payload.withUnsafeBytes { whole in
            var payload = whole
            while payload.count > SessionFormat.payloadLengthMax {
                let part = UnsafeRawBufferPointer(rebasing: payload[..<SessionFormat.payloadLengthMax])
                payload = UnsafeRawBufferPointer(rebasing: payload[SessionFormat.payloadLengthMax...])
                let none = UnsafeRawBufferPointer(start: nil, count: 0)
                buffer.packet(head, prefix: prefix, payload: part, comment: none)
            }
            head.role = role.rawValue
            text.withUTF8 { comment in
                buffer.packet(head, prefix: prefix, payload: payload, comment: UnsafeRawBufferPointer(comment))
            }
        }
        eventCount = number
        if buffer.bytes.count >= SessionLog.bufferLengthMax { writeBuffer() }
        return number
    }

    /// Tries again to write the retained events.
    ///
    /// - Returns: true if the recording continues, with all retained events.
    public func resume() -> Bool {
        guard isRetaining, !isClosed else { return failure == nil }
        failure = nil
        isRetaining = false
        writeBuffer()
        return failure == nil
    }

    /// Writes all bytes of the buffer to the sink.
    ///
    /// - Throws: the ``failure``, from this call or an earlier one.
    public func flush() throws(SessionError) {
        writeBuffer()
        if let failure { throw failure }
    }

    /// Ends the session: appends the closing record, writes all bytes to the sink, and closes the sink.
    ///
    /// - Throws: the ``failure``, from this call or an earlier one. The sink is closed in any case.
    public func close(at time: Instant) throws(SessionError) {
        guard !isClosed else { return }
        if failure == nil {
            // The description of the interface is written first, because the record contains the offset of its own
            // block.
            _ = interface(.session, .runtime)
            var record = ClosingRecord()
            record.events = eventCount + 1
            record.offset = bufferOffset + UInt64(buffer.bytes.count)
            record.chain = chain
            record.nodes = nodeNames.indices.map {
                ClosingRecord.NodeName(index: NodeIndex(rawValue: UInt16($0)), name: nodeNames[$0])
            }
            record.interfaces = interfaces
            record.entries = entries
            append(
                .closing, node: .session,
                draft: EventDraft(payload: record.encoded(limit: SessionFormat.payloadLengthMax)), at: time,
                comment: "closed, \(record.events) events")
        }
        writeBuffer()
        isClosed = true
        do throws(SessionError) {
            try sink.close()
        } catch {
            fail(error)
        }
        if let failure { throw failure }
    }

    private func interface(_ node: NodeIndex, _ channel: Channel) -> UInt32? {
        let position = Int(node.rawValue) * Channel.allCases.count + Int(channel.rawValue)
        guard position < interfaceNumbers.count else {
            // The node was never added. The caller passed a node of another session.
            fail(.unwritable(reason: "node \(node.rawValue) was not added to this session"))
            return nil
        }
        if interfaceNumbers[position] < 0 {
            interfaceNumbers[position] = Int32(interfaces.count)
            interfaces.append(CaptureInterface(node: node, channel: channel))
            buffer.interface(named: "\(nodeNames[Int(node.rawValue)])/\(channel.name)")
        }
        return UInt32(interfaceNumbers[position])
    }

    /// Counts a keyframe as written, although it was too large to be written. Else the host would encode it again at
    /// each batch.
    public func skipKeyframe() {
        lastKeyframe = eventCount
    }

    private func addEntry(_ role: EventRole, node: NodeIndex, number: UInt64) {
        lastKeyframe = number
        entries.append(
            IndexEntry(
                number: number, offset: bufferOffset + UInt64(buffer.bytes.count), node: node, role: role,
                interfaceCount: UInt32(interfaces.count)))
        if entries.count > ClosingRecord.entryCountMax { entries = ClosingRecord.thinned(entries) }
    }

    private func writeBuffer() {
        guard !buffer.bytes.isEmpty else { return }
        if isRetaining {
            guard buffer.bytes.count > SessionLog.retainedLengthMax else { return }
            isRetaining = false
            return buffer.removeAll()
        }
        do throws(SessionError) {
            try sink.write(buffer.bytes)
            bufferOffset += UInt64(buffer.bytes.count)
        } catch {
            fail(error)
            if retainsUnwritten {
                isRetaining = true
                return
            }
            // The sink may have written a part of the buffer, so nothing may be appended to the file any more.
        }
        buffer.removeAll()
    }

    private func fail(_ error: SessionError) {
        if failure == nil { failure = error }
    }
}
