import IMProtocol

// Converts each kind of local data to and from the fields of a change.

extension LocalUser {
    func write(to writer: inout ChangeFieldWriter) {
        writer.text("userID", id)
        writer.text("userName", name)
        writer.text("userAvatarUrl", avatarURL)
        writer.text("userExtendedData", extendedData)
    }

    init(_ reader: ChangeFieldReader) {
        self.init(
            id: reader.text("userID"), name: reader.text("userName"), avatarURL: reader.text("userAvatarUrl"),
            extendedData: reader.text("userExtendedData"))
    }
}

extension LocalFriend {
    func write(to writer: inout ChangeFieldWriter) {
        writer.text("userID", user)
        writer.text("friendAlias", alias)
        writer.attributes(attributes)
        writer.number("createTime", createTime)
        writer.text("wording", wording)
    }

    init(_ reader: ChangeFieldReader) {
        self.init(
            user: reader.text("userID"), alias: reader.text("friendAlias"), attributes: reader.attributes,
            createTime: reader.number("createTime"), wording: reader.text("wording"))
    }
}

extension FriendApplication {
    func write(to writer: inout ChangeFieldWriter) {
        writer.text("userID", user)
        writer.text("type", isReceived ? "received" : "sent")
        writer.text("state", state.name)
        writer.text("wording", wording)
        writer.number("createTime", createTime)
        writer.number("updateTime", updateTime)
    }

    init(_ reader: ChangeFieldReader) {
        self.init(
            user: reader.text("userID"), isReceived: reader.text("type") != "sent",
            state: reader.choice("state", .waiting, \.name), wording: reader.text("wording"),
            createTime: reader.number("createTime"), updateTime: reader.number("updateTime"))
    }
}

extension LocalGroup {
    func write(to writer: inout ChangeFieldWriter) {
        writer.text("groupID", id)
        writer.text("groupName", name)
        writer.text("groupAvatarUrl", avatarURL)
        writer.text("groupNotice", notice)
        writer.attributes(attributes)
        writer.text("groupAlias", alias)
        writer.flag("isMuted", !notifies)
        writer.number("createTime", createTime)
        writer.text("parentID", rules.parent)
        writer.flag("isMuteAllMembers", rules.isMuted)
        writer.list("blockedUserID", rules.blocked)
        writer.list("whiteListUserID", rules.exempt)
    }

    init(_ reader: ChangeFieldReader) {
        self.init(id: reader.text("groupID"), name: reader.text("groupName"))
        avatarURL = reader.text("groupAvatarUrl")
        notice = reader.text("groupNotice")
        attributes = reader.attributes
        alias = reader.text("groupAlias")
        notifies = !reader.flag("isMuted")
        createTime = reader.number("createTime")
        rules.parent = reader.text("parentID")
        rules.isMuted = reader.flag("isMuteAllMembers")
        rules.blocked = reader.list("blockedUserID")
        rules.exempt = reader.list("whiteListUserID")
    }
}

extension GroupMember {
    func write(to writer: inout ChangeFieldWriter) {
        writer.text("userID", user)
        writer.text("memberNickname", nickname)
        writer.text("memberRole", role.name)
        writer.number("muteExpiredTime", mutedUntil)
        writer.flag("isBlocked", own.blocksMessages)
        writer.attributes(own.attributes)
        writer.number("enterOrder", Int64(place ?? 0))
    }

    init(_ reader: ChangeFieldReader) {
        self.init(
            user: reader.text("userID"), nickname: reader.text("memberNickname"),
            role: reader.choice("memberRole", .member, \.name), mutedUntil: reader.number("muteExpiredTime"))
        own.blocksMessages = reader.flag("isBlocked")
        own.attributes = reader.attributes
        // A larger number would leave too few numbers for later members: a device counts on from it.
        let number = reader.number("enterOrder")
        place = (1...Int64(Int32.max)).contains(number) ? UInt32(number) : nil
    }
}

extension GroupApplication {
    func write(to writer: inout ChangeFieldWriter) {
        writer.text("groupID", group)
        writer.text("userID", user)
        writer.text("type", kind.name)
        writer.text("state", state.name)
        writer.text("wording", wording)
        writer.number("createTime", createTime)
        writer.number("updateTime", updateTime)
    }

