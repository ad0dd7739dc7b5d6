import SansIO

/// Reads the two kinds of block after the section header. A recorder writes each kind in one layout only. Any other
/// layout is reported as damage, even if pcapng allows it.
extension SessionScanner {
    /// Reads an Interface Description Block.
    func interface(_ block: UnsafeRawBufferPointer) throws(SessionError) {
        // The block contains type, length, link type, reserved bytes, snap length, the option with the name, 8 bytes of
        // time resolution, the end of options, and the length again.
        let nameBegin = 20
        guard block.count >= nameBegin + 16 else {
            throw damage("invalid interface description of \(block.count) bytes")
        }
        let nameLength = Int(block.load16(at: 18))
        guard block.load16(at: 8) == SessionFormat.linkTypeUpperPDU,
            block.load16(at: 16) == SessionFormat.interfaceName,
            block.count == nameBegin + SessionFormat.padded(nameLength) + 16
        else { throw damage("an interface description that no recorder writes") }
        let name = block[nameBegin..<nameBegin + nameLength]
        guard let slash = name.lastIndex(of: UInt8(ascii: "/")) else { throw damage("an interface without a channel") }
        let channelName = String(decoding: name[(slash + 1)...], as: UTF8.self)
        guard let channel = Channel.allCases.first(where: { $0.name == channelName }) else {
            throw damage("an interface of the unknown channel \(channelName)")
        }
        position.chain?.mix(block)
        pendingNames.append(String(decoding: name[..<slash], as: UTF8.self))
        // The description contains no node index. The first event on the interface contains it.
        position.interfaces.append(CaptureInterface(node: .unknown, channel: channel))
    }

    /// Reads an Enhanced Packet Block.
    ///
    /// - Returns: the event; nil if the packet is the first part of a later event.
    func packet(_ block: UnsafeRawBufferPointer) throws(SessionError) -> EventView? {
        let header = SessionFormat.packetHeaderLength
        guard block.count >= header + SessionFormat.packetTrailerLength else {
            throw damage("invalid packet block of \(block.count) bytes")
        }
        let dataLength = Int(block.load32(at: 20))
        guard dataLength <= SessionFormat.packetLengthMax, block.load32(at: 24) == UInt32(dataLength) else {
            throw damage("the two lengths of the packet differ")
        }
        let optionsBegin = header + SessionFormat.padded(dataLength)
        guard optionsBegin + SessionFormat.packetTrailerLength <= block.count else {
            throw damage("the packet is longer than its block")
        }
        if position.prefix.isEmpty { try readPrefix(block, dataLength: dataLength) }
        let prefixLength = position.prefix.count
        guard dataLength >= prefixLength, optionsBegin + 20 <= block.count else {
            throw damage("the packet is too short")
        }
        let number = block.load64(at: optionsBegin + 12)
        guard number == position.nextNumber else {
            throw damage("found event number \(number) instead")
        }
        let tag = header + prefixLength - 4 - position.tagLength
        try checkChain(block, hole: tag + 8)
        let comment = try options(block, at: optionsBegin)
        if block[tag] == SessionFormat.rolePart {
            try part(block, tag: tag, dataLength: dataLength)
            position.offset += UInt64(block.count)
            return nil
        }
        let view = try event(block, tag: tag, dataLength: dataLength, comment: comment)
        position.offset += UInt64(block.count)
        position.eventEnd = position.offset
        position.nextNumber = number &+ 1
        position.isClosed = view.role == .closing
        return view
    }

    private func checkChain(_ block: UnsafeRawBufferPointer, hole: Int) throws(SessionError) {
        let stated = block.load64(at: hole)
        if var chain = position.chain {
            chain.mix(block, hole: hole)
            guard chain.value == stated else { throw damage("the checksum does not match") }
            position.chain = chain
        } else {
            position.chain = Chain(value: stated)
        }
    }

