/// Receives changes of the login, and messages, on the main thread. All methods are optional.
public protocol AgoraRtmDelegate: AnyObject {
    /// The state has changed (RTM-1).
    func rtmKit(
        _ kit: AgoraRtmKit, connectionStateChanged state: AgoraRtmConnectionState,
        reason: AgoraRtmConnectionChangeReason)
    /// A user has sent a message; after a break, all messages from meanwhile (RTM-8).
    func rtmKit(_ kit: AgoraRtmKit, messageReceived message: AgoraRtmMessage, fromPeer peerId: String)
    /// Not simulated: never called.
    func rtmKit(_ kit: AgoraRtmKit, fileMessageReceived message: AgoraRtmFileMessage, fromPeer peerId: String)
    /// Not simulated: never called.
    func rtmKit(_ kit: AgoraRtmKit, imageMessageReceived message: AgoraRtmImageMessage, fromPeer peerId: String)
    /// Not simulated: never called.
    func rtmKit(_ kit: AgoraRtmKit, media requestId: Int64, uploadingProgress progress: AgoraRtmMediaOperationProgress)
    /// Not simulated: never called.
    func rtmKit(
        _ kit: AgoraRtmKit, media requestId: Int64, downloadingProgress progress: AgoraRtmMediaOperationProgress)
    /// Subscribed users went online or offline. One user at a time here.
    func rtmKit(_ kit: AgoraRtmKit, peersOnlineStatusChanged onlineStatus: [AgoraRtmPeerOnlineStatus])
    /// The token has expired while the SDK reconnects; it needs a new one (RTM-5).
    func rtmKitTokenDidExpire(_ kit: AgoraRtmKit)
    /// The token expires in 30 s. Not simulated: never called.
    func rtmKitTokenPrivilegeWillExpire(_ kit: AgoraRtmKit)
}

extension AgoraRtmDelegate {
    public func rtmKit(
        _ kit: AgoraRtmKit, connectionStateChanged state: AgoraRtmConnectionState,
        reason: AgoraRtmConnectionChangeReason
    ) {}
    public func rtmKit(_ kit: AgoraRtmKit, messageReceived message: AgoraRtmMessage, fromPeer peerId: String) {}
    public func rtmKit(_ kit: AgoraRtmKit, fileMessageReceived message: AgoraRtmFileMessage, fromPeer peerId: String) {}
    public func rtmKit(
        _ kit: AgoraRtmKit, imageMessageReceived message: AgoraRtmImageMessage, fromPeer peerId: String
    ) {}
    public func rtmKit(
        _ kit: AgoraRtmKit, media requestId: Int64, uploadingProgress progress: AgoraRtmMediaOperationProgress
    ) {}
    public func rtmKit(
        _ kit: AgoraRtmKit, media requestId: Int64, downloadingProgress progress: AgoraRtmMediaOperationProgress
    ) {}
    public func rtmKit(_ kit: AgoraRtmKit, peersOnlineStatusChanged onlineStatus: [AgoraRtmPeerOnlineStatus]) {}
    public func rtmKitTokenDidExpire(_ kit: AgoraRtmKit) {}
    public func rtmKitTokenPrivilegeWillExpire(_ kit: AgoraRtmKit) {}
}

/// Receives events of a channel that the user is in, on the main thread. All methods are optional.
public protocol AgoraRtmChannelDelegate: AnyObject {
    /// Another user has joined. Not called for one who came back within 30 s (RTM-4).
    func channel(_ channel: AgoraRtmChannel, memberJoined member: AgoraRtmMember)
    /// Another user has left, or was offline for 30 s (RTM-4).
    func channel(_ channel: AgoraRtmChannel, memberLeft member: AgoraRtmMember)
    /// A member has sent a message; after a break, the messages of the last 30 s (RTM-8).
    func channel(_ channel: AgoraRtmChannel, messageReceived message: AgoraRtmMessage, from member: AgoraRtmMember)
    /// Not simulated: never called.
    func channel(
        _ channel: AgoraRtmChannel, fileMessageReceived message: AgoraRtmFileMessage, from member: AgoraRtmMember)
    /// Not simulated: never called.
    func channel(
        _ channel: AgoraRtmChannel, imageMessageReceived message: AgoraRtmImageMessage, from member: AgoraRtmMember)
    /// Attributes of the channel have changed. Not simulated: never called.
    func channel(_ channel: AgoraRtmChannel, attributeUpdate attributes: [AgoraRtmChannelAttribute])
    /// The number of members has changed; also called after joining. Counted from this client's notifications: joins
    /// and leaves while its connection was broken are missing.
    func channel(_ channel: AgoraRtmChannel, memberCount count: Int32)
}

extension AgoraRtmChannelDelegate {
    public func channel(_ channel: AgoraRtmChannel, memberJoined member: AgoraRtmMember) {}
    public func channel(_ channel: AgoraRtmChannel, memberLeft member: AgoraRtmMember) {}
    public func channel(
        _ channel: AgoraRtmChannel, messageReceived message: AgoraRtmMessage, from member: AgoraRtmMember
    ) {}
    public func channel(
        _ channel: AgoraRtmChannel, fileMessageReceived message: AgoraRtmFileMessage, from member: AgoraRtmMember
    ) {}
    public func channel(
        _ channel: AgoraRtmChannel, imageMessageReceived message: AgoraRtmImageMessage, from member: AgoraRtmMember
    ) {}
    public func channel(_ channel: AgoraRtmChannel, attributeUpdate attributes: [AgoraRtmChannelAttribute]) {}
    public func channel(_ channel: AgoraRtmChannel, memberCount count: Int32) {}
}
