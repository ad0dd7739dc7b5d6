/// What others see of a user's device.
public enum PresenceChange: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case online = 1
    /// The connection broke.
    case offline = 2
    /// The user logged out.
    case logout = 3
    /// The login was ended by a kick.
    case kicked = 4

    /// The word for it in recordings and JSON.
    public var name: String {
        switch self {
        case .online: "online"
        case .offline: "offline"
        case .logout: "logout"
        case .kicked: "kicked"
        }
    }
}
