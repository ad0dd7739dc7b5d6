import IMProtocol

/// What a client keeps when its process ends.
public struct LocalData: Hashable, Sendable, Codable {
    /// The user of the last successful login.
    public var lastUser: String?
    /// Names the credential of that login; the secret itself is the host's.
    public var credentialReference: String
    /// When that credential expires, by the server's clock in milliseconds since 1970; 0 when it does not.
    public var expiresAtMilliseconds: Int64
    /// The number the server gave to that login.
    public var lastEpoch: LoginEpoch
    /// How the latest login ended.
    public var lastResult: Status?
    /// Whether an automatic login may be tried (NIM-3): a manual login has succeeded, and since then none has failed
    /// and no kick, ban or wrong password came.
    public var autologinAllowed: Bool
    /// What has been kept for each user, in the order in which it came.
    public var items: [LocalItem]
    /// What each user has received, by the server's numbers (C-14).
    public var received: ReceivedNumbers
    /// What the server is to be told (ZIM-9).
    public var unsent: UnsentChanges

    /// Of a device on which nobody has logged in, where nobody says more.
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

/// One thing of a user's local data. Kind and id name it, so that what comes twice is kept once (NIM-14).
public struct LocalItem: Hashable, Sendable, Codable {
    /// What sort of thing it is.
    public enum Kind: UInt8, Hashable, Sendable, Codable, CaseIterable {
        case group = 1
        case message = 2
        case notification = 3

        /// The word for it in commands, recordings and JSON.
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

    /// Whose it is; nobody else ever reads it (C-13).
    public var user: String
    /// What sort of thing it is.
    public var kind: Kind
    /// Its name among the things of its kind and user.
    public var id: String
    /// What it says.
    public var text: String

    /// A thing to keep.
    public init(user: String, kind: Kind, id: String, text: String) {
        self.user = user
        self.kind = kind
        self.id = id
        self.text = text
    }
}
