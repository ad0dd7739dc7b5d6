import IMLocalData
import IMProtocol
import SansIO
import Testing

@testable import IMServer

/// Tests of the changes that operations make to the server's data, and of the notifications to the user's other devices
/// (CHAT-8, CHAT-9).
@Suite struct OperationChangeTests {
    /// The target of an operation that changes something. `People` or the operations in `before` create it.
    private struct Case {
        var target: String
        var ext = ""
        var before: [(OperationKind, String)] = []
    }

    private func example(of kind: OperationKind) -> Case {
        switch kind {
        case .contactRemove, .contactBan: Case(target: "bob")
        case .contactAccept, .contactDecline: Case(target: "carol")
        case .contactAllow: Case(target: "bob", before: [(.contactBan, "")])
        case .groupCreate: Case(target: "new", ext: "New")
        case .groupDestroy: Case(target: "tea")
        case .groupJoin: Case(target: "book")
        case .groupLeave: Case(target: "tea")
        case .groupApply: Case(target: "book", ext: "let me in")
        case .groupApplyAccept, .groupApplyDecline: Case(target: "tea", ext: "carol")
        case .groupInvite: Case(target: "tea", ext: "dave")
        case .groupInviteAccept, .groupInviteDecline: Case(target: "chess")
        case .groupKick, .groupBan, .groupAssignOwner, .groupAddAdmin, .groupAddMute, .groupAddWhiteList:
            Case(target: "tea", ext: "bob")
        case .groupAllow: Case(target: "tea", ext: "bob", before: [(.groupBan, "bob")])
        case .groupRemoveAdmin: Case(target: "tea", ext: "bob", before: [(.groupAddAdmin, "bob")])
        case .groupRemoveMute: Case(target: "tea", ext: "bob", before: [(.groupAddMute, "bob")])
        case .groupRemoveWhiteList: Case(target: "tea", ext: "bob", before: [(.groupAddWhiteList, "bob")])
        case .groupBlock, .groupAllBan: Case(target: "tea")
        case .groupUnblock: Case(target: "tea", before: [(.groupBlock, "")])
        case .groupRemoveAllBan: Case(target: "tea", before: [(.groupAllBan, "")])
        case .groupUpdate: Case(target: "tea", ext: "Tea at four")
        case .groupMemberAttributesChanged: Case(target: "tea", ext: "brings=cake")
        case .threadCreate: Case(target: "bread", ext: "tea")
        case .threadDestroy, .threadLeave: Case(target: "cake")
        case .threadJoin: Case(target: "page")
        case .threadUpdate: Case(target: "cake", ext: "which cake")
        case .threadKick: Case(target: "cake", ext: "bob")
        case .conversationPinned, .conversationDelete, .conversationMuteInfoChanged, .messagesRemoved,
            .conversationRead:
            Case(target: "bob")
        case .conversationUnpinned: Case(target: "bob", before: [(.conversationPinned, "")])
        case .conversationUpdateMark: Case(target: "bob", ext: "urgent,work")
        case .messageRead: Case(target: "m1")
        }
    }

    private func prepared(for kind: OperationKind) -> (People, Case) {
        let people = People()
        let example = example(of: kind)
        for (first, ext) in example.before {
            #expect(people.operate(1, first, example.target, ext).last == "1 operation-ack ok")
        }
        return (people, example)
    }

    @Test(
        "CHAT-8 CHAT-9: every operation changes the data, and is reported to present and absent devices",
        arguments: OperationKind.allCases)
    func eachIsReported(_ kind: OperationKind) {
        let (people, example) = prepared(for: kind)
        let before = people.data
        let lines = people.operate(1, kind, example.target, example.ext)
        #expect(lines.filter { $0.contains("operat") } == ["2 operated", "1 operation-ack ok"])
        #expect(people.data != before)
        let pending = people.machine.accounts["alice"]?.devices["c"]?.operations.last
        #expect(pending?.kind == kind && pending?.target == example.target && pending?.ext == example.ext)
        #expect(pending?.device == "a")
        // The devices of other users get no operations. They are notified by changes of their data.
        #expect(people.machine.accounts["bob"]?.devices["d"]?.operations == [])
    }

