import IMProtocol

// The part of a local call that the server executes, because the app explicitly requested this (ZIM-9, rule 2).

extension LocalRequest {
    /// The changes that the app requests from the server. The server then sends them to all of the user's devices, and
    /// each device applies them to its local data.
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
    /// The changes that the client sends to the server after the call: the user has read messages. If the client is not
    /// connected, they are sent later.
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
    /// The id that means all conversations in a request to the server.
    public static let all = ConversationID(kind: .peer, id: "*")
}

extension LocalAnswer {
    /// The rows. If there is a next page, a row with its start follows.
    public var rowsAndNext: [AnswerRow] { next.isEmpty ? rows : rows + [AnswerRow([("next", next)])] }
}

extension ChangeRecord {
    /// The change with defaults for omitted fields: the sender's user id, and the id of a new message or call (C-14).
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
        // Without a user id the change concerns the sender, such as a member who leaves a group.
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

    /// The id that an app receives with the change: of the conversation, group, user, message or call. Empty if the
    /// change has none of them.
    public var mainName: String {
        let reader = ChangeFieldReader(fields)
        for name in ["conversationID", "groupID", "userID", "messageID", "callID"] {
            let text = reader.text(name)
            if !text.isEmpty { return text }
        }
        return ""
    }
}
