/// The number of items of each kind, within the limits, and their order among a user's changes.
struct PopulationLayout: Hashable, Sendable {
    /// The kinds of changes in their order: each comes after those that it refers to.
    enum Part: UInt64, CaseIterable {
        case owner, users, friends, friendApplications, blacklist, groups, members, groupApplications, conversations
        case messages, readsAndReactions, reads, calls
    }

    let messages: Int
    let conversations: Int
    let groups: Int
    /// Users with a conversation; they are the first ones.
    let peers: Int
    let friends: Int
    /// Users after the peers: they apply as friends, are on the blacklist, or apply for groups.
    let strangers: Int
    /// The earliest time of a message; only people and groups are older.
    let start: Int64
    let end: Int64

    static let dayMilliseconds: Int64 = 86_400_000

    init(_ population: Population) {
        messages = min(max(population.messages, 0), Population.messagesMax)
        let fewest = messages > 0 ? 1 : 0
        conversations = min(max(population.conversations, fewest), Population.conversationsMax)
        groups = min(max(population.groups, 0), conversations)
        peers = conversations - groups
        friends = min(max(population.friends, 0), peers)
        strangers = peers / 10 + 4
        let days = Int64(min(max(population.days, 1), Population.daysMax))
        let span = days * Self.dayMilliseconds
        // Leaves a day before the first message, after 1970; and ends before the year 9999 does.
        end = min(max(population.endMilliseconds, span + Self.dayMilliseconds), 253_402_300_799_000)
        start = end - span
    }

    var span: Int64 { end - start }
    var users: Int { peers + strangers }
    /// The first strangers, who apply as friends; those on the blacklist follow.
    var friendApplicants: Int { strangers / 2 }
    var blacklisted: Int { strangers / 4 }
    /// The number of users who may be in groups. The last users are in no group; some of them apply for one.
    var groupUsers: Int { users - strangers / 4 }
    /// One application for every fourth group.
    var groupApplications: Int { groups == 0 ? 0 : groups / 4 + 1 }
    /// The number of latest messages that have a read receipt or a reaction.
    var reactedMessages: Int { min(messages, max(100, messages / 50)) }
    var calls: Int { messages == 0 ? 0 : min(messages / 2_000, 2_000) + 2 }

    // MARK: Members

    /// The sizes of groups, repeated for every eight groups.
    private static let sizes = [3, 5, 8, 12, 4, 20, 6, 40]

    /// The number of members of a group, including the owner of the data.
    func members(of group: Int) -> Int { min(Self.sizes[group & 7], groupUsers + 1) }

    private var membersOfEight: Int { (0..<8).reduce(0) { $0 + members(of: $1) } }

    var members: Int {
        groups / 8 * membersOfEight + (0..<(groups & 7)).reduce(0) { $0 + members(of: $1) }
    }

    /// The group of a member, and the member's index in it.
    func member(at index: Int) -> (group: Int, itemIndex: Int) {
        var group = index / membersOfEight * 8
        var itemIndex = index % membersOfEight
        while itemIndex >= members(of: group) {
            itemIndex -= members(of: group)
            group += 1
        }
        return (group, itemIndex)
    }

    // MARK: Indices

    func count(of part: Part) -> Int {
        switch part {
        case .owner: 1
        case .users: users
        case .friends: friends
        case .friendApplications: friendApplicants
        case .blacklist: blacklisted
        case .groups: groups
        case .members: members
        case .groupApplications: groupApplications
        case .conversations, .reads: conversations
        case .messages: messages
        case .readsAndReactions: reactedMessages
        case .calls: calls
        }
    }

    var count: Int { Part.allCases.reduce(0) { $0 + count(of: $1) } }

    /// The part at an index, and the index in the part; the nearest one if the index does not exist.
    func part(at index: Int) -> (part: Part, index: Int) {
        var left = max(index, 0)
        var last = (part: Part.owner, index: 0)
        for part in Part.allCases {
            let count = count(of: part)
            if left < count { return (part, left) }
            if count > 0 { last = (part, count - 1) }
            left -= count
        }
        return last
    }

    /// The time of a message: each is later than the one before.
    ///
    /// - Parameter jitter: its lowest 20 bits are the offset in the message's time slot.
    func time(of message: Int, jitter: UInt64) -> Int64 {
        guard messages > 0 else { return start }
        // A slot for each message, of at least 17 milliseconds. The message is in its first half, so that the next one
        // is later even if the day's rhythm moves both closer.
        let slot = span / Int64(messages)
        let even = Int64(message) * span / Int64(messages) + ((Int64(jitter & 0xF_FFFF) * (slot / 2)) >> 20)
        let day = even / Self.dayMilliseconds * Self.dayMilliseconds
        return start + day + rhythm(even - day)
    }

    /// The percentage of a day's messages in each three hours, from midnight on.
    private static let weights: [Int64] = [3, 1, 5, 18, 16, 18, 22, 17]

    /// Maps a uniform time after the start of a day of the history so that people sleep at night, in China's time zone.
    /// These days begin at the hour of the start, so that the last one ends with the history.
    private func rhythm(_ even: Int64) -> Int64 {
        let day = Self.dayMilliseconds
        let begin = (start + day / 3) % day
        let since = Self.evened(begin) + even
        let time = Self.bent(since % day) - begin + (since < day ? 0 : day)
        return min(max(time, 0), day - 1)
    }

    /// The fraction of a day's messages before a time of day, as a fraction of the day.
    private static func evened(_ time: Int64) -> Int64 {
        let stretch = dayMilliseconds / 8
        let whole = Int(time / stretch)
        let before = weights[..<whole].reduce(0, +) * dayMilliseconds
        return (before + time % stretch * 8 * weights[whole]) / 100
    }

    /// The time of day before which that fraction of the messages comes: the inverse of ``evened(_:)``.
    private static func bent(_ even: Int64) -> Int64 {
        let stretch = dayMilliseconds / 8
        var left = even
        for (itemIndex, weight) in weights.enumerated() {
            let width = weight * dayMilliseconds / 100
            if left < width { return Int64(itemIndex) * stretch + left * stretch / width }
            left -= width
        }
        return dayMilliseconds - 1
    }
}
