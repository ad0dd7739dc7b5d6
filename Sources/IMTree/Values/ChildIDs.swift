/// Makes the names of children that are to be in the order in which they were added, by every client in its own: the
/// milliseconds, and behind them what nobody else has, one higher within the same millisecond.
public struct ChildIDs: Hashable, Sendable, Codable {
    private var last: Int64 = -1
    private var digits: [UInt8] = []

    /// 64 signs in the order of their bytes.
    private static let alphabet = Array("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8)

    /// How many bytes such a name has.
    public static let length = 20

    public init() {}

    /// Whether a key looks as if it were made here, in the years up to 2109.
    public static func mayHaveMade(_ key: TreeKey) -> Bool {
        let bytes = Array(key.text.utf8)
        return bytes.count == length && bytes[0] == alphabet[0] && bytes.allSatisfy(alphabet.contains)
    }

    /// The time in such a key, in milliseconds since 1970; nil if the key has another form.
    public static func milliseconds(of key: TreeKey) -> Int64? {
        let digits = key.text.utf8.prefix(8).compactMap { alphabet.firstIndex(of: $0) }
        guard mayHaveMade(key), digits.count == 8 else { return nil }
        return digits.reduce(0) { $0 << 6 | Int64($1) }
    }

    /// - Parameters:
    ///   - milliseconds: since 1970, of which 48 bits count; a clock that has gone back does not bring back what was.
    ///   - random: another number each time.
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
