import IMLocalData
import IMProtocol
import SansIO

/// The inputs of a client.
public enum ClientInput: Hashable, Sendable {
    case command(CommandID, ClientCommand)
    /// The requested connection is open; frames can be sent.
    case linkOpened(ConnectionID)
    /// The requested connection could not be made.
    case linkFailed(ConnectionID, LinkError)
    /// An open connection has ended.
    case linkClosed(ConnectionID, LinkError)
    case frameReceived(ConnectionID, Frame)
    /// A message arrived that is not a frame.
    case frameUnreadable(ConnectionID, FrameError)
    /// The time of ``ClientMachine/nextDeadline`` has come.
    case deadlineReached
    case networkChanged(NetworkChange)
    case appChanged(AppChange)
    /// The store has answered a request for the user's local data.
    case dataAnswered(DataAnswer)

    /// The generation of the input; nil if it does not come from a connection.
    var connection: ConnectionID? {
        switch self {
        case .linkOpened(let id), .linkFailed(let id, _), .linkClosed(let id, _), .frameReceived(let id, _),
            .frameUnreadable(let id, _):
            id
        case .command, .deadlineReached, .networkChanged, .appChanged, .dataAnswered: nil
        }
    }
}

/// The reason why a connection could not be made, or ended.
public enum LinkError: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// The device has no network.
    case networkDown = 1
    case refused = 2
    case reset = 3
    case closedByPeer = 4
    case timedOut = 5
    /// TLS or the WebSocket handshake failed.
    case handshakeFailed = 6

    /// Its name in recordings and JSON.
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
    /// The device moved from one network to another; connections of the old address are dead.
    case switched = 3

    /// Its name in recordings and JSON.
    public var name: String {
        switch self {
        case .up: "up"
        case .down: "down"
        case .switched: "switch"
        }
    }
}

/// A change of the app's process by the operating system.
public enum AppChange: Hashable, Sendable, Codable {
    case background
    case foreground
    /// The process runs again after a suspension; messages and timers of that time come after this.
    case woke(slept: Interval)
    /// The device's wall clock was set, forward or back; deadlines do not depend on it, the connection is probed
    /// (C-10).
    case clockSet(by: Interval)
    /// The app ends in order: its open commands and connections end with it (C-1). A killed process gets no input.
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
    /// Sends the failed messages again, under their old ids (ZIM-10).
    case resend
    case join(channel: String)
    case leave(channel: String)
    case setOption(ClientOption)
    /// Attributes of the user, or of a channel.
    case setAttributes(channel: String, [AnswerField])
    /// Queries the server.
    case ask(Question)
    /// Starts or stops notifications of a user's presence.
    case watch(user: String, isOn: Bool)
    /// An admin call with its own credential, logged in or not (CHAT-6).
    case accountCall(user: String, credential: String, AccountCall.Action)
    /// An operation that is sent to the user's other devices (CHAT-8).
    case operate(OperationKind, target: String, ext: String)
    indirect case tree(TreeCommand, clock: TokenClock = TokenClock())
    /// A call on local data (ZIM-9); the host adds the time of the device's clock.
    indirect case call(LocalRequest)
    /// Changes user data on the server.
    indirect case change(ChangeRecord)
    /// Switches the whole client; repeated calls do not add up (SYNC-8).
    case goOffline
    case goOnline
}

/// An app's login call. A new option of a login is a property here.
public struct LoginCall: Hashable, Sendable, Codable {
    /// The account.
    public var user: String
    /// The name of the credential; empty for the credential of the user's last login.
    public var credential: String
    /// How the app logs in.
    public var mode: LoginMode
    /// When the token expires, and the time of the device.
    public var clock: TokenClock
    /// The user's new name (ZIM-9); empty to keep the current name.
    public var userName: String

    /// A call with the given options.
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
    /// A login call; the host adds the clock.
    public static func login(
        user: String, credential: String, mode: LoginMode, clock: TokenClock = TokenClock(), userName: String = ""
    ) -> ClientCommand {
        .login(LoginCall(user: user, credential: credential, mode: mode, clock: clock, userName: userName))
    }
}

/// The host's information about a token and the time, read when the command was given.
public struct TokenClock: Hashable, Sendable, Codable {
    /// When the token expires, in milliseconds since 1970; 0 if unknown.
    public var expiresAtMilliseconds: Int64
    /// The device's own wall clock, in milliseconds since 1970, right or wrong; 0 if it was not read.
    public var deviceMilliseconds: Int64

    /// Both in milliseconds since 1970; 0 if unknown.
    public init(expiresAtMilliseconds: Int64 = 0, deviceMilliseconds: Int64 = 0) {
        self.expiresAtMilliseconds = expiresAtMilliseconds
        self.deviceMilliseconds = deviceMilliseconds
    }
}

/// The logins that a kick by the user ends (NIM-12).
public enum KickTarget: Hashable, Sendable, Codable {
    case device(String)
    case otherDevices
}

/// The queries that a client answers without a network.
public enum ClientQuery: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// The state, with its details.
    case state = 1
    /// The user whose data is open.
    case account = 2
    /// The user's other devices that are online (NIM-13).
    case devices = 3
    /// The current values of the policy.
    case config = 4
    /// Calls, messages and timers in progress.
    case pending = 5
    /// The data that outlives the process.
    case local = 6
    /// Channels joined.
    case channels = 7
    /// The login ids of the account's other devices (CHAT-7).
    case selfIDs = 8
    /// The stored groups, messages and notifications; only while local data is open (C-13).
    case items = 9
    /// Messages that failed and can be sent again (ZIM-10).
    case failed = 10
    /// The listeners of the tree, and whether their values are known.
    case listeners = 11

    /// Its name in commands, recordings and JSON.
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
