import AppStandIns
import IMClient
import IMLocalData
import IMProtocol

/// The chat manager over the machine.
///
/// Used on the job thread of virtual time alone.
final class ChatManager: IAgoraChatManager, @unchecked Sendable {
    private let core: ChatCore

    init(_ core: ChatCore) { self.core = core }

    func add(_ aDelegate: (any AgoraChatManagerDelegate)?, delegateQueue aQueue: SimulatedDispatchQueue?) {
        guard let aDelegate else { return }
        core.chatDelegates.add(aDelegate, queue: aQueue)
    }

    func remove(_ aDelegate: any AgoraChatManagerDelegate) { core.chatDelegates.remove(aDelegate) }

    // MARK: Messages

    func send(
        _ aMessage: AgoraChatMessage, progress aProgressBlock: ((Int32) -> Void)?,
        completion aCompletionBlock: ((AgoraChatMessage?, AgoraChatError?) -> Void)? = nil
    ) {
        core.send(aMessage) { error in aCompletionBlock?(aMessage, error) }
    }

    func resend(
        _ aMessage: AgoraChatMessage, progress aProgressBlock: ((Int32) -> Void)?,
        completion aCompletionBlock: ((AgoraChatMessage?, AgoraChatError?) -> Void)? = nil
    ) {
        send(aMessage, progress: aProgressBlock, completion: aCompletionBlock)
    }

    func sendMessageReadAck(
        _ aMessageId: String, toUser aUsername: String, completion aCompletionBlock: ((AgoraChatError?) -> Void)?
    ) {
        core.operate(.messageRead, on: aMessageId) { aCompletionBlock?($0) }
    }

    func ackConversationRead(_ conversationId: String, completion aCompletionBlock: ((AgoraChatError?) -> Void)?) {
        core.operate(.conversationRead, on: conversationId) { aCompletionBlock?($0) }
    }

    func getMessageWithMessageId(_ aMessageId: String) -> AgoraChatMessage? {
        core.conversations()?.lazy.compactMap { $0.message(aMessageId, by: .app) }.first
    }

    // MARK: Conversations

    func getAllConversations() -> [AgoraChatConversation]? { core.conversations() }

    func getAllConversations(_ isSort: Bool) -> [AgoraChatConversation]? { core.conversations() }

    func getConversationWithConvId(_ aConversationId: String?) -> AgoraChatConversation? {
        core.conversations(withEmpty: true)?.first { $0.conversationId == aConversationId }
    }

    func getConversation(
        _ aConversationId: String, type aType: AgoraChatConversationType, createIfNotExist aIfCreate: Bool
    ) -> AgoraChatConversation? {
        guard core.isLoggedIn else { return nil }
        let conversation = AgoraChatConversation(aConversationId, aType, of: core)
        return aIfCreate || conversation.isListed(by: .app) ? conversation : nil
    }

    func deleteConversation(
        _ aConversationId: String, isDeleteMessages aIsDeleteMessages: Bool,
        completion aCompletionBlock: ((String?, AgoraChatError?) -> Void)? = nil
    ) {
        let type = getConversationWithConvId(aConversationId)?.type ?? .chat
        let place = AgoraChatConversation(aConversationId, type, of: core).arguments
        var status = Status.ok
        if aIsDeleteMessages { status = core.local(.deleteAllMessage, place).status }
        if status == .ok { status = core.local(.deleteConversation, place).status }
        core.later { [core] in aCompletionBlock?(aConversationId, core.error(status, of: .call)) }
    }

    func deleteServerConversation(
        _ aConversationId: String, conversationType aConversationType: AgoraChatConversationType,
        isDeleteServerMessages aIsDeleteServerMessages: Bool,
        completion aCompletionBlock: ((String?, AgoraChatError?) -> Void)? = nil
    ) {
        core.operate(.conversationDelete, on: aConversationId) { aCompletionBlock?(aConversationId, $0) }
    }

    func pinConversation(
        _ conversationId: String, isPinned: Bool, completionBlock: ((AgoraChatError?) -> Void)?
    ) {
        core.operate(isPinned ? .conversationPinned : .conversationUnpinned, on: conversationId) {
            completionBlock?($0)
        }
    }

    func removeMessagesFromServer(
        with conversation: AgoraChatConversation, messageIds: [String],
        completion aCompletionBlock: ((AgoraChatError?) -> Void)? = nil
    ) {
        let request =
            conversation.arguments + [
                ("messageList", messageIds.joined(separator: ",")), ("isAlsoDeleteServerMessage", "true"),
            ]
        core.perform(.call(LocalRequest(.deleteMessages, request))) { [core] outcome in
            aCompletionBlock?(core.error(outcome.status, of: .call))
        }
    }
}
