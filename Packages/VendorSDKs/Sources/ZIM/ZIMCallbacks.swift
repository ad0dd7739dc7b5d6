// The completions of calls. Swift makes no `async` versions of them, because the vendor names the parameter `callback`.

import Foundation

public typealias ZIMLoggedInCallback = (_ errorInfo: ZIMError) -> Void
public typealias ZIMLogUploadedCallback = (_ errorInfo: ZIMError) -> Void
public typealias ZIMTokenRenewedCallback = (_ token: String, _ errorInfo: ZIMError) -> Void

// Users.
public typealias ZIMUserNameUpdatedCallback = (_ userName: String, _ errorInfo: ZIMError) -> Void
public typealias ZIMUserAvatarUrlUpdatedCallback = (_ userAvatarUrl: String, _ errorInfo: ZIMError) -> Void
public typealias ZIMUserExtendedDataUpdatedCallback = (_ extendedData: String, _ errorInfo: ZIMError) -> Void
public typealias ZIMUsersInfoQueriedCallback = (
    _ userList: [ZIMUserFullInfo], _ errorUserList: [ZIMErrorUserInfo], _ errorInfo: ZIMError
) -> Void
public typealias ZIMSelfUserInfoQueriedCallback = (_ selfUserInfo: ZIMSelfUserInfo, _ errorInfo: ZIMError) -> Void
public typealias ZIMUsersStatusSubscribedCallback = (
    _ errorUserList: [ZIMErrorUserInfo], _ errorInfo: ZIMError
) -> Void
public typealias ZIMUsersStatusUnsubscribedCallback = (
    _ errorUserList: [ZIMErrorUserInfo], _ errorInfo: ZIMError
) -> Void
public typealias ZIMBlacklistQueriedCallback = (
    _ blacklist: [ZIMUserInfo], _ nextFlag: UInt32, _ errorInfo: ZIMError
) -> Void
public typealias ZIMBlacklistCheckedCallback = (_ isUserInBlacklist: Bool, _ errorInfo: ZIMError) -> Void
public typealias ZIMBlacklistUsersAddedCallback = (
    _ errorUserList: [ZIMErrorUserInfo], _ errorInfo: ZIMError
) -> Void
public typealias ZIMBlacklistUsersRemovedCallback = (
    _ errorUserList: [ZIMErrorUserInfo], _ errorInfo: ZIMError
) -> Void

// Friends.
public typealias ZIMFriendsSearchedCallback = (
    _ friendInfos: [ZIMFriendInfo], _ nextFlag: UInt32, _ errorInfo: ZIMError
) -> Void
public typealias ZIMFriendsInfoQueriedCallback = (
    _ friendInfos: [ZIMFriendInfo], _ errorUserList: [ZIMErrorUserInfo], _ errorInfo: ZIMError
) -> Void
public typealias ZIMFriendListQueriedCallback = (
    _ friendList: [ZIMFriendInfo], _ nextFlag: UInt32, _ errorInfo: ZIMError
) -> Void
public typealias ZIMFriendApplicationListQueriedCallback = (
    _ applicationList: [ZIMFriendApplicationInfo], _ nextFlag: UInt32, _ errorInfo: ZIMError
) -> Void
public typealias ZIMFriendAddedCallback = (_ friendInfo: ZIMFriendInfo, _ errorInfo: ZIMError) -> Void
public typealias ZIMFriendsDeletedCallback = (_ errorUserList: [ZIMErrorUserInfo], _ errorInfo: ZIMError) -> Void
public typealias ZIMFriendApplicationSentCallback = (
    _ applicationInfo: ZIMFriendApplicationInfo, _ errorInfo: ZIMError
) -> Void
public typealias ZIMFriendApplicationAcceptedCallback = (
    _ friendInfo: ZIMFriendInfo, _ errorInfo: ZIMError
) -> Void
public typealias ZIMFriendApplicationRejectedCallback = (_ userInfo: ZIMUserInfo, _ errorInfo: ZIMError) -> Void

