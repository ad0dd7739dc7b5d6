import Foundation

// All of it lives on the job thread of virtual time, so it is Sendable.

/// Called with the error of a call; nil for success.
public typealias NIMLoginHandler = ((any Error)?) -> Void

/// The server's time. If the query failed, the time of the last successful query.
public typealias NIMLoginGetServerTimeHandle = ((any Error)?, NIMServerTime) -> Void

/// The server's time.
public final class NIMServerTime: Sendable {
    /// In seconds since 1970; 0 if it was never received.
    public let timestamp: TimeInterval

    init(timestamp: TimeInterval) { self.timestamp = timestamp }
}

/// The parameters of an automatic login.
public final class NIMAutoLoginData: @unchecked Sendable {
    public var account = ""
    public var token = ""
    /// True to end the login of a client that excludes this one (NIM-4).
    public var forcedMode = false
    public var authType: Int32 = 0

    public init() {}
}

/// Another client of the user that is logged in.
public final class NIMLoginClient: NSObject, Sendable {
    public let type: NIMLoginClientType
    public let os: String?
    public let timestamp: TimeInterval
    public let customTag: String?
    let deviceID: String

    init(type: NIMLoginClientType, os: String?, timestamp: TimeInterval, deviceID: String) {
        self.type = type
        self.os = os
        self.timestamp = timestamp
        customTag = nil
        self.deviceID = deviceID
    }
}

/// The reason why others ended a login.
public final class NIMLoginKickoutResult: NSObject, Sendable {
    public let reasonCode: NIMKickReason
    public let clientType: NIMLoginClientType
    public let reasonDesc: String
    public let customClientType: Int = 0

    init(_ reason: NIMKickReason, _ type: NIMLoginClientType, _ text: String) {
        reasonCode = reason
        clientType = type
        reasonDesc = text
    }
}

/// Receives changes of the login. All methods are optional.
public protocol NIMLoginManagerDelegate: AnyObject {
    func onKick(_ code: NIMKickReason, clientType: NIMLoginClientType)
    func onKickout(_ result: NIMLoginKickoutResult)
    func onLogin(_ step: NIMLoginStep)
    func onAutoLoginFailed(_ error: any Error)
    func onMultiLoginClientsChanged()
    func onMultiLoginClientsChanged(with type: NIMMultiLoginType)
    func onTeamUsersSyncFinished(_ success: Bool)
    func onSuperTeamUsersSyncFinished(_ success: Bool)
    func onDataReady()
}

extension NIMLoginManagerDelegate {
    public func onKick(_ code: NIMKickReason, clientType: NIMLoginClientType) {}
    public func onKickout(_ result: NIMLoginKickoutResult) {}
    public func onLogin(_ step: NIMLoginStep) {}
    public func onAutoLoginFailed(_ error: any Error) {}
    public func onMultiLoginClientsChanged() {}
    public func onMultiLoginClientsChanged(with type: NIMMultiLoginType) {}
    public func onTeamUsersSyncFinished(_ success: Bool) {}
    public func onSuperTeamUsersSyncFinished(_ success: Bool) {}
    public func onDataReady() {}
}

/// Logs in and out.
public protocol NIMLoginManager: AnyObject {
    /// A login by the user (NIM-2). One attempt.
    func login(_ account: String, token: String, completion: @escaping NIMLoginHandler)
    /// Like `login(_:token:completion:)`, with the way of checking the token: a number of ``NIMSDKAuthType``. A third
    /// party's needs a `loginExt`.
    func login(
        _ account: String, token: String, authType: Int32, loginExt: String?, completion: @escaping NIMLoginHandler)
    /// An automatic login with stored data (NIM-3). Its result goes to the delegates.
    func autoLogin(_ loginData: NIMAutoLoginData)
    /// `autoLogin(_:)` in the form of older versions.
    func autoLogin(_ account: String, token: String)
    /// Ends the login on this device, even if the server is not reached (NIM-10).
    func logout(_ completion: NIMLoginHandler?)
    /// Ends the login of another client of the user.
    func kickOtherClient(_ client: NIMLoginClient, completion: NIMLoginHandler?)
    /// The user whose local data is open; empty for none.
    func currentAccount() -> String
    /// True if the user is logged in; a sync may still be in progress.
    func isLogined() -> Bool
    func currentAuthMode() -> NIMSDKAuthMode
    /// The user's other clients, without this one.
    func currentLoginClients() -> [NIMLoginClient]?
    /// Queries the server's time, while there is a connection.
    func queryServerTimeCompletion(_ completion: @escaping NIMLoginGetServerTimeHandle)
    /// Adds a delegate. Weak. Several are notified in the order in which they were added.
    func add(_ delegate: any NIMLoginManagerDelegate)
    func remove(_ delegate: any NIMLoginManagerDelegate)
}

extension NIMLoginManager {
    public nonisolated(nonsending) func login(_ account: String, token: String) async throws {
        try await awaitCompletion { login(account, token: token, completion: $0) }
    }

    /// A call without its completion: protocols have no default arguments.
    public func logout() { logout(nil) }

    /// Ends the login of another client. A call without its completion: protocols have no default arguments.
    public func kickOtherClient(_ client: NIMLoginClient) { kickOtherClient(client, completion: nil) }

    public nonisolated(nonsending) func logout() async throws { try await awaitCompletion { logout($0) } }

    public nonisolated(nonsending) func kickOtherClient(_ client: NIMLoginClient) async throws {
        try await awaitCompletion { kickOtherClient(client, completion: $0) }
    }

    /// Not a checked continuation: one of a killed process never resumes, and would be reported as a misuse.
    private nonisolated(nonsending) func awaitCompletion(_ call: (@escaping NIMLoginHandler) -> Void) async throws {
        try await withUnsafeThrowingContinuation { (continuation: UnsafeContinuation<Void, any Error>) in
            call { error in
                if let error { continuation.resume(throwing: error) } else { continuation.resume() }
            }
        }
    }
}
