import Foundation
import IMClient
import IMProtocol

/// A device on which a user is logged in.
///
/// Used on the job thread of virtual time alone.
public final class AgoraChatDeviceConfig: NSObject, @unchecked Sendable {
    /// Its login id, made once for each installation (CHAT-4).
    public let resource: String?
    public let deviceUUID: String?
    /// The name that its app has set, or its model.
    public let deviceName: String?

    init(resource: String?, deviceUUID: String?, deviceName: String?) {
        self.resource = resource
        self.deviceUUID = deviceUUID
        self.deviceName = deviceName
    }
}

// Lists and kicks devices without a login, with a credential of their own (CHAT-6).

extension AgoraChatClient {
    public func getLoggedInDevicesFromServer(
        withUsername aUsername: String, password aPassword: String,
        completion aCompletionBlock: (([AgoraChatDeviceConfig]?, AgoraChatError?) -> Void)? = nil
    ) {
        list(aUsername, .password(aPassword)) { aCompletionBlock?($0, $1) }
    }

    public func getLoggedInDevicesFromServer(
        withUserId aUserID: String, token aToken: String,
        completion aCompletionBlock: (([AgoraChatDeviceConfig]?, AgoraChatError?) -> Void)? = nil
    ) {
        list(aUserID, .token(aToken)) { aCompletionBlock?($0, $1) }
    }

    /// Blocks until the answer has arrived.
    public func getLoggedInDevicesFromServer(
        withUsername aUsername: String, password aPassword: String,
        error pError: UnsafeMutablePointer<AgoraChatError?>?
    ) -> [AgoraChatDeviceConfig]? {
        let outcome = core.accountCall(aUsername, .password(aPassword), .listDevices).map { core.wait(for: $0) }
        pError?.pointee = core.error(outcome?.status ?? .wrongCredential, of: .accountCall)
        return outcome.flatMap { $0.status == .ok ? $0.devices : nil }
    }

    /// Ends the login of one device, which is notified with 217.
    ///
    /// - Parameter aResource: ``AgoraChatDeviceConfig/resource``.
    public func kickDevice(
        withUsername aUsername: String, password aPassword: String, resource aResource: String,
        completion aCompletionBlock: ((AgoraChatError?) -> Void)? = nil
    ) {
        kick(aUsername, .password(aPassword), .kick(device: aResource)) { aCompletionBlock?($0) }
    }

    public func kickDevice(
        withUserId aUserID: String, token aToken: String, resource aResource: String,
        completion aCompletionBlock: ((AgoraChatError?) -> Void)? = nil
    ) {
        kick(aUserID, .token(aToken), .kick(device: aResource)) { aCompletionBlock?($0) }
    }

    @discardableResult
    public func kickDevice(
        withUsername aUsername: String, password aPassword: String, resource aResource: String
    ) -> AgoraChatError? {
        kickStandingStill(aUsername, .password(aPassword), .kick(device: aResource))
    }

    /// Ends the user's logins on all devices.
    public func kickAllDevices(
        withUsername aUsername: String, password aPassword: String,
        completion aCompletionBlock: ((AgoraChatError?) -> Void)? = nil
    ) {
        kick(aUsername, .password(aPassword), .kickAll) { aCompletionBlock?($0) }
    }

    public func kickAllDevices(
        withUserId aUserID: String, token aToken: String,
        completion aCompletionBlock: ((AgoraChatError?) -> Void)? = nil
    ) {
        kick(aUserID, .token(aToken), .kickAll) { aCompletionBlock?($0) }
    }

    @discardableResult
    public func kickAllDevices(withUsername aUsername: String, password aPassword: String) -> AgoraChatError? {
        kickStandingStill(aUsername, .password(aPassword), .kickAll)
    }

    /// This device.
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    public func getDeviceConfig(_ pError: UnsafeMutablePointer<AgoraChatError?>?) -> AgoraChatDeviceConfig! {
        pError?.pointee = nil
        let device = core.device
        return AgoraChatDeviceConfig(
            resource: device?.id, deviceUUID: device?.id,
            deviceName: core.options?.customDeviceName ?? device?.platform.name)
    }

    // MARK: Implementation

    private func list(
        _ user: String, _ secret: ChatCore.Secret,
        completion: @escaping ([AgoraChatDeviceConfig]?, AgoraChatError?) -> Void
    ) {
        guard let command = core.accountCall(user, secret, .listDevices) else {
            return core.later { completion(nil, AgoraChatError(.invalidPassword)) }
        }
        core.performAdminCall(command) { [core] outcome in
            completion(
                outcome.status == .ok ? outcome.devices : nil, core.error(outcome.status, of: .accountCall))
        }
    }

    private func kick(
        _ user: String, _ secret: ChatCore.Secret, _ action: AccountCall.Action,
        completion: @escaping (AgoraChatError?) -> Void
    ) {
        guard let command = core.accountCall(user, secret, action) else {
            return core.later { completion(AgoraChatError(.invalidPassword)) }
        }
        core.performAdminCall(command) { [core] outcome in completion(core.error(outcome.status, of: .accountCall)) }
    }

    private func kickStandingStill(
        _ user: String, _ secret: ChatCore.Secret, _ action: AccountCall.Action
    ) -> AgoraChatError? {
        guard let command = core.accountCall(user, secret, action) else { return AgoraChatError(.invalidPassword) }
        return core.error(core.wait(for: command).status, of: .accountCall)
    }
}

extension ChatCore {
    /// An admin call. Nil for an invalid password.
    func accountCall(_ user: String, _ secret: Secret, _ action: AccountCall.Action) -> ClientCommand? {
        let credential: String?
        switch secret {
        case .password(let text): credential = keep(password: text)
        case .token(let text): credential = keep(token: text)
        }
        return credential.map { .accountCall(user: user.lowercased(), credential: $0, action) }
    }
}

extension Completion {
    fileprivate var devices: [AgoraChatDeviceConfig] {
        fields.map {
            AgoraChatDeviceConfig(resource: $0["resource"], deviceUUID: $0["uuid"], deviceName: $0["name"])
        }
    }
}
