import Foundation
import IMClient
import IMProfiles
import IMProtocol
import SimulatedApp
import VirtualTime

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The login manager over the machine. The dialect decides which callbacks are made, with which numbers.
final class LoginManager: NIMLoginManager, @unchecked Sendable {
    private unowned let client: SDKClient
    private let delegates = DelegateList<any NIMLoginManagerDelegate>()
    private var others: [NIMLoginClient] = []
    private var serverTime = NIMServerTime(timestamp: 0)
    /// True if the app has registered the SDK.
    var isRegistered: () -> Bool = { false }
    /// Notified before the delegates.
    weak var relay: (any NIMLoginManagerDelegate)?
    /// The interface through which the app logged in first.
    private var interface: Interface?
    /// The number of the app's latest login or logout: callbacks of an earlier one are dropped.
    private var attempt = 0

    /// The vendor's two interfaces, of which an app uses one.
    enum Interface: String {
        case v1 = "V1"
        case v2 = "V2"
    }

    private var dialect: any Dialect { client.simulation.dialect }

    init(_ client: SDKClient) {
        self.client = client
        client.observe { [weak self] in self?.handleNotice($0) }
    }

    // MARK: Calls

    func login(_ account: String, token: String, completion: @escaping NIMLoginHandler) {
        login(account, token: token, through: .v1, completion)
    }

    func login(
        _ account: String, token: String, through interface: Interface, _ completion: @escaping NIMLoginHandler
    ) {
        guard mayUse(interface, completion) else { return }
        attempt += 1
        login(account, token: token, mode: .manual, call: .login, completion)
    }

    /// True if the app uses only one interface.
    private func mayUse(_ requested: Interface, _ completion: NIMLoginHandler?) -> Bool {
        let used = interface ?? requested
        interface = used
        guard used != requested else { return true }
        client.violated("NIM-2", "a call of \(requested.rawValue) where the app logged in through \(used.rawValue)")
        let error = NSError(domain: NIMLocalErrorDomain, code: V2NIMError.misuse)
        client.enqueue("a completion") { completion?(error) }
        return false
    }

    func login(
        _ account: String, token: String, authType: Int32, loginExt: String?, completion: @escaping NIMLoginHandler
    ) {
        if authType == NIMSDKAuthType.thirdParty.rawValue, loginExt?.isEmpty ?? true {
            let error = NSError(domain: NIMLocalErrorDomain, code: NIMLocalErrorCode.invalidParam.rawValue)
            return client.enqueue("a completion") { completion(error) }
        }
        login(account, token: token, completion: completion)
    }

    func autoLogin(_ data: NIMAutoLoginData) {
        let refused: NIMLoginHandler = { [weak self] error in
            // A refusal at once is reported in the same way as a later one.
            guard let self, let error, (error as NSError).domain == NIMLocalErrorDomain else { return }
            delegates.notify { $0.onAutoLoginFailed(error) }
        }
        guard mayUse(.v1, refused) else { return }
        // Not a device of NIM-3: nobody has ever logged in there, and nothing is stored.
        if client.user == nil, client.kept.lastUser == nil, client.kept.lastResult == nil, isRegistered() {
            return firstLogin(data, retries: 0)
        }
        login(
            data.account, token: data.token, mode: data.forcedMode ? .forced : .automatic, call: .autologin, refused)
    }

    /// An automatic login of an app that takes account and token from its own server, without a manual login before it.
    /// The vendor's SDK sends it. Here it is a manual login with the retries of an automatic one.
    private func firstLogin(_ data: NIMAutoLoginData, retries: Int) {
        attempt += 1
        let number = attempt
        login(data.account, token: data.token, mode: .manual, call: .autologin) { [weak self] error in
            guard let self, let error = error as NSError?, number == attempt else { return }
            let codes: [NIMRemoteErrorCode] = [.timeoutError, .connectionError]
            guard error.domain == NIMRemoteErrorDomain, codes.map(\.rawValue).contains(error.code) else {
                return delegates.notify { $0.onAutoLoginFailed(error) }
            }
            // NIM-5, NIM-6.
            let limit = client.singleton { _ in NIMSDKConfig() }.maxAutoLoginRetryTimes
            if limit > 0, retries >= limit {
                let code = NIMLocalErrorCode.autoLoginRetryLimit.rawValue
                let error = NSError(domain: NIMLocalErrorDomain, code: code)
                return delegates.notify { $0.onAutoLoginFailed(error) }
            }
            let seconds = UInt64(2) << UInt64(min(retries, 5))
            client.simulation.time.enqueue(
                in: client.process, after: seconds * 1_000_000_000, label: EntryLabel("a retry of the SDK")
            ) { [weak self] in
                if let self, number == attempt { firstLogin(data, retries: retries + 1) }
            }
        }
    }

    func autoLogin(_ account: String, token: String) {
        let data = NIMAutoLoginData()
        data.account = account
        data.token = token
        autoLogin(data)
    }

