import AppStandIns
import Foundation

// Names of the vendor's that a UI kit needs to compile. None of it comes from the simulated server: calls of its
// managers end with an error, and the session notes them.
//
// All of it lives on the job thread of virtual time, so it is Sendable.

// MARK: Bodies of messages. Only texts are transmitted.

public enum AgoraChatDownloadStatus: Int, Sendable {
    case downloading
    case succeed
    case failed
    case pending
    case successed
}

public class AgoraChatFileMessageBody: AgoraChatMessageBody, @unchecked Sendable {
    public var displayName: String?
    public var localPath: String?
    public var remotePath: String?
    public var secretKey: String?
    public var fileLength: Int64 = 0
    public var downloadStatus = AgoraChatDownloadStatus.pending

    public convenience init(localPath aLocalPath: String?, displayName aDisplayName: String?) {
        self.init(.file, aLocalPath, aDisplayName)
    }

    init(_ type: AgoraChatMessageBodyType, _ path: String?, _ name: String?) {
        super.init(type: type)
        localPath = path
        displayName = name
    }
}

public final class AgoraChatImageMessageBody: AgoraChatFileMessageBody, @unchecked Sendable {
    public var size = CGSize.zero
    public var compressionRatio: CGFloat = 0.6
    public var thumbnailLocalPath: String?
    public var thumbnailRemotePath: String?
    public var thumbnailSecretKey: String?
    public var thumbnailSize = CGSize.zero

    public convenience init(localPath aLocalPath: String?, displayName aDisplayName: String?) {
        self.init(.image, aLocalPath, aDisplayName)
    }

    public convenience init(data aData: Data?, displayName aDisplayName: String?) {
        self.init(.image, nil, aDisplayName)
    }
}

public final class AgoraChatVideoMessageBody: AgoraChatFileMessageBody, @unchecked Sendable {
    public var duration: Int32 = 0
    public var thumbnailLocalPath: String?
    public var thumbnailRemotePath: String?
    public var thumbnailSize = CGSize.zero

    public convenience init(localPath aLocalPath: String?, displayName aDisplayName: String?) {
        self.init(.video, aLocalPath, aDisplayName)
    }
}

public final class AgoraChatVoiceMessageBody: AgoraChatFileMessageBody, @unchecked Sendable {
    public var duration: Int32 = 0

    public convenience init(localPath aLocalPath: String?, displayName aDisplayName: String?) {
        self.init(.voice, aLocalPath, aDisplayName)
    }
}

public final class AgoraChatLocationMessageBody: AgoraChatMessageBody, @unchecked Sendable {
    public var latitude: Double
    public var longitude: Double
    public var address: String?
    public var buildingName: String?

    public init(latitude aLatitude: Double, longitude aLongitude: Double, address anAddress: String?) {
        latitude = aLatitude
        longitude = aLongitude
        address = anAddress
        super.init(type: .location)
    }
}

public final class AgoraChatCombineMessageBody: AgoraChatFileMessageBody, @unchecked Sendable {
    public var title: String?
    public var summary: String?
    public var compatibleText: String?
}

public enum AgoraChatMessageSearchScope: UInt, Sendable {
    case content
    case ext
    case all
}

// MARK: Values

public final class AgoraChatCursorResult<Item>: NSObject, @unchecked Sendable {
    public var list: [Item]?
    public var cursor: String?
}

public final class AgoraChatRecallMessageInfo: NSObject, @unchecked Sendable {
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    public var recallBy: String! = ""
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    public var recallMessage: AgoraChatMessage!
    public var recallMessageId = ""
    public var ext: String?
}

public final class AgoraChatMessageReaction: NSObject, @unchecked Sendable {
    public let reaction: String? = nil
    public let count: UInt = 0
    public let isAddedBySelf = false
    public let userList: [String]? = nil
}

public enum AgoraChatMessageReactionOperate: UInt, Sendable {
    case remove
    case add
}

public final class AgoraChatMessageReactionOperation: NSObject, @unchecked Sendable {
    public let userId = ""
    public let reaction = ""
    public let operate = AgoraChatMessageReactionOperate.add
}

public final class AgoraChatMessageReactionChange: NSObject, @unchecked Sendable {
    public let conversationId: String? = nil
    public let messageId: String? = nil
    public let reactions: [AgoraChatMessageReaction]? = nil
    public let operations: [AgoraChatMessageReactionOperation]? = nil
}