    @Test("CHAT-8: a change of the data is reported as the operation that makes it", arguments: OperationKind.allCases)
    func changeAsOperation(_ kind: OperationKind) {
        let (people, example) = prepared(for: kind)
        let original = DeviceOperation(id: "", kind: kind, target: example.target, ext: example.ext)
        guard case .change(let change) = people.machine.meaning(of: original, by: "alice") else {
            Issue.record("refused")
            return
        }
        #expect(people.machine.operations(of: change, by: "alice") == [original])
        let lines = people.change(1, change)
        #expect(lines.filter { $0.contains("operat") } == ["2 operated"] && lines.last == "1 change-ack ok")
    }

    @Test("CHAT-8: an operation that changes nothing is reported to nobody", arguments: OperationKind.allCases)
    func repeatedOperation(_ kind: OperationKind) {
        let (people, example) = prepared(for: kind)
        #expect(people.operate(1, kind, example.target, example.ext).last == "1 operation-ack ok")
        let count = people.machine.accounts["alice"]?.devices["c"]?.operations.count
        let lines = people.operate(1, kind, example.target, example.ext)
        switch kind {
        // These operations contain a time or toggle a value, so they also change something when repeated.
        case .conversationDelete, .messagesRemoved, .conversationRead, .conversationMuteInfoChanged, .messageRead,
            .groupApply, .groupInvite:
            #expect(lines.contains("2 operated"))
        default:
            #expect(!lines.contains("2 operated"))
            #expect(people.machine.accounts["alice"]?.devices["c"]?.operations.count == count)
        }
    }

    @Test("CHAT-8: changes survive a restart of the server", arguments: OperationKind.allCases)
    func restart(_ kind: OperationKind) throws {
        let (people, example) = prepared(for: kind)
        people.operate(1, kind, example.target, example.ext)
        var next = ServerMachine(policy: people.machine.policy, epochMilliseconds: ServerTranscript.noon)
        next.restore(people.machine.keptAccounts)
        let (now, before) = (People.data(of: next), people.data)
        #expect(now.groups == before.groups)
        #expect(now.members == before.members)
        #expect(now.feeds == before.feeds)
        #expect(next.accounts["alice"]?.devices["c"]?.operations.last?.kind == kind)
    }