// Groups.
public typealias ZIMGroupListQueriedCallback = (_ groupList: [ZIMGroup], _ errorInfo: ZIMError) -> Void
public typealias ZIMGroupsSearchedCallback = (
    _ groupSearchInfoList: [ZIMGroupSearchInfo], _ nextFlag: UInt32, _ errorInfo: ZIMError
) -> Void
public typealias ZIMGroupInfoQueriedCallback = (_ groupInfo: ZIMGroupFullInfo, _ errorInfo: ZIMError) -> Void
public typealias ZIMGroupAttributesQueriedCallback = (
    _ groupID: String, _ groupAttributes: [String: String], _ errorInfo: ZIMError
) -> Void
public typealias ZIMGroupMemberListQueriedCallback = (
    _ groupID: String, _ userList: [ZIMGroupMemberInfo], _ nextFlag: UInt32, _ errorInfo: ZIMError
) -> Void
public typealias ZIMGroupMembersSearchedCallback = ZIMGroupMemberListQueriedCallback
public typealias ZIMGroupMemberInfoQueriedCallback = (
    _ groupID: String, _ userInfo: ZIMGroupMemberInfo, _ errorInfo: ZIMError
) -> Void
public typealias ZIMGroupMemberCountQueriedCallback = (
    _ groupID: String, _ count: UInt32, _ errorInfo: ZIMError
) -> Void
public typealias ZIMGroupMemberMutedListQueriedCallback = (
    _ groupID: String, _ nextFlag: UInt64, _ userList: [ZIMGroupMemberInfo], _ errorInfo: ZIMError
) -> Void
public typealias ZIMGroupApplicationListQueriedCallback = (
    _ applicationList: [ZIMGroupApplicationInfo], _ nextFlag: UInt64, _ errorInfo: ZIMError
) -> Void
public typealias ZIMGroupCreatedCallback = (
    _ groupInfo: ZIMGroupFullInfo, _ userList: [ZIMGroupMemberInfo], _ errorUserList: [ZIMErrorUserInfo],
    _ errorInfo: ZIMError
) -> Void
public typealias ZIMGroupLeftCallback = (_ groupID: String, _ errorInfo: ZIMError) -> Void
public typealias ZIMGroupJoinedCallback = (_ groupInfo: ZIMGroupFullInfo, _ errorInfo: ZIMError) -> Void
public typealias ZIMGroupUsersInvitedCallback = (
    _ groupID: String, _ userList: [ZIMGroupMemberInfo], _ errorUserList: [ZIMErrorUserInfo], _ errorInfo: ZIMError
) -> Void
public typealias ZIMGroupMemberKickedCallback = (
    _ groupID: String, _ kickedUserIDList: [String], _ errorUserList: [ZIMErrorUserInfo], _ errorInfo: ZIMError
) -> Void
public typealias ZIMGroupNameUpdatedCallback = (
    _ groupID: String, _ groupName: String, _ errorInfo: ZIMError
) -> Void
public typealias ZIMGroupNoticeUpdatedCallback = (
    _ groupID: String, _ groupNotice: String, _ errorInfo: ZIMError
) -> Void
public typealias ZIMGroupAttributesOperatedCallback = (
    _ groupID: String, _ errorKeys: [String], _ errorInfo: ZIMError
) -> Void
public typealias ZIMGroupDismissedCallback = (_ groupID: String, _ errorInfo: ZIMError) -> Void

