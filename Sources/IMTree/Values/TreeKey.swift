/// The name of a child. Keys that are whole numbers of 32 bits come first, by value; of equal values, the shorter text
/// comes first. The other keys follow in the order of their UTF-8 bytes. Keys are equal if their bytes are equal.
public struct TreeKey: Sendable {
    public let text: String
    /// The value of `text` if it is a whole number of 32 bits; otherwise nil.
    private let number: Int32?

    public init(_ text: String) {
        self.text = text
        number = TreeKey.number(text)
    }

    /// The key with which the priority of a node is read and written, as if it were a child.
    public static let priority = TreeKey(".priority")

    /// True if the key is a number and comes before all keys that are not.
    public var isNumber: Bool { number != nil }

    /// The array index that the key represents; nil if the key is not an array index.
    public var arrayIndex: Int? {
        guard let number, number >= 0, text == String(number) else { return nil }
        return Int(number)
    }

    /// Parses a whole number: an optional minus sign, any number of zeros, and up to ten digits.
    private static func number(_ text: String) -> Int32? {
        var digits = text.utf8.makeIterator()
        var next = digits.next()
        let isNegative = next == UInt8(ascii: "-")
        if isNegative { next = digits.next() }
        guard next != nil else { return nil }
        var (value, count) = (Int64(0), 0)
        while let digit = next {
            guard UInt8(ascii: "0") <= digit, digit <= UInt8(ascii: "9") else { return nil }
            if count > 0 || digit != UInt8(ascii: "0") { count += 1 }
            guard count <= 10 else { return nil }
            value = value * 10 + Int64(digit - UInt8(ascii: "0"))
            next = digits.next()
        }
        return Int32(exactly: isNegative ? -value : value)
    }
}

extension TreeKey: SortedMapKey, Hashable {
    public static func == (one: TreeKey, other: TreeKey) -> Bool { one.compared(to: other) == 0 }
    public static func < (one: TreeKey, other: TreeKey) -> Bool { one.compared(to: other) < 0 }

    public func compared(to other: TreeKey) -> Int {
        switch (number, other.number) {
        case (let own?, let others?):
            if own != others { return own < others ? -1 : 1 }
            let (length, otherLength) = (text.utf8.count, other.text.utf8.count)
            return length == otherLength ? text.comparedByBytes(to: other.text) : length - otherLength
        case (_?, nil): return -1
        case (nil, _?): return 1
        case (nil, nil): return text.comparedByBytes(to: other.text)
        }
    }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension TreeKey: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral text: String) { self.init(text) }

    public var description: String { text }
}

extension TreeKey: Codable {
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(text)
    }
}

/// The keys on the way from one node to a node below it.
public typealias TreeKeys = ArraySlice<TreeKey>
