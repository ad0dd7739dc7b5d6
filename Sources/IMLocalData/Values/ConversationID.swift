/// Names a conversation of a user: with another user, or of a group.
public struct ConversationID: Hashable, Sendable, Codable, Comparable {
    /// What it is with; the raw value is the vendor's ZIMConversationType.
    public enum Kind: UInt8, Hashable, Sendable, Codable, CaseIterable {
        case peer = 0
        case group = 2

        /// The word for it in commands and answers.
        public var name: String {
            switch self {
            case .peer: "peer"
            case .group: "group"
            }
        }
    }

    /// What it is with.
    public var kind: Kind
    /// The user's or the group's name.
    public var id: String

    /// A conversation of that kind and name.
    public init(kind: Kind, id: String) {
        self.kind = kind
        self.id = id
    }

    /// By kind, then by name.
    public static func < (left: Self, right: Self) -> Bool {
        (left.kind.rawValue, left.id) < (right.kind.rawValue, right.id)
    }
}
