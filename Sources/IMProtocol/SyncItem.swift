/// The phases of a sync after a login, in this order (NIM-14).
public enum SyncPhase: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case groups = 1
    /// With the messages that waited for the device.
    case offlineMessages = 2
    /// Messages that the user has received on other devices.
    case roamingMessages = 3
    case systemNotifications = 4

    /// Its name in commands, recordings and JSON.
    public var name: String {
        switch self {
        case .groups: "groups"
        case .offlineMessages: "offline-messages"
        case .roamingMessages: "roaming-messages"
        case .systemNotifications: "system-notifications"
        }
    }
}

/// One item of a sync. Its id comes from the server, so that an item sent twice is stored once.
public struct SyncItem: Hashable, Sendable, Codable {
    /// Unique among the account's items.
    public var id: String
    /// Its text.
    public var text: String
    /// The server's number of the item within its phase; 0 if it has none.
    public var number: UInt64

    /// An item, as the server makes it; by default without a number.
    public init(id: String, text: String, number: UInt64 = 0) {
        self.id = id
        self.text = text
        self.number = number
    }

    /// Reads an item; the number is 0 if an older version stored it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        text = try container.decode(String.self, forKey: .text)
        // Items stored by older versions have none.
        number = try container.decodeIfPresent(UInt64.self, forKey: .number) ?? 0
    }
}
