import Foundation
import IMClient
import SimulatedApp

/// The V2 interface over the login manager of V1: it converts V1 callbacks to callbacks of its listeners.
///
/// `@unchecked Sendable`: it lives on the job thread of virtual time.
final class V2LoginService: V2NIMLoginService, NIMLoginManagerDelegate, @unchecked Sendable {
    private let manager: LoginManager
    private unowned let client: SDKClient
    private let listeners = DelegateList<any V2NIMLoginListener>()
    private let detailListeners = DelegateList<any V2NIMLoginDetailListener>()
    private var status = V2NIMLoginStatus.LOGIN_STATUS_LOGOUT
    private var connection = V2NIMConnectStatus.CONNECT_STATUS_DISCONNECTED
    private var sync = V2NIMDataSyncState.DATA_SYNC_STATE_WAITING
    private var kicked: V2NIMKickedOfflineDetail?

    init(_ manager: LoginManager, _ client: SDKClient) {
        self.manager = manager
        self.client = client
        manager.relay = self
        client.observe { [weak self] appNotice in
            if case .changed(let change) = appNotice { self?.changed(to: change.to) }
        }
    }

    // MARK: Calls

    func login(
        _ accountId: String, token: String?, option: V2NIMLoginOption?, success: V2NIMSuccess?, failure: V2NIMFailure?
    ) {
        let isDynamic = option?.authType == .LOGIN_AUTH_TYPE_DYNAMIC_TOKEN
        let provided = isDynamic ? option?.tokenProvider?.getToken(accountId) : nil
        kicked = nil
        manager.login(accountId, token: provided ?? token ?? "", through: .v2) { [weak self] error in
            guard let error = V2NIMError(error) else { return success?() ?? () }
            self?.listeners.notify { $0.onLoginFailed(error) }
            failure?(error)
        }
    }

    func logout(_ success: V2NIMSuccess?, failure: V2NIMFailure?) {
        manager.logout(through: .v2) { error in
            if let error = V2NIMError(error) { failure?(error) } else { success?() }
        }
    }

    func kickOffline(_ client: V2NIMLoginClient, success: V2NIMSuccess?, failure: V2NIMFailure?) {
        manager.kickOtherClient(client.client, through: .v2) { error in
            if let error = V2NIMError(error) { failure?(error) } else { success?() }
        }
    }

    func getLoginUser() -> String? { status == .LOGIN_STATUS_LOGOUT ? nil : client.user }

    func getLoginStatus() -> V2NIMLoginStatus { V2NIMLoginStatus(client.state) }

    func getLoginClients() -> [V2NIMLoginClient]? { manager.currentLoginClients()?.map(V2NIMLoginClient.init) }

    func getKickedOfflineDetail() -> V2NIMKickedOfflineDetail? { kicked }

    func getConnectStatus() -> V2NIMConnectStatus { connection }

    func getDataSync() -> [V2NIMDataSync]? { [V2NIMDataSync(.DATA_SYNC_TYPE_MAIN, sync)] }

    func setReconnectDelayProvider(_ provider: (any V2NIMReconnectDelayProvider)?) {}

    func add(_ listener: any V2NIMLoginListener) { listeners.add(listener) }

    func remove(_ listener: any V2NIMLoginListener) { listeners.remove(listener) }

    func add(_ listener: any V2NIMLoginDetailListener) { detailListeners.add(listener) }

    func remove(_ listener: any V2NIMLoginDetailListener) { detailListeners.remove(listener) }

    // MARK: Callbacks

    private func changed(to state: ClientState) {
        let new = V2NIMLoginStatus(state)
        guard new != status else { return }
        status = new
        listeners.notify { $0.onLoginStatus(new) }
        if new == .LOGIN_STATUS_LOGOUT {
            sync = .DATA_SYNC_STATE_WAITING
            connected(.CONNECT_STATUS_DISCONNECTED)
        }
    }

    private func connected(_ new: V2NIMConnectStatus) {
        guard new != connection else { return }
        connection = new
        detailListeners.notify { $0.onConnectStatus(new) }
    }

    private func synced(_ new: V2NIMDataSyncState) {
        sync = new
        detailListeners.notify { $0.onDataSync(.DATA_SYNC_TYPE_MAIN, state: new, error: nil) }
    }

    func onLogin(_ step: NIMLoginStep) {
        switch step {
        case .linking: connected(.CONNECT_STATUS_CONNECTING)
        case .linkOK: connected(.CONNECT_STATUS_CONNECTED)
        case .linkFailed:
            let error = V2NIMError(code: V2NIMError.connectFailed, desc: "connect failed")
            detailListeners.notify { $0.onConnectFailed(error) }
            if status != .LOGIN_STATUS_LOGOUT { connected(.CONNECT_STATUS_WAITING) }
        case .loseConnection:
            let error = V2NIMError(code: V2NIMError.disconnected, desc: "disconnected")
            detailListeners.notify { $0.onDisconnected(error) }
            connected(.CONNECT_STATUS_WAITING)
        case .syncing: synced(.DATA_SYNC_STATE_SYNCING)
        case .syncOK: synced(.DATA_SYNC_STATE_COMPLETED)
        case .logining, .loginOK, .loginFailed, .netChanged, .logout: break
        }
    }

    func onKickout(_ result: NIMLoginKickoutResult) {
        guard let detail = V2NIMKickedOfflineDetail(result) else { return }
        kicked = detail
        listeners.notify { $0.onKickedOffline(detail) }
    }

    func onMultiLoginClientsChanged(with type: NIMMultiLoginType) {
        guard let change = V2NIMLoginClientChange(rawValue: type.rawValue) else { return }
        let clients = getLoginClients()
        listeners.notify { $0.onLoginClientChanged(change, clients: clients) }
    }
}

extension V2NIMLoginStatus {
    /// A login that reconnects is still a login.
    init(_ state: ClientState) {
        switch state {
        case .connecting: self = .LOGIN_STATUS_LOGINING
        case .syncing, .online, .reconnecting, .offline: self = .LOGIN_STATUS_LOGINED
        case .loggedOut, .kicked, .tokenExpired: self = .LOGIN_STATUS_LOGOUT
        }
    }
}

extension V2NIMError {
    static let misuse = 191_001
    static let cancelled = 191_002
    static let timeout = 191_005
    static let connectFailed = 192_001
    static let disconnected = 192_003

    /// A V1 error in the numbers of V2: the server's codes are 102000 higher there.
    convenience init?(_ error: (any Error)?) {
        guard let error = error as? NSError else { return nil }
        let desc = error.localizedDescription
        guard error.domain == NIMRemoteErrorDomain else {
            let isCancelled = error.code == NIMLocalErrorCode.manualCancelTask.rawValue
            self.init(code: isCancelled ? Self.cancelled : Self.misuse, desc: desc)
            return
        }
        switch NIMRemoteErrorCode(rawValue: error.code) {
        case .timeoutError: self.init(code: Self.timeout, desc: desc)
        case .connectionError: self.init(code: Self.connectFailed, desc: desc)
        default: self.init(code: 102_000 + error.code, desc: desc)
        }
    }
}
