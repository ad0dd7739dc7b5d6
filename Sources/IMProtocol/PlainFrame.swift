// Frames that say nothing but what kind they are, written and read without the general codec. Nearly every frame of a
// long session is one of these, and its bytes are the same either way.

extension FrameBody {
    /// The tag of the body's field in `im/v1/frame.proto`; nil for a body that holds something.
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

/// The bytes around a tally, `said` and `said_check`, behind the body.
private enum TallyTag {
    static let count: [UInt8] = [0xB0, 0x03]
    static let check: [UInt8] = [0xBD, 0x03]
}

extension Frame {
    /// Appends the frame as ``bytes()`` gives it. A buffer that is used again is not allocated again.
    public func append(to bytes: inout [UInt8]) {
        guard let tag = body.plainTag, page == 0, !hasMore, said.map({ $0.count != 0 && $0.check != 0 }) ?? true else {
            bytes.append(contentsOf: general())
            return
        }
        if request != 0 {
            bytes.append(1 << 3)
            bytes.append(varint: request)
        }
        bytes.append(tag)
        bytes.append(0)
        guard let said else { return }
        bytes.append(contentsOf: TallyTag.count)
        bytes.append(varint: said.count)
        bytes.append(contentsOf: TallyTag.check)
        for shift in [UInt32(0), 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: said.check >> shift)) }
    }

    /// Reads a frame where it lies; see ``init(bytes:)``.
    public init(bytes: UnsafeRawBufferPointer) throws(FrameError) {
        if let plain = Frame(plain: bytes) {
            self = plain
        } else {
            try self.init(bytes: Array(bytes))
        }
    }

    /// A frame that says nothing but what kind it is, with or without a tally; nil for whatever is not one exactly as
    /// ``append(to:)`` writes it.
    public init?(plain bytes: UnsafeRawBufferPointer) {
        var reader = PlainReader(rest: bytes[...])
        var request: UInt32 = 0
        if reader.rest.first == 1 << 3 {
            _ = reader.byte()
            guard let number = reader.varint() else { return nil }
            request = number
        }
        guard let tag = reader.byte(), let body = FrameBody(plainTag: tag), reader.byte() == 0 else { return nil }
        guard !reader.isAtEnd else {
            self.init(request: request, body)
            return
        }
        guard reader.take(TallyTag.count), let count = reader.varint(), reader.take(TallyTag.check),
            let check = reader.word(), check != 0, reader.isAtEnd
        else { return nil }
        self.init(request: request, body, said: Tally(count: count, check: check))
    }
}

/// Reads what ``Frame/append(to:)`` writes, and nothing else.
private struct PlainReader {
    var rest: Slice<UnsafeRawBufferPointer>

    var isAtEnd: Bool { rest.isEmpty }

    mutating func byte() -> UInt8? { rest.popFirst() }

    mutating func take(_ bytes: [UInt8]) -> Bool {
        guard rest.starts(with: bytes) else { return false }
        rest.removeFirst(bytes.count)
        return true
    }

    /// A number above zero in as few bytes as it takes, up to four of them, which leaves room for 28 bits; larger ones
    /// are for the general codec.
    mutating func varint() -> UInt32? {
        var number: UInt32 = 0
        for shift in [UInt32(0), 7, 14, 21] {
            guard let byte = rest.popFirst() else { return nil }
            number |= UInt32(byte & 0x7F) << shift
            if byte < 0x80 { return byte == 0 ? nil : number }
        }
        return nil
    }

    mutating func word() -> UInt32? {
        guard rest.count >= 4 else { return nil }
        var word: UInt32 = 0
        for shift in [UInt32(0), 8, 16, 24] { word |= UInt32(rest.popFirst() ?? 0) << shift }
        return word
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
