/// Something that belongs to a session and is no event of it, such as the note of who sends it.
///
/// Parts stand behind the last event, one block each, so that neither the events nor the places in the closing record's
/// index know of them. The block's type is one of those that pcapng leaves to each program: every tool passes over it
/// without a word.
/// ```
/// Attachment Block          type 0x80004953 ("IS"), length
///   version u8, 0 u8, which part u8 (from 1), of how many u8
///   chain u64               goes on from the last event's; a part is of this session, and behind this event
///   name length u16, 0 u16, contents length u32
///   name, contents          each filled up with zeros to 4
///   length
/// ```
public struct SessionAttachment: Hashable, Sendable {
    /// What it is; the reader of the part knows the name.
    public var name: String
    /// Its bytes, at most ``contentsLengthMax``.
    public var contents: [UInt8]

    /// To write more is refused, and so is to read it.
    public static let contentsLengthMax = 256 << 10
    /// The name in UTF-8 bytes; a longer one is not written, and not read.
    public static let nameLengthMax = 64
    /// Parts of one session; more are not written, and not read.
    public static let countMax = 16

    /// A part; its lengths are checked when it is written.
    public init(name: String, contents: [UInt8]) {
        self.name = name
        self.contents = contents
    }

    /// A part that is text, written as UTF-8.
    public init(name: String, text: String) {
        self.init(name: name, contents: Array(text.utf8))
    }

    /// The contents as text.
    public var text: String { String(decoding: contents, as: UTF8.self) }

    static let version: UInt8 = 1
    /// Up to the name.
    static let headLength = 28
    static let chainOffset = 12
    static let blockLengthMax = blockLength(name: nameLengthMax, contents: contentsLengthMax)

    static func blockLength(name: Int, contents: Int) -> Int {
        headLength + SessionFormat.padded(name) + SessionFormat.padded(contents) + 4
    }

    /// The block, and the chain behind it.
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

/// The parts behind the last event of a file. Read as strictly as events are.
struct AttachedParts {
    private(set) var parts: [SessionAttachment] = []
    /// So many bytes at the end are no whole part; nil when every part is there.
    private(set) var droppedBytes: UInt64?
    private var count: Int?

    /// Reads them to the end of the file.
    ///
    /// - Parameters:
    ///   - offset: where the events end.
    ///   - lastEvent: the number of the last event.
    ///   - chain: as of there.
    /// - Throws: what is wrong with them; a file that was cut off is not wrong.
    init(_ source: ByteSource, from offset: UInt64, behind lastEvent: UInt64, chain: Chain?) throws(SessionError) {
        var offset = offset
        var chain = chain
        while offset < source.size {
            let remaining = source.size - offset
            let head = try source.read(at: offset, count: Int(min(remaining, UInt64(SessionAttachment.headLength))))
            if head.count >= 4, head.withUnsafeBytes({ $0.load32(at: 0) }) == SessionFormat.sectionHeader {
                throw .merged(event: lastEvent + 1)
            }
            guard parts.count != count else { throw Self.damage("\(remaining) bytes behind the last part", lastEvent) }
            switch Self.extent(of: head, remaining: remaining) {
            case .wrong(let reason): throw Self.damage(reason, lastEvent)
            case .cut:
                droppedBytes = remaining
                return
            case .whole(let length):
                let block = try source.read(at: offset, count: length)
                if let reason = take(block, &chain) { throw Self.damage(reason, lastEvent) }
                offset += UInt64(length)
            }
        }
        if let count, parts.count < count { droppedBytes = 0 }
    }

    /// Whether bytes that follow the events begin a part. Fewer than four may be the beginning of one.
    static func begin(with bytes: UnsafeRawBufferPointer) -> Bool {
        let type = SessionFormat.attachment
        return !bytes.isEmpty
            && bytes.prefix(4).enumerated().allSatisfy { $1 == UInt8(truncatingIfNeeded: type >> (8 * UInt32($0))) }
    }

    /// Where the parts begin, found from the end of the file; the end itself when there are none.
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

    /// How long the block is whose first bytes these are; a beginning of a correct one is no damage.
    private static func extent(of head: [UInt8], remaining: UInt64) -> Extent {
        head.withUnsafeBytes { head in
            guard begin(with: head) else {
                return head.allSatisfy { $0 == 0 } ? .cut : .wrong("a block of a type that no recorder writes")
            }
            guard head.count >= 8 else { return .cut }
            let length = Int(head.load32(at: 4))
            guard length >= SessionAttachment.headLength + 4, length <= SessionAttachment.blockLengthMax else {
                return .wrong("a block length of \(length) bytes")
            }
            guard head.count == SessionAttachment.headLength else { return .cut }
            let (name, contents) = (Int(head.load16(at: 20)), Int(head.load32(at: 24)))
            guard name <= SessionAttachment.nameLengthMax, contents <= SessionAttachment.contentsLengthMax,
                length == SessionAttachment.blockLength(name: name, contents: contents)
            else { return .wrong("the length of its block contradicts its contents") }
            return UInt64(length) <= remaining ? .whole(length) : .cut
        }
    }

    /// Takes a whole block in; returns what is wrong with it.
    private mutating func take(_ block: [UInt8], _ chain: inout Chain?) -> String? {
        block.withUnsafeBytes { block in
            guard block.load32(at: block.count - 4) == UInt32(block.count) else {
                return "the two lengths of its block differ"
            }
            guard block[8] <= SessionAttachment.version else { return "it is of a newer imrepl (version \(block[8]))" }
            let (index, total) = (Int(block[10]), Int(block[11]))
            guard index == parts.count + 1, index <= total, total == count ?? total,
                total <= SessionAttachment.countMax
            else { return "part \(index) of \(total) stands in its place" }
            let stated = block.load64(at: SessionAttachment.chainOffset)
            if var running = chain {
                running.mix(block, hole: SessionAttachment.chainOffset)
                guard running.value == stated else { return "its bytes do not fit the chain" }
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
        .damagedAttachment(behind: lastEvent, reason: reason)
    }
}
