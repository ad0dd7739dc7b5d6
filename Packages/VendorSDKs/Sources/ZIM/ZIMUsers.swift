import Foundation

// All of it lives on the job thread of virtual time, so it is Sendable.

/// A user.
public class ZIMUserInfo: NSObject, @unchecked Sendable {
    public var userID = ""
    public var userName = ""
    public var userAvatarUrl = ""
}

/// All known data of a user.
public final class ZIMUserFullInfo: NSObject, @unchecked Sendable {
    public internal(set) var baseInfo = ZIMUserInfo()
    public internal(set) var userAvatarUrl = ""
    public internal(set) var extendedData = ""
}

/// A user for whom a call failed.
public final class ZIMErrorUserInfo: NSObject, @unchecked Sendable {
    public internal(set) var userID = ""
    /// A ``ZIMErrorCode``.
    public internal(set) var reason: UInt32 = 0
}

/// The user's rules; none can be set here.
public final class ZIMUserRule: NSObject, @unchecked Sendable {}

/// All known data of the logged-in user.
public final class ZIMSelfUserInfo: NSObject, @unchecked Sendable {
    public internal(set) var userFullInfo = ZIMUserFullInfo()
    public internal(set) var userRule = ZIMUserRule()
    public internal(set) var userStatus = ZIMUserStatus()
}

/// The online status of a user (ZIM-5).
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

/// A friend application, sent or received.
public final class ZIMFriendApplicationInfo: NSObject, @unchecked Sendable {
    public internal(set) var type = ZIMFriendApplicationType.none
    public internal(set) var state = ZIMFriendApplicationState.waiting
    public internal(set) var applyUser = ZIMUserInfo()
    public internal(set) var wording = ""
    public internal(set) var createTime: Int64 = 0
    public internal(set) var updateTime: Int64 = 0
}
