import Foundation
import SimulatedApp

// All of it lives on the job thread of virtual time, so it is Sendable.

public final class NIMUserInfo: NSObject, @unchecked Sendable {
    public internal(set) var nickName: String?
    public internal(set) var avatarUrl: String?
    public internal(set) var thumbAvatarUrl: String?
    public internal(set) var sign: String?
    public internal(set) var email: String?
    public internal(set) var birth: String?
    public internal(set) var mobile: String?
    public internal(set) var ext: String?
}

/// A user. The simulated server stores no profiles: only the account is known.
public final class NIMUser: NSObject, @unchecked Sendable {
    public let userId: String?
    public let alias: String? = nil
    public let ext: String? = nil
    public let serverExt: String? = nil
    public let userInfo: NIMUserInfo? = NIMUserInfo()

    init(_ userId: String) { self.userId = userId }

    public func notifyForNewMsg() -> Bool { true }
    public func isInMyBlackList() -> Bool { false }
}

/// Receives changes of users. All methods are optional. Not simulated: never called.
public protocol NIMUserManagerDelegate: AnyObject {
    func onFriendChanged(_ user: NIMUser)
    func onBlackListChanged()
    func onMuteListChanged()
    func onUserInfoChanged(_ user: NIMUser)
}

extension NIMUserManagerDelegate {
    public func onFriendChanged(_ user: NIMUser) {}
    public func onBlackListChanged() {}
    public func onMuteListChanged() {}
    public func onUserInfoChanged(_ user: NIMUser) {}
}

/// Users of the simulated server, by their accounts.
public final class NIMUserManager: @unchecked Sendable {
    private let client: SDKClient
    private let delegates = DelegateList<any NIMUserManagerDelegate>()

    init(_ client: SDKClient) { self.client = client }

    public func add(_ delegate: any NIMUserManagerDelegate) { delegates.add(delegate) }
    public func remove(_ delegate: any NIMUserManagerDelegate) { delegates.remove(delegate) }

    @discardableResult
    public func userInfo(_ userId: String) -> NIMUser? { client.isDataOpen ? NIMUser(userId) : nil }
    public func myFriends() -> [NIMUser]? { client.isDataOpen ? [] : nil }
    public func myBlackList() -> [NIMUser]? { client.isDataOpen ? [] : nil }
    public func isMyFriend(_ userId: String) -> Bool { false }
    public func isUser(inBlackList userId: String) -> Bool { false }
    public func notify(forNewMsg userId: String) -> Bool { true }

    public func fetchUserInfos(_ users: [String], completion: (([NIMUser]?, (any Error)?) -> Void)? = nil) {
        guard [.online, .syncing].contains(client.state) else {
            return client.refuse("fetchUserInfos") { completion?(nil, $0) }
        }
        client.enqueue("a completion") { completion?(users.map(NIMUser.init), nil) }
    }

    public func updateMyUserInfo(_ values: [NSNumber: String], completion: NIMLoginHandler? = nil) {
        client.refuse("updateMyUserInfo") { completion?($0) }
    }

    // MARK: Friends; not simulated

    public func requestFriend(_ request: NIMUserRequest, completion: NIMLoginHandler? = nil) {
        client.refuse("requestFriend") { completion?($0) }
    }

    public func deleteFriend(_ userId: String, completion: NIMLoginHandler? = nil) {
        client.refuse("deleteFriend") { completion?($0) }
    }

    public func add(toBlackList userId: String, completion: NIMLoginHandler? = nil) {
        client.refuse("addToBlackList") { completion?($0) }
    }

    public func remove(fromBlackBlackList userId: String, completion: NIMLoginHandler? = nil) {
        client.refuse("removeFromBlackBlackList") { completion?($0) }
    }
}

/// What a request for a friend means.
public enum NIMUserOperation: Int, Sendable {
    case add = 1
    case request = 2
    case verify = 3
    case reject = 4
}

/// A request for a friend, or the answer to one.
public final class NIMUserRequest: NSObject, @unchecked Sendable {
    public var userId = ""
    public var operation = NIMUserOperation.add
    public var message: String?
}
