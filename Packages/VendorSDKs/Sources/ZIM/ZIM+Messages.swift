import Foundation
import IMClient
import IMLocalData
import IMProtocol

// Sending messages. A plain text to a user waits 30 s for a broken connection, and can be sent again after a failure
// (ZIM-10); all others need the network at once.

extension ZIM {
    /// Sends a message. A failed text to a user, without a receipt or extended data, is sent again as the same message.
    public func sendMessage(
        _ message: ZIMMessage, toConversationID: String, conversationType: ZIMConversationType,
        config: ZIMMessageSendConfig, notification: ZIMMessageSendNotification?,
        callback: @escaping ZIMMessageSentCallback
    ) {
        withCore("sendMessage", refused: { callback(message, $0) }) { core in
            core.checkLoggedIn("sendMessage")
            if conversationType == .room {
                return core.answer("sendMessage to a room", of: .send) { callback(message, $0) }
            }
            guard let id = ConversationID(toConversationID, conversationType), message.type != .combine else {
                let error = core.error(.invalidArgument, of: .send)
                return core.later { callback(message, error) }
            }
            let wasFailed = message.sentStatus == .sendFailed
            message.senderUserID = core.user
            message.conversationID = id.id
            message.conversationType = conversationType
            message.direction = .send
            message.sentStatus = .sending
            message.timestamp = UInt64(max(0, Date().timeIntervalSince1970 * 1000))
            message.receiptStatus = config.hasReceipt ? .processing : .none
            if let attached = notification?.onMessageAttached { core.later { attached(message) } }
            core.send(message, to: id, wantsReceipts: config.hasReceipt, wasFailed: wasFailed) { [weak self] error in
                let status: ZIMMessageSentStatus = error.code == .success ? .sendSuccess : .sendFailed
                message.sentStatus = status
                if let self {
                    self.handler?.zim(
                        self, messageSentStatusChanged: [ZIMMessageSentStatusChangeInfo(status, message)])
                }
                callback(message, error)
            }
        }
    }

    /// `sendMessage(_:toConversationID:conversationType:config:notification:callback:)` in the form of versions
    /// before 2.4.
    public func sendPeerMessage(
        _ message: ZIMMessage, toUserID: String, config: ZIMMessageSendConfig,
        callback: @escaping ZIMMessageSentCallback
    ) {
        sendMessage(
            message, toConversationID: toUserID, conversationType: .peer, config: config, notification: nil,
            callback: callback)
    }

    /// `sendMessage(_:toConversationID:conversationType:config:notification:callback:)` in the form of versions
    /// before 2.4.
    public func sendGroupMessage(
        _ message: ZIMMessage, toGroupID: String, config: ZIMMessageSendConfig,
        callback: @escaping ZIMMessageSentCallback
    ) {
        sendMessage(
            message, toConversationID: toGroupID, conversationType: .group, config: config, notification: nil,
            callback: callback)
    }

    /// `sendMessage(_:toConversationID:conversationType:config:notification:callback:)` in the form of versions
    /// before 2.4.
    public func sendRoomMessage(
        _ message: ZIMMessage, toRoomID: String, config: ZIMMessageSendConfig,
        callback: @escaping ZIMMessageSentCallback
    ) {
        sendMessage(
            message, toConversationID: toRoomID, conversationType: .room, config: config, notification: nil,
            callback: callback)
    }

    /// `sendMessage(_:toConversationID:conversationType:config:notification:callback:)` in the form of 2.0.
    public func sendPeerMessage(
        _ message: ZIMMessage, toUserID: String, callback: @escaping ZIMMessageSentCallback
    ) {
        sendPeerMessage(message, toUserID: toUserID, config: ZIMMessageSendConfig(), callback: callback)
    }

    /// `sendMessage(_:toConversationID:conversationType:config:notification:callback:)` in the form of 2.0.
    public func sendRoomMessage(
        _ message: ZIMMessage, toRoomID: String, callback: @escaping ZIMMessageSentCallback
    ) {
        sendRoomMessage(message, toRoomID: toRoomID, config: ZIMMessageSendConfig(), callback: callback)
    }

    /// Revokes a message of the user's, for everybody.
    public func revokeMessage(
        _ message: ZIMMessage, config: ZIMMessageRevokeConfig, callback: @escaping ZIMMessageRevokedCallback
    ) {
        change("revokeMessage", .messageRevoked, [("messageID", message.name)]) { callback(message, $0) }
    }

