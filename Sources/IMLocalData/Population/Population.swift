/// Generated data of a user that looks realistic: people, groups, conversations and messages. A few numbers describe
/// it.
///
/// The data is a list of changes. Each change is computed from its index in the list, so a page of the list costs the
/// same in a small and in a large population, and no list is stored. Equal numbers give equal changes on every machine.
/// No number is an error: numbers beyond the limits are clamped.
public struct Population: Hashable, Sendable, Codable {
    /// The seed from which people and texts are generated.
    public var seed: UInt64
    /// The number of messages in all conversations, up to ``messagesMax``.
    public var messages: Int
    /// The number of conversations with users and groups, up to ``conversationsMax``; at least one if there are
    /// messages.
    public var conversations: Int
    /// The number of conversations that are groups.
    public var groups: Int
    /// The number of users with a conversation who are friends.
    public var friends: Int
    /// The age of the first message in days, up to ``daysMax``.
    public var days: Int
    /// The time after the last message, in milliseconds since 1970.
    public var endMilliseconds: Int64
    /// True if most files were downloaded to the device; false if none was.
    public var hasFiles: Bool

    /// The maximum number of messages.
    public static let messagesMax = 5_000_000
    /// The maximum number of conversations.
    public static let conversationsMax = 100_000
    /// The maximum age of the first message, in days.
    public static let daysMax = 3_650

    /// Describes a population. By default it has a conversation for each hundred messages. One in five conversations is
    /// a group, and three in five of the other users are friends.
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

    /// The number of changes in the population of a user.
    public func count(owner: String) -> Int { PopulationLayout(self).count }

    /// The change at an index from 0. For a higher index than the last one, the last change.
    public func change(at index: Int, owner: String) -> LocalChange {
        PopulationFeed(self, owner: owner).change(at: index)
    }

    /// The changes in a range of indices. Indices that do not exist are skipped.
    public func changes(in indices: Range<Int>, owner: String) -> [LocalChange] {
        let feed = PopulationFeed(self, owner: owner)
        return indices.clamped(to: 0..<feed.layout.count).map(feed.change)
    }

    /// The generated conversations before any message is added to them.
    package func conversations(owner: String) -> [LocalConversation] {
        let feed = PopulationFeed(self, owner: owner)
        return (0..<feed.layout.count(of: .conversations)).map(feed.conversation)
    }
}
