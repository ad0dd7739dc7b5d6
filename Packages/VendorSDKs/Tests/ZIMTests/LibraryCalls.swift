import Foundation
import IMLocalData
import SimulatedApp

@testable import ZIM

/// Makes calls on local data as scripts write them, through the module.
@MainActor
struct LibraryCalls {
    let zim: ZIM
    private let call: LocalCall
    private let words: [String: String]

    /// - Parameter line: `call`, a name, and arguments. Nil for a call that the module would make differently.
    init?(_ line: [String], _ zim: ZIM) {
        guard line.count > 1, line[0] == "call", let call = LocalCall(name: line[1]) else { return nil }
        var words: [String: String] = [:]
        var places: [Int] = []
        for argument in line.dropFirst(2) {
            guard let sign = argument.firstIndex(of: "=") else { return nil }
            let name = String(argument[..<sign])
            guard let place = call.declaration.parameters.firstIndex(where: { $0.name == name }) else { return nil }
            places.append(place)
            words[name] = String(argument[argument.index(after: sign)...])
        }
        guard places == places.sorted() else { return nil }
        self.zim = zim
        self.call = call
        self.words = words
    }

    private func text(_ name: String) -> String { words[name] ?? "" }
    private func list(_ name: String) -> [String] {
        text(name).split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    private func flag(_ name: String) -> Bool { words[name] == "true" }
    private func number(_ name: String, _ standard: Int64 = 0) -> Int64 { words[name].flatMap(Int64.init) ?? standard }
    private var count: UInt32 { UInt32(number("count", 20)) }
    private var flagOfPage: UInt32 { UInt32(number("nextFlag")) }
    private var type: ZIMConversationType { ZIMConversationType(word: words["conversationType"] ?? "peer") }
    private var id: String { text("conversationID") }
    private var group: String { text("groupID") }

    private func message<Message: ZIMMessage>(_ name: String, _ make: () -> Message) -> Message {
        let message = make()
        message.name = name
        return message
    }

    private func text(named name: String) -> ZIMMessage { message(name) { ZIMTextMessage(message: "") } }

    /// - Returns: whether the module can make the call.
    func make() -> Bool {
        makeUserCall() || makeGroupCall() || makeMessageCall() || makeChange() || makeConversationCall()
    }

    private func makeUserCall() -> Bool {
        switch call {
        case .queryUsersInfo:
            let config = ZIMUsersInfoQueryConfig()
            config.isQueryFromServer = flag("isQueryFromServer")
            zim.queryUsersInfo(by: list("userIDs"), config: config) { _, _, _ in }
        case .querySelfUserInfo: zim.querySelfUserInfo { _, _ in }
        case .queryGroupApplicationList:
            let config = ZIMGroupApplicationListQueryConfig()
            (config.count, config.nextFlag) = (count, flagOfPage)
            zim.queryGroupApplicationList(with: config) { _, _, _ in }
        case .queryBlacklist:
            let config = ZIMBlacklistQueryConfig()
            (config.count, config.nextFlag) = (count, flagOfPage)
            zim.queryBlacklist(with: config) { _, _, _ in }
        case .checkUserIsInBlackList: zim.checkUserIsInBlacklist(by: text("userID")) { _, _ in }
        case .searchLocalFriends:
            let config = ZIMFriendSearchConfig()
            (config.count, config.nextFlag) = (count, flagOfPage)
            config.keywords = list("keywords")
            config.isAlsoMatchFriendAlias = flag("isAlsoMatchFriendAlias")
            zim.searchLocalFriends(with: config) { _, _, _ in }
        case .queryFriendsInfo: zim.queryFriendsInfo(by: list("userIDs")) { _, _, _ in }
        case .queryFriendList:
            let config = ZIMFriendListQueryConfig()
            (config.count, config.nextFlag) = (count, flagOfPage)
            zim.queryFriendList(with: config) { _, _, _ in }
        case .queryFriendApplicationList:
            let config = ZIMFriendApplicationListQueryConfig()
            (config.count, config.nextFlag) = (count, flagOfPage)
            zim.queryFriendApplicationList(with: config) { _, _, _ in }
        default: return false
        }
        return true
    }

    private func makeGroupCall() -> Bool {
        switch call {
        case .queryGroupList: zim.queryGroupList { _, _ in }
        case .searchLocalGroups:
            let config = ZIMGroupSearchConfig()
            (config.count, config.nextFlag) = (count, flagOfPage)
            config.keywords = list("keywords")
            config.isAlsoMatchGroupMemberUserName = flag("isAlsoMatchGroupMemberUserName")
            config.isAlsoMatchGroupMemberNickname = flag("isAlsoMatchGroupMemberNickname")
            zim.searchLocalGroups(with: config) { _, _, _ in }
        case .queryGroupInfo: zim.queryGroupInfo(by: group) { _, _ in }
        case .queryGroupAttributes: zim.queryGroupAttributes(by: list("keys"), groupID: group) { _, _, _ in }
        case .queryGroupAllAttributes: zim.queryGroupAllAttributes(by: group) { _, _, _ in }
        case .queryGroupMemberList:
            let config = ZIMGroupMemberQueryConfig()
            (config.count, config.nextFlag) = (count, flagOfPage)
            zim.queryGroupMemberList(by: group, config: config) { _, _, _, _ in }
        case .searchLocalGroupMembers:
            let config = ZIMGroupMemberSearchConfig()
            (config.count, config.nextFlag) = (count, flagOfPage)
            config.keywords = list("keywords")
            config.isAlsoMatchGroupMemberNickname = flag("isAlsoMatchGroupMemberNickname")
            zim.searchLocalGroupMembers(by: group, config: config) { _, _, _, _ in }
        case .queryGroupMemberInfo: zim.queryGroupMemberInfo(by: text("userID"), groupID: group) { _, _, _ in }
        case .queryGroupMemberCount: zim.queryGroupMemberCount(by: group) { _, _, _ in }
        case .queryGroupMemberMutedList:
            let config = ZIMGroupMemberMutedListQueryConfig()
            config.count = count
            zim.queryGroupMemberMutedList(by: group, config: config) { _, _, _, _ in }
        default: return false
        }
        return true
    }

    private func makeMessageCall() -> Bool {
        let receipts = ZIMGroupMessageReceiptMemberQueryConfig()
        (receipts.count, receipts.nextFlag) = (count, flagOfPage)
        switch call {
        case .queryHistoryMessage:
            let config = ZIMMessageQueryConfig()
            config.count = count
            // The reverse of the vendor's order.
            config.reverse = !flag("reverse")
            guard words["mode"] == nil, words["nextMessage"] == nil else { return false }
            zim.queryHistoryMessage(by: id, conversationType: type, config: config) { _, _, _, _ in }
        case .searchLocalMessages:
            zim.searchLocalMessages(by: id, conversationType: type, config: search) { _, _, _, _, _ in }
        case .searchGlobalLocalMessages: zim.searchGlobalLocalMessages(with: search) { _, _, _ in }
        case .queryMessageReceiptsInfo:
            zim.queryMessageReceiptsInfo(
                by: list("messageList").map(text(named:)), conversationID: id, conversationType: type
            ) { _, _, _ in }
        case .queryMessageReactionUserList:
            let config = ZIMMessageReactionUserQueryConfig()
            config.count = count
            config.reactionType = text("reactionType")
            zim.queryMessageReactionUserList(by: text(named: text("message")), config: config) { _, _, _, _, _, _ in }
        case .queryGroupMessageReceiptReadMemberList:
            zim.queryGroupMessageReceiptReadMemberList(
                by: text(named: text("message")), groupID: group, config: receipts
            ) { _, _, _, _ in }
        case .queryGroupMessageReceiptUnreadMemberList:
            zim.queryGroupMessageReceiptUnreadMemberList(
                by: text(named: text("message")), groupID: group, config: receipts
            ) { _, _, _, _ in }
        case .queryCombineMessageDetail:
            let combined = message(text("message")) { ZIMCombineMessage(title: "", summary: "", messageList: []) }
            zim.queryCombineMessageDetail(by: combined) { _, _ in }
        default: return false
        }
        return true
    }

    private var search: ZIMMessageSearchConfig {
        let config = ZIMMessageSearchConfig()
        config.count = count
        config.keywords = list("keywords")
        config.messageTypes = list("messageTypes").compactMap { word in
            word.isEmpty ? nil : NSNumber(value: ZIMMessageType(word: word).rawValue)
        }
        return config
    }

    private func makeChange() -> Bool {
        let messages = ZIMMessageDeleteConfig()
        messages.isAlsoDeleteServerMessage = flag("isAlsoDeleteServerMessage")
        switch call {
        case .updateMessageLocalExtendedData:
            zim.updateMessageLocalExtendedData(
                text("localExtendedData"), message: text(named: text("message"))
            ) { _, _ in }
        case .insertMessageToLocalDB:
            zim.insertMessageToLocalDB(
                ZIMTextMessage(message: text("message")), conversationID: id, conversationType: type,
                senderUserID: text("senderUserID")
            ) { _, _ in }
        case .deleteAllMessage:
            zim.deleteAllMessage(by: id, conversationType: type, config: messages) { _, _, _ in }
        case .deleteMessages:
            zim.deleteMessages(
                list("messageList").map(text(named:)), conversationID: id, conversationType: type, config: messages
            ) { _, _, _ in }
        case .deleteAllConversationMessages: zim.deleteAllConversationMessages(with: messages) { _ in }
        case .importLocalMessages:
            zim.importLocalMessages(
                toFolderPath: text("folderPath"), config: ZIMMessageImportConfig(), progress: { _, _ in }
            ) { _ in }
        case .exportLocalMessages:
            zim.exportLocalMessages(
                toFolderPath: text("folderPath"), config: ZIMMessageExportConfig(), progress: { _, _ in }
            ) { _ in }
        case .clearLocalFileCache:
            let config = ZIMFileCacheClearConfig()
            config.endTime = number("endTime")
            zim.clearLocalFileCache(with: config) { _ in }
        case .queryLocalFileCache: zim.queryLocalFileCache(with: ZIMFileCacheQueryConfig()) { _, _ in }
        default: return false
        }
        return true
    }

    private func makeConversationCall() -> Bool {
        let page = ZIMConversationQueryConfig()
        page.count = count
        let conversations = ZIMConversationDeleteConfig()
        conversations.isAlsoDeleteServerConversation = flag("isAlsoDeleteServerConversation")
        switch call {
        case .queryCallInvitationList:
            let config = ZIMCallInvitationQueryConfig()
            (config.count, config.nextFlag) = (count, number("nextFlag"))
            zim.queryCallInvitationList(with: config) { _, _, _ in }
        case .queryConversation: zim.queryConversation(by: id, conversationType: type) { _, _ in }
        case .queryConversationList where flag("isOnlyUnreadConversation"):
            let option = ZIMConversationFilterOption()
            option.isOnlyUnreadConversation = true
            zim.queryConversationList(with: page, option: option) { _, _ in }
        case .queryConversationList: zim.queryConversationList(with: page) { _, _ in }
        case .queryConversationPinnedList: zim.queryConversationPinnedList(with: page) { _, _ in }
        case .searchLocalConversations:
            let config = ZIMConversationSearchConfig()
            config.mode = words["mode"] == "match-name" ? .matchConversationName : .matchMessage
            config.totalConversationCount = 20
            config.conversationMessageCount = 3
            config.keywords = list("keywords")
            zim.searchLocalConversations(with: config) { _, _, _ in }
        case .clearConversationUnreadMessageCount:
            zim.clearConversationUnreadMessageCount(for: id, conversationType: type) { _, _, _ in }
        case .clearConversationTotalUnreadMessageCount: zim.clearConversationTotalUnreadMessageCount { _ in }
        case .deleteConversation:
            zim.deleteConversation(by: id, conversationType: type, config: conversations) { _, _, _ in }
        case .deleteAllConversations: zim.deleteAllConversations(with: conversations) { _ in }
        case .setConversationDraft:
            zim.setConversationDraft(text("draft"), conversationID: id, conversationType: type) { _, _, _ in }
        default: return false
        }
        return true
    }
}