    /// Marks messages as read, and notifies their senders.
    public func sendMessageReceiptsRead(
        for messageList: [ZIMMessage], conversationID: String, conversationType: ZIMConversationType,
        callback: @escaping ZIMMessageReceiptsReadSentCallback
    ) {
        change("sendMessageReceiptsRead", .read, messageList.map { ("messageID", $0.name) }) {
            callback(conversationID, conversationType, [], $0)
        }
    }

    /// Reacts to a message.
    public func addMessageReaction(
        _ reactionType: String, message: ZIMMessage, callback: @escaping ZIMMessageReactionAddedCallback
    ) {
        react(reactionType, to: message, isOn: true, callback)
    }

    /// Removes a reaction.
    public func deleteMessageReaction(
        _ reactionType: String, message: ZIMMessage, callback: @escaping ZIMMessageReactionDeletedCallback
    ) {
        react(reactionType, to: message, isOn: false, callback)
    }

    private func react(
        _ type: String, to message: ZIMMessage, isOn: Bool, _ callback: @escaping ZIMMessageReactionAddedCallback
    ) {
        let fields = [("messageID", message.name), ("reactionType", type), ("isOn", String(isOn))]
        change(isOn ? "addMessageReaction" : "deleteMessageReaction", .reaction, fields) { [weak self] error in
            callback(self?.reaction(type, to: message) ?? ZIMMessageReaction(), error)
        }
    }

    /// Changes data on the server.
    func change(
        _ what: String, _ kind: ChangeKind, _ fields: [(String, String)], _ callback: @escaping (ZIMError) -> Void
    ) {
        let record = ChangeRecord(kind: kind, fields: fields.map { AnswerField(name: $0.0, value: $0.1) })
        perform(what, .change(record)) { error, _ in callback(error) }
    }
}

extension ZimClient {
    func send(
        _ message: ZIMMessage, to id: ConversationID, wantsReceipts: Bool, wasFailed: Bool,
        _ ended: @escaping (ZIMError) -> Void
    ) {
        let isPlain =
            message.type == .text && id.kind == .peer && !wantsReceipts && message.extendedData.isEmpty
            && message.mentionedUserIDs.isEmpty
        let command: ClientCommand
        if isPlain {
            let isResend = wasFailed && takesAgain(message)
            command = isResend ? .resend : .send(to: id.id, text: message.text)
        } else {
            command = .change(record(of: message, in: id, wantsReceipts: wantsReceipts))
        }
        perform(command) { [weak self] outcome in
            guard let self else { return }
            switch outcome.status {
            case .ok, .stored: adopt(message, in: id)
            // The machine keeps it as failed.
            case .timeout where isPlain: failed.append(message)
            // The machine may or may not keep it as failed.
            case .limitExceeded where isPlain: isFailedOrderLost = true
            default: break
            }
            ended(error(outcome.status, of: .send))
        }
    }

    /// True if the failed message is the one that the machine would send again.
    private func takesAgain(_ message: ZIMMessage) -> Bool {
        guard !isFailedOrderLost, let index = failed.firstIndex(where: { $0 === message }) else { return false }
        guard index == 0 else {
            // The machine sends its oldest failed message again; this one is sent as another message.
            isFailedOrderLost = true
            return false
        }
        failed.removeFirst()
        return true
    }

    private func record(of message: ZIMMessage, in id: ConversationID, wantsReceipts: Bool) -> ChangeRecord {
        var fields = id.arguments + [("type", message.type.word ?? ""), ("message", message.text)]
        if let media = message as? ZIMMediaMessage {
            fields += [("fileName", media.fileName), ("fileSize", String(media.fileSize))]
        }
        fields += [("extendedData", message.extendedData), ("wantsReceipts", wantsReceipts ? "true" : "")]
        fields += message.mentionedUserIDs.map { ("mentionedUserID", $0) }
        return ChangeRecord(
            kind: .message,
            fields: fields.filter { !$0.1.isEmpty }.map { AnswerField(name: $0.0, value: $0.1) })
    }

    /// Copies the properties of a sent message from local data: the server sent them just before the confirmation.
    private func adopt(_ message: ZIMMessage, in id: ConversationID) {
        guard
            let index = arrivals.firstIndex(where: {
                $0.conversation == id && $0.text == message.text && Int($0.kind.rawValue) == Int(message.type.rawValue)
            })
        else { return }
        let name = arrivals.remove(at: index).id
        message.name = name
        let rows = look(.queryHistoryMessage, id.arguments + [("count", String(LocalCall.pageMax))]).rows
        rows.first { $0["messageID"] == name }?.fill(message)
    }
}
