import Foundation

// All of it lives on the job thread of virtual time, which is why it is Sendable.

/// A user.
public class ZIMUserInfo: NSObject, @unchecked Sendable {
    public var userID = ""
    public var userName = ""
    public var userAvatarUrl = ""
}

/// All that is known of a user.
public final class ZIMUserFullInfo: NSObject, @unchecked Sendable {
    public internal(set) var baseInfo = ZIMUserInfo()
    public internal(set) var userAvatarUrl = ""
    public internal(set) var extendedData = ""
}

/// A user who is not known.
public final class ZIMErrorUserInfo: NSObject, @unchecked Sendable {
    public internal(set) var userID = ""
    /// A ``ZIMErrorCode``.
    public internal(set) var reason: UInt32 = 0
}

/// What the user has set; nothing can be set here.
public final class ZIMUserRule: NSObject, @unchecked Sendable {}

/// All that is known of oneself.
public final class ZIMSelfUserInfo: NSObject, @unchecked Sendable {
    public internal(set) var userFullInfo = ZIMUserFullInfo()
    public internal(set) var userRule = ZIMUserRule()
    public internal(set) var userStatus = ZIMUserStatus()
}

/// Whether a user is there (ZIM-5).
public final class ZIMUserStatus: NSObject, @unchecked Sendable {
    public internal(set) var userID = ""
    public internal(set) var onlineStatus = ZIMUserOnlineStatus.unknown
    /// Not known here.
    public internal(set) var onlinePlatforms: [NSNumber] = []
    public internal(set) var customStatus = ""
    /// Milliseconds since 1970, by the device's clock.
    public internal(set) var lastUpdateTime: Int64 = 0
}

/// A friend.
public final class ZIMFriendInfo: ZIMUserInfo, @unchecked Sendable {
    public internal(set) var friendAlias = ""
    public internal(set) var createTime: Int64 = 0
    public internal(set) var wording = ""
    public internal(set) var friendAttributes: [String: String] = [:]
}

/// Somebody wants to be a friend, or is wanted as one.
public final class ZIMFriendApplicationInfo: NSObject, @unchecked Sendable {
    public internal(set) var type = ZIMFriendApplicationType.none
    public internal(set) var state = ZIMFriendApplicationState.waiting
    public internal(set) var applyUser = ZIMUserInfo()
    public internal(set) var wording = ""
    public internal(set) var createTime: Int64 = 0
    public internal(set) var updateTime: Int64 = 0
}
