import IMClient
import IMProtocol
import IMServer

/// One vendor's names for the behaviour that all systems share: callbacks, enum values with their numbers, and codes.
///
/// A dialect makes no decisions: the machines do, with the policies of the dialect. A new dialect is a type that
/// conforms to this protocol, in a file of its own, and a line in ``Dialects/all``.
public protocol Dialect: Sendable {
    /// The profile's name in commands and recordings.
    var profile: String { get }
    /// The product's name, for display.
    var title: String { get }
    /// The behaviour of the vendor's SDK: features, time limits, delays and other limits.
    var clientPolicy: ClientPolicy { get }
    /// The settings of ``clientPolicy`` whose values come from the vendor's documents. The keys are names of settings;
    /// each value is the id of the rule that quotes the document.
    var documentedSettings: [String: String] { get }
    /// The settings of ``clientPolicy`` whose values were measured in logs of real apps. The keys are names of
    /// settings; each value names the logs.
    var measuredSettings: [String: String] { get }
    /// The behaviour of the vendor's server: which devices exclude each other, time limits and other limits.
    var serverPolicy: ServerPolicy { get }

    /// The vendor's callback for an effect; nil if the vendor's SDK calls nothing for this effect.
    func callback(for effect: ClientEffect) -> Callback?
    /// The vendor's code for the status of a call. Some vendors have other codes for each kind of call.
    func code(for status: Status, of call: CallKind) -> Code
    /// The vendor's name for a state; nil if the vendor does not name states.
    func name(of state: ClientState) -> String?
    /// All callbacks of the SDK, with the names of their fields and the values of their enums, for help and completion.
    var callbacks: [CallbackShape] { get }
}

extension Dialect {
    /// True if accounts on the vendor's server have passwords, even if this version of the SDK logs in with tokens only
    /// (Agora Chat 5).
    public var hasServerPasswords: Bool {
        clientPolicy.features.contains(.passwords) || serverPolicy.passwordChangeEndsLogins
    }

    /// No measured settings: the default for a vendor whose settings have not been compared with logs of real apps.
    public var measuredSettings: [String: String] { [:] }

    /// The source of the value of a setting in ``clientPolicy``.
    public func source(of setting: String) -> SettingSource {
        if let rule = documentedSettings[setting] { return .documented(rule) }
        return measuredSettings[setting].map { .measured($0) } ?? .assumed
    }
}

/// The source of the value of a setting: a document, a measurement or an assumption.
public enum SettingSource: Hashable, Sendable {
    /// The vendor's documents; with the id of the rule that quotes them.
    case documented(String)
    /// The value was measured in logs of real apps. The text names the logs.
    case measured(String)
    /// Assumed, because the vendor documents no value.
    case assumed

    /// The source as text, such as `documented: NIM-5`.
    public var text: String {
        switch self {
        case .documented(let rule): "documented: \(rule)"
        case .measured(let logs): "measured: \(logs)"
        case .assumed: "assumed"
        }
    }
}

/// The kinds of an app's calls. A vendor may have a separate enum of codes for each kind.
public enum CallKind: String, Hashable, Sendable, CaseIterable {
    case login, autologin, logout, kick, query, send, join, leave, option, attributes
    /// Subscribes to a user's presence, or ends the subscription.
    case watch = "subscribe"
    /// An operation that is reported to the user's other devices (CHAT-8).
    case operate = "act"
    /// A read, a write or a listener of Wilddog's tree. onDisconnect operations are the kind `onDisconnect`.
    case tree = "sync"
    case onDisconnect = "on-disconnect"
    case renewToken = "renew-token"
    case offlineLogin = "offline-login"
    /// Lists or kicks devices with a credential, without a login (CHAT-6).
    case accountCall = "account-call"
    case goOffline = "go-offline"
    case goOnline = "go-online"
    /// A call on local data (ZIM-9).
    case call
    /// A change of the user's data on the server.
    case change
    // Each of these calls has the command name of another kind, but may have different codes: `channelSend` is a `send`
    // command.
    case channelSend = "send-channel"
    case memberQuery = "query-members"
    case attributeQuery = "query-attributes"

    /// The name of the command that makes such a call.
    public var word: String {
        switch self {
        case .channelSend: CallKind.send.rawValue
        case .memberQuery, .attributeQuery: CallKind.query.rawValue
        case .login, .autologin, .logout, .kick, .query, .send, .join, .leave, .option, .attributes, .watch, .operate,
            .tree, .onDisconnect, .renewToken, .offlineLogin, .accountCall, .goOffline, .goOnline, .call, .change:
            rawValue
        }
    }

