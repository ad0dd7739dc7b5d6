import IMProtocol

// The parts of a call that explicitly concern the server (ZIM-9, rule 2).

extension LocalRequest {
    /// The changes that the server is to make. Local data follows them, on this device and on the others.
    public var serverChanges: [ChangeRecord] {
        switch call {
        case .deleteMessages: [LocalChange.messagesRemoved(list("messageList")).record()]
        case .deleteAllMessage: [LocalChange.conversationEmptied(conversation, upTo: deviceMilliseconds).record()]
        case .deleteConversation: [LocalChange.conversationRemoved(conversation, upTo: deviceMilliseconds).record()]
        case .deleteAllConversationMessages: [LocalChange.conversationEmptied(.all, upTo: deviceMilliseconds).record()]
        case .deleteAllConversations: [LocalChange.conversationRemoved(.all, upTo: deviceMilliseconds).record()]
        default: []
        }
    }
}

extension LocalRequest {
    /// The changes that the server receives after the call, with or without a network: messages were read.
    public var changesToSend: [ChangeRecord] {
        switch call {
        case .clearConversationUnreadMessageCount:
            [LocalChange.readElsewhere(conversation, upTo: deviceMilliseconds).record()]
        case .clearConversationTotalUnreadMessageCount:
            [LocalChange.readElsewhere(.all, upTo: deviceMilliseconds).record()]
        default: []
        }
    }
}

extension ConversationID {
    /// All conversations, in a request to the server.
    public static let all = ConversationID(kind: .peer, id: "*")
}

extension LocalAnswer {
    /// The rows, followed by the start of the next page if there is one.
    public var rowsAndNext: [AnswerRow] { next.isEmpty ? rows : rows + [AnswerRow([("next", next)])] }
}

extension ChangeRecord {
    /// The change with the defaults that depend on its sender: the user, and the id of a new message (C-14).
    public func filled(user: String, makeID: () -> String) -> ChangeRecord {
        var change = self
        func fill(_ name: String, _ value: () -> String) {
            guard !change.fields.contains(where: { $0.name == name }) else { return }
            change.fields.append(AnswerField(name: name, value: value()))
        }
        switch kind {
        case .message:
            fill("messageID", makeID)
            fill("senderUserID") { user }
        // A member who leaves a group need not name themselves.
        case .user, .read, .reaction, .member, .memberRemoved: fill("userID") { user }
        case .call:
            fill("callID", makeID)
            fill("caller") { user }
            fill("inviter") { user }
        case .friend, .friendRemoved, .friendApplication, .blacklist, .group, .groupRemoved, .groupApplication,
            .messageRevoked, .messageRemoved, .conversation, .conversationRemoved, .conversationEmptied, .readElsewhere,
            .downloaded, .delivered, .conversationRead:
            break
        }
        return change
    }

    /// The name that an app receives with the change: of a conversation, a user, a group, a message or a call.
    public var mainName: String {
        let reader = ChangeFieldReader(fields)
        for name in ["conversationID", "groupID", "userID", "messageID", "callID"] {
            let text = reader.text(name)
            if !text.isEmpty { return text }
        }
        return ""
    }
}
