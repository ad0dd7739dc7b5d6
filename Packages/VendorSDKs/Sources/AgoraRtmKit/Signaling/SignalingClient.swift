import Foundation
import IMClient
import IMProfiles
import IMProtocol
import SimulatedApp

/// The state that all instances of RTM 2 in a process share. The dialect decides which events occur, with which numbers.
///
/// Used on the job thread of virtual time alone, so it is Sendable.
final class SignalingClient: @unchecked Sendable {
    let dialect: any Dialect
    private weak var client: SDKClient?
    private let kits = DelegateList<AgoraRtmClientKit>()
    /// The subscribed channels, in the order of subscription.
    private var subscriptions: [(channel: String, features: AgoraRtmSubscribeChannelFeature)] = []

    private init(_ client: SDKClient) {
        self.client = client
        dialect = client.simulation.dialect
        if dialect.profile != AgoraRTM2Dialect().profile {
            client.violated("RTM-1", "AgoraRtmClientKit in a simulation of '\(dialect.profile)': use 'agora-rtm@2'")
        }
    }

    /// The client of the process in which the calling code runs.
    static func current() -> SignalingClient {
        SDKClient.current(for: "AgoraRtmClientKit").singleton { client in
            let made = SignalingClient(client)
            client.observe { [weak made] in made?.handleNotice($0) }
            return made
        }
    }

    func add(_ kit: AgoraRtmClientKit) {
        if kitCount > 0 {
            note("a second AgoraRtmClientKit in this process: all share one login, and all are notified")
        }
        kits.add(kit)
    }

    /// Removes an instance. The last one logs out.
    func remove(_ kit: AgoraRtmClientKit) {
        kits.remove(kit)
        guard kitCount == 0, client?.state != .loggedOut else { return }
        client?.perform(.logout(keepsPush: false))
    }

    private var kitCount: Int {
        var count = 0
        kits.notify { _ in count += 1 }
        return count
    }

    // MARK: Commands

    /// Gives the machine a command.
    func perform(_ command: ClientCommand, completion: @escaping (Completion) -> Void) {
        client?.perform(command, completion: completion)
    }

    /// Like `perform(_:completion:)`, with the vendor's response and error.
    func perform(
        _ command: ClientCommand, _ call: CallKind, _ operation: String, completion: @escaping AgoraRtmOperationBlock
    ) {
        perform(command) { [dialect] outcome in
            let error = AgoraRtmErrorInfo(outcome.status, of: call, operation, dialect)
            completion(error == nil ? AgoraRtmCommonResponse() : nil, error)
        }
    }

    func subscribe(
        to channel: String, _ features: AgoraRtmSubscribeChannelFeature, completion: @escaping AgoraRtmOperationBlock
    ) {
        perform(.join(channel: channel)) { [self] outcome in
            let error = AgoraRtmErrorInfo(outcome.status, of: .join, "subscribe", dialect)
            if error == nil { subscriptions.append((channel, features)) }
            completion(error == nil ? AgoraRtmCommonResponse() : nil, error)
            guard error == nil, features.contains(.presence) else { return }
            let event = AgoraRtmPresenceEvent()
            event.type = .snapshot
            event.channelName = channel
            event.snapshot = outcome.rows.values(of: "member").map(AgoraRtmUserState.init)
            event.timestamp = Self.now
            notify { $1.rtmKit($0, didReceivePresenceEvent: event) }
        }
    }

    func unsubscribe(from channel: String, completion: @escaping AgoraRtmOperationBlock) {
        perform(.leave(channel: channel), .leave, "unsubscribe") { [self] response, error in
            if error == nil { subscriptions.removeAll { $0.channel == channel } }
            completion(response, error)
        }
    }

    /// Runs a completion for which no machine is needed.
    func later(_ body: @escaping () -> Void) { client?.enqueue("a completion", body) }

    /// The name of a token. Without one, the user is admitted as by a server that requires none.
    func credential(_ token: String?, of user: String) -> String {
        guard let client else { return "" }
        return client.keep(token: token ?? client.simulation.token(for: user))
    }

    /// Writes a note into the session.
    func note(_ text: String) { client?.simulation.note(text) }

    /// Reports a login that the SDK does not need or refuses.
    func checkLogin() {
        switch client?.state {
        case .kicked: client?.violated("RTM-6", "a login in Failed without a logout before it")
        case .reconnecting: client?.violated("RTM-3", "a login in Disconnected: the SDK retries by itself")
        default: break
        }
    }

    // MARK: Events

