/// A key whose order is found out in one go: looking something up asks once at each place on the way.
public protocol SortedMapKey: Comparable, Sendable {
    /// Below zero where it comes before the other one, above where it comes behind.
    func compared(to other: Self) -> Int
}

extension SortedMapKey {
    /// By the order that it has anyway.
    public func compared(to other: Self) -> Int { self < other ? -1 : other < self ? 1 : 0 }
}

extension Int: SortedMapKey {}
extension UInt64: SortedMapKey {}

extension String {
    /// By the bytes in UTF-8, which is not how Swift compares texts.
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
        var place = 0
        while place + 8 <= count {
            // The first byte decides most.
            let word = UInt64(bigEndian: own.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            let otherWord = UInt64(bigEndian: others.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            if word != otherWord { return word < otherWord ? -1 : 1 }
            place += 8
        }
        while place < count {
            if own[place] != others[place] { return Int(own[place]) - Int(others[place]) }
            place += 1
        }
        return one.count - other.count
    }
}
