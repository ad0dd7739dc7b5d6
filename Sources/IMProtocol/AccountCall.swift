/// Something asked for an account with a credential of its own, whether somebody is logged in here or not (CHAT-6).
public struct AccountCall: Hashable, Sendable, Codable {
    /// What is to be done with the logins of the account.
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
    /// Whose logins it is about.
    public var user: String
    /// Proves that the caller may speak for the user; wrong ones count as logins do (NIM-8).
    public var credential: Credential
    /// What is to be done with the logins.
    public var action: Action

    /// Puts a call together; the server judges it.
    public init(application: String, user: String, credential: Credential, action: Action) {
        self.application = application
        self.user = user
        self.credential = credential
        self.action = action
    }
}
