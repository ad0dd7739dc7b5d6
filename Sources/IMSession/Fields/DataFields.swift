import IMLocalData
import IMProtocol

/// The privacy of the fields of local data, by their names. Answers, changes and messages use the same names.
package enum DataFields {
    /// The privacy of a field, and whether its value is a list. Nil if local data has no field with this name.
    ///
    /// - Parameter isGroup: true if the row of the field is about a conversation in a group.
    package static func privacy(of name: String, isGroup: Bool) -> (privacy: FieldPrivacy, isList: Bool)? {
        // The fields of a part of a combined message are those of a message, with a prefix: `part1.message`.
        if name.hasPrefix("part"), let dot = name.firstIndex(of: ".") {
            return privacy(of: String(name[name.index(after: dot)...]), isGroup: isGroup)
        }
        if name.hasPrefix(ChangeRecord.attributePrefix) { return (.text(.text), false) }
        guard let group = groups.first(where: { $0.names.contains(name) }) else { return nil }
        return (name == "conversationID" && isGroup ? .channel : group.privacy, group.isList)
    }

    /// The names of all fields, sorted, except the names that an app chooses.
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
        // The app chooses the names of attributes.
        add(["keys"], .name(.key), isList: true)
        add(["key"], .name(.key))
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
                "fileSize", "memberCount", "unreadMessageCount", "enterOrder", "count", "totalMessageCount",
                "totalFileSize", "readMemberCount", "unreadMemberCount", "nextFlag", "totalConversationCount",
                "conversationMessageCount",
            ], .closed(.amount))
        add(
            [
                "localMessageID", "messageSeq", "timestamp", "downloadedAt", "createTime", "updateTime", "endTime",
                "startTime", "muteExpiredTime", "orderKey",
            ], .closed(.number))
        add(
            [
                "isUserInserted", "isPinned", "isMuted", "isOn", "isMuteAllMembers", "isBlocked", "isUserInBlacklist",
                "wantsReceipts", "reverse", "isOnlyUnreadConversation", "isQueryFromServer",
                "isAlsoDeleteServerMessage", "isAlsoDeleteServerConversation", "isAlsoMatchFriendAlias",
                "isAlsoMatchGroupMemberUserName", "isAlsoMatchGroupMemberNickname",
            ], .closed(.flag))
        add(["next", "nextMessage", "nextConversation"], .closed(.position))
        for (name, words) in answerWords { add([name], .closed(.words(choices(of: name) + words))) }
        for name in ["order", "mode", "pinnedFilter"] { add([name], .closed(.words(choices(of: name)))) }
        for name in ["messageTypes", "conversationTypes"] {
            add([name], .closed(.words(choices(of: name))), isList: true)
        }
        return groups
    }()

    /// The fields of answers and changes whose values are words, and these words.
    private static let answerWords: [(name: String, words: [String])] = [
        ("type", choices(of: "messageTypes") + ["received", "sent", "join", "invite", "be-invited"]),
        ("conversationType", []), ("direction", ["send", "receive"]), ("sentStatus", ["sending", "success", "failed"]),
        ("state", ApplicationState.allCases.map(\.name) + ["started", "ended"]),
        ("notificationStatus", ["notify", "do-not-disturb"]), ("memberRole", ["owner", "admin", "member"]),
        ("status", Status.allCases.map(\.name) + ["none", "processing", "done"]),
        ("reason", Status.allCases.map(\.name)),
    ]

    /// The words that calls accept for an argument with this name, and the vendor's numbers for these words.
    private static func choices(of name: String) -> [String] {
        var words: [String] = []
        for parameter in LocalCall.allCases.flatMap(\.declaration.parameters) where parameter.name == name {
            switch parameter.kind {
            case .choice(let choices), .choices(let choices):
                words += choices.flatMap { [$0.name, String($0.number)] }
            default: break
            }
        }
        return words
    }

    /// Visits the name and the value of a field, so that a visitor can replace both by pseudonyms.
    static func visit<Visitor: FieldVisitor>(
        _ field: AnswerField, isGroup: Bool, _ visitor: inout Visitor
    ) -> AnswerField {
        var field = field
        let (privacy, isList) = privacy(of: field.name, isGroup: isGroup) ?? (.text(.text), false)
        field.name = visitor.hidden(field.name, .fieldName)
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
    /// Visits the fields of local data, and shows them unchanged.
    mutating func data(_ fields: [AnswerField]) -> [AnswerField] {
        for field in fields { shown(field.name, field.value) }
        guard !Self.onlyReads else { return fields }
        let isGroup = fields.contains { $0.name == "conversationType" && ["group", "2"].contains($0.value) }
        return fields.map { DataFields.visit($0, isGroup: isGroup, &self) }
    }
}
