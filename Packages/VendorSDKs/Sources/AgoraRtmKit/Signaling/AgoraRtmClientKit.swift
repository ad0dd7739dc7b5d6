import Foundation
import IMClient
import IMProfiles
import SimulatedApp

// All of it lives on the job thread of virtual time, so it is Sendable.

/// A test double of Agora's RTM SDK (Signaling) for iOS, as of 2.2. Not affiliated with the vendor: it connects only to the
/// simulated server of the test (`withSimulation("agora-rtm@2") { … }`).
///
/// An app's process is one client here: all instances of a process share one login, and the delegates of all of them
/// are notified. The session has a note when a second one is made. Releasing an instance logs nobody out.
public final class AgoraRtmClientKit: NSObject, @unchecked Sendable {
    /// The delegate that was given to the initializer. Weak.
    public weak var agoraRtmDelegate: (any AgoraRtmClientDelegate)?
    let client: SignalingClient
    private let config: AgoraRtmClientConfig
    private let delegates = DelegateList<any AgoraRtmClientDelegate>()
    private(set) var isDestroyed = false

    /// The instance of the process in which the calling code runs.
    ///
    /// - Throws: an ``AgoraRtmErrorInfo`` if the app id does not have 32 characters or the user id is invalid.
    public init(_ config: AgoraRtmClientConfig, delegate: (any AgoraRtmClientDelegate)?) throws {
        guard config.appId.count == 32 else { throw AgoraRtmErrorInfo(.invalidAppId, "init") }
        guard config.userId.isRtmName else { throw AgoraRtmErrorInfo(.invalidUserId, "init") }
        client = SignalingClient.current()
        self.config = config
        agoraRtmDelegate = delegate
        super.init()
        client.add(self)
    }

    /// The form of versions before 2.2. Nil for an invalid configuration.
    public convenience init?(config: AgoraRtmClientConfig, delegate: (any AgoraRtmClientDelegate)?) {
        try? self.init(config, delegate: delegate)
    }

    /// The version that this double simulates.
    public static func getVersion() -> String { "2.2.4" }

    /// The vendor's name of a code.
    public static func getErrorReason(_ errorCode: AgoraRtmErrorCode) -> String? {
        AgoraRtmErrorInfo(errorCode, "").reason
    }

    // MARK: Login

    /// Logs in as the user of the configuration. One attempt, for 6 s (RTM-2); at most 2 in a second (RTM-9).
    ///
    /// - Parameter token: nil or the app id for an app in development: the user is admitted without a token.
    public func login(_ token: String?, completion: AgoraRtmOperationBlock? = nil) {
        client.checkLogin()
        let token = token == config.appId ? nil : token
        let credential = client.credential(token, of: config.userId)
        perform(
            .login(user: config.userId, credential: credential, mode: .manual), .login, "login", completion)
    }

    /// The form of versions before 2.2.
    public func login(byToken token: String?, completion: AgoraRtmOperationBlock? = nil) {
        login(token, completion: completion)
    }

    /// Logs out. Subscriptions end with the login.
    public func logout(_ completionBlock: AgoraRtmOperationBlock? = nil) {
        perform(.logout(keepsPush: false), .logout, "logout", completionBlock)
    }

    /// Gives the login a new token; at most 2 in a second (RTM-9). An expired token has ended the login: it needs a new
    /// login, too (RTM-5).
    public func renewToken(_ token: String, completion: AgoraRtmOperationBlock? = nil) {
        guard !token.isEmpty else { return fail(.invalidToken, "renewToken", completion) }
        let credential = client.credential(token, of: config.userId)
        perform(.renewToken(credential: credential), .renewToken, "renewToken", completion)
    }

    /// Releases the instance: its calls fail, and its delegates receive nothing more. The last instance of a process logs
    /// out.
    @discardableResult
    public func destroy() -> AgoraRtmErrorCode {
        guard !isDestroyed else { return .instanceAlreadyReleased }
        isDestroyed = true
        client.remove(self)
        return .ok
    }

