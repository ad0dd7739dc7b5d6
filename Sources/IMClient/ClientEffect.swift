import IMProtocol
import IMTree
import SansIO

/// The effects of a client.
public enum ClientEffect: Hashable, Sendable {
    /// Opens a connection; answered with `linkOpened` or `linkFailed` of this generation.
    case connect(ConnectionID)
    /// Closes the connection after the frames sent before; frames that arrive afterwards are ignored.
    case closeLink(ConnectionID)
    case send(ConnectionID, Frame)
    /// Stores this for the next start of the app.
    indirect case persist(LocalData)
    /// Stores this with the data of its user.
    indirect case keep(LocalItem)
    /// Executes a request on the user's local data; answered with `dataAnswered` of its generation.
    case data(DataRequest)
    /// A command has ended; exactly one for each command (C-1).
    case complete(CommandID, Completion)
    /// Notifies the app.
    case notify(ClientNotification)
    /// The state that the user sees has changed.
    case transition(StateChange)
}

/// The outcome of a command and, for a query, its answer.
public struct Completion: Hashable, Sendable, Codable {
    /// The status of the outcome.
    public var status: Status
    /// One row for each result, in order.
    public var rows: [AnswerRow]

    /// - Parameter rows: the answer; none for a command that returns nothing.
    public init(_ status: Status, rows: [AnswerRow] = []) {
        self.status = status
        self.rows = rows
    }
}

/// The states that all five systems share; each dialect has its own names for them.
public enum ClientState: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case loggedOut = 1
    case connecting = 2
    /// Logged in; data is being fetched.
    case syncing = 3
    case online = 4
    /// Was online; the client is reconnecting.
    case reconnecting = 5
    /// Logged in on local data, not yet connected.
    case offline = 6
    case kicked = 7
    case tokenExpired = 8

    /// Its name in commands, recordings and JSON.
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

/// The reason for a change of state.
public enum StateReason: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case login = 1
    case loginSucceeded = 2
    case loginFailed = 3
    case loginTimedOut = 4
    case syncFinished = 5
    case interrupted = 6
    case retrying = 7
    case logout = 8
    /// Another device logged in that cannot be online at the same time.
    case remoteLogin = 9
    case kickedByServer = 10
    case kickedByOtherDevice = 11
    case banned = 12
    case tokenExpired = 13
    case accountRemoved = 14
    case passwordChanged = 15
    /// The app requested it (SYNC-8).
    case wentOffline = 16
    /// The server refused the token or password as wrong or expired.
    case credentialRefused = 17

    /// Its name in recordings and JSON.
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

/// A change of the state that the user sees.
public struct StateChange: Hashable, Sendable, Codable {
    /// The state before.
    public var from: ClientState
    /// The state after; never the same as before.
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

/// The steps of a login, as NIM names them; other dialects leave them out.
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

    /// Its name in recordings and JSON.
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
    /// The SDK has given up the login; the app must return the user to the login page (NIM-7).
    case autologinFailed(Status)
    indirect case kicked(KickNotice)
    case devicesChanged(DeviceChange, [Device])
    indirect case messageReceived(ChatMessage)
    case memberChanged(channel: String, user: String, joined: Bool)
    case tokenExpired
    case tokenWillExpire(inMilliseconds: Int64)
    /// An automatic login has succeeded or failed, for systems that report both in one callback.
    case autologinCompleted(Status)
    /// The sync of waiting messages has started, or finished (CHAT-12).
    case syncStarted
    case syncFinished
    /// A part of the sync has arrived, with this number of new items (NIM-14).
    case synced(SyncPhase, new: Int)
    /// Another device of the account did something (CHAT-8).
    indirect case operated(DeviceOperation)
    case presence(user: String, PresenceChange)
    /// The value for a listener to the tree; with its query, if it has one.
    indirect case treeValue(path: String, TreeNode, TreeQuery? = nil)
    /// A change of a child, for a listener to the tree's children.
    indirect case treeChild(TreeChildNotice)
    /// The server has refused or ended a listener, which receives no more events.
    indirect case treeCancelled(path: String, TreeQuery? = nil, Status)
    /// The sync of the user's data has started, or finished (ZIM-9).
    case dataSync(DataSyncState)
    /// A change of the user's data on the server: its kind and its subject.
    case dataChanged(ChangeKind, String)
    /// An export or import has moved this many of all messages (ZIM-9).
    case dataProgress(done: Int, all: Int)
    /// The state of the connection has changed, for systems that report it apart from the login.
    indirect case linkChanged(LinkChange)
    /// The user's local data is open; the login may still fail.
    case dataOpened(user: String)
    /// A login on the same device, such as another tab of a browser, has ended this one.
    indirect case replaced(KickNotice)
}

/// A change of a child, for a listener to its siblings too.
public struct TreeChildNotice: Hashable, Sendable, Codable {
    /// The kind of the event; never ``TreeEventKind/value``.
    public var kind: TreeEventKind
    /// The path of the listener.
    public var path: String
    /// The query of the listener; nil for everything.
    public var query: TreeQuery?
    /// The child.
    public var key: String
    /// The sibling before it; nil for the first one, and for a removed one.
    public var previousKey: String?
    /// The child's value; for a removed child, the value before the removal.
    public var node: TreeNode

    /// The change `kind` of the child `key` of `path`.
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

/// The progress of the sync of the user's data; the raw value is the vendor's ZIMConversationSyncState.
public enum DataSyncState: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case started = 0
    case finished = 1

    /// Its name in recordings and JSON.
    public var name: String {
        switch self {
        case .started: "started"
        case .finished: "finished"
        }
    }
}
