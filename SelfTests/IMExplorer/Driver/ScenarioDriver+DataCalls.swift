import IMClient
import IMLocalData
import IMProtocol
import SansIO

// Random calls of local data and random changes of users' data on the server, with names that exist in the scenario.

extension ScenarioDriver {
    /// Any local call, with arguments of the declared kinds.
    mutating func drawCall(_ client: String) {
        let call = pick(LocalCall.allCases)
        guard !call.declaration.parameters.contains(where: { $0.kind == .folder }) else {
            return command(client, .call(LocalRequest(.queryConversationList)))
        }
        let givenParameters = call.declaration.parameters.filter { $0.defaultValue == nil || random.below(3) == 0 }
        command(client, .call(LocalRequest(call, givenParameters.map { ($0.name, argument($0.kind)) })))
    }

    private mutating func argument(_ kind: LocalParameter.Kind) -> String {
        switch kind {
        case .identifier, .identifiers: pick(users + Self.people + ["x"])
        case .keywords: pick(["text", "hello", "a"])
        case .text: text()
        case .count: pick(["1", "3", "100"])
        case .nextFlag: pick(["0", "1"])
        case .position, .folder: ""
        case .message, .messages: pick(messageIDs + ["1"])
        case .time: "0"
        case .flag: pick(["true", "false"])
        case .choice(let choices), .choices(let choices): pick(choices).name
        }
    }

    /// A message with data: it has conversation fields, requests receipts, and may have an id from the app.
    mutating func sendWithData(_ client: String, _ conversation: ConversationID, id: String? = nil) {
        var fields = [
            ("conversationID", conversation.id), ("conversationType", conversation.kind.name), ("message", text()),
            ("wantsReceipts", "true"),
        ]
        if let id = id ?? (random.below(2) == 0 ? "id-\(text())" : nil) {
            messageIDs.append(id)
            fields.append(("messageID", id))
        }
        command(client, .change(ChangeRecord(kind: .message, fields: fields.map { AnswerField(name: $0, value: $1) })))
    }

    /// A change of a message, of a user or of a conversation.
    mutating func drawChange(_ client: String) {
        let user = pick(users)
        let id = pick(messageIDs + ["1"])
        let peer = ConversationID(kind: .peer, id: user)
        let change: LocalChange
        switch random.below(11) {
        case 8:
            let own = LocalUser(id: user, name: text(), avatarURL: "", extendedData: pick(["", text()]))
            change = .user(own)
        case 9:
            change = .call(CallInvitation(id: text(), caller: user, inviter: user, createTime: 0, users: Self.people))
        case 0: change = .messageRevoked(id: id)
        case 1: change = .messagesRemoved([id])
        case 2: change = .read(messages: [id], by: "")
        case 3:
            let reaction = LocalMessage.Reaction(type: pick(["heart", "smile"]), user: "")
            change = .reaction(message: id, reaction, isOn: random.below(3) != 0)
        case 4:
            let state: ApplicationState = pick([.waiting, .waiting, .accepted, .rejected])
            change = .friendApplication(FriendApplication(user: user, isReceived: state != .waiting, state: state))
        case 5: change = .blacklisted(user, random.below(2) == 0)
        case 6:
            var conversation = LocalConversation(id: peer)
            (conversation.isPinned, conversation.notifies) = (random.below(2) == 0, random.below(2) == 0)
            change = .conversation(conversation)
        case 7: return sendWithData(client, peer)
        default: change = .friend(LocalFriend(user: user))
        }
        command(client, .change(change.record()))
    }
}
