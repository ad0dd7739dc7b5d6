/// A key with a three-way comparison: a lookup needs one comparison for each node on the way.
public protocol SortedMapKey: Comparable, Sendable {
    /// Below zero if it comes before the other one, above if it comes after.
    func compared(to other: Self) -> Int
}

extension SortedMapKey {
    /// By its `Comparable` order.
    public func compared(to other: Self) -> Int { self < other ? -1 : other < self ? 1 : 0 }
}

extension Int: SortedMapKey {}
extension UInt64: SortedMapKey {}

extension String {
    /// Compares the UTF-8 bytes, unlike Swift's comparison of strings.
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
            // The first bytes usually decide.
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
