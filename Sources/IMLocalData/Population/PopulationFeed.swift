import SansIO

/// Generates the changes of a population for one user, each from its index.
struct PopulationFeed: Sendable {
    let layout: PopulationLayout
    let owner: String
    /// The seed of people. It does not depend on the owner of the data, so an id belongs to the same person in the data
    /// of every user.
    let seed: UInt64
    /// The seed of everything else. It depends on the owner of the data.
    let key: UInt64
    let hasFiles: Bool
    /// The prefix of the ids of messages and calls.
    let prefix: String

    init(_ population: Population, owner: String) {
        layout = PopulationLayout(population)
        self.owner = owner
        var mixed = SeededRandom(seed: population.seed)
        seed = mixed.next()
        mixed = SeededRandom(seed: seed ^ PopulationDraw.key(of: owner))
        key = mixed.next()
        hasFiles = population.hasFiles
        prefix = String(key >> 32, radix: 36)
    }

    typealias Part = PopulationLayout.Part

    func random(_ part: Part, _ index: Int) -> SeededRandom { SeededRandom(key, part.rawValue, index) }

    func change(at itemIndex: Int) -> LocalChange {
        let (part, index) = layout.part(at: itemIndex)
        switch part {
        case .owner: return .user(ownUser)
        case .users: return .user(user(index))
        case .friends: return .friend(friend(index))
        case .friendApplications: return .friendApplication(friendApplication(index))
        case .blacklist: return .blacklisted(userID(layout.peers + layout.friendApplicants + index), true)
        case .groups: return .group(group(index))
        case .members:
            let (group, itemIndex) = layout.member(at: index)
            return .member(group: groupID(group), member(itemIndex, of: group))
        case .groupApplications: return .groupApplication(groupApplication(index))
        case .conversations: return .conversation(conversation(index))
        case .messages: return .message(message(index))
        case .readsAndReactions: return readsAndReactions(layout.messages - layout.reactedMessages + index)
        case .reads: return read(index)
        case .calls: return .call(call(index))
        }
    }

    // MARK: Conversations

    /// The id of a conversation. The conversations with users precede those of groups.
    func conversationID(_ index: Int) -> ConversationID {
        index < layout.peers
            ? ConversationID(kind: .peer, id: userID(index))
            : ConversationID(kind: .group, id: groupID(index - layout.peers))
    }

    func conversation(_ index: Int) -> LocalConversation {
        var random = random(.conversations, index)
        let isPeer = index < layout.peers
        var conversation = LocalConversation(
            id: conversationID(index),
            name: isPeer ? person(index).name : groupName(index - layout.peers).name)
        conversation.isPinned = random.below(40) == 0
        conversation.notifies = random.below(12) != 0
        if random.percent(4) { conversation.alias = random.one(of: PopulationNames.conversationAliases) }
        conversation.avatarURL = "https://img.example.com/c/\(index + 1).png"
        return conversation
    }

    /// The owner of the data has read a conversation on another device: 85 % of the conversations completely, the
    /// others up to a time in the last days.
    private func read(_ index: Int) -> LocalChange {
        var random = random(.reads, index)
        let days = min(layout.span, 7 * PopulationLayout.dayMilliseconds)
        let time = random.percent(85) ? layout.end : random.time(before: layout.end, within: days)
        return .readElsewhere(conversationID(index), upTo: time)
    }

    // MARK: Calls

    private func call(_ index: Int) -> CallInvitation {
        var random = random(.calls, index)
        let slot = layout.span / Int64(layout.calls)
        let time = layout.start + Int64(index) * slot + Int64(random.below(UInt64(slot / 2)))
        var users: [String] = []
        let first = random.itemIndex(layout.users)
        for step in 0..<(1 + random.itemIndex(3)) {
            // Users with adjacent indices, so that none is invited twice. There are at least four users.
            users.append(userID((first + step) % layout.users))
        }
        let caller = random.percent(50) ? owner : users[0]
        if caller != owner { users[0] = owner }
        let length = Int64(10_000 + random.below(1_800_000))
        // The last call is still running.
        let isRunning = index == layout.calls - 1
        return CallInvitation(
            id: "call-\(prefix)-\(index + 1)", caller: caller, inviter: caller, createTime: time,
            endTime: isRunning ? 0 : min(time + length, layout.end), users: users)
    }
}
