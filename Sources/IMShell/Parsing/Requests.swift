import IMClient
import IMDebugger
import IMLocalData
import IMProtocol
import IMServer
import IMText
import SansIO

/// Where a command gets its token or password.
package enum CredentialSource: Hashable, Sendable {
    /// The user gave no credential. The embedded world creates one for the account.
    case provisioned
    /// A token that the user typed in the line. It is never written to a file.
    case token(InlineSecret)
    case tokenFile(String)
    /// The name of an environment variable.
    case tokenEnvironment(String)
    case passwordFile(String)
}

/// A secret text. Its description is `***`, so that no message or recording contains it by accident.
package struct InlineSecret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The secret itself. Use it only to send it over the connection.
    package let plain: String

    init(_ plain: String) { self.plain = plain }

    package var description: String { Secrets.mask }
    package var debugDescription: String { Secrets.mask }
}

package struct LoginArguments: Hashable, Sendable {
    /// The login call. Its credential is set later, from `credential`.
    package var call: LoginCall
    package var credential: CredentialSource
    /// The lifetime of the token that is created for this login; nil for the default.
    package var timeToLive: Interval?
}

package struct KickRequest: Hashable, Sendable {
    package enum Target: Hashable, Sendable {
        case device(String)
        /// All devices of the account.
        case all
        /// All devices of the account except this one.
        case otherDevices
    }

    package var target: Target
    /// The account whose devices are kicked, for a kick without a login; nil for a kick by a logged-in device.
    package var user: String?
    package var credential: CredentialSource
}

/// The subject of the command `query`.
package enum QuerySubject: String, CaseIterable, Sendable {
    case state, account, devices
    case selfIDs = "self-ids"
    case listeners
    case clients, steps, config, pending
    case localData = "local"
    case channels, items, failed, members, attributes
    case channelAttributes = "channel-attributes"
    // Queries of local data that have short names (ZIM-9).
    case conversations, history, friends, groups, blacklist, unread
}

package struct QueryRequest: Hashable, Sendable {
    package var subject: QuerySubject
    /// The argument that the subject requires: a channel, a user, a kind or a conversation.
    package var detail: String?
    /// The account for a query without a login; nil for a query by a logged-in client.
    package var user: String?
    package var credential: CredentialSource
}

package struct SendRequest: Hashable, Sendable {
    /// The name of a user, or of a channel if `isChannel` is true.
    package var to: String
    package var text: String
    package var isChannel: Bool
}

/// Calls of the SDK for which the shell only converts the arguments.
package enum SDKCall: Hashable, Sendable {
    case resend
    case attributes([KeyValue], channel: String?)
    case subscribe(user: String, isOn: Bool)
    case act(OperationName, target: String, ext: String)
    case tree(path: String, TreeAction)
    case goOffline
    case goOnline
    /// A call on local data (ZIM-9).
    case local(LocalCall, [KeyValue])
    /// A change of the user's data on the server.
    case change(ChangeKind, [KeyValue])
}

/// An action on a path of the tree. Values and expressions are texts as the user typed them.
package enum TreeAction: Hashable, Sendable {
    case set(String, priority: String?)
    case update(String)
    case remove
    case push(String, priority: String?)
    case priority(String)
    case get(TreeQueryArguments)
    /// Listens for the events with these names; if there are no names, for the value event.
    case on(TreeQueryArguments, events: [String])
    case off(TreeQueryArguments)
    /// Draws the values of the path that the client has cached.
    case outline
    case keep(TreeQueryArguments, isOn: Bool)
    /// Turns persistence on or off for the whole tree. `cacheBytes` is the cache size in bytes; nil for the vendor's
    /// default.
    case persistence(isOn: Bool, cacheBytes: Int?)
    case transaction(String, isHidden: Bool)
    case onDisconnectSet(String)
    case onDisconnectUpdate(String)
    case onDisconnectRemove
    case onDisconnectCancel
}

