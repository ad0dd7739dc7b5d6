/// The methods of the vendors' protocols that are optional in Objective-C. `OptionalNameTests` compare them with the
/// modules.
let vendorsOptionalNames = [
    "allMessagesDeleted", "allMessagesRead", "autoLoginDidCompleteWithError", "channel", "chatroom",
    "chatroomAnnouncementDidUpdate", "chatroomAttributesDidUpdated", "chatroomBeKicked", "cmdMessagesDidReceive",
    "connectionStateDidChange", "conversationListDidUpdate", "didAdd", "didDismiss", "didJoin", "didLeave", "didRemove",
    "didUpdate", "friendRequestDidApprove", "friendRequestDidDecline", "friendRequestDidReceive", "friendshipDidAdd",
    "friendshipDidRemove", "groupInvitationDidReceive", "groupListDidUpdate", "logDidOutput", "messageStatusDidChange",
    "messagesDeleted", "messagesDidDeliver", "messagesDidRead", "messagesDidReceive",
    "multiDevicesChatThreadEventDidReceive", "multiDevicesContactEventDidReceive", "multiDevicesConversationEvent",
    "multiDevicesGroupEventDidReceive", "multiDevicesMessageBeRemoved", "onAutoLoginFailed", "onBatchMarkMessagesRead",
    "onBlackListChanged", "onChatThreadCreate", "onChatThreadDestroy", "onChatThreadUpdate", "onConnectFailed",
    "onConnectStatus", "onConversationRead", "onDataReady", "onDataSync", "onDisconnected", "onFriendChanged", "onKick",
    "onKickedOffline", "onKickout", "onLogin", "onLoginClientChanged", "onLoginFailed", "onLoginStatus",
    "onMultiLoginClientsChanged", "onMuteListChanged", "onOfflineMessageSyncFinish", "onOfflineMessageSyncStart",
    "onReceive", "onRecvMessages", "onRecvRevokeMessageNotification", "onSuperTeamUsersSyncFinished",
    "onSystemNotificationCountChanged", "onTeamAdded", "onTeamMemberChanged", "onTeamRemoved", "onTeamUpdated",
    "onTeamUsersSyncFinished", "onUserInfoChanged", "presenceStatusDidChanged", "rtmCallKit", "rtmKit",
    "rtmKitTokenDidExpire", "rtmKitTokenPrivilegeWillExpire", "send", "shouldIgnoreNotification", "tokenDidExpire",
    "tokenWillExpire", "userAccountDidForced", "userAccountDidLoginFromOtherDevice", "userAccountDidRemoveFromServer",
    "userDidForbidByServer", "userDidJoin", "userDidLeave", "willSend", "zim",
]
