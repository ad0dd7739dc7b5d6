import Foundation
import IMProtocol

// Converts answers of local data to the vendor's objects.

extension AnswerRow {
    // MARK: Users

    func fill(_ user: ZIMUserInfo) {
        user.userID = self["userID"]
        user.userName = self["userName"]
        user.userAvatarUrl = self["userAvatarUrl"]
    }

    var userInfo: ZIMUserInfo {
        let user = ZIMUserInfo()
        fill(user)
        return user
    }

    var fullUserInfo: ZIMUserFullInfo {
        let user = ZIMUserFullInfo()
        user.baseInfo = userInfo
        user.userAvatarUrl = self["userAvatarUrl"]
        user.extendedData = self["userExtendedData"]
        return user
    }

    var friendInfo: ZIMFriendInfo {
        let friend = ZIMFriendInfo()
        fill(friend)
        friend.friendAlias = self["friendAlias"]
        friend.createTime = number("createTime")
        friend.wording = self["wording"]
        friend.friendAttributes = attributes("friendAttributes")
        return friend
    }

    var friendApplication: ZIMFriendApplicationInfo {
        let application = ZIMFriendApplicationInfo()
        application.type = ZIMFriendApplicationType(word: self["type"])
        application.state = ZIMFriendApplicationState(word: self["state"])
        application.applyUser.userID = self["userID"]
        application.wording = self["wording"]
        application.createTime = number("createTime")
        application.updateTime = number("updateTime")
        return application
    }

    // MARK: Groups

    var groupInfo: ZIMGroupInfo {
        let group = ZIMGroupInfo()
        group.groupID = self["groupID"]
        group.groupName = self["groupName"]
        group.groupAvatarUrl = self["groupAvatarUrl"]
        return group
    }

    var group: ZIMGroup {
        let group = ZIMGroup()
        group.baseInfo = groupInfo
        group.groupAlias = self["groupAlias"]
        group.notificationStatus = ZIMGroupMessageNotificationStatus(word: self["notificationStatus"])
        return group
    }

    var fullGroupInfo: ZIMGroupFullInfo {
        let group = ZIMGroupFullInfo()
        group.baseInfo = groupInfo
        group.groupAlias = self["groupAlias"]
        group.groupNotice = self["groupNotice"]
        group.groupAttributes = attributes("groupAttributes")
        group.notificationStatus = ZIMGroupMessageNotificationStatus(word: self["notificationStatus"])
        group.createTime = number("createTime")
        return group
    }

    var member: ZIMGroupMemberInfo {
        let member = ZIMGroupMemberInfo()
        fill(member)
        member.memberNickname = self["memberNickname"]
        member.muteExpiredTime = number("muteExpiredTime")
        switch self["memberRole"] {
        case "owner": member.memberRole = ZIMGroupMemberRoleOwner
        case "admin": member.memberRole = ZIMGroupMemberRoleAdmin
        default: member.memberRole = ZIMGroupMemberRoleMember
        }
        return member
    }

    var groupApplication: ZIMGroupApplicationInfo {
        let application = ZIMGroupApplicationInfo()
        application.type = ZIMGroupApplicationType(word: self["type"])
        application.state = ZIMGroupApplicationState(word: self["state"])
        application.groupInfo.groupID = self["groupID"]
        application.applyUser.userID = self["userID"]
        application.wording = self["wording"]
        application.createTime = number("createTime")
        application.updateTime = number("updateTime")
        return application
    }

    // MARK: Messages

    /// The message, as an object of its kind.
    var message: ZIMMessage {
        let message = ZIMMessage.blank(
            ZIMMessageType(word: self["type"]), text: self["message"], fileName: self["fileName"])
        fill(message)
        return message
    }

