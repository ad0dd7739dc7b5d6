import IMLocalData
import IMProtocol

/// Random inputs for two kinds of stores: changes from the server, and valid and invalid calls of the app.
struct UserDataModel {
    private var random: Draws
    /// The `next` values of answers with several pages. Some later calls use one of them to request the next page.
    private var pages: [String] = []
    private var messageCount = 0
    /// The ids of messages that some calls are about.
    private var combined: [String] = []
    private var inGroups: [(id: String, group: String)] = []
    private var clock: Int64 = 1_700_000_000_000

    init(seed: UInt64) { random = Draws(seed: seed) }

    /// Random numbers from a seed (SplitMix64).
    struct Draws {
        private var state: UInt64

        init(seed: UInt64) { state = seed }

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var z = state
            z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
            z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
            return z ^ (z >> 31)
        }

        mutating func below(_ count: Int) -> Int { Int(next() % UInt64(count)) }
        mutating func pick<Item>(_ items: [Item]) -> Item { items[below(items.count)] }
        mutating func chance(of count: Int) -> Bool { below(count) == 0 }
    }

    static let users = ["alice", "bob", "carol", "dave", "王芳", "eve"]
    static let groups = ["crew", "tea", "bob"]
    private static let words = [
        "电梯", "坏了", "发票", "Lift", "LIFT", "ＬＩＦＴ", "invoice", "a", "ab", "abc", "😀", "é", "ß", "!", " ", "你",
        "你好", "é", "-", "\"", "*",
    ]

    mutating func below(_ count: Int) -> Int { random.below(count) }

    private mutating func text() -> String {
        (0..<random.below(5)).map { _ in random.pick(Self.words) }.joined(separator: random.chance(of: 2) ? " " : "")
    }

    private mutating func user() -> String { random.pick(Self.users) }
    private mutating func group() -> String { random.pick(Self.groups) }
    private mutating func messageName() -> String {
        random.chance(of: 6) ? "#\(random.below(messageCount + 3))" : "m\(random.below(messageCount + 3))"
    }
    private mutating func time() -> Int64 {
        clock += Int64(random.below(3))
        return random.chance(of: 3) ? clock - Int64(random.below(200)) : clock
    }

    private mutating func conversation() -> ConversationID {
        random.chance(of: 3) ? ConversationID(kind: .group, id: group()) : ConversationID(kind: .peer, id: user())
    }

    // MARK: Changes

    mutating func change() -> LocalChange {
        switch random.below(30) {
        case 0: return .user(LocalUser(id: user(), name: text(), avatarURL: text(), extendedData: text()))
        case 1:
            return .friend(
                LocalFriend(
                    user: user(), alias: text(), attributes: [AnswerField(name: "k", value: text())], createTime: time()
                ))
        case 2: return .friendRemoved(user())
        case 3:
            return .friendApplication(
                FriendApplication(
                    user: user(), isReceived: random.chance(of: 2), state: random.pick(ApplicationState.allCases)))
        case 4: return .blacklisted(user(), !random.chance(of: 3))
        case 5:
            var group = LocalGroup(id: group(), name: text())
            group.attributes = [AnswerField(name: "a", value: text()), AnswerField(name: "b", value: "2")]
            group.notice = text()
            group.notifies = random.chance(of: 2)
            return .group(group)
        case 6: return random.chance(of: 4) ? .groupRemoved(group()) : .memberRemoved(group: group(), user: user())
        case 7, 8:
            var member = GroupMember(
                user: user(), nickname: text(), role: random.pick(GroupMember.Role.allCases),
                mutedUntil: random.chance(of: 2) ? 0 : random.chance(of: 3) ? -1 : time() + 50)
            if random.chance(of: 3) { member.place = UInt32(1 + random.below(6)) }
            return .member(group: group(), member)
        case 9:
            return .groupApplication(
                GroupApplication(group: group(), user: user(), kind: random.pick(GroupApplication.Kind.allCases)))
        case 10: return .messageRevoked(id: messageName())
        case 11: return random.chance(of: 3) ? .messagesRemoved(["m\(random.below(messageCount + 3))"]) : .call(call())
        case 12: return .read(messages: [messageName(), messageName()], by: user())
        case 13, 14:
            return .reaction(
                message: messageName(), LocalMessage.Reaction(type: random.pick(["heart", "👍"]), user: user()),
                isOn: !random.chance(of: 3))
        case 15:
            var conversation = LocalConversation(id: conversation(), name: text())
            conversation.alias = text()
            conversation.isPinned = random.chance(of: 3)
            conversation.notifies = random.chance(of: 2)
            if random.chance(of: 3) { conversation.messageTime = time() }
            return .conversation(conversation)
        case 16: return .readElsewhere(conversation(), upTo: time())
        case 17:
            return random.chance(of: 5) ? .conversationRemoved(conversation(), upTo: time()) : .message(message())
        case 18: return .downloaded(message: messageName(), at: time())
        default: return .message(message())
        }
    }

    private mutating func call() -> CallInvitation {
        CallInvitation(
            id: "c\(random.below(9))", caller: user(), inviter: user(), createTime: time(),
            endTime: random.chance(of: 2) ? 0 : time(), users: [user(), user()])
    }

    private mutating func message() -> LocalMessage {
        // Some messages arrive twice.
        if !random.chance(of: 5) { messageCount += 1 }
        var message = LocalMessage(
            id: "m\(messageCount)", conversation: conversation(), sender: user(),
            kind: random.pick(LocalMessage.Kind.allCases), text: text(), timestamp: time(),
            sequence: random.chance(of: 6) ? 0 : Int64(messageCount))
        if random.chance(of: 4) {
            message.file = LocalMessage.File(
                name: text() + ".png", size: Int64(random.below(9000)),
                downloadedAt: random.chance(of: 2) ? nil : time())
        }
        if random.chance(of: 4) { message.extendedData = text() }
        if random.chance(of: 5) { message.mentioned = [user()] }
        if random.chance(of: 5) { message.repliesTo = messageName() }
        message.wantsReceipts = random.chance(of: 3)
        message.sentStatus = random.chance(of: 5) ? .sending : .success
        if message.kind == .combine {
            let part = LocalMessage(
                id: "p", conversation: message.conversation, sender: user(), text: text(), timestamp: 5)
            message.parts = [part, part]
            combined.append(message.id)
        }
        if message.conversation.kind == .group { inGroups.append((message.id, message.conversation.id)) }
        return message
    }

    // MARK: Calls

    /// A random call. Most arguments are valid.
    mutating func request() -> LocalRequest {
        // These calls rarely find the message or group that their arguments name, so they are chosen more often.
        let rare: [LocalCall] = [
            .queryCombineMessageDetail, .queryGroupMessageReceiptReadMemberList,
            .queryGroupMessageReceiptUnreadMemberList, .queryGroupMemberInfo,
        ]
        let call = random.pick(random.chance(of: 6) ? rare : LocalCall.allCases.filter { !$0.usesFolder })
        var arguments: [(String, String)] = []
        for parameter in call.declaration.parameters {
            if parameter.defaultValue != nil, !parameter.queriesServer, random.chance(of: 2) { continue }
            if parameter.queriesServer { continue }
            if random.chance(of: 60) { continue }
            arguments.append((parameter.name, random.chance(of: 60) ? "?" : value(parameter)))
        }
        useKnownMessage(call, &arguments)
        return LocalRequest(call, arguments, deviceMilliseconds: time())
    }

    /// Usually replaces the message in a call's arguments by one that the call can find.
    private mutating func useKnownMessage(_ call: LocalCall, _ arguments: inout [(String, String)]) {
        guard !random.chance(of: 4), let index = arguments.firstIndex(where: { $0.0 == "message" }) else { return }
        switch call {
        case .queryCombineMessageDetail where !combined.isEmpty: arguments[index].1 = random.pick(combined)
        case .queryGroupMessageReceiptReadMemberList, .queryGroupMessageReceiptUnreadMemberList:
            guard !inGroups.isEmpty, let group = arguments.firstIndex(where: { $0.0 == "groupID" }) else { return }
            let message = random.pick(inGroups)
            arguments[index].1 = message.id
            arguments[group].1 = message.group
        default: break
        }
    }

    mutating func note(_ answer: LocalAnswer) {
        guard !answer.next.isEmpty else { return }
        pages.append(answer.next)
        if pages.count > 20 { pages.removeFirst() }
    }

    private mutating func value(_ parameter: LocalParameter) -> String {
        switch parameter.kind {
        case .identifier:
            switch parameter.name {
            case "groupID": return group()
            case "conversationID": return random.chance(of: 3) ? group() : user()
            case "reactionType": return random.pick(["heart", "👍"])
            default: return user()
            }
        case .identifiers: return parameter.name == "keys" ? "a,b" : "\(user()),\(user())"
        case .keywords:
            let first = random.pick(Self.words.filter { $0 != "," })
            return random.chance(of: 3) ? "\(first),\(random.pick(Self.words))" : first
        case .text: return text()
        case .count: return String(1 + random.below(4))
        case .nextFlag: return pages.isEmpty || random.chance(of: 2) ? "0" : random.pick(pages)
        case .position: return pages.isEmpty || random.chance(of: 2) ? "" : random.pick(pages)
        case .message: return messageName()
        case .messages: return "\(messageName()),\(messageName())"
        case .time: return random.chance(of: 3) ? "0" : String(time())
        case .flag: return random.chance(of: 2) ? "true" : "false"
        case .choice(let choices): return random.pick(choices).name
        case .choices(let choices): return "\(random.pick(choices).name),\(random.pick(choices).name)"
        case .folder: return "x"
        }
    }
}
