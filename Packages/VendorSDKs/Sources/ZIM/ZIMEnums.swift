// Names and numbers of the vendor's headers (ZIM 2.21). `ZIMTests` compares them with the names and words under which
// the shell shows the same.

/// How far the connection has come (ZIM-4).
public enum ZIMConnectionState: UInt, Sendable, CaseIterable {
    case disconnected = 0
    case connecting = 1
    case connected = 2
    case reconnecting = 3
}

/// What led to a state (ZIM-4).
public enum ZIMConnectionEvent: UInt, Sendable, CaseIterable {
    case success = 0
    case activeLogin = 1
    case loginTimeout = 2
    case loginInterrupted = 3
    case kickedOut = 4
    case tokenExpired = 5
    /// Never comes here.
    case unregistered = 6
}

/// What a conversation is with.
public enum ZIMConversationType: Int, Sendable, CaseIterable {
    case unknown = -1
    case peer = 0
    /// See ``ZIM/enterRoom(with:config:callback:)``.
    case room = 1
    case group = 2
}

/// What has happened to a conversation.
public enum ZIMConversationEvent: UInt, Sendable, CaseIterable {
    case added = 0
    case updated = 1
    case disabled = 2
    case deleted = 3
}

/// Whether the user is told of a conversation's messages.
public enum ZIMConversationNotificationStatus: UInt, Sendable, CaseIterable {
    case notify = 1
    case doNotDisturb = 2
}

/// How far the fetching of what changed has come (ZIM-9).
public enum ZIMConversationSyncState: UInt, Sendable, CaseIterable {
    case started = 0
    case finished = 1
    /// Never comes here: a sync that breaks off begins again.
    case failed = 2
}

/// Which conversations a list is to have. Of a later 2.x.
public enum ZIMConversationPinnedFilter: UInt, Sendable, CaseIterable {
    case all = 0
    case onlyPinned = 1
    case onlyUnpinned = 2
}

/// What a search of conversations looks at. Of a later 2.x.
public enum ZIMConversationSearchMode: UInt, Sendable, CaseIterable {
    case matchMessage = 0
    case matchConversationName = 1
}

/// What a message is.
public enum ZIMMessageType: UInt, Sendable, CaseIterable {
    case unknown = 0
    case text = 1
    case command = 2
    case multiple = 10
    case image = 11
    case file = 12
    case audio = 13
    case video = 14
    case barrage = 20
    case system = 30
    case revoke = 31
    case tips = 32
    case combine = 100
    case custom = 200
}

/// How much a message matters; without effect here.
public enum ZIMMessagePriority: UInt, Sendable, CaseIterable {
    case low = 1
    case medium = 2
    case high = 3
}

/// Whether the user sent a message.
public enum ZIMMessageDirection: UInt, Sendable, CaseIterable {
    case send = 0
    case receive = 1
}

/// How far a message has come.
public enum ZIMMessageSentStatus: UInt, Sendable, CaseIterable {
    case sending = 0
    case sendSuccess = 1
    case sendFailed = 2
}

/// In which order messages come.
public enum ZIMMessageOrder: UInt, Sendable, CaseIterable {
    case descending = 0
    case ascending = 1
}

/// Where history comes from; all come from local data here. Of a later 2.x.
public enum ZIMMessageQueryMode: UInt, Sendable, CaseIterable {
    case general = 0
    case preferServer = 1
    case onlyLocal = 2
}

/// Whether a message has been read.
public enum ZIMMessageReceiptStatus: UInt, Sendable, CaseIterable {
    case none = 0
    case processing = 1
    case done = 2
    case expired = 3
    case failed = 4
}

/// What was deleted.
public enum ZIMMessageDeleteType: UInt, Sendable, CaseIterable {
    case messageListDeleted = 0
    case conversationAllMessagesDeleted = 1
    case allConversationMessagesDeleted = 2
}

/// Whether the user is in a group.
public enum ZIMGroupState: UInt, Sendable, CaseIterable {
    case quit = 0
    case enter = 1
}

