/// Creates unique keys for children. The keys of all clients sort in the order of their creation. A key consists of the
/// time in milliseconds and a random part. Within the same millisecond, the random part is incremented.
public struct ChildIDs: Hashable, Sendable, Codable {
    private var last: Int64 = -1
    private var digits: [UInt8] = []

    /// The 64 characters of keys, in the order of their bytes.
    private static let alphabet = Array("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8)

    /// The number of bytes of a key.
    public static let length = 20

    public init() {}

    /// True if a key has the form of a generated key. The check works for keys that are created before May 2109.
    public static func mayBeGenerated(_ key: TreeKey) -> Bool {
        let bytes = Array(key.text.utf8)
        return bytes.count == length && bytes[0] == alphabet[0] && bytes.allSatisfy(alphabet.contains)
    }

    /// The time at which a generated key was created, in milliseconds since 1970; nil if the key has another form.
    public static func milliseconds(of key: TreeKey) -> Int64? {
        let digits = key.text.utf8.prefix(8).compactMap { alphabet.firstIndex(of: $0) }
        guard mayBeGenerated(key), digits.count == 8 else { return nil }
        return digits.reduce(0) { $0 << 6 | Int64($1) }
    }

    /// - Parameters:
    ///   - milliseconds: the time since 1970; 48 bits of it are used. A time before the last one is ignored.
    ///   - random: returns a new random number at each call.
    public mutating func next(at milliseconds: Int64, _ random: () -> UInt64) -> TreeKey {
        let now = max(milliseconds, last, 0)
        if now > last || digits.isEmpty {
            let (low, high) = (random(), random())
            digits = (0..<12).map { UInt8(truncatingIfNeeded: ($0 < 6 ? low : high) >> UInt64($0 % 6 * 6)) & 63 }
        } else {
            var index = digits.count - 1
            while index > 0, digits[index] == 63 {
                digits[index] = 0
                index -= 1
            }
            digits[index] = (digits[index] + 1) & 63
        }
        last = now
        let time = (0..<8).map { UInt8(truncatingIfNeeded: now >> Int64(42 - $0 * 6)) & 63 }
        return TreeKey(String(decoding: (time + digits).map { Self.alphabet[Int($0)] }, as: UTF8.self))
    }
}
