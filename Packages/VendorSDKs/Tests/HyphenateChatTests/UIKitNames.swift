// As in a UI kit: one file imports the SDK that is there, and no other file imports an SDK.

#if canImport(HyphenateChat)
    import HyphenateChat

    public typealias ChatClient = EMClient
    public typealias ChatClientListener = EMClientDelegate
    public typealias ChatEventsListener = EMChatManagerDelegate
    public typealias MultiDeviceEventsListener = EMMultiDevicesDelegate
    public typealias MultiDeviceEvent = EMMultiDevicesEvent
    public typealias ChatroomEventsListener = EMChatroomManagerDelegate
    public typealias ContactRequestInterface = IEMContactManager
    public typealias ChatError = EMError
    public typealias ChatErrorCode = EMErrorCode
    public typealias ChatMessage = EMChatMessage
    public typealias ChatMessageBody = EMMessageBody
    public typealias ChatTextMessageBody = EMTextMessageBody
    public typealias ChatCustomMessageBody = EMCustomMessageBody
    public typealias ChatConversation = EMConversation
    public typealias ChatConversationType = EMConversationType
    public typealias ChatRoom = EMChatroom
    public typealias ConnectionState = EMConnectionState
    public typealias ChatSDKOptions = EMOptions
    public typealias LoginExtensionInfo = EMLoginExtensionInfo
#elseif canImport(AgoraChat)
    import AgoraChat

    public typealias ChatClient = AgoraChatClient
    public typealias ChatClientListener = AgoraChatClientDelegate
    public typealias ChatEventsListener = AgoraChatManagerDelegate
    public typealias MultiDeviceEventsListener = AgoraChatMultiDevicesDelegate
    public typealias MultiDeviceEvent = AgoraChatMultiDevicesEvent
    public typealias ChatroomEventsListener = AgoraChatroomManagerDelegate
    public typealias ContactRequestInterface = IAgoraChatContactManager
    public typealias ChatError = AgoraChatError
    public typealias ChatErrorCode = AgoraChatErrorCode
    public typealias ChatMessage = AgoraChatMessage
    public typealias ChatMessageBody = AgoraChatMessageBody
    public typealias ChatTextMessageBody = AgoraChatTextMessageBody
    public typealias ChatCustomMessageBody = AgoraChatCustomMessageBody
    public typealias ChatConversation = AgoraChatConversation
    public typealias ChatConversationType = AgoraChatConversationType
    public typealias ChatRoom = AgoraChatroom
    public typealias ConnectionState = AgoraChatConnectionState
    public typealias ChatSDKOptions = AgoraChatOptions
    public typealias LoginExtensionInfo = AgoraChatLoginExtensionInfo
#endif
