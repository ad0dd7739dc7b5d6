import IMProtocol
import SansIO
import Testing

@testable import IMLocalData

/// Populations as functions of a seed and an index.
@Suite struct PopulationTests {
    static let end: Int64 = 1_750_000_000_000
    static let small = Population(
        seed: 7, messages: 20_000, conversations: 300, days: 90, endMilliseconds: end, hasFiles: true)

    static func all(_ population: Population, owner: String = "alice") -> [LocalChange] {
        population.changes(in: 0..<population.count(owner: owner), owner: owner)
    }

    /// Computed once for all tests.
    static let whole = all(small)

    static func messages(_ population: Population, owner: String = "alice") -> [LocalMessage] {
        messages(all(population, owner: owner))
    }

    static func messages(_ changes: [LocalChange]) -> [LocalMessage] {
        changes.compactMap { change in
            guard case .message(let message) = change else { return nil }
            return message
        }
    }

    /// A checksum of the changes with all their fields.
    static func digest(_ changes: some Sequence<LocalChange>) -> UInt64 {
        PopulationDraw.key(
            of: changes.map { change in
                let record = change.record()
                return "\(record.kind) " + record.fields.map { "\($0.name)=\($0.value)" }.joined(separator: " ")
            }.joined(separator: "\n"))
    }

    @Test("a change is the same, independent of the way of access")
    func changesDependOnlyOnTheIndex() throws {
        let population = Self.small
        let count = population.count(owner: "alice")
        let whole = Self.whole
        #expect(whole.count == count)
        for itemIndex in stride(from: count - 1, through: 0, by: -37) {
            #expect(population.change(at: itemIndex, owner: "alice") == whole[itemIndex])
        }
        var pages: [LocalChange] = []
        for start in stride(from: 0, to: count, by: 997) {
            pages += population.changes(in: start..<(start + 997), owner: "alice")
        }
        #expect(pages == whole)
        #expect(population.changes(in: count..<(count + 5), owner: "alice").isEmpty)
        #expect(population.change(at: count + 5, owner: "alice") == whole.last)
        #expect(population.change(at: -1, owner: "alice") == whole.first)
    }

    @Test("another seed or another user gives another population")
    func otherSeeds() {
        var other = Self.small
        other.seed += 1
        let (ownMessages, otherOwners, messagesOfOtherSeed) = (
            Self.messages(Self.whole), Self.messages(Self.small, owner: "bob"), Self.messages(other)
        )
        #expect(zip(ownMessages, messagesOfOtherSeed).count { $0.text == $1.text } < 2_500)
        #expect(zip(ownMessages, otherOwners).count { $0.text == $1.text } < 2_500)
        #expect(zip(ownMessages, otherOwners).allSatisfy { $0.id != $1.id })
    }

    @Test("the changes of one seed never change")
    func golden() {
        let changes = Self.small.changes(in: 0..<2_000, owner: "alice")
        #expect(changes.count == 2_000)
        #expect(Self.digest(changes) == 3969778385376227972)
        #expect(Self.digest(Self.whole) == 11748671217215696704)
    }

    @Test("each message is later than the previous one, even at the highest density")
    func risingTimes() {
        for (messages, days) in [(20_000, 90), (5_000_000, 1), (1, 1), (3, 3_650), (1_000_000, 365)] {
            let population = Population(seed: 3, messages: messages, days: days, endMilliseconds: Self.end)
            let first = population.count(owner: "alice") - PopulationLayout(population).countBehindMessages - messages
            var last = Self.end - Int64(days) * 86_400_000 - 1
            for start in stride(from: 0, to: messages, by: max(20_000, messages / 8)) {
                for index in start..<min(start + 20_000, messages) where index % 4 < 2 || messages < 50_000 {
                    guard case .message(let message) = population.change(at: first + index, owner: "alice") else {
                        Issue.record("no message at \(index)")
                        return
                    }
                    #expect(message.timestamp > last && message.sequence == Int64(index) + 1)
                    last = message.timestamp
                }
            }
            #expect(last < Self.end)
        }
    }

