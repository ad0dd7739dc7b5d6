/// A change of a user's or a device's presence, as others see it.
public enum PresenceChange: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case online = 1
    /// The connection broke.
    case offline = 2
    /// The user logged out.
    case logout = 3
    /// The login was ended by a kick.
    case kicked = 4

    /// Its name in recordings and JSON.
    public var name: String {
        switch self {
        case .online: "online"
        case .offline: "offline"
        case .logout: "logout"
        case .kicked: "kicked"
        }
    }
}
