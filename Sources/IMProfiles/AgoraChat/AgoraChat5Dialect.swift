import IMClient
import IMProtocol
import IMServer

/// Agora Chat (Easemob) 5: ``AgoraChatDialect`` without automatic login and passwords, and with silent logouts.
public struct AgoraChat5Dialect: Dialect {
    private let before = AgoraChatDialect()

    /// A dialect has no state.
    public init() {}

    /// `agora-chat@5`.
    public let profile = "agora-chat@5"
    /// The name that the vendor gives the product.
    public let title = "Agora Chat 5"

    /// The app logs in with a token at each start. Local data opens with the login call, so that an app can show it
    /// before the server has answered; events come before a logout is complete (EasyIM 5.0.0 migration guide; notes on
    /// the connection events of the native SDK 5.0.0).
    public var clientPolicy: ClientPolicy {
        var policy = before.clientPolicy
        policy.profile = profile
        policy.features.subtract([.autologin, .passwords])
        policy.announcesAutologinEnd = false
        policy.announcesEndFirst = true
        policy.opensDataAtLogin = true
        return policy
    }

    /// As in version 4.
    public var documentedSettings: [String: String] { before.documentedSettings }

    /// As in version 4.
    public var measuredSettings: [String: String] { before.measuredSettings }

    /// As in version 4.
    public var serverPolicy: ServerPolicy {
        var policy = before.serverPolicy
        policy.profile = profile
        return policy
    }

    /// The codes that end a login without a callback: to the app it looks like a lost network.
    static let silentCodes = [104, 110, 204, 213]

    /// As in version 4, but an expired token ends the login without a change of the connection's state, and
    /// ``silentCodes`` without any callback. Receipts for messages have one callback, those for conversations none.
    public func callback(for effect: ClientEffect) -> Callback? {
        switch effect {
        case .transition(let change) where change.to == .tokenExpired: return nil
        case .notify(.autologinCompleted): return nil
        case .notify(.autologinFailed(let status))
        where Self.silentCodes.contains(code(for: status, of: .login).number):
            return nil
        case .notify(.autologinFailed(.deviceChanged)): return otherDevice(nil)
        case .notify(.kicked(let notice)) where notice.reason == .otherLogin: return otherDevice(notice.by)
        case .notify(.dataOpened(let user)): return Callback("onDatabaseOpened", [("username", user)])
        case .notify(.syncStarted): return Callback("syncDataStartWithType", Self.syncType)
        case .notify(.syncFinished): return Callback("syncDataFinished", Self.syncType)
        case .notify(.dataChanged(.conversationRead, _)): return nil
        default:
            guard let callback = before.callback(for: effect) else { return nil }
            switch callback.name {
            case "messagesDidRead":
                return Callback("onMessageReadReceipts", callback.fields.map { ($0.name, $0.value) })
            case "onConversationRead": return nil
            default: return callback
            }
        }
    }

    /// The callback for 206 and for 220: it has no code, and its info is nil for 220.
    private func otherDevice(_ device: Device?) -> Callback {
        Callback(
            "userAccountDidLoginFromOtherDeviceWithInfo",
            [("deviceName", device?.name ?? "nil"), ("loginExtensionInfo", device?.ext ?? "nil")])
    }

    /// `dataSyncType` is conversations by default: contacts and groups are not synced unless the app asks for it.
    private static let syncType = [("type", "EMDataSyncTypeConversations")]

    /// As in version 4, but a weak network is 300 (not reached, refused) or 303 (the connection broke), no longer 2.
    /// This version has only tokens, so a refused credential is 104.
    public func code(for status: Status, of call: CallKind) -> Code {
        switch status {
        case .networkUnavailable: Self.notReachable
        case .connectionFailed:
            switch call {
            case .login, .autologin, .offlineLogin, .accountCall: Self.notReachable
            default: Code(303, "AgoraChatErrorServerUnknownError")
            }
        case .wrongCredential: Code(104, "AgoraChatErrorInvalidToken")
        default: before.code(for: status, of: call)
        }
    }

    private static let notReachable = Code(300, "AgoraChatErrorServerNotReachable")

    /// As in version 4.
    public func name(of state: ClientState) -> String? { before.name(of: state) }

    /// The callbacks of version 4, without the removed ones.
    public var callbacks: [CallbackShape] {
        let removed = [
            "autoLoginDidCompleteWithError", "onOfflineMessageSyncStart", "onOfflineMessageSyncFinish",
            "messagesDidRead", "onConversationRead", "userAccountDidLoginFromOtherDeviceWithInfo",
        ]
        return before.callbacks.filter { !removed.contains($0.name) } + [
            CallbackShape("onDatabaseOpened", [("username", [])]),
            CallbackShape("syncDataStartWithType", [("type", [])]), CallbackShape("syncDataFinished", [("type", [])]),
            CallbackShape("onMessageReadReceipts", [("messageId", []), ("from", [])]),
            CallbackShape(
                "userAccountDidLoginFromOtherDeviceWithInfo", [("deviceName", []), ("loginExtensionInfo", [])]),
        ]
    }
}
