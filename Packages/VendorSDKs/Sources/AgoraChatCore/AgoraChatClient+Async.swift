import Foundation

// The forms in which Swift imports the vendor's completion blocks: the same calls, which return the block's arguments.
// They do not throw, because the vendor's errors are no Swift errors. `get` is dropped from their names.

extension AgoraChatClient {
    @discardableResult
    public nonisolated(nonsending) func register(
        withUsername aUsername: String, password aPassword: String
    ) async -> (String, AgoraChatError?) {
        await awaitCompletion { done in
            register(withUsername: aUsername, password: aPassword, completion: { done(($0, $1)) })
        }
    }

    @discardableResult
    public nonisolated(nonsending) func fetchToken(
        withUsername aUsername: String, password aPassword: String
    ) async -> (String?, AgoraChatError?) {
        await awaitCompletion { done in
            fetchToken(withUsername: aUsername, password: aPassword, completion: { done(($0, $1)) })
        }
    }

    @discardableResult
    public nonisolated(nonsending) func login(
        withUsername aUsername: String, password aPassword: String
    ) async -> (String, AgoraChatError?) {
        await awaitCompletion { done in
            login(withUsername: aUsername, password: aPassword, completion: { done(($0, $1)) })
        }
    }

    @discardableResult
    public nonisolated(nonsending) func login(
        withUsername aUsername: String, token aToken: String
    ) async -> (String, AgoraChatError?) {
        await awaitCompletion { done in login(withUsername: aUsername, token: aToken, completion: { done(($0, $1)) }) }
    }

    @discardableResult
    public nonisolated(nonsending) func login(
        withUsername aUsername: String, agoraToken aAgoraToken: String
    ) async -> (String, AgoraChatError?) {
        await awaitCompletion { done in
            login(withUsername: aUsername, agoraToken: aAgoraToken, completion: { done(($0, $1)) })
        }
    }