/// The options of a tree query as the user typed them. A bound is parsed as JSON if possible, and is plain text
/// otherwise.
package struct TreeQueryArguments: Hashable, Sendable {
    /// The order of the children: `key`, `value`, `priority` or `child=PATH`; nil for the default.
    package var order: String?
    package var first: Int?
    package var last: Int?
    package var from: String?
    package var to: String?
    package var equal: String?

    /// True if there are no options: the query returns all children in the default order.
    package var isEmpty: Bool { self == TreeQueryArguments() }
}

package enum ClientAction: Hashable, Sendable {
    case new(ClientDescription)
    case use(String)
    case close(String)
    case list
    case policy([KeyValue])
    /// Shows all settings of a client's policy, or the named one.
    case listPolicy(String?)
}

package struct ClientDescription: Hashable, Sendable {
    package var name: String
    /// The device's id; if nil, it is derived from the name.
    package var device: String?
    package var platform: Platform?
    package var deviceName: String?
    /// The number of the operating system that the SDK sends, 1…100.
    package var osType: Int?
    /// The extension text that the login sends to the user's other devices.
    package var loginExtension: String?
    /// The settings of the client's SDK that differ from the profile's values.
    package var policy: [KeyValue] = []
}

package enum ServerAction: Hashable, Sendable {
    case addAccount(String, password: InlineSecret?)
    case banAccount(String)
    case deleteAccount(String)
    case setPassword(String, InlineSecret)
    /// Revokes all tokens of the account that exist now.
    case revokeTokens(String)
    /// Makes the server answer all logins and calls of an account with an error; nil to answer them normally again.
    case refuseAccount(String, AccountRefusal?)
    /// Creates a token and prints it.
    case token(String, timeToLive: Interval?)
    /// Kicks one device of the user; all devices if `device` is nil.
    case kick(String, device: String?)
    case policy([KeyValue])
    /// Shows the whole policy, or the named setting.
    case listPolicy(String?)
    /// Adds data to an account, which its devices receive at their next sync.
    case populate(String, [SyncAmount])
    /// Generates a message history of a user, with the given numbers of messages, conversations and days.
    case history(String, messages: Int, conversations: Int?, days: Int, hasFiles: Bool)
    /// Changes a user's data on the server.
    case change(String, ChangeKind, [KeyValue])
    case restart
    case down
    case up
    case devices(String)
    /// Sets who may read and write a path of the tree: `all`, `none`, or names. The rule is removed if both are nil.
    case setRule(String, read: String?, write: String?)
    case listRules
}

/// The error with which the server answers all requests of an account.
package enum AccountRefusal: Hashable, Sendable {
    case forbidden
    case serverError
}

package enum RecordAction: Hashable, Sendable {
    case status
    case mark(String)
    /// Starts a new recording. If `file` is nil, the file is named after the profile and the time.
    case start(file: String?, overwrites: Bool = false)
    case stop
}

package enum SessionsAction: Hashable, Sendable {
    case list
    /// Shows a session: a file, a name from the list, or `last`.
    case show(String)
    /// Deletes sessions: files, names from the list, or `last`.
    case delete([String])
    case rename(String, to: String)
    /// Searches all sessions for events that match a filter.
    case search(String)
    /// Searches these files, and the files in these folders, for events that match a filter.
    case searchIn([String], String)
}

package struct HistoryRequest: Hashable, Sendable {
    /// The maximum number of lines. The newest lines are shown.
    package var count: Int
    /// Shows only lines that contain this text.
    package var text: String?
}

package struct SourceRequest: Hashable, Sendable {
    /// The path of the script, relative to the file that contains the command.
    package var file: String
    /// The variables for the script.
    package var variables: [KeyValue]
}

/// What the command `check` checks about the whole session.
package enum CheckRequest: Equatable, Sendable {
    /// Checks that the session breaks no rule.
    case rules
    /// Checks a condition on the number of events, such as `count(kick) == 0`.
    case condition(String)
}
