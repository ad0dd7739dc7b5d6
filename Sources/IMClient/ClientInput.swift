import IMLocalData
import IMProtocol
import SansIO

/// What can happen to a client.
public enum ClientInput: Hashable, Sendable {
    case command(CommandID, ClientCommand)
    /// The link asked for is open; frames can be sent.
    case linkOpened(ConnectionID)
    /// The link asked for could not be made.
    case linkFailed(ConnectionID, LinkFault)
    /// An open link has ended.
    case linkClosed(ConnectionID, LinkFault)
    case frameReceived(ConnectionID, Frame)
    /// A message arrived that is not a frame.
    case frameUnreadable(ConnectionID, FrameError)
    /// The moment named by ``ClientMachine/nextDeadline`` has come.
    case deadlineReached
    case networkChanged(NetworkChange)
    case appChanged(AppChange)
    /// The store has done what was wanted of the user's local data.
    case dataAnswered(DataAnswer)

    /// The generation that the input belongs to, if it comes from a link.
    var connection: ConnectionID? {
        switch self {
        case .linkOpened(let id), .linkFailed(let id, _), .linkClosed(let id, _), .frameReceived(let id, _),
            .frameUnreadable(let id, _):
            id
        case .command, .deadlineReached, .networkChanged, .appChanged, .dataAnswered: nil
        }
    }
}

/// Why a link could not be made, or ended.
public enum LinkFault: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// The device has no network.
    case networkDown = 1
    case refused = 2
    case reset = 3
    case closedByPeer = 4
    case timedOut = 5
    /// TLS or the WebSocket handshake failed.
    case handshakeFailed = 6

    /// The word for it in recordings and JSON.
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

/// What the operating system says of the device's network.
public enum NetworkChange: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case up = 1
    case down = 2
    /// From one network to another; links of the old address are dead.
    case switched = 3

    /// The word for it in recordings and JSON.
    public var name: String {
        switch self {
        case .up: "up"
        case .down: "down"
        case .switched: "switch"
        }
    }
}

/// What the operating system does to the app's process.
public enum AppChange: Hashable, Sendable, Codable {
    case background
    case foreground
    /// It ran again after it had been suspended; messages and timers of that time come after this.
    case woke(slept: Interval)
    /// The device's wall clock was set, forward or back; deadlines do not care, the link is probed (C-10).
    case clockSet(by: Interval)
    /// The app ends in order: what is open ends with it (C-1). A process that is killed is told nothing.
    case closing
}

/// What an app asks of its SDK.
public enum ClientCommand: Hashable, Sendable, Codable {
    case login(
        user: String, credential: String, mode: LoginMode, clock: TokenClock = TokenClock(), userName: String = "")
    case logout(keepsPush: Bool)
    case renewToken(credential: String, clock: TokenClock = TokenClock())
    case kick(KickTarget)
    case query(ClientQuery)
    case send(to: String, text: String, isToChannel: Bool = false)
    /// Sends the messages that failed once more, under their old ids (ZIM-10).
    case resend
    case join(channel: String)
    case leave(channel: String)
    case setOption(ClientOption)
    /// Attributes of the user, or of a channel.
    case setAttributes(channel: String, [AnswerField])
    /// A question that the server answers.
    case ask(Question)
    /// To be told of a user's presence, or no longer.
    case watch(user: String, isOn: Bool)
    /// Something with a credential of its own, logged in or not (CHAT-6).
    case accountCall(user: String, credential: String, AccountCall.Action)
    /// Something the user's other devices are told of (CHAT-8).
    case operate(OperationKind, target: String, ext: String)
    indirect case tree(TreeCommand, clock: TokenClock = TokenClock())
    /// A call on local data (ZIM-9); the host fills in what the device's clock shows.
    indirect case call(LocalRequest)
    /// Changes something of the data that the server has.
    indirect case change(ChangeRecord)
    /// A switch of the whole client, not a counter (SYNC-8).
    case goOffline
    case goOnline
}

/// What the device's host knows about a token and the time, read when the command was given.
public struct TokenClock: Hashable, Sendable, Codable {
    /// When the token says that it expires, in milliseconds since 1970; 0 when it says nothing.
    public var expiresAtMilliseconds: Int64
    /// The device's own wall clock, in milliseconds since 1970, right or wrong; 0 when nobody looked.
    public var deviceMilliseconds: Int64

    /// Both in milliseconds since 1970; 0 where nobody knows.
    public init(expiresAtMilliseconds: Int64 = 0, deviceMilliseconds: Int64 = 0) {
        self.expiresAtMilliseconds = expiresAtMilliseconds
        self.deviceMilliseconds = deviceMilliseconds
    }
}

/// Whom a login of the user ends (NIM-12).
public enum KickTarget: Hashable, Sendable, Codable {
    case device(String)
    case otherDevices
}

/// What can be asked of a client without a network.
public enum ClientQuery: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// The state, and what it is in.
    case state = 1
    /// The user whose data is open.
    case account = 2
    /// The user's other devices that are online (NIM-13).
    case devices = 3
    /// The policy's numbers as they are in force.
    case config = 4
    /// Calls, messages and timers that are under way.
    case pending = 5
    /// What survives the process.
    case local = 6
    /// Channels joined.
    case channels = 7
    /// The login ids of the account's other devices (CHAT-7).
    case selfIDs = 8
    /// What has been kept of groups, messages and notifications; only while local data is open (C-13).
    case items = 9
    /// Messages that failed and can be sent again (ZIM-10).
    case failed = 10
    /// Who listens to the tree, and whether what they listen to is known.
    case listeners = 11

    /// The word for it in commands, recordings and JSON.
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
