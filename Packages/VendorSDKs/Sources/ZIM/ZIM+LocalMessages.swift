import Foundation
import IMLocalData
import IMProtocol

// Messages in local data: 14 of the calls that work without a network, and the one about combined messages (ZIM-9).

extension ZIM {
    // MARK: Reading

    /// Messages of a conversation, the oldest of each page first. If `reverse` is true, pages go back from the latest
    /// message, otherwise forward from the first. This is the opposite of the argument of the shell's call.
    public func queryHistoryMessage(
        by conversationID: String, conversationType: ZIMConversationType, config: ZIMMessageQueryConfig,
        callback: @escaping ZIMMessageQueriedCallback
    ) {
        let arguments =
            arguments(conversationID, conversationType) + [
                ("nextMessage", pagePosition(config.nextMessage)), ("count", String(config.count)),
                ("reverse", String(!config.reverse)), ("mode", String(config.mode.rawValue)),
            ]
        let isReversed = config.reverse
        local(.queryHistoryMessage, arguments) { reply in
            let messages = reply.rows.map(\.message)
            callback(conversationID, conversationType, isReversed ? messages.reversed() : messages, reply.error)
        }
    }

    /// Messages of a conversation that contain the keywords.
    public func searchLocalMessages(
        by conversationID: String, conversationType: ZIMConversationType, config: ZIMMessageSearchConfig,
        callback: @escaping ZIMMessagesSearchedCallback
    ) {
        let arguments = arguments(conversationID, conversationType) + search(config)
        local(.searchLocalMessages, arguments) { reply in
            let messages = reply.rows.map(\.message)
            callback(
                conversationID, conversationType, messages, reply.next.isEmpty ? nil : messages.last, reply.error)
        }
    }

    /// Messages of all conversations that contain the keywords.
    public func searchGlobalLocalMessages(
        with config: ZIMMessageSearchConfig, callback: @escaping ZIMMessagesGlobalSearchedCallback
    ) {
        local(.searchGlobalLocalMessages, search(config)) { reply in
            let messages = reply.rows.map(\.message)
            callback(messages, reply.next.isEmpty ? nil : messages.last, reply.error)
        }
    }

    private func search(_ config: ZIMMessageSearchConfig) -> [(String, String)] {
        [
            ("nextMessage", pagePosition(config.nextMessage)), ("count", String(config.count)),
            ("order", String(config.order.rawValue)), ("keywords", list(config.keywords)),
            ("messageTypes", list(config.messageTypes)), ("senderUserIDs", list(config.senderUserIDs)),
            ("startTime", String(config.startTime)), ("endTime", String(config.endTime)),
        ]
    }

    /// The position after a message, where a page continues.
    private func pagePosition(_ message: ZIMMessage?) -> String {
        guard let message else { return "" }
        var (time, sequence, local) = (Int64(clamping: message.timestamp), message.messageSeq, message.localMessageID)
        if local == 0, let id = ConversationID(message.conversationID, message.conversationType) {
            // The app was notified of this message before local data had it.
            let rows = look(.queryHistoryMessage, id.arguments + [("count", String(LocalCall.pageMax))]).rows
            if let row = rows.first(where: { $0["messageID"] == message.name }) {
                (time, sequence, local) =
                    (row.number("timestamp"), row.number("messageSeq"), row.number("localMessageID"))
            }
        }
        return "\(time).\(sequence).\(local)"
    }

    /// The parts of a combined message.
    public func queryCombineMessageDetail(
        by message: ZIMCombineMessage, callback: @escaping ZIMCombineMessageDetailQueriedCallback
    ) {
        local(.queryCombineMessageDetail, [("message", message.key)]) { reply in
            if reply.isOK { message.messageList = reply.rows.map(\.message) }
            callback(message, reply.error)
        }
    }

    // MARK: Receipts and reactions

    /// The numbers of readers of messages.
    public func queryMessageReceiptsInfo(
        by messageList: [ZIMMessage], conversationID: String, conversationType: ZIMConversationType,
        callback: @escaping ZIMMessageReceiptsInfoQueriedCallback
    ) {
        let arguments =
            [("messageList", list(messageList.map(\.key)))] + arguments(conversationID, conversationType)
        local(.queryMessageReceiptsInfo, arguments) { reply in
            let infos = reply.rows.filter { $0.has("messageID") }
                .map { $0.receipt(in: conversationID, conversationType) }
            let unknown = reply.rows.filter { $0.has("errorMessageID") }
                .map { String(ZIMMessage.number(of: $0["errorMessageID"])) }
            callback(infos, unknown, reply.error)
        }
    }

    /// The users with a given reaction to a message.
    public func queryMessageReactionUserList(
        by message: ZIMMessage, config: ZIMMessageReactionUserQueryConfig,
        callback: @escaping ZIMMessageReactionUserListQueriedCallback
    ) {
        let arguments =
            [("message", message.key), ("reactionType", config.reactionType)] + page(config.nextFlag, config.count)
        let type = config.reactionType
        local(.queryMessageReactionUserList, arguments) { reply in
            let total = self.look(
                .queryMessageReactionUserList,
                [("message", message.key), ("reactionType", type), ("count", String(LocalCall.pageMax))]
            ).rows.count
            callback(
                message, reply.rows.map { ZIMMessageReactionUserInfo($0["userID"]) }, type, Int64(reply.nextFlag),
                reply.isOK ? Int32(total) : 0, reply.error)
        }
    }

