import IMLocalData
import IMProtocol
import IMTree
import SansIO

/// The inputs of a server. The host replaces each credential in a frame by a verdict: the machine contains no secrets.
public enum ServerInput: Hashable, Sendable {
    /// A client has opened a connection.
    case connectionOpened(ConnectionID)
    /// A connection has ended: the client closed it, or it broke.
    case connectionClosed(ConnectionID, isBroken: Bool = false)
    /// A frame has arrived. It is ignored if the connection does not exist.
    case frameReceived(ConnectionID, Frame)
    /// Bytes have arrived that are not a valid frame.
    case frameUnreadable(ConnectionID, FrameError)
    /// The instant ``ServerMachine/nextDeadline`` is reached.
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
    /// Ends the logins of a user and removes the account. A later account with the same name inherits nothing (C-7).
    case deleteAccount(String)
    /// Ends the login of one device of a user; of all devices if `device` is nil.
    case kick(user: String, device: String?)
    /// Lists the devices of a user, one row each. Devices without a login are listed too.
    case listDevices(user: String)
    /// Changes a value of the policy. ``ServerPolicy/settings`` contains the valid keys.
    case setPolicy(key: String, value: String)
    /// Creates items that the next sync of a user delivers: a number of items for each phase (NIM-14).
    case populate(user: String, [SyncAmount])
    /// Sets a new password for the account, which invalidates all earlier credentials (CHAT-10, NIM-7). Recordings from
    /// before `revokeTokens` existed contain this case for revoked tokens, too.
    case passwordChanged(user: String)
    /// Revokes the account's tokens, which invalidates all earlier credentials (CHAT-10, NIM-7).
    case revokeTokens(user: String)
    /// Makes the server refuse the account's logins and admin calls with a status. Nil ends the refusal.
    case setRefusal(user: String, Status?)
    /// Adds a change to a user's data, as if a client had made the change (ZIM-9).
    indirect case putChange(user: String, ChangeRecord)
    /// Generates the data of a user who has none yet: people, groups, conversations and messages (ZIM-9).
    indirect case populateData(user: String, Population)
    /// Sets the security rule of a path in the tree. If a value of the rule is nil, the nearest path above decides. A
    /// rule whose values are all nil removes the rule of the path.
    indirect case setTreeRule(path: String, TreeRule)
    /// Lists the security rules of the tree, one row each.
    case listTreeRules
    /// Notifies every client that the server shuts down.
    case shutDown
}

/// A number of items for one phase of a sync.
public struct SyncAmount: Hashable, Sendable, Codable {
    /// The phase that delivers the items.
    public var phase: SyncPhase
    /// The number of items. If all items together would exceed ``ServerPolicy/syncItemCountMax``, none is created.
    public var count: Int

    /// An amount of items for a phase.
    public init(_ phase: SyncPhase, _ count: Int) {
        self.phase = phase
        self.count = count
    }
}

/// The effects of a server.
public enum ServerEffect: Hashable, Sendable {
    /// Sends a frame over a connection, after the frames sent before it.
    case send(ConnectionID, Frame)
    /// Closes the connection after the frames sent before.
    case close(ConnectionID)
    /// Completes a command with its answer. Each command is completed exactly once.
    case complete(CommandID, ServerAnswer)
    /// Reports a change of a user's presence on a device.
    case presence(user: String, device: String, PresenceChange)
}

/// The outcome of an operator's command.
public struct ServerAnswer: Hashable, Sendable, Codable {
    /// ``Status/ok``, or the reason why the command changed nothing.
    public var status: Status
    /// The results of a command that lists something: one row each, with names and values in a fixed order.
    public var rows: [[ServerAnswerField]]

    /// Creates an answer. Most commands return no rows.
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

    /// Creates a named value.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
