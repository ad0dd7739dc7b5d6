import Foundation
import SimulatedApp
import Testing
import ZIM

/// An app that only listens. It stores the events of its instance as text.
@MainActor
final class Phone: NSObject {
    private(set) var heard: [String] = []
    private(set) var messages: [ZIMMessage] = []
    private(set) var conversations: [ZIMConversation] = []
    let zim: ZIM

    /// - Parameter appSign: empty for an app that uses tokens.
    init(appSign: String = "") {
        let config = ZIMAppConfig()
        config.appID = 1
        config.appSign = appSign
        guard let zim = ZIM.create(with: config) else { preconditionFailure("there is an instance already") }
        self.zim = zim
        super.init()
        zim.setEventHandler(self)
    }

    func forget() {
        heard = []
        messages = []
        conversations = []
    }

    func note(_ word: String) { heard.append(word) }

    /// Only the connection events.
    var states: [String] { heard.filter { $0.hasPrefix("state ") } }

    func login(_ user: String, token: String, isOffline: Bool = false) async -> ZIMErrorCode {
        let config = ZIMLoginConfig()
        config.userName = user
        config.token = token
        config.isOfflineLogin = isOffline
        return await withCheckedContinuation { continuation in
            zim.login(withUserID: user, config: config) { continuation.resume(returning: $0.code) }
        }
    }

    func send(_ text: String, to user: String) async -> (ZIMMessage, ZIMErrorCode) {
        await send(ZIMTextMessage(message: text), to: user)
    }

    func send(
        _ message: ZIMMessage, to id: String, _ type: ZIMConversationType = .peer, hasReceipt: Bool = false
    ) async -> (ZIMMessage, ZIMErrorCode) {
        let config = ZIMMessageSendConfig()
        config.hasReceipt = hasReceipt
        return await withCheckedContinuation { continuation in
            zim.sendMessage(
                message, toConversationID: id, conversationType: type, config: config, notification: nil
            ) { continuation.resume(returning: ($0, $1.code)) }
        }
    }

    /// The texts of a conversation, oldest first.
    func history(
        _ id: String, _ type: ZIMConversationType = .peer, count: UInt32 = 20, before: ZIMMessage? = nil
    ) async -> (messages: [ZIMMessage], code: ZIMErrorCode) {
        let config = ZIMMessageQueryConfig()
        config.count = count
        config.reverse = true
        config.nextMessage = before
        return await withCheckedContinuation { continuation in
            zim.queryHistoryMessage(by: id, conversationType: type, config: config) { _, _, messages, error in
                continuation.resume(returning: (messages, error.code))
            }
        }
    }

    func conversationList(
        count: UInt32 = 20, behind: ZIMConversation? = nil
    ) async -> (list: [ZIMConversation], code: ZIMErrorCode) {
        let config = ZIMConversationQueryConfig()
        config.count = count
        config.nextConversation = behind
        return await withCheckedContinuation { continuation in
            zim.queryConversationList(with: config) { continuation.resume(returning: ($0, $1.code)) }
        }
    }
}

extension ZIMMessage {
    /// The text of a text message.
    var words: String { (self as? ZIMTextMessage)?.message ?? "\(type)" }
}

extension Phone: @preconcurrency ZIMEventHandler {
    func zim(
        _ zim: ZIM, connectionStateChanged state: ZIMConnectionState, event: ZIMConnectionEvent,
        extendedData: [AnyHashable: Any]
    ) { note("state \(state) \(event)") }

    func zim(_ zim: ZIM, tokenWillExpire second: UInt32) { note("token ends in \(second)") }

    func zim(_ zim: ZIM, userInfoUpdated info: ZIMUserFullInfo) { note("I am \(info.baseInfo.userName)") }

    func zim(_ zim: ZIM, userStatusUpdated userStatusList: [ZIMUserStatus]) {
        for status in userStatusList { note("\(status.userID) \(status.onlineStatus)") }
    }

    func zim(_ zim: ZIM, conversationChanged conversationChangeInfoList: [ZIMConversationChangeInfo]) {
        for info in conversationChangeInfoList {
            let conversation = info.conversation
            conversations.append(conversation)
            note("\(conversation.conversationID) \(info.event), \(conversation.unreadMessageCount) unread")
        }
    }

    func zim(_ zim: ZIM, conversationTotalUnreadMessageCountUpdated totalUnreadMessageCount: UInt32) {
        note("unread \(totalUnreadMessageCount)")
    }

    func zim(_ zim: ZIM, conversationSyncStateChanged state: ZIMConversationSyncState) { note("sync \(state)") }

    func zim(
        _ zim: ZIM, peerMessageReceived messageList: [ZIMMessage], info: ZIMMessageReceivedInfo, fromUserID: String
    ) {
        messages += messageList
        for message in messageList {
            note("\(fromUserID): \(message.words)\(info.isOfflineMessage ? " (while away)" : "")")
        }
    }

