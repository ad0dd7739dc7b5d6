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

extension Frame {
    /// Appends the frame as ``bytes()`` gives it. A buffer that is used again is not allocated again.
    public func append(to bytes: inout [UInt8]) {
        guard let tag = body.plainTag, page == 0, !hasMore else {
            bytes.append(contentsOf: general())
            return
        }
        if request != 0 {
            bytes.append(1 << 3)
            var rest = request
            while rest >= 0x80 {
                bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
                rest >>= 7
            }
            bytes.append(UInt8(truncatingIfNeeded: rest))
        }
        bytes.append(tag)
        bytes.append(0)
    }

    /// Reads a frame where it lies; see ``init(bytes:)``.
    public init(bytes: UnsafeRawBufferPointer) throws(FrameError) {
        if let plain = Frame(plain: bytes) {
            self = plain
        } else {
            try self.init(bytes: Array(bytes))
        }
    }

    /// A frame that says nothing but what kind it is; nil for whatever is not one exactly as ``append(to:)`` writes it.
    public init?(plain bytes: UnsafeRawBufferPointer) {
        let count = bytes.count
        guard count >= 2, bytes[count - 1] == 0, let body = FrameBody(plainTag: bytes[count - 2]) else { return nil }
        guard count > 2 else {
            self.init(body)
            return
        }
        // Up to four bytes of a number, which leaves room for 28 bits; larger ones are for the general codec.
        guard bytes[0] == 1 << 3, (4...7).contains(count), bytes[count - 3] < 0x80 else { return nil }
        var request: UInt32 = 0
        for index in (1..<count - 2).reversed() {
            guard index == count - 3 || bytes[index] >= 0x80 else { return nil }
            request = request << 7 | UInt32(bytes[index] & 0x7F)
        }
        self.init(request: request, body)
    }
}
