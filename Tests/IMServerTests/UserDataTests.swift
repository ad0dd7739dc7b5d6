import IMLocalData
import IMProtocol
import SansIO
import Testing

@testable import IMServer

/// Tests of the server's data about its users: friends, groups and messages, and the notifications about changes
/// (ZIM-9).
@Suite struct UserDataTests {
    /// A server with Alice on two devices, and Bob and Carol on one device each.
    private func people() -> ServerTranscript {
        var policy = zim
        policy.exclusion = .unlimited
        let server = ServerTranscript(policy)
        server.login(1, "a", user: "alice")
        server.login(2, "b", user: "alice")
        server.login(3, "c", user: "bob")
        server.login(4, "d", user: "carol")
        return server
    }

    private func change(_ server: ServerTranscript, _ id: UInt32, _ change: LocalChange) -> [String] {
        server.receive(id, .change(change.record()))
    }

    /// All changes that a new device of a user gets, collected from all pages.
    private func feed(_ server: ServerTranscript, _ user: String, after: UInt64 = 0) -> [ChangeRecord] {
        var (all, last): ([ChangeRecord], UInt64) = ([], after)
        while true {
            let page = server.machine.changes(after: last, of: user, device: "phone")
            #expect(page.after == last)
            all += page.changes
            if page.isLast { return all }
            last = page.changes.last?.number ?? last
        }
    }

    private let bob = ConversationID(kind: .peer, id: "bob")
    private let tea = ConversationID(kind: .group, id: "tea")

    private func message(_ id: String, _ conversation: ConversationID, _ text: String = "hi") -> LocalChange {
        .message(LocalMessage(id: id, conversation: conversation, sender: "liar", text: text, timestamp: 0))
    }

