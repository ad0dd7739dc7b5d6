// How calls end: one block for each family, with a plain code. All are called once, later, on the main thread.

/// How ``AgoraRtmKit/login(byToken:user:completion:)`` ended.
public typealias AgoraRtmLoginBlock = (AgoraRtmLoginErrorCode) -> Void
/// How ``AgoraRtmKit/logout(completion:)`` ended.
public typealias AgoraRtmLogoutBlock = (AgoraRtmLogoutErrorCode) -> Void
/// The token that was given, and how its renewal ended.
public typealias AgoraRtmRenewTokenBlock = (String?, AgoraRtmRenewTokenErrorCode) -> Void
/// How the sending of a message to a user ended.
public typealias AgoraRtmSendPeerMessageBlock = (AgoraRtmSendPeerMessageErrorCode) -> Void
/// How the sending of a message to a channel ended.
public typealias AgoraRtmSendChannelMessageBlock = (AgoraRtmSendChannelMessageErrorCode) -> Void

/// How joining ended.
public typealias AgoraRtmJoinChannelBlock = (AgoraRtmJoinChannelErrorCode) -> Void
/// How leaving ended.
public typealias AgoraRtmLeaveChannelBlock = (AgoraRtmLeaveChannelErrorCode) -> Void
/// The members; nil where it failed.
public typealias AgoraRtmGetMembersBlock = ([AgoraRtmMember]?, AgoraRtmGetMembersErrorCode) -> Void
/// One for each channel that was asked about; nil where it failed.
public typealias AgoraRtmChannelMemberCountBlock = (
    [AgoraRtmChannelMemberCount]?, AgoraRtmChannelMemberCountErrorCode
) -> Void

/// One for each user who was asked about; nil where it failed.
public typealias AgoraRtmQueryPeersOnlineBlock = (
    [AgoraRtmPeerOnlineStatus]?, AgoraRtmQueryPeersOnlineErrorCode
) -> Void
/// How subscribing to users, or no longer, ended.
public typealias AgoraRtmSubscriptionRequestBlock = (AgoraRtmPeerSubscriptionStatusErrorCode) -> Void
/// The users who are subscribed to; nil where it failed.
public typealias AgoraRtmQueryPeersBySubscriptionOptionBlock = (
    [String]?, AgoraRtmQueryPeersBySubscriptionOptionErrorCode
) -> Void

/// How a change of the user's own attributes ended.
public typealias AgoraRtmSetLocalUserAttributesBlock = (AgoraRtmProcessAttributeErrorCode) -> Void
public typealias AgoraRtmAddOrUpdateLocalUserAttributesBlock = AgoraRtmSetLocalUserAttributesBlock
public typealias AgoraRtmDeleteLocalUserAttributesBlock = AgoraRtmSetLocalUserAttributesBlock
public typealias AgoraRtmClearLocalUserAttributesBlock = AgoraRtmSetLocalUserAttributesBlock
/// The attributes, nil where it failed, and whose they are.
public typealias AgoraRtmGetUserAttributesBlock = (
    [AgoraRtmAttribute]?, String, AgoraRtmProcessAttributeErrorCode
) -> Void

/// How a change of a channel's attributes ended.
public typealias AgoraRtmSetChannelAttributesBlock = (AgoraRtmProcessAttributeErrorCode) -> Void
public typealias AgoraRtmAddOrUpdateChannelAttributesBlock = AgoraRtmSetChannelAttributesBlock
public typealias AgoraRtmDeleteChannelAttributesBlock = AgoraRtmSetChannelAttributesBlock
public typealias AgoraRtmClearChannelAttributesBlock = AgoraRtmSetChannelAttributesBlock
/// The attributes; nil where it failed.
public typealias AgoraRtmGetChannelAttributesBlock = (
    [AgoraRtmChannelAttribute]?, AgoraRtmProcessAttributeErrorCode
) -> Void
