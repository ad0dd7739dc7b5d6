import IMProtocol
import IMTree
import SansIO
import Testing

@testable import IMLocalData
@testable import IMServer

/// Tests of the table ``ChangeRight``: users without the right send each kind of change and each frame (C-14, ZIM-9).
@Suite struct RightsTests {
    /// The kinds of senders without the right.
    enum Intruder: CaseIterable {
        case stranger, formerMember, kickedDevice
    }

    static let policies = [nim, zim, chat, rtm]
    static let tea = ConversationID(kind: .group, id: "tea")
    static let aliceConversation = ConversationID(kind: .peer, id: "alice")

    /// A server on which Alice and Bob are friends in a group, with messages and a call. Mallory has left the group or
    /// was never a member.
    private func prepared(_ policy: ServerPolicy, _ intruder: Intruder) -> ServerTranscript {
        var policy = policy
        policy.exclusion = .unlimited
        let server = ServerTranscript(policy)
        for (id, user) in [(1, "alice"), (2, "bob"), (3, "mallory")] as [(UInt32, String)] {
            server.login(id, "phone-\(user)", user: user)
        }
        func change(_ id: UInt32, _ change: LocalChange) { server.receive(id, .change(change.record())) }
        change(1, .friend(LocalFriend(user: "bob")))
        change(1, .group(LocalGroup(id: "tea", name: "Tea")))
        change(1, .member(group: "tea", GroupMember(user: "bob")))
        if intruder != .stranger { change(1, .member(group: "tea", GroupMember(user: "mallory"))) }
        change(2, message("m1", "bob", Self.aliceConversation))
        change(2, message("g1", "bob", Self.tea))
        if intruder != .stranger { change(3, message("g2", "mallory", Self.tea)) }
        change(1, .call(CallInvitation(id: "c1", caller: "alice", inviter: "alice", createTime: 1, users: ["bob"])))
        switch intruder {
        case .stranger: break
        case .formerMember: change(3, .memberRemoved(group: "tea", user: "mallory"))
        case .kickedDevice: server.command(.kick(user: "mallory", device: nil))
        }
        return server
    }

    private func message(_ id: String, _ sender: String, _ conversation: ConversationID) -> LocalChange {
        .message(LocalMessage(id: id, conversation: conversation, sender: sender, text: "hi", timestamp: 0))
    }

    /// Mallory's attempts for each kind of change: to act as Alice or Bob, or to change their data.
    private func attempts(_ kind: ChangeKind) -> [LocalChange] {
        let names = ["m1", "g1", "g2"].flatMap { [$0, MessageName(sender: "bob", id: $0).text] }
        switch kind {
        case .user: return [.user(LocalUser(id: "alice", name: "Eve"))]
        case .friend: return [.friend(LocalFriend(user: "alice"))]
        case .friendRemoved: return [.friendRemoved("alice")]
        case .friendApplication:
            return [ApplicationState.waiting, .accepted, .rejected].map {
                .friendApplication(FriendApplication(user: "alice", isReceived: true, state: $0))
            }
        case .blacklist: return [.blacklisted("alice", true)]
        case .group: return [.group(LocalGroup(id: "tea", name: "Mine"))]
        case .groupRemoved: return [.groupRemoved("tea")]
        case .member:
            return [
                .member(group: "tea", GroupMember(user: "bob", nickname: "Eve")),
                .member(group: "tea", GroupMember(user: "bob", role: .owner)),
            ]
        case .memberRemoved: return [.memberRemoved(group: "tea", user: "bob")]
        case .groupApplication:
            return [ApplicationState.accepted, .waiting].map {
                .groupApplication(GroupApplication(group: "tea", user: "bob", kind: .invite, state: $0))
            }
        case .message:
            return [
                message("m1", "bob", Self.aliceConversation), message("x", "bob", Self.aliceConversation),
                message("x", "bob", Self.tea),
            ]
        case .messageRevoked: return names.map { .messageRevoked(id: $0) }
        case .messageRemoved: return [.messagesRemoved(names)]
        case .conversation: return [.conversation(LocalConversation(id: Self.tea))]
        case .conversationRemoved: return [.conversationRemoved(Self.aliceConversation, upTo: .max)]
        case .conversationEmptied: return [.conversationEmptied(Self.aliceConversation, upTo: .max)]
        case .read: return [.read(messages: names, by: "alice")]
        case .conversationRead: return [.conversationRead(messages: names, by: "alice")]
        case .delivered: return names.map { .delivered(message: $0) }
        case .reaction:
            return names.map { .reaction(message: $0, LocalMessage.Reaction(type: "+1", user: "alice"), isOn: true) }
        case .readElsewhere: return [.readElsewhere(Self.aliceConversation, upTo: .max)]
        case .call:
            func call(_ id: String, _ caller: String, _ inviter: String, _ users: [String]) -> LocalChange {
                .call(CallInvitation(id: id, caller: caller, inviter: inviter, createTime: 1, users: users))
            }
            return [
                call("c1", "alice", "alice", ["bob"]), call("c1", "mallory", "mallory", ["bob"]),
                call("c1", "alice", "alice", ["bob", "mallory"]), call("c2", "alice", "alice", ["bob"]),
                call("c2", "mallory", "alice", ["bob"]), call("c2", "alice", "mallory", ["bob", "mallory"]),
            ]
        case .downloaded: return names.map { .downloaded(message: $0, at: 1) }
        }
    }

