// The other half of a UI kit: see `HyphenateChatTests`, where both SDKs can be imported and the first one is used.

#if canImport(AgoraChat)
    import AgoraChat

    typealias ChatClient = AgoraChatClient
    typealias ChatClientListener = AgoraChatClientDelegate
    typealias ChatEventsListener = AgoraChatManagerDelegate
    typealias MultiDeviceEventsListener = AgoraChatMultiDevicesDelegate
    typealias MultiDeviceEvent = AgoraChatMultiDevicesEvent
    typealias ChatroomEventsListener = AgoraChatroomManagerDelegate
    typealias ContactRequestInterface = IAgoraChatContactManager
    typealias ChatError = AgoraChatError
    typealias ChatErrorCode = AgoraChatErrorCode
    typealias ChatMessage = AgoraChatMessage
    typealias ChatMessageBody = AgoraChatMessageBody
    typealias ChatTextMessageBody = AgoraChatTextMessageBody
    typealias ChatCustomMessageBody = AgoraChatCustomMessageBody
    typealias ChatConversation = AgoraChatConversation
    typealias ChatConversationType = AgoraChatConversationType
    typealias ChatRoom = AgoraChatroom
    typealias ConnectionState = AgoraChatConnectionState
    typealias ChatSDKOptions = AgoraChatOptions
    typealias LoginExtensionInfo = AgoraChatLoginExtensionInfo
#endif
