import Foundation
import IMLocalData
import IMProtocol

// Conversations: 9 of the calls that work without a network (ZIM-9). `conversationChanged` reports their changes on
// this device, except for removals from the list, as before version 2.28.

extension ZIM {
    /// A conversation.
    public func queryConversation(
        by conversationID: String, conversationType: ZIMConversationType,
        callback: @escaping ZIMConversationQueriedCallback
    ) {
        local(.queryConversation, arguments(conversationID, conversationType)) { reply in
            callback(reply.rows.first.map(self.conversation) ?? ZIMConversation(), reply.error)
        }
    }

    /// Like `queryConversation(by:conversationType:callback:)`, in the form that the vendor's header is imported in.
    public func queryConversation(
        _ conversationID: String, conversationType: ZIMConversationType,
        callback: @escaping ZIMConversationQueriedCallback
    ) {
        queryConversation(by: conversationID, conversationType: conversationType, callback: callback)
    }

    /// Conversations: pinned ones first, then the latest.
    public func queryConversationList(
        with config: ZIMConversationQueryConfig, callback: @escaping ZIMConversationListQueriedCallback
    ) {
        list(.queryConversationList, [], config, callback)
    }

    /// Like `queryConversationList(with:callback:)`, with a filter.
    public func queryConversationList(
        with config: ZIMConversationQueryConfig, option: ZIMConversationFilterOption,
        callback: @escaping ZIMConversationListQueriedCallback
    ) {
        let filter = [
            ("conversationTypes", list(option.conversationTypes)),
            ("isOnlyUnreadConversation", String(option.isOnlyUnreadConversation)),
            ("pinnedFilter", String(option.pinnedFilter.rawValue)),
        ]
        list(.queryConversationList, filter, config, callback)
    }

    /// Conversations that are pinned.
    public func queryConversationPinnedList(
        with config: ZIMConversationQueryConfig, callback: @escaping ZIMConversationPinnedListQueriedCallback
    ) {
        list(.queryConversationPinnedList, [], config, callback)
    }

    private func list(
        _ call: LocalCall, _ filter: [(String, String)], _ config: ZIMConversationQueryConfig,
        _ callback: @escaping ZIMConversationListQueriedCallback
    ) {
        var pagePosition = ""
        if let next = config.nextConversation {
            // After the last one nothing follows.
            guard let found = next.pagePosition ?? self.pagePosition(of: next, call, filter) else {
                return later { _ in callback([], ZIMError()) }
            }
            pagePosition = found
        }
        local(call, filter + [("nextConversation", pagePosition), ("count", String(config.count))]) { reply in
            let conversations = reply.rows.map(self.conversation)
            if !reply.next.isEmpty { conversations.last?.pagePosition = reply.next }
            callback(conversations, reply.error)
        }
    }

    /// The position after a conversation that was not the end of a page.
    private func pagePosition(
        of conversation: ZIMConversation, _ call: LocalCall, _ filter: [(String, String)]
    ) -> String? {
        var begin = ""
        while true {
            let page = look(call, filter + [("nextConversation", begin), ("count", String(LocalCall.pageMax))])
            // Nobody is logged in; the machine returns the error.
            guard page.status == .ok else { return "" }
            let index = page.rows.firstIndex { row in
                row["conversationID"] == conversation.conversationID
                    && ZIMConversationType(word: row["conversationType"]) == conversation.type
            }
            if let index {
                let next = look(call, filter + [("nextConversation", begin), ("count", String(index + 1))]).next
                return next.isEmpty ? nil : next
            }
            guard !page.next.isEmpty else { return nil }
            begin = page.next
        }
    }

    /// Conversations by the text of their messages, or by name.
    public func searchLocalConversations(
        with config: ZIMConversationSearchConfig, callback: @escaping ZIMConversationsSearchedCallback
    ) {
        let arguments = [
            ("mode", String(config.mode.rawValue)), ("nextFlag", String(config.nextFlag)),
            ("totalConversationCount", String(config.totalConversationCount)),
            ("conversationMessageCount", String(config.conversationMessageCount)),
            ("keywords", list(config.keywords)), ("messageTypes", list(config.messageTypes)),
            ("senderUserIDs", list(config.senderUserIDs)), ("startTime", String(config.startTime)),
            ("endTime", String(config.endTime)),
        ]
        local(.searchLocalConversations, arguments) { reply in
            var infos: [ZIMConversationSearchInfo] = []
            for row in reply.rows {
                // A conversation's row, followed by the messages that were found in it.
                guard row.has("totalMessageCount") else {
                    infos.last?.messageList.append(row.message)
                    continue
                }
                let info = ZIMConversationSearchInfo()
                info.conversation = self.conversation(row)
                info.conversationID = info.conversation.conversationID
                info.conversationType = info.conversation.type
                info.totalMessageCount = row.count("totalMessageCount")
                infos.append(info)
            }
            callback(infos, reply.nextFlag, reply.error)
        }
    }

