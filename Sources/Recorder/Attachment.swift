/// A part of a session file that is not an event, such as a note by the person who sends the file.
///
/// Each part is a block after the last event. So the events, and the byte offsets in the closing record's index, do not
/// depend on the parts. The type of the block is one that pcapng reserves for local use, so other programs skip the
/// block.
/// ```
/// Attachment Block          type 0x80004953 ("IS"), length
///   version u8, 0 u8, which part u8 (from 1), of how many u8
///   chain u64               continues the last event's, so that a part fits only this session and this event
///   name length u16, 0 u16, contents length u32
///   name, contents          each padded with zeros to 4
///   length
/// ```
public struct SessionAttachment: Hashable, Sendable {
    /// The kind of the part. The program that uses the parts defines the names.
    public var name: String
    /// The bytes of the part, at most ``contentsLengthMax``.
    public var contents: [UInt8]

    /// The maximum length of the contents in bytes. A part with longer contents is neither written nor read.
    public static let contentsLengthMax = 256 << 10
    /// The maximum length of the name in UTF-8 bytes. A part with a longer name is neither written nor read.
    public static let nameLengthMax = 64
    /// The maximum number of parts in a file. A file with more parts is neither written nor read.
    public static let countMax = 16

    /// Creates a part. The lengths are checked when the part is written.
    public init(name: String, contents: [UInt8]) {
        self.name = name
        self.contents = contents
    }

    /// Creates a part whose contents are the UTF-8 bytes of a text.
    public init(name: String, text: String) {
        self.init(name: name, contents: Array(text.utf8))
    }

    /// The contents, decoded as UTF-8.
    public var text: String { String(decoding: contents, as: UTF8.self) }

    static let version: UInt8 = 1
    /// The length of the fields before the name.
    static let headLength = 28
    static let chainOffset = 12
    static let blockLengthMax = blockLength(name: nameLengthMax, contents: contentsLengthMax)

    static func blockLength(name: Int, contents: Int) -> Int {
        headLength + SessionFormat.padded(name) + SessionFormat.padded(contents) + 4
    }

    /// The bytes of the block, and the chain after the block.
    func block(index: Int, of count: Int, chain: Chain) -> (bytes: [UInt8], chain: Chain) {
        let name = Array(name.utf8)
        let length = Self.blockLength(name: name.count, contents: contents.count)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(length)
        bytes.append32(SessionFormat.attachment)
        bytes.append32(UInt32(length))
        bytes += [Self.version, 0, UInt8(truncatingIfNeeded: index), UInt8(truncatingIfNeeded: count)]
        bytes += Array(repeating: 0, count: 8)
        bytes.append16(UInt16(truncatingIfNeeded: name.count))
        bytes.append16(0)
        bytes.append32(UInt32(truncatingIfNeeded: contents.count))
        for part in [name, contents] {
            bytes += part
            bytes += Array(repeating: 0, count: SessionFormat.padded(part.count) - part.count)
        }
        bytes.append32(UInt32(length))
        var chain = chain
        bytes.withUnsafeBytes { chain.mix($0, hole: Self.chainOffset) }
        for index in 0..<8 {
            bytes[Self.chainOffset + index] = UInt8(truncatingIfNeeded: chain.value >> UInt64(8 * index))
        }
        return (bytes, chain)
    }
}

/// The parts after the last event of a file, which are checked as strictly as events.
struct AttachedParts {
    private(set) var parts: [SessionAttachment] = []
    /// The number of bytes of an incomplete part at the end of the file; nil if all parts are complete.
    private(set) var droppedBytes: UInt64?
    private var count: Int?

    /// Reads the parts up to the end of the file.
    ///
    /// - Parameters:
    ///   - offset: the byte offset at which the events end.
    ///   - lastEvent: the number of the last event.
    ///   - chain: the chain at the byte offset.
    /// - Throws: the error in the first invalid part. A file that was cut off is no error.
    init(_ source: ByteSource, from offset: UInt64, after lastEvent: UInt64, chain: Chain?) throws(SessionError) {
        var offset = offset
        var chain = chain
        while offset < source.size {
            let remaining = source.size - offset
            let head = try source.read(at: offset, count: Int(min(remaining, UInt64(SessionAttachment.headLength))))
            if head.count >= 4, head.withUnsafeBytes({ $0.load32(at: 0) }) == SessionFormat.sectionHeader {
                throw .merged(event: lastEvent + 1)
            }
            guard parts.count != count else { throw Self.damage("\(remaining) bytes after the last part", lastEvent) }
            switch Self.extent(of: head, remaining: remaining) {
            case .wrong(let reason): throw Self.damage(reason, lastEvent)
            case .cut:
                droppedBytes = remaining
                return
            case .whole(let length):
                let block = try source.read(at: offset, count: length)
                if let reason = add(block, &chain) { throw Self.damage(reason, lastEvent) }
                offset += UInt64(length)
            }
        }
        if let count, parts.count < count { droppedBytes = 0 }
    }

