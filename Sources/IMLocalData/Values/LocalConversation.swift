import IMProtocol

/// A conversation as a device stores it, without its messages.
public struct LocalConversation: Hashable, Sendable, Codable {
    /// The identity: the user or the group.
    public var id: ConversationID
    /// The user's or the group's name, as the list shows it.
    public var name: String
    /// The user's own name for it.
    public var alias = ""
    /// The URL of its picture.
    public var avatarURL = ""
    /// True if the user gets notifications of its messages.
    public var notifies = true
    /// True if it precedes those that are not pinned.
    public var isPinned = false
    /// The app's marks on it (CHAT-8).
    public var marks = ConversationMarks()
    /// The number of messages of others that were not read here.
    public var unreadCount = 0
    /// The unsent text, on this device only; empty for none.
    public var draft = ""
    /// The time of the last message, even if that was deleted, in milliseconds since 1970; 0 before the first.
    public var messageTime: Int64 = 0
    /// The time of the draft, in milliseconds since 1970.
    public var draftTime: Int64 = 0
    /// True if it is listed even without a draft; a removed one is listed again with the next message.
    public var isKept = true
    /// Its number in the database, in the order in which conversations began.
    package var serial: UInt32 = 0
    /// The end of the messages that were deleted here, which no sync restores.
    package var clearedThrough: Position?

    /// A conversation without messages.
    public init(id: ConversationID, name: String = "") {
        self.id = id
        self.name = name
    }

    /// True if it is in the list.
    public var isListed: Bool { isKept || !draft.isEmpty }

    /// The key of its order in the list: the time of the last message or of the draft. Without the draft the order is
    /// as before.
    public var orderKey: Int64 { draft.isEmpty ? messageTime : max(messageTime, draftTime) }

    /// Lists it for a new message, before conversations with earlier ones.
    package mutating func moveUp(at milliseconds: Int64) {
        isKept = true
        messageTime = max(messageTime, milliseconds)
    }

    /// Removes it from the list, and marks all of it as read.
    package mutating func removeFromList() {
        isKept = false
        unreadCount = 0
        draft = ""
    }

    /// Applies the server's values; unread messages and drafts belong to this device. If the last message was deleted,
    /// the server still sends its time.
    package mutating func take(_ newer: LocalConversation) {
        name = newer.name
        alias = newer.alias
        avatarURL = newer.avatarURL
        notifies = newer.notifies
        isPinned = newer.isPinned
        marks = newer.marks
        if newer.messageTime > messageTime { moveUp(at: newer.messageTime) }
    }

    /// Its position in the list, in descending order: pinned ones first, then the latest; for equal times the one that
    /// began later.
    package var position: Position { Position([isPinned ? 1 : 0, orderKey, Int64(serial)]) }
}

/// The marks that an app has put on a conversation, in the app's order.
public struct ConversationMarks: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// The app's own names.
    public var names: [String] = []

    /// No marks.
    public init() {}

    /// Parses a text with marks separated by commas.
    package init(text: String) {
        for name in text.split(separator: ",").map(String.init) where !names.contains(name) { names.append(name) }
    }

    /// The text that ``init(text:)`` parses.
    package var text: String { names.joined(separator: ",") }
}
