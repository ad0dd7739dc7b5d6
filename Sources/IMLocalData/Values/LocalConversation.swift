import IMProtocol

/// A conversation as a device stores it, without its messages.
public struct LocalConversation: Hashable, Sendable, Codable {
    /// The identity: the user or the group.
    public var id: ConversationID
    /// The user's or the group's name, as the list shows it.
    public var name: String
    /// The user's own name for the conversation.
    public var alias = ""
    /// The URL of the conversation's picture.
    public var avatarURL = ""
    /// True if new messages of the conversation cause notifications.
    public var notifies = true
    /// True if the conversation is pinned: the list shows pinned conversations first.
    public var isPinned = false
    /// The app's marks on the conversation (CHAT-8).
    public var marks = ConversationMarks()
    /// The number of other users' messages that the user has not read on this device.
    public var unreadCount = 0
    /// The text of an unsent message, stored on this device only; empty for none.
    public var draft = ""
    /// The time of the latest message, in milliseconds since 1970. The time remains if that message is deleted. 0
    /// before the first message.
    public var messageTime: Int64 = 0
    /// The time of the draft, in milliseconds since 1970.
    public var draftTime: Int64 = 0
    /// True if the conversation is listed even without a draft. False after it was removed from the list, until the
    /// next message.
    public var isKept = true
    /// The conversation's number in the database, in the order in which conversations were created.
    package var serial: UInt32 = 0
    /// The last position up to which all messages were deleted on this device. A sync does not restore these messages.
    package var clearedThrough: Position?

    /// A conversation without messages.
    public init(id: ConversationID, name: String = "") {
        self.id = id
        self.name = name
    }

    /// True if the list of conversations contains this one.
    public var isListed: Bool { isKept || !draft.isEmpty }

    /// The time by which the list is sorted: the later one of the last message and the draft, in milliseconds since
    /// 1970.
    public var orderKey: Int64 { draft.isEmpty ? messageTime : max(messageTime, draftTime) }

    /// Lists the conversation because of a message with this time, in milliseconds since 1970.
    package mutating func moveUp(at milliseconds: Int64) {
        isKept = true
        messageTime = max(messageTime, milliseconds)
    }

    /// Removes the conversation from the list, deletes its draft, and sets its unread count to 0.
    package mutating func removeFromList() {
        isKept = false
        unreadCount = 0
        draft = ""
    }

    /// Applies the server's values. The unread count and the draft do not change, because the server does not have
    /// them. The server sends the time of the last message even if that message was deleted.
    package mutating func apply(_ newer: LocalConversation) {
        name = newer.name
        alias = newer.alias
        avatarURL = newer.avatarURL
        notifies = newer.notifies
        isPinned = newer.isPinned
        marks = newer.marks
        if newer.messageTime > messageTime { moveUp(at: newer.messageTime) }
    }

    /// The conversation's sort key in the list, which is sorted in descending order: pinned conversations first, then
    /// the latest ``orderKey`` first, and for equal times the conversation that was created later.
    package var position: Position { Position([isPinned ? 1 : 0, orderKey, Int64(serial)]) }
}

/// The marks that an app has put on a conversation, in the app's order.
public struct ConversationMarks: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// The names of the marks, which the app chooses.
    public var names: [String] = []

    /// A conversation without marks.
    public init() {}

    /// Parses a text with marks separated by commas.
    package init(text: String) {
        for name in text.split(separator: ",").map(String.init) where !names.contains(name) { names.append(name) }
    }

    /// The text that ``init(text:)`` parses.
    package var text: String { names.joined(separator: ",") }
}
