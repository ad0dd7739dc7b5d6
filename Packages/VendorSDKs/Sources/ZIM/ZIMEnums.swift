// Names and numbers of the vendor's headers (ZIM 2.21). `ZIMTests` compares them with the names that the shell shows.

/// The state of the connection (ZIM-4).
public enum ZIMConnectionState: UInt, Sendable, CaseIterable {
    case disconnected = 0
    case connecting = 1
    case connected = 2
    case reconnecting = 3
}

/// The cause of a state change (ZIM-4).
public enum ZIMConnectionEvent: UInt, Sendable, CaseIterable {
    case success = 0
    case activeLogin = 1
    case loginTimeout = 2
    case loginInterrupted = 3
    case kickedOut = 4
    case tokenExpired = 5
    /// Never occurs here.
    case unregistered = 6
}

/// The kind of a conversation.
public enum ZIMConversationType: Int, Sendable, CaseIterable {
    case unknown = -1
    case peer = 0
    /// See ``ZIM/enterRoom(with:config:callback:)``.
    case room = 1
    case group = 2
}

/// The kind of a change of a conversation.
public enum ZIMConversationEvent: UInt, Sendable, CaseIterable {
    case added = 0
    case updated = 1
    case disabled = 2
    case deleted = 3
}

/// The notification setting of a conversation.
public enum ZIMConversationNotificationStatus: UInt, Sendable, CaseIterable {
    case notify = 1
    case doNotDisturb = 2
}

/// The state of the sync of changes (ZIM-9).
public enum ZIMConversationSyncState: UInt, Sendable, CaseIterable {
    case started = 0
    case finished = 1
    /// Never occurs here: a sync that breaks off starts again.
    case failed = 2
}

/// A filter of a conversation list. From a later 2.x version.
public enum ZIMConversationPinnedFilter: UInt, Sendable, CaseIterable {
    case all = 0
    case onlyPinned = 1
    case onlyUnpinned = 2
}

/// The fields that a conversation search covers. From a later 2.x version.
public enum ZIMConversationSearchMode: UInt, Sendable, CaseIterable {
    case matchMessage = 0
    case matchConversationName = 1
}

/// The kind of a message.
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

/// The priority of a message; without effect here.
public enum ZIMMessagePriority: UInt, Sendable, CaseIterable {
    case low = 1
    case medium = 2
    case high = 3
}

/// The direction of a message: sent or received.
public enum ZIMMessageDirection: UInt, Sendable, CaseIterable {
    case send = 0
    case receive = 1
}

/// The state of sending a message.
public enum ZIMMessageSentStatus: UInt, Sendable, CaseIterable {
    case sending = 0
    case sendSuccess = 1
    case sendFailed = 2
}

/// The order of messages in an answer.
public enum ZIMMessageOrder: UInt, Sendable, CaseIterable {
    case descending = 0
    case ascending = 1
}

/// The source of history. All messages come from local data here. From a later 2.x version.
public enum ZIMMessageQueryMode: UInt, Sendable, CaseIterable {
    case general = 0
    case preferServer = 1
    case onlyLocal = 2
}

/// The state of a message's receipt.
public enum ZIMMessageReceiptStatus: UInt, Sendable, CaseIterable {
    case none = 0
    case processing = 1
    case done = 2
    case expired = 3
    case failed = 4
}

/// The scope of a deletion.
public enum ZIMMessageDeleteType: UInt, Sendable, CaseIterable {
    case messageListDeleted = 0
    case conversationAllMessagesDeleted = 1
    case allConversationMessagesDeleted = 2
}

/// The user's membership in a group.
public enum ZIMGroupState: UInt, Sendable, CaseIterable {
    case quit = 0
    case enter = 1
}

/// The kind of a change of a group.
public enum ZIMGroupEvent: UInt, Sendable, CaseIterable {
    case created = 1
    case dismissed = 2
    case joined = 3
    case invited = 4
    case left = 5
    case kickedout = 6
}

/// The kind of a change of attributes; none are deleted here.
public enum ZIMGroupAttributesUpdateAction: UInt, Sendable, CaseIterable {
    case set = 0
    case delete = 1
}

/// The membership of a group member.
public enum ZIMGroupMemberState: UInt, Sendable, CaseIterable {
    case quit = 0
    case enter = 1
}

/// The kind of a change of a member.
public enum ZIMGroupMemberEvent: UInt, Sendable, CaseIterable {
    case joined = 1
    case left = 2
    case kickedout = 4
    case invited = 5
}

/// The notification setting of a group.
public enum ZIMGroupMessageNotificationStatus: UInt, Sendable, CaseIterable {
    case notify = 1
    case doNotDisturb = 2
}

/// The kind of a group application.
public enum ZIMGroupApplicationType: UInt, Sendable, CaseIterable {
    case none = 0
    case join = 1
    case invite = 2
    case beInvite = 3
}

/// The state of an application.
public enum ZIMGroupApplicationState: UInt, Sendable, CaseIterable {
    case waiting = 1
    case accepted = 2
    case rejected = 3
    case expired = 4
    case disabled = 5
}

/// The kind of a change of the list of applications.
public enum ZIMGroupApplicationListChangeAction: UInt, Sendable, CaseIterable {
    case added = 0
}

/// The direction of a friend application.
public enum ZIMFriendApplicationType: UInt, Sendable, CaseIterable {
    case none = 0
    case received = 1
    case sent = 2
    case both = 3
}

/// The state of an application.
public enum ZIMFriendApplicationState: UInt, Sendable, CaseIterable {
    case waiting = 1
    case accepted = 2
    case rejected = 3
    case expired = 4
    case disabled = 5
}

/// The kind of a change of the list of applications.
public enum ZIMFriendApplicationListChangeAction: UInt, Sendable, CaseIterable {
    case added = 0
    case deleted = 1
}

/// The kind of a change of the friend list.
public enum ZIMFriendListChangeAction: UInt, Sendable, CaseIterable {
    case added = 0
    case deleted = 1
}

/// The side that loses the friend; both do here.
public enum ZIMFriendDeleteType: UInt, Sendable, CaseIterable {
    case both = 0
    case single = 1
}

/// The kind of a change of the block list.
public enum ZIMBlacklistChangeAction: Int, Sendable, CaseIterable {
    case added = 0
    case removed = 1
}

/// The state of a call.
public enum ZIMCallState: Int, Sendable, CaseIterable {
    case unknown = -1
    case started = 1
    case ended = 2
}

/// The mode of a call; all are general here.
public enum ZIMCallInvitationMode: Int, Sendable, CaseIterable {
    case unknown = -1
    case general = 0
    case advanced = 1
}

/// The platform of a device.
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

/// A user's status, as others see it (ZIM-5).
public enum ZIMUserOnlineStatus: UInt, Sendable, CaseIterable {
    case online = 0
    /// The connection broke.
    case offline = 1
    /// The user logged out.
    case logout = 2
    case unknown = 99
}

/// The role of a group member: one of the three numbers that follow.
public typealias ZIMGroupMemberRole = Int32
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The group's owner.
public let ZIMGroupMemberRoleOwner: ZIMGroupMemberRole = 1
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Admins may add and remove members.
public let ZIMGroupMemberRoleAdmin: ZIMGroupMemberRole = 2
// swift-format-ignore: AlwaysUseLowerCamelCase
/// Members may send messages.
public let ZIMGroupMemberRoleMember: ZIMGroupMemberRole = 3
