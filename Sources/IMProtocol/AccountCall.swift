/// A request about the logins of an account. It contains the account's credential, so that the client need not be
/// logged in (CHAT-6).
public struct AccountCall: Hashable, Sendable, Codable {
    /// The action on the logins of the account.
    public enum Action: Hashable, Sendable, Codable {
        /// Lists the devices on which the account is logged in.
        case listDevices
        /// Ends the login of one device.
        case kick(device: String)
        /// Ends every login of the account.
        case kickAll
    }

    /// The application to which the user belongs.
    public var application: String
    /// The user whose logins the request concerns.
    public var user: String
    /// The credential of the user. Wrong credentials count towards the same limit as those of logins (NIM-8).
    public var credential: Credential
    /// The action on the logins.
    public var action: Action

    /// Creates a request.
    public init(application: String, user: String, credential: Credential, action: Action) {
        self.application = application
        self.user = user
        self.credential = credential
        self.action = action
    }
}