    /// True if the bytes can be the beginning of a part. At most four bytes are compared.
    static func begin(with bytes: UnsafeRawBufferPointer) -> Bool {
        let type = SessionFormat.attachment
        return !bytes.isEmpty
            && bytes.prefix(4).enumerated().allSatisfy { $1 == UInt8(truncatingIfNeeded: type >> (8 * UInt32($0))) }
    }

    /// The byte offset of the first part; the size of the file if it has no parts. The parts are found from the end of
    /// the file backwards.
    static func begin(in source: ByteSource) throws(SessionError) -> UInt64 {
        var begin = source.size
        for _ in 0..<SessionAttachment.countMax {
            guard begin >= 12 else { break }
            let tail = try source.read(at: begin - 4, count: 4)
            let length = UInt64(tail.withUnsafeBytes { $0.load32(at: 0) })
            guard length >= 12, length <= SessionAttachment.blockLengthMax, length <= begin else { break }
            let type = try source.read(at: begin - length, count: 4)
            guard type.withUnsafeBytes({ $0.load32(at: 0) }) == SessionFormat.attachment else { break }
            begin -= length
        }
        return begin
    }

    private enum Extent {
        case whole(Int)
        case cut
        case wrong(String)
    }

    /// Checks the first bytes of a block: whether the block is whole, cut off by the end of the file, or wrong.
    private static func extent(of head: [UInt8], remaining: UInt64) -> Extent {
        head.withUnsafeBytes { head in
            guard begin(with: head) else {
                return head.allSatisfy { $0 == 0 } ? .cut : .wrong("a block of a type that no recorder writes")
            }
            guard head.count >= 8 else { return .cut }
            let length = Int(head.load32(at: 4))
            guard length >= SessionAttachment.headLength + 4, length <= SessionAttachment.blockLengthMax else {
                return .wrong("invalid block length: \(length) bytes")
            }
            guard head.count == SessionAttachment.headLength else { return .cut }
            let (name, contents) = (Int(head.load16(at: 20)), Int(head.load32(at: 24)))
            guard name <= SessionAttachment.nameLengthMax, contents <= SessionAttachment.contentsLengthMax,
                length == SessionAttachment.blockLength(name: name, contents: contents)
            else { return .wrong("the block's length does not match its contents") }
            return UInt64(length) <= remaining ? .whole(length) : .cut
        }
    }

    /// Adds the part of a whole block.
    ///
    /// - Returns: the reason why the block is invalid; nil if it is valid.
    private mutating func add(_ block: [UInt8], _ chain: inout Chain?) -> String? {
        block.withUnsafeBytes { block in
            guard block.load32(at: block.count - 4) == UInt32(block.count) else {
                return "the two lengths of the block differ"
            }
            guard block[8] <= SessionAttachment.version else {
                return "written by a newer imrepl (version \(block[8]))"
            }
            let (index, total) = (Int(block[10]), Int(block[11]))
            guard index == parts.count + 1, index <= total, total == count ?? total,
                total <= SessionAttachment.countMax
            else { return "unexpected part \(index) of \(total)" }
            let stated = block.load64(at: SessionAttachment.chainOffset)
            if var running = chain {
                running.mix(block, hole: SessionAttachment.chainOffset)
                guard running.value == stated else { return "the checksum does not match" }
            }
            chain = Chain(value: stated)
            count = total
            let name = SessionAttachment.headLength..<SessionAttachment.headLength + Int(block.load16(at: 20))
            let begin = SessionAttachment.headLength + SessionFormat.padded(name.count)
            parts.append(
                SessionAttachment(
                    name: String(decoding: block[name], as: UTF8.self),
                    contents: Array(block[begin..<begin + Int(block.load32(at: 24))])))
            return nil
        }
    }

    private static func damage(_ reason: String, _ lastEvent: UInt64) -> SessionError {
        .damagedAttachment(after: lastEvent, reason: reason)
    }
}
