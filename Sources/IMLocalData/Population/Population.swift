/// Generated data of a user, of any size, described by a few numbers: people, groups, conversations and messages that
/// look realistic.
///
/// The data is a list of changes. Each is computed from its index alone, so that a page of a million costs only the
/// page, and nothing is stored. The same numbers give the same changes on every machine. All numbers are valid: those
/// beyond the limits are clamped.
public struct Population: Hashable, Sendable, Codable {
    /// The seed of people and texts.
    public var seed: UInt64
    /// Messages in all conversations, up to ``messagesMax``.
    public var messages: Int
    /// Conversations with other users and in groups, up to ``conversationsMax``; at least one if there are messages.
    public var conversations: Int
    /// The number of conversations that are groups.
    public var groups: Int
    /// The number of peers who are friends.
    public var friends: Int
    /// The age of the first message in days, up to ``daysMax``.
    public var days: Int
    /// The end of the history: milliseconds since 1970.
    public var endMilliseconds: Int64
    /// True if most files were downloaded.
    public var hasFiles: Bool

    /// The maximum number of messages.
    public static let messagesMax = 5_000_000
    /// The maximum number of conversations.
    public static let conversationsMax = 100_000
    /// The maximum length of the history.
    public static let daysMax = 3_650

    /// A population of that many messages. The defaults depend on the size: a conversation for each hundred messages, a
    /// fifth of them groups, and friends for three fifths of the rest.
    public init(
        seed: UInt64, messages: Int, conversations: Int? = nil, groups: Int? = nil, friends: Int? = nil,
        days: Int = 365, endMilliseconds: Int64, hasFiles: Bool = false
    ) {
        self.seed = seed
        self.messages = messages
        let count = conversations ?? max(messages / 100, min(messages, 10))
        self.conversations = count
        self.groups = groups ?? count / 5
        self.friends = friends ?? (count - count / 5) / 5 * 3
        self.days = days
        self.endMilliseconds = endMilliseconds
        self.hasFiles = hasFiles
    }

    /// The number of changes.
    public func count(owner: String) -> Int { PopulationLayout(self).count }

    /// The change at an index from 0; beyond the last index, the last change.
    public func change(at index: Int, owner: String) -> LocalChange {
        PopulationFeed(self, owner: owner).change(at: index)
    }

    /// The changes of a page: those at existing indices.
    public func changes(in places: Range<Int>, owner: String) -> [LocalChange] {
        let feed = PopulationFeed(self, owner: owner)
        return places.clamped(to: 0..<feed.layout.count).map(feed.change)
    }
    /// The generated conversations, in their initial state.
    package func conversations(owner: String) -> [LocalConversation] {
        let feed = PopulationFeed(self, owner: owner)
        return (0..<feed.layout.count(of: .conversations)).map(feed.conversation)
    }
}
