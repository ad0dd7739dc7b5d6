import Foundation

/// Receives notifications, on the main thread or on the app's queue. All methods are optional. Those of the vendor's
/// that are missing here are never called.
public protocol ZIMEventHandler: AnyObject {
    // MARK: The connection

    /// The state has changed (ZIM-4).
    ///
    /// - Parameter extendedData: empty here.
    func zim(
        _ zim: ZIM, connectionStateChanged state: ZIMConnectionState, event: ZIMConnectionEvent,
        extendedData: [AnyHashable: Any])
    /// An error outside of any call. Not simulated: never called.
    func zim(_ zim: ZIM, errorInfo: ZIMError)
    /// The token expires in this number of seconds (ZIM-6).
    func zim(_ zim: ZIM, tokenWillExpire second: UInt32)

    // MARK: Users

    /// The user's own data was changed on another device.
    func zim(_ zim: ZIM, userInfoUpdated info: ZIMUserFullInfo)
    /// Subscribed users went online or offline (ZIM-5). One user at a time here.
    func zim(_ zim: ZIM, userStatusUpdated userStatusList: [ZIMUserStatus])
    func zim(_ zim: ZIM, friendListChanged friendInfoList: [ZIMFriendInfo], action: ZIMFriendListChangeAction)
    func zim(_ zim: ZIM, friendInfoUpdated friendInfoList: [ZIMFriendInfo])
    func zim(
        _ zim: ZIM, friendApplicationListChanged friendApplicationInfoList: [ZIMFriendApplicationInfo],
        action: ZIMFriendApplicationListChangeAction)
    func zim(_ zim: ZIM, friendApplicationUpdated friendApplicationInfoList: [ZIMFriendApplicationInfo])
    func zim(_ zim: ZIM, blacklistChanged userList: [ZIMUserInfo], action: ZIMBlacklistChangeAction)

    // MARK: Conversations

    /// Conversations have new messages or other changes. Mostly one at a time.
    func zim(_ zim: ZIM, conversationChanged conversationChangeInfoList: [ZIMConversationChangeInfo])
    /// The number of unread messages, without muted conversations. First called at the login.
    func zim(_ zim: ZIM, conversationTotalUnreadMessageCountUpdated totalUnreadMessageCount: UInt32)
    /// The state of the sync after a connection. No other callback reports the downloaded changes.
    func zim(_ zim: ZIM, conversationSyncStateChanged state: ZIMConversationSyncState)

    // MARK: Messages

    /// A user has sent messages; also this user, on another device.
    func zim(
        _ zim: ZIM, peerMessageReceived messageList: [ZIMMessage], info: ZIMMessageReceivedInfo, fromUserID: String)
    /// Somebody has sent messages to a group.
    func zim(
        _ zim: ZIM, groupMessageReceived messageList: [ZIMMessage], info: ZIMMessageReceivedInfo, fromGroupID: String)
    /// `zim(_:groupMessageReceived:info:fromGroupID:)` in the form of versions before 2.18; both are called.
    func zim(_ zim: ZIM, receivePeerMessage messageList: [ZIMMessage], fromUserID: String)
    func zim(_ zim: ZIM, receiveGroupMessage messageList: [ZIMMessage], fromGroupID: String)
    /// A message of this device has been sent, or has failed. Called before the send callback.
    func zim(_ zim: ZIM, messageSentStatusChanged infos: [ZIMMessageSentStatusChangeInfo])
    /// The user's messages have been read. Covers only the latest 100 here.
    func zim(_ zim: ZIM, messageReceiptChanged infos: [ZIMMessageReceiptInfo])
    /// Messages were revoked by their sender. Covers only the latest 100 here.
    func zim(_ zim: ZIM, messageRevokeReceived messageList: [ZIMRevokeMessage])
    /// Reactions have changed. Covers only the latest 100 messages here.
    func zim(_ zim: ZIM, messageReactionsChanged reactions: [ZIMMessageReaction])
    /// The user has deleted messages on the server.
    func zim(_ zim: ZIM, messageDeleted deletedInfo: ZIMMessageDeletedInfo)

