import IMLocalData
import IMProtocol
import SansIO

/// The inputs of a client.
public enum ClientInput: Hashable, Sendable {
    /// The app has given a command.
    case command(CommandID, ClientCommand)
    /// The connection that the client requested is open.
    case linkOpened(ConnectionID)
    /// The connection that the client requested could not be made.
    case linkFailed(ConnectionID, LinkError)
    /// An open connection has ended.
    case linkClosed(ConnectionID, LinkError)
    case frameReceived(ConnectionID, Frame)
    /// A message arrived that cannot be decoded as a frame.
    case frameUnreadable(ConnectionID, FrameError)
    /// The instant of ``ClientMachine/nextDeadline`` is reached.
    case deadlineReached
    case networkChanged(NetworkChange)
    case appChanged(AppChange)
    /// The store has answered a request on the user's local data.
    case dataAnswered(DataAnswer)

    /// The connection that the input belongs to; nil if the input belongs to no connection.
    var connection: ConnectionID? {
        switch self {
        case .linkOpened(let id), .linkFailed(let id, _), .linkClosed(let id, _), .frameReceived(let id, _),
            .frameUnreadable(let id, _):
            id
        case .command, .deadlineReached, .networkChanged, .appChanged, .dataAnswered: nil
        }
    }
}

/// The reason why a connection could not be made, or why an open connection ended.
public enum LinkError: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// The device has no network.
    case networkDown = 1
    case refused = 2
    case reset = 3
    case closedByPeer = 4
    case timedOut = 5
    /// TLS or the WebSocket handshake failed.
    case handshakeFailed = 6

    /// The case's name in recordings and JSON.
    public var name: String {
        switch self {
        case .networkDown: "network-down"
        case .refused: "refused"
        case .reset: "reset"
        case .closedByPeer: "closed-by-peer"
        case .timedOut: "timed-out"
        case .handshakeFailed: "handshake-failed"
        }
    }
}

/// A change of the device's network, as the operating system reports it.
public enum NetworkChange: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case up = 1
    case down = 2
    /// The device moved from one network to another. Connections over the old network no longer work.
    case switched = 3

    /// The case's name in recordings and JSON.
    public var name: String {
        switch self {
        case .up: "up"
        case .down: "down"
        case .switched: "switch"
        }
    }
}

/// A change of the app's process or of the device, as the operating system reports it.
public enum AppChange: Hashable, Sendable, Codable {
    case background
    case foreground
    /// The process runs again after a suspension of this length. The frames and timers of that time follow as separate
    /// inputs.
    case woke(slept: Interval)
    /// The device's wall clock was set forward, or back for a negative interval. Deadlines do not change, because they
    /// are instants of the session. The client checks its connection with a heartbeat (C-10).
    case clockSet(by: Interval)
    /// The app's process is about to end. The client completes its open commands and closes its connection (C-1). A
    /// killed process does not get this input.
    case closing
}

/// The commands of an app to its SDK.
public enum ClientCommand: Hashable, Sendable, Codable {
    case login(LoginCall)
    case logout(keepsPush: Bool)
    case renewToken(credential: String, clock: TokenClock = TokenClock())
    case kick(KickTarget)
    case query(ClientQuery)
    case send(to: String, text: String, isToChannel: Bool = false)
    /// Sends the oldest failed message again, under its old id (ZIM-10).
    case resend
    case join(channel: String)
    case leave(channel: String)
    case setOption(ClientOption)
    /// Sets the attributes of a channel; an empty channel sets those of the user.
    case setAttributes(channel: String, [AnswerField])
    /// Sends a query to the server. Unlike ``query(_:)``, the client cannot answer it from its own state.
    case ask(Question)
    /// Starts or stops notifications of a user's presence.
    case watch(user: String, isOn: Bool)
    /// Lists or ends logins of an account with the account's credential. The client need not be logged in (CHAT-6).
    case accountCall(user: String, credential: String, AccountCall.Action)
    /// Does an operation, which the server reports to the user's other devices (CHAT-8).
    case operate(OperationKind, target: String, ext: String)
    /// A command on the synchronised tree. The host adds the time of the device's clock.
    indirect case tree(TreeCommand, clock: TokenClock = TokenClock())
    /// A call on local data (ZIM-9). The host adds the time of the device's clock.
    indirect case call(LocalRequest)
    /// Changes the user's data on the server.
    indirect case change(ChangeRecord)
    /// Switches the whole client offline. Several calls need only one ``goOnline`` (SYNC-8).
    case goOffline
    /// Switches the client online again.
    case goOnline
}

