/// A change of a user's local data, from the server or made on this device. Applying a change twice has the same effect
/// as once (ZIM-9, rule 4).
public enum LocalChange: Hashable, Sendable, Codable {
    case user(LocalUser)
    case friend(LocalFriend)
    case friendRemoved(String)
    case friendApplication(FriendApplication)
    /// A user is on the blacklist, or not any more.
    case blacklisted(String, Bool)
    case group(LocalGroup)
    /// The user is not in the group any more: the group and its members are removed.
    case groupRemoved(String)
    case member(group: String, GroupMember)
    case memberRemoved(group: String, user: String)
    case groupApplication(GroupApplication)
    case message(LocalMessage)
    /// The sender revoked the message.
    case messageRevoked(id: String)
    /// The user deleted the messages on the server too: they are removed from every device.
    case messagesRemoved([String])
    /// The user deleted a conversation and its messages up to this time, in milliseconds since 1970: they are removed
    /// from every device.
    case conversationRemoved(ConversationID, upTo: Int64)
    /// The messages of a conversation up to that time are removed; it stays in the list.
    case conversationEmptied(ConversationID, upTo: Int64)
    case read(messages: [String], by: String)
    /// The other user has read a conversation, including those messages that wanted receipts.
    case conversationRead(messages: [String], by: String)
    /// A message has reached its receiver; no local call queries it.
    case delivered(message: String)
    case reaction(message: String, LocalMessage.Reaction, isOn: Bool)
    /// Name, picture, pin and notification; unread messages and drafts belong to this device.
    case conversation(LocalConversation)
    /// All messages up to that time, in milliseconds since 1970, were read on another device.
    case readElsewhere(ConversationID, upTo: Int64)
    case call(CallInvitation)
    case downloaded(message: String, at: Int64)
}
