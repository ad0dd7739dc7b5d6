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

    /// The app logs in with a token at each start.
    public var clientPolicy: ClientPolicy {
        var policy = before.clientPolicy
        policy.profile = profile
        policy.features.subtract([.autologin, .passwords])
        policy.announcesAutologinEnd = false
        return policy
    }

    /// As before.
    public var documentedSettings: [String: String] { before.documentedSettings }

    /// As before.
    public var measuredSettings: [String: String] { before.measuredSettings }

    /// As before.
    public var serverPolicy: ServerPolicy {
        var policy = before.serverPolicy
        policy.profile = profile
        return policy
    }

    /// The codes that end a login without a callback: the app sees what it sees of a lost network.
    static let silentCodes = [104, 110, 204, 213]

    /// As before, but an expired token ends the login without a change of the connection's state, and
    /// ``silentCodes`` without any callback.
    public func callback(for effect: ClientEffect) -> Callback? {
        switch effect {
        case .transition(let change) where change.to == .tokenExpired: return nil
        case .notify(.autologinCompleted): return nil
        case .notify(.autologinFailed(let status))
        where Self.silentCodes.contains(code(for: status, of: .login).number):
            return nil
        // Local data is ready; the login may still fail.
        case .data(let request):
            guard case .open(let user) = request.action else { return nil }
            return Callback("onDatabaseOpened", [("username", user)])
        case .notify(.syncStarted): return Callback("syncDataStartWithType")
        case .notify(.syncFinished): return Callback("syncDataFinished")
        default: return before.callback(for: effect)
        }
    }

    /// As before; a weak network is 300, no longer 2. Only tokens are left, so a refused credential is 104.
    public func code(for status: Status, of call: CallKind) -> Code {
        switch status {
        case .networkUnavailable, .connectionFailed: Code(300, "AgoraChatErrorServerNotReachable")
        case .wrongCredential: Code(104, "AgoraChatErrorInvalidToken")
        default: before.code(for: status, of: call)
        }
    }

    /// As before.
    public func name(of state: ClientState) -> String? { before.name(of: state) }

    /// Those before, without the removed ones.
    public var callbacks: [CallbackShape] {
        let removed = ["autoLoginDidCompleteWithError", "onOfflineMessageSyncStart", "onOfflineMessageSyncFinish"]
        return before.callbacks.filter { !removed.contains($0.name) } + [
            CallbackShape("onDatabaseOpened", [("username", [])]), CallbackShape("syncDataStartWithType", []),
            CallbackShape("syncDataFinished", []),
        ]
    }
}
