// Easemob's names of the same SDK: each is an alias of a type in `AgoraChatCore`, so the types of both are the same. An
// app that imports this module needs no other.
@_exported import AgoraChatCore

public typealias EMClient = AgoraChatClient
public typealias EMOptions = AgoraChatOptions
public typealias EMError = AgoraChatError
public typealias EMErrorCode = AgoraChatErrorCode
public typealias EMLogLevel = AgoraChatLogLevel
public typealias EMConnectionState = AgoraChatConnectionState
public typealias EMLoginExtensionInfo = AgoraChatLoginExtensionInfo
public typealias EMDeviceConfig = AgoraChatDeviceConfig
public typealias EMMultiDevicesEvent = AgoraChatMultiDevicesEvent

public typealias EMClientDelegate = AgoraChatClientDelegate
public typealias EMMultiDevicesDelegate = AgoraChatMultiDevicesDelegate
public typealias EMLogDelegate = AgoraChatLogDelegate

public typealias IEMChatManager = IAgoraChatManager
public typealias EMChatManagerDelegate = AgoraChatManagerDelegate
public typealias EMChatMessage = AgoraChatMessage
public typealias EMMessageBody = AgoraChatMessageBody
public typealias EMTextMessageBody = AgoraChatTextMessageBody
public typealias EMCmdMessageBody = AgoraChatCmdMessageBody
public typealias EMCustomMessageBody = AgoraChatCustomMessageBody
public typealias EMMessageBodyType = AgoraChatMessageBodyType
public typealias EMMessageStatus = AgoraChatMessageStatus
public typealias EMMessageDirection = AgoraChatMessageDirection
public typealias EMMessageSearchDirection = AgoraChatMessageSearchDirection
public typealias EMChatType = AgoraChatType
public typealias EMConversation = AgoraChatConversation
public typealias EMConversationType = AgoraChatConversationType

public typealias IEMContactManager = IAgoraChatContactManager
public typealias IEMChatroomManager = IAgoraChatroomManager
public typealias EMChatroom = AgoraChatroom
public typealias EMChatroomManagerDelegate = AgoraChatroomManagerDelegate

public typealias EMDownloadStatus = AgoraChatDownloadStatus
public typealias EMFileMessageBody = AgoraChatFileMessageBody
public typealias EMImageMessageBody = AgoraChatImageMessageBody
public typealias EMVideoMessageBody = AgoraChatVideoMessageBody
public typealias EMVoiceMessageBody = AgoraChatVoiceMessageBody
public typealias EMLocationMessageBody = AgoraChatLocationMessageBody
public typealias EMCombineMessageBody = AgoraChatCombineMessageBody
public typealias EMMessageSearchScope = AgoraChatMessageSearchScope
public typealias EMCursorResult = AgoraChatCursorResult
public typealias EMRecallMessageInfo = AgoraChatRecallMessageInfo
public typealias EMMessageReaction = AgoraChatMessageReaction
public typealias EMMessageReactionOperate = AgoraChatMessageReactionOperate
public typealias EMMessageReactionOperation = AgoraChatMessageReactionOperation
public typealias EMMessageReactionChange = AgoraChatMessageReactionChange
public typealias EMMessagePinOperation = AgoraChatMessagePinOperation
public typealias EMMessagePinInfo = AgoraChatMessagePinInfo
public typealias EMContact = AgoraChatContact
public typealias EMUserInfoType = AgoraChatUserInfoType
public typealias EMUserInfo = AgoraChatUserInfo
public typealias EMSilentModeParam = AgoraChatSilentModeParam
public typealias EMSilentModeResult = AgoraChatSilentModeResult
public typealias EMChatroomBeKickedReason = AgoraChatroomBeKickedReason
public typealias EMGroupLeaveReason = AgoraChatGroupLeaveReason
public typealias EMGroupOptions = AgoraChatGroupOptions
public typealias EMGroup = AgoraChatGroup
public typealias EMChatThread = AgoraChatThread
public typealias EMChatThreadEvent = AgoraChatThreadEvent
public typealias EMGroupManagerDelegate = AgoraChatGroupManagerDelegate
public typealias EMContactManagerDelegate = AgoraChatContactManagerDelegate
public typealias EMThreadManagerDelegate = AgoraChatThreadManagerDelegate
public typealias IEMGroupManager = AgoraChatGroupManager
public typealias IEMUserInfoManager = AgoraChatUserInfoManager
public typealias IEMPushManager = AgoraChatPushManager
public typealias EMPresence = AgoraChatPresence
public typealias EMPresenceStatusDetail = AgoraChatPresenceStatusDetail
public typealias EMPresenceManagerDelegate = AgoraChatPresenceManagerDelegate
public typealias IEMPresenceManager = AgoraChatPresenceManager
