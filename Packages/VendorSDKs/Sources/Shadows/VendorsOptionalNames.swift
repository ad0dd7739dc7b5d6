/// The methods of the vendors' protocols that Objective-C calls optional. `OptionalNameTests` compare them with the modules.
let vendorsOptionalNames = [
    "allMessagesDeleted", "allMessagesRead", "autoLoginDidCompleteWithError", "channel", "cmdMessagesDidReceive",
    "connectionStateDidChange", "conversationListDidUpdate", "didAdd", "didRemove", "didUpdate", "logDidOutput",
    "messageStatusDidChange", "messagesDeleted", "messagesDidDeliver", "messagesDidRead", "messagesDidReceive",
    "multiDevicesChatThreadEventDidReceive", "multiDevicesContactEventDidReceive", "multiDevicesConversationEvent",
    "multiDevicesGroupEventDidReceive", "multiDevicesMessageBeRemoved", "onAutoLoginFailed", "onConnectFailed",
    "onConnectStatus", "onConversationRead", "onDataReady", "onDataSync", "onDisconnected", "onKick",
    "onKickedOffline", "onKickout", "onLogin", "onLoginClientChanged", "onLoginFailed", "onLoginStatus",
    "onMultiLoginClientsChanged", "onOfflineMessageSyncFinish", "onOfflineMessageSyncStart", "onRecvMessages",
    "onSuperTeamUsersSyncFinished", "onTeamUsersSyncFinished", "rtmKit", "rtmKitTokenDidExpire",
    "rtmKitTokenPrivilegeWillExpire", "send", "tokenDidExpire", "tokenWillExpire", "userAccountDidForced",
    "userAccountDidLoginFromOtherDevice", "userAccountDidRemoveFromServer", "userDidForbidByServer", "userDidJoin",
    "userDidLeave", "willSend", "zim",
]