/// An app's login call, with all its options.
public struct LoginCall: Hashable, Sendable, Codable {
    /// The user's account.
    public var user: String
    /// The name of the credential. Empty for the credential of the last login, if it was a login of this user.
    public var credential: String
    /// The mode of the login, such as manual or automatic.
    public var mode: LoginMode
    /// The token's expiry and the time of the device's clock.
    public var clock: TokenClock
    /// The new display name of the user (ZIM-9); empty to keep the current name.
    public var userName: String

    /// A login call with the given options.
    public init(
        user: String, credential: String = "", mode: LoginMode, clock: TokenClock = TokenClock(), userName: String = ""
    ) {
        self.user = user
        self.credential = credential
        self.mode = mode
        self.clock = clock
        self.userName = userName
    }
}

extension ClientCommand {
    /// The command for a login call with these options.
    public static func login(
        user: String, credential: String, mode: LoginMode, clock: TokenClock = TokenClock(), userName: String = ""
    ) -> ClientCommand {
        .login(LoginCall(user: user, credential: credential, mode: mode, clock: clock, userName: userName))
    }
}

/// The expiry of a token and the time of the device's clock. The host adds both to a command, because a client reads no
/// clock and no token.
public struct TokenClock: Hashable, Sendable, Codable {
    /// The time at which the token expires, in milliseconds since 1970; 0 if unknown.
    public var expiresAtMilliseconds: Int64
    /// The time of the device's wall clock, in milliseconds since 1970; 0 if the host did not read it. The clock may be
    /// wrong.
    public var deviceMilliseconds: Int64

    /// Both times in milliseconds since 1970; 0 if unknown.
    public init(expiresAtMilliseconds: Int64 = 0, deviceMilliseconds: Int64 = 0) {
        self.expiresAtMilliseconds = expiresAtMilliseconds
        self.deviceMilliseconds = deviceMilliseconds
    }
}

/// The devices whose logins a kick by the user ends (NIM-12).
public enum KickTarget: Hashable, Sendable, Codable {
    case device(String)
    case otherDevices
}

/// The queries that a client answers from its own state, without a network.
public enum ClientQuery: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// The client's state, with the user, the device and the connection.
    case state = 1
    /// The user whose data is open.
    case account = 2
    /// The user's other devices that are online (NIM-13).
    case devices = 3
    /// The current values of the policy.
    case config = 4
    /// Calls, messages and timers in progress.
    case pending = 5
    /// The stored data of the last login, which outlives the process.
    case local = 6
    /// The channels that the user has joined.
    case channels = 7
    /// The login ids of the account's other devices (CHAT-7).
    case selfIDs = 8
    /// The groups, messages and notifications stored on the device. Only while local data is open (C-13).
    case items = 9
    /// The messages that failed and can be sent again (ZIM-10).
    case failed = 10
    /// The listeners of the tree, and whether the client has their values.
    case listeners = 11

    /// The case's name in commands, recordings and JSON.
    public var name: String {
        switch self {
        case .state: "state"
        case .account: "account"
        case .devices: "devices"
        case .config: "config"
        case .pending: "pending"
        case .local: "local"
        case .channels: "channels"
        case .selfIDs: "self-ids"
        case .items: "items"
        case .failed: "failed"
        case .listeners: "listeners"
        }
    }
}
