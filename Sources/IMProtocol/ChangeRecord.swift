/// The kind of a change of a user's data. `LocalChange` in IMLocalData defines the fields of each kind.
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
    /// A message was delivered to its receiver.
    case delivered = 22
    /// The other user has read the whole conversation.
    case conversationRead = 23

    /// The name of the kind in commands, recordings and JSON.
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

/// A change of a user's data, in the form in which it is sent and recorded: a kind and named values.
public struct ChangeRecord: Hashable, Sendable, Codable {
    /// The number that the server assigned to the change among those of the user's data; 0 in a client's request.
    public var number: UInt64
    /// The kind of change.
    public var kind: ChangeKind
    /// The new values. Empty and default values are omitted.
    public var fields: [AnswerField]

    /// Creates a change without checking it.
    public init(number: UInt64 = 0, kind: ChangeKind, fields: [AnswerField]) {
        self.number = number
        self.kind = kind
        self.fields = fields
    }
}

/// A page of the changes of a user's data (ZIM-9).
public struct ChangePage: Hashable, Sendable, Codable {
    /// The number of the change before the first change of this page; 0 if there is no earlier change.
    public var after: UInt64
    /// The changes, in the order of their numbers.
    public var changes: [ChangeRecord]
    /// True if no page follows.
    public var isLast: Bool

    /// Creates a page.
    public init(after: UInt64, changes: [ChangeRecord], isLast: Bool) {
        self.after = after
        self.changes = changes
        self.isLast = isLast
    }
}

extension FramePages {
    /// The maximum number of changes on a page.
    public static let changesMax = 500

    /// The first changes of a sequence that fit into one frame, at least one of them.
    public static func fitting(_ changes: some Sequence<ChangeRecord>) -> [ChangeRecord] {
        var remaining = bytesMax
        var page: [ChangeRecord] = []
        for change in changes {
            remaining -= change.estimatedBytes
            guard page.isEmpty || (remaining >= 0 && page.count < changesMax) else { break }
            page.append(change)
        }
        return page
    }
}

extension ChangeRecord {
    /// An estimate of the length of the change in a frame, in bytes. It may be slightly too large.
    package var estimatedBytes: Int {
        fields.reduce(FramePages.overhead) { $0 + $1.name.utf8.count + $1.value.utf8.count + FramePages.overhead }
    }
}
