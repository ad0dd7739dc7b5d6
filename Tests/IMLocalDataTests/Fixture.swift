import IMProtocol

@testable import IMLocalData

/// Alice's data: friends, a group and some messages, with names and texts in two scripts.
enum Fixture {
    static let bob = ConversationID(kind: .peer, id: "bob")
    static let carol = ConversationID(kind: .peer, id: "carol")
    static let crew = ConversationID(kind: .group, id: "crew")

    static func text(
        _ id: String, _ conversation: ConversationID, from sender: String, _ text: String, at time: Int64
    ) -> LocalMessage {
        LocalMessage(id: id, conversation: conversation, sender: sender, text: text, timestamp: time, sequence: time)
    }

    static let changes: [LocalChange] = {
        var group = LocalGroup(id: "crew", name: "Lift Crew 电梯组")
        group.attributes = [AnswerField(name: "floor", value: "7"), AnswerField(name: "city", value: "杭州")]
        var photo = text("m-3", bob, from: "bob", "the shaft", at: 300)
        photo.kind = .image
        photo.file = LocalMessage.File(name: "shaft.PNG", size: 2_000)
        var question = text("g-1", crew, from: "alice", "who is there?", at: 150)
        question.wantsReceipts = true
        var combined = text("g-2", crew, from: "carol", "two messages", at: 250)
        combined.kind = .combine
        combined.parts = [text("m-1", bob, from: "bob", "one", at: 1), text("m-2", bob, from: "alice", "two", at: 2)]
        return [
            .user(LocalUser(id: "alice", name: "Alice")), .user(LocalUser(id: "bob", name: "Bob")),
            .user(LocalUser(id: "carol", name: "卡罗尔")), .friend(LocalFriend(user: "bob", alias: "Bobby")),
            .friend(LocalFriend(user: "carol", createTime: 5)),
            .friendApplication(FriendApplication(user: "dave", isReceived: true, wording: "hi")),
            .blacklisted("mallory", true), .group(group),
            .member(group: "crew", GroupMember(user: "alice", role: .owner)),
            .member(group: "crew", GroupMember(user: "bob", nickname: "lifter", mutedUntil: 10_000)),
            .member(group: "crew", GroupMember(user: "carol", nickname: "主任")),
            .groupApplication(GroupApplication(group: "crew", user: "dave", kind: .join)),
            .message(text("m-1", bob, from: "bob", "The lift is stuck", at: 100)),
            .message(text("m-2", bob, from: "alice", "电梯坏了吗？", at: 200)), .message(photo),
            .message(question), .message(combined), .message(text("c-1", carol, from: "carol", "ＬＩＦＴ again", at: 50)),
            .downloaded(message: "m-3", at: 350), .read(messages: ["g-1"], by: "bob"),
            .reaction(message: "m-1", LocalMessage.Reaction(type: "+1", user: "alice"), isOn: true),
            .reaction(message: "m-1", LocalMessage.Reaction(type: "+1", user: "bob"), isOn: true),
            .call(CallInvitation(id: "call-1", caller: "bob", inviter: "bob", createTime: 10, endTime: 20)),
            .call(CallInvitation(id: "call-2", caller: "alice", inviter: "alice", createTime: 30)),
        ]
    }()

    static var database: UserDatabase {
        var database = UserDatabase(owner: "alice")
        for change in changes { database.apply(change) }
        return database
    }
}

extension UserDatabase {
    /// Makes the local call with the vendor's name.
    mutating func call(_ name: String, _ arguments: KeyValuePairs<String, String> = [:], at time: Int64 = 1_000)
        -> LocalAnswer
    {
        guard let call = LocalCall(name: name) else { return LocalAnswer(.serverError) }
        return answer(LocalRequest(call, arguments.map { ($0.key, $0.value) }, deviceMilliseconds: time))
    }
}

extension LocalAnswer {
    /// One column; nil if a row does not have it.
    func column(_ name: String) -> [String?] {
        rows.map { row in row.fields.first { $0.name == name }?.value }
    }
}
