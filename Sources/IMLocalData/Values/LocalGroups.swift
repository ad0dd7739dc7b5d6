import IMProtocol

/// The stored data of a group, without its members.
public struct LocalGroup: Hashable, Sendable, Codable {
    /// The id of the group.
    public var id: String
    /// The name that apps show.
    public var name: String
    /// The URL of the group's picture.
    public var avatarURL = ""
    /// The group's notice, a text for all members.
    public var notice = ""
    /// Values that the app stores with the group, in order.
    public var attributes: [AnswerField] = []
    /// The user's own name for the group.
    public var alias = ""
    /// True if new messages of the group cause notifications.
    public var notifies = true
    /// The time when the group was created, in milliseconds since 1970.
    public var createTime: Int64 = 0
    /// The rules for membership and messages, in addition to the members' roles.
    public var rules = GroupRules()

    /// A group with an id and a name only.
    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }

    /// True if the group is a thread of another group (CHAT-8).
    public var isThread: Bool { !rules.parent.isEmpty }
}

/// The rules for membership and messages of a group, as in Agora Chat (CHAT-8).
public struct GroupRules: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// The id of the group that a thread belongs to; empty for a group that is not a thread.
    public var parent = ""
    /// True if only the owner, the admins and the users on the white list may send messages.
    public var isMuted = false
    /// The ids of users who may not be members.
    public var blocked: [String] = []
    /// The white list: the ids of users who may send messages although the group is muted.
    public var exempt: [String] = []

    /// The rules of a group without restrictions.
    public init() {}
}

/// A user's membership of a group. The user's own data is a ``LocalUser``.
public struct GroupMember: Hashable, Sendable, Codable {
    /// A member's role; the raw value is the vendor's ZIMGroupMemberRole.
    public enum Role: UInt8, Hashable, Sendable, Codable, CaseIterable {
        case owner = 1
        case admin = 2
        case member = 3

        package var name: String {
            switch self {
            case .owner: "owner"
            case .admin: "admin"
            case .member: "member"
            }
        }
    }

    /// The member's user id.
    public var user: String
    /// The member's name in the group.
    public var nickname: String
    /// The member's role, which decides the member's permissions.
    public var role: Role
    /// The time until which the member is muted, in milliseconds since 1970; 0: not muted, -1: muted for ever.
    public var mutedUntil: Int64
    /// The member's own settings for this group.
    public var own = MemberSettings()
    /// The member's number in order of joining, which the server assigns; nil if the server sent none.
    package var place: UInt32?

    /// A member; by default not muted.
    public init(user: String, nickname: String = "", role: Role = .member, mutedUntil: Int64 = 0) {
        self.user = user
        self.nickname = nickname
        self.role = role
        self.mutedUntil = mutedUntil
    }

    /// True if the member is muted at this time, in milliseconds since 1970.
    public func isMuted(at milliseconds: Int64) -> Bool { mutedUntil < 0 || mutedUntil > milliseconds }
}

/// The settings that a member makes for a group, as in Agora Chat (CHAT-8).
public struct MemberSettings: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// True if the member receives no messages of the group.
    public var blocksMessages = false
    /// Values that the app stores with the member, in order.
    public var attributes: [AnswerField] = []

    /// The settings of a member who has changed none.
    public init() {}
}

/// An application to join a group, or an invitation.
public struct GroupApplication: Hashable, Sendable, Codable {
    /// The kind of application; the raw value is the vendor's ZIMGroupApplicationType.
    public enum Kind: UInt8, Hashable, Sendable, Codable, CaseIterable {
        case join = 1
        case invite = 2
        case beInvited = 3

        var name: String {
            switch self {
            case .join: "join"
            case .invite: "invite"
            case .beInvited: "be-invited"
            }
        }
    }

    /// The group's id.
    public var group: String
    /// The id of the user who joins if the application is accepted.
    public var user: String
    /// The kind of application.
    public var kind: Kind
    /// The state of the application.
    public var state: ApplicationState
    /// The applicant's message.
    public var wording: String
    /// The time of the application, in milliseconds since 1970.
    public var createTime: Int64
    /// The time when the state last changed, in milliseconds since 1970.
    public var updateTime: Int64

    /// Creates an application.
    public init(
        group: String, user: String, kind: Kind, state: ApplicationState = .waiting, wording: String = "",
        createTime: Int64 = 0, updateTime: Int64 = 0
    ) {
        self.group = group
        self.user = user
        self.kind = kind
        self.state = state
        self.wording = wording
        self.createTime = createTime
        self.updateTime = updateTime
    }
}

/// An invitation to a call.
public struct CallInvitation: Hashable, Sendable, Codable {
    /// The call's id.
    public var id: String
    /// The id of the user who started the call.
    public var caller: String
    /// The id of the user who invited the owner of the data.
    public var inviter: String
    /// The time when the call started, in milliseconds since 1970.
    public var createTime: Int64
    /// The time when the call ended, in milliseconds since 1970; 0 while it is running.
    public var endTime: Int64
    /// The ids of the invited users, in order.
    public var users: [String]

    /// Creates an invitation to a call.
    public init(
        id: String, caller: String, inviter: String, createTime: Int64, endTime: Int64 = 0, users: [String] = []
    ) {
        self.id = id
        self.caller = caller
        self.inviter = inviter
        self.createTime = createTime
        self.endTime = endTime
        self.users = users
    }
}
