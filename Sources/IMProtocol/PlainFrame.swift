// Encodes and decodes plain frames, which have no contents except their kind, without the protobuf library. Nearly
// every frame of a long session is a plain one. The bytes are the same as those of the library.

extension FrameBody {
    /// The protobuf tag of the body's field in `im/v1/frame.proto`; nil for a body with contents.
    fileprivate var plainTag: UInt8? {
        switch self {
        case .heartbeat: 6 << 3 | 2
        case .heartbeatAck: 7 << 3 | 2
        case .sync: 12 << 3 | 2
        case .syncDone: 14 << 3 | 2
        default: nil
        }
    }

    fileprivate init?(plainTag: UInt8) {
        switch plainTag {
        case 6 << 3 | 2: self = .heartbeat
        case 7 << 3 | 2: self = .heartbeatAck
        case 12 << 3 | 2: self = .sync
        case 14 << 3 | 2: self = .syncDone
        default: return nil
        }
    }
}

/// The bytes of the protobuf tags of the checksum's fields, `said` and `said_check`. `count` and `check` are the first
/// bytes of the two tags, and `second` is the second byte of each.
private enum ChecksumTag {
    static let count: UInt8 = 0xB0
    static let check: UInt8 = 0xBD
    static let second: UInt8 = 0x03
}

extension Frame {
    /// The approximate memory use of the frame, in bytes. Lists of events are limited by their memory use.
    package var estimatedBytes: Int { 32 + (body.plainTag == nil ? bytes().count : 0) }

    /// True if the frame is larger than a peer accepts.
    public var isTooLarge: Bool { body.plainTag == nil && bytes().count > ProtocolLimit.frameBytesMax }

    /// Appends the bytes of the frame. For a plain frame this allocates no memory if the buffer has enough capacity.
    public func append(to bytes: inout [UInt8]) {
        guard let tag = body.plainTag, page == 0, !hasMore, checksum.map({ $0.count != 0 && $0.check != 0 }) ?? true
        else {
            bytes.append(contentsOf: general())
            return
        }
        if request != 0 {
            bytes.append(1 << 3)
            bytes.append(varint: request)
        }
        bytes.append(tag)
        bytes.append(0)
        guard let checksum else { return }
        bytes.append(ChecksumTag.count)
        bytes.append(ChecksumTag.second)
        bytes.append(varint: checksum.count)
        bytes.append(ChecksumTag.check)
        bytes.append(ChecksumTag.second)
        withUnsafeBytes(of: checksum.check.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Reads a frame; see ``init(bytes:)``. The bytes of a plain frame are not copied.
    public init(bytes: UnsafeRawBufferPointer) throws(FrameError) {
        if let plain = Frame(plain: bytes) {
            self = plain
        } else {
            try self.init(bytes: Array(bytes))
        }
    }

    /// Reads a plain frame, with or without a checksum. Nil if the bytes are not exactly those that ``append(to:)``
    /// writes.
    public init?(plain bytes: UnsafeRawBufferPointer) {
        var reader = PlainReader(bytes: bytes)
        var request: UInt32 = 0
        if reader.consume(1 << 3) {
            guard let number = reader.varint() else { return nil }
            request = number
        }
        guard let tag = reader.byte(), let body = FrameBody(plainTag: tag), reader.consume(0) else { return nil }
        guard !reader.isAtEnd else {
            self.init(request: request, body)
            return
        }
        guard reader.consume(ChecksumTag.count), reader.consume(ChecksumTag.second), let count = reader.varint(),
            reader.consume(ChecksumTag.check), reader.consume(ChecksumTag.second), let check = reader.word(),
            check != 0, reader.isAtEnd
        else { return nil }
        self.init(request: request, body, checksum: FrameChecksum(count: count, check: check))
    }
}

/// Reads the parts of a plain frame, as ``Frame/append(to:)`` writes them.
private struct PlainReader {
    let bytes: UnsafeRawBufferPointer
    /// The byte offset of the next byte, at most the number of bytes.
    private var offset = 0

    init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { offset >= bytes.count }

    mutating func byte() -> UInt8? {
        guard !isAtEnd else { return nil }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// Consumes the next byte if it is equal to `byte`. Returns false if it is not.
    mutating func consume(_ byte: UInt8) -> Bool {
        guard !isAtEnd, bytes[offset] == byte else { return false }
        offset += 1
        return true
    }

    /// Reads a number above zero in its shortest encoding. Nil for a number with more than 28 bits, which the protobuf
    /// library then reads.
    mutating func varint() -> UInt32? {
        var number: UInt32 = 0
        var shift: UInt32 = 0
        while shift < 28 {
            guard let byte = byte() else { return nil }
            number |= UInt32(byte & 0x7F) << shift
            if byte < 0x80 { return byte == 0 ? nil : number }
            shift += 7
        }
        return nil
    }

    mutating func word() -> UInt32? {
        guard bytes.count - offset >= 4 else { return nil }
        defer { offset += 4 }
        return UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}

extension [UInt8] {
    fileprivate mutating func append(varint number: UInt32) {
        var rest = number
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }
}