    @Test("ZIM-9: a message reaches every device of both users once, each under the other user's name")
    func messages() {
        let server = people()
        #expect(
            change(server, 1, message("m1", bob)) == [
                "1 changes", "2 changes", "3 changes", "2 message alice: hi", "3 message alice: hi", "1 change-ack ok",
            ])
        // The message is sent twice and stored once (C-14).
        #expect(change(server, 1, message("m1", bob)) == ["1 change-ack ok"])
        let records = ["alice", "bob"].map { feed(server, $0).compactMap(LocalChange.init) }
        guard case .message(let own)? = records[0].first, case .message(let other)? = records[1].first else {
            Issue.record("no message")
            return
        }
        #expect(own.conversation.id == "bob" && other.conversation.id == "alice")
        #expect(own.sender == "alice" && own.timestamp == ServerTranscript.noon && own.sequence > 0)
        #expect(
            change(server, 1, message("m2", ConversationID(kind: .peer, id: "nobody"))) == ["1 change-ack not-found"])
        // A user who blocks the sender is not notified.
        #expect(change(server, 3, .blacklisted("alice", true)) == ["3 changes", "3 change-ack ok"])
        #expect(
            change(server, 1, message("m3", bob)) == [
                "1 changes", "2 changes", "2 message alice: hi", "1 change-ack ok",
            ])
        #expect(!feed(server, "bob").contains { $0.fields.contains(AnswerField(name: "messageID", value: "m3")) })
    }

    @Test("ZIM-9: a message is refused if a device of its sender has no room for the copy")
    func fullOwnDevice() {
        let server = people()
        server.command(.setPolicy(key: "messages-stored-max", value: "2"))
        for name in ["m1", "m2"] {
            #expect(change(server, 1, message(name, bob)).last == "1 change-ack ok")
            server.confirm(3, name)
        }
        #expect(change(server, 1, message("m3", bob)) == ["1 change-ack limit-exceeded"])
        server.confirm(2, "m1")
        #expect(change(server, 1, message("m3", bob)).last == "1 change-ack ok")
    }

    @Test("ZIM-9: only the sender can revoke a message; both users are notified")
    func revoke() {
        let server = people()
        _ = change(server, 1, message("m1", bob))
        #expect(change(server, 3, .messageRevoked(id: "m1")) == ["3 change-ack forbidden"])
        #expect(
            change(server, 1, .messageRevoked(id: "m1")) == ["3 changes", "1 changes", "2 changes", "1 change-ack ok"])
        #expect(change(server, 4, .messageRevoked(id: "m1")) == ["4 change-ack not-found"])
    }

    @Test("ZIM-9: friendship is mutual from the accepted application on")
    func friends() {
        let server = people()
        let application = LocalChange.friendApplication(
            FriendApplication(user: "bob", isReceived: false, wording: "hello"))
        #expect(change(server, 1, application) == ["1 changes", "2 changes", "3 changes", "1 change-ack ok"])
        let accept = LocalChange.friendApplication(
            FriendApplication(user: "alice", isReceived: true, state: .accepted))
        #expect(change(server, 3, accept).filter { $0 == "1 changes" }.count == 2)
        for (user, friend) in [("alice", "bob"), ("bob", "alice")] {
            #expect(
                feed(server, user).contains {
                    $0.kind == .friend && $0.fields.contains(AnswerField(name: "userID", value: friend))
                })
        }
        _ = change(server, 1, .friendRemoved("bob"))
        #expect(!feed(server, "bob").contains { $0.kind == .friend })
        #expect(feed(server, "bob").contains { $0.kind == .friendRemoved })
        #expect(change(server, 1, .friend(LocalFriend(user: "alice"))) == ["1 change-ack not-found"])
        #expect(change(server, 1, .user(LocalUser(id: "bob", name: "x"))) == ["1 change-ack forbidden"])
    }

    @Test("ZIM-9: each change of a group needs the right for it, and the members are notified")
    func groups() {
        let server = people()
        #expect(change(server, 1, .group(LocalGroup(id: "tea", name: "Tea"))).last == "1 change-ack ok")
        #expect(change(server, 3, message("g0", tea)) == ["3 change-ack not-found"])
        #expect(change(server, 4, .member(group: "tea", GroupMember(user: "bob"))) == ["4 change-ack not-found"])
        #expect(change(server, 1, .member(group: "tea", GroupMember(user: "bob"))).last == "1 change-ack ok")
        // A new member gets all data of the group.
        #expect(Set(feed(server, "bob").map(\.kind)) == [.group, .member])
        #expect(feed(server, "bob").count { $0.kind == .member } == 2)
        #expect(change(server, 3, message("g1", tea)).filter { $0.hasSuffix("changes") }.count == 3)
        // Members may change their own nicknames, but nobody's role.
        let nick = GroupMember(user: "bob", nickname: "Bobby")
        #expect(change(server, 3, .member(group: "tea", nick)).last == "3 change-ack ok")
        #expect(
            change(server, 3, .member(group: "tea", GroupMember(user: "bob", role: .admin))).last
                == "3 change-ack forbidden")
        #expect(change(server, 3, .group(LocalGroup(id: "tea", name: "Mine"))) == ["3 change-ack forbidden"])
        #expect(change(server, 3, .memberRemoved(group: "tea", user: "alice")) == ["3 change-ack forbidden"])
        // A muted member may not send.
        _ = change(server, 1, .member(group: "tea", GroupMember(user: "bob", mutedUntil: -1)))
        #expect(change(server, 3, message("g2", tea)) == ["3 change-ack forbidden"])
        #expect(change(server, 3, .groupRemoved("tea")) == ["3 change-ack forbidden"])
        #expect(change(server, 3, .memberRemoved(group: "tea", user: "bob")).last == "3 change-ack ok")
        #expect(feed(server, "bob").contains { $0.kind == .groupRemoved })
        #expect(change(server, 1, .groupRemoved("tea")).last == "1 change-ack ok")
        #expect(change(server, 1, message("g3", tea)) == ["1 change-ack not-found"])
    }

    @Test("ZIM-9: a muted member who becomes the owner is no longer muted")
    func mutedOwner() {
        let owner = GroupMember(user: "bob", role: .owner, mutedUntil: -1)
        for succession in [LocalChange.memberRemoved(group: "tea", user: "alice"), .member(group: "tea", owner)] {
            let server = people()
            _ = change(server, 1, .group(LocalGroup(id: "tea", name: "Tea")))
            _ = change(server, 1, .member(group: "tea", GroupMember(user: "bob")))
            _ = change(server, 1, .member(group: "tea", GroupMember(user: "bob", mutedUntil: -1)))
            #expect(change(server, 3, message("g1", tea)) == ["3 change-ack forbidden"])
            #expect(change(server, 1, succession).last == "1 change-ack ok")
            #expect(change(server, 3, message("g2", tea)).last == "3 change-ack ok")
        }
    }

    @Test("ZIM-9: a member with the highest position does not keep others from joining")
    func highestPosition() {
        let server = people()
        _ = change(server, 1, .group(LocalGroup(id: "tea", name: "Tea")))
        var member = GroupMember(user: "bob")
        member.place = .max
        #expect(change(server, 1, .member(group: "tea", member)).last == "1 change-ack ok")
        #expect(change(server, 1, .member(group: "tea", GroupMember(user: "carol"))).last == "1 change-ack ok")
    }

    @Test("ZIM-9: a read is reported to the sender, and to the reader's own devices")
    func read() {
        let server = people()
        _ = change(server, 1, message("m1", bob))
        let lines = change(server, 3, .read(messages: ["m1", "nothing"], by: "liar"))
        #expect(lines == ["1 changes", "2 changes", "3 changes", "3 change-ack ok"])
        #expect(feed(server, "alice").last?.fields.last == AnswerField(name: "userID", value: "bob"))
    }

    @Test("ZIM-9: a new device gets only the latest change of an object; every number is new")
    func latest() {
        let server = people()
        for name in ["one", "two", "three"] {
            _ = change(server, 1, .user(LocalUser(id: "alice", name: name)))
        }
        let records = feed(server, "alice")
        #expect(records.count == 1 && records[0].fields.last?.value == "three")
        // If a device has received more changes than exist, its data belongs to an older account of the same name. It
        // gets all changes.
        #expect(server.machine.changes(after: .max, of: "alice", device: "phone").changes == records)
        #expect(server.machine.changes(after: records[0].number, of: "alice", device: "phone").changes == [])
        let none = ChangePage(after: 0, changes: [], isLast: true)
        #expect(server.machine.changes(after: 0, of: "nobody", device: "phone") == none)
    }

    @Test("ZIM-9: a feed has a limit, and the oldest message is dropped first")
    func bounded() {
        var policy = zim
        policy.changesKeptMax = 20
        let server = ServerTranscript(policy)
        server.login(1, "a", user: "alice")
        server.login(2, "b", user: "bob")
        _ = change(server, 1, .friend(LocalFriend(user: "bob")))
        for number in 0..<50 { _ = change(server, 1, message("m\(number)", bob, String(repeating: "x", count: 3000))) }
        let records = feed(server, "alice")
        #expect(records.count == 20 && records.first?.kind == .friend)
        #expect(records.last?.fields.first?.value == "m49")
        // The feed is sent in pages, and each page fits into a frame.
        let page = server.machine.changes(after: 0, of: "alice", device: "phone")
        #expect(!page.isLast && !Frame(.changes(page)).isTooLarge)
    }

    @Test("ZIM-9: all data survives a restart")
    func restart() throws {
        let server = people()
        _ = change(server, 1, .group(LocalGroup(id: "tea", name: "Tea")))
        _ = change(server, 1, .member(group: "tea", GroupMember(user: "bob")))
        _ = change(server, 1, message("g1", tea))
        let before = feed(server, "bob")
        var next = ServerMachine(policy: server.machine.policy, epochMilliseconds: ServerTranscript.noon)
        next.restore(server.machine.keptAccounts)
        #expect(next.changes(after: 0, of: "bob", device: "phone").changes == before)
        #expect(next.groups == server.machine.groups)
        #expect(next.groups["tea"]?.members.count == 2)
        server.restart()
        #expect(server.machine.groups["tea"]?.members.count == 2)
    }

    @Test("ZIM-9: the longest-standing member becomes the owner when the owner leaves, also after a restart")
    func restartInOrder() throws {
        let server = people()
        _ = change(server, 1, .group(LocalGroup(id: "tea", name: "Tea")))
        for user in ["carol", "bob"] { _ = change(server, 1, .member(group: "tea", GroupMember(user: user))) }
        // Carol joined after alice and before bob, although the last change about her is later than the last one about
        // bob.
        _ = change(server, 1, .member(group: "tea", GroupMember(user: "carol", role: .admin)))
        var next = ServerMachine(policy: server.machine.policy, epochMilliseconds: ServerTranscript.noon)
        next.restore(server.machine.keptAccounts)
        #expect(next.groups["tea"]?.members.keys == ["alice", "carol", "bob"])
        // Carol leaves and joins again, so bob is now the longer-standing member.
        _ = change(server, 1, .memberRemoved(group: "tea", user: "carol"))
        _ = change(server, 1, .member(group: "tea", GroupMember(user: "carol")))
        next = ServerMachine(policy: server.machine.policy, epochMilliseconds: ServerTranscript.noon)
        next.restore(server.machine.keptAccounts)
        #expect(next.groups["tea"]?.members.keys == ["alice", "bob", "carol"])
    }

    @Test("ZIM-9: deleting a conversation deletes its messages, on the server too")
    func removed() {
        let server = people()
        _ = change(server, 1, message("m1", bob))
        _ = change(server, 1, message("m2", ConversationID(kind: .peer, id: "carol")))
        _ = change(server, 1, .conversationRemoved(.all, upTo: 0))
        #expect(!feed(server, "alice").contains { $0.kind == .message })
        #expect(feed(server, "alice").count { $0.kind == .conversationRemoved } == 2)
        #expect(feed(server, "bob").contains { $0.kind == .message })
    }

    @Test("ZIM-9: a deletion by one device is not undone by a device whose clock is slow")
    func removedTwice() {
        let server = people()
        let kinds: [(Int64) -> LocalChange] = [
            { .conversationRemoved(self.bob, upTo: $0) }, { .conversationEmptied(self.bob, upTo: $0) },
            { .readElsewhere(self.bob, upTo: $0) },
        ]
        for kind in kinds {
            _ = change(server, 1, kind(20))
            _ = change(server, 2, kind(10))
            #expect(feed(server, "alice").last.flatMap(LocalChange.init) == kind(20))
        }
        #expect(feed(server, "alice").count == 3)
    }

    @Test("ZIM-9: a device whose clock is fast does not read messages that arrive later")
    func readWithFastClock() {
        let server = people()
        _ = change(server, 1, .readElsewhere(bob, upTo: ServerTranscript.noon + 3_600_000))
        #expect(
            feed(server, "alice").last.flatMap(LocalChange.init) == .readElsewhere(bob, upTo: ServerTranscript.noon))
    }

    @Test("ZIM-9: a removed message stays removed when its sender revokes it")
    func removedAndRevoked() {
        let server = people()
        _ = change(server, 1, .messagesRemoved(["m1"]))
        _ = change(server, 2, message("m1", bob))
        _ = change(server, 2, .messageRevoked(id: "m1"))
        #expect(feed(server, "alice").map(\.kind) == [.messageRemoved, .message, .messageRevoked])
    }

    @Test("an empty change is refused, from users and from the operator", arguments: ChangeKind.allCases)
    func nothing(_ kind: ChangeKind) {
        let server = people()
        let empty = ChangeRecord(kind: kind, fields: [])
        #expect(server.receive(1, .change(empty)) == ["1 change-ack invalid-argument"])
        #expect(server.command(.putChange(user: "alice", empty)).last?.contains("invalid-argument") == true)
    }
}
