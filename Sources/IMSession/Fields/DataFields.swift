import IMData
import IMProtocol

/// What a named value of local data says of people. Answers, changes and the fields of messages have the same names.
package enum DataFields {
    /// Values of that name; nil for a name that local data does not have.
    ///
    /// - Parameter isGroup: whether the conversation beside it is with a group.
    package static func privacy(of name: String, isGroup: Bool) -> (privacy: FieldPrivacy, isList: Bool)? {
        // The parts of a combined message have the names of a message.
        if name.hasPrefix("part"), let dot = name.firstIndex(of: ".") {
            return privacy(of: String(name[name.index(after: dot)...]), isGroup: isGroup)
        }
        if name.hasPrefix(ChangeRecord.attributePrefix) { return (.text(.text), false) }
        guard let group = groups.first(where: { $0.names.contains(name) }) else { return nil }
        return (name == "conversationID" && isGroup ? .channel : group.privacy, group.isList)
    }

    /// All names but those that an app makes up, sorted.
    package static let names = groups.flatMap(\.names).sorted()

    private struct Group {
        var names: [String]
        var privacy: FieldPrivacy
        var isList: Bool
    }

    private static let groups: [Group] = {
        var groups: [Group] = []
        func add(_ names: [String], _ privacy: FieldPrivacy, isList: Bool = false) {
            groups.append(Group(names: names, privacy: privacy, isList: isList))
        }
        add(
            [
                "userID", "senderUserID", "caller", "inviter", "mentionedUserID", "errorUserID",
                "blockedUserID", "whiteListUserID", "conversationID",
            ], .user)
        add(
            ["mentionedUserIDs", "callUserList", "userIDs", "senderUserIDs", "blockedUserIDs", "whiteListUserIDs"],
            .user, isList: true)
        add(["groupID", "parentID"], .channel)
        add(["messageID", "lastMessageID", "repliedMessageID", "errorMessageID", "callID"], .identifier)
        add(["messageList"], .identifier, isList: true)
        add(["keywords"], .text(.text), isList: true)
        // What an attribute is called is the app's.
        add(["keys"], .node, isList: true)
        add(["key"], .node)
        add(
            [
                "userName", "userAvatarUrl", "userExtendedData", "friendAlias", "friendAttributes", "wording",
                "groupName", "groupAvatarUrl", "groupAlias", "groupNotice", "groupAttributes", "memberNickname",
                "message", "fileName", "extendedData", "localExtendedData", "conversationName", "conversationAlias",
                "conversationAvatarUrl", "draft", "lastMessage", "reactions", "reactionType", "value",
                "marks", "memberAttributes",
            ], .text(.text))
        add(["folderPath"], .text(.note))
        add(
            [
                "localMessageID", "messageSeq", "type", "conversationType", "direction", "sentStatus", "timestamp",
                "fileSize", "downloadedAt", "isUserInserted", "createTime", "updateTime", "endTime", "startTime",
                "state", "notificationStatus", "memberRole", "muteExpiredTime", "memberCount", "unreadMessageCount",
                "isPinned", "isMuted", "isOn", "enterOrder", "isMuteAllMembers", "isBlocked", "orderKey", "count",
                "isUserInBlacklist", "totalMessageCount",
                "totalFileSize", "status", "readMemberCount", "unreadMemberCount", "reason", "wantsReceipts", "next",
                "nextFlag", "nextMessage", "nextConversation", "order", "mode", "reverse", "messageTypes",
                "conversationTypes", "pinnedFilter", "isOnlyUnreadConversation", "totalConversationCount",
                "conversationMessageCount", "isQueryFromServer", "isAlsoDeleteServerMessage",
                "isAlsoDeleteServerConversation", "isAlsoMatchFriendAlias", "isAlsoMatchGroupMemberUserName",
                "isAlsoMatchGroupMemberNickname",
            ], .impersonal)
        return groups
    }()

    /// A value under the pseudonyms of a visitor.
    static func visit<Visitor: FieldVisitor>(
        _ field: AnswerField, isGroup: Bool, _ visitor: inout Visitor
    ) -> AnswerField {
        var field = field
        let (privacy, isList) = privacy(of: field.name, isGroup: isGroup) ?? (.text(.text), false)
        field.name = visitor.hidden(field.name, .impersonal)
        if isList {
            let parts = field.value.split(separator: ",", omittingEmptySubsequences: false)
            field.value = parts.map { visitor.hidden(String($0), privacy) }.joined(separator: ",")
        } else {
            field.value = visitor.hidden(field.value, privacy)
        }
        return field
    }
}

extension FieldVisitor {
    /// Named values of local data, shown as they are.
    mutating func data(_ fields: [AnswerField]) -> [AnswerField] {
        for field in fields { shown(field.name, field.value) }
        guard !Self.onlyReads else { return fields }
        let isGroup = fields.contains { $0.name == "conversationType" && ["group", "2"].contains($0.value) }
        return fields.map { DataFields.visit($0, isGroup: isGroup, &self) }
    }
}
