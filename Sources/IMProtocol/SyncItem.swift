/// What a client fetches after a login, in this order (NIM-14).
public enum SyncPhase: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case groups = 1
    /// With the messages that waited for the device.
    case offlineMessages = 2
    /// Messages that the user has had on other devices.
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
    /// Unique among the account's items.
    public var id: String
    /// What it says, for people.
    public var text: String
    /// The server's count of the things of this phase; 0 where it does not count.
    public var number: UInt64

    /// One thing, as the server makes it; without a number it is not counted.
    public init(id: String, text: String, number: UInt64 = 0) {
        self.id = id
        self.text = text
        self.number = number
    }

    /// Reads a thing; the number is 0 in those that older versions kept.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        text = try container.decode(String.self, forKey: .text)
        // Things kept by older versions have none.
        number = try container.decodeIfPresent(UInt64.self, forKey: .number) ?? 0
    }
}