    /// Checks the options of a packet, which have a fixed order.
    ///
    /// - Returns: the comment; empty if there is none.
    private func options(
        _ block: UnsafeRawBufferPointer, at begin: Int
    ) throws(SessionError) -> UnsafeRawBufferPointer {
        let end = block.count - 4
        guard block.load16(at: begin) == SessionFormat.packetFlags, block.load16(at: begin + 2) == 4,
            block.load16(at: begin + 8) == SessionFormat.packetID, block.load16(at: begin + 10) == 8
        else { throw damage("options that no recorder writes") }
        let next = begin + 20
        if next + 4 == end, block.load32(at: next) == 0 { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let length = Int(block.load16(at: next + 2))
        guard block.load16(at: next) == SessionFormat.optionComment,
            next + 4 + SessionFormat.padded(length) + 4 == end, block.load32(at: end - 4) == 0
        else { throw damage("options that no recorder writes") }
        return UnsafeRawBufferPointer(rebasing: block[next + 4..<next + 4 + length])
    }

    /// Adds the payload of a packet that is a first part of a start event.
    private func part(_ block: UnsafeRawBufferPointer, tag: Int, dataLength: Int) throws(SessionError) {
        try requireVersion(block[tag + 1])
        guard position.version == SessionFormat.version else { throw damage("an event of an unknown kind") }
        _ = try channel(of: Int(block.load32(at: 8)), node: NodeIndex(rawValue: block.load16(at: tag + 2)))
        if position.parts.isEmpty { position.partsBegin = position.offset }
        let header = SessionFormat.packetHeaderLength
        position.parts.append(contentsOf: block[header + position.prefix.count..<header + dataLength])
    }

    private func event(
        _ block: UnsafeRawBufferPointer, tag: Int, dataLength: Int, comment: UnsafeRawBufferPointer
    ) throws(SessionError) -> EventView {
        let tagBytes = UnsafeRawBufferPointer(rebasing: block[tag..<tag + position.tagLength])
        try requireVersion(tagBytes[1])
        let event =
            position.version == SessionFormat.version
            ? EventTag(tagBytes) : FormatMigration.migrated(tagBytes, from: position.version)
        let header = SessionFormat.packetHeaderLength
        let dataEnd = header + dataLength
        let optionsBegin = header + SessionFormat.padded(dataLength)
        let node = NodeIndex(rawValue: event.node)
        guard let role = EventRole(rawValue: event.role),
            let direction = Direction(rawValue: UInt8(clamping: block.load32(at: optionsBegin + 4)))
        else { throw damage("an event of an unknown kind") }
        guard event.cause < position.nextNumber else {
            throw damage("its cause is event \(event.cause), which is not earlier")
        }
        let channel = try channel(of: Int(block.load32(at: 8)), node: node)
        let timestamp = UInt64(block.load32(at: 12)) << 32 | UInt64(block.load32(at: 16))
        var payload = UnsafeRawBufferPointer(rebasing: block[header + position.prefix.count..<dataEnd])
        var begin = position.offset
        if !position.parts.isEmpty {
            guard role == .start else { throw damage("a part of a start event without its end") }
            begin = position.partsBegin
            payload = join(payload)
        }
        return EventView(
            number: position.nextNumber,
            time: Instant(nanoseconds: Int64(bitPattern: timestamp) &- epochNanoseconds),
            node: node, channel: channel, direction: direction, role: role, stream: event.stream,
            cause: event.cause, payload: payload, commentBytes: comment, offset: begin)
    }

    private func requireVersion(_ version: UInt8) throws(SessionError) {
        if version == position.version { return }
        guard version <= SessionFormat.version else {
            throw .newerFormat(found: UInt64(version), supported: UInt64(SessionFormat.version))
        }
        throw damage("an event of format \(version) in a file of format \(position.version)")
    }

    /// The channel of an event's interface. The first event on the interface also sets the interface's node.
    private func channel(of interface: Int, node: NodeIndex) throws(SessionError) -> Channel {
        guard interface < position.interfaces.count else { throw damage("an interface that was not described") }
        let known = position.interfaces[interface]
        if known.node == node, node != .unknown { return known.channel }
        guard known.node == .unknown, node != .unknown, !pendingNames.isEmpty,
            interface == position.interfaces.count - 1
        else {
            throw damage("node \(node.rawValue) on an interface of another node")
        }
        position.interfaces[interface].node = node
        while nodeNames.count <= Int(node.rawValue) { nodeNames.append("") }
        nodeNames[Int(node.rawValue)] = pendingNames.removeLast()
        return known.channel
    }

    /// Reads the name of the format from the first event. Its length determines the offset of the payload in each
    /// packet.
    private func readPrefix(_ block: UnsafeRawBufferPointer, dataLength: Int) throws(SessionError) {
        let begin = SessionFormat.packetHeaderLength
        guard dataLength >= 8 else { throw damage("the packet is too short") }
        let nameLength = Int(UInt16(bigEndian: block.loadUnaligned(fromByteOffset: begin + 2, as: UInt16.self)))
        guard nameLength <= SessionFormat.formatNameLengthMax,
            let tagLength = FormatMigration.tagLength(of: position.version)
        else { throw damage("tags that no recorder writes") }
        let length = 4 + SessionFormat.padded(nameLength) + 4 + tagLength + 4
        guard dataLength >= length else { throw damage("tags that no recorder writes") }
        let name = block[begin + 4..<begin + 4 + nameLength].prefix { $0 != 0 }
        formatName = String(decoding: name, as: UTF8.self)
        let prefix = SessionLog.prefix(formatName: formatName, tagLength: tagLength)
        guard prefix.count == length else { throw damage("tags that no recorder writes") }
        position.prefix = prefix
        position.tagLength = tagLength
    }
}

extension NodeIndex {
    /// The node of an interface before the interface's first event. The writer never assigns this number to a node.
    static let unknown = NodeIndex(rawValue: .max)
}
