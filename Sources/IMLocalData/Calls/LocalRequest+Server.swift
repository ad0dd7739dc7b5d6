import IMProtocol

// What a call asks of the server, where it asks for it in so many words (ZIM-9, rule 2).

extension LocalRequest {
    /// What the server is asked to change. Local data follows it, on this device as on the others.
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
    /// What the server is told once it is done here, with or without a network: that things were read.
    public var changesToTell: [ChangeRecord] {
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
    /// Stands for all of them where the server is asked.
    public static let all = ConversationID(kind: .peer, id: "*")
}

extension LocalAnswer {
    /// The rows, and behind them where the next page begins, where there is one.
    public var rowsAndNext: [AnswerRow] { next.isEmpty ? rows : rows + [AnswerRow([("next", next)])] }
}

extension ChangeRecord {
    /// The change with what follows from who asks for it: the user, and the id of a new message (C-14).
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
        // Who leaves a group need not say who that is.
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

    /// What an app is told that it is about: a conversation, a user, a group, a message or a call.
    public var mainName: String {
        let reader = ChangeFieldReader(fields)
        for name in ["conversationID", "groupID", "userID", "messageID", "callID"] {
            let text = reader.text(name)
            if !text.isEmpty { return text }
        }
        return ""
    }
}
