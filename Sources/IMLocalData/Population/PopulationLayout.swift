/// How many there are of each, within the bounds, and in what order they stand among a user's changes.
struct PopulationLayout: Hashable, Sendable {
    /// What the changes are about, in the order in which they come: nothing before what it names.
    enum Part: UInt64, CaseIterable {
        case owner, users, friends, friendApplications, blacklist, groups, members, groupApplications, conversations
        case messages, afterwards, reads, calls
    }

    let messages: Int
    let conversations: Int
    let groups: Int
    /// Users with whom there is a conversation; they are the first ones.
    let peers: Int
    let friends: Int
    /// Users behind the peers: they want to be friends, are shut out, or want to be in a group.
    let strangers: Int
    /// When the first message can be; nothing is before it but how people and groups came to be.
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
        // Room for a day before the first message, after 1970; and no later than the year 9999.
        end = min(max(population.endMilliseconds, span + Self.dayMilliseconds), 253_402_300_799_000)
        start = end - span
    }

    var span: Int64 { end - start }
    var users: Int { peers + strangers }
    /// Those of the strangers who want to be friends, and behind them those who are shut out.
    var friendApplicants: Int { strangers / 2 }
    var blacklisted: Int { strangers / 4 }
    /// The last users are in no group; some of them want to be.
    var groupable: Int { users - strangers / 4 }
    /// For every fourth group somebody wants to be in it.
    var groupApplications: Int { groups == 0 ? 0 : groups / 4 + 1 }
    /// The latest messages, on each of which somebody did something.
    var touched: Int { min(messages, max(100, messages / 50)) }
    var calls: Int { messages == 0 ? 0 : min(messages / 2_000, 2_000) + 2 }

    // MARK: Members

    /// The sizes of groups, of which each is the one eight groups before.
    private static let sizes = [3, 5, 8, 12, 4, 20, 6, 40]

    /// Members of a group, its user among them.
    func members(of group: Int) -> Int { min(Self.sizes[group & 7], groupable + 1) }

    private var membersOfEight: Int { (0..<8).reduce(0) { $0 + members(of: $1) } }

    var members: Int {
        groups / 8 * membersOfEight + (0..<(groups & 7)).reduce(0) { $0 + members(of: $1) }
    }

    /// The group of a member, and the member's place in it.
    func member(at index: Int) -> (group: Int, place: Int) {
        var group = index / membersOfEight * 8
        var place = index % membersOfEight
        while place >= members(of: group) {
            place -= members(of: group)
            group += 1
        }
        return (group, place)
    }

    // MARK: Places

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
        case .afterwards: touched
        case .calls: calls
        }
    }

    var count: Int { Part.allCases.reduce(0) { $0 + count(of: $1) } }

    /// What stands at a place, and its own number among its like; the nearest place stands for one that there is not.
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

    /// When a message is, from 0 to the number of messages: each later than the one before.
    ///
    /// - Parameter jitter: its lowest 20 bits say where in its stretch of time.
    func time(of message: Int, jitter: UInt64) -> Int64 {
        guard messages > 0 else { return start }
        // A slot for each message, of 17 milliseconds at least: in the first half of it, so that the next one is later
        // even where the day's rhythm brings both nearer.
        let slot = span / Int64(messages)
        let even = Int64(message) * span / Int64(messages) + ((Int64(jitter & 0xF_FFFF) * (slot / 2)) >> 20)
        let day = even / Self.dayMilliseconds * Self.dayMilliseconds
        return start + day + rhythm(even - day)
    }

    /// Of a hundred messages of a day, those of each three hours, from midnight on.
    private static let weights: [Int64] = [3, 1, 5, 18, 16, 18, 22, 17]

    /// Bends an evenly spread time since the start of a day of ours so that people sleep at night, by the clock of China.
    /// Days of ours begin at the hour of the start, so that the last one ends with the history.
    private func rhythm(_ even: Int64) -> Int64 {
        let day = Self.dayMilliseconds
        let begin = (start + day / 3) % day
        let since = Self.evened(begin) + even
        let time = Self.bent(since % day) - begin + (since < day ? 0 : day)
        return min(max(time, 0), day - 1)
    }

    /// The part of a day's messages that come before a time of day, as a part of the day.
    private static func evened(_ time: Int64) -> Int64 {
        let stretch = dayMilliseconds / 8
        let whole = Int(time / stretch)
        let before = weights[..<whole].reduce(0, +) * dayMilliseconds
        return (before + time % stretch * 8 * weights[whole]) / 100
    }

    /// The time of day before which such a part of the messages comes: the way back from ``evened(_:)``.
    private static func bent(_ even: Int64) -> Int64 {
        let stretch = dayMilliseconds / 8
        var left = even
        for (place, weight) in weights.enumerated() {
            let width = weight * dayMilliseconds / 100
            if left < width { return Int64(place) * stretch + left * stretch / width }
            left -= width
        }
        return dayMilliseconds - 1
    }
}
