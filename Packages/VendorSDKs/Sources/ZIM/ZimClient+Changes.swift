import Foundation
import IMClient
import IMLocalData
import IMProfiles
import IMProtocol
import SimulatedApp

// Changes of local data, in the vendor's callbacks. The machine sends the kind of the change and its user or group; the
// change itself came just before.

extension ZimClient {
    /// Local data has received changes.
    func handleChanges(_ page: ChangePage) {
        changes = page.changes
        for change in page.changes where change.kind == .message {
            guard case .message(let message)? = LocalChange(change), message.sender == user else { continue }
            arrivals.append(message)
        }
        // Messages from the user's other devices have no pending callback here.
        arrivals.removeFirst(max(0, arrivals.count - LocalCall.pageMax))
    }

    func changed(_ kind: ChangeKind, _ name: String, _ callback: Callback, _ zim: ZIM) {
        let changes = changes.filter { $0.kind == kind && $0.mainName == name }.compactMap(LocalChange.init)
        switch callback.name {
        case "conversationChanged": conversationsChanged(changes, zim)
        case "messageDeleted": messagesDeleted(changes, zim)
        case "messageRevokeReceived": messagesRevoked(changes, zim)
        case "messageReceiptChanged": receiptsChanged(changes, zim)
        case "messageReactionsChanged": reactionsChanged(changes, zim)
        case "userInfoUpdated", "friendListChanged", "friendApplicationListChanged", "blacklistChanged":
            for change in changes { notifyUsers(change, zim) }
        case "groupStateChanged", "groupMemberStateChanged", "groupApplicationListChanged":
            for change in changes { notifyGroups(change, zim) }
        case "callInvitationReceived":
            for case .call(let call) in changes { notifyCall(call, zim) }
        default: break
        }
    }

    // MARK: Conversations

    private func conversationsChanged(_ changes: [LocalChange], _ zim: ZIM) {
        var notified: [(ConversationID, ZIMConversationEvent)] = []
        for change in changes {
            switch change {
            case .message(let message): notified.append((message.conversation, .added))
            case .conversation(let conversation): notified.append((conversation.id, .updated))
            case .conversationRemoved(let id, _): notified.append((id, .deleted))
            case .conversationEmptied(let id, _):
                notified.append((id, .updated))
                let info = ZIMMessageDeletedInfo()
                info.conversationID = id.id
                info.conversationType = ZIMConversationType(id.kind)
                info.messageDeleteType = .conversationAllMessagesDeleted
                info.isDeleteConversationAllMessage = true
                zim.handler?.zim(zim, messageDeleted: info)
            case .readElsewhere(let id, _): notified.append((id, .updated))
            default: break
            }
        }
        notifyConversations(notified, zim)
        notifyUnread()
    }

    /// Notifies the app of the current state of conversations. A state that the app already has is not reported again.
    ///
    /// - Parameter conversations: with ``ZIMConversationEvent/added`` if a message may have started them.
    func notifyConversations(_ conversations: [(ConversationID, ZIMConversationEvent)], _ zim: ZIM) {
        var infos: [ZIMConversationChangeInfo] = []
        for (id, event) in conversations {
            let arguments = id.arguments
            let key = "\(id.kind.rawValue)/\(id.id)"
            // A deleted conversation can no longer be queried: the app gets its last known state.
            let last = event == .deleted ? notifiedConversations[key] ?? AnswerRow(arguments) : nil
            guard let row = look(.queryConversation, arguments).rows.first ?? last else { continue }
            if event != .deleted, notifiedConversations[key] == row { continue }
            let history = look(.queryHistoryMessage, arguments + [("count", "2")]).rows
            // The first message of the conversation.
            let isNew = history.count == 1 && notifiedConversations[key] == nil
            let notified = event == .added && !isNew ? .updated : event
            notifiedConversations[key] = event == .deleted ? nil : row
            infos.append(ZIMConversationChangeInfo(notified, conversation(row, last: history.first)))
        }
        if !infos.isEmpty { zim.handler?.zim(zim, conversationChanged: infos) }
    }

    /// A conversation with its last message.
    func conversation(_ row: AnswerRow, last: AnswerRow? = nil) -> ZIMConversation {
        let conversation = row.conversation
        let id = row["lastMessageID"]
        let newest =
            last
            ?? look(
                .queryHistoryMessage,
                [
                    ("conversationID", row["conversationID"]), ("conversationType", row["conversationType"]),
                    ("count", "1"),
                ]
            ).rows.first
        conversation.lastMessage = newest?.message
        if newest == nil, !id.isEmpty { conversation.lastMessage = ZIMTextMessage(message: row["lastMessage"]) }
        return conversation
    }

    // MARK: Messages

