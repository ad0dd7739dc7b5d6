import IMProtocol
import IMTree
import SansIO

/// The effects of a client.
public enum ClientEffect: Hashable, Sendable {
    /// Opens a connection with this number. The host answers with the input `linkOpened` or `linkFailed` of the same
    /// number.
    case connect(ConnectionID)
    /// Closes the connection after all frames of earlier `send` effects are sent. The client ignores frames that arrive
    /// over the connection afterwards.
    case closeLink(ConnectionID)
    /// Sends a frame over the connection.
    case send(ConnectionID, Frame)
    /// Stores the data on the device, for the next process of the app.
    indirect case persist(LocalData)
    /// Adds the item to the stored data of its user.
    indirect case keep(LocalItem)
    /// Executes a request on the user's local data. The host answers with the input `dataAnswered` of the same
    /// generation.
    case data(DataRequest)
    /// Completes a command with its result. There is exactly one such effect for each command (C-1).
    case complete(CommandID, Completion)
    /// Notifies the app.
    case notify(ClientNotification)
    /// Reports a change of the client's state.
    case transition(StateChange)
}

/// The result of a command: its status and, for a query, the rows of the answer.
public struct Completion: Hashable, Sendable, Codable {
    /// The status: success, or the reason of the failure.
    public var status: Status
    /// The rows of the answer in order; empty for a command that returns nothing.
    public var rows: [AnswerRow]

    /// A result with a status and the rows of the answer.
    public init(_ status: Status, rows: [AnswerRow] = []) {
        self.status = status
        self.rows = rows
    }
}

/// The states of a client, shared by all five systems. Each dialect has its own names for the states.
public enum ClientState: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case loggedOut = 1
    case connecting = 2
    /// The server has accepted the login, and the client is fetching data.
    case syncing = 3
    case online = 4
    /// The connection of an established login is lost, and the client is trying to connect again.
    case reconnecting = 5
    /// The user can read local data, but the client is not connected.
    case offline = 6
    case kicked = 7
    case tokenExpired = 8

    /// The case's name in commands, recordings and JSON.
    public var name: String {
        switch self {
        case .loggedOut: "logged-out"
        case .connecting: "connecting"
        case .syncing: "syncing"
        case .online: "online"
        case .reconnecting: "reconnecting"
        case .offline: "offline"
        case .kicked: "kicked"
        case .tokenExpired: "token-expired"
        }
    }
}

/// The reason for a change of the client's state.
public enum StateReason: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case login = 1
    case loginSucceeded = 2
    case loginFailed = 3
    case loginTimedOut = 4
    case syncFinished = 5
    case interrupted = 6
    case retrying = 7
    case logout = 8
    /// A login on another device ended this login, because the two devices exclude each other.
    case remoteLogin = 9
    case kickedByServer = 10
    case kickedByOtherDevice = 11
    case banned = 12
    case tokenExpired = 13
    case accountRemoved = 14
    case passwordChanged = 15
    /// The app has switched the client offline (SYNC-8).
    case wentOffline = 16
    /// The server refused the token or password as wrong or expired.
    case credentialRefused = 17

    /// The case's name in recordings and JSON.
    public var name: String {
        switch self {
        case .login: "login"
        case .loginSucceeded: "login-succeeded"
        case .loginFailed: "login-failed"
        case .loginTimedOut: "login-timed-out"
        case .syncFinished: "sync-finished"
        case .interrupted: "interrupted"
        case .retrying: "retrying"
        case .logout: "logout"
        case .remoteLogin: "remote-login"
        case .kickedByServer: "kicked-by-server"
        case .kickedByOtherDevice: "kicked-by-other-device"
        case .banned: "banned"
        case .tokenExpired: "token-expired"
        case .accountRemoved: "account-removed"
        case .passwordChanged: "password-changed"
        case .wentOffline: "went-offline"
        case .credentialRefused: "credential-refused"
        }
    }

    package init(_ kick: KickReason) {
        switch kick {
        case .otherLogin: self = .remoteLogin
        case .server: self = .kickedByServer
        case .otherDevice: self = .kickedByOtherDevice
        case .banned: self = .banned
        case .accountRemoved: self = .accountRemoved
        case .passwordChanged: self = .passwordChanged
        }
    }
}

/// A change of the client's state.
public struct StateChange: Hashable, Sendable, Codable {
    /// The state before the change.
    public var from: ClientState
    /// The state after the change; never equal to ``from``.
    public var to: ClientState
    /// The reason for the change.
    public var reason: StateReason

