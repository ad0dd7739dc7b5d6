/// A user's data of any size, as a few numbers: people, groups, conversations and messages that look like somebody's.
///
/// The changes that make it are a list of which each is computed from its place alone, so that a page of a million costs
/// what it holds and nothing is kept. The same numbers give the same changes on every machine. Every number will do:
/// those beyond the bounds stand for the nearest within.
public struct Population: Hashable, Sendable, Codable {
    /// Another seed, other people and other words.
    public var seed: UInt64
    /// Messages in all conversations, up to ``messagesMax``.
    public var messages: Int
    /// Conversations with other users and in groups, up to ``conversationsMax``; one at least where there are messages.
    public var conversations: Int
    /// How many of the conversations are groups'.
    public var groups: Int
    /// How many of those whom the user talks with are friends.
    public var friends: Int
    /// How long ago the first message was sent, up to ``daysMax``.
    public var days: Int
    /// Nothing is later: milliseconds since 1970.
    public var endMilliseconds: Int64
    /// Whether most files were downloaded.
    public var hasFiles: Bool

    /// The most messages.
    public static let messagesMax = 5_000_000
    /// The most conversations.
    public static let conversationsMax = 100_000
    /// The longest history.
    public static let daysMax = 3_650

    /// A population of that many messages. What is not given follows from the size: a conversation for each hundred
    /// messages, a fifth of them groups, and friends for three fifths of the rest.
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

    /// How many changes make the user's data.
    public func count(owner: String) -> Int { PopulationLayout(self).count }

    /// The change at a place from 0 on; beyond the last place, the last change.
    public func change(at index: Int, owner: String) -> LocalChange {
        PopulationFeed(self, owner: owner).change(at: index)
    }

    /// The changes of a page: those at the places that there are.
    public func changes(in places: Range<Int>, owner: String) -> [LocalChange] {
        let feed = PopulationFeed(self, owner: owner)
        return places.clamped(to: 0..<feed.layout.count).map(feed.change)
    }
    /// The conversations that were made up, as they begin.
    package func conversations(owner: String) -> [LocalConversation] {
        let feed = PopulationFeed(self, owner: owner)
        return (0..<feed.layout.count(of: .conversations)).map(feed.conversation)
    }
}
