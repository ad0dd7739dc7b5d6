import Foundation

// All of it lives on the job thread of virtual time, so it is Sendable.

/// Called if a call succeeded.
public typealias V2NIMSuccess = () -> Void
/// Called with the error if a call failed.
public typealias V2NIMFailure = (V2NIMError) -> Void

/// The error of a call.
public final class V2NIMError: NSObject, Sendable {
    public let code: Int
    public let desc: String
    /// Further details: none here.
    public let detail: [String: any Sendable] = [:]

    /// The error in the form of V1.
    public var nserror: NSError {
        NSError(domain: NIMLocalErrorDomain, code: code, userInfo: [NSLocalizedDescriptionKey: desc])
    }

    init(code: Int, desc: String) {
        self.code = code
        self.desc = desc
    }
}

/// Supplies a token for logins of the dynamic kind.
public protocol V2NIMTokenProvider: AnyObject {
    func getToken(_ accountId: String) -> String?
}

/// Supplies the extension of a login.
public protocol V2NIMLoginExtensionProvider: AnyObject {
    func getLoginExtension(_ accountId: String) -> String?
}

/// Supplies the delay before the next attempt to connect.
public protocol V2NIMReconnectDelayProvider: AnyObject {
    /// - Parameter delay: the SDK's own delay, in milliseconds.
    func getReconnectDelay(_ delay: Int) -> Int
}

/// The options of a login. Only the token provider has an effect here.
public final class V2NIMLoginOption: @unchecked Sendable {
    /// A manual login has one attempt here, whatever the value (NIM-2).
    public var retryCount = 3
    /// In milliseconds. Without effect: the machine's time limit applies.
    public var timeout = 60_000
    public var forceMode = false
    /// Without effect: a login needs the network (NIM-2).
    public var offlineMode = false
    public var authType = V2NIMLoginAuthType.LOGIN_AUTH_TYPE_DEFAULT
    /// Supplies the token if ``authType`` is the dynamic one.
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

/// The reason why others ended a login.
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

/// The state of a sync.
public final class V2NIMDataSync: Sendable {
    public let type: V2NIMDataSyncType
    public let state: V2NIMDataSyncState

    init(_ type: V2NIMDataSyncType, _ state: V2NIMDataSyncState) {
        self.type = type
        self.state = state
    }
}

/// Receives changes of the login. All methods are optional.
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

/// Receives changes of the connection and the sync. All methods are optional.
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

/// Logs in and out, in the form of 10.x. A process logs in through this or through ``NIMLoginManager``: the one that it
/// did not use first answers 191001.
public protocol V2NIMLoginService: AnyObject {
    /// A login by the user (NIM-2).
    func login(
        _ accountId: String, token: String?, option: V2NIMLoginOption?, success: V2NIMSuccess?, failure: V2NIMFailure?)
    /// Ends the login on this device, even if the server is not reached (NIM-10).
    func logout(_ success: V2NIMSuccess?, failure: V2NIMFailure?)
    /// The logged-in user. Nil if nobody is logged in.
    func getLoginUser() -> String?
    func getLoginStatus() -> V2NIMLoginStatus
    /// The user's other clients, without this one.
    func getLoginClients() -> [V2NIMLoginClient]?
    /// Ends the login of another client of the user.
    func kickOffline(_ client: V2NIMLoginClient, success: V2NIMSuccess?, failure: V2NIMFailure?)
    /// The reason why others ended the last login. Nil if nobody did.
    func getKickedOfflineDetail() -> V2NIMKickedOfflineDetail?
    func getConnectStatus() -> V2NIMConnectStatus
    /// The state of the sync of the main data; nothing else is synced here.
    func getDataSync() -> [V2NIMDataSync]?
    /// Without effect: the delay is the machine's (C-9).
    func setReconnectDelayProvider(_ provider: (any V2NIMReconnectDelayProvider)?)
    /// Adds a listener. Weak. Several are notified in the order in which they were added.
    func add(_ listener: any V2NIMLoginListener)
    func remove(_ listener: any V2NIMLoginListener)
    func add(_ listener: any V2NIMLoginDetailListener)
    func remove(_ listener: any V2NIMLoginDetailListener)
}