    private func handleNotice(_ appNotice: SDKClient.AppNotice) {
        let effect: ClientEffect
        switch appNotice {
        case .notified(let notification): effect = .notify(notification)
        case .changed(let change): effect = .transition(change)
        }
        guard let callback = dialect.callback(for: effect) else { return }
        switch callback.name {
        case "didReceiveLinkStateEvent": handleLinkState(callback)
        case "didReceiveMessageEvent": handleMessage(callback)
        case "didReceivePresenceEvent": handlePresence(callback)
        case "tokenPrivilegeWillExpire": notify { $1.rtmKit($0, tokenPrivilegeWillExpire: "") }
        default: break
        }
        if case .transition(let change) = effect, [.loggedOut, .kicked, .tokenExpired].contains(change.to) {
            subscriptions = []
        }
    }

    private func handleLinkState(_ callback: Callback) {
        guard let state = callback.number("currentState").flatMap(AgoraRtmLinkState.init),
            let previous = callback.number("previousState").flatMap(AgoraRtmLinkState.init),
            let operation = callback.number("operation").flatMap(AgoraRtmLinkOperation.init),
            let reason = callback.number("reasonCode").flatMap(AgoraRtmLinkStateChangeReason.init)
        else { return }
        let event = AgoraRtmLinkStateEvent()
        event.currentState = state
        event.previousState = previous
        event.operation = operation
        event.reasonCode = reason
        event.reason = "\(reason)"
        event.affectedChannels = subscriptions.map(\.channel)
        event.isResumed = callback["isResumed"] == "true"
        event.timestamp = Self.now
        notify {
            $1.rtmKit($0, didReceiveLinkStateEvent: event)
            $1.rtmKit($0, channel: "", connectionChangedToState: state.connectionState, reason: reason.connectionReason)
        }
    }

    private func handleMessage(_ callback: Callback) {
        guard let type = callback.number("channelType").flatMap(AgoraRtmChannelType.init) else { return }
        let channel = callback["channelName"]
        guard type == .user || isSubscribed(channel, .message) else { return }
        let event = AgoraRtmMessageEvent()
        event.channelType = type
        event.channelName = channel
        event.message = AgoraRtmMessage(received: callback["message"], at: Date())
        event.publisher = callback["publisher"]
        event.timestamp = Self.now
        notify { $1.rtmKit($0, didReceiveMessageEvent: event) }
    }

    private func handlePresence(_ callback: Callback) {
        let channel = callback["channelName"]
        guard let type = callback.number("type").flatMap(AgoraRtmPresenceEventType.init),
            isSubscribed(channel, .presence)
        else { return }
        let event = AgoraRtmPresenceEvent()
        event.type = type
        event.channelName = channel
        event.publisher = callback["publisher"]
        event.timestamp = Self.now
        notify { $1.rtmKit($0, didReceivePresenceEvent: event) }
    }

    private func isSubscribed(_ channel: String, _ feature: AgoraRtmSubscribeChannelFeature) -> Bool {
        subscriptions.contains { $0.channel == channel && $0.features.contains(feature) }
    }

    private func notify(_ body: (AgoraRtmClientKit, any AgoraRtmClientDelegate) -> Void) {
        kits.notify { kit in kit.notify { body(kit, $0) } }
    }

    /// Milliseconds since 1970, by the device's clock.
    private static var now: UInt64 { UInt64(max(0, Date().timeIntervalSince1970 * 1000)) }
}

extension AgoraRtmUserState {
    convenience init(_ userId: String) {
        self.init()
        self.userId = userId
    }
}

extension AgoraRtmLinkState {
    fileprivate var connectionState: AgoraRtmClientConnectionState {
        switch self {
        case .idle: .disconnected
        case .connecting: .connecting
        case .connected: .connected
        case .disconnected, .suspended: .reconnecting
        case .failed: .failed
        }
    }
}

extension AgoraRtmLinkStateChangeReason {
    /// Assumed: the vendor's documents do not relate the reasons of the two callbacks.
    fileprivate var connectionReason: AgoraRtmClientConnectionChangeReason {
        switch self {
        case .loginSuccess: .changedLoginSuccess
        case .logout: .changedLogout
        case .reconnectSuccess: .changedRejoinSuccess
        case .invalidToken: .changedInvalidToken
        case .tokenExpired: .changedTokenExpired
        case .sameUidLogin: .changedSameUidLogin
        case .kickedOutByServer: .changedBannedByServer
        case .loginRejected, .loginNotAuthorized: .changedRejectedByServer
        case .loginTimeout, .reconnectTimeout: .changedChangedLost
        case .keepAliveTimeout: .changedKeepAliveTimeout
        case .networkChange, .connectionError: .changedInterrupted
        default: .changedConnecting
        }
    }
}
