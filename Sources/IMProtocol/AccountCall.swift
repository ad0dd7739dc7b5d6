/// Something asked for an account with a credential of its own, whether somebody is logged in here or not (CHAT-6).
public struct AccountCall: Hashable, Sendable, Codable {
    public enum Action: Hashable, Sendable, Codable {
        /// The devices that are logged in, with their login ids and names.
        case listDevices
        /// Ends the login of one device.
        case kick(device: String)
        /// Ends every login of the account.
        case kickAll
    }

    /// The application that the user belongs to.
    public var application: String
    public var user: String
    public var credential: Credential
    public var action: Action

    public init(application: String, user: String, credential: Credential, action: Action) {
        self.application = application
        self.user = user
        self.credential = credential
        self.action = action
    }
}
