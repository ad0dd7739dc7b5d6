import IMClient
import IMProtocol
import IMServer

/// NetEase NIM V2 (V10): one login call, two statuses, and 417 where another device has taken the place.
public struct NIMV2Dialect: Dialect {
    private let before = NIMDialect()

    /// A dialect has no state.
    public init() {}

    /// `nim@v2`.
    public let profile = "nim@v2"
    /// The name that the vendor gives the product.
    public let title = "NetEase NIM V2"

    /// One login call instead of login and automatic login.
    public var clientPolicy: ClientPolicy {
        var policy = before.clientPolicy
        policy.profile = profile
        policy.features.subtract([.autologin, .forcedAutologin])
        return policy
    }

    /// As before.
    public var documentedSettings: [String: String] { before.documentedSettings }

    /// As before.
    public var measuredSettings: [String: String] { before.measuredSettings }

    /// `forceMode` counts as false in a reconnect: a device that finds its place taken is refused.
    public var serverPolicy: ServerPolicy {
        var policy = before.serverPolicy
        policy.profile = profile
        policy.takenPlace = .keepsCurrent
        policy.offlineFreesPlace = true
        return policy
    }

    /// Both statuses, failures, kicks, the sync, other devices and messages; nil for all else.
    public func callback(for effect: ClientEffect) -> Callback? {
        guard case .notify(let notification) = effect else { return nil }
        switch notification {
        case .loginStep(let step): return callback(for: step)
        case .autologinFailed(let status):
            return Callback("onLoginFailed", [("error", code(for: status, of: .login).description)])
        case .kicked(let notice):
            return Callback(
                "onKickedOffline",
                [
                    ("reason", reason(notice.reason).description),
                    ("clientType", before.clientType(notice.by?.platform ?? .unknown).description),
                ])
        case .devicesChanged(_, let devices):
            return Callback("onLoginClientChanged", [("clients", deviceList(devices))])
        case .messageReceived(let message):
            return Callback("onReceiveMessages", [("from", message.from), ("text", message.text)])
        default: return nil
        }
    }

    private func callback(for step: LoginStep) -> Callback? {
        switch step {
        case .linking: connect(2)
        case .linkOK: connect(1)
        case .linkFailed: Callback("onConnectFailed")
        case .authenticating: login(2)
        case .loginOK: login(1)
        case .loginFailed: login(0)
        case .syncing: Callback("onDataSync", [("state", "2")])
        case .syncOK: Callback("onDataSync", [("state", "3")])
        case .connectionLost: Callback("onDisconnected")
        case .networkChanged: nil
        }
    }

    private func login(_ number: Int) -> Callback {
        Callback("onLoginStatus", [("status", Self.loginStatuses[number].description)])
    }

    private func connect(_ number: Int) -> Callback {
        Callback("onConnectStatus", [("status", Self.connectStatuses[number].description)])
    }

    private static let loginStatuses = [Code(0, "LOGOUT"), Code(1, "LOGINED"), Code(2, "LOGINING")]
    private static let connectStatuses = [Code(0, "DISCONNECTED"), Code(1, "CONNECTED"), Code(2, "CONNECTING")]

    private func reason(_ reason: KickReason) -> Code {
        switch reason {
        case .otherLogin: Code(1, "CLIENT_EXCLUSIVE")
        case .server, .banned, .accountRemoved, .passwordChanged: Code(2, "SERVER")
        case .otherDevice: Code(3, "CLIENT")
        }
    }

    /// As before; at the limit of devices it is 417.
    public func code(for status: Status, of call: CallKind) -> Code {
        before.code(for: status == .tooManyDevices ? .loggedInElsewhere : status, of: call)
    }

    /// Always nil, as before.
    public func name(of state: ClientState) -> String? { nil }

    /// The callbacks that ``callback(for:)`` can give.
    public var callbacks: [CallbackShape] {
        [
            CallbackShape("onLoginStatus", [("status", Self.loginStatuses.map(\.description))]),
            CallbackShape("onConnectStatus", [("status", Self.connectStatuses.map(\.description))]),
            CallbackShape("onConnectFailed", []), CallbackShape("onDisconnected", []),
            CallbackShape("onLoginFailed", [("error", [])]),
            CallbackShape(
                "onKickedOffline",
                [
                    ("reason", [.otherLogin, .server, .otherDevice].map { reason($0).description }),
                    ("clientType", Platform.allCases.map { before.clientType($0).description }),
                ]),
            CallbackShape("onDataSync", [("state", [])]), CallbackShape("onLoginClientChanged", [("clients", [])]),
            CallbackShape("onReceiveMessages", [("from", []), ("text", [])]),
        ]
    }
}
