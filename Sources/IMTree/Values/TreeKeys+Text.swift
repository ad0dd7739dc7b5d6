/// A way through the tree as it is written: keys with `/` between.
extension [TreeKey] {
    /// Taken apart by bytes: a combining mark behind a `/` would make another character of it. Nothing is checked.
    public init(joined text: some StringProtocol) {
        self = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { TreeKey(String(decoding: $0, as: UTF8.self)) }
    }

    /// The keys with `/` between.
    public var joined: String { map(\.text).joined(separator: "/") }
}
