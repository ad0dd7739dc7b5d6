/// Is told what becomes of the login and of messages, on the main thread. All of it is optional.
public protocol AgoraRtmDelegate: AnyObject {
    /// The state has changed (RTM-1).
    func rtmKit(
        _ kit: AgoraRtmKit, connectionStateChanged state: AgoraRtmConnectionState,
        reason: AgoraRtmConnectionChangeReason)
    /// A user has sent a message; after a break, all that came meanwhile (RTM-8).
    func rtmKit(_ kit: AgoraRtmKit, messageReceived message: AgoraRtmMessage, fromPeer peerId: String)
    /// Users who are subscribed to have come or gone. One user at a time here.
    func rtmKit(_ kit: AgoraRtmKit, peersOnlineStatusChanged onlineStatus: [AgoraRtmPeerOnlineStatus])
    /// The token has ended while the connection is made anew; a new one is needed to get back (RTM-5).
    func rtmKitTokenDidExpire(_ kit: AgoraRtmKit)
    /// The token ends in 30 s. Not simulated: never called.
    func rtmKitTokenPrivilegeWillExpire(_ kit: AgoraRtmKit)
}

extension AgoraRtmDelegate {
    public func rtmKit(
        _ kit: AgoraRtmKit, connectionStateChanged state: AgoraRtmConnectionState,
        reason: AgoraRtmConnectionChangeReason
    ) {}
    public func rtmKit(_ kit: AgoraRtmKit, messageReceived message: AgoraRtmMessage, fromPeer peerId: String) {}
    public func rtmKit(_ kit: AgoraRtmKit, peersOnlineStatusChanged onlineStatus: [AgoraRtmPeerOnlineStatus]) {}
    public func rtmKitTokenDidExpire(_ kit: AgoraRtmKit) {}
    public func rtmKitTokenPrivilegeWillExpire(_ kit: AgoraRtmKit) {}
}

/// Is told what happens in a channel that the user is in, on the main thread. All of it is optional.
public protocol AgoraRtmChannelDelegate: AnyObject {
    /// Another user has joined; not one who came back within 30 s (RTM-4).
    func channel(_ channel: AgoraRtmChannel, memberJoined member: AgoraRtmMember)
    /// Another user has left, or was away for 30 s (RTM-4).
    func channel(_ channel: AgoraRtmChannel, memberLeft member: AgoraRtmMember)
    /// A member has sent a message; after a break, what was sent in the last 30 s (RTM-8).
    func channel(_ channel: AgoraRtmChannel, messageReceived message: AgoraRtmMessage, from member: AgoraRtmMember)
    /// Attributes of the channel have changed. Not simulated: never called.
    func channel(_ channel: AgoraRtmChannel, attributeUpdate attributes: [AgoraRtmChannelAttribute])
    /// The number of members has changed; also told after joining. Counted from what this client has been told: members
    /// who came or went while its connection was broken are not in it.
    func channel(_ channel: AgoraRtmChannel, memberCount count: Int32)
}

extension AgoraRtmChannelDelegate {
    public func channel(_ channel: AgoraRtmChannel, memberJoined member: AgoraRtmMember) {}
    public func channel(_ channel: AgoraRtmChannel, memberLeft member: AgoraRtmMember) {}
    public func channel(
        _ channel: AgoraRtmChannel, messageReceived message: AgoraRtmMessage, from member: AgoraRtmMember
    ) {}
    public func channel(_ channel: AgoraRtmChannel, attributeUpdate attributes: [AgoraRtmChannelAttribute]) {}
    public func channel(_ channel: AgoraRtmChannel, memberCount count: Int32) {}
}
