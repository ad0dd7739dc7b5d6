import AppStandIns

/// Receives message events. All methods are optional.
public protocol AgoraChatManagerDelegate: AnyObject {
    /// Messages have arrived: from others, and the user's own from other devices (CHAT-8).
    func messagesDidReceive(_ aMessages: [AgoraChatMessage])
    /// Messages have been read: the user's own by others, or others' by the user on another device.
    func messagesDidRead(_ aMessages: [AgoraChatMessage])
    /// The user has read a conversation on another device: `from` is the user, `to` the conversation.
    func onConversationRead(_ from: String, to: String)
    /// A message has been sent, or has failed.
    func messageStatusDidChange(_ aMessage: AgoraChatMessage, error aError: AgoraChatError?)
    /// Never called here.
    func conversationListDidUpdate(_ aConversationList: [AgoraChatConversation])
    /// Never called here.
    func cmdMessagesDidReceive(_ aCmdMessages: [AgoraChatMessage])
    /// Never called here.
    func messagesDidDeliver(_ aMessages: [AgoraChatMessage])
}

extension AgoraChatManagerDelegate {
    public func messagesDidReceive(_ aMessages: [AgoraChatMessage]) {}
    public func messagesDidRead(_ aMessages: [AgoraChatMessage]) {}
    public func onConversationRead(_ from: String, to: String) {}
    public func messageStatusDidChange(_ aMessage: AgoraChatMessage, error aError: AgoraChatError?) {}
    public func conversationListDidUpdate(_ aConversationList: [AgoraChatConversation]) {}
    public func cmdMessagesDidReceive(_ aCmdMessages: [AgoraChatMessage]) {}
    public func messagesDidDeliver(_ aMessages: [AgoraChatMessage]) {}
}

/// Messages and conversations.
public protocol IAgoraChatManager: AnyObject {
    /// Adds a delegate. Weak. It is called on the queue, or on the main one.
    func add(_ aDelegate: (any AgoraChatManagerDelegate)?, delegateQueue aQueue: SimulatedDispatchQueue?)
    func remove(_ aDelegate: any AgoraChatManagerDelegate)

    /// Sends a text to a user, one of the user's own devices (CHAT-7), a group, or a chat room that the user is in.
    ///
    /// - Parameters:
    ///   - aProgressBlock: never called.
    ///   - aCompletionBlock: gets the message, also if it failed.
    func send(
        _ aMessage: AgoraChatMessage, progress aProgressBlock: ((Int32) -> Void)?,
        completion aCompletionBlock: ((AgoraChatMessage?, AgoraChatError?) -> Void)?)
    /// Sends a failed message again, as a new one.
    func resend(
        _ aMessage: AgoraChatMessage, progress aProgressBlock: ((Int32) -> Void)?,
        completion aCompletionBlock: ((AgoraChatMessage?, AgoraChatError?) -> Void)?)
    /// Notifies the sender, and the user's other devices, that a message was read (CHAT-8).
    func sendMessageReadAck(
        _ aMessageId: String, toUser aUsername: String, completion aCompletionBlock: ((AgoraChatError?) -> Void)?)
    /// Notifies the user's other devices that a conversation was read (CHAT-8).
    func ackConversationRead(_ conversationId: String, completion aCompletionBlock: ((AgoraChatError?) -> Void)?)

    /// The conversations on this device. Nil while nobody is logged in.
    func getAllConversations() -> [AgoraChatConversation]?
    /// Like `getAllConversations()`, but pinned ones first, then the latest, whether sorted or not.
    func getAllConversations(_ isSort: Bool) -> [AgoraChatConversation]?
    func getConversationWithConvId(_ aConversationId: String?) -> AgoraChatConversation?
    func getConversation(
        _ aConversationId: String, type aType: AgoraChatConversationType, createIfNotExist aIfCreate: Bool
    ) -> AgoraChatConversation?
    func getMessageWithMessageId(_ aMessageId: String) -> AgoraChatMessage?

    /// Removes a conversation from this device's list.
    func deleteConversation(
        _ aConversationId: String, isDeleteMessages aIsDeleteMessages: Bool,
        completion aCompletionBlock: ((String?, AgoraChatError?) -> Void)?)
    /// Removes a conversation, with its messages, from the server, and so from all devices of the user (CHAT-9).
    func deleteServerConversation(
        _ aConversationId: String, conversationType aConversationType: AgoraChatConversationType,
        isDeleteServerMessages aIsDeleteServerMessages: Bool,
        completion aCompletionBlock: ((String?, AgoraChatError?) -> Void)?)
    func pinConversation(
        _ conversationId: String, isPinned: Bool, completionBlock: ((AgoraChatError?) -> Void)?)
    /// Removes messages from the server, for this user alone (CHAT-9).
    func removeMessagesFromServer(
        with conversation: AgoraChatConversation, messageIds: [String],
        completion aCompletionBlock: ((AgoraChatError?) -> Void)?)
}

// Swift imports trailing blocks that may be nil as optional arguments.
extension IAgoraChatManager {
    public func send(_ aMessage: AgoraChatMessage, progress aProgressBlock: ((Int32) -> Void)?) {
        send(aMessage, progress: aProgressBlock, completion: nil)
    }

    public func resend(_ aMessage: AgoraChatMessage, progress aProgressBlock: ((Int32) -> Void)?) {
        resend(aMessage, progress: aProgressBlock, completion: nil)
    }

    public func sendMessageReadAck(_ aMessageId: String, toUser aUsername: String) {
        sendMessageReadAck(aMessageId, toUser: aUsername, completion: nil)
    }

    public func ackConversationRead(_ conversationId: String) {
        ackConversationRead(conversationId, completion: nil)
    }

    public func deleteConversation(_ aConversationId: String, isDeleteMessages aIsDeleteMessages: Bool) {
        deleteConversation(aConversationId, isDeleteMessages: aIsDeleteMessages, completion: nil)
    }

    public func pinConversation(_ conversationId: String, isPinned: Bool) {
        pinConversation(conversationId, isPinned: isPinned, completionBlock: nil)
    }
}
