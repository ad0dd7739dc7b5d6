import IMLocalData
import IMProtocol
import IMTree
import SansIO

/// What can happen to a server. Frames arrive with their credentials already judged: the host has replaced each
/// secret by a verdict.
public enum ServerInput: Hashable, Sendable {
    /// A client has opened a connection.
    case connectionOpened(ConnectionID)
    /// A connection has ended: its other end closed it, or it broke.
    case connectionClosed(ConnectionID, isBroken: Bool = false)
    /// A frame has come over a connection; one over a connection that is not there means nothing.
    case frameReceived(ConnectionID, Frame)
    /// A message arrived that is not a frame.
    case frameUnreadable(ConnectionID, FrameError)
    /// The moment named by ``ServerMachine/nextDeadline`` has come.
    case deadlineReached
    /// The operator wants something.
    case command(CommandID, ServerCommand)
}

/// What the operator asks of a server.
public enum ServerCommand: Hashable, Sendable, Codable {
    /// Makes an account; one that is there is no longer banned.
    case addAccount(String)
    /// Ends the logins of a user and refuses every later one (NIM-7, CHAT-10).
    case banAccount(String)
    /// Ends the logins of a user and forgets the account; a later one of the name has none of it (C-7).
    case deleteAccount(String)
    /// Ends the logins of a user, or that of one device of the user.
    case kick(user: String, device: String?)
    /// The devices that the account is known by, logged in or not, one row each.
    case listDevices(user: String)
    /// Changes the policy; the keys are those of ``ServerMachine/policyKeys``.
    case setPolicy(key: String, value: String)
    /// Gives an account things for its next sync: so many of each phase (NIM-14).
    case populate(user: String, [SyncAmount])
    /// The account has a new password: credentials made before are invalid (CHAT-10, NIM-7). Recordings of before
    /// `revokeTokens` have it for revoked tokens, too.
    case passwordChanged(user: String)
    /// The account's tokens are revoked: credentials made before are invalid (CHAT-10, NIM-7).
    case revokeTokens(user: String)
    /// Answers the account's logins and calls with a status, instead of serving them; nil serves it again.
    case setRefusal(user: String, Status?)
    /// Puts a change into a user's data, as if it had happened (ZIM-9).
    indirect case putChange(user: String, ChangeRecord)
    /// Makes up the data of a user who has none yet: people, groups, conversations and messages (ZIM-9).
    indirect case populateData(user: String, Population)
    /// Says who may read and write a place of the tree; what is nil is said further up. A rule that says nothing takes
    /// away what was said.
    indirect case setTreeRule(path: String, TreeRule)
    /// What was said about places of the tree, one row each.
    case listTreeRules
    /// Says goodbye to everybody.
    case shutDown
}

/// So many things of one phase of a sync.
public struct SyncAmount: Hashable, Sendable, Codable {
    /// The phase that brings them.
    public var phase: SyncPhase
    /// How many; with those that are there at most ``ServerPolicy/syncItemCountMax``, or nothing is made.
    public var count: Int

    /// So many things of this phase.
    public init(_ phase: SyncPhase, _ count: Int) {
        self.phase = phase
        self.count = count
    }
}

/// What a server wants done.
public enum ServerEffect: Hashable, Sendable {
    /// A frame for a connection, behind those that it was sent before.
    case send(ConnectionID, Frame)
    /// End the connection after what was sent.
    case close(ConnectionID)
    /// The command has ended; exactly one for each.
    case complete(CommandID, ServerAnswer)
    /// Somebody's presence has changed, as other users see it.
    case presence(user: String, device: String, PresenceChange)
}

/// How an operator's command ended.
public struct ServerAnswer: Hashable, Sendable, Codable {
    /// ``Status/ok``, or why nothing was done.
    public var status: Status
    /// One row for each thing found: names and values in a fixed order.
    public var rows: [[ServerAnswerField]]

    /// An answer; most commands find nothing to show.
    public init(_ status: Status, rows: [[ServerAnswerField]] = []) {
        self.status = status
        self.rows = rows
    }
}

/// A named value of a row.
public struct ServerAnswerField: Hashable, Sendable, Codable {
    /// What the value is called, such as `presence`.
    public var name: String
    /// The value as text; `-` where there is none.
    public var value: String

    /// One name and its value.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}
