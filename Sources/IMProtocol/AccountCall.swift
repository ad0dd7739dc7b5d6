/// An admin call for an account with its own credential, whether the client has a login or not (CHAT-6).
public struct AccountCall: Hashable, Sendable, Codable {
    /// The action on the logins of the account.
    public enum Action: Hashable, Sendable, Codable {
        /// Lists the devices that are logged in, with their login ids and names.
        case listDevices
        /// Ends the login of one device.
        case kick(device: String)
        /// Ends every login of the account.
        case kickAll
    }

    /// The application that the user belongs to.
    public var application: String
    /// The user whose logins it is about.
    public var user: String
    /// Proves that the caller may act for the user; wrong ones count as those of logins do (NIM-8).
    public var credential: Credential
    /// The action on the logins.
    public var action: Action

    /// A call; the server decides it.
    public init(application: String, user: String, credential: Credential, action: Action) {
        self.application = application
        self.user = user
        self.credential = credential
        self.action = action
    }
}