    // MARK: Groups and calls

    func zim(
        _ zim: ZIM, groupStateChanged state: ZIMGroupState, event: ZIMGroupEvent, operatedInfo: ZIMGroupOperatedInfo,
        groupInfo: ZIMGroupFullInfo)
    func zim(_ zim: ZIM, groupNameUpdated groupName: String, operatedInfo: ZIMGroupOperatedInfo, groupID: String)
    func zim(
        _ zim: ZIM, groupAvatarUrlUpdated groupAvatarUrl: String, operatedInfo: ZIMGroupOperatedInfo, groupID: String)
    func zim(_ zim: ZIM, groupNoticeUpdated groupNotice: String, operatedInfo: ZIMGroupOperatedInfo, groupID: String)
    func zim(
        _ zim: ZIM, groupAttributesUpdated infoList: [ZIMGroupAttributesUpdateInfo],
        operatedInfo: ZIMGroupOperatedInfo, groupID: String)
    func zim(
        _ zim: ZIM, groupMemberStateChanged state: ZIMGroupMemberState, event: ZIMGroupMemberEvent,
        userList: [ZIMGroupMemberInfo], operatedInfo: ZIMGroupOperatedInfo, groupID: String)
    func zim(
        _ zim: ZIM, groupApplicationListChanged applicationList: [ZIMGroupApplicationInfo],
        action: ZIMGroupApplicationListChangeAction)
    func zim(_ zim: ZIM, groupApplicationUpdated applicationList: [ZIMGroupApplicationInfo])
    func zim(_ zim: ZIM, callInvitationReceived info: ZIMCallInvitationReceivedInfo, callID: String)

    // MARK: Rooms

    /// The user has entered or left a room.
    ///
    /// - Parameter extendedData: empty here.
    func zim(
        _ zim: ZIM, roomStateChanged state: ZIMRoomState, event: ZIMRoomEvent, extendedData: [AnyHashable: Any],
        roomID: String)

    // MARK: Never called here

    func zim(_ zim: ZIM, roomMemberJoined memberList: [ZIMUserInfo], roomID: String)
    func zim(_ zim: ZIM, roomMemberLeft memberList: [ZIMUserInfo], roomID: String)
    func zim(
        _ zim: ZIM, roomMessageReceived messageList: [ZIMMessage], info: ZIMMessageReceivedInfo, fromRoomID: String)
    func zim(_ zim: ZIM, receiveRoomMessage messageList: [ZIMMessage], fromRoomID: String)
    func zim(_ zim: ZIM, roomAttributesUpdated updateInfo: ZIMRoomAttributesUpdateInfo, roomID: String)
    func zim(_ zim: ZIM, roomAttributesBatchUpdated updateInfo: [ZIMRoomAttributesUpdateInfo], roomID: String)
    func zim(
        _ zim: ZIM, roomMemberAttributesUpdated infos: [ZIMRoomMemberAttributesUpdateInfo],
        operatedInfo: ZIMRoomOperatedInfo, roomID: String)
    func zim(_ zim: ZIM, conversationMessageReceiptChanged infos: [ZIMMessageReceiptInfo])
    func zim(
        _ zim: ZIM, groupMemberInfoUpdated userInfo: [ZIMGroupMemberInfo], operatedInfo: ZIMGroupOperatedInfo,
        groupID: String)
    func zim(_ zim: ZIM, callInvitationCancelled info: ZIMCallInvitationCancelledInfo, callID: String)
    func zim(_ zim: ZIM, callInvitationAccepted info: ZIMCallInvitationAcceptedInfo, callID: String)
    func zim(_ zim: ZIM, callInvitationRejected info: ZIMCallInvitationRejectedInfo, callID: String)
    func zim(_ zim: ZIM, callInvitationTimeout info: ZIMCallInvitationTimeoutInfo, callID: String)
    func zim(_ zim: ZIM, callInvitationEnded info: ZIMCallInvitationEndedInfo, callID: String)
    func zim(_ zim: ZIM, callUserStateChanged info: ZIMCallUserStateChangeInfo, callID: String)
    func zim(_ zim: ZIM, callInviteesAnsweredTimeout invitees: [String], callID: String)
}

