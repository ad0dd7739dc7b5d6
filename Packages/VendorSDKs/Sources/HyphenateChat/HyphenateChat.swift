// Easemob's names of the same SDK: each is another name of a type in `AgoraChatCore`, so that what an app says of one is
// true of the other. An app that imports this module needs no other.
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
