import IMProtocol

/// The stored data of a group, without its members.
public struct LocalGroup: Hashable, Sendable, Codable {
    /// Its id.
    public var id: String
    /// Its display name.
    public var name: String
    /// The URL of its picture.
    public var avatarURL = ""
    /// The notice to its members.
    public var notice = ""
    /// The app's own values, in order.
    public var attributes: [AnswerField] = []
    /// The user's own name for it.
    public var alias = ""
    /// True if the user gets notifications of its messages.
    public var notifies = true
    /// Milliseconds since 1970.
    public var createTime: Int64 = 0
    /// The rules for membership and messages, in addition to the members' roles.
    public var rules = GroupRules()

    /// A group without further data.
    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }

    /// True if it is a thread of another group (CHAT-8).
    public var isThread: Bool { !rules.parent.isEmpty }
}

/// The rules for membership and messages of a group, as in Agora Chat (CHAT-8).
public struct GroupRules: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// The parent group of a thread; empty for a group that is no thread.
    public var parent = ""
    /// True if only owner, admins and those on the white list may send messages.
    public var isMuted = false
    /// The users who may not be members.
    public var blocked: [String] = []
    /// The white list: the users who may send messages while others may not.
    public var exempt: [String] = []

    /// No restrictions.
    public init() {}
}

/// A member of a group; ``LocalUser`` describes the user.
public struct GroupMember: Hashable, Sendable, Codable {
    /// The raw value is the vendor's ZIMGroupMemberRole.
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
    /// The member's permissions.
    public var role: Role
    /// The end of the member's mute, in milliseconds since 1970; 0 for none, -1 for ever.
    public var mutedUntil: Int64
    /// The member's own settings for this group.
    public var own = MemberSettings()
    /// The member's number in order of joining, from the server; nil without one.
    package var place: UInt32?

    /// A member; by default not muted.
    public init(user: String, nickname: String = "", role: Role = .member, mutedUntil: Int64 = 0) {
        self.user = user
        self.nickname = nickname
        self.role = role
        self.mutedUntil = mutedUntil
    }

    /// True if the member may not send messages at that time, in milliseconds since 1970.
    public func isMuted(at milliseconds: Int64) -> Bool { mutedUntil < 0 || mutedUntil > milliseconds }
}

/// A member's own settings for a group, as in Agora Chat (CHAT-8).
public struct MemberSettings: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// True if the member blocks messages of the group.
    public var blocksMessages = false
    /// The member's own values, in order.
    public var attributes: [AnswerField] = []

    /// No settings.
    public init() {}
}

/// An application to join a group, or an invitation.
public struct GroupApplication: Hashable, Sendable, Codable {
    /// The raw value is the vendor's ZIMGroupApplicationType.
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
    /// The user who would join.
    public var user: String
    /// The kind of application.
    public var kind: Kind
    /// The state of the application.
    public var state: ApplicationState
    /// The applicant's message.
    public var wording: String
    /// Milliseconds since 1970.
    public var createTime: Int64
    /// The time of the last change, in milliseconds since 1970.
    public var updateTime: Int64

    /// An application; by default waiting.
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
    /// The user who called.
    public var caller: String
    /// The user who invited this user.
    public var inviter: String
    /// Milliseconds since 1970.
    public var createTime: Int64
    /// 0 while the call is running.
    public var endTime: Int64
    /// The invited users, in order.
    public var users: [String]

    /// A call; by default still running.
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
