import Foundation

// All of it lives on the job thread of virtual time, which is why it is Sendable.

/// A call that succeeded.
public typealias V2NIMSuccess = () -> Void
/// A call that failed, and how.
public typealias V2NIMFailure = (V2NIMError) -> Void

/// What went wrong.
public final class V2NIMError: NSObject, Sendable {
    public let code: Int
    public let desc: String
    /// What else there is to say: nothing here.
    public let detail: [String: any Sendable] = [:]

    /// As V1 has it.
    public var nserror: NSError {
        NSError(domain: NIMLocalErrorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: desc])
    }

    init(code: Int, desc: String) {
        self.code = code
        self.desc = desc
    }
}

/// Is asked for a token where logins are of the dynamic kind.
public protocol V2NIMTokenProvider: AnyObject {
    func getToken(_ accountId: String) -> String?
}

/// Is asked for what goes with a login.
public protocol V2NIMLoginExtensionProvider: AnyObject {
    func getLoginExtension(_ accountId: String) -> String?
}

/// Is asked how long to wait before the next attempt to connect.
public protocol V2NIMReconnectDelayProvider: AnyObject {
    /// - Parameter delay: what the SDK would wait, in milliseconds.
    func getReconnectDelay(_ delay: Int) -> Int
}

/// How to log in. Only the token's provider makes a difference here.
public final class V2NIMLoginOption: @unchecked Sendable {
    /// A login by hand is tried once here, whatever this says (NIM-2).
    public var retryCount = 3
    /// In milliseconds; the time limit is the machine's here.
    public var timeout = 60_000
    public var forceMode = false
    public var authType = V2NIMLoginAuthType.LOGIN_AUTH_TYPE_DEFAULT
    /// Is asked for the token where ``authType`` is the dynamic one.
    public weak var tokenProvider: (any V2NIMTokenProvider)?
    public weak var loginExtensionProvider: (any V2NIMLoginExtensionProvider)?
    public var syncLevel = V2NIMDataSyncLevel.DATA_SYNC_LEVEL_FULL

    public init() {}
}

/// Another client of the user that is logged in.
public final class V2NIMLoginClient: NSObject, Sendable {
    public let type: V2NIMLoginClientType
    public let os: String?
    public let timestamp: TimeInterval
    public let customTag: String?
    public let customClientType = 0
    public let clientId: String
    let client: NIMLoginClient

    init(_ client: NIMLoginClient) {
        self.client = client
        type = V2NIMLoginClientType(rawValue: client.type.rawValue) ?? .LOGIN_CLIENT_TYPE_UNKNOWN
        os = client.os
        timestamp = client.timestamp
        customTag = client.customTag
        clientId = client.deviceID
    }
}

/// Why a login was ended by others.
public final class V2NIMKickedOfflineDetail: NSObject, Sendable {
    public let reason: V2NIMKickedOfflineReason
    public let reasonDesc: String
    public let clientType: V2NIMLoginClientType
    public let customClientType = 0

    init?(_ result: NIMLoginKickoutResult) {
        guard let reason = V2NIMKickedOfflineReason(rawValue: result.reasonCode.rawValue) else { return nil }
        self.reason = reason
        reasonDesc = result.reasonDesc
        clientType = V2NIMLoginClientType(rawValue: result.clientType.rawValue) ?? .LOGIN_CLIENT_TYPE_UNKNOWN
    }
}

/// How far a sync has come.
public final class V2NIMDataSync: Sendable {
    public let type: V2NIMDataSyncType
    public let state: V2NIMDataSyncState

    init(_ type: V2NIMDataSyncType, _ state: V2NIMDataSyncState) {
        self.type = type
        self.state = state
    }
}

/// Is told what becomes of the login. All of it is optional.
public protocol V2NIMLoginListener: AnyObject {
    func onLoginStatus(_ status: V2NIMLoginStatus)
    func onLoginFailed(_ error: V2NIMError)
    func onKickedOffline(_ detail: V2NIMKickedOfflineDetail)
    func onLoginClientChanged(_ change: V2NIMLoginClientChange, clients: [V2NIMLoginClient]?)
}

extension V2NIMLoginListener {
    public func onLoginStatus(_ status: V2NIMLoginStatus) {}
    public func onLoginFailed(_ error: V2NIMError) {}
    public func onKickedOffline(_ detail: V2NIMKickedOfflineDetail) {}
    public func onLoginClientChanged(_ change: V2NIMLoginClientChange, clients: [V2NIMLoginClient]?) {}
}

/// Is told of the connection and the sync. All of it is optional.
public protocol V2NIMLoginDetailListener: AnyObject {
    func onConnectStatus(_ status: V2NIMConnectStatus)
    func onDisconnected(_ error: V2NIMError?)
    func onConnectFailed(_ error: V2NIMError?)
    func onDataSync(_ type: V2NIMDataSyncType, state: V2NIMDataSyncState, error: V2NIMError?)
}

extension V2NIMLoginDetailListener {
    public func onConnectStatus(_ status: V2NIMConnectStatus) {}
    public func onDisconnected(_ error: V2NIMError?) {}
    public func onConnectFailed(_ error: V2NIMError?) {}
    public func onDataSync(_ type: V2NIMDataSyncType, state: V2NIMDataSyncState, error: V2NIMError?) {}
}

/// Logs in and out, in the form of 10.x. A process logs in through this or through ``NIMLoginManager``: the one that it did
/// not begin with answers 191001.
public protocol V2NIMLoginService: AnyObject {
    /// A login by the user (NIM-2).
    func login(
        _ accountId: String, token: String?, option: V2NIMLoginOption?, success: V2NIMSuccess?, failure: V2NIMFailure?)
    /// Ends the login here, also where the server is not reached (NIM-10).
    func logout(_ success: V2NIMSuccess?, failure: V2NIMFailure?)
    /// Whose login it is; nil for nobody's.
    func getLoginUser() -> String?
    func getLoginStatus() -> V2NIMLoginStatus
    /// The user's other clients, without this one.
    func getLoginClients() -> [V2NIMLoginClient]?
    /// Ends the login of another client of the user.
    func kickOffline(_ client: V2NIMLoginClient, success: V2NIMSuccess?, failure: V2NIMFailure?)
    /// How the last login was ended by others; nil where it was not.
    func getKickedOfflineDetail() -> V2NIMKickedOfflineDetail?
    func getConnectStatus() -> V2NIMConnectStatus
    /// How far the sync of the main data has come; nothing else is synced here.
    func getDataSync() -> [V2NIMDataSync]?
    /// Is not asked: the waiting is the machine's (C-9).
    func setReconnectDelayProvider(_ provider: (any V2NIMReconnectDelayProvider)?)
    /// A listener, which is not kept alive. Several are told in the order in which they came.
    func add(_ listener: any V2NIMLoginListener)
    func remove(_ listener: any V2NIMLoginListener)
    func add(_ listener: any V2NIMLoginDetailListener)
    func remove(_ listener: any V2NIMLoginDetailListener)
}
