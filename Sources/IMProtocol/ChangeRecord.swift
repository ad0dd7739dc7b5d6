/// What a change of a user's data is about. Its fields are those of `LocalChange` in IMLocalData.
public enum ChangeKind: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case user = 1
    case friend = 2
    case friendRemoved = 3
    case friendApplication = 4
    case blacklist = 5
    case group = 6
    case groupRemoved = 7
    case member = 8
    case memberRemoved = 9
    case groupApplication = 10
    case message = 11
    case messageRevoked = 12
    case messageRemoved = 13
    case conversation = 14
    case conversationRemoved = 15
    case read = 16
    case reaction = 17
    case readElsewhere = 18
    case call = 19
    case downloaded = 20
    case conversationEmptied = 21
    /// A message has reached its receiver.
    case delivered = 22
    /// The other user has read a conversation.
    case conversationRead = 23

    /// The word for it in commands, recordings and JSON.
    public var name: String {
        switch self {
        case .user: "user"
        case .friend: "friend"
        case .friendRemoved: "friend-removed"
        case .friendApplication: "friend-application"
        case .blacklist: "blacklist"
        case .group: "group"
        case .groupRemoved: "group-removed"
        case .member: "member"
        case .memberRemoved: "member-removed"
        case .groupApplication: "group-application"
        case .message: "message"
        case .messageRevoked: "message-revoked"
        case .messageRemoved: "message-removed"
        case .conversation: "conversation"
        case .conversationRemoved: "conversation-removed"
        case .read: "read"
        case .reaction: "reaction"
        case .readElsewhere: "read-elsewhere"
        case .call: "call"
        case .downloaded: "downloaded"
        case .conversationEmptied: "conversation-emptied"
        case .delivered: "delivered"
        case .conversationRead: "conversation-read"
        }
    }
}

/// A change of a user's data as it travels and is recorded: what it is about, and names and values.
public struct ChangeRecord: Hashable, Sendable, Codable {
    /// The server's number of it among the changes of the user's data; 0 for one that is asked for.
    public var number: UInt64
    /// What it is about.
    public var kind: ChangeKind
    /// What is so from now on; what is empty, or as it mostly is, is left out.
    public var fields: [AnswerField]

    /// A change; nothing is checked.
    public init(number: UInt64 = 0, kind: ChangeKind, fields: [AnswerField]) {
        self.number = number
        self.kind = kind
        self.fields = fields
    }
}

/// A part of what changed in a user's data (ZIM-9).
public struct ChangePage: Hashable, Sendable, Codable {
    /// The number of the change before the first one here; 0 where there is none.
    public var after: UInt64
    /// In the order of their numbers.
    public var changes: [ChangeRecord]
    /// Whether there is no more for now.
    public var isLast: Bool

    /// A part of a sync, or an event.
    public init(after: UInt64, changes: [ChangeRecord], isLast: Bool) {
        self.after = after
        self.changes = changes
        self.isLast = isLast
    }
}

extension FramePages {
    /// Changes on one page, at most.
    public static let changesMax = 500

    /// As many of the changes as one frame holds; at least one.
    public static func fitting(_ changes: some Sequence<ChangeRecord>) -> [ChangeRecord] {
        var room = bytesMax
        var page: [ChangeRecord] = []
        for change in changes {
            room -= change.roughBytes
            guard page.isEmpty || (room >= 0 && page.count < changesMax) else { break }
            page.append(change)
        }
        return page
    }
}

extension ChangeRecord {
    /// Bytes that it takes on the wire, or a few more.
    package var roughBytes: Int {
        fields.reduce(FramePages.overhead) { $0 + $1.name.utf8.count + $1.value.utf8.count + FramePages.overhead }
    }
}