/// What has happened to a group.
public enum ZIMGroupEvent: UInt, Sendable, CaseIterable {
    case created = 1
    case dismissed = 2
    case joined = 3
    case invited = 4
    case left = 5
    case kickedout = 6
}

/// What has happened to attributes; none are deleted here.
public enum ZIMGroupAttributesUpdateAction: UInt, Sendable, CaseIterable {
    case set = 0
    case delete = 1
}

/// Whether somebody is in a group.
public enum ZIMGroupMemberState: UInt, Sendable, CaseIterable {
    case quit = 0
    case enter = 1
}

/// What has happened to a member.
public enum ZIMGroupMemberEvent: UInt, Sendable, CaseIterable {
    case joined = 1
    case left = 2
    case kickedout = 4
    case invited = 5
}

/// Whether the user is told of a group's messages.
public enum ZIMGroupMessageNotificationStatus: UInt, Sendable, CaseIterable {
    case notify = 1
    case doNotDisturb = 2
}

/// Who wants whom in a group.
public enum ZIMGroupApplicationType: UInt, Sendable, CaseIterable {
    case none = 0
    case join = 1
    case invite = 2
    case beInvite = 3
}

/// How an application stands.
public enum ZIMGroupApplicationState: UInt, Sendable, CaseIterable {
    case waiting = 1
    case accepted = 2
    case rejected = 3
    case expired = 4
    case disabled = 5
}

/// What has happened to the list of applications.
public enum ZIMGroupApplicationListChangeAction: UInt, Sendable, CaseIterable {
    case added = 0
}

/// Who wants to be a friend.
public enum ZIMFriendApplicationType: UInt, Sendable, CaseIterable {
    case none = 0
    case received = 1
    case sent = 2
    case both = 3
}

/// How an application stands.
public enum ZIMFriendApplicationState: UInt, Sendable, CaseIterable {
    case waiting = 1
    case accepted = 2
    case rejected = 3
    case expired = 4
    case disabled = 5
}

/// What has happened to the list of applications.
public enum ZIMFriendApplicationListChangeAction: UInt, Sendable, CaseIterable {
    case added = 0
    case deleted = 1
}

/// What has happened to the list of friends.
public enum ZIMFriendListChangeAction: UInt, Sendable, CaseIterable {
    case added = 0
    case deleted = 1
}

/// Who loses a friend; both do here.
public enum ZIMFriendDeleteType: UInt, Sendable, CaseIterable {
    case both = 0
    case single = 1
}

/// What has happened to the list of users who are shut out.
public enum ZIMBlacklistChangeAction: Int, Sendable, CaseIterable {
    case added = 0
    case removed = 1
}

/// Whether a call goes on.
public enum ZIMCallState: Int, Sendable, CaseIterable {
    case unknown = -1
    case started = 1
    case ended = 2
}

/// How a call works; all are general here.
public enum ZIMCallInvitationMode: Int, Sendable, CaseIterable {
    case unknown = -1
    case general = 0
    case advanced = 1
}

/// What kind of device it is.
public enum ZIMPlatformType: Int, Sendable, CaseIterable {
    case win = 1
    case iPhoneOS = 2
    case android = 3
    case macOS = 4
    case linux = 5
    case web = 6
    case miniProgram = 7
    case iPadOS = 9
    case ohos = 10
    case unknown = 32
}

/// What others see of a user (ZIM-5).
public enum ZIMUserOnlineStatus: UInt, Sendable, CaseIterable {
    case online = 0
    /// The connection broke.
    case offline = 1
    /// The user logged out.
    case logout = 2
    case unknown = 99
}

/// What a member of a group may do, by the three numbers that follow.
public typealias ZIMGroupMemberRole = Int32
// swift-format-ignore: AlwaysUseLowerCamelCase
/// It is theirs.
public let ZIMGroupMemberRoleOwner: ZIMGroupMemberRole = 1
// swift-format-ignore: AlwaysUseLowerCamelCase
/// They may add and remove members.
public let ZIMGroupMemberRoleAdmin: ZIMGroupMemberRole = 2
// swift-format-ignore: AlwaysUseLowerCamelCase
/// They may speak.
public let ZIMGroupMemberRoleMember: ZIMGroupMemberRole = 3