    /// Members who have read a message.
    public func queryGroupMessageReceiptReadMemberList(
        by message: ZIMMessage, groupID: String, config: ZIMGroupMessageReceiptMemberQueryConfig,
        callback: @escaping ZIMGroupMessageReceiptMemberListQueriedCallback
    ) {
        readers(.queryGroupMessageReceiptReadMemberList, message, groupID, config, callback)
    }

    /// Members who have not read a message.
    public func queryGroupMessageReceiptUnreadMemberList(
        by message: ZIMMessage, groupID: String, config: ZIMGroupMessageReceiptMemberQueryConfig,
        callback: @escaping ZIMGroupMessageReceiptMemberListQueriedCallback
    ) {
        readers(.queryGroupMessageReceiptUnreadMemberList, message, groupID, config, callback)
    }

    private func readers(
        _ call: LocalCall, _ message: ZIMMessage, _ groupID: String,
        _ config: ZIMGroupMessageReceiptMemberQueryConfig,
        _ callback: @escaping ZIMGroupMessageReceiptMemberListQueriedCallback
    ) {
        let arguments = [("message", message.key), ("groupID", groupID)] + page(config.nextFlag, config.count)
        local(call, arguments) { reply in
            callback(groupID, reply.rows.map(\.member), reply.nextFlag, reply.error)
        }
    }

    // MARK: Changes

    /// Stores a note with a message, on this device only.
    public func updateMessageLocalExtendedData(
        _ localExtendedData: String, message: ZIMMessage,
        callback: @escaping ZIMMessageLocalExtendedDataUpdatedCallback
    ) {
        let arguments = [("localExtendedData", localExtendedData), ("message", message.key)]
        local(.updateMessageLocalExtendedData, arguments) { reply in
            if reply.isOK { message.localExtendedData = localExtendedData }
            callback(message, reply.error)
        }
    }

    /// Inserts a text, on this device only.
    public func insertMessageToLocalDB(
        _ message: ZIMMessage, conversationID: String, conversationType: ZIMConversationType, senderUserID: String,
        callback: @escaping ZIMMessageInsertedCallback
    ) {
        let arguments =
            [("message", message.text)] + arguments(conversationID, conversationType) + [
                ("senderUserID", senderUserID)
            ]
        local(.insertMessageToLocalDB, arguments) { reply in
            if let row = reply.rows.first { row.fill(message) }
            callback(message, reply.error)
            guard reply.isOK, let id = ConversationID(conversationID, conversationType) else { return }
            self.notifyConversations([id], .added)
        }
    }

    /// Deletes the messages of a conversation; on this device only, or with a network on the server too.
    public func deleteAllMessage(
        by conversationID: String, conversationType: ZIMConversationType, config: ZIMMessageDeleteConfig,
        callback: @escaping ZIMMessageDeletedCallback
    ) {
        local(.deleteAllMessage, arguments(conversationID, conversationType) + deletes(config)) { reply in
            callback(conversationID, conversationType, reply.error)
            if reply.isOK, let id = ConversationID(conversationID, conversationType) { self.notifyConversations([id]) }
        }
    }

    /// Deletes messages; on this device only, or with a network on the server too.
    public func deleteMessages(
        _ messageList: [ZIMMessage], conversationID: String, conversationType: ZIMConversationType,
        config: ZIMMessageDeleteConfig, callback: @escaping ZIMMessageDeletedCallback
    ) {
        let arguments =
            [("messageList", list(messageList.map(\.key)))] + arguments(conversationID, conversationType)
            + deletes(config)
        local(.deleteMessages, arguments) { reply in
            callback(conversationID, conversationType, reply.error)
            if reply.isOK, let id = ConversationID(conversationID, conversationType) { self.notifyConversations([id]) }
        }
    }

    /// Deletes all messages; on this device only, or with a network on the server too.
    public func deleteAllConversationMessages(
        with config: ZIMMessageDeleteConfig, callback: @escaping ZIMConversationMessagesAllDeletedCallback
    ) {
        local(.deleteAllConversationMessages, deletes(config)) { reply in
            callback(reply.error)
            if reply.isOK { self.notifyConversations(self.listed(onlyUnread: false)) }
        }
    }

    private func deletes(_ config: ZIMMessageDeleteConfig) -> [(String, String)] {
        [("isAlsoDeleteServerMessage", String(config.isAlsoDeleteServerMessage))]
    }

    // MARK: Exports

    /// Writes all messages to a folder of the simulated device, which has no other files.
    public func exportLocalMessages(
        toFolderPath folderPath: String, config: ZIMMessageExportConfig,
        progress: @escaping ZIMMessageExportingProgress, callback: @escaping ZIMMessageExportedCallback
    ) {
        move(.exportLocalMessages, folderPath, progress, callback)
    }

    /// Adds the messages of an export of the user's that this device lacks.
    public func importLocalMessages(
        toFolderPath folderPath: String, config: ZIMMessageImportConfig,
        progress: @escaping ZIMMessageImportingProgress, callback: @escaping ZIMMessageImportedCallback
    ) {
        move(.importLocalMessages, folderPath, progress) { error in
            callback(error)
            if error.code == .success { self.notifyConversations(self.listed(onlyUnread: false)) }
        }
    }

    private func move(
        _ call: LocalCall, _ folder: String, _ progress: @escaping (UInt64, UInt64) -> Void,
        _ callback: @escaping (ZIMError) -> Void
    ) {
        local(call, [("folderPath", folder)]) { reply in
            let count = reply.rows.first.flatMap { UInt64($0["count"]) }
            // All of it is one step here.
            if let count { progress(count, count) }
            callback(reply.error)
        }
    }
}
