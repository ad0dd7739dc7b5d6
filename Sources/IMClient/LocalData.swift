import IMProtocol

/// The data of a client that outlives its process.
public struct LocalData: Hashable, Sendable, Codable {
    /// The user of the last successful login; nil if there was none.
    public var lastUser: String?
    /// The name of the credential of the last successful login. The host stores the credential itself.
    public var credentialReference: String
    /// The time at which the credential of the last login expires, by the server's clock in milliseconds since 1970; 0
    /// for never.
    public var expiresAtMilliseconds: Int64
    /// The server's number of the last successful login.
    public var lastEpoch: LoginEpoch
    /// The outcome of the last login, or the reason of its end; nil before the first login.
    public var lastResult: Status?
    /// True if an automatic login is allowed (NIM-3): a manual login has succeeded, and no kick, refusal or logout came
    /// after it.
    public var autologinAllowed: Bool
    /// The stored items of all users, in the order of arrival.
    public var items: [LocalItem]
    /// The server's numbers of the frames that each user has received (C-14).
    public var received: ReceivedNumbers
    /// The users' changes that the server has not received yet (ZIM-9).
    public var unsent: UnsentChanges

    /// The data of a device. The default values are those of a device without any login.
    public init(
        lastUser: String? = nil, credentialReference: String = "", expiresAtMilliseconds: Int64 = 0,
        lastEpoch: LoginEpoch = 0, lastResult: Status? = nil, autologinAllowed: Bool = false, items: [LocalItem] = [],
        received: ReceivedNumbers = ReceivedNumbers(), unsent: UnsentChanges = UnsentChanges()
    ) {
        self.lastUser = lastUser
        self.credentialReference = credentialReference
        self.expiresAtMilliseconds = expiresAtMilliseconds
        self.lastEpoch = lastEpoch
        self.lastResult = lastResult
        self.autologinAllowed = autologinAllowed
        self.items = items
        self.received = received
        self.unsent = unsent
    }
}

/// An item of a user's local data. An item that arrives twice is stored once, because it has the same kind and id
/// (NIM-14).
public struct LocalItem: Hashable, Sendable, Codable {
    /// The kind of an item.
    public enum Kind: UInt8, Hashable, Sendable, Codable, CaseIterable {
        case group = 1
        case message = 2
        case notification = 3

        /// The case's name in commands, recordings and JSON.
        public var name: String {
            switch self {
            case .group: "group"
            case .message: "message"
            case .notification: "notification"
            }
        }

        init(_ phase: SyncPhase) {
            switch phase {
            case .groups: self = .group
            case .offlineMessages, .roamingMessages: self = .message
            case .systemNotifications: self = .notification
            }
        }
    }

    /// The user to whom the item belongs. No other user can read the item (C-13).
    public var user: String
    /// The kind of the item.
    public var kind: Kind
    /// The item's id, which is unique among the user's items of this kind.
    public var id: String
    /// The text of the item.
    public var text: String

    /// An item of a user.
    public init(user: String, kind: Kind, id: String, text: String) {
        self.user = user
        self.kind = kind
        self.id = id
        self.text = text
    }
}