    /// A message was received.
    func received(_ message: ChatMessage, _ zim: ZIM) {
        let isOwn = message.from == user
        let id = ConversationID(
            kind: message.isToGroup ? .group : .peer, id: message.isToGroup || isOwn ? message.to : message.from)
        let notified: ZIMMessage
        if let row = look(.queryHistoryMessage, id.arguments + [("count", "20")]).rows
            .first(where: { $0["messageID"] == message.id })
        {
            notified = row.message
        } else {
            // Local data does not have the message yet.
            notified = ZIMTextMessage(message: message.text)
            notified.name = message.id
            notified.senderUserID = message.from
            notified.conversationID = id.id
            notified.conversationType = ZIMConversationType(id.kind)
            notified.direction = isOwn ? .send : .receive
            notified.sentStatus = .sendSuccess
            notified.timestamp = UInt64(max(0, Date().timeIntervalSince1970 * 1000))
            notified.orderKey = Int64(notified.timestamp)
        }
        let info = ZIMMessageReceivedInfo()
        info.isOfflineMessage = isSyncing
        if message.isToGroup {
            zim.handler?.zim(zim, groupMessageReceived: [notified], info: info, fromGroupID: message.to)
            zim.handler?.zim(zim, receiveGroupMessage: [notified], fromGroupID: message.to)
        } else {
            zim.handler?.zim(zim, peerMessageReceived: [notified], info: info, fromUserID: message.from)
            zim.handler?.zim(zim, receivePeerMessage: [notified], fromUserID: message.from)
        }
    }

    /// The message with a name, if it is one of the latest.
    private func message(named name: String, _ filter: [(String, String)] = []) -> AnswerRow? {
        let messageName = MessageName(name)
        return look(.searchGlobalLocalMessages, filter + [("count", String(LocalCall.pageMax))]).rows
            .first {
                $0["messageID"] == messageName.id && (messageName.sender ?? $0["senderUserID"]) == $0["senderUserID"]
            }
    }

    private func messagesDeleted(_ changes: [LocalChange], _ zim: ZIM) {
        let info = ZIMMessageDeletedInfo()
        for case .messagesRemoved(let ids) in changes {
            info.messageList += ids.map { id in
                let message = ZIMMessage(type: .unknown)
                message.name = MessageName(id).id
                return message
            }
        }
        if !info.messageList.isEmpty { zim.handler?.zim(zim, messageDeleted: info) }
        notifyUnread()
    }

    private func messagesRevoked(_ changes: [LocalChange], _ zim: ZIM) {
        var messages: [ZIMRevokeMessage] = []
        for case .messageRevoked(let id) in changes {
            let row = message(named: id, [("messageTypes", ZIMMessageType.revoke.word ?? "")])
            if let message = row?.message as? ZIMRevokeMessage { messages.append(message) }
        }
        if !messages.isEmpty { zim.handler?.zim(zim, messageRevokeReceived: messages) }
    }

    private func receiptsChanged(_ changes: [LocalChange], _ zim: ZIM) {
        var infos: [ZIMMessageReceiptInfo] = []
        for case .read(let ids, _) in changes {
            for id in ids {
                guard let message = message(named: id, [("senderUserIDs", user)])?.message,
                    let row = look(
                        .queryMessageReceiptsInfo,
                        [("messageList", id)] + arguments(message.conversationID, message.conversationType)
                    ).rows.first
                else { continue }
                infos.append(row.receipt(in: message.conversationID, message.conversationType))
            }
        }
        if !infos.isEmpty { zim.handler?.zim(zim, messageReceiptChanged: infos) }
    }

    private func reactionsChanged(_ changes: [LocalChange], _ zim: ZIM) {
        var reactions: [ZIMMessageReaction] = []
        for case .reaction(let id, let reaction, _) in changes {
            guard let message = message(named: id)?.message else { continue }
            reactions.append(self.reaction(reaction.type, to: message))
        }
        if !reactions.isEmpty { zim.handler?.zim(zim, messageReactionsChanged: reactions) }
    }

    /// A reaction to a message, with its users in local data.
    func reaction(_ type: String, to message: ZIMMessage) -> ZIMMessageReaction {
        let reaction = ZIMMessageReaction()
        reaction.reactionType = type
        reaction.messageID = message.messageID
        reaction.conversationID = message.conversationID
        reaction.conversationType = message.conversationType
        let users = look(
            .queryMessageReactionUserList,
            [("message", message.key), ("reactionType", type), ("count", String(LocalCall.pageMax))]
        ).rows
        reaction.userList = users.map { ZIMMessageReactionUserInfo($0["userID"]) }
        reaction.totalCount = UInt32(users.count)
        reaction.isSelfIncluded = users.contains { $0["userID"] == user }
        return reaction
    }
}

extension ZIMMessageReactionUserInfo {
    convenience init(_ userID: String) {
        self.init()
        self.userID = userID
    }
}

extension ZIMConversationType {
    init(_ kind: ConversationID.Kind) { self = Self(rawValue: Int(kind.rawValue)) ?? .unknown }
}

extension ConversationID {
    /// Its arguments in local calls.
    var arguments: [(String, String)] { [("conversationID", id), ("conversationType", kind.name)] }
}

/// A conversation's arguments in local calls, which refuse an unknown type.
func arguments(_ conversationID: String, _ type: ZIMConversationType) -> [(String, String)] {
    [("conversationID", conversationID), ("conversationType", String(type.rawValue))]
}
