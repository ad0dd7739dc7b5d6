/// A conversation as a device keeps it, without its messages.
public struct LocalConversation: Hashable, Sendable, Codable {
    /// Whom it is with.
    public var id: ConversationID
    /// The user's or the group's name, as the list shows it.
    public var name: String
    /// The user's own name for it.
    public var alias = ""
    /// Where its picture is.
    public var avatarURL = ""
    /// Whether the user is told of its messages.
    public var notifies = true
    /// Whether it stands before those that are not.
    public var isPinned = false
    /// Messages of others that nobody has read here.
    public var unreadCount = 0
    /// What is to be sent, on this device only; empty for nothing.
    public var draft = ""
    /// When the last message came or the draft was written, milliseconds since 1970.
    public var orderKey: Int64 = 0
    /// Whether it stands in the list; one that was taken off it comes back with the next message.
    public var isListed = true
    /// The database's number of it, in the order in which conversations began.
    package var serial: UInt32 = 0
    /// Messages up to there were taken away here, and no sync brings them back.
    package var clearedThrough: Position?

    /// One without messages.
    public init(id: ConversationID, name: String = "") {
        self.id = id
        self.name = name
    }

    /// Something was said in it, or is to be: it stands in the list, before those in which that was earlier.
    package mutating func moveUp(at milliseconds: Int64) {
        isListed = true
        orderKey = max(orderKey, milliseconds)
    }

    /// Where it stands in the list, which goes from the greatest to the least: pinned ones first, then the latest; of two
    /// of one moment the one that began later.
    package var position: Position { Position([isPinned ? 1 : 0, orderKey, Int64(serial)]) }
}
