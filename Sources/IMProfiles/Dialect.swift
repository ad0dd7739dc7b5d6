import IMClient
import IMProtocol
import IMServer

/// One vendor's names for the common behaviour: its callbacks, its enum names with their numbers, its codes.
///
/// A dialect decides nothing. A new dialect is a file with a type of this protocol and a line in ``Dialects/all``.
public protocol Dialect: Sendable {
    /// The profile's name in commands and recordings.
    var profile: String { get }
    /// The product's name, for display.
    var title: String { get }
    /// The behaviour of the vendor's SDK: features, time limits, delays and other limits.
    var clientPolicy: ClientPolicy { get }
    /// The settings of ``clientPolicy`` whose value the vendor's documents give, with the rule that quotes them.
    var documentedSettings: [String: String] { get }
    /// The settings of ``clientPolicy`` whose value was measured in the field, with the logs that show it.
    var measuredSettings: [String: String] { get }
    /// The behaviour of the vendor's server: which devices exclude each other, time limits and other limits.
    var serverPolicy: ServerPolicy { get }

    /// The vendor's callback for an effect; nil if the vendor has none.
    func callback(for effect: ClientEffect) -> Callback?
    /// The vendor's code for the result of a call.
    func code(for status: Status, of call: CallKind) -> Code
    /// The vendor's name for a state; nil if it has none.
    func name(of state: ClientState) -> String?
    /// All callbacks, with the names of their fields and the values of their enums, for help and
    /// completion.
    var callbacks: [CallbackShape] { get }
}

extension Dialect {
    /// True if the vendor's server has passwords, also for a version of the SDK that logs in with tokens only (Chat 5).
    public var hasServerPasswords: Bool {
        clientPolicy.features.contains(.passwords) || serverPolicy.passwordChangeEndsLogins
    }

    /// Most vendors' numbers have not been compared with field logs.
    public var measuredSettings: [String: String] { [:] }

    /// The source of the value of a client's setting.
    public func source(of setting: String) -> SettingSource {
        if let rule = documentedSettings[setting] { return .documented(rule) }
        return measuredSettings[setting].map { .measured($0) } ?? .assumed
    }
}

/// The source of the value of a client's setting.
public enum SettingSource: Hashable, Sendable {
    /// The vendor's documents, in the rule that quotes them.
    case documented(String)
    /// Logs from the field.
    case measured(String)
    /// Assumed, because the vendor documents no value.
    case assumed

    /// `documented: NIM-5`
    public var text: String {
        switch self {
        case .documented(let rule): "documented: \(rule)"
        case .measured(let logs): "measured: \(logs)"
        case .assumed: "assumed"
        }
    }
}

/// The kinds of calls. A vendor may have different codes for each kind.
public enum CallKind: String, Hashable, Sendable, CaseIterable {
    case login, autologin, logout, kick, query, send, join, leave, option, attributes
    /// Subscribes to a user's presence, or ends the subscription.
    case watch = "subscribe"
    /// An operation that is reported to the user's other devices (CHAT-8).
    case operate = "act"
    /// A request about the tree, except for onDisconnect operations.
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
    // Calls that share a command name with another kind, and may have different codes.
    case channelSend = "send-channel"
    case memberQuery = "query-members"
    case attributeQuery = "query-attributes"

    /// The command's name.
    public var word: String {
        switch self {
        case .channelSend: CallKind.send.rawValue
        case .memberQuery, .attributeQuery: CallKind.query.rawValue
        case .login, .autologin, .logout, .kick, .query, .send, .join, .leave, .option, .attributes, .watch, .operate,
            .tree, .onDisconnect, .renewToken, .offlineLogin, .accountCall, .goOffline, .goOnline, .call, .change:
            rawValue
        }
    }

    /// The kind of a command; a forced and an ordinary autologin are the same kind.
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
        // These send no request.
        case .tree(.outline, _): self = .query
        case .tree: self = .tree
        case .goOffline: self = .goOffline
        case .goOnline: self = .goOnline
        case .call: self = .call
        case .change: self = .change
        }
    }
}

/// One call of the SDK into the app.
public struct Callback: Hashable, Sendable {
    /// The method's name without its parameters, such as `onKick`.
    public var name: String
    /// Names and values in the vendor's order; enum values have the form `Name(number)`.
    public var fields: [AnswerField]

    /// A callback with its fields in the vendor's order.
    public init(_ name: String, _ fields: [(String, String)] = []) {
        self.name = name
        self.fields = fields.map { AnswerField(name: $0.0, value: $0.1) }
    }
}

/// A vendor's code.
public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The vendor's number; another dialect, or another call, may use it differently.
    public var number: Int
    /// The vendor's name for it.
    public var name: String

    /// A number and its name.
    public init(_ number: Int, _ name: String) {
        self.number = number
        self.name = name
    }

    /// `Name(number)`.
    public var description: String { "\(name)(\(number))" }
}

/// The declaration of a callback.
public struct CallbackShape: Hashable, Sendable {
    /// As in ``Callback/name``.
    public var name: String
    /// The names of its fields, each with the names of its values; empty for free text.
    public var fields: [(name: String, values: [String])]
    /// For each field, its values with their numbers: `NIMLoginStepLinking(1)`.
    public var numberedValues: [[String]]

    /// A callback with its fields in the vendor's order. A value that is `Name(number)` has a number.
    public init(_ name: String, _ fields: [(String, [String])] = []) {
        self.name = name
        self.fields = fields.map { (name: $0.0, values: $0.1.map { String($0.prefix { $0 != "(" }) }) }
        numberedValues = fields.map(\.1)
    }

    /// The callbacks that report changes in a user's data, each once.
    static func ofData(_ callback: (ChangeKind, String) -> Callback?) -> [CallbackShape] {
        var shapes: [CallbackShape] = []
        for callback in ChangeKind.allCases.compactMap({ callback($0, "") })
        where !shapes.contains(where: { $0.name == callback.name }) {
            shapes.append(CallbackShape(callback.name, callback.fields.map { ($0.name, []) }))
        }
        return shapes
    }

    /// Compares the names of callback and fields, but not their values.
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
    /// Every dialect, for `--profile`, `use` and completion.
    public static let all: [any Dialect] = [
        NIMDialect(), ZIMDialect(), AgoraChatDialect(), AgoraRTMDialect(), WilddogDialect(),
    ]

    /// The later versions of the SDKs.
    public static let versions: [any Dialect] = [
        NIMV2Dialect(), ZIM3Dialect(), AgoraChat5Dialect(), AgoraRTM2Dialect(),
    ]

    /// Every dialect, and the later versions.
    public static let withVersions: [any Dialect] = all + versions

    /// The dialect of a profile; nil for an unknown name.
    public static func named(_ profile: String) -> (any Dialect)? {
        all.first { $0.profile == profile } ?? ProfileVersion.all.first { $0.name == profile }?.dialect
    }
}

/// The ids of devices, as a list in one field.
func deviceList(_ devices: [Device]) -> String {
    devices.map(\.id).joined(separator: ",")
}
