import IMProtocol

/// What is known of a group, without its members.
public struct LocalGroup: Hashable, Sendable, Codable {
    /// Its name among groups.
    public var id: String
    /// What people call it.
    public var name: String
    /// Where its picture is.
    public var avatarURL = ""
    /// What its members are told.
    public var notice = ""
    /// The app's own values, in order.
    public var attributes: [AnswerField] = []
    /// The user's own name for it.
    public var alias = ""
    /// Whether the user is told of its messages.
    public var notifies = true
    /// Milliseconds since 1970.
    public var createTime: Int64 = 0
    /// Who may be in it and speak, beyond what the members' roles say.
    public var rules = GroupRules()

    /// A group of which no more is known.
    public init(id: String, name: String) {
        self.id = id
        self.name = name
    }

    /// Whether it is a thread of another group (CHAT-8).
    public var isThread: Bool { !rules.parent.isEmpty }
}

/// Who may be in a group and speak there, as Agora Chat has it (CHAT-8).
public struct GroupRules: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// The group that it is a thread of; empty for one that is none.
    public var parent = ""
    /// Whether only owner, admins and those on the white list may speak.
    public var isMuted = false
    /// Who may not be in it.
    public var blocked: [String] = []
    /// The white list: who may speak while the others may not.
    public var exempt: [String] = []

    /// Everybody may.
    public init() {}
}

/// Somebody in a group; who that is says ``LocalUser``.
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

    /// Who it is.
    public var user: String
    /// What they are called in the group.
    public var nickname: String
    /// What they may do.
    public var role: Role
    /// Until when they may not speak, milliseconds since 1970; 0 for one who may, -1 for ever.
    public var mutedUntil: Int64
    /// What the member set for this group.
    public var own = MemberSettings()
    /// Where the member stands among the others, in the order in which they came, as the server counts; nil where it did
    /// not.
    package var place: UInt32?

    /// Somebody who may speak, where nobody says more.
    public init(user: String, nickname: String = "", role: Role = .member, mutedUntil: Int64 = 0) {
        self.user = user
        self.nickname = nickname
        self.role = role
        self.mutedUntil = mutedUntil
    }

    /// Whether they may not speak then, milliseconds since 1970.
    public func isMuted(at milliseconds: Int64) -> Bool { mutedUntil < 0 || mutedUntil > milliseconds }
}

/// What a member set for a group, as Agora Chat has it (CHAT-8).
public struct MemberSettings: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// Whether the member wants no messages of the group.
    public var blocksMessages = false
    /// The member's own values, in order.
    public var attributes: [AnswerField] = []

    /// Nothing was set.
    public init() {}
}

/// Somebody wants to be in a group, or is wanted there.
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

    /// Which group.
    public var group: String
    /// Who is to be in it.
    public var user: String
    /// Who wants it.
    public var kind: Kind
    /// How it stands.
    public var state: ApplicationState
    /// What was said with it.
    public var wording: String
    /// Milliseconds since 1970.
    public var createTime: Int64
    /// When it was last changed, milliseconds since 1970.
    public var updateTime: Int64

    /// An application that waits, where nobody says more.
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

/// A call that somebody was invited to.
public struct CallInvitation: Hashable, Sendable, Codable {
    /// Its name among calls.
    public var id: String
    /// Who called.
    public var caller: String
    /// Who invited this user.
    public var inviter: String
    /// Milliseconds since 1970.
    public var createTime: Int64
    /// 0 while it goes on.
    public var endTime: Int64
    /// Who was invited, in order.
    public var users: [String]

    /// A call that goes on, where nobody says when it ended.
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
