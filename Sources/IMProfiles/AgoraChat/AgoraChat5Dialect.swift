import IMClient
import IMProtocol
import IMServer

/// Agora Chat (Easemob) 5: ``AgoraChatDialect`` without automatic login and passwords, and with silent logouts.
public struct AgoraChat5Dialect: Dialect {
    private let base = AgoraChatDialect()

    /// Makes the dialect, which has no state.
    public init() {}

    /// The profile's name in commands and recordings.
    public let profile = "agora-chat@5"
    /// The name that the vendor gives the product.
    public let title = "Agora Chat 5"

    /// The app logs in with a token at each start. The login call opens the local data, so that the app can show it
    /// before the server answers. The callback about a login's end comes before the login ends. Sources: the migration
    /// guide of EasyIM 5.0.0; the notes on connection events of the native SDK 5.0.0.
    public var clientPolicy: ClientPolicy {
        var policy = base.clientPolicy
        policy.profile = profile
        policy.features.subtract([.autologin, .passwords])
        policy.announcesAutologinEnd = false
        policy.announcesEndFirst = true
        policy.opensDataAtLogin = true
        return policy
    }

    /// The documented settings of version 4.
    public var documentedSettings: [String: String] { base.documentedSettings }

    /// The measured settings of version 4.
    public var measuredSettings: [String: String] { base.measuredSettings }

    /// The server policy of version 4.
    public var serverPolicy: ServerPolicy {
        var policy = base.serverPolicy
        policy.profile = profile
        return policy
    }

    /// If one of these codes ends a login, the SDK calls no callback for the code. The app only gets the change to
    /// Disconnected, as after a lost network.
    static let silentCodes = [104, 110, 204, 213]

    /// The callbacks of version 4, with these differences. If a token expires, the connection's state does not change.
    /// ``silentCodes`` have no callback. `onMessageReadReceipts` reports the receipts of messages; no callback reports
    /// those of conversations.
    public func callback(for effect: ClientEffect) -> Callback? {
        switch effect {
        case .transition(let change) where change.to == .tokenExpired: return nil
        case .notify(.autologinCompleted): return nil
        case .notify(.autologinFailed(let status))
        where Self.silentCodes.contains(code(for: status, of: .login).number):
            return nil
        case .notify(.autologinFailed(.deviceChanged)): return otherDeviceCallback(nil)
        case .notify(.kicked(let notice)) where notice.reason == .otherLogin: return otherDeviceCallback(notice.by)
        case .notify(.dataOpened(let user)): return Callback("onDatabaseOpened", [("username", user)])
        case .notify(.syncStarted): return Callback("syncDataStartWithType", Self.syncType)
        case .notify(.syncFinished): return Callback("syncDataFinished", Self.syncType)
        default:
            guard let callback = base.callback(for: effect) else { return nil }
            switch callback.name {
            case "messagesDidRead":
                return Callback("onMessageReadReceipts", callback.fields.map { ($0.name, $0.value) })
            case "onConversationRead": return nil
            default: return callback
            }
        }
    }

    /// The callback for a login on another device (206), or after a change of the device (220). The callback contains
    /// no code, and for 220 no device.
    private func otherDeviceCallback(_ device: Device?) -> Callback {
        Callback(
            "userAccountDidLoginFromOtherDeviceWithInfo",
            [("deviceName", device?.name ?? "nil"), ("loginExtensionInfo", device?.ext ?? "nil")])
    }

    /// By default `dataSyncType` is conversations: the SDK syncs contacts and groups only if the app requests that.
    private static let syncType = [("type", "EMDataSyncTypeConversations")]

    /// The codes of version 4, with these differences. A network failure is 300 if the server was not reached, or 303
    /// if the connection broke; in version 4 it is 2. A refused credential is 104, because this version has only
    /// tokens.
    public func code(for status: Status, of call: CallKind) -> Code {
        switch status {
        case .networkUnavailable: Self.notReachable
        case .connectionFailed:
            switch call {
            case .login, .autologin, .offlineLogin, .accountCall: Self.notReachable
            default: Code(303, "AgoraChatErrorServerUnknownError")
            }
        case .wrongCredential: Code(104, "AgoraChatErrorInvalidToken")
        default: base.code(for: status, of: call)
        }
    }

    private static let notReachable = Code(300, "AgoraChatErrorServerNotReachable")

    /// The state names of version 4.
    public func name(of state: ClientState) -> String? { base.name(of: state) }

    /// The callbacks of version 4 that version 5 has not removed, and the new ones of version 5.
    public var callbacks: [CallbackShape] {
        let removed = [
            "autoLoginDidCompleteWithError", "onOfflineMessageSyncStart", "onOfflineMessageSyncFinish",
            "messagesDidRead", "onConversationRead", "userAccountDidLoginFromOtherDeviceWithInfo",
        ]
        return base.callbacks.filter { !removed.contains($0.name) } + [
            CallbackShape("onDatabaseOpened", [("username", [])]),
            CallbackShape("syncDataStartWithType", [("type", [])]), CallbackShape("syncDataFinished", [("type", [])]),
            CallbackShape("onMessageReadReceipts", [("messageId", []), ("from", [])]),
            CallbackShape(
                "userAccountDidLoginFromOtherDeviceWithInfo", [("deviceName", []), ("loginExtensionInfo", [])]),
        ]
    }
}
