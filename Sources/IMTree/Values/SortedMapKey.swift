/// A key with a three-way comparison, so that a lookup needs only one comparison at each node.
public protocol SortedMapKey: Comparable, Sendable {
    /// Below zero if this key comes before `other`, above zero if it comes after, zero if both are equal.
    func compared(to other: Self) -> Int
}

extension SortedMapKey {
    /// Compares two keys with `<`.
    public func compared(to other: Self) -> Int { self < other ? -1 : other < self ? 1 : 0 }
}

extension Int: SortedMapKey {}
extension UInt64: SortedMapKey {}

extension String {
    /// Compares the UTF-8 bytes, whereas Swift compares strings by canonical equivalence.
    func comparedByBytes(to other: String) -> Int {
        utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { String.compare(own, $0) }
        }.flatMap(\.self) ?? String.compare(Array(utf8), Array(other.utf8))
    }

    private static func compare(_ one: [UInt8], _ other: [UInt8]) -> Int {
        one.withUnsafeBufferPointer { one in other.withUnsafeBufferPointer { compare(one, $0) } }
    }

    private static func compare(_ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>) -> Int {
        let count = one.count < other.count ? one.count : other.count
        let (own, others) = (UnsafeRawBufferPointer(one), UnsafeRawBufferPointer(other))
        var offset = 0
        while offset + 8 <= count {
            // Eight bytes are compared at a time. The first eight bytes are usually sufficient.
            let word = UInt64(bigEndian: own.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            let otherWord = UInt64(bigEndian: others.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            if word != otherWord { return word < otherWord ? -1 : 1 }
            offset += 8
        }
        while offset < count {
            if own[offset] != others[offset] { return Int(own[offset]) - Int(others[offset]) }
            offset += 1
        }
        return one.count - other.count
    }
}
