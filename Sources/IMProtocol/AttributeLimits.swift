/// The limits for a set of attributes of a user or a channel. Both sides check them: the client, so that an app gets
/// the error without the network; the server, because it trusts no client.
public struct AttributeLimits: Hashable, Sendable {
    /// Maximum number of attributes.
    public var countMax: Int
    /// One name, in UTF-8 bytes; a longer name is invalid.
    public var nameBytesMax: Int
    /// One value, in UTF-8 bytes.
    public var valueBytesMax: Int
    /// All names and values together, in UTF-8 bytes.
    public var bytesMax: Int

    /// Limits; a value equal to its limit is allowed.
    public init(countMax: Int, nameBytesMax: Int, valueBytesMax: Int, bytesMax: Int) {
        self.countMax = countMax
        self.nameBytesMax = nameBytesMax
        self.valueBytesMax = valueBytesMax
        self.bytesMax = bytesMax
    }

    /// The reason why a set is refused; nil if it is allowed. An invalid name is an invalid argument, a value that is
    /// too large exceeds a limit.
    public func refusal(of fields: [AnswerField]) -> Status? {
        let areAttributes = fields.allSatisfy {
            ProtocolLimit.isName($0.name) && $0.name.utf8.count <= nameBytesMax
                && ProtocolLimit.isText($0.value, bytesMax: .max)
        }
        guard areAttributes else { return .invalidArgument }
        let bytes = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        guard fields.count <= countMax, bytes <= bytesMax,
            fields.allSatisfy({ $0.value.utf8.count <= valueBytesMax })
        else { return .limitExceeded }
        return nil
    }
}
