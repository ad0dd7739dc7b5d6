/// An action of a user on one device, of which the user's other devices are notified (CHAT-8, CHAT-9).
public struct DeviceOperation: Hashable, Sendable, Codable {
    /// The id, which the device of the operation generates. If the device sends an operation twice, the id is the same,
    /// and the operation is delivered once.
    public var id: String
    /// The kind of operation.
    public var kind: OperationKind
    /// The contact, group, thread or conversation of the operation.
    public var target: String
    /// A text that the app adds, at most ``ProtocolLimit/extensionBytesMax`` UTF-8 bytes; empty for none.
    public var ext: String
    /// The id of the device of the operation. The server sets it.
    public var device: String
    /// True if the target is a conversation in a group, not with a user of the same name. The server sets it.
    public var isOfGroup: Bool
    /// The number that the server assigns when it sends the operation to another device. Messages and operations for a
    /// device share these numbers. 0 before.
    public var number: UInt64

    /// Creates an operation. The server sets `device`, `isOfGroup` and `number`.
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

    /// Reads an operation. If an older version wrote it, `isOfGroup` and `number` are missing.
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

/// The kinds of operations. The raw values are those of Agora Chat's `AgoraChatMultiDevicesEvent`. Operations that this
/// enum of the vendor lacks have a raw value from 100 on.
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
    /// The user blocks messages of the group.
    case groupBlock = 23
    case groupUnblock = 24
    case groupAssignOwner = 25
    case groupAddAdmin = 26
    case groupRemoveAdmin = 27
    case groupAddMute = 28
    case groupRemoveMute = 29
    /// A member was put on the group's white list, and may send messages while the group is muted.
    case groupAddWhiteList = 30
    case groupRemoveWhiteList = 31
    /// All members of the group were muted.
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
    /// The notifications of a conversation were turned off or on.
    case conversationMuteInfoChanged = 64
    /// Messages of a conversation were removed from the server (CHAT-9).
    case messagesRemoved = 100
    /// The user has read a whole conversation.
    case conversationRead = 101
    /// The user has read a message.
    case messageRead = 102

    /// The name of the kind in commands, recordings and JSON, such as `contact-remove`.
    public var name: String {
        var name = ""
        for character in "\(self)" {
            if character.isUppercase { name.append("-") }
            name.append(contentsOf: character.lowercased())
        }
        return name
    }

    /// The kind with this ``name``; nil if there is none.
    public init?(name: String) {
        guard let kind = OperationKind.allCases.first(where: { $0.name == name }) else { return nil }
        self = kind
    }
}
