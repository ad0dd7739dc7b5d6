// The completions of calls: one block for each family, with a plain code. All are called once, later, on the main
// thread.

/// The result of ``AgoraRtmKit/login(byToken:user:completion:)``.
public typealias AgoraRtmLoginBlock = (AgoraRtmLoginErrorCode) -> Void
/// The result of ``AgoraRtmKit/logout(completion:)``.
public typealias AgoraRtmLogoutBlock = (AgoraRtmLogoutErrorCode) -> Void
/// The token, and the result of its renewal.
public typealias AgoraRtmRenewTokenBlock = (String?, AgoraRtmRenewTokenErrorCode) -> Void
/// The result of sending a message to a user.
public typealias AgoraRtmSendPeerMessageBlock = (AgoraRtmSendPeerMessageErrorCode) -> Void
/// The result of sending a message to a channel.
public typealias AgoraRtmSendChannelMessageBlock = (AgoraRtmSendChannelMessageErrorCode) -> Void

/// The result of joining.
public typealias AgoraRtmJoinChannelBlock = (AgoraRtmJoinChannelErrorCode) -> Void
/// The result of leaving.
public typealias AgoraRtmLeaveChannelBlock = (AgoraRtmLeaveChannelErrorCode) -> Void
/// The members. Nil if the call failed.
public typealias AgoraRtmGetMembersBlock = ([AgoraRtmMember]?, AgoraRtmGetMembersErrorCode) -> Void
/// One count for each channel of the query. Nil if it failed.
public typealias AgoraRtmChannelMemberCountBlock = (
    [AgoraRtmChannelMemberCount]?, AgoraRtmChannelMemberCountErrorCode
) -> Void

/// One status for each user of the query. Nil if it failed.
public typealias AgoraRtmQueryPeersOnlineBlock = (
    [AgoraRtmPeerOnlineStatus]?, AgoraRtmQueryPeersOnlineErrorCode
) -> Void
/// The result of subscribing to users or unsubscribing.
public typealias AgoraRtmSubscriptionRequestBlock = (AgoraRtmPeerSubscriptionStatusErrorCode) -> Void
/// The subscribed users. Nil if the call failed.
public typealias AgoraRtmQueryPeersBySubscriptionOptionBlock = (
    [String]?, AgoraRtmQueryPeersBySubscriptionOptionErrorCode
) -> Void

/// The result of a change of the user's own attributes.
public typealias AgoraRtmSetLocalUserAttributesBlock = (AgoraRtmProcessAttributeErrorCode) -> Void
public typealias AgoraRtmAddOrUpdateLocalUserAttributesBlock = AgoraRtmSetLocalUserAttributesBlock
public typealias AgoraRtmDeleteLocalUserAttributesBlock = AgoraRtmSetLocalUserAttributesBlock
public typealias AgoraRtmClearLocalUserAttributesBlock = AgoraRtmSetLocalUserAttributesBlock
/// The attributes, nil if the call failed, and their user.
public typealias AgoraRtmGetUserAttributesBlock = (
    [AgoraRtmAttribute]?, String, AgoraRtmProcessAttributeErrorCode
) -> Void

/// The result of a change of a channel's attributes.
public typealias AgoraRtmSetChannelAttributesBlock = (AgoraRtmProcessAttributeErrorCode) -> Void
public typealias AgoraRtmAddOrUpdateChannelAttributesBlock = AgoraRtmSetChannelAttributesBlock
public typealias AgoraRtmDeleteChannelAttributesBlock = AgoraRtmSetChannelAttributesBlock
public typealias AgoraRtmClearChannelAttributesBlock = AgoraRtmSetChannelAttributesBlock
/// The attributes. Nil if the call failed.
public typealias AgoraRtmGetChannelAttributesBlock = (
    [AgoraRtmChannelAttribute]?, AgoraRtmProcessAttributeErrorCode
) -> Void