extension ZIMEventHandler {
    public func zim(
        _ zim: ZIM, connectionStateChanged state: ZIMConnectionState, event: ZIMConnectionEvent,
        extendedData: [AnyHashable: Any]
    ) {}
    public func zim(_ zim: ZIM, errorInfo: ZIMError) {}
    public func zim(_ zim: ZIM, tokenWillExpire second: UInt32) {}
    public func zim(_ zim: ZIM, userInfoUpdated info: ZIMUserFullInfo) {}
    public func zim(_ zim: ZIM, userStatusUpdated userStatusList: [ZIMUserStatus]) {}
    public func zim(
        _ zim: ZIM, friendListChanged friendInfoList: [ZIMFriendInfo], action: ZIMFriendListChangeAction
    ) {}
    public func zim(_ zim: ZIM, friendInfoUpdated friendInfoList: [ZIMFriendInfo]) {}
    public func zim(
        _ zim: ZIM, friendApplicationListChanged friendApplicationInfoList: [ZIMFriendApplicationInfo],
        action: ZIMFriendApplicationListChangeAction
    ) {}
    public func zim(_ zim: ZIM, friendApplicationUpdated friendApplicationInfoList: [ZIMFriendApplicationInfo]) {}
    public func zim(_ zim: ZIM, blacklistChanged userList: [ZIMUserInfo], action: ZIMBlacklistChangeAction) {}
    public func zim(_ zim: ZIM, conversationChanged conversationChangeInfoList: [ZIMConversationChangeInfo]) {}
    public func zim(_ zim: ZIM, conversationTotalUnreadMessageCountUpdated totalUnreadMessageCount: UInt32) {}
    public func zim(_ zim: ZIM, conversationSyncStateChanged state: ZIMConversationSyncState) {}
    public func zim(
        _ zim: ZIM, peerMessageReceived messageList: [ZIMMessage], info: ZIMMessageReceivedInfo, fromUserID: String
    ) {}
    public func zim(
        _ zim: ZIM, groupMessageReceived messageList: [ZIMMessage], info: ZIMMessageReceivedInfo, fromGroupID: String
    ) {}
    public func zim(_ zim: ZIM, receivePeerMessage messageList: [ZIMMessage], fromUserID: String) {}
    public func zim(_ zim: ZIM, receiveGroupMessage messageList: [ZIMMessage], fromGroupID: String) {}
    public func zim(_ zim: ZIM, messageSentStatusChanged infos: [ZIMMessageSentStatusChangeInfo]) {}
    public func zim(_ zim: ZIM, messageReceiptChanged infos: [ZIMMessageReceiptInfo]) {}
    public func zim(_ zim: ZIM, messageRevokeReceived messageList: [ZIMRevokeMessage]) {}
    public func zim(_ zim: ZIM, messageReactionsChanged reactions: [ZIMMessageReaction]) {}
    public func zim(_ zim: ZIM, messageDeleted deletedInfo: ZIMMessageDeletedInfo) {}
    public func zim(
        _ zim: ZIM, groupStateChanged state: ZIMGroupState, event: ZIMGroupEvent, operatedInfo: ZIMGroupOperatedInfo,
        groupInfo: ZIMGroupFullInfo
    ) {}
    public func zim(
        _ zim: ZIM, groupNameUpdated groupName: String, operatedInfo: ZIMGroupOperatedInfo, groupID: String
    ) {}
    public func zim(
        _ zim: ZIM, groupAvatarUrlUpdated groupAvatarUrl: String, operatedInfo: ZIMGroupOperatedInfo, groupID: String
    ) {}
    public func zim(
        _ zim: ZIM, groupNoticeUpdated groupNotice: String, operatedInfo: ZIMGroupOperatedInfo, groupID: String
    ) {}
    public func zim(
        _ zim: ZIM, groupAttributesUpdated infoList: [ZIMGroupAttributesUpdateInfo],
        operatedInfo: ZIMGroupOperatedInfo, groupID: String
    ) {}
    public func zim(
        _ zim: ZIM, groupMemberStateChanged state: ZIMGroupMemberState, event: ZIMGroupMemberEvent,
        userList: [ZIMGroupMemberInfo], operatedInfo: ZIMGroupOperatedInfo, groupID: String
    ) {}
    public func zim(
        _ zim: ZIM, groupApplicationListChanged applicationList: [ZIMGroupApplicationInfo],
        action: ZIMGroupApplicationListChangeAction
    ) {}
    public func zim(_ zim: ZIM, groupApplicationUpdated applicationList: [ZIMGroupApplicationInfo]) {}
    public func zim(_ zim: ZIM, callInvitationReceived info: ZIMCallInvitationReceivedInfo, callID: String) {}
    public func zim(
        _ zim: ZIM, roomStateChanged state: ZIMRoomState, event: ZIMRoomEvent, extendedData: [AnyHashable: Any],
        roomID: String
    ) {}
    public func zim(_ zim: ZIM, roomMemberJoined memberList: [ZIMUserInfo], roomID: String) {}
    public func zim(_ zim: ZIM, roomMemberLeft memberList: [ZIMUserInfo], roomID: String) {}
    public func zim(
        _ zim: ZIM, roomMessageReceived messageList: [ZIMMessage], info: ZIMMessageReceivedInfo, fromRoomID: String
    ) {}
    public func zim(_ zim: ZIM, receiveRoomMessage messageList: [ZIMMessage], fromRoomID: String) {}
    public func zim(_ zim: ZIM, roomAttributesUpdated updateInfo: ZIMRoomAttributesUpdateInfo, roomID: String) {}
    public func zim(_ zim: ZIM, roomAttributesBatchUpdated updateInfo: [ZIMRoomAttributesUpdateInfo], roomID: String) {}
    public func zim(
        _ zim: ZIM, roomMemberAttributesUpdated infos: [ZIMRoomMemberAttributesUpdateInfo],
        operatedInfo: ZIMRoomOperatedInfo, roomID: String
    ) {}
    public func zim(_ zim: ZIM, conversationMessageReceiptChanged infos: [ZIMMessageReceiptInfo]) {}
    public func zim(
        _ zim: ZIM, groupMemberInfoUpdated userInfo: [ZIMGroupMemberInfo], operatedInfo: ZIMGroupOperatedInfo,
        groupID: String
    ) {}
    public func zim(_ zim: ZIM, callInvitationCancelled info: ZIMCallInvitationCancelledInfo, callID: String) {}
    public func zim(_ zim: ZIM, callInvitationAccepted info: ZIMCallInvitationAcceptedInfo, callID: String) {}
    public func zim(_ zim: ZIM, callInvitationRejected info: ZIMCallInvitationRejectedInfo, callID: String) {}
    public func zim(_ zim: ZIM, callInvitationTimeout info: ZIMCallInvitationTimeoutInfo, callID: String) {}
    public func zim(_ zim: ZIM, callInvitationEnded info: ZIMCallInvitationEndedInfo, callID: String) {}
    public func zim(_ zim: ZIM, callUserStateChanged info: ZIMCallUserStateChangeInfo, callID: String) {}
    public func zim(_ zim: ZIM, callInviteesAnsweredTimeout invitees: [String], callID: String) {}
}