    private func feeds(_ server: ServerTranscript) -> [String: [ChangeRecord]] {
        var feeds: [String: [ChangeRecord]] = [:]
        for user in ["alice", "bob"] { feeds[user] = server.machine.accounts[user]?.feed.changes ?? [] }
        return feeds
    }

    @Test("C-14: a change reaches others only under its author's name", arguments: policies, Intruder.allCases)
    func changes(_ policy: ServerPolicy, _ intruder: Intruder) {
        for kind in ChangeKind.allCases {
            let right = ChangeRight(kind, policy)
            for attempt in attempts(kind) {
                let server = prepared(policy, intruder)
                let (before, bob) = (feeds(server), server.machine.groups["tea"]?.members["bob"])
                let answer = server.receive(3, .change(attempt.record()))
                for (user, changes) in feeds(server) {
                    let added = changes.filter { !(before[user] ?? []).contains($0) }
                    let mayReach = intruder != .kickedDevice && right.reach != .nobody && !right.authorFields.isEmpty
                    #expect(added.isEmpty || mayReach, "\(kind) \(attempt): \(answer) \(added)")
                    for record in added {
                        let authors = record.fields.filter { right.authorFields.contains($0.name) }.map(\.value)
                        #expect(authors.allSatisfy { $0 == "mallory" } && !authors.isEmpty, "\(kind) \(record)")
                    }
                    // None of the data of Alice and Bob was removed.
                    let removed = (before[user] ?? []).filter { !changes.contains($0) }
                    #expect(removed.isEmpty, "\(kind) \(attempt): \(removed)")
                }
                #expect(server.machine.groups["tea"]?.members["bob"] == bob, "\(kind) \(attempt)")
                if intruder == .kickedDevice { #expect(answer.isEmpty, "\(kind): \(answer)") }
            }
        }
    }

    @Test("C-14: messages of two senders with one id are two messages, and a revocation affects only the sender's own")
    func sameID() throws {
        let server = prepared(zim, .stranger)
        var device = UserDatabase(owner: "alice")
        server.receive(3, .change(message("m1", "mallory", Self.aliceConversation).record()))
        #expect(server.receive(3, .change(LocalChange.messageRevoked(id: "m1").record())).last == "3 change-ack ok")
        device.apply(server.machine.accounts["alice"]?.feed.changes.compactMap(LocalChange.init) ?? [], upTo: 1)
        #expect(device.message(MessageName(sender: "bob", id: "m1").text)?.kind == .text)
        #expect(device.message(MessageName(sender: "mallory", id: "m1").text)?.kind == .revoke)
    }

    /// One example of each frame that clients send after the login.
    static let frames: [FrameBody] = [
        .logout(keepsPush: false), .heartbeat, .kickedAck(epoch: 1), .kick(device: "phone-alice"), .sync,
        .syncAck(.groups, first: 1, last: 2), .renewToken(.verdict(CredentialVerdict(.valid, user: "alice"))),
        .send(ChatMessage(id: "x", from: "bob", to: "alice", text: "hi")), .messageAck(id: "m1", number: 1),
        .join(channel: "tea"), .leave(channel: "tea"), .goodbye(.protocolViolation, detail: ""),
        .operation(DeviceOperation(id: "o", kind: .groupDestroy, target: "tea", ext: "")),
        .operatedAck(id: "o", number: 1), .setAttributes(channel: "tea", []), .ask(.members(channel: "tea")),
        .watch(user: "alice", isOn: true), .resync, .fetchChanges(after: 0),
        .change(LocalChange.groupRemoved("tea").record()),
    ]

    @Test("C-5: before a login and after its end no frame changes or shows anything", arguments: policies)
    func stages(_ policy: ServerPolicy) {
        for body in Self.frames {
            let stages = body.stages
            #expect(stages.contains(.loggedIn))
            let server = prepared(policy, .kickedDevice)
            let before = feeds(server)
            let ended = server.receive(3, body)
            #expect(ended.isEmpty || stages.contains(.afterEnd), "\(body.name): \(ended)")
            server.open(9)
            let fresh = server.receive(9, body)
            #expect(fresh.allSatisfy { $0.hasPrefix("9 goodbye") || $0 == "close 9" }, "\(body.name): \(fresh)")
            #expect(feeds(server) == before, "\(body.name)")
        }
    }
}