// Messages.
public typealias ZIMMessageAttachedCallback = (_ message: ZIMMessage) -> Void
public typealias ZIMMessageSentCallback = (_ message: ZIMMessage, _ errorInfo: ZIMError) -> Void
public typealias ZIMMessageRevokedCallback = (_ message: ZIMMessage, _ errorInfo: ZIMError) -> Void
public typealias ZIMMessageQueriedCallback = (
    _ conversationID: String, _ conversationType: ZIMConversationType, _ messageList: [ZIMMessage],
    _ errorInfo: ZIMError
) -> Void
public typealias ZIMMessageLocalExtendedDataUpdatedCallback = (
    _ message: ZIMMessage, _ errorInfo: ZIMError
) -> Void
public typealias ZIMMessagesSearchedCallback = (
    _ conversationID: String, _ conversationType: ZIMConversationType, _ messageList: [ZIMMessage],
    _ nextMessage: ZIMMessage?, _ errorInfo: ZIMError
) -> Void
public typealias ZIMMessagesGlobalSearchedCallback = (
    _ messageList: [ZIMMessage], _ nextMessage: ZIMMessage?, _ errorInfo: ZIMError
) -> Void
public typealias ZIMMessageInsertedCallback = (_ message: ZIMMessage, _ errorInfo: ZIMError) -> Void
public typealias ZIMMessageDeletedCallback = (
    _ conversationID: String, _ conversationType: ZIMConversationType, _ errorInfo: ZIMError
) -> Void
public typealias ZIMConversationMessagesAllDeletedCallback = (_ errorInfo: ZIMError) -> Void
public typealias ZIMMessageReceiptsInfoQueriedCallback = (
    _ infos: [ZIMMessageReceiptInfo], _ errorMessageIDs: [String], _ errorInfo: ZIMError
) -> Void
public typealias ZIMMessageReceiptsReadSentCallback = (
    _ conversationID: String, _ conversationType: ZIMConversationType, _ errorMessageIDs: [NSNumber],
    _ errorInfo: ZIMError
) -> Void
public typealias ZIMMessageReactionAddedCallback = (_ reaction: ZIMMessageReaction, _ errorInfo: ZIMError) -> Void
public typealias ZIMMessageReactionDeletedCallback = (_ reaction: ZIMMessageReaction, _ errorInfo: ZIMError) -> Void
public typealias ZIMMessageReactionUserListQueriedCallback = (
    _ message: ZIMMessage, _ userList: [ZIMMessageReactionUserInfo], _ reactionType: String, _ nextFlag: Int64,
    _ totalCount: Int32, _ errorInfo: ZIMError
) -> Void
public typealias ZIMGroupMessageReceiptMemberListQueriedCallback = (
    _ groupID: String, _ userList: [ZIMGroupMemberInfo], _ nextFlag: UInt32, _ errorInfo: ZIMError
) -> Void
public typealias ZIMCombineMessageDetailQueriedCallback = (
    _ message: ZIMCombineMessage, _ errorInfo: ZIMError
) -> Void
public typealias ZIMMessageExportingProgress = (
    _ exportedMessageCount: UInt64, _ totalMessageCount: UInt64
) -> Void
public typealias ZIMMessageImportingProgress = (
    _ importedMessageCount: UInt64, _ totalMessageCount: UInt64
) -> Void
public typealias ZIMMessageExportedCallback = (_ errorInfo: ZIMError) -> Void
public typealias ZIMMessageImportedCallback = (_ errorInfo: ZIMError) -> Void

// Conversations, files, calls.
public typealias ZIMConversationQueriedCallback = (_ conversation: ZIMConversation, _ errorInfo: ZIMError) -> Void
public typealias ZIMConversationListQueriedCallback = (
    _ conversationList: [ZIMConversation], _ errorInfo: ZIMError
) -> Void
public typealias ZIMConversationPinnedListQueriedCallback = ZIMConversationListQueriedCallback
public typealias ZIMConversationsSearchedCallback = (
    _ conversationSearchInfoList: [ZIMConversationSearchInfo], _ nextFlag: UInt32, _ errorInfo: ZIMError
) -> Void
public typealias ZIMConversationUnreadMessageCountClearedCallback = (
    _ conversationID: String, _ conversationType: ZIMConversationType, _ errorInfo: ZIMError
) -> Void
public typealias ZIMConversationTotalUnreadMessageCountClearedCallback = (_ errorInfo: ZIMError) -> Void
public typealias ZIMConversationDeletedCallback = (
    _ conversationID: String, _ conversationType: ZIMConversationType, _ errorInfo: ZIMError
) -> Void
public typealias ZIMConversationsAllDeletedCallback = (_ errorInfo: ZIMError) -> Void
public typealias ZIMConversationDraftSetCallback = (
    _ conversationID: String, _ conversationType: ZIMConversationType, _ errorInfo: ZIMError
) -> Void
public typealias ZIMConversationNotificationStatusSetCallback = (
    _ conversationID: String, _ conversationType: ZIMConversationType, _ errorInfo: ZIMError
) -> Void
public typealias ZIMConversationPinnedStateUpdatedCallback = (
    _ conversationID: String, _ conversationType: ZIMConversationType, _ errorInfo: ZIMError
) -> Void
public typealias ZIMFileCacheClearedCallback = (_ errorInfo: ZIMError) -> Void
public typealias ZIMFileCacheQueriedCallback = (_ fileCacheInfo: ZIMFileCacheInfo, _ errorInfo: ZIMError) -> Void
public typealias ZIMCallInvitationListQueriedCallback = (
    _ callList: [ZIMCallInfo], _ nextFlag: Int64, _ errorInfo: ZIMError
) -> Void
