import Foundation

// All of it lives on the job thread of virtual time, so it is Sendable.

public final class ZIMRoomInfo: NSObject, @unchecked Sendable {
    public var roomID = ""
    public var roomName = ""
}

public final class ZIMRoomFullInfo: NSObject, @unchecked Sendable {
    public internal(set) var baseInfo = ZIMRoomInfo()
}

/// Settings of a new room, without effect.
public final class ZIMRoomAdvancedConfig: NSObject, @unchecked Sendable {
    public var roomAttributes: [String: String] = [:]
    public var roomDestroyDelayTime: UInt32 = 0
}

public final class ZIMRoomMemberQueryConfig: NSObject, @unchecked Sendable {
    public var nextFlag = ""
    public var count: UInt32 = 0
}

/// The options for setting attributes of a room; they are not simulated.
public final class ZIMRoomAttributesSetConfig: NSObject, @unchecked Sendable {
    public var isForce = false
    public var isDeleteAfterOwnerLeft = true
    public var isUpdateOwner = false
}

public final class ZIMRoomAttributesDeleteConfig: NSObject, @unchecked Sendable {
    public var isForce = false
}

public enum ZIMRoomAttributesUpdateAction: UInt, Sendable {
    case set
    case delete
}

public final class ZIMRoomAttributesUpdateInfo: NSObject, @unchecked Sendable {
    public let action = ZIMRoomAttributesUpdateAction.set
    public let roomAttributes: [String: String] = [:]
}

public final class ZIMRoomOperatedInfo: NSObject, @unchecked Sendable {
    public let userID = ""
}

public final class ZIMRoomMemberAttributesInfo: NSObject, @unchecked Sendable {
    public let userID = ""
    public let attributes: [String: String] = [:]
}

public final class ZIMRoomMemberAttributesUpdateInfo: NSObject, @unchecked Sendable {
    public let attributesInfo = ZIMRoomMemberAttributesInfo()
}

/// The user's connection to a room.
public enum ZIMRoomState: UInt, Sendable, CaseIterable {
    case disconnected
    case connecting
    case connected
}

/// The reason of a change of the state.
public enum ZIMRoomEvent: UInt, Sendable, CaseIterable {
    case success
    case networkInterrupted
    case networkDisconnected
    case roomNotExist
    case activeCreate
    case createFailed
    case activeEnter
    case enterFailed
    case kickedOut
    case connectTimeout
    case kickedOutByOtherDevice
    case activeSwitch
    case switchFailed
}

public typealias ZIMRoomCreatedCallback = (_ roomInfo: ZIMRoomFullInfo, _ errorInfo: ZIMError) -> Void
public typealias ZIMRoomJoinedCallback = (_ roomInfo: ZIMRoomFullInfo, _ errorInfo: ZIMError) -> Void
public typealias ZIMRoomEnteredCallback = (_ roomInfo: ZIMRoomFullInfo, _ errorInfo: ZIMError) -> Void
public typealias ZIMRoomLeftCallback = (_ roomID: String, _ errorInfo: ZIMError) -> Void
public typealias ZIMRoomMemberQueriedCallback = (
    _ memberList: [ZIMUserInfo], _ nextFlag: String, _ errorInfo: ZIMError
) -> Void
public typealias ZIMRoomAttributesOperatedCallback = (
    _ roomID: String, _ errorKeys: [String], _ errorInfo: ZIMError
) -> Void
public typealias ZIMRoomAttributesQueriedCallback = (
    _ roomID: String, _ roomAttributes: [String: String], _ errorInfo: ZIMError
) -> Void