    /// Copies the message's properties, except for its content.
    func fill(_ message: ZIMMessage) {
        message.name = self["messageID"]
        message.localMessageID = number("localMessageID")
        message.messageSeq = number("messageSeq")
        message.senderUserID = self["senderUserID"]
        message.conversationID = self["conversationID"]
        message.conversationType = ZIMConversationType(word: self["conversationType"])
        message.direction = self["direction"] == "send" ? .send : .receive
        message.sentStatus = ZIMMessageSentStatus(word: self["sentStatus"])
        message.timestamp = UInt64(self["timestamp"]) ?? 0
        message.orderKey = number("timestamp")
        message.isUserInserted = flag("isUserInserted")
        message.extendedData = self["extendedData"]
        message.localExtendedData = self["localExtendedData"]
        message.mentionedUserIDs = self["mentionedUserIDs"].split(separator: ",").map(String.init)
        message.reactions = self["reactions"].split(separator: ",").compactMap { reaction in
            guard let colon = reaction.lastIndex(of: ":") else { return nil }
            let made = ZIMMessageReaction()
            made.reactionType = String(reaction[..<colon])
            made.totalCount = UInt32(reaction[reaction.index(after: colon)...]) ?? 0
            made.messageID = message.messageID
            made.conversationID = message.conversationID
            made.conversationType = message.conversationType
            return made
        }
        if let media = message as? ZIMMediaMessage { media.fileSize = number("fileSize") }
    }

    /// The receipt of a message in the conversation.
    func receipt(in conversationID: String, _ type: ZIMConversationType) -> ZIMMessageReceiptInfo {
        let info = ZIMMessageReceiptInfo()
        info.status = ZIMMessageReceiptStatus(word: self["status"])
        info.messageID = ZIMMessage.number(of: self["messageID"])
        info.conversationID = conversationID
        info.conversationType = type
        info.readMemberCount = count("readMemberCount")
        info.unreadMemberCount = count("unreadMemberCount")
        return info
    }

    // MARK: Conversations and calls

    /// Without its last message: a row has only its id and text.
    var conversation: ZIMConversation {
        let conversation = ZIMConversation()
        conversation.conversationID = self["conversationID"]
        conversation.type = ZIMConversationType(word: self["conversationType"])
        conversation.conversationName = self["conversationName"]
        conversation.conversationAlias = self["conversationAlias"]
        conversation.notificationStatus = ZIMConversationNotificationStatus(word: self["notificationStatus"])
        conversation.unreadMessageCount = count("unreadMessageCount")
        conversation.orderKey = number("orderKey")
        conversation.isPinned = flag("isPinned")
        conversation.draft = self["draft"]
        conversation.marks = self["marks"].split(separator: ",").compactMap { Int($0).map { NSNumber(value: $0) } }
        return conversation
    }

    var callInfo: ZIMCallInfo {
        let call = ZIMCallInfo()
        call.callID = self["callID"]
        call.caller = self["caller"]
        call.inviter = self["inviter"]
        call.createTime = number("createTime")
        call.endTime = number("endTime")
        call.state = ZIMCallState(word: self["state"])
        call.callUserList = self["callUserList"].split(separator: ",").map { ZIMCallUserInfo(String($0)) }
        return call
    }
}

extension ZIMCallUserInfo {
    convenience init(_ userID: String) {
        self.init()
        self.userID = userID
    }
}

extension ZIMMessage {
    /// A new message of a type, with its content.
    static func blank(_ type: ZIMMessageType, text: String, fileName: String = "") -> ZIMMessage {
        switch type {
        case .text: ZIMTextMessage(message: text)
        case .custom: ZIMCustomMessage(message: text, subType: 0)
        case .command: ZIMCommandMessage(message: Data(text.utf8))
        case .barrage: ZIMBarrageMessage(message: text)
        case .image: media(ZIMImageMessage(fileLocalPath: ""), fileName)
        case .file: media(ZIMFileMessage(fileLocalPath: ""), fileName)
        case .audio: media(ZIMAudioMessage(fileLocalPath: "", audioDuration: 0), fileName)
        case .video: media(ZIMVideoMessage(fileLocalPath: "", videoDuration: 0), fileName)
        case .combine: ZIMCombineMessage(title: text, summary: "", messageList: [])
        case .revoke: ZIMRevokeMessage()
        case .tips: ZIMTipsMessage()
        case .unknown, .multiple, .system: ZIMMessage(type: type)
        }
    }

    private static func media(_ message: ZIMMediaMessage, _ fileName: String) -> ZIMMediaMessage {
        message.fileName = fileName
        return message
    }
}
