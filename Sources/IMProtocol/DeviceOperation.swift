/// Something that a user did on one device and that the user's other devices are told of (CHAT-8, CHAT-9).
public struct DeviceOperation: Hashable, Sendable, Codable {
    /// Made by the device that did it, so that an operation sent twice is told once.
    public var id: String
    /// What was done.
    public var kind: OperationKind
    /// The contact, group, thread or conversation that it was done to.
    public var target: String
    /// A text of the app's, at most ``ProtocolLimit/extensionBytesMax`` bytes; empty for none.
    public var ext: String
    /// The device it was done on; filled in by the server.
    public var device: String
    /// Whether the conversation is that of a group, not of a user of the same name; filled in by the server.
    public var isOfGroup: Bool
    /// Given by the server to what it hands to a device, messages and operations alike; 0 where it is not handed over.
    public var number: UInt64

    /// An operation as its device says it; `device`, `isOfGroup` and `number` are filled in by the server.
    public init(
        id: String, kind: OperationKind, target: String, ext: String = "", device: String = "", isOfGroup: Bool = false,
        number: UInt64 = 0
    ) {
        self.id = id
        self.kind = kind
        self.target = target
        self.ext = ext
        self.device = device
        self.isOfGroup = isOfGroup
        self.number = number
    }

    /// Reads an operation; older versions kept neither a number nor the type of the conversation.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        kind = try container.decode(OperationKind.self, forKey: .kind)
        target = try container.decode(String.self, forKey: .target)
        ext = try container.decode(String.self, forKey: .ext)
        device = try container.decode(String.self, forKey: .device)
        isOfGroup = try container.decodeIfPresent(Bool.self, forKey: .isOfGroup) ?? false
        number = try container.decodeIfPresent(UInt64.self, forKey: .number) ?? 0
    }
}

/// The operations that travel between the devices of an account. The numbers are those of Agora Chat's
/// `AgoraChatMultiDevicesEvent`; what has no number there has one from 100 on.
public enum OperationKind: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case contactRemove = 2
    case contactAccept = 3
    case contactDecline = 4
    /// A contact was put on the block list.
    case contactBan = 5
    /// A contact was taken off the block list.
    case contactAllow = 6
    case groupCreate = 10
    case groupDestroy = 11
    case groupJoin = 12
    case groupLeave = 13
    case groupApply = 14
    case groupApplyAccept = 15
    case groupApplyDecline = 16
    case groupInvite = 17
    case groupInviteAccept = 18
    case groupInviteDecline = 19
    case groupKick = 20
    /// A member was put on the group's block list.
    case groupBan = 21
    /// A member was taken off the group's block list.
    case groupAllow = 22
    /// The user wants no messages of the group.
    case groupBlock = 23
    case groupUnblock = 24
    case groupAssignOwner = 25
    case groupAddAdmin = 26
    case groupRemoveAdmin = 27
    case groupAddMute = 28
    case groupRemoveMute = 29
    /// A member may speak while everybody else is muted.
    case groupAddWhiteList = 30
    case groupRemoveWhiteList = 31
    /// Everybody in the group was muted.
    case groupAllBan = 32
    case groupRemoveAllBan = 33
    case groupUpdate = 34
    case threadCreate = 40
    case threadDestroy = 41
    case threadJoin = 42
    case threadLeave = 43
    case threadUpdate = 44
    case threadKick = 45
    case groupMemberAttributesChanged = 52
    case conversationPinned = 60
    case conversationUnpinned = 61
    case conversationDelete = 62
    /// The app's marks on a conversation were changed.
    case conversationUpdateMark = 63
    /// A conversation was set not to disturb the user, or to do so again.
    case conversationMuteInfoChanged = 64
    /// Messages of a conversation were removed from the server (CHAT-9).
    case messagesRemoved = 100
    /// A conversation was read to the end.
    case conversationRead = 101
    /// A message was confirmed as read.
    case messageRead = 102

    /// The word for it in commands, recordings and JSON: `contact-remove`.
    public var name: String {
        var name = ""
        for character in "\(self)" {
            if character.isUppercase { name.append("-") }
            name.append(contentsOf: character.lowercased())
        }
        return name
    }

    /// The kind of a ``name``; nil for any other word.
    public init?(name: String) {
        guard let kind = OperationKind.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }
}