    init(_ reader: ChangeFieldReader) {
        self.init(
            group: reader.text("groupID"), user: reader.text("userID"), kind: reader.choice("type", .join, \.name),
            state: reader.choice("state", .waiting, \.name), wording: reader.text("wording"),
            createTime: reader.number("createTime"), updateTime: reader.number("updateTime"))
    }
}

extension CallInvitation {
    func write(to writer: inout ChangeFieldWriter) {
        writer.text("callID", id)
        writer.text("caller", caller)
        writer.text("inviter", inviter)
        writer.number("createTime", createTime)
        writer.number("endTime", endTime)
        writer.list("userID", users)
    }

    init(_ reader: ChangeFieldReader) {
        self.init(
            id: reader.text("callID"), caller: reader.text("caller"), inviter: reader.text("inviter"),
            createTime: reader.number("createTime"), endTime: reader.number("endTime"), users: reader.list("userID"))
    }
}

extension LocalConversation {
    func write(to writer: inout ChangeFieldWriter) {
        writer.conversation(id)
        writer.text("conversationName", name)
        writer.text("conversationAlias", alias)
        writer.text("conversationAvatarUrl", avatarURL)
        writer.flag("isMuted", !notifies)
        writer.flag("isPinned", isPinned)
        writer.text("marks", marks.text)
        writer.number("orderKey", messageTime)
    }

    init(_ reader: ChangeFieldReader) {
        self.init(id: reader.conversation, name: reader.text("conversationName"))
        alias = reader.text("conversationAlias")
        avatarURL = reader.text("conversationAvatarUrl")
        notifies = !reader.flag("isMuted")
        isPinned = reader.flag("isPinned")
        marks = ConversationMarks(text: reader.text("marks"))
        messageTime = reader.number("orderKey")
    }
}

extension LocalMessage {
    /// The maximum nesting: the parts of a combined message are not combined messages.
    private static let depthMax = 1

    func write(to writer: inout ChangeFieldWriter, depth: Int) {
        writer.text("messageID", id)
        writer.conversation(conversation)
        writer.text("senderUserID", sender)
        if kind != .text { writer.text("type", kind.name) }
        writer.text("message", text)
        writer.number("timestamp", timestamp)
        writer.number("messageSeq", sequence)
        if sentStatus != .success { writer.text("sentStatus", sentStatus.name) }
        writer.text("extendedData", extendedData)
        if let file {
            writer.text("fileName", file.name)
            writer.number("fileSize", file.size)
            writer.number("downloadedAt", file.downloadedAt ?? 0)
        }
        writer.list("mentionedUserID", mentioned)
        writer.text("repliedMessageID", repliesTo)
        writer.flag("wantsReceipts", wantsReceipts)
        guard depth < Self.depthMax else { return }
        let prefix = writer.prefix
        for (index, part) in parts.enumerated() {
            writer.prefix = "\(prefix)part\(index + 1)."
            part.write(to: &writer, depth: depth + 1)
        }
        writer.prefix = prefix
    }

    init(_ reader: ChangeFieldReader, depth: Int) {
        self.init(
            id: reader.text("messageID"), conversation: reader.conversation, sender: reader.text("senderUserID"),
            kind: reader.choice("type", .text, \.name), text: reader.text("message"),
            timestamp: reader.number("timestamp"), sequence: reader.number("messageSeq"))
        sentStatus = reader.choice("sentStatus", .success, \.name)
        extendedData = reader.text("extendedData")
        if !reader.text("fileName").isEmpty {
            let time = reader.number("downloadedAt")
            file = File(
                name: reader.text("fileName"), size: max(0, reader.number("fileSize")),
                downloadedAt: time == 0 ? nil : time)
        }
        mentioned = reader.list("mentionedUserID")
        repliesTo = reader.text("repliedMessageID")
        wantsReceipts = reader.flag("wantsReceipts")
        guard depth < Self.depthMax else { return }
        while let part = reader.part(parts.count + 1) { parts.append(LocalMessage(part, depth: depth + 1)) }
    }
}
