/// The identity of a user's conversation: with another user, or in a group.
public struct ConversationID: Hashable, Sendable, Codable, Comparable {
    /// The kind of conversation; the raw value is the vendor's ZIMConversationType.
    public enum Kind: UInt8, Hashable, Sendable, Codable, CaseIterable {
        case peer = 0
        case group = 2

        /// The kind's word in commands and answers.
        public var name: String {
            switch self {
            case .peer: "peer"
            case .group: "group"
            }
        }
    }

    /// The kind of conversation.
    public var kind: Kind
    /// The id of the user or the group.
    public var id: String

    /// Creates an id from the conversation's kind and the id of the user or group.
    public init(kind: Kind, id: String) {
        self.kind = kind
        self.id = id
    }

    /// Orders by kind, then by id.
    public static func < (left: Self, right: Self) -> Bool {
        (left.kind.rawValue, left.id) < (right.kind.rawValue, right.id)
    }
}
