import SansIO

/// A buffer of pcapng blocks, in little-endian byte order. It also computes the chain over all blocks.
struct BlockBuffer {
    private(set) var bytes: [UInt8] = []
    private(set) var chain = Chain()

    /// The fields of a packet, except its payload and comment.
    struct PacketHead {
        var interface: UInt32
        var timestamp: UInt64
        /// The raw value of an ``EventRole``, or ``SessionFormat/rolePart``.
        var role: UInt8
        var node: NodeIndex
        var direction: Direction
        var stream: UInt32
        var number: UInt64
        var cause: UInt64 = 0
    }

    init() {
        bytes.reserveCapacity(SessionLog.bufferLengthMax + SessionFormat.blockLengthMax)
    }

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func sectionHeader(application: String, os: String, comment: String) {
        block(SessionFormat.sectionHeader) { body in
            body.append32(SessionFormat.byteOrderMagic)
            body.append16(1)
            body.append16(0)
            // The length of the section, which is unknown until the session is closed: -1.
            body.append32(.max)
            body.append32(.max)
            body.appendOption(SessionFormat.sectionApplication, Array(application.utf8))
            body.appendOption(SessionFormat.sectionOS, Array(os.utf8))
            body.appendOption(SessionFormat.optionComment, Array(comment.utf8))
            body.append32(0)
        }
    }

    mutating func interface(named name: String) {
        block(SessionFormat.interfaceDescription) { body in
            body.append16(SessionFormat.linkTypeUpperPDU)
            body.append16(0)
            body.append32(0)
            body.appendOption(SessionFormat.interfaceName, Array(name.utf8))
            body.appendOption(SessionFormat.interfaceResolution, [SessionFormat.nanosecondResolution])
            body.append32(0)
        }
    }

    private mutating func block(_ type: UInt32, _ fill: (inout [UInt8]) -> Void) {
        let begin = bytes.count
        bytes.append32(type)
        bytes.append32(0)
        fill(&bytes)
        let length = UInt32(bytes.count - begin + 4)
        bytes.append32(length)
        bytes.withUnsafeMutableBytes { all in
            all.storeBytes(of: length.littleEndian, toByteOffset: begin + 4, as: UInt32.self)
            chain.mix(UnsafeRawBufferPointer(rebasing: all[begin...]))
        }
    }

    /// Appends an Enhanced Packet Block. The caller has checked the lengths of payload and comment.
    ///
    /// - Parameter prefix: the tags before the payload. The value of the event's tag is zero and is filled in here.
    mutating func packet(
        _ head: PacketHead, prefix: [UInt8], payload: UnsafeRawBufferPointer, comment: UnsafeRawBufferPointer
    ) {
        let dataLength = prefix.count + payload.count
        let commentLength = comment.isEmpty ? 0 : 4 + SessionFormat.padded(comment.count)
        let optionsBegin = SessionFormat.packetHeaderLength + SessionFormat.padded(dataLength)
        let length = optionsBegin + commentLength + SessionFormat.packetTrailerLength
        let begin = bytes.count
        bytes.append(contentsOf: repeatElement(0, count: length))
        bytes.withUnsafeMutableBytes { all in
            let block = UnsafeMutableRawBufferPointer(rebasing: all[begin...])
            block.store32(SessionFormat.enhancedPacket, at: 0)
            block.store32(UInt32(length), at: 4)
            block.store32(head.interface, at: 8)
            block.store32(UInt32(truncatingIfNeeded: head.timestamp >> 32), at: 12)
            block.store32(UInt32(truncatingIfNeeded: head.timestamp), at: 16)
            block.store32(UInt32(dataLength), at: 20)
            block.store32(UInt32(dataLength), at: 24)

            let dataBegin = SessionFormat.packetHeaderLength
            prefix.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: block[dataBegin...]).copyMemory(from: $0) }
            // The value of the event's tag. Only the four bytes of the end-of-tags follow in the prefix.
            let tag = dataBegin + prefix.count - 4 - SessionFormat.tagEventLength
            block[tag] = head.role
            block[tag + 1] = SessionFormat.version
            block.store16(head.node.rawValue, at: tag + 2)
            block.store32(head.stream, at: tag + 4)
            block.store64(head.cause, at: tag + 16)
            let payloadBegin = dataBegin + prefix.count
            UnsafeMutableRawBufferPointer(rebasing: block[payloadBegin...]).copyMemory(from: payload)

            var option = optionsBegin
            block.store16(SessionFormat.packetFlags, at: option)
            block.store16(4, at: option + 2)
            block.store32(UInt32(head.direction.rawValue), at: option + 4)
            block.store16(SessionFormat.packetID, at: option + 8)
            block.store16(8, at: option + 10)
            block.store64(head.number, at: option + 12)
            option += 20
            if !comment.isEmpty {
                block.store16(SessionFormat.optionComment, at: option)
                block.store16(UInt16(truncatingIfNeeded: comment.count), at: option + 2)
                UnsafeMutableRawBufferPointer(rebasing: block[(option + 4)...]).copyMemory(from: comment)
            }
            block.store32(UInt32(length), at: length - 4)

            chain.mix(UnsafeRawBufferPointer(block), hole: tag + 8)
            block.store64(chain.value, at: tag + 8)
        }
    }
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func store16(_ value: UInt16, at offset: Int) {
        storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt16.self)
    }

    fileprivate func store32(_ value: UInt32, at offset: Int) {
        storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt32.self)
    }

    fileprivate func store64(_ value: UInt64, at offset: Int) {
        storeBytes(of: value.littleEndian, toByteOffset: offset, as: UInt64.self)
    }
}

extension [UInt8] {
    mutating func append16(_ value: UInt16) {
        append(UInt8(truncatingIfNeeded: value))
        append(UInt8(truncatingIfNeeded: value >> 8))
    }

    mutating func append32(_ value: UInt32) {
        append16(UInt16(truncatingIfNeeded: value))
        append16(UInt16(truncatingIfNeeded: value >> 16))
    }

    /// Appends a pcapng option. The caller has checked that `value` is shorter than 64 KiB.
    mutating func appendOption(_ code: UInt16, _ value: [UInt8]) {
        append16(code)
        append16(UInt16(truncatingIfNeeded: value.count))
        append(contentsOf: value)
        while count % 4 != 0 { append(0) }
    }
}
