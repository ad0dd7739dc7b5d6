import IMProtocol

// The form of changes in frames and recordings: a kind and fields. A field has the vendor's name if the vendor has one.

extension LocalChange {
    /// The change as a kind and fields; ``init(_:)`` reads it.
    ///
    /// - Parameter number: the change's number from the server; 0 before the server assigned one.
    public func record(number: UInt64 = 0) -> ChangeRecord {
        var writer = ChangeFieldWriter()
        let kind: ChangeKind
        switch self {
        case .user(let user):
            kind = .user
            user.write(to: &writer)
        case .friend(let friend):
            kind = .friend
            friend.write(to: &writer)
        case .friendRemoved(let user):
            kind = .friendRemoved
            writer.text("userID", user)
        case .friendApplication(let application):
            kind = .friendApplication
            application.write(to: &writer)
        case .blacklisted(let user, let isOn):
            kind = .blacklist
            writer.text("userID", user)
            writer.flag("isOn", isOn)
        case .group(let group):
            kind = .group
            group.write(to: &writer)
        case .groupRemoved(let group):
            kind = .groupRemoved
            writer.text("groupID", group)
        case .member(let group, let member):
            kind = .member
            writer.text("groupID", group)
            member.write(to: &writer)
        case .memberRemoved(let group, let user):
            kind = .memberRemoved
            writer.text("groupID", group)
            writer.text("userID", user)
        case .groupApplication(let application):
            kind = .groupApplication
            application.write(to: &writer)
        case .message(let message):
            kind = .message
            message.write(to: &writer, depth: 0)
        case .messageRevoked(let id):
            kind = .messageRevoked
            writer.messages([id])
        case .messagesRemoved(let ids):
            kind = .messageRemoved
            writer.messages(ids)
        case .conversation(let conversation):
            kind = .conversation
            conversation.write(to: &writer)
        case .conversationRemoved(let id, let time):
            kind = .conversationRemoved
            writer.conversation(id)
            writer.number("timestamp", time)
        case .conversationEmptied(let id, let time):
            kind = .conversationEmptied
            writer.conversation(id)
            writer.number("timestamp", time)
        case .read(let messages, let user):
            kind = .read
            writer.messages(messages)
            writer.text("userID", user)
        case .conversationRead(let messages, let user):
            kind = .conversationRead
            writer.messages(messages)
            writer.text("userID", user)
        case .delivered(let message):
            kind = .delivered
            writer.messages([message])
        case .reaction(let message, let reaction, let isOn):
            kind = .reaction
            writer.messages([message])
            writer.text("reactionType", reaction.type)
            writer.text("userID", reaction.user)
            writer.flag("isOn", isOn)
        case .readElsewhere(let id, let time):
            kind = .readElsewhere
            writer.conversation(id)
            writer.number("timestamp", time)
        case .call(let call):
            kind = .call
            call.write(to: &writer)
        case .downloaded(let message, let time):
            kind = .downloaded
            writer.text("messageID", message)
            writer.number("timestamp", time)
        }
        return ChangeRecord(number: number, kind: kind, fields: writer.fields)
    }