    @Test("every object that a change names exists before it")
    func references() {
        var (users, groups, conversations, messages): (Set<String>, Set<String>, Set<ConversationID>, Set<String>) =
            ([], [], [], [])
        var members: Set<String> = []
        func known(_ names: [String]) { #expect(names.allSatisfy(users.contains), "\(names)") }
        for change in Self.whole {
            switch change {
            case .user(let user): #expect(users.insert(user.id).inserted && !user.name.isEmpty)
            case .friend(let friend): known([friend.user])
            case .friendApplication(let application):
                known([application.user])
                #expect(application.updateTime >= application.createTime && application.updateTime < Self.end)
            case .blacklisted(let user, _): known([user])
            case .group(let group): #expect(groups.insert(group.id).inserted)
            case .member(let group, let member):
                known([member.user])
                #expect(groups.contains(group) && members.insert("\(group) \(member.user)").inserted)
            case .groupApplication(let application):
                known([application.user])
                #expect(groups.contains(application.group))
                #expect(!members.contains("\(application.group) \(application.user)"))
            case .conversation(let conversation):
                #expect(conversations.insert(conversation.id).inserted)
                #expect((conversation.id.kind == .peer ? users : groups).contains(conversation.id.id))
            case .message(let message):
                #expect(conversations.contains(message.conversation))
                let isGroup = message.conversation.kind == .group
                for user in [message.sender] + message.mentioned + message.parts.map(\.sender) {
                    #expect(
                        isGroup
                            ? members.contains("\(message.conversation.id) \(user)")
                            : user == "alice" || user == message.conversation.id)
                }
                #expect(message.repliesTo.isEmpty || messages.contains(message.repliesTo))
                #expect(messages.insert(message.id).inserted)
            case .read(let names, let user):
                known([user])
                #expect(names.allSatisfy(messages.contains))
            case .reaction(let message, let reaction, _):
                known([reaction.user])
                #expect(messages.contains(message))
            case .readElsewhere(let id, let time): #expect(conversations.contains(id) && time <= Self.end)
            case .call(let call): known([call.caller, call.inviter] + call.users)
            default: Issue.record("\(change) is not made")
            }
        }
    }

    @Test("a change is unchanged after it was sent and received")
    func records() {
        for change in Self.whole { #expect(LocalChange(change.record()) == change) }
    }

    @Test("a reply refers to a message of the same conversation")
    func replies() {
        let messages = Self.messages(Self.whole)
        let byID = Dictionary(uniqueKeysWithValues: messages.map { ($0.id, $0.conversation) })
        let replies = messages.filter { !$0.repliesTo.isEmpty }
        #expect(replies.allSatisfy { byID[$0.repliesTo] == $0.conversation } && replies.count > 500)
    }

    @Test("a shuffled order is a permutation")
    func shuffle() {
        for count in [1, 2, 3, 7, 8, 9, 300, 4_096, 10_000] {
            let positions = (0..<count).map { PopulationDraw.shuffled($0, of: count, key: 42) }
            #expect(Set(positions) == Set(0..<count))
            if count > 100 { #expect(positions != Array(0..<count)) }
        }
        #expect(PopulationDraw.shuffled(5, of: 5, key: 1) == 0 && PopulationDraw.shuffled(-1, of: 5, key: 1) == 0)
    }

    @Test("no numbers are too large, too small or negative")
    func extremes() {
        var random = SeededRandom(seed: 11)
        let odd = [
            Int.min, Int.min + 1, -1, 0, 1, 2, 3, 9, 1_000, 4_999_999, 5_000_001, Int(Int32.max), Int.max - 1, .max,
        ]
        func any() -> Int {
            random.below(4) == 0
                ? Int(truncatingIfNeeded: Int64(bitPattern: random.next())) : odd[Int(random.below(UInt64(odd.count)))]
        }
        for _ in 0..<1_500 {
            var population = Population(
                seed: random.next(), messages: any(), conversations: any(), groups: any(), friends: any(), days: any(),
                endMilliseconds: Int64(any()), hasFiles: true)
            if random.below(4) == 0 { population = Population(seed: 1, messages: any(), endMilliseconds: Int64(any())) }
            let owner = ["", "alice", "王芳", "\u{0}"][Int(random.below(4))]
            let count = population.count(owner: owner)
            #expect((1...6_500_000).contains(count))
            for itemIndex in [
                0, count / 2, count - 1, Int(random.below(UInt64(count))), Int(random.below(UInt64(count))), any(),
            ] {
                let change = population.change(at: itemIndex, owner: owner)
                guard case .message(let message) = change else { continue }
                #expect(message.timestamp > 0 && !message.conversation.id.isEmpty)
            }
            _ = population.changes(in: (count - 3)..<Int.max, owner: owner)
        }
    }

    @Test("no user has a conversation with themselves, whatever their name")
    func ownName() {
        guard case .user(let somebody) = Self.small.change(at: 5, owner: "alice") else { return }
        let changes = Self.all(Self.small, owner: somebody.id)
        let users = changes.compactMap { if case .user(let user) = $0 { user.id } else { nil } }
        #expect(Set(users).count == users.count && users.first == somebody.id)
    }
}

extension PopulationLayout {
    /// The changes after the messages.
    var countBehindMessages: Int { count(of: .readsAndReactions) + count(of: .reads) + count(of: .calls) }
}
