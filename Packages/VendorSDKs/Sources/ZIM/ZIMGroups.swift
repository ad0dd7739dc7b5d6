import Foundation

// All of it lives on the job thread of virtual time, so it is Sendable.

/// A group's name and picture.
public final class ZIMGroupInfo: NSObject, @unchecked Sendable {
    public var groupID = ""
    public var groupName = ""
    public var groupAvatarUrl = ""
}

/// A group in a list.
public final class ZIMGroup: NSObject, @unchecked Sendable {
    public internal(set) var baseInfo = ZIMGroupInfo()
    public internal(set) var groupAlias = ""
    public internal(set) var notificationStatus = ZIMGroupMessageNotificationStatus.notify
}

/// All known data of a group.
public final class ZIMGroupFullInfo: NSObject, @unchecked Sendable {
    public internal(set) var baseInfo = ZIMGroupInfo()
    public internal(set) var groupAlias = ""
    public internal(set) var groupNotice = ""
    public internal(set) var groupAttributes: [String: String] = [:]
    public internal(set) var notificationStatus = ZIMGroupMessageNotificationStatus.notify
    public internal(set) var createTime: Int64 = 0
}

/// A group in a search result.
public final class ZIMGroupSearchInfo: NSObject, @unchecked Sendable {
    public internal(set) var groupInfo = ZIMGroupInfo()
    /// The matching members; empty here.
    public internal(set) var userList: [ZIMGroupMemberInfo] = []
}

/// A member of a group.
public final class ZIMGroupMemberInfo: ZIMUserInfo, @unchecked Sendable {
    public internal(set) var memberNickname = ""
    public internal(set) var memberRole = ZIMGroupMemberRoleMember
    /// Milliseconds since 1970; 0 for a member who is not muted, -1 for ever.
    public internal(set) var muteExpiredTime: Int64 = 0
}

/// The user who changed a group. The server does not send it: all of it is empty here.
public final class ZIMGroupOperatedInfo: NSObject, @unchecked Sendable {
    public internal(set) var userID = ""
    public internal(set) var userName = ""
    public internal(set) var memberNickname = ""
    public internal(set) var memberRole = ZIMGroupMemberRoleMember
}

/// Attributes of a group that were set.
public final class ZIMGroupAttributesUpdateInfo: NSObject, @unchecked Sendable {
    public internal(set) var action = ZIMGroupAttributesUpdateAction.set
    public internal(set) var groupAttributes: [String: String] = [:]
}

/// A group application, sent or received.
public final class ZIMGroupApplicationInfo: NSObject, @unchecked Sendable {
    public internal(set) var type = ZIMGroupApplicationType.none
    public internal(set) var state = ZIMGroupApplicationState.waiting
    public internal(set) var groupInfo = ZIMGroupInfo()
    public internal(set) var applyUser = ZIMUserInfo()
    public internal(set) var createTime: Int64 = 0
    public internal(set) var updateTime: Int64 = 0
    public internal(set) var wording = ""
}
