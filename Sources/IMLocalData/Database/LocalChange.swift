/// Something that came from the server, or was done on this device, and belongs into a user's local data. Each can come
/// twice: it is there once then (ZIM-9, rule 4).
public enum LocalChange: Hashable, Sendable, Codable {
    case user(LocalUser)
    case friend(LocalFriend)
    case friendRemoved(String)
    case friendApplication(FriendApplication)
    /// A user is shut out, or no longer.
    case blacklisted(String, Bool)
    case group(LocalGroup)
    /// The user is no longer in it: it goes, with what is known of its members.
    case groupRemoved(String)
    case member(group: String, GroupMember)
    case memberRemoved(group: String, user: String)
    case groupApplication(GroupApplication)
    case message(LocalMessage)
    /// Its sender took it back.
    case messageRevoked(id: String)
    /// The user took them away on the server too: they go from every device.
    case messagesRemoved([String])
    /// The same of a conversation with all that was said in it up to then, milliseconds since 1970.
    case conversationRemoved(ConversationID, upTo: Int64)
    /// All that was said in a conversation up to then is gone; it stays in the list.
    case conversationEmptied(ConversationID, upTo: Int64)
    case read(messages: [String], by: String)
    /// The other user has read a conversation, and with it those messages that wanted receipts.
    case conversationRead(messages: [String], by: String)
    /// A message has reached its receiver; no local call asks for it.
    case delivered(message: String)
    case reaction(message: String, LocalMessage.Reaction, isOn: Bool)
    /// Name, picture, pin and notification; unread messages and drafts are this device's own.
    case conversation(LocalConversation)
    /// Everything up to there was read on another device, milliseconds since 1970.
    case readElsewhere(ConversationID, upTo: Int64)
    case call(CallInvitation)
    case downloaded(message: String, at: Int64)
}