public enum AgoraChatMessagePinOperation: UInt, Sendable {
    case pin
    case unpin
}

public final class AgoraChatMessagePinInfo: NSObject, @unchecked Sendable {
    public let operatorId: String? = nil
    public let pinTime: Int64 = 0
}

public final class AgoraChatContact: NSObject, @unchecked Sendable {
    public let userId: String
    public let remark: String?

    public init(userId: String, remark: String?) {
        self.userId = userId
        self.remark = remark
    }
}

public enum AgoraChatUserInfoType: Int, Sendable {
    case nickName
    case avatarURL
    case email
    case phone
    case gender
    case sign
    case birth
    case ext = 100
}

public final class AgoraChatUserInfo: NSObject, @unchecked Sendable {
    public var userId: String?
    public var nickname: String?
    public var avatarUrl: String?
    public var mail: String?
    public var phone: String?
    public var gender = 0
    public var sign: String?
    public var birth: String?
    public var ext: String?
}

public final class AgoraChatSilentModeParam: NSObject, @unchecked Sendable {}
public final class AgoraChatSilentModeResult: NSObject, @unchecked Sendable {}

public enum AgoraChatroomBeKickedReason: Int, Sendable {
    case beRemoved
    case destroyed
    case offline
}

public enum AgoraChatGroupLeaveReason: Int, Sendable {
    case beRemoved
    case userLeave
    case destroyed
}

public final class AgoraChatGroupOptions: NSObject, @unchecked Sendable {
    public var maxUsers = 200
    public var isInviteNeedConfirm = false
    public var ext: String?
}

public final class AgoraChatGroup: NSObject, @unchecked Sendable {
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    public let groupId: String!
    public let groupName: String? = nil
    public let owner: String? = nil
    public let ext: String? = nil
    public let occupantsCount = 0

    public init(id aGroupId: String) { groupId = aGroupId }
}

public final class AgoraChatThread: NSObject, @unchecked Sendable {
    public let threadId: String? = nil
    public let threadName: String? = nil
    public let owner: String? = nil
    public let messageId: String? = nil
    public let parentId: String? = nil
}

public final class AgoraChatThreadEvent: NSObject, @unchecked Sendable {
    public let from: String? = nil
    public let chatThread: AgoraChatThread? = nil
}

// MARK: Delegates that are never called

public protocol AgoraChatGroupManagerDelegate: AnyObject {
    func groupInvitationDidReceive(_ aGroupId: String, inviter aInviter: String, message aMessage: String?)
    func didJoin(_ aGroup: AgoraChatGroup, inviter aInviter: String, message aMessage: String?)
    func didLeave(_ aGroup: AgoraChatGroup, reason aReason: AgoraChatGroupLeaveReason)
    func groupListDidUpdate(_ aGroupList: [AgoraChatGroup])
    func userDidJoin(_ aGroup: AgoraChatGroup, user aUsername: String)
    func userDidLeave(_ aGroup: AgoraChatGroup, user aUsername: String)
}

extension AgoraChatGroupManagerDelegate {
    public func groupInvitationDidReceive(_ aGroupId: String, inviter aInviter: String, message aMessage: String?) {}
    public func didJoin(_ aGroup: AgoraChatGroup, inviter aInviter: String, message aMessage: String?) {}
    public func didLeave(_ aGroup: AgoraChatGroup, reason aReason: AgoraChatGroupLeaveReason) {}
    public func groupListDidUpdate(_ aGroupList: [AgoraChatGroup]) {}
    public func userDidJoin(_ aGroup: AgoraChatGroup, user aUsername: String) {}
    public func userDidLeave(_ aGroup: AgoraChatGroup, user aUsername: String) {}
}

public protocol AgoraChatContactManagerDelegate: AnyObject {
    func friendshipDidAdd(byUser aUsername: String)
    func friendshipDidRemove(byUser aUsername: String)
    func friendRequestDidReceive(fromUser aUsername: String, message aMessage: String?)
    func friendRequestDidApprove(byUser aUsername: String)
    func friendRequestDidDecline(byUser aUsername: String)
}

