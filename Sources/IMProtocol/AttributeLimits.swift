/// The limits for the attributes of a user or a channel. The client checks them, so that the app gets an error without
/// the network. The server checks them again, because it does not trust clients.
public struct AttributeLimits: Hashable, Sendable {
    /// The maximum number of attributes.
    public var countMax: Int
    /// The maximum length of a name, in UTF-8 bytes. A longer name is invalid.
    public var nameBytesMax: Int
    /// The maximum length of a value, in UTF-8 bytes.
    public var valueBytesMax: Int
    /// The maximum length of all names and values together, in UTF-8 bytes.
    public var bytesMax: Int

    /// Creates limits.
    public init(countMax: Int, nameBytesMax: Int, valueBytesMax: Int, bytesMax: Int) {
        self.countMax = countMax
        self.nameBytesMax = nameBytesMax
        self.valueBytesMax = valueBytesMax
        self.bytesMax = bytesMax
    }

    /// The reason why attributes are refused: ``Status/invalidArgument`` for an invalid name or text,
    /// ``Status/limitExceeded`` if there are too many or they are too long. Nil if they are allowed.
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
