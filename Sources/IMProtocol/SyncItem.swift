/// What a client fetches after a login, in this order (NIM-14).
public enum SyncPhase: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case groups = 1
    case offlineMessages = 2
    case roamingMessages = 3
    case systemNotifications = 4

    /// The word for it in commands, recordings and JSON.
    public var name: String {
        switch self {
        case .groups: "groups"
        case .offlineMessages: "offline-messages"
        case .roamingMessages: "roaming-messages"
        case .systemNotifications: "system-notifications"
        }
    }
}

/// One thing that a sync brings. Its id is the server's, so that what is brought twice is kept once.
public struct SyncItem: Hashable, Sendable, Codable {
    public var id: String
    public var text: String

    public init(id: String, text: String) {
        self.id = id
        self.text = text
    }
}
