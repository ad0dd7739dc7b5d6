import IMProtocol

/// The data that a client keeps when its process ends.
public struct LocalData: Hashable, Sendable, Codable {
    /// The user of the last successful login.
    public var lastUser: String?
    /// The name of that login's credential; the host keeps the secret itself.
    public var credentialReference: String
    /// When that credential expires, by the server's clock in milliseconds since 1970; 0 if it does not.
    public var expiresAtMilliseconds: Int64
    /// The number the server gave to that login.
    public var lastEpoch: LoginEpoch
    /// The outcome of the latest login.
    public var lastResult: Status?
    /// True if an automatic login may be tried (NIM-3): a manual login has succeeded, and no failed one, kick, ban or
    /// wrong password came after it.
    public var autologinAllowed: Bool
    /// The stored items of all users, in the order of arrival.
    public var items: [LocalItem]
    /// The server's numbers that each user has received (C-14).
    public var received: ReceivedNumbers
    /// The changes that the server has not received yet (ZIM-9).
    public var unsent: UnsentChanges

    /// The default value: the data of a device without any login.
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

/// One item of a user's local data, identified by kind and id, so that a repeated one is stored once (NIM-14).
public struct LocalItem: Hashable, Sendable, Codable {
    /// The kind of an item.
    public enum Kind: UInt8, Hashable, Sendable, Codable, CaseIterable {
        case group = 1
        case message = 2
        case notification = 3

        /// Its name in commands, recordings and JSON.
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

    /// The user to whom it belongs; no other user can read it (C-13).
    public var user: String
    /// Its kind.
    public var kind: Kind
    /// Its id among the items of its kind and user.
    public var id: String
    /// Its text.
    public var text: String

    /// An item to store.
    public init(user: String, kind: Kind, id: String, text: String) {
        self.user = user
        self.kind = kind
        self.id = id
        self.text = text
    }
}
