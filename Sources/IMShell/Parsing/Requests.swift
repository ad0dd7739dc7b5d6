import IMClient
import IMDebugger
import IMLocalData
import IMProtocol
import IMServer
import IMText
import SansIO

/// The source of a token or a password.
package enum CredentialSource: Hashable, Sendable {
    /// No credential: the embedded world makes one for the account.
    case provisioned
    /// Typed inline; never written to a file.
    case token(InlineSecret)
    case tokenFile(String)
    /// The name of an environment variable.
    case tokenEnvironment(String)
    case passwordFile(String)
}

/// A text that describes itself as `***`, so that no message or recording shows it by accident.
package struct InlineSecret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The secret itself, only for writing it to the connection.
    package let plain: String

    init(_ plain: String) { self.plain = plain }

    package var description: String { Secrets.mask }
    package var debugDescription: String { Secrets.mask }
}

package struct LoginArguments: Hashable, Sendable {
    /// The call without its credential.
    package var call: LoginCall
    package var credential: CredentialSource
    /// The lifetime of a token that is made for this login.
    package var timeToLive: Interval?
}

package struct KickRequest: Hashable, Sendable {
    package enum Target: Hashable, Sendable {
        case device(String)
        /// Every device of the account.
        case all
        /// Every device but this one.
        case otherDevices
    }

    package var target: Target
    /// The account of an admin call; nil for a kick by a logged-in device.
    package var user: String?
    package var credential: CredentialSource
}

/// The subject of a query of a client.
package enum QuerySubject: String, CaseIterable, Sendable {
    case state, account, devices
    case selfIDs = "self-ids"
    case listeners
    case clients, steps, config, pending
    case localData = "local"
    case channels, items, failed, members, attributes
    case channelAttributes = "channel-attributes"
    // Queries of local data under simple names (ZIM-9).
    case conversations, history, friends, groups, blacklist, unread
}

package struct QueryRequest: Hashable, Sendable {
    package var subject: QuerySubject
    /// A channel, a user or a kind, as the subject needs.
    package var detail: String?
    /// The account of an admin call; nil for a query by a logged-in client.
    package var user: String?
    package var credential: CredentialSource
}

package struct SendRequest: Hashable, Sendable {
    /// A user or, with `isChannel`, a channel.
    package var to: String
    package var text: String
    package var isChannel: Bool
}

/// Calls of the SDK that need nothing from the shell but their arguments.
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

/// An action at a path of the tree; values as they were typed.
package enum TreeAction: Hashable, Sendable {
    case set(String, priority: String?)
    case update(String)
    case remove
    case push(String, priority: String?)
    case priority(String)
    case get(TreeQueryArguments)
    /// Observes the events with these names; without names, the value event.
    case on(TreeQueryArguments, events: [String])
    case off(TreeQueryArguments)
    /// Shows the known values there.
    case outline
    case keep(TreeQueryArguments, isOn: Bool)
    /// Applies to the whole tree; nil for the vendor's own number of bytes.
    case persistence(isOn: Bool, cacheBytes: Int?)
    case transaction(String, isHidden: Bool)
    case onDisconnectSet(String)
    case onDisconnectUpdate(String)
    case onDisconnectRemove
    case onDisconnectCancel
}

/// The selection of children, as it was typed; values are JSON, or otherwise plain texts.
package struct TreeQueryArguments: Hashable, Sendable {
    /// `key`, `value`, `priority`, or `child=PATH`.
    package var order: String?
    package var first: Int?
    package var last: Int?
    package var from: String?
    package var to: String?
    package var equal: String?

    package init(
        order: String? = nil, first: Int? = nil, last: Int? = nil, from: String? = nil, to: String? = nil,
        equal: String? = nil
    ) {
        self.order = order
        self.first = first
        self.last = last
        self.from = from
        self.to = to
        self.equal = equal
    }

    /// True if it selects all children and orders nothing.
    package var isEmpty: Bool { self == TreeQueryArguments() }
}

package enum ClientAction: Hashable, Sendable {
    case new(ClientDescription)
    case use(String)
    case close(String)
    case list
    case policy([KeyValue])
    /// All settings of a client's policy, or one.
    case listPolicy(String?)
}

package struct ClientDescription: Hashable, Sendable {
    package var name: String
    /// `nil` makes an id from the name.
    package var device: String?
    package var platform: Platform?
    package var deviceName: String?
    /// The SDK's number for the operating system; 1…100.
    package var osType: Int?
    /// The data that the login shows to other devices.
    package var loginExtension: String?
    /// The values set in its SDK's policy.
    package var policy: [KeyValue]

    package init(
        name: String, device: String? = nil, platform: Platform? = nil, deviceName: String? = nil, osType: Int? = nil,
        loginExtension: String? = nil, policy: [KeyValue] = []
    ) {
        self.name = name
        self.device = device
        self.platform = platform
        self.deviceName = deviceName
        self.osType = osType
        self.loginExtension = loginExtension
        self.policy = policy
    }
}

package enum ServerAction: Hashable, Sendable {
    case addAccount(String, password: InlineSecret?)
    case banAccount(String)
    case deleteAccount(String)
    case setPassword(String, InlineSecret)
    /// Ends the tokens made so far.
    case revokeTokens(String)
    /// Sets an error for an account's logins and calls; nil to serve them.
    case refuseAccount(String, AccountRefusal?)
    /// Makes a token and shows it.
    case token(String, timeToLive: Interval?)
    /// `device` nil: all devices of the user.
    case kick(String, device: String?)
    case policy([KeyValue])
    /// Shows the policy, or one value of it.
    case listPolicy(String?)
    /// Adds data to an account for its next sync.
    case populate(String, [SyncAmount])
    /// Generates a user's data: a number of messages, in a number of conversations, over a number of days.
    case history(String, messages: Int, conversations: Int?, days: Int, hasFiles: Bool)
    /// Makes a change in a user's data.
    case change(String, ChangeKind, [KeyValue])
    case restart
    case down
    case up
    case devices(String)
    /// Sets who may read and write a path of the tree: `all`, `none`, or names; nil to leave it unset.
    case setRule(String, read: String?, write: String?)
    case listRules
}

/// An error for an account, instead of serving it.
package enum AccountRefusal: Hashable, Sendable {
    case forbidden
    case serverError
}

package enum RecordAction: Hashable, Sendable {
    case status
    case mark(String)
    /// `nil` names the file after profile and time.
    case start(file: String?, overwrites: Bool = false)
    case stop
}

package enum SessionsAction: Hashable, Sendable {
    case list
    /// A file, a name from the list, or `last`.
    case show(String)
    /// Files, names from the list, or `last`.
    case delete([String])
    case rename(String, to: String)
    /// An expression of `show --filter`.
    case search(String)
    /// An expression of `show --filter`, for these files and for the files of these folders.
    case searchIn([String], String)
}

package struct HistoryRequest: Hashable, Sendable {
    /// The number of lines, the newest ones.
    package var count: Int
    /// Shows only lines that contain this text.
    package var text: String?
}

package struct SourceRequest: Hashable, Sendable {
    /// Relative to the file that contains the command.
    package var file: String
    /// The variables given after the file.
    package var variables: [KeyValue]
}

/// The property of a whole session to check.
package enum CheckRequest: Equatable, Sendable {
    /// Checks that no rule was broken.
    case rules
    /// Counts the events that match a condition.
    case condition(String)
}
