import IMProtocol
import IMTree
import SansIO

/// What a client wants done.
public enum ClientEffect: Hashable, Sendable {
    /// Make a link; answered with `linkOpened` or `linkFailed` of this generation.
    case connect(ConnectionID)
    /// End the link after what was sent; nothing that it says afterwards counts.
    case closeLink(ConnectionID)
    case send(ConnectionID, Frame)
    /// Keep this for the next start of the app.
    indirect case persist(LocalData)
    /// Keep this with the data of its user.
    indirect case keep(LocalItem)
    /// Do this with the user's local data; answered with `dataAnswered` of its generation.
    case data(DataRequest)
    /// The command has ended; exactly one for each (C-1).
    case complete(CommandID, Completion)
    /// Tell the app.
    case notify(ClientNotification)
    /// The state that the user sees has changed.
    case transition(StateChange)
}

/// How a command ended and, if it was a question, the answer.
public struct Completion: Hashable, Sendable, Codable {
    /// How it ended.
    public var status: Status
    /// One row for each thing found, in order.
    public var rows: [AnswerRow]

    /// - Parameter rows: the answer; none for a command that asks for nothing.
    public init(_ status: Status, rows: [AnswerRow] = []) {
        self.status = status
        self.rows = rows
    }
}

/// The states that all five systems share; each dialect has its own words for them.
public enum ClientState: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case loggedOut = 1
    case connecting = 2
    /// Logged in; data is being fetched.
    case syncing = 3
    case online = 4
    /// Was online; the link is being made anew.
    case reconnecting = 5
    /// Logged in on local data, not yet connected.
    case offline = 6
    case kicked = 7
    case tokenExpired = 8

    /// The word for it in commands, recordings and JSON.
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

/// Why the state changed.
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
    /// The app asked for it (SYNC-8).
    case wentOffline = 16
    /// The server takes the token or password for a wrong or an expired one.
    case credentialRefused = 17

    /// The word for it in recordings and JSON.
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
    /// The state after; never the same.
    public var to: ClientState
    /// What led to it.
    public var reason: StateReason

    /// From one state to another, and why.
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

    /// The word for it in recordings and JSON.
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

/// What an app is told without having asked.
public enum ClientNotification: Hashable, Sendable, Codable {
    case loginStep(LoginStep)
    /// The SDK gives the login up; the app must bring the user back to the login page (NIM-7).
    case autologinFailed(Status)
    indirect case kicked(KickNotice)
    case devicesChanged(DeviceChange, [Device])
    indirect case messageReceived(ChatMessage)
    case memberChanged(channel: String, user: String, joined: Bool)
    case tokenExpired
    case tokenWillExpire(inMilliseconds: Int64)
    /// An automatic login has ended one way or the other, for systems that say so in one callback.
    case autologinCompleted(Status)
    /// Waiting messages are being fetched, and have been (CHAT-12).
    case syncStarted
    case syncFinished
    /// A part of the sync has arrived: so many items that were not here before (NIM-14).
    case synced(SyncPhase, new: Int)
    /// Another device of the account did something (CHAT-8).
    indirect case operated(DeviceOperation)
    case presence(user: String, PresenceChange)
    /// What a listener to the tree sees; with its query, where it has one.
    indirect case treeValue(path: String, TreeNode, TreeQuery? = nil)
    /// What has changed for a listener to the tree's children.
    indirect case treeChild(TreeChildNotice)
    /// The server will not have a listener, so that it is told no more.
    indirect case treeCancelled(path: String, TreeQuery? = nil, Status)
    /// What changed in the user's data is being fetched, or has been (ZIM-9).
    case dataSync(DataSyncState)
    /// Something of the user's data has changed on the server: what, and of whom.
    case dataChanged(ChangeKind, String)
    /// An export or import has moved so many messages of all (ZIM-9).
    case dataProgress(done: Int, all: Int)
}

/// What has happened to a child, as one who listens to its siblings too is told.
public struct TreeChildNotice: Hashable, Sendable, Codable {
    /// Not ``TreeEventKind/value``.
    public var kind: TreeEventKind
    /// The place that is listened to.
    public var path: String
    /// Nil for everything.
    public var query: TreeQuery?
    /// The child.
    public var key: String
    /// The sibling before it; nil for the first one, and for one that is gone.
    public var previousKey: String?
    /// What stands there, or stood there.
    public var node: TreeNode

    /// What `kind` says has happened to the child `key` of `path`.
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

/// How far the fetching of what changed has come; the raw value is the vendor's ZIMConversationSyncState.
public enum DataSyncState: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case started = 0
    case finished = 1

    /// The word for it in recordings and JSON.
    public var name: String {
        switch self {
        case .started: "started"
        case .finished: "finished"
        }
    }
}
