/// A set of bytes.
struct ByteSet: Equatable {
    /// One bit for each byte.
    private var words: SIMD4<UInt64> = .zero

    init() {}

    init(_ range: ClosedRange<UInt8>) { insert(range) }

    func contains(_ byte: UInt8) -> Bool { words[Int(byte >> 6)] & (1 << UInt64(byte & 63)) != 0 }

    mutating func insert(_ range: ClosedRange<UInt8>) {
        for byte in range { words[Int(byte >> 6)] |= 1 << UInt64(byte & 63) }
    }

    mutating func formUnion(_ other: ByteSet) { words |= other.words }

    var inverted: ByteSet {
        var set = ByteSet()
        set.words = ~words
        return set
    }

    /// The only byte of the set; nil if there are none or several.
    var single: UInt8? {
        let count = words.indices.reduce(0) { $0 + words[$1].nonzeroBitCount }
        return count == 1 ? (0...255).first { contains($0) } : nil
    }

    mutating func foldCase() {
        for byte in UInt8(ascii: "a")...UInt8(ascii: "z") where contains(byte) || contains(byte - 32) {
            insert(byte...byte)
            insert(byte - 32...byte - 32)
        }
    }

    static let all = ByteSet(0...255)
    static let digit = ByteSet(48...57)
    /// All bytes of characters outside ASCII count as word characters.
    static let word: ByteSet = {
        var set = ByteSet(48...57)
        set.insert(65...90)
        set.insert(97...122)
        set.insert(95...95)
        set.insert(128...255)
        return set
    }()
    static let space: ByteSet = {
        var set = ByteSet(9...13)
        set.insert(32...32)
        return set
    }()
}
