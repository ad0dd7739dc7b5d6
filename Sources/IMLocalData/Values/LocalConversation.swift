import IMProtocol

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
    /// The app's marks on it (CHAT-8).
    public var marks = ConversationMarks()
    /// Messages of others that nobody has read here.
    public var unreadCount = 0
    /// What is to be sent, on this device only; empty for nothing.
    public var draft = ""
    /// When the last message came, also one that is gone by now, milliseconds since 1970; 0 before the first.
    public var messageTime: Int64 = 0
    /// When the draft was written, milliseconds since 1970.
    public var draftTime: Int64 = 0
    /// Whether it stands in the list without a draft, too; one that was taken off comes back with the next message.
    public var isKept = true
    /// The database's number of it, in the order in which conversations began.
    package var serial: UInt32 = 0
    /// Messages up to there were taken away here, and no sync brings them back.
    package var clearedThrough: Position?

    /// One without messages.
    public init(id: ConversationID, name: String = "") {
        self.id = id
        self.name = name
    }

    /// Whether it stands in the list.
    public var isListed: Bool { isKept || !draft.isEmpty }

    /// Its place in the list: when the last message came, or the draft was written. Without the draft it is back where
    /// it was.
    public var orderKey: Int64 { draft.isEmpty ? messageTime : max(messageTime, draftTime) }

    /// Something was said in it: it stands in the list, before those in which that was earlier.
    package mutating func moveUp(at milliseconds: Int64) {
        isKept = true
        messageTime = max(messageTime, milliseconds)
    }

    /// It leaves the list, and everything in it is read.
    package mutating func takeOffList() {
        isKept = false
        unreadCount = 0
        draft = ""
    }

    /// What the server says of it; unread messages and drafts are this device's own. Where its last message is gone,
    /// the server says when that came.
    package mutating func take(_ news: LocalConversation) {
        name = news.name
        alias = news.alias
        avatarURL = news.avatarURL
        notifies = news.notifies
        isPinned = news.isPinned
        marks = news.marks
        if news.messageTime > messageTime { moveUp(at: news.messageTime) }
    }

    /// Where it stands in the list, which goes from the greatest to the least: pinned ones first, then the latest; of two
    /// of one moment the one that began later.
    package var position: Position { Position([isPinned ? 1 : 0, orderKey, Int64(serial)]) }
}

/// The marks that an app has put on a conversation, in the order in which it named them.
public struct ConversationMarks: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// The app's own words.
    public var names: [String] = []

    /// None.
    public init() {}

    /// From a text in which commas stand between them.
    package init(text: String) {
        for name in text.split(separator: ",").map(String.init) where !names.contains(name) { names.append(name) }
    }

    /// As ``init(text:)`` reads them.
    package var text: String { names.joined(separator: ",") }
}
