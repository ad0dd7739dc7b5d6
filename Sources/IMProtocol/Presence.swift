/// A change of the presence of a user or a device, of which other users are notified.
public enum PresenceChange: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case online = 1
    /// The connection broke.
    case offline = 2
    /// The user logged out.
    case logout = 3
    /// The login was ended by a kick.
    case kicked = 4

    /// The name of the change in recordings and JSON.
    public var name: String {
        switch self {
        case .online: "online"
        case .offline: "offline"
        case .logout: "logout"
        case .kicked: "kicked"
        }
    }
}
