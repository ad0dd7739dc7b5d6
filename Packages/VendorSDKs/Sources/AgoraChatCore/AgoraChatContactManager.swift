import IMClient
import IMLocalData
import IMProtocol

/// Contacts, whose changes other devices receive (CHAT-8), and the user's other devices as contacts (CHAT-7).
public protocol IAgoraChatContactManager: AnyObject {
    /// The login ids of the user's other devices: a message to such an id reaches only that device.
    func getSelfIdsOnOtherPlatform(completion aCompletionBlock: (([String]?, AgoraChatError?) -> Void)?)
    /// The contacts on the device. Nil while nobody is logged in.
    func getContacts() -> [String]?
    func getBlackList() -> [String]?
    func addContact(
        _ aUsername: String, message aMessage: String?,
        completion aCompletionBlock: ((String?, AgoraChatError?) -> Void)?)
    func deleteContact(
        _ aUsername: String, isDeleteConversation aIsDeleteConversation: Bool,
        completion aCompletionBlock: ((String?, AgoraChatError?) -> Void)?)
    func approveFriendRequest(
        fromUser aUsername: String, completion aCompletionBlock: ((String?, AgoraChatError?) -> Void)?)
    func declineFriendRequest(
        fromUser aUsername: String, completion aCompletionBlock: ((String?, AgoraChatError?) -> Void)?)
    func addUser(toBlackList aUsername: String, completion aCompletionBlock: ((String?, AgoraChatError?) -> Void)?)
    func removeUser(
        fromBlackList aUsername: String, completion aCompletionBlock: ((String?, AgoraChatError?) -> Void)?)
}

/// The contact manager over the machine.
///
/// Used on the job thread of virtual time alone.
final class ContactManager: IAgoraChatContactManager, @unchecked Sendable {
    private let core: ChatCore

    init(_ core: ChatCore) { self.core = core }

    func getSelfIdsOnOtherPlatform(completion aCompletionBlock: (([String]?, AgoraChatError?) -> Void)?) {
        core.perform(.query(.selfIDs)) { [core] outcome in
            let error = core.error(outcome.status, of: .query)
            aCompletionBlock?(error == nil ? outcome.fields.compactMap { $0["id"] } : nil, error)
        }
    }

    func getContacts() -> [String]? { users(.queryFriendList) }

    func getBlackList() -> [String]? { users(.queryBlacklist) }

    private func users(_ call: LocalCall) -> [String]? {
        guard core.isLoggedIn else { return nil }
        var users: [String] = []
        var flag = "0"
        repeat {
            let answer = core.local(call, [("nextFlag", flag), ("count", String(LocalCall.pageMax))]).fields
            users += answer.compactMap { $0["userID"] }
            flag = answer.last?["next"] ?? "0"
        } while flag != "0"
        return users
    }

    func addContact(
        _ aUsername: String, message aMessage: String?,
        completion aCompletionBlock: ((String?, AgoraChatError?) -> Void)? = nil
    ) {
        var fields = [AnswerField(name: "userID", value: aUsername)]
        if let aMessage { fields.append(AnswerField(name: "wording", value: aMessage)) }
        core.perform(.change(ChangeRecord(kind: .friendApplication, fields: fields))) { [core] outcome in
            aCompletionBlock?(aUsername, core.error(outcome.status, of: .change))
        }
    }

    func deleteContact(
        _ aUsername: String, isDeleteConversation aIsDeleteConversation: Bool,
        completion aCompletionBlock: ((String?, AgoraChatError?) -> Void)? = nil
    ) {
        core.operate(.contactRemove, on: aUsername) { [core] error in
            if error == nil, aIsDeleteConversation {
                _ = core.local(
                    .deleteConversation, AgoraChatConversation(aUsername, .chat, of: core).arguments)
            }
            aCompletionBlock?(aUsername, error)
        }
    }

    func approveFriendRequest(
        fromUser aUsername: String, completion aCompletionBlock: ((String?, AgoraChatError?) -> Void)?
    ) {
        core.operate(.contactAccept, on: aUsername) { aCompletionBlock?(aUsername, $0) }
    }

    func declineFriendRequest(
        fromUser aUsername: String, completion aCompletionBlock: ((String?, AgoraChatError?) -> Void)?
    ) {
        core.operate(.contactDecline, on: aUsername) { aCompletionBlock?(aUsername, $0) }
    }

    func addUser(toBlackList aUsername: String, completion aCompletionBlock: ((String?, AgoraChatError?) -> Void)?) {
        core.operate(.contactBan, on: aUsername) { aCompletionBlock?(aUsername, $0) }
    }

    func removeUser(
        fromBlackList aUsername: String, completion aCompletionBlock: ((String?, AgoraChatError?) -> Void)?
    ) {
        core.operate(.contactAllow, on: aUsername) { aCompletionBlock?(aUsername, $0) }
    }
}
