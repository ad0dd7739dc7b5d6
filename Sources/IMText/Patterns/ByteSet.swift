/// A set of bytes.
struct ByteSet: Equatable {
    private var words: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)

    static func == (left: ByteSet, right: ByteSet) -> Bool { left.words == right.words }

    init() {}

    init(_ range: ClosedRange<UInt8>) { insert(range) }

    func contains(_ byte: UInt8) -> Bool {
        let word =
            switch byte >> 6 {
            case 0: words.0
            case 1: words.1
            case 2: words.2
            default: words.3
            }
        return word & (1 << UInt64(byte & 63)) != 0
    }

    mutating func insert(_ range: ClosedRange<UInt8>) {
        for byte in range {
            let bit: UInt64 = 1 << UInt64(byte & 63)
            switch byte >> 6 {
            case 0: words.0 |= bit
            case 1: words.1 |= bit
            case 2: words.2 |= bit
            default: words.3 |= bit
            }
        }
    }

    mutating func formUnion(_ other: ByteSet) {
        words.0 |= other.words.0
        words.1 |= other.words.1
        words.2 |= other.words.2
        words.3 |= other.words.3
    }

    var inverted: ByteSet {
        var set = ByteSet()
        set.words = (~words.0, ~words.1, ~words.2, ~words.3)
        return set
    }

    /// The only byte of the set; nil if there are none or several.
    var single: UInt8? {
        let count =
            words.0.nonzeroBitCount + words.1.nonzeroBitCount + words.2.nonzeroBitCount + words.3.nonzeroBitCount
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
