/// A change of a user's local data, from the server or from this device. Applying a change twice has the same effect as
/// applying it once (ZIM-9, rule 4).
public enum LocalChange: Hashable, Sendable, Codable {
    case user(LocalUser)
    case friend(LocalFriend)
    case friendRemoved(String)
    case friendApplication(FriendApplication)
    /// The user id; true if that user was added to the blacklist, false if removed from it.
    case blacklisted(String, Bool)
    case group(LocalGroup)
    /// The user is no longer a member of the group. The group and the list of its members are removed from the device.
    case groupRemoved(String)
    case member(group: String, GroupMember)
    case memberRemoved(group: String, user: String)
    case groupApplication(GroupApplication)
    case message(LocalMessage)
    /// The sender revoked the message.
    case messageRevoked(id: String)
    /// The user deleted these messages on the server, so every device of the user deletes them.
    case messagesRemoved([String])
    /// The user deleted a conversation on the server, so every device of the user removes it from the list and deletes
    /// its messages up to this time, in milliseconds since 1970.
    case conversationRemoved(ConversationID, upTo: Int64)
    /// The messages of a conversation up to this time, in milliseconds since 1970, are deleted. The conversation
    /// remains in the list.
    case conversationEmptied(ConversationID, upTo: Int64)
    /// A user has read these messages.
    case read(messages: [String], by: String)
    /// The other user has read a whole conversation. The messages are those of it for which a read receipt was
    /// requested.
    case conversationRead(messages: [String], by: String)
    /// A message was delivered to its receiver. It changes no local data, because no local call queries it.
    case delivered(message: String)
    case reaction(message: String, LocalMessage.Reaction, isOn: Bool)
    /// The server's values of a conversation: name, alias, picture, pin, marks, notification setting, time of the last
    /// message. The unread count and the draft are this device's own and do not change.
    case conversation(LocalConversation)
    /// The user read all messages up to this time, in milliseconds since 1970, on another device.
    case readElsewhere(ConversationID, upTo: Int64)
    case call(CallInvitation)
    /// The file of a message was downloaded at this time, in milliseconds since 1970.
    case downloaded(message: String, at: Int64)
}