    private func login(
        _ account: String, token: String, mode: LoginMode, call: CallKind, _ completion: @escaping NIMLoginHandler
    ) {
        guard isRegistered() else {
            client.violated("NIM-2", "a login before NIMSDK.register(with:)")
            let error = NSError(domain: NIMLocalErrorDomain, code: NIMLocalErrorCode.appKeyNeed.rawValue)
            return client.enqueue("a completion") { completion(error) }
        }
        if let user = client.user, client.state != .loggedOut, client.state != .kicked {
            user == account
                ? client.violated("NIM-5", "a login while the SDK is \(client.state.name): it retries by itself")
                : client.violated("C-2", "a login as \(account) while \(user) is logged in: a logout comes first")
        }
        let retries = client.singleton { _ in NIMSDKConfig() }.maxAutoLoginRetryTimes
        if retries > 0 { client.perform(.setOption(.retryCountMax(retries))) }
        let dialect = dialect
        client.perform(.login(user: account, credential: client.keep(token: token), mode: mode)) { outcome in
            completion(nimError(outcome.status, of: call, dialect))
        }
    }

    func logout(_ completion: NIMLoginHandler?) { logout(through: .v1, completion) }

    func logout(through requested: Interface, _ completion: NIMLoginHandler?) {
        guard interface == nil || mayUse(requested, completion) else { return }
        attempt += 1
        let dialect = dialect
        client.perform(.logout(keepsPush: false)) { [weak self] outcome in
            self?.others = []
            // No notification of the machine: without this note the session would not contain it.
            self?.client.note("onLogin step=NIMLoginStepLogout(\(NIMLoginStep.logout.rawValue))")
            self?.notify { $0.onLogin(.logout) }
            completion?(nimError(outcome.status, of: .logout, dialect))
        }
    }

    func kickOtherClient(_ other: NIMLoginClient, completion: NIMLoginHandler?) {
        kickOtherClient(other, through: .v1, completion)
    }

    func kickOtherClient(_ other: NIMLoginClient, through requested: Interface, _ completion: NIMLoginHandler?) {
        guard interface == nil || mayUse(requested, completion) else { return }
        let dialect = dialect
        client.perform(.kick(.device(other.deviceID))) { outcome in
            completion?(nimError(outcome.status, of: .kick, dialect))
        }
    }

    func currentAccount() -> String { client.isDataOpen ? client.user ?? "" : "" }

    func isLogined() -> Bool { [.syncing, .online, .reconnecting].contains(client.state) }

    func currentAuthMode() -> NIMSDKAuthMode { isLogined() ? .IM : .undefined }

    func currentLoginClients() -> [NIMLoginClient]? { isLogined() ? others : nil }

    func queryServerTimeCompletion(_ completion: @escaping NIMLoginGetServerTimeHandle) {
        let isConnected = client.state == .online || client.state == .syncing
        let status: Status = isConnected ? .ok : client.user == nil ? .notLoggedIn : .connectionFailed
        client.note("queryServerTimeCompletion")
        if isConnected {
            let milliseconds = client.simulation.world.core.wallMilliseconds
            serverTime = NIMServerTime(timestamp: TimeInterval(milliseconds) / 1000)
        }
        let (error, time) = (nimError(status, of: .query, dialect), serverTime)
        client.enqueue("a completion") { completion(error, time) }
    }

    func add(_ delegate: any NIMLoginManagerDelegate) { delegates.add(delegate) }

    func remove(_ delegate: any NIMLoginManagerDelegate) { delegates.remove(delegate) }

    // MARK: Callbacks

    private func handleNotice(_ appNotice: SDKClient.AppNotice) {
        guard case .notified(let notification) = appNotice else { return }
        if case .devicesChanged(let change, let devices) = notification { note(change, devices) }
        guard let callback = dialect.callback(for: .notify(notification)) else { return }
        switch callback.name {
        case "onLogin":
            guard let step = callback.number("step").flatMap(NIMLoginStep.init) else { return }
            notify { $0.onLogin(step) }
        case "onAutoLoginFailed":
            guard case .autologinFailed(let status) = notification,
                let error = nimError(status, of: .autologin, dialect)
            else { return }
            notify { $0.onAutoLoginFailed(error) }
        case "onKick":
            guard let reason = callback.number("reason").flatMap(NIMKickReason.init),
                let type = callback.number("clientType").flatMap(NIMLoginClientType.init)
            else { return }
            others = []
            notify {
                $0.onKick(reason, clientType: type)
                $0.onKickout(NIMLoginKickoutResult(reason, type, callback.fields.first?.value ?? ""))
            }
        case "onMultiLoginClientsChanged":
            guard let type = callback.number("type").flatMap(NIMMultiLoginType.init) else { return }
            notify {
                $0.onMultiLoginClientsChanged()
                $0.onMultiLoginClientsChanged(with: type)
            }
        default: break
        }
    }

    private func notify(_ body: (any NIMLoginManagerDelegate) -> Void) {
        if let relay { body(relay) }
        delegates.notify(body)
    }

    private func note(_ change: DeviceChange, _ devices: [Device]) {
        let ids = devices.map(\.id)
        others.removeAll { change == .initial || ids.contains($0.deviceID) }
        guard change != .logout else { return }
        others += devices.map { device in
            let kick = KickNotice(reason: .otherLogin, epoch: 0, by: device)
            let type = dialect.callback(for: .notify(.kicked(kick)))?.number("clientType")
            return NIMLoginClient(
                type: type.flatMap(NIMLoginClientType.init) ?? .typeUnknown, os: device.platform.name,
                timestamp: Date().timeIntervalSince1970, deviceID: device.id)
        }
    }
}
