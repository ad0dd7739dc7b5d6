/// The number of items of each kind in a population, within the limits, and the order of the kinds in the list of
/// changes.
struct PopulationLayout: Hashable, Sendable {
    /// The kinds of changes, in their order in the list. A change refers only to items of earlier kinds.
    enum Part: UInt64, CaseIterable {
        case owner, users, friends, friendApplications, blacklist, groups, members, groupApplications, conversations
        case messages, readsAndReactions, reads, calls
    }

    let messages: Int
    let conversations: Int
    let groups: Int
    /// The number of users with a conversation. They have the lowest indices.
    let peers: Int
    let friends: Int
    /// The number of users without a conversation. They apply as friends, are on the blacklist, or apply for groups.
    /// Their indices follow those of the users with a conversation.
    let strangers: Int
    /// The earliest time of a message, in milliseconds since 1970. Only friends and groups are older.
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
        // The first message is at least a day after the start of 1970, so that friends and groups, which are up to a
        // day older, have valid times. The last message is before the end of the year 9999.
        end = min(max(population.endMilliseconds, span + Self.dayMilliseconds), 253_402_300_799_000)
        start = end - span
    }

    var span: Int64 { end - start }
    var users: Int { peers + strangers }
    /// The number of users who apply as friends. They are the first strangers; the users on the blacklist follow.
    var friendApplicants: Int { strangers / 2 }
    var blacklisted: Int { strangers / 4 }
    /// The number of users who can be members of groups. The users after them are in no group, and some apply for one.
    var groupUsers: Int { users - strangers / 4 }
    /// The number of applications for groups: about one for four groups.
    var groupApplications: Int { groups == 0 ? 0 : groups / 4 + 1 }
    /// The number of latest messages that have a read receipt or a reaction.
    var reactedMessages: Int { min(messages, max(100, messages / 50)) }
    var calls: Int { messages == 0 ? 0 : min(messages / 2_000, 2_000) + 2 }

    // MARK: Members

    /// The number of members of the first eight groups, and of each further eight groups.
    private static let sizes = [3, 5, 8, 12, 4, 20, 6, 40]

    /// The number of members of a group, including the owner of the data.
    func members(of group: Int) -> Int { min(Self.sizes[group & 7], groupUsers + 1) }

    private var membersOfEight: Int { (0..<8).reduce(0) { $0 + members(of: $1) } }

    var members: Int {
        groups / 8 * membersOfEight + (0..<(groups & 7)).reduce(0) { $0 + members(of: $1) }
    }

    /// The group of a member, and the member's index in that group.
    ///
    /// - Parameter index: the member's index among the members of all groups.
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

    /// The kind of the change at an index of the list, and its index among the changes of this kind. If the index does
    /// not exist, those of the nearest change.
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

    /// The time of a message, in milliseconds since 1970. It is later than the time of the previous message.
    ///
    /// - Parameter jitter: a random number. Its lowest 20 bits are the offset in the time slot of the message.
    func time(of message: Int, jitter: UInt64) -> Int64 {
        guard messages > 0 else { return start }
        // Each message has a time slot of at least 17 milliseconds, and its time is in the first half of the slot. So
        // the next message is later even after `rhythm` has moved the two closer together.
        let slot = span / Int64(messages)
        let even = Int64(message) * span / Int64(messages) + ((Int64(jitter & 0xF_FFFF) * (slot / 2)) >> 20)
        let day = even / Self.dayMilliseconds * Self.dayMilliseconds
        return start + day + rhythm(even - day)
    }

    /// The percentage of a day's messages in each period of three hours, from midnight on.
    private static let weights: [Int64] = [3, 1, 5, 18, 16, 18, 22, 17]

    /// Moves a time so that few messages are sent at night, in China's time zone.
    ///
    /// - Parameter even: uniformly distributed milliseconds after the start of a day of the history. These days start
    ///   at the time of day of `start`, so that the last day ends at `end`.
    /// - Returns: milliseconds after the start of the same day.
    private func rhythm(_ even: Int64) -> Int64 {
        let day = Self.dayMilliseconds
        let begin = (start + day / 3) % day
        let since = Self.messageShare(before: begin) + even
        let time = Self.time(ofShare: since % day) - begin + (since < day ? 0 : day)
        return min(max(time, 0), day - 1)
    }

    /// The share of a day's messages that are sent before a time of day. The share is in milliseconds: a day is all
    /// messages.
    private static func messageShare(before time: Int64) -> Int64 {
        let period = dayMilliseconds / 8
        let whole = Int(time / period)
        let before = weights[..<whole].reduce(0, +) * dayMilliseconds
        return (before + time % period * 8 * weights[whole]) / 100
    }

    /// The time of day before which this share of the messages is sent: the inverse of ``messageShare(before:)``.
    private static func time(ofShare share: Int64) -> Int64 {
        let period = dayMilliseconds / 8
        var left = share
        for (itemIndex, weight) in weights.enumerated() {
            let width = weight * dayMilliseconds / 100
            if left < width { return Int64(itemIndex) * period + left * period / width }
            left -= width
        }
        return dayMilliseconds - 1
    }
}
