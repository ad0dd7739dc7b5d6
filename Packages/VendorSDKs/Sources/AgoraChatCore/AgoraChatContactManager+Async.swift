// The forms in which Swift imports the contact manager's completion blocks.

extension IAgoraChatContactManager {
    @discardableResult
    public nonisolated(nonsending) func selfIdsOnOtherPlatform() async -> ([String]?, AgoraChatError?) {
        await awaitCompletion { done in getSelfIdsOnOtherPlatform(completion: { done(($0, $1)) }) }
    }

    @discardableResult
    public nonisolated(nonsending) func addContact(
        _ aUsername: String, message aMessage: String?
    ) async -> (String?, AgoraChatError?) {
        await awaitCompletion { done in addContact(aUsername, message: aMessage, completion: { done(($0, $1)) }) }
    }

    @discardableResult
    public nonisolated(nonsending) func deleteContact(
        _ aUsername: String, isDeleteConversation aIsDeleteConversation: Bool
    ) async -> (String?, AgoraChatError?) {
        await awaitCompletion { done in
            deleteContact(aUsername, isDeleteConversation: aIsDeleteConversation, completion: { done(($0, $1)) })
        }
    }

    @discardableResult
    public nonisolated(nonsending) func approveFriendRequest(
        fromUser aUsername: String
    ) async -> (String?, AgoraChatError?) {
        await awaitCompletion { done in approveFriendRequest(fromUser: aUsername, completion: { done(($0, $1)) }) }
    }

    @discardableResult
    public nonisolated(nonsending) func declineFriendRequest(
        fromUser aUsername: String
    ) async -> (String?, AgoraChatError?) {
        await awaitCompletion { done in declineFriendRequest(fromUser: aUsername, completion: { done(($0, $1)) }) }
    }

    @discardableResult
    public nonisolated(nonsending) func addUser(
        toBlackList aUsername: String
    ) async -> (String?, AgoraChatError?) {
        await awaitCompletion { done in addUser(toBlackList: aUsername, completion: { done(($0, $1)) }) }
    }

    @discardableResult
    public nonisolated(nonsending) func removeUser(
        fromBlackList aUsername: String
    ) async -> (String?, AgoraChatError?) {
        await awaitCompletion { done in removeUser(fromBlackList: aUsername, completion: { done(($0, $1)) }) }
    }
}
