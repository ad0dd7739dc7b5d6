import IMLocalData
import IMProtocol
import IMTree
import SansIO

/// The inputs of a server. The host has checked the credentials in the frames and replaced each secret by a verdict.
public enum ServerInput: Hashable, Sendable {
    /// A client has opened a connection.
    case connectionOpened(ConnectionID)
    /// A connection has ended: its other end closed it, or it broke.
    case connectionClosed(ConnectionID, isBroken: Bool = false)
    /// A frame has arrived over a connection; it is ignored if the connection does not exist.
    case frameReceived(ConnectionID, Frame)
    /// A message arrived that is not a frame.
    case frameUnreadable(ConnectionID, FrameError)
    /// The time of ``ServerMachine/nextDeadline`` has come.
    case deadlineReached
    /// A command of the operator.
    case command(CommandID, ServerCommand)
}

/// The commands of the operator.
public enum ServerCommand: Hashable, Sendable, Codable {
    /// Creates an account, or lifts the ban of an existing one.
    case addAccount(String)
    /// Ends the logins of a user and refuses every later one (NIM-7, CHAT-10).
    case banAccount(String)
    /// Ends the logins of a user and removes the account; a later one of the name inherits nothing (C-7).
    case deleteAccount(String)
    /// Ends the logins of a user, or that of one device of the user.
    case kick(user: String, device: String?)
    /// Lists the devices of the account, logged in or not, one row each.
    case listDevices(user: String)
    /// Changes the policy; the keys are those of ``ServerPolicy/settings``.
    case setPolicy(key: String, value: String)
    /// Gives an account items for its next sync: a number of items for each phase (NIM-14).
    case populate(user: String, [SyncAmount])
    /// The account has a new password: credentials made before are invalid (CHAT-10, NIM-7). Recordings from before
    /// `revokeTokens` use it for revoked tokens, too.
    case passwordChanged(user: String)
    /// The account's tokens are revoked: credentials made before are invalid (CHAT-10, NIM-7).
    case revokeTokens(user: String)
    /// Answers the account's logins and calls with a status, instead of serving them; nil serves it again.
    case setRefusal(user: String, Status?)
    /// Puts a change into a user's data, as if it had happened (ZIM-9).
    indirect case putChange(user: String, ChangeRecord)
    /// Makes up the data of a user who has none yet: people, groups, conversations and messages (ZIM-9).
    indirect case populateData(user: String, Population)
    /// Sets who may read and write a path of the tree. For a nil value, the rule of a path further up applies. An empty
    /// rule removes the rule of the path.
    indirect case setTreeRule(path: String, TreeRule)
    /// Lists the security rules of the tree, one row each.
    case listTreeRules
    /// Sends a goodbye to every client.
    case shutDown
}

/// A number of items for one phase of a sync.
public struct SyncAmount: Hashable, Sendable, Codable {
    /// The phase that delivers the items.
    public var phase: SyncPhase
    /// The number of items. If the existing ones and these exceed ``ServerPolicy/syncItemCountMax``, none is made.
    public var count: Int

    /// An amount for this phase.
    public init(_ phase: SyncPhase, _ count: Int) {
        self.phase = phase
        self.count = count
    }
}

/// The effects of a server.
public enum ServerEffect: Hashable, Sendable {
    /// Sends a frame over a connection, after the frames sent before it.
    case send(ConnectionID, Frame)
    /// Ends the connection after the frames sent before.
    case close(ConnectionID)
    /// A command has ended; exactly one for each command.
    case complete(CommandID, ServerAnswer)
    /// A user's presence has changed, as other users see it.
    case presence(user: String, device: String, PresenceChange)
}

/// The outcome of an operator's command.
public struct ServerAnswer: Hashable, Sendable, Codable {
    /// ``Status/ok``, or the reason why nothing was done.
    public var status: Status
    /// One row for each result: names and values in a fixed order.
    public var rows: [[ServerAnswerField]]

    /// An answer; most commands return no rows.
    public init(_ status: Status, rows: [[ServerAnswerField]] = []) {
        self.status = status
        self.rows = rows
    }
}

/// A named value of a row.
public struct ServerAnswerField: Hashable, Sendable, Codable {
    /// The name of the value, such as `presence`.
    public var name: String
    /// The value as text; `-` if there is none.
    public var value: String

    /// One name and its value.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