extension AgoraChatContactManagerDelegate {
    public func friendshipDidAdd(byUser aUsername: String) {}
    public func friendshipDidRemove(byUser aUsername: String) {}
    public func friendRequestDidReceive(fromUser aUsername: String, message aMessage: String?) {}
    public func friendRequestDidApprove(byUser aUsername: String) {}
    public func friendRequestDidDecline(byUser aUsername: String) {}
}

public protocol AgoraChatThreadManagerDelegate: AnyObject {
    func onChatThreadCreate(_ event: AgoraChatThreadEvent)
    func onChatThreadUpdate(_ event: AgoraChatThreadEvent)
    func onChatThreadDestroy(_ event: AgoraChatThreadEvent)
}

extension AgoraChatThreadManagerDelegate {
    public func onChatThreadCreate(_ event: AgoraChatThreadEvent) {}
    public func onChatThreadUpdate(_ event: AgoraChatThreadEvent) {}
    public func onChatThreadDestroy(_ event: AgoraChatThreadEvent) {}
}

// MARK: Managers

/// Groups. Not simulated.
public final class AgoraChatGroupManager: @unchecked Sendable {
    private let core: ChatCore

    init(_ core: ChatCore) { self.core = core }

    public func add(_ aDelegate: any AgoraChatGroupManagerDelegate, delegateQueue aQueue: SimulatedDispatchQueue?) {}
    public func removeDelegate(_ aDelegate: any AgoraChatGroupManagerDelegate) {}
    public func remove(_ aDelegate: any AgoraChatGroupManagerDelegate) {}
    public func getJoinedGroups() -> [AgoraChatGroup]? { [] }

    public func getJoinedGroupsFromServer(
        withPage aPage: Int, pageSize aPageSize: Int, needMemberCount: Bool = false, needRole: Bool = false,
        completion aCompletionBlock: (([AgoraChatGroup]?, AgoraChatError?) -> Void)? = nil
    ) {
        core.refuse("getJoinedGroupsFromServer") { aCompletionBlock?(nil, $0) }
    }

    public func getGroupSpecificationFromServer(
        withId aGroupId: String, completion aCompletionBlock: ((AgoraChatGroup?, AgoraChatError?) -> Void)?
    ) {
        core.refuse("getGroupSpecificationFromServer") { aCompletionBlock?(nil, $0) }
    }

    public func createGroup(
        withSubject aSubject: String?, description aDescription: String?, invitees aInvitees: [String]?,
        message aMessage: String?, setting aSetting: AgoraChatGroupOptions?,
        completion aCompletionBlock: ((AgoraChatGroup?, AgoraChatError?) -> Void)? = nil
    ) {
        core.refuse("createGroup") { aCompletionBlock?(nil, $0) }
    }

    public func joinPublicGroup(
        _ aGroupId: String, completion aCompletionBlock: ((AgoraChatGroup?, AgoraChatError?) -> Void)?
    ) {
        core.refuse("joinPublicGroup") { aCompletionBlock?(nil, $0) }
    }

    public func leaveGroup(_ aGroupId: String, completion aCompletionBlock: ((AgoraChatError?) -> Void)?) {
        core.refuse("leaveGroup") { aCompletionBlock?($0) }
    }
}

/// Users' profiles. Not simulated.
public final class AgoraChatUserInfoManager: @unchecked Sendable {
    private let core: ChatCore

    init(_ core: ChatCore) { self.core = core }

    public func fetchUserInfo(
        byId aUserIds: [String], completion aCompletionBlock: (([AnyHashable: Any]?, AgoraChatError?) -> Void)?
    ) {
        core.refuse("fetchUserInfo") { aCompletionBlock?(nil, $0) }
    }

    public func updateOwn(
        _ aUserData: AgoraChatUserInfo, completion aCompletionBlock: ((AgoraChatUserInfo?, AgoraChatError?) -> Void)?
    ) {
        core.refuse("updateOwnUserInfo") { aCompletionBlock?(nil, $0) }
    }
}

/// Push notifications, which are not simulated.
public final class AgoraChatPushManager: @unchecked Sendable {
    private let core: ChatCore

    init(_ core: ChatCore) { self.core = core }

    public func updatePushDisplayName(
        _ aDisplayName: String, completion aCompletionBlock: ((String, AgoraChatError?) -> Void)? = nil
    ) {
        core.refuse("updatePushDisplayName") { aCompletionBlock?("", $0) }
    }
}
