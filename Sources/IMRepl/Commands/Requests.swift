import IMProtocol
import IMScript
import IMServer
import SansIO

/// Where a token or a password comes from.
enum CredentialSource: Hashable, Sendable {
    /// None given: the embedded world makes one for the account.
    case provisioned
    /// Typed inline; never written down anywhere.
    case token(InlineSecret)
    case tokenFile(String)
    /// The name of an environment variable.
    case tokenEnvironment(String)
    case passwordFile(String)
}

/// A text that describes itself as `***`, so that no message or record shows it by accident.
struct InlineSecret: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The secret itself: only for what puts it on the wire.
    let plain: String

    init(_ plain: String) { self.plain = plain }

    var description: String { Secrets.mask }
    var debugDescription: String { Secrets.mask }
}

struct LoginArguments: Hashable, Sendable {
    var user: String
    var credential: CredentialSource
    /// On local data, without asking the server first.
    var isOffline: Bool
    /// With a token made for this login, which lives so long.
    var timeToLive: Interval?
}

struct AutologinRequest: Hashable, Sendable {
    var user: String
    /// `nil` uses the credential of the last login.
    var credential: CredentialSource
    /// Kicks a device of the same group instead of giving way to it.
    var isForced: Bool
}

struct KickRequest: Hashable, Sendable {
    enum Target: Hashable, Sendable {
        case device(String)
        /// Every device of the account.
        case all
        /// Every device but this one.
        case otherDevices
    }

    var target: Target
    /// The account, when kicked from outside and not from a logged-in device.
    var user: String?
    var credential: CredentialSource
}

/// What can be asked of a client.
enum QuerySubject: String, CaseIterable, Sendable {
    case state, account, devices
    case selfIDs = "self-ids"
    case clients, steps, config, pending
    case localData = "local"
    case channels, items, failed, members, attributes
    case channelAttributes = "channel-attributes"
}

struct QueryRequest: Hashable, Sendable {
    var subject: QuerySubject
    /// A channel, a user or a kind, as the subject needs.
    var detail: String?
    /// The account, when asked from outside and not by a logged-in client.
    var user: String?
    var credential: CredentialSource
}

struct SendRequest: Hashable, Sendable {
    /// A user or, with `isChannel`, a channel.
    var to: String
    var text: String
    var isChannel: Bool
}

/// Calls of the SDK that need nothing from the shell but their words.
enum SDKCall: Hashable, Sendable {
    case resend
    case attributes([KeyValue], channel: String?)
    case subscribe(user: String, isOn: Bool)
    case act(OperationName, target: String, ext: String)
    case tree(path: String, TreeAction)
    case goOffline
    case goOnline
}

/// What to do at a place of the tree; values as they were typed.
enum TreeAction: Hashable, Sendable {
    case set(String)
    case update(String)
    case remove
    case get
    case on
    case off
    case onDisconnectSet(String)
    case onDisconnectUpdate(String)
    case onDisconnectRemove
    case onDisconnectCancel
}

enum ClientAction: Hashable, Sendable {
    case new(ClientDescription)
    case use(String)
    case close(String)
    case list
}

struct ClientDescription: Hashable, Sendable {
    var name: String
    /// `nil` makes an id from the name.
    var device: String?
    var platform: Platform?
    var deviceName: String?
    /// The number the SDK calls the operating system by; 1…100.
    var osType: Int?
    /// What the login carries along for other devices to see.
    var loginExtension: String?
}

enum ServerAction: Hashable, Sendable {
    case addAccount(String, password: InlineSecret?)
    case banAccount(String)
    case deleteAccount(String)
    case setPassword(String, InlineSecret)
    /// Ends the tokens made so far.
    case revokeTokens(String)
    /// What to answer an account's logins and calls with; nil for serving them.
    case refuseAccount(String, AccountRefusal?)
    /// Makes a token and shows it.
    case token(String, timeToLive: Interval?)
    /// `device` nil: all devices of the user.
    case kick(String, device: String?)
    case policy(KeyValue)
    /// Shows the policy, or one value of it.
    case listPolicy(String?)
    /// Gives an account things for its next sync.
    case populate(String, [SyncAmount])
    case restart
    case down
    case up
    case devices(String)
}

/// What an account can be answered with, instead of being served.
enum AccountRefusal: Hashable, Sendable {
    case forbidden
    case serverError
}

enum RecordAction: Hashable, Sendable {
    case status
    case mark(String)
    /// `nil` names the file after profile and time.
    case start(file: String?, overwrites: Bool = false)
    case stop
}

enum SessionsAction: Hashable, Sendable {
    case list
    /// A file, a name from the list, or `last`.
    case show(String)
    /// Files, names from the list, or `last`.
    case delete([String])
    case rename(String, to: String)
    /// An expression of `show --filter`.
    case search(String)
    /// The same in these files, and in the files of these folders.
    case searchIn([String], String)
}

struct HistoryRequest: Hashable, Sendable {
    /// How many lines, the newest.
    var count: Int
    /// Only lines that contain this.
    var text: String?
}

struct SourceRequest: Hashable, Sendable {
    /// Relative to the file that the command stands in.
    var file: String
    /// The variables given behind the file.
    var variables: [KeyValue]
}