    @Test("CHAT-8: a forbidden operation changes nothing, and is reported to nobody")
    func refused() {
        let cases: [(id: UInt32, kind: OperationKind, target: String, ext: String, status: String)] = [
            (1, .contactAccept, "dave", "", "not-found"),
            (1, .contactAccept, "bob", "", "not-found"), (1, .contactBan, "nobody", "", "not-found"),
            (1, .contactBan, "alice", "", "not-found"), (1, .groupCreate, "tea", "", "forbidden"),
            (1, .groupDestroy, "nothing", "", "not-found"), (4, .groupDestroy, "tea", "", "forbidden"),
            (1, .groupJoin, "nothing", "", "not-found"), (1, .groupLeave, "book", "", "not-found"),
            (1, .groupKick, "tea", "", "invalid-argument"), (1, .groupKick, "tea", "dave", "not-found"),
            (4, .groupKick, "tea", "alice", "forbidden"), (4, .groupAddAdmin, "tea", "bob", "forbidden"),
            (4, .groupAllBan, "tea", "", "forbidden"), (4, .groupUpdate, "tea", "mine", "forbidden"),
            (1, .groupBan, "tea", "alice", "forbidden"), (1, .groupBan, "tea", "nobody", "not-found"),
            (1, .groupApplyAccept, "tea", "dave", "not-found"), (4, .groupApplyAccept, "tea", "carol", "forbidden"),
            (1, .groupInviteAccept, "book", "", "not-found"), (5, .groupInvite, "tea", "dave", "forbidden"),
            (1, .groupInvite, "tea", "bob", "already-joined"), (1, .groupRemoveAdmin, "tea", "alice", "forbidden"),
            (4, .groupAssignOwner, "tea", "bob", "forbidden"), (4, .groupAddMute, "tea", "alice", "forbidden"),
            (1, .threadCreate, "crumb", "cake", "not-found"), (5, .threadCreate, "crumb", "tea", "not-found"),
            (5, .threadJoin, "cake", "", "not-found"), (4, .threadDestroy, "cake", "", "forbidden"),
            (1, .threadKick, "cake", "carol", "not-found"),
        ]
        for item in cases {
            let people = People()
            let before = people.data
            #expect(
                people.operate(item.id, item.kind, item.target, item.ext) == [
                    "\(item.id) operation-ack \(item.status)"
                ],
                "\(item.kind) \(item.target) \(item.ext)")
            #expect(people.data == before)
        }
    }

    @Test("CHAT-8: a user who is blocked from a group leaves it and its threads, and cannot return")
    func blockedFromGroup() {
        let people = People()
        people.operate(1, .groupBan, "tea", "bob")
        #expect(people.machine.groups["tea"]?.members.keys.elements == ["alice"])
        #expect(people.machine.groups["cake"]?.members.keys.elements == ["alice"])
        #expect(people.operate(4, .groupJoin, "tea") == ["4 operation-ack forbidden"])
        #expect(people.operate(4, .groupApply, "tea", "please") == ["4 operation-ack forbidden"])
        people.operate(1, .groupAllow, "tea", "bob")
        #expect(people.operate(4, .groupJoin, "tea").last == "4 operation-ack ok")
    }

    @Test("CHAT-8: an admin may change members like the owner, but not the owner")
    func admin() {
        let people = People()
        people.operate(1, .groupAddAdmin, "tea", "bob")
        people.operate(5, .groupJoin, "tea")
        #expect(people.operate(4, .groupAddMute, "tea", "carol").last == "4 operation-ack ok")
        #expect(people.operate(4, .groupAddMute, "tea", "alice") == ["4 operation-ack forbidden"])
        #expect(people.operate(4, .groupKick, "tea", "alice") == ["4 operation-ack forbidden"])
        #expect(people.operate(4, .groupAddAdmin, "tea", "carol") == ["4 operation-ack forbidden"])
        #expect(people.operate(4, .groupKick, "tea", "carol").last == "4 operation-ack ok")
    }

    @Test("CHAT-8: the block list of a group has a limit, and its change fits into a frame")
    func manyBlocked() {
        let people = People()
        let names = (0..<510).map { "\(String(repeating: "n", count: 60))\($0)" }
        for name in names { people.server.command(.addAccount(name)) }
        var group = LocalGroup(id: "tea", name: "Tea")
        group.rules.blocked = Array(names.prefix(300))
        #expect(people.change(1, .group(group)).last?.hasSuffix("ok") == true)
        let answers = names.dropFirst(300).map { people.operate(1, .groupBan, "tea", $0).last ?? "" }
        #expect(Set(answers) == ["1 operation-ack limit-exceeded", "1 operation-ack ok"])
        #expect((people.feed("alice").last?.estimatedBytes ?? 0) <= FramePages.bytesMax)
    }

    @Test("CHAT-8: a group has one owner as long as it has members")
    func owner() {
        let people = People()
        people.operate(1, .groupAssignOwner, "tea", "bob")
        let roles = people.machine.groups["tea"]?.members.values.map(\.role)
        #expect(roles == [.member, .owner])
        people.operate(4, .groupLeave, "tea")
        #expect(people.machine.groups["tea"]?.owner == "alice")
        #expect(people.machine.groups["page"] == nil, "whose only member went with the group")
        people.operate(1, .groupLeave, "tea")
        #expect(people.machine.groups["tea"] == nil && people.machine.groups["cake"] == nil)
    }

    @Test("CHAT-8: a message in a group goes to every device of its members except the sending one")
    func groupMessages() {
        let people = People()
        let tea = ConversationID(kind: .group, id: "tea")
        let sendMessage = { (id: String) in
            people.change(
                4, .message(LocalMessage(id: id, conversation: tea, sender: "bob", text: id, timestamp: 0)))
        }
        #expect(sendMessage("g1").filter { $0.contains("message") } == ["1 message bob: g1", "2 message bob: g1"])
        #expect(people.machine.accounts["alice"]?.devices["c"]?.inbox.messages.last?.isToGroup == true)
        people.operate(1, .groupBlock, "tea")
        #expect(sendMessage("g2").filter { $0.contains("message") } == [])
        people.operate(1, .groupUnblock, "tea")
        people.operate(1, .groupAllBan, "tea")
        #expect(sendMessage("g3") == ["4 change-ack forbidden"])
        people.operate(1, .groupAddWhiteList, "tea", "bob")
        #expect(sendMessage("g4").last == "4 change-ack ok")
    }

    @Test("CHAT-9: a removal applies to the user only, also for waiting messages")
    func oneWay() {
        let people = People()
        #expect(people.waiting("c") == ["m1"])
        people.operate(1, .messagesRemoved, "bob")
        #expect(people.waiting("c") == [])
        #expect(people.feed("alice").allSatisfy { $0.kind != .message })
        #expect(people.feed("bob").contains { $0.kind == .message })
    }

    @Test("CHAT-8: a blocked user reaches nobody, and is not notified")
    func blocked() {
        let people = People()
        people.operate(1, .contactBan, "bob")
        let lines = people.server.receive(4, .send(ChatMessage(id: "m2", to: "alice", text: "hi")))
        #expect(lines == ["4 changes", "4 send-ack ok"])
        #expect(people.waiting("c") == ["m1"])
    }
}

