import IMProtocol

/// The stored data of a user.
public struct LocalUser: Hashable, Sendable, Codable {
    /// The user's id.
    public var id: String
    /// The display name.
    public var name: String
    /// The URL of the picture.
    public var avatarURL: String
    /// A text that the app stores about the user.
    public var extendedData: String

    /// Creates a user.
    public init(id: String, name: String = "", avatarURL: String = "", extendedData: String = "") {
        self.id = id
        self.name = name
        self.avatarURL = avatarURL
        self.extendedData = extendedData
    }
}

/// A friend of the owner of the data. The friend's own data is a ``LocalUser``.
public struct LocalFriend: Hashable, Sendable, Codable {
    /// The friend's user id.
    public var user: String
    /// The name that the owner of the data gave the friend.
    public var alias: String
    /// Values that the app stores with the friend, in order.
    public var attributes: [AnswerField]
    /// The time when the friendship started, in milliseconds since 1970.
    public var createTime: Int64
    /// The message of the friend application.
    public var wording: String

    /// Creates a friend.
    public init(
        user: String, alias: String = "", attributes: [AnswerField] = [], createTime: Int64 = 0, wording: String = ""
    ) {
        self.user = user
        self.alias = alias
        self.attributes = attributes
        self.createTime = createTime
        self.wording = wording
    }
}

/// The state of an application; the raw value is the vendor's.
public enum ApplicationState: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case waiting = 1
    case accepted = 2
    case rejected = 3
    case expired = 4
    case disabled = 5

    /// The state's word in changes and answers.
    public var name: String {
        switch self {
        case .waiting: "waiting"
        case .accepted: "accepted"
        case .rejected: "rejected"
        case .expired: "expired"
        case .disabled: "disabled"
        }
    }
}

/// A request for friendship that the owner of the data sent or received.
public struct FriendApplication: Hashable, Sendable, Codable {
    /// The user who sent the application to the owner of the data, or received it from the owner.
    public var user: String
    /// True if the other user sent the application, false if the owner of the data did.
    public var isReceived: Bool
    /// The state of the application.
    public var state: ApplicationState
    /// The applicant's message.
    public var wording: String
    /// The time of the application, in milliseconds since 1970.
    public var createTime: Int64
    /// The time when the state last changed, in milliseconds since 1970.
    public var updateTime: Int64

    /// Creates an application.
    public init(
        user: String, isReceived: Bool, state: ApplicationState = .waiting, wording: String = "", createTime: Int64 = 0,
        updateTime: Int64 = 0
    ) {
        self.user = user
        self.isReceived = isReceived
        self.state = state
        self.wording = wording
        self.createTime = createTime
        self.updateTime = updateTime
    }
}