    /// Reads a change; nil if a required field is missing or the change is too large
    /// (``ChangeRecord/rejectionReason``).
    public init?(_ record: ChangeRecord) {
        guard record.rejectionReason == nil else { return nil }
        let reader = ChangeFieldReader(record.fields)
        switch record.kind {
        case .user: self = .user(LocalUser(reader))
        case .friend: self = .friend(LocalFriend(reader))
        case .friendRemoved: self = .friendRemoved(reader.text("userID"))
        case .friendApplication: self = .friendApplication(FriendApplication(reader))
        case .blacklist: self = .blacklisted(reader.text("userID"), reader.flag("isOn"))
        case .group: self = .group(LocalGroup(reader))
        case .groupRemoved: self = .groupRemoved(reader.text("groupID"))
        case .member: self = .member(group: reader.text("groupID"), GroupMember(reader))
        case .memberRemoved: self = .memberRemoved(group: reader.text("groupID"), user: reader.text("userID"))
        case .groupApplication: self = .groupApplication(GroupApplication(reader))
        case .message: self = .message(LocalMessage(reader, depth: 0))
        case .messageRevoked: self = .messageRevoked(id: reader.message)
        case .messageRemoved: self = .messagesRemoved(reader.messages)
        case .conversation: self = .conversation(LocalConversation(reader))
        case .conversationRemoved: self = .conversationRemoved(reader.conversation, upTo: reader.number("timestamp"))
        case .conversationEmptied: self = .conversationEmptied(reader.conversation, upTo: reader.number("timestamp"))
        case .read: self = .read(messages: reader.messages, by: reader.text("userID"))
        case .conversationRead: self = .conversationRead(messages: reader.messages, by: reader.text("userID"))
        case .delivered: self = .delivered(message: reader.message)
        case .reaction:
            self = .reaction(
                message: reader.message,
                LocalMessage.Reaction(type: reader.text("reactionType"), user: reader.text("userID")),
                isOn: reader.flag("isOn"))
        case .readElsewhere: self = .readElsewhere(reader.conversation, upTo: reader.number("timestamp"))
        case .call: self = .call(CallInvitation(reader))
        case .downloaded: self = .downloaded(message: reader.text("messageID"), at: reader.number("timestamp"))
        }
    }
}

extension ChangeRecord {
    /// The prefix of field names that the app chooses.
    public static let attributePrefix = ChangeFieldReader.attribute

    /// The names of the required fields.
    public var required: [String] {
        switch kind {
        case .user, .friend, .friendRemoved, .friendApplication, .blacklist, .conversationRead: ["userID"]
        case .group, .groupRemoved: ["groupID"]
        case .member, .memberRemoved, .groupApplication: ["groupID", "userID"]
        case .message: ["messageID", "conversationID", "senderUserID"]
        case .messageRevoked, .messageRemoved, .downloaded, .delivered: ["messageID"]
        case .conversation, .conversationRemoved, .conversationEmptied, .readElsewhere: ["conversationID"]
        case .read: ["messageID", "userID"]
        case .reaction: ["messageID", "reactionType", "userID"]
        case .call: ["callID"]
        }
    }

    /// The names of the fields that a user's command may contain, in addition to `attribute.NAME` and `partN.NAME`.
    public static func fields(of kind: ChangeKind) -> [String] {
        let conversation = ["conversationID", "conversationType"]
        let application = ["type", "state", "wording", "createTime", "updateTime"]
        switch kind {
        case .user: return ["userID", "userName", "userAvatarUrl", "userExtendedData"]
        case .friend: return ["userID", "friendAlias", "createTime", "wording"]
        case .friendRemoved: return ["userID"]
        case .friendApplication: return ["userID"] + application
        case .blacklist: return ["userID", "isOn"]
        case .group:
            return [
                "groupID", "groupName", "groupAvatarUrl", "groupNotice", "groupAlias", "isMuted", "createTime",
                "parentID", "isMuteAllMembers", "blockedUserID", "whiteListUserID",
            ]
        case .groupRemoved: return ["groupID"]
        case .member: return ["groupID", "userID", "memberNickname", "memberRole", "muteExpiredTime", "isBlocked"]
        case .memberRemoved: return ["groupID", "userID"]
        case .groupApplication: return ["groupID", "userID"] + application
        case .message:
            return ["messageID"] + conversation + [
                "senderUserID", "type", "message", "timestamp", "messageSeq", "sentStatus", "extendedData", "fileName",
                "fileSize", "downloadedAt", "mentionedUserID", "repliedMessageID", "wantsReceipts",
            ]
        case .messageRevoked, .messageRemoved, .delivered: return ["messageID", "senderUserID"]
        case .conversation:
            return conversation + [
                "conversationName", "conversationAlias", "conversationAvatarUrl", "isMuted", "isPinned", "marks",
            ]
        case .conversationRemoved, .conversationEmptied, .readElsewhere: return conversation + ["timestamp"]
        case .read, .conversationRead: return ["messageID", "senderUserID", "userID"]
        case .reaction: return ["messageID", "senderUserID", "reactionType", "userID", "isOn"]
        case .call: return ["callID", "caller", "inviter", "createTime", "endTime", "userID"]
        case .downloaded: return ["messageID", "timestamp"]
        }
    }

