import Foundation
import IMClient
import IMProfiles
import IMProtocol
import SimulatedApp

// All of it lives on the job thread of virtual time, so it is Sendable.

/// A test double of Agora's RTM SDK for iOS, as of 1.5.0. Not affiliated with the vendor: it connects only to the
/// simulated server of the test (`withSimulation("agora-rtm") { … }`).
///
/// An app's process is one client here. The vendor lets several instances log in at the same time; here all instances
/// of a process share one login, and the delegates of all of them are notified. The session has a note when a second
/// one is made. Releasing an instance logs nobody out.
public final class AgoraRtmKit: NSObject, @unchecked Sendable {
    /// Receives notifications. Weak.
    public weak var agoraRtmDelegate: (any AgoraRtmDelegate)?
    let client: RtmClient
    private let appId: String
    private var channelsByID: [String: AgoraRtmChannel] = [:]

    /// The instance of the process in which the calling code runs.
    ///
    /// - Parameter appId: any 32 characters; otherwise the result is nil.
    public init?(appId: String, delegate: (any AgoraRtmDelegate)?) {
        guard appId.count == 32 else { return nil }
        client = RtmClient.current()
        self.appId = appId
        agoraRtmDelegate = delegate
        super.init()
        client.add(self)
    }

    /// The version that this double simulates.
    public static func getSDKVersion() -> String { "1.5.0" }

    // MARK: Login

    /// Logs in. One attempt, for 6 s (RTM-2); at most 2 in a second (RTM-9). A login in Aborted or Reconnecting is
    /// refused, and the test gets a violation (RTM-6, RTM-3).
    ///
    /// - Parameters:
    ///   - token: nil for an app in development: the user is admitted without a token. The app id means the same, as
    ///   for
    ///     a project without a certificate.
    ///   - userId: 1 to 64 bytes.
    public func login(byToken token: String?, user userId: String, completion: AgoraRtmLoginBlock? = nil) {
        client.checkLogin()
        guard userId.isRtmName else { return client.later { completion?(.invalidArgument) } }
        let token = token == appId ? nil : token
        let command = ClientCommand.login(
            user: userId, credential: client.credential(token, of: userId), mode: .manual)
        client.perform(command) { [client] outcome in
            completion?(client.code(outcome.status, of: .login, otherwise: .unknown))
        }
    }

    /// Logs out, from every state but Disconnected (RTM-7). Channels, attributes and subscriptions end with the login.
    public func logout(completion: AgoraRtmLogoutBlock? = nil) {
        client.perform(.logout(keepsPush: false)) { [client] outcome in
            completion?(client.code(outcome.status, of: .logout, otherwise: .rejected))
        }
    }

    /// Gives the login a new token (RTM-5); at most 2 in a second (RTM-9).
    public func renewToken(_ token: String, completion: AgoraRtmRenewTokenBlock? = nil) {
        guard !token.isEmpty else { return client.later { completion?(token, .invalidArgument) } }
        client.perform(.renewToken(credential: client.credential(token, of: ""))) { [client] outcome in
            completion?(token, client.code(outcome.status, of: .renewToken, otherwise: .failure))
        }
    }

    // MARK: Messages

    /// Sends a message to a user; given up after 10 s (RTM-8), at most 180 in 3 s (RTM-9).
    public func send(
        _ message: AgoraRtmMessage, toPeer peerId: String, completion: AgoraRtmSendPeerMessageBlock? = nil
    ) {
        send(message, toPeer: peerId, sendMessageOptions: AgoraRtmSendMessageOptions(), completion: completion)
    }

    /// Like `send(_:toPeer:completion:)`, with options, which have no effect here: a message to an offline user is
    /// kept, and ends with `cachedByServer`.
    public func send(
        _ message: AgoraRtmMessage, toPeer peerId: String, sendMessageOptions options: AgoraRtmSendMessageOptions,
        completion: AgoraRtmSendPeerMessageBlock? = nil
    ) {
        guard peerId.isRtmName else { return client.later { completion?(.invalidUserId) } }
        guard message.type == .text else { return client.later { completion?(.invalidMessage) } }
        client.perform(.send(to: peerId, text: message.text)) { [client] outcome in
            completion?(client.code(outcome.status, of: .send, otherwise: .failure))
        }
    }

    // MARK: Channels

    /// Makes a channel that can be joined, logged in or not.
    ///
    /// - Returns: nil for an invalid id, and for an id whose channel this instance already has.
    public func createChannel(withId channelId: String, delegate: (any AgoraRtmChannelDelegate)?) -> AgoraRtmChannel? {
        guard channelId.isRtmName, channelsByID[channelId] == nil else { return nil }
        let channel = AgoraRtmChannel(channelId, of: self, delegate: delegate)
        channelsByID[channelId] = channel
        return channel
    }

    /// Destroys a channel, and leaves it if the user is in it. Must not be called from a callback: there it returns
    /// false, the channel stays, and the test gets a violation.
    ///
    /// - Returns: true if the channel existed and is destroyed.
    @discardableResult
    public func destroyChannel(withId channelId: String) -> Bool {
        guard !client.isInCallback else {
            client.violated("RTM-9", "destroyChannel(withId:) within a callback of the SDK")
            return false
        }
        guard let channel = channelsByID.removeValue(forKey: channelId) else { return false }
        channel.destroy()
        return true
    }

    func channel(named channelId: String) -> AgoraRtmChannel? { channelsByID[channelId] }

    /// Call invitations. Not simulated.
    public private(set) lazy var rtmCallKit: AgoraRtmCallKit? = AgoraRtmCallKit(self)

    // MARK: Settings without effect

    /// Takes settings in JSON; they have no effect.
    @discardableResult
    public func setParameters(_ parameters: String) -> Int32 { 0 }

    /// Nothing is logged.
    @discardableResult
    public func setLogFile(_ logFile: String) -> Int32 { 0 }

    /// Nothing is logged.
    ///
    /// - Parameter fileSize: in KB.
    @discardableResult
    public func setLogFileSize(_ fileSize: Int32) -> Int32 { 0 }

    /// Nothing is logged.
    @discardableResult
    public func setLogFilters(_ filter: AgoraRtmLogFilter) -> Int32 { 0 }
}
