/// The phases of a sync after a login, in this order (NIM-14).
public enum SyncPhase: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case groups = 1
    /// The messages that arrived while the device was not connected.
    case offlineMessages = 2
    /// The messages that the user has received on other devices.
    case roamingMessages = 3
    case systemNotifications = 4

    /// The name of the phase in commands, recordings and JSON.
    public var name: String {
        switch self {
        case .groups: "groups"
        case .offlineMessages: "offline-messages"
        case .roamingMessages: "roaming-messages"
        case .systemNotifications: "system-notifications"
        }
    }
}

/// An item of a sync. The server assigns the id, so that a client stores an item once even if it is sent twice.
public struct SyncItem: Hashable, Sendable, Codable {
    /// The id, unique among the account's items.
    public var id: String
    /// The text of the item.
    public var text: String
    /// The number that the server assigned to the item in its phase; 0 if it has none.
    public var number: UInt64

    /// Creates an item.
    public init(id: String, text: String, number: UInt64 = 0) {
        self.id = id
        self.text = text
        self.number = number
    }

    /// Reads an item. If an older version wrote it, the number is missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        text = try container.decode(String.self, forKey: .text)
        number = try container.decodeIfPresent(UInt64.self, forKey: .number) ?? 0
    }
}
