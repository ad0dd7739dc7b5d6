/// The text of a path: keys separated by `/`.
extension [TreeKey] {
    /// Splits by bytes, because a combining mark after a `/` would make another character of it. Nothing is checked.
    public init(joined text: some StringProtocol) {
        self = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { TreeKey(String(decoding: $0, as: UTF8.self)) }
    }

    /// The keys separated by `/`.
    public var joined: String { map(\.text).joined(separator: "/") }
}