    /// A change from one state to another, with its reason.
    public init(from: ClientState, to: ClientState, reason: StateReason) {
        self.from = from
        self.to = to
        self.reason = reason
    }
}

/// The steps of a login. The cases have NIM's names. Only the NIM dialects report the steps to the app.
public enum LoginStep: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case linking = 1
    case linkOK = 2
    case linkFailed = 3
    case authenticating = 4
    case loginOK = 5
    case loginFailed = 6
    case syncing = 7
    case syncOK = 8
    case connectionLost = 9
    case networkChanged = 10

    /// The case's name in recordings and JSON.
    public var name: String {
        switch self {
        case .linking: "linking"
        case .linkOK: "link-ok"
        case .linkFailed: "link-failed"
        case .authenticating: "authenticating"
        case .loginOK: "login-ok"
        case .loginFailed: "login-failed"
        case .syncing: "syncing"
        case .syncOK: "sync-ok"
        case .connectionLost: "connection-lost"
        case .networkChanged: "network-changed"
        }
    }
}

/// The notifications that an app receives.
public enum ClientNotification: Hashable, Sendable, Codable {
    case loginStep(LoginStep)
    /// The SDK has ended an automatic login or a reconnect, and does not retry. The app must show its login page
    /// (NIM-7).
    case autologinFailed(Status)
    indirect case kicked(KickNotice)
    case devicesChanged(DeviceChange, [Device])
    indirect case messageReceived(ChatMessage)
    case memberChanged(channel: String, user: String, joined: Bool)
    case tokenExpired
    case tokenWillExpire(inMilliseconds: Int64)
    /// An automatic login has succeeded or failed. Only for systems that report both in one callback; the others report
    /// a failure as ``autologinFailed(_:)``.
    case autologinCompleted(Status)
    /// The sync of messages that waited on the server has started or finished (CHAT-12).
    case syncStarted
    case syncFinished
    /// A part of the sync has arrived. `new` is the number of items that the device had not stored (NIM-14).
    case synced(SyncPhase, new: Int)
    /// The user has done an operation on another device (CHAT-8).
    indirect case operated(DeviceOperation)
    /// The presence of a watched user has changed.
    case presence(user: String, PresenceChange)
    /// The current value, for a listener to the path and the query; a nil query selects everything.
    indirect case treeValue(path: String, TreeNode, TreeQuery? = nil)
    /// A change of a child, for a listener to the children of a path.
    indirect case treeChild(TreeChildNotice)
    /// The server has refused or ended a listener. The listener receives no more events.
    indirect case treeCancelled(path: String, TreeQuery? = nil, Status)
    /// The sync of the user's data has started or finished (ZIM-9).
    case dataSync(DataSyncState)
    /// The user's data has changed on the server. The text names the changed object, such as a conversation or a user.
    case dataChanged(ChangeKind, String)
    /// An export or import has processed `done` of `all` messages (ZIM-9).
    case dataProgress(done: Int, all: Int)
    /// The state of the connection has changed. Only for systems that report this state separately from the login.
    indirect case linkChanged(LinkChange)
    /// The user's local data is open. The login that opened it may still fail.
    case dataOpened(user: String)
    /// A login on the same device, such as another tab of a browser, has ended this login.
    indirect case replaced(KickNotice)
}

/// A change of a child, as reported to a listener to the children of a path.
public struct TreeChildNotice: Hashable, Sendable, Codable {
    /// The kind of the event; never ``TreeEventKind/value``.
    public var kind: TreeEventKind
    /// The path of the listener, which is the path of the child's parent.
    public var path: String
    /// The query of the listener; nil if the listener gets all children.
    public var query: TreeQuery?
    /// The key of the child.
    public var key: String
    /// The key of the sibling before the child; nil for the first child and for a removed child.
    public var previousKey: String?
    /// The child's value; for a removed child, the value before the removal.
    public var node: TreeNode

    /// A change of the child `key`, for a listener to `path` and `query`.
    public init(
        _ kind: TreeEventKind, path: String, query: TreeQuery? = nil, key: TreeKey, previous: TreeKey?, _ node: TreeNode
    ) {
        self.kind = kind
        self.path = path
        self.query = query
        self.key = key.text
        previousKey = previous?.text
        self.node = node
    }
}

/// The progress of the sync of the user's data. The raw values are those of the vendor's `ZIMConversationSyncState`.
public enum DataSyncState: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case started = 0
    case finished = 1

    /// The case's name in recordings and JSON.
    public var name: String {
        switch self {
        case .started: "started"
        case .finished: "finished"
        }
    }
}