    @discardableResult
    public nonisolated(nonsending) func renewToken(_ newToken: String) async -> AgoraChatError? {
        await awaitCompletion { renewToken(newToken, completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func logout(_ aIsUnbindDeviceToken: Bool) async -> AgoraChatError? {
        await awaitCompletion { logout(aIsUnbindDeviceToken, completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func registerForRemoteNotifications(
        withDeviceToken aDeviceToken: Data
    ) async -> AgoraChatError? {
        await awaitCompletion { registerForRemoteNotifications(withDeviceToken: aDeviceToken, completion: $0) }
    }

    // MARK: Devices

    @discardableResult
    public nonisolated(nonsending) func loggedInDevicesFromServer(
        withUsername aUsername: String, password aPassword: String
    ) async -> ([AgoraChatDeviceConfig]?, AgoraChatError?) {
        await awaitCompletion { done in
            getLoggedInDevicesFromServer(
                withUsername: aUsername, password: aPassword, completion: { done(($0, $1)) })
        }
    }

    @discardableResult
    public nonisolated(nonsending) func loggedInDevicesFromServer(
        withUserId aUserID: String, token aToken: String
    ) async -> ([AgoraChatDeviceConfig]?, AgoraChatError?) {
        await awaitCompletion { done in
            getLoggedInDevicesFromServer(withUserId: aUserID, token: aToken, completion: { done(($0, $1)) })
        }
    }

    @discardableResult
    public nonisolated(nonsending) func kickDevice(
        withUsername aUsername: String, password aPassword: String, resource aResource: String
    ) async -> AgoraChatError? {
        await awaitCompletion {
            kickDevice(withUsername: aUsername, password: aPassword, resource: aResource, completion: $0)
        }
    }

    @discardableResult
    public nonisolated(nonsending) func kickDevice(
        withUserId aUserID: String, token aToken: String, resource aResource: String
    ) async -> AgoraChatError? {
        await awaitCompletion { kickDevice(withUserId: aUserID, token: aToken, resource: aResource, completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func kickAllDevices(
        withUsername aUsername: String, password aPassword: String
    ) async -> AgoraChatError? {
        await awaitCompletion { kickAllDevices(withUsername: aUsername, password: aPassword, completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func kickAllDevices(
        withUserId aUserID: String, token aToken: String
    ) async -> AgoraChatError? {
        await awaitCompletion { kickAllDevices(withUserId: aUserID, token: aToken, completion: $0) }
    }
}

extension IAgoraChatManager {
    @discardableResult
    public nonisolated(nonsending) func send(
        _ aMessage: AgoraChatMessage, progress aProgressBlock: ((Int32) -> Void)?
    ) async -> (AgoraChatMessage?, AgoraChatError?) {
        await awaitCompletion { done in send(aMessage, progress: aProgressBlock, completion: { done(($0, $1)) }) }
    }

    @discardableResult
    public nonisolated(nonsending) func resend(
        _ aMessage: AgoraChatMessage, progress aProgressBlock: ((Int32) -> Void)?
    ) async -> (AgoraChatMessage?, AgoraChatError?) {
        await awaitCompletion { done in resend(aMessage, progress: aProgressBlock, completion: { done(($0, $1)) }) }
    }

    @discardableResult
    public nonisolated(nonsending) func sendMessageReadAck(
        _ aMessageId: String, toUser aUsername: String
    ) async -> AgoraChatError? {
        await awaitCompletion { sendMessageReadAck(aMessageId, toUser: aUsername, completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func ackConversationRead(_ conversationId: String) async -> AgoraChatError? {
        await awaitCompletion { ackConversationRead(conversationId, completion: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func deleteConversation(
        _ aConversationId: String, isDeleteMessages aIsDeleteMessages: Bool
    ) async -> (String?, AgoraChatError?) {
        await awaitCompletion { done in
            deleteConversation(
                aConversationId, isDeleteMessages: aIsDeleteMessages, completion: { done(($0, $1)) })
        }
    }

    @discardableResult
    public nonisolated(nonsending) func deleteServerConversation(
        _ aConversationId: String, conversationType aConversationType: AgoraChatConversationType,
        isDeleteServerMessages aIsDeleteServerMessages: Bool
    ) async -> (String?, AgoraChatError?) {
        await awaitCompletion { done in
            deleteServerConversation(
                aConversationId, conversationType: aConversationType,
                isDeleteServerMessages: aIsDeleteServerMessages, completion: { done(($0, $1)) })
        }
    }

    @discardableResult
    public nonisolated(nonsending) func pinConversation(
        _ conversationId: String, isPinned: Bool
    ) async -> AgoraChatError? {
        await awaitCompletion { pinConversation(conversationId, isPinned: isPinned, completionBlock: $0) }
    }

    @discardableResult
    public nonisolated(nonsending) func removeMessagesFromServer(
        with conversation: AgoraChatConversation, messageIds: [String]
    ) async -> AgoraChatError? {
        await awaitCompletion { removeMessagesFromServer(with: conversation, messageIds: messageIds, completion: $0) }
    }
}

extension AgoraChatConversation {
    @discardableResult
    public nonisolated(nonsending) func loadMessagesStart(
        fromId aMessageId: String?, count aCount: Int32, searchDirection aDirection: AgoraChatMessageSearchDirection
    ) async -> ([AgoraChatMessage]?, AgoraChatError?) {
        await awaitCompletion { done in
            loadMessagesStart(
                fromId: aMessageId, count: aCount, searchDirection: aDirection, completion: { done(($0, $1)) })
        }
    }
}

extension IAgoraChatroomManager {
    @discardableResult
    public nonisolated(nonsending) func joinChatroom(
        _ aChatroomId: String
    ) async -> (AgoraChatroom?, AgoraChatError?) {
        await awaitCompletion { done in joinChatroom(aChatroomId, completion: { done(($0, $1)) }) }
    }

    @discardableResult
    public nonisolated(nonsending) func leaveChatroom(_ aChatroomId: String) async -> AgoraChatError? {
        await awaitCompletion { leaveChatroom(aChatroomId, completion: $0) }
    }
}

nonisolated(nonsending) func awaitCompletion<Value: Sendable>(
    _ call: (@escaping (Value) -> Void) -> Void
) async -> Value {
    // Not a checked continuation: one of a killed process never resumes, and would be reported as a misuse.
    await withUnsafeContinuation { continuation in
        call { continuation.resume(returning: $0) }
    }
}