    /// The name of the first field that a user's command may not contain; nil if there is none.
    public var unknownField: String? {
        let known = Self.fields(of: kind)
        let hasAttributes = [.friend, .group, .member].contains(kind)
        return fields.map(\.name).first { name in
            if known.contains(name) || hasAttributes && name.hasPrefix(Self.attributePrefix) { return false }
            guard kind == .message, name.hasPrefix("part"), let point = name.firstIndex(of: ".") else { return true }
            let part = String(name[name.index(after: point)...])
            return UInt16(name[..<point].dropFirst(4)) == nil || !known.contains(part)
        }
    }

    /// The reason why the first invalid number or flag of a user's command is invalid; nil if all are valid.
    ///
    /// A change from the peer is not checked: an invalid number in it is read as 0, and an invalid flag as false.
    public var valueRejection: String? {
        for field in fields where !field.value.isEmpty {
            let name = field.name.hasPrefix("part") ? field.name.drop { $0 != "." }.dropFirst() : field.name[...]
            let rejectionReason: String? =
                switch String(name) {
                // -1 means muted for ever.
                case "muteExpiredTime": LocalParameter.Kind.rejectionReason(to: field.value, outside: -1...Int64.max)
                case "timestamp", "createTime", "updateTime", "endTime", "downloadedAt", "messageSeq", "fileSize":
                    LocalParameter.Kind.rejectionReason(to: field.value, outside: 0...Int64.max)
                case "isOn", "isMuted", "isPinned", "isMuteAllMembers", "isBlocked", "wantsReceipts":
                    LocalParameter.Kind.flag(field.value) == nil
                        ? "invalid value '\(field.value)'; use true or false" : nil
                default: nil
                }
            if let rejectionReason { return "\(field.name): \(rejectionReason)" }
        }
        return nil
    }

    /// The reason why a change from a user or from the peer is invalid: a required field is missing, or the
    /// change is too large for a frame. Nil if the change is valid.
    public var rejectionReason: String? {
        for name in required where !fields.contains(where: { $0.name == name && !$0.value.isEmpty }) {
            return "\(name) is missing"
        }
        if estimatedBytes > FramePages.bytesMax { return "it is larger than a frame may be" }
        return nil
    }

    /// The change, in which fields that it lacks are copied from an earlier change.
    package func filled(from before: ChangeRecord?) -> ChangeRecord {
        var change = self
        change.fields += before?.fields.filter { field in !fields.contains { $0.name == field.name } } ?? []
        return change
    }

    /// The subject of the change. If several changes have the same subject, the last one replaces the others. Nil if
    /// the change is never replaced.
    public var subject: String? {
        let reader = ChangeFieldReader(fields)
        func joined(_ word: String, _ names: String...) -> String {
            ([word] + names.map(reader.text)).joined(separator: "\u{0}")
        }
        switch kind {
        case .user: return joined("user", "userID")
        case .friend, .friendRemoved: return joined("friend", "userID")
        case .friendApplication: return joined("friend-application", "userID")
        case .blacklist: return joined("blacklist", "userID")
        case .group, .groupRemoved: return joined("group", "groupID")
        case .member, .memberRemoved: return joined("member", "groupID", "userID")
        case .groupApplication: return joined("group-application", "groupID", "userID")
        case .message: return joined("message", "senderUserID", "messageID")
        case .messageRevoked, .messageRemoved: return joined("end", "senderUserID", "messageID")
        case .conversation: return joined("conversation", "conversationType", "conversationID")
        case .conversationRemoved: return joined("conversation-end", "conversationType", "conversationID")
        case .conversationEmptied: return joined("conversation-emptied", "conversationType", "conversationID")
        case .reaction: return joined("reaction", "senderUserID", "messageID", "reactionType", "userID")
        case .readElsewhere: return joined("read", "conversationType", "conversationID")
        case .call: return joined("call", "callID")
        case .downloaded: return joined("downloaded", "messageID")
        case .delivered: return joined("delivered", "messageID")
        case .read, .conversationRead: return nil
        }
    }
}
