/// Conversion between a path and its text, in which `/` separates the keys.
extension [TreeKey] {
    /// Splits a text into keys, without checking them. The text is split by bytes: a combining mark after a `/` would
    /// form a different character with it.
    public init(joined text: some StringProtocol) {
        self = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { TreeKey(String(decoding: $0, as: UTF8.self)) }
    }

    /// The keys separated by `/`.
    public var joined: String { map(\.text).joined(separator: "/") }
}
