public import SansIO

/// Writes the events of a session without knowing what its machines are; ``SessionWriter`` adds that.
///
/// Nothing throws while events come in, so that recording never gets in the way of the machines. The first failure
/// stops the recording, is kept in ``failure``, and is thrown by every ``flush()`` and ``close(at:)`` from then on; the
/// file ends behind the last event before it.
///
/// `@exclusivity(unchecked)`: see `WorldCore`.
public final class SessionLog {
    /// Bytes are handed to the sink at the latest when so many are waiting.
    static let bufferLengthMax = 256 * 1024

    private let sink: any ByteSink
    private let epochNanoseconds: Int64
    private let prefix: [UInt8]
    @exclusivity(unchecked) private var buffer = BlockBuffer()
    /// Where in the file the buffer's first byte will lie.
    @exclusivity(unchecked) private var bufferOffset: UInt64 = 0
    private var nodeNames: [String] = ["session"]
    /// The interface of each node and channel, or -1 before its first event.
    @exclusivity(unchecked) private var interfaceNumbers: [Int32] = Array(repeating: -1, count: Channel.allCases.count)
    private var interfaces: [CaptureInterface] = []
    private var entries: [IndexEntry] = []
    @exclusivity(unchecked) private var isClosed = false
    /// Whether what the sink does not take is kept, up to ``heldLengthMax``, for ``resume()``. The host stops what it
    /// records until then; what it still appends is the rest of one batch.
    public var holdsUntaken = false
    /// What the sink did not take is in the buffer.
    @exclusivity(unchecked) private var isHolding = false
    /// More than this is not held: the recording has ended for good.
    static let heldLengthMax = 128 << 20

    /// The number of the last event; 0 before the first.
    @exclusivity(unchecked) public private(set) var eventCount: UInt64 = 0
    /// Why the recording stopped.
    @exclusivity(unchecked) public private(set) var failure: SessionError?
    /// The number of the last keyframe or start.
    private var lastKeyframe: UInt64 = 0
    /// The chain as of the last event.
    public var chain: UInt64 { buffer.chain.value }
    /// How many events have been recorded since the last keyframe.
    public var eventsSinceKeyframe: UInt64 { eventCount - lastKeyframe }

    /// Begins a session: the section header, the header event and the clock event are written into the buffer.
    ///
    /// - Parameters:
    ///   - formatName: the dissector's name; what exceeds 64 bytes is cut off.
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
        // Whatever the file had that it may be a copy of.
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

    /// The tags before each payload.
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

    /// Gives a node its number. Its interfaces are described in the file when they are first used.
    ///
    /// - Parameter name: unique in the session; what exceeds 255 bytes is cut off.
    /// - Returns: ``NodeIndex/session``, with ``failure`` set, when there are 65534 nodes.
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
    /// - Parameter cause: the number of the event that led to it; 0 for none. What is not behind it can be none.
    /// - Returns: its number, or 0 when the recording has stopped.
    @discardableResult
    public func append(
        _ role: EventRole, node: NodeIndex, draft: EventDraft, at time: Instant, cause: UInt64 = 0, comment: String = ""
    ) -> UInt64 {
        guard failure == nil || isHolding, !isClosed else { return 0 }
        // Only a start is written in parts: the state of a server has no largest size.
        guard draft.payload.count <= SessionFormat.payloadLengthMax || role == .start else {
            fail(
                .payloadTooLarge(
                    role: role, bytes: draft.payload.count, limit: SessionFormat.payloadLengthMax))
            return 0
        }
        guard let interface = interface(node, draft.channel) else { return 0 }
        let number = eventCount + 1
        if role == .keyframe || role == .start { remember(role, node: node, number: number) }
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
        if buffer.bytes.count >= SessionLog.bufferLengthMax { handOver() }
        return number
    }

    /// Tries again what the sink did not take.
    ///
    /// - Returns: whether the recording goes on, with all that was held.
    public func resume() -> Bool {
        guard isHolding, !isClosed else { return failure == nil }
        failure = nil
        isHolding = false
        handOver()
        return failure == nil
    }

    /// Hands every byte to the sink.
    ///
    /// - Throws: the ``failure``, new or old.
    public func flush() throws(SessionError) {
        handOver()
        if let failure { throw failure }
    }

    /// Writes the closing record, hands everything to the sink and closes it.
    ///
    /// - Throws: the ``failure``, new or old; the sink is closed all the same.
    public func close(at time: Instant) throws(SessionError) {
        guard !isClosed else { return }
        if failure == nil {
            // The interface comes first, because the record states where its own block begins.
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
        handOver()
        isClosed = true
        do throws(SessionError) {
            try sink.close()
        } catch {
            fail(error)
        }
        if let failure { throw failure }
    }

    private func interface(_ node: NodeIndex, _ channel: Channel) -> UInt32? {
        let place = Int(node.rawValue) * Channel.allCases.count + Int(channel.rawValue)
        guard place < interfaceNumbers.count else {
            // A node that was never added: the caller mixed up two sessions.
            fail(.unwritable(reason: "node \(node.rawValue) was not added to this session"))
            return nil
        }
        if interfaceNumbers[place] < 0 {
            interfaceNumbers[place] = Int32(interfaces.count)
            interfaces.append(CaptureInterface(node: node, channel: channel))
            buffer.interface(named: "\(nodeNames[Int(node.rawValue)])/\(channel.name)")
        }
        return UInt32(interfaceNumbers[place])
    }

    /// Counts a keyframe that could not be written as done, so that the next one is not asked for at once.
    public func keyframeLeftOut() {
        lastKeyframe = eventCount
    }

    private func remember(_ role: EventRole, node: NodeIndex, number: UInt64) {
        lastKeyframe = number
        entries.append(
            IndexEntry(
                number: number, offset: bufferOffset + UInt64(buffer.bytes.count), node: node, role: role,
                interfaceCount: UInt32(interfaces.count)))
        if entries.count > ClosingRecord.entryCountMax { entries = ClosingRecord.thinned(entries) }
    }

    private func handOver() {
        guard !buffer.bytes.isEmpty else { return }
        if isHolding {
            guard buffer.bytes.count > SessionLog.heldLengthMax else { return }
            isHolding = false
            return buffer.removeAll()
        }
        do throws(SessionError) {
            var thrown: SessionError?
            buffer.bytes.withUnsafeBytes { bytes in
                do throws(SessionError) {
                    try sink.write(bytes)
                } catch {
                    thrown = error
                }
            }
            if let thrown { throw thrown }
            bufferOffset += UInt64(buffer.bytes.count)
        } catch {
            fail(error)
            if holdsUntaken {
                isHolding = true
                return
            }
            // The file may now end anywhere. Nothing is appended after a failure, so the sink is not called again.
        }
        buffer.removeAll()
    }

    private func fail(_ error: SessionError) {
        if failure == nil { failure = error }
    }
}
