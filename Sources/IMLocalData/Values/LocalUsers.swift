import IMProtocol

/// What is known of a user.
public struct LocalUser: Hashable, Sendable, Codable {
    /// Their name among users.
    public var id: String
    /// What people call them.
    public var name: String
    /// Where their picture is.
    public var avatarURL: String
    /// The app's own words about them.
    public var extendedData: String

    /// A user of whom no more is known, where nobody says it.
    public init(id: String, name: String = "", avatarURL: String = "", extendedData: String = "") {
        self.id = id
        self.name = name
        self.avatarURL = avatarURL
        self.extendedData = extendedData
    }
}

/// A friend; who that is says ``LocalUser``.
public struct LocalFriend: Hashable, Sendable, Codable {
    /// Who it is.
    public var user: String
    /// The user's own name for them.
    public var alias: String
    /// The app's own values, in order.
    public var attributes: [AnswerField]
    /// Milliseconds since 1970.
    public var createTime: Int64
    /// What was said when it began.
    public var wording: String

    /// A friend of whom no more is known, where nobody says it.
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

/// How an application stands; the raw value is the vendor's.
public enum ApplicationState: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case waiting = 1
    case accepted = 2
    case rejected = 3
    case expired = 4
    case disabled = 5

    /// The word for it in changes and answers.
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

/// Somebody wants to be a friend, or is wanted as one.
public struct FriendApplication: Hashable, Sendable, Codable {
    /// The other one.
    public var user: String
    /// Whether the other one asked.
    public var isReceived: Bool
    /// How it stands.
    public var state: ApplicationState
    /// What was said with it.
    public var wording: String
    /// Milliseconds since 1970.
    public var createTime: Int64
    /// When it was last changed, milliseconds since 1970.
    public var updateTime: Int64

    /// An application that waits, where nobody says more.
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