    // MARK: Channels

    /// Subscribes to a channel: at most 20 channels at a time, 50 calls in 3 s and 2 for one channel in 5 s (RTM-9). A
    /// subscription outlives a break (RTM-4).
    ///
    /// - Parameter subscribeOption: nil for messages alone.
    public func subscribe(
        channelName: String, option subscribeOption: AgoraRtmSubscribeOptions?,
        completion: AgoraRtmOperationBlock? = nil
    ) {
        guard channelName.isRtmName else { return fail(.invalidChannelName, "subscribe", completion) }
        guard !isDestroyed else { return fail(.instanceAlreadyReleased, "subscribe", completion) }
        client.subscribe(to: channelName, subscribeOption?.features ?? .message) { completion?($0, $1) }
    }

    /// Ends a subscription.
    public func unsubscribe(_ channelName: String, completion: AgoraRtmOperationBlock? = nil) {
        guard !isDestroyed else { return fail(.instanceAlreadyReleased, "unsubscribe", completion) }
        client.unsubscribe(from: channelName) { completion?($0, $1) }
    }

    /// Sends a text to a channel or to a user; given up after 10 s (RTM-8), at most 180 in 3 s (RTM-9). The simulated
    /// server takes messages of a channel from its subscribers only.
    ///
    /// - Parameter publishOption: nil for a channel.
    public func publish(
        channelName: String, message: String, option publishOption: AgoraRtmPublishOptions?,
        completion: AgoraRtmOperationBlock? = nil
    ) {
        guard channelName.isRtmName else { return fail(.invalidChannelName, "publish", completion) }
        let isToChannel: Bool
        switch publishOption?.channelType ?? .message {
        case .message: isToChannel = true
        case .user: isToChannel = false
        case .stream, .none:
            client.note("publish to a stream channel is not simulated, and ends with an error")
            return fail(.invalidChannelType, "publish", completion)
        }
        perform(
            .send(to: channelName, text: message, isToChannel: isToChannel), isToChannel ? .channelSend : .send,
            "publish",
            completion)
    }

    /// Like `publish(channelName:message:option:completion:)`, for bytes. They travel as a data URL, which a session
    /// shows.
    public func publish(
        channelName: String, data: Data, option publishOption: AgoraRtmPublishOptions?,
        completion: AgoraRtmOperationBlock? = nil
    ) {
        publish(
            channelName: channelName, message: DataURL.text(for: data), option: publishOption, completion: completion)
    }

    // MARK: Delegates

    /// Adds a further delegate. Weak.
    public func addDelegate(_ delegate: any AgoraRtmClientDelegate) { delegates.add(delegate) }

    public func removeDelegate(_ delegate: any AgoraRtmClientDelegate) {
        delegates.remove(delegate)
        if agoraRtmDelegate === delegate { agoraRtmDelegate = nil }
    }

    func notify(_ body: (any AgoraRtmClientDelegate) -> Void) {
        if let agoraRtmDelegate { body(agoraRtmDelegate) }
        delegates.notify { if $0 !== agoraRtmDelegate { body($0) } }
    }

    // MARK: Services

    /// The users of channels. Nil after ``destroy()``.
    public func getPresence() -> AgoraRtmPresence? { isDestroyed ? nil : AgoraRtmPresence(client) }

    /// Takes settings in JSON; they have no effect.
    @discardableResult
    public func setParameters(_ parameter: String) -> AgoraRtmErrorCode { .ok }

    // MARK: Execution

    private func perform(
        _ command: ClientCommand, _ call: CallKind, _ operation: String, _ completion: AgoraRtmOperationBlock?
    ) {
        guard !isDestroyed else { return fail(.instanceAlreadyReleased, operation, completion) }
        client.perform(command, call, operation) { completion?($0, $1) }
    }

    private func fail(_ code: AgoraRtmErrorCode, _ operation: String, _ completion: AgoraRtmOperationBlock?) {
        client.later { completion?(nil, AgoraRtmErrorInfo(code, operation)) }
    }
}