/// A server with users. Alice has two present devices and an absent one. Bob, Carol and Dave have one each. Bob is
/// Alice's friend, and Carol has sent her a friend request. Alice owns the group `tea` with Bob, and its thread `cake`.
/// Carol has applied to `tea`. Bob owns the other groups, and has invited Alice to `chess`.
private final class People {
    let server = ServerTranscript(chat)
    private var made = 0

    init() {
        for (id, device, user) in [
            (UInt32(1), "a", "alice"), (2, "b", "alice"), (3, "c", "alice"), (4, "d", "bob"), (5, "e", "carol"),
            (6, "f", "dave"),
        ] {
            server.login(id, device, user: user)
        }
        server.close(3)
        let wants = LocalChange.friendApplication(FriendApplication(user: "alice", isReceived: false))
        expect(change(4, wants))
        expect(operate(1, .contactAccept, "bob"))
        expect(change(5, wants))
        expect(operate(1, .groupCreate, "tea", "Tea"))
        expect(operate(1, .groupInvite, "tea", "bob"))
        expect(operate(4, .groupInviteAccept, "tea"))
        expect(operate(1, .threadCreate, "cake", "tea"))
        expect(operate(4, .threadJoin, "cake"))
        expect(operate(4, .groupCreate, "book"))
        expect(operate(4, .threadCreate, "page", "tea"))
        expect(operate(5, .groupApply, "tea"))
        expect(operate(4, .groupCreate, "chess"))
        expect(operate(4, .groupInvite, "chess", "alice"))
        let alice = ConversationID(kind: .peer, id: "alice")
        expect(
            change(4, .message(LocalMessage(id: "m1", conversation: alice, sender: "bob", text: "hi", timestamp: 0))))
    }

    var machine: ServerMachine { server.machine }

    private func expect(_ lines: [String]) { #expect(lines.last?.hasSuffix("ack ok") == true, "\(lines)") }

    /// Requests a change with all its fields, because omitted fields would keep their values.
    func change(_ id: UInt32, _ change: LocalChange) -> [String] {
        var record = change.record()
        let names: [String] =
            switch change {
            case .group: ["isMuteAllMembers", "blockedUserID", "whiteListUserID"]
            case .member: ["isBlocked", "muteExpiredTime"]
            case .conversation: ["isPinned", "isMuted", "marks"]
            default: []
            }
        for name in names where !record.fields.contains(where: { $0.name == name }) {
            record.fields.append(AnswerField(name: name, value: ""))
        }
        return server.receive(id, .change(record))
    }

    @discardableResult
    func operate(_ id: UInt32, _ kind: OperationKind, _ target: String, _ ext: String = "") -> [String] {
        made += 1
        let name = OwnID(process: OwnID.process(device: "d\(id)", nonce: 1), number: UInt64(made)).text
        return server.receive(id, .operation(DeviceOperation(id: name, kind: kind, target: target, ext: ext)))
    }

    func feed(_ user: String) -> [ChangeRecord] { machine.accounts[user]?.feed.changes ?? [] }

    /// The ids of the messages that wait for a device of Alice.
    func waiting(_ device: String) -> [String] {
        machine.accounts["alice"]?.devices[device]?.inbox.messages.map(\.id) ?? []
    }

    var data: Data { Self.data(of: machine) }

    /// The users and groups of a server, in a form that does not depend on the order of the changes.
    struct Data: Equatable {
        var feeds: [String: [ChangeRecord]]
        var groups: [String: LocalGroup]
        var members: [String: [String: GroupMember]]
    }

    static func data(of machine: ServerMachine) -> Data {
        var data = Data(feeds: [:], groups: [:], members: [:])
        for user in machine.accounts.keys { data.feeds[user] = machine.accounts[user]?.feed.changes }
        for (id, group) in machine.groups.groups {
            data.groups[id] = group.group
            data.members[id] = Dictionary(uniqueKeysWithValues: group.members.map { ($0.key, $0.value) })
        }
        return data
    }
}
