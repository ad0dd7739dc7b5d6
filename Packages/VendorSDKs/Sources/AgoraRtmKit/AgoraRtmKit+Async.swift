// The forms in which Swift imports the vendor's completion blocks: the same calls, which return the block's arguments.
// `get` is dropped from their names. `clearChannel` has no such form, because Swift does not recognize its last word.

extension AgoraRtmKit {
    @discardableResult
    public nonisolated(nonsending) func login(
        byToken token: String?, user userId: String
    ) async -> AgoraRtmLoginErrorCode {
        await awaitCompletion { login(byToken: token, user: userId, completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func logout() async -> AgoraRtmLogoutErrorCode {
        await awaitCompletion { logout(completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func renewToken(_ token: String) async -> (String?, AgoraRtmRenewTokenErrorCode) {
        await awaitCompletion { done in renewToken(token, completion: { done(($0, $1)) }) }
    }

    @discardableResult
    public nonisolated(nonsending) func send(
        _ message: AgoraRtmMessage, toPeer peerId: String
    ) async -> AgoraRtmSendPeerMessageErrorCode {
        await awaitCompletion { send(message, toPeer: peerId, completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func send(
        _ message: AgoraRtmMessage, toPeer peerId: String, sendMessageOptions options: AgoraRtmSendMessageOptions
    ) async -> AgoraRtmSendPeerMessageErrorCode {
        await awaitCompletion { send(message, toPeer: peerId, sendMessageOptions: options, completion: $0) }
    }

    // MARK: Presence

    @discardableResult
    public nonisolated(nonsending) func queryPeersOnlineStatus(
        _ peerIds: [String]
    ) async -> ([AgoraRtmPeerOnlineStatus]?, AgoraRtmQueryPeersOnlineErrorCode) {
        await awaitCompletion { done in queryPeersOnlineStatus(peerIds, completion: { done(($0, $1)) }) }
    }

    @discardableResult
    public nonisolated(nonsending) func subscribePeersOnlineStatus(
        _ peerIds: [String]
    ) async -> AgoraRtmPeerSubscriptionStatusErrorCode {
        await awaitCompletion { subscribePeersOnlineStatus(peerIds, completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func unsubscribePeersOnlineStatus(
        _ peerIds: [String]
    ) async -> AgoraRtmPeerSubscriptionStatusErrorCode {
        await awaitCompletion { unsubscribePeersOnlineStatus(peerIds, completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func queryPeers(
        bySubscriptionOption option: AgoraRtmPeerSubscriptionOptions
    ) async -> ([String]?, AgoraRtmQueryPeersBySubscriptionOptionErrorCode) {
        await awaitCompletion { done in queryPeers(bySubscriptionOption: option, completion: { done(($0, $1)) }) }
    }

    @discardableResult
    public nonisolated(nonsending) func channelMemberCount(
        _ channelIds: [String]
    ) async -> ([AgoraRtmChannelMemberCount]?, AgoraRtmChannelMemberCountErrorCode) {
        await awaitCompletion { done in getChannelMemberCount(channelIds, completion: { done(($0, $1)) }) }
    }

    // MARK: Attributes

    @discardableResult
    public nonisolated(nonsending) func setLocalUserAttributes(
        _ attributes: [AgoraRtmAttribute]?
    ) async -> AgoraRtmProcessAttributeErrorCode {
        await awaitCompletion { setLocalUserAttributes(attributes, completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func addOrUpdateLocalUserAttributes(
        _ attributes: [AgoraRtmAttribute]?
    ) async -> AgoraRtmProcessAttributeErrorCode {
        await awaitCompletion { addOrUpdateLocalUserAttributes(attributes, completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func deleteLocalUserAttributes(
        byKeys attributeKeys: [String]?
    ) async -> AgoraRtmProcessAttributeErrorCode {
        await awaitCompletion { deleteLocalUserAttributes(byKeys: attributeKeys, completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func clearLocalUserAttributes() async -> AgoraRtmProcessAttributeErrorCode {
        await awaitCompletion { clearLocalUserAttributes(completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func userAllAttributes(
        _ userId: String
    ) async -> ([AgoraRtmAttribute]?, String, AgoraRtmProcessAttributeErrorCode) {
        await awaitCompletion { done in getUserAllAttributes(userId, completion: { done(($0, $1, $2)) }) }
    }

    @discardableResult
    public nonisolated(nonsending) func userAttributes(
        _ userId: String, byKeys attributeKeys: [String]?
    ) async -> ([AgoraRtmAttribute]?, String, AgoraRtmProcessAttributeErrorCode) {
        await awaitCompletion { done in
            getUserAttributes(userId, byKeys: attributeKeys, completion: { done(($0, $1, $2)) })
        }
    }

    @discardableResult
    public nonisolated(nonsending) func setChannel(
        _ channelId: String, attributes: [AgoraRtmChannelAttribute]?, options: AgoraRtmChannelAttributeOptions
    ) async -> AgoraRtmProcessAttributeErrorCode {
        await awaitCompletion { setChannel(channelId, attributes: attributes, options: options, completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func addOrUpdateChannel(
        _ channelId: String, attributes: [AgoraRtmChannelAttribute]?, options: AgoraRtmChannelAttributeOptions
    ) async -> AgoraRtmProcessAttributeErrorCode {
        await awaitCompletion {
            addOrUpdateChannel(channelId, attributes: attributes, options: options, completion: $0)
        }
    }

    @discardableResult
    public nonisolated(nonsending) func deleteChannel(
        _ channelId: String, attributesByKeys attributeKeys: [String]?, options: AgoraRtmChannelAttributeOptions
    ) async -> AgoraRtmProcessAttributeErrorCode {
        await awaitCompletion {
            deleteChannel(channelId, attributesByKeys: attributeKeys, options: options, completion: $0)
        }
    }

    @discardableResult
    public nonisolated(nonsending) func channelAllAttributes(
        _ channelId: String
    ) async -> ([AgoraRtmChannelAttribute]?, AgoraRtmProcessAttributeErrorCode) {
        await awaitCompletion { done in getChannelAllAttributes(channelId, completion: { done(($0, $1)) }) }
    }

    @discardableResult
    public nonisolated(nonsending) func channelAttributes(
        _ channelId: String, byKeys attributeKeys: [String]?
    ) async -> ([AgoraRtmChannelAttribute]?, AgoraRtmProcessAttributeErrorCode) {
        await awaitCompletion { done in
            getChannelAttributes(channelId, byKeys: attributeKeys, completion: { done(($0, $1)) })
        }
    }
}

extension AgoraRtmChannel {
    @discardableResult
    public nonisolated(nonsending) func join() async -> AgoraRtmJoinChannelErrorCode {
        await awaitCompletion { join(completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func leave() async -> AgoraRtmLeaveChannelErrorCode {
        await awaitCompletion { leave(completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func send(
        _ message: AgoraRtmMessage
    ) async -> AgoraRtmSendChannelMessageErrorCode {
        await awaitCompletion { send(message, completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func send(
        _ message: AgoraRtmMessage, sendMessageOptions options: AgoraRtmSendMessageOptions
    ) async -> AgoraRtmSendChannelMessageErrorCode {
        await awaitCompletion { send(message, sendMessageOptions: options, completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func members() async -> ([AgoraRtmMember]?, AgoraRtmGetMembersErrorCode) {
        await awaitCompletion { done in getMembersWithCompletion { done(($0, $1)) } }
    }
}

private nonisolated(nonsending) func awaitCompletion<Value: Sendable>(
    _ call: (@escaping (Value) -> Void) -> Void
) async -> Value {
    // Not a checked continuation: one of a killed process never resumes, and would be reported as a misuse.
    await withUnsafeContinuation { continuation in
        call { continuation.resume(returning: $0) }
    }
}