    func zim(
        _ zim: ZIM, groupMessageReceived messageList: [ZIMMessage], info: ZIMMessageReceivedInfo, fromGroupID: String
    ) {
        messages += messageList
        for message in messageList { note("\(message.senderUserID)@\(fromGroupID): \(message.words)") }
    }

    func zim(_ zim: ZIM, messageSentStatusChanged infos: [ZIMMessageSentStatusChangeInfo]) {
        for info in infos { note("\(info.message.words) \(info.status)") }
    }

    func zim(_ zim: ZIM, messageReceiptChanged infos: [ZIMMessageReceiptInfo]) {
        for info in infos { note("receipt in \(info.conversationID): \(info.status) \(info.readMemberCount)") }
    }

    func zim(_ zim: ZIM, messageRevokeReceived messageList: [ZIMRevokeMessage]) {
        for message in messageList { note("\(message.senderUserID) took a message back") }
    }

    func zim(_ zim: ZIM, messageReactionsChanged reactions: [ZIMMessageReaction]) {
        for reaction in reactions {
            note("\(reaction.reactionType) of \(reaction.userList.map(\.userID)) in \(reaction.conversationID)")
        }
    }

    func zim(_ zim: ZIM, messageDeleted deletedInfo: ZIMMessageDeletedInfo) {
        note("deleted \(deletedInfo.messageDeleteType) \(deletedInfo.messageList.count)")
    }

    func zim(_ zim: ZIM, friendListChanged friendInfoList: [ZIMFriendInfo], action: ZIMFriendListChangeAction) {
        note("friends \(friendInfoList.map(\.userID)) \(action)")
    }

    func zim(_ zim: ZIM, friendInfoUpdated friendInfoList: [ZIMFriendInfo]) {
        note("friend is \(friendInfoList.map(\.userName))")
    }

    func zim(
        _ zim: ZIM, friendApplicationListChanged friendApplicationInfoList: [ZIMFriendApplicationInfo],
        action: ZIMFriendApplicationListChangeAction
    ) {
        for info in friendApplicationInfoList { note("application \(info.type) \(info.applyUser.userID)") }
    }

    func zim(_ zim: ZIM, friendApplicationUpdated friendApplicationInfoList: [ZIMFriendApplicationInfo]) {
        for info in friendApplicationInfoList { note("application \(info.type) \(info.state)") }
    }

    func zim(_ zim: ZIM, blacklistChanged userList: [ZIMUserInfo], action: ZIMBlacklistChangeAction) {
        note("blacklist \(userList.map(\.userID)) \(action)")
    }

    func zim(
        _ zim: ZIM, groupStateChanged state: ZIMGroupState, event: ZIMGroupEvent, operatedInfo: ZIMGroupOperatedInfo,
        groupInfo: ZIMGroupFullInfo
    ) { note("group \(groupInfo.baseInfo.groupID) \(state) \(event)") }

    func zim(_ zim: ZIM, groupNameUpdated groupName: String, operatedInfo: ZIMGroupOperatedInfo, groupID: String) {
        note("\(groupID) is named \(groupName)")
    }

    func zim(
        _ zim: ZIM, groupAttributesUpdated infoList: [ZIMGroupAttributesUpdateInfo],
        operatedInfo: ZIMGroupOperatedInfo, groupID: String
    ) {
        for info in infoList { note("\(groupID) \(info.action) \(info.groupAttributes)") }
    }

    func zim(
        _ zim: ZIM, groupMemberStateChanged state: ZIMGroupMemberState, event: ZIMGroupMemberEvent,
        userList: [ZIMGroupMemberInfo], operatedInfo: ZIMGroupOperatedInfo, groupID: String
    ) { note("\(groupID): \(userList.map(\.userID)) \(state)") }

    func zim(
        _ zim: ZIM, groupApplicationListChanged applicationList: [ZIMGroupApplicationInfo],
        action: ZIMGroupApplicationListChangeAction
    ) {
        for info in applicationList { note("\(info.applyUser.userID) \(info.type) \(info.groupInfo.groupID)") }
    }

    func zim(_ zim: ZIM, callInvitationReceived info: ZIMCallInvitationReceivedInfo, callID: String) {
        note("call \(callID) of \(info.caller)")
    }
}

/// An app on a device, logged in and synchronized, without the events so far.
@MainActor
func loggedIn(
    _ user: String, on name: String, in simulation: Simulation, lifetime: Duration? = nil
) async throws -> (device: SimulatedDevice, app: Phone) {
    let device = simulation.device(name)
    let app = try device.launch { Phone() }
    let token = simulation.token(for: user, lifetime: lifetime)
    #expect(try await device.run { await app.login(user, token: token) } == .success)
    await simulation.run(for: .seconds(1))
    app.forget()
    return (device, app)
}