    // MARK: Changes

    /// Marks all of a conversation as read. The server is notified as soon as possible.
    public func clearConversationUnreadMessageCount(
        for conversationID: String, conversationType: ZIMConversationType,
        callback: @escaping ZIMConversationUnreadMessageCountClearedCallback
    ) {
        local(.clearConversationUnreadMessageCount, arguments(conversationID, conversationType)) { reply in
            callback(conversationID, conversationType, reply.error)
            if reply.isOK, let id = ConversationID(conversationID, conversationType) { self.notifyConversations([id]) }
        }
    }

    /// Marks everything as read. The server is notified as soon as possible.
    public func clearConversationTotalUnreadMessageCount(
        _ callback: @escaping ZIMConversationTotalUnreadMessageCountClearedCallback
    ) {
        let unread = listed(onlyUnread: true)
        local(.clearConversationTotalUnreadMessageCount) { reply in
            callback(reply.error)
            if reply.isOK { self.notifyConversations(unread) }
        }
    }

    /// Removes a conversation from the list.
    public func deleteConversation(
        by conversationID: String, conversationType: ZIMConversationType, config: ZIMConversationDeleteConfig,
        callback: @escaping ZIMConversationDeletedCallback
    ) {
        let arguments =
            arguments(conversationID, conversationType) + [
                ("isAlsoDeleteServerConversation", String(config.isAlsoDeleteServerConversation))
            ]
        local(.deleteConversation, arguments) { reply in
            callback(conversationID, conversationType, reply.error)
            if reply.isOK { self.notifyUnread() }
        }
    }

    /// Removes all conversations from the list.
    public func deleteAllConversations(
        with config: ZIMConversationDeleteConfig, callback: @escaping ZIMConversationsAllDeletedCallback
    ) {
        let arguments = [("isAlsoDeleteServerConversation", String(config.isAlsoDeleteServerConversation))]
        local(.deleteAllConversations, arguments) { reply in
            callback(reply.error)
            if reply.isOK { self.notifyUnread() }
        }
    }

    /// Stores a draft, on this device only; empty to remove it.
    public func setConversationDraft(
        _ draft: String, conversationID: String, conversationType: ZIMConversationType,
        callback: @escaping ZIMConversationDraftSetCallback
    ) {
        let arguments = [("draft", draft)] + arguments(conversationID, conversationType)
        local(.setConversationDraft, arguments) { reply in
            callback(conversationID, conversationType, reply.error)
            if reply.isOK, let id = ConversationID(conversationID, conversationType) { self.notifyConversations([id]) }
        }
    }

    // MARK: Files and calls

    /// Deletes downloaded files.
    public func clearLocalFileCache(
        with config: ZIMFileCacheClearConfig, callback: @escaping ZIMFileCacheClearedCallback
    ) {
        local(.clearLocalFileCache, [("endTime", String(config.endTime))]) { callback($0.error) }
    }

    /// The size of downloaded files.
    public func queryLocalFileCache(
        with config: ZIMFileCacheQueryConfig, callback: @escaping ZIMFileCacheQueriedCallback
    ) {
        local(.queryLocalFileCache, [("endTime", String(config.endTime))]) { reply in
            let info = ZIMFileCacheInfo()
            info.totalFileSize = reply.rows.first?.number("totalFileSize") ?? 0
            callback(info, reply.error)
        }
    }

    /// Calls, the latest first.
    public func queryCallInvitationList(
        with config: ZIMCallInvitationQueryConfig, callback: @escaping ZIMCallInvitationListQueriedCallback
    ) {
        local(.queryCallInvitationList, page(config.nextFlag, config.count)) { reply in
            callback(reply.rows.map(\.callInfo), Int64(reply.nextFlag), reply.error)
        }
    }
}
