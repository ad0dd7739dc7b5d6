/// How much a set of attributes, of a user or of a channel, may hold. Both sides look: the client, so that an app learns
/// it without the network, the server, because it trusts nobody.
public struct AttributeBounds: Hashable, Sendable {
    /// How many attributes there may be.
    public var countMax: Int
    /// One name, in UTF-8 bytes; a longer one is no name.
    public var nameBytesMax: Int
    /// One value, in UTF-8 bytes.
    public var valueBytesMax: Int
    /// Of all names and values together.
    public var bytesMax: Int

    /// Bounds; what just reaches one is still within it.
    public init(countMax: Int, nameBytesMax: Int, valueBytesMax: Int, bytesMax: Int) {
        self.countMax = countMax
        self.nameBytesMax = nameBytesMax
        self.valueBytesMax = valueBytesMax
        self.bytesMax = bytesMax
    }

    /// Why a set cannot be; nil where it can. A name that is none is a mistake, a value that is too large is too much.
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
