import IMClient
import IMProtocol
import IMServer

/// How one vendor names what all five systems do: its callbacks, its enum names with their numbers, its codes.
///
/// A dialect decides nothing. A new one is a new file with a type of this protocol, and one line in ``Dialects/all``.
public protocol Dialect: Sendable {
    /// The word for it in commands and recordings.
    var profile: String { get }
    /// The product's name, for people.
    var title: String { get }
    /// What the vendor's SDK does: its features, time limits, waits and bounds.
    var clientPolicy: ClientPolicy { get }
    /// The settings of ``clientPolicy`` whose value the vendor's documents give, with the rule that quotes them.
    var documentedSettings: [String: String] { get }
    /// The settings of ``clientPolicy`` whose value was measured in the field, with the logs that show it.
    var measuredSettings: [String: String] { get }
    /// What the vendor's server does: who excludes whom, time limits and bounds.
    var serverPolicy: ServerPolicy { get }

    /// What the vendor's SDK calls in the app when a client wants this done; nil where the vendor has no callback.
    func callback(for effect: ClientEffect) -> Callback?
    /// The vendor's code for the way a call ended.
    func code(for status: Status, of call: CallKind) -> Code
    /// The vendor's name for a state, or nil where the vendor names none.
    func name(of state: ClientState) -> String?
    /// The callbacks that there are, with the names of their fields and the values that enums may take, for help and
    /// completion.
    var callbacks: [CallbackShape] { get }
}

extension Dialect {
    /// Most vendors' numbers have not been compared with field logs.
    public var measuredSettings: [String: String] { [:] }

    /// Where the value of a client's setting comes from.
    public func source(of setting: String) -> SettingSource {
        if let rule = documentedSettings[setting] { return .documented(rule) }
        return measuredSettings[setting].map { .measured($0) } ?? .assumed
    }
}

/// Where the value of a client's setting comes from.
public enum SettingSource: Hashable, Sendable {
    /// The vendor's documents, in the rule that quotes them.
    case documented(String)
    /// Logs from the field.
    case measured(String)
    /// Nothing that the vendor says; the value is ours.
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

/// The kinds of call whose codes a vendor may tell apart.
public enum CallKind: String, Hashable, Sendable, CaseIterable {
    case login, autologin, logout, kick, query, send, join, leave, option, attributes
    /// Being told of a user's presence, or no longer.
    case watch = "subscribe"
    /// Something that the user's other devices are to be told of (CHAT-8).
    case operate = "act"
    /// Everything about the tree but what is left for the end of a connection.
    case tree = "sync"
    case onDisconnect = "on-disconnect"
    case renewToken = "renew-token"
    case offlineLogin = "offline-login"
    /// Devices listed or ended with a credential, from outside a login (CHAT-6).
    case accountCall = "account-call"
    case goOffline = "go-offline"
    case goOnline = "go-online"
    /// A call on local data (ZIM-9).
    case call
    /// A change of what the server has of the user.
    case change
    // Calls for which the user types the same word as for another, and whose codes a vendor may tell apart.
    case channelSend = "send-channel"
    case memberQuery = "query-members"
    case attributeQuery = "query-attributes"

    /// The word that a user types for it.
    public var word: String {
        switch self {
        case .channelSend: CallKind.send.rawValue
        case .memberQuery, .attributeQuery: CallKind.query.rawValue
        case .login, .autologin, .logout, .kick, .query, .send, .join, .leave, .option, .attributes, .watch, .operate,
            .tree, .onDisconnect, .renewToken, .offlineLogin, .accountCall, .goOffline, .goOnline, .call, .change:
            rawValue
        }
    }

    /// The kind of a command; a forced automatic login is of the same kind as one that is not.
    public init(_ command: ClientCommand) {
        switch command {
        case .login(_, _, let mode, _, _):
            switch mode {
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
        // Nothing is asked of anybody.
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
    /// Names and values in the vendor's order; enum values read `Name(number)`.
    public var fields: [AnswerField]

    /// A callback with its fields in the vendor's order.
    public init(_ name: String, _ fields: [(String, String)] = []) {
        self.name = name
        self.fields = fields.map { AnswerField(name: $0.0, value: $0.1) }
    }
}

/// A vendor's code.
public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The vendor's number; in another dialect, or for another call, it may mean something else.
    public var number: Int
    /// The vendor's name for it.
    public var name: String

    /// A number and its name.
    public init(_ number: Int, _ name: String) {
        self.number = number
        self.name = name
    }

    /// `Name(number)`, as everywhere.
    public var description: String { "\(name)(\(number))" }
}

/// What a callback looks like.
public struct CallbackShape: Hashable, Sendable {
    /// As in ``Callback/name``.
    public var name: String
    /// Names of its fields, each with the names of the values that it may take; none for free text.
    public var fields: [(name: String, values: [String])]
    /// By field, its values with their numbers: `NIMLoginStepLinking(1)`.
    public var numberedValues: [[String]]

    /// A callback with its fields in the vendor's order. A value that is `Name(number)` has a number.
    public init(_ name: String, _ fields: [(String, [String])] = []) {
        self.name = name
        self.fields = fields.map { (name: $0.0, values: $0.1.map { String($0.prefix { $0 != "(" }) }) }
        numberedValues = fields.map(\.1)
    }

    /// The callbacks that tell of changes in a user's data, each once.
    static func ofData(_ callback: (ChangeKind, String) -> Callback?) -> [CallbackShape] {
        var shapes: [CallbackShape] = []
        for callback in ChangeKind.allCases.compactMap({ callback($0, "") })
        where !shapes.contains(where: { $0.name == callback.name }) {
            shapes.append(CallbackShape(callback.name, callback.fields.map { ($0.name, []) }))
        }
        return shapes
    }

    /// Compares the names of callback and fields; the values that they may take do not count.
    public static func == (left: CallbackShape, right: CallbackShape) -> Bool {
        left.name == right.name && left.fields.map(\.name) == right.fields.map(\.name)
    }

    /// Feeds the callback's name.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
    }
}

/// The dialects there are.
public enum Dialects {
    /// Every dialect; `--profile`, `use` and completion offer these.
    public static let all: [any Dialect] = [
        NIMDialect(), ZIMDialect(), AgoraChatDialect(), AgoraRTMDialect(), WilddogDialect(),
    ]

    /// The later versions of their SDKs.
    public static let versions: [any Dialect] = [
        NIMV2Dialect(), ZIM3Dialect(), AgoraChat5Dialect(), AgoraRTM2Dialect(),
    ]

    /// Every dialect, and the later versions.
    public static let withVersions: [any Dialect] = all + versions

    /// The dialect of a profile, nil for a name that is none.
    public static func named(_ profile: String) -> (any Dialect)? {
        all.first { $0.profile == profile } ?? ProfileVersion.all.first { $0.name == profile }?.dialect
    }
}

/// The ids of devices, as a list in one field.
func deviceList(_ devices: [Device]) -> String {
    devices.map(\.id).joined(separator: ",")
}