    /// The kind of a command's call. A forced autologin is the kind `autologin` too.
    public init(_ command: ClientCommand) {
        switch command {
        case .login(let call):
            switch call.mode {
            case .manual, .guest: self = .login
            case .offline: self = .offlineLogin
            case .automatic, .forced, .resume: self = .autologin
            }
        case .logout: self = .logout
        case .renewToken: self = .renewToken
        case .kick: self = .kick
        case .query: self = .query
        case .send(_, _, let isToChannel): self = isToChannel ? .channelSend : .send
        case .resend: self = .send
        case .join: self = .join
        case .leave: self = .leave
        case .setOption: self = .option
        case .setAttributes: self = .attributes
        case .ask(.members): self = .memberQuery
        case .ask(.attributes), .ask(.channelAttributes): self = .attributeQuery
        case .ask(.users): self = .call
        case .watch: self = .watch
        case .operate: self = .operate
        case .accountCall: self = .accountCall
        case .tree(.onDisconnect, _), .tree(.onDisconnectUpdate, _), .tree(.cancelOnDisconnect, _): self = .onDisconnect
        // An outline is answered from the client's own state, like a query.
        case .tree(.outline, _): self = .query
        case .tree: self = .tree
        case .goOffline: self = .goOffline
        case .goOnline: self = .goOnline
        case .call: self = .call
        case .change: self = .change
        }
    }
}

/// One call of a callback: the SDK notifies the app.
public struct Callback: Hashable, Sendable {
    /// The method's name without its parameters, such as `onKick`.
    public var name: String
    /// The names and values of its arguments, in the vendor's order. Enum values have the form `Name(number)`.
    public var fields: [AnswerField]

    /// A callback with its fields in the vendor's order.
    public init(_ name: String, _ fields: [(String, String)] = []) {
        self.name = name
        self.fields = fields.map { AnswerField(name: $0.0, value: $0.1) }
    }
}

/// A vendor's number with its name: a result code or the value of an enum.
public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The vendor's number. The number may mean something else in another dialect or for another kind of call.
    public var number: Int
    /// The vendor's name for the number.
    public var name: String

    /// A code with this number and this name.
    public init(_ number: Int, _ name: String) {
        self.number = number
        self.name = name
    }

    /// The code as `Name(number)`.
    public var description: String { "\(name)(\(number))" }
}

/// The declaration of a callback: its name and its fields, without the values of a particular call.
public struct CallbackShape: Hashable, Sendable {
    /// The method's name without its parameters, as in ``Callback/name``.
    public var name: String
    /// The callback's fields. If a field is an enum, its values are the names of the enum's cases; otherwise they are
    /// empty.
    public var fields: [(name: String, values: [String])]
    /// The values of each field with their numbers, such as `NIMLoginStepLinking(1)`, in the order of ``fields``.
    public var numberedValues: [[String]]

    /// A callback with its fields in the vendor's order. Enum values have the form `Name(number)`; ``fields`` contains
    /// them without the numbers.
    public init(_ name: String, _ fields: [(String, [String])] = []) {
        self.name = name
        self.fields = fields.map { (name: $0.0, values: $0.1.map { String($0.prefix { $0 != "(" }) }) }
        numberedValues = fields.map(\.1)
    }

    /// The callbacks that report changes of a user's data. A callback that reports several kinds of changes is listed
    /// once.
    ///
    /// - Parameter callback: the vendor's callback for a kind of change with this subject; nil if the vendor has none.
    static func dataCallbacks(_ callback: (ChangeKind, String) -> Callback?) -> [CallbackShape] {
        var shapes: [CallbackShape] = []
        for callback in ChangeKind.allCases.compactMap({ callback($0, "") })
        where !shapes.contains(where: { $0.name == callback.name }) {
            shapes.append(CallbackShape(callback.name, callback.fields.map { ($0.name, []) }))
        }
        return shapes
    }

    /// Compares the names of the callbacks and of their fields, but not the values of the fields.
    public static func == (left: CallbackShape, right: CallbackShape) -> Bool {
        left.name == right.name && left.fields.map(\.name) == right.fields.map(\.name)
    }

    /// Hashes the callback's name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }
}

/// All dialects.
public enum Dialects {
    /// The dialects of the profiles without a version, for `--profile`, `use` and completion.
    public static let all: [any Dialect] = [
        NIMDialect(), ZIMDialect(), AgoraChatDialect(), AgoraRTMDialect(), WilddogDialect(),
    ]

    /// The dialects of the later versions of the SDKs, such as `nim@v2`.
    public static let versions: [any Dialect] = [
        NIMV2Dialect(), ZIM3Dialect(), AgoraChat5Dialect(), AgoraRTM2Dialect(),
    ]

    /// The dialects of ``all`` and of ``versions``.
    public static let withVersions: [any Dialect] = all + versions

    /// The dialect of a profile; nil for an unknown name.
    public static func named(_ profile: String) -> (any Dialect)? {
        all.first { $0.profile == profile } ?? ProfileVersion.all.first { $0.name == profile }?.dialect
    }
}

/// The ids of devices, separated by commas, for one field of a callback.
func deviceList(_ devices: [Device]) -> String {
    devices.map(\.id).joined(separator: ",")
}
