import Foundation
import IMClient
import IMProfiles
import IMProtocol
import SimulatedApp
import VirtualTime

// All of it lives on the job thread of virtual time, so it is Sendable.

public final class NIMChatroomEnterRequest: NSObject, @unchecked Sendable {
    public var roomId = ""
    public var roomNickname: String?
    public var roomAvatar: String?
    public var roomExt: String?
    public var roomNotifyExt: String?
    public var retryCount = 0
    public var mode: Any?

    public override init() {}
}

public final class NIMChatroom: NSObject, @unchecked Sendable {
    public let roomId: String?
    public let name: String? = nil
    public let creator: String? = nil
    public let announcement: String? = nil
    public let ext: String? = nil
    public let onlineUserCount = 0

    init(_ roomId: String) { self.roomId = roomId }
}

public final class NIMChatroomMember: NSObject, @unchecked Sendable {
    public let userId: String?
    public let roomNickname: String?

    init(_ userId: String, nickname: String?) {
        self.userId = userId
        roomNickname = nickname
    }
}

public enum NIMChatroomConnectionState: Int, Sendable {
    case entering
    case enterOK
    case enterFailed
    case loseConnection
}

public enum NIMChatroomKickReason: Int, Sendable {
    case invalidRoom = 1
    case byManager
    case byConflictLogin
    case blacklist
}

public final class NIMChatroomBeKickedResult: NSObject, @unchecked Sendable {
    public let roomId: String
    public let reason: NIMChatroomKickReason

    init(_ roomId: String, _ reason: NIMChatroomKickReason) {
        self.roomId = roomId
        self.reason = reason
    }
}

/// Receives events of chat rooms. All methods are optional. Nobody is kicked out of a room here.
public protocol NIMChatroomManagerDelegate: AnyObject {
    func chatroomBeKicked(_ result: NIMChatroomBeKickedResult)
    func chatroom(_ roomId: String, connectionStateChanged state: NIMChatroomConnectionState)
    func chatroom(_ roomId: String, autoLoginFailed error: any Error)
}

extension NIMChatroomManagerDelegate {
    public func chatroomBeKicked(_ result: NIMChatroomBeKickedResult) {}
    public func chatroom(_ roomId: String, connectionStateChanged state: NIMChatroomConnectionState) {}
    public func chatroom(_ roomId: String, autoLoginFailed error: any Error) {}
}

/// Chat rooms. The simulated server has none: entering and leaving succeed after 100 ms while the SDK is online, and
/// nobody else is in the room. The session notes it.
public final class NIMChatroomManager: @unchecked Sendable {
    private let client: SDKClient
    private let delegates = DelegateList<any NIMChatroomManagerDelegate>()

    init(_ client: SDKClient) { self.client = client }

    public func add(_ delegate: any NIMChatroomManagerDelegate) { delegates.add(delegate) }
    public func remove(_ delegate: any NIMChatroomManagerDelegate) { delegates.remove(delegate) }

    public func enterChatroom(
        _ request: NIMChatroomEnterRequest,
        completion: (((any Error)?, NIMChatroom?, NIMChatroomMember?) -> Void)? = nil
    ) {
        let (room, nickname) = (request.roomId, request.roomNickname)
        delegates.notify { $0.chatroom(room, connectionStateChanged: .entering) }
        answer("enterChatroom", of: .join) { [weak self] error in
            self?.delegates.notify {
                $0.chatroom(room, connectionStateChanged: error == nil ? .enterOK : .enterFailed)
            }
            guard error == nil else { return completion?(error, nil, nil) ?? () }
            completion?(nil, NIMChatroom(room), NIMChatroomMember(self?.client.user ?? "", nickname: nickname))
        }
    }

    public func exitChatroom(_ roomId: String, completion: NIMLoginHandler? = nil) {
        answer("exitChatroom", of: .leave) { completion?($0) }
    }

    private func answer(_ what: String, of call: CallKind, _ completion: @escaping ((any Error)?) -> Void) {
        client.note("\(what) is not simulated: it succeeds while the SDK is online, and nobody else is in the room")
        client.simulation.time.enqueue(
            in: client.process, after: 100_000_000, label: EntryLabel("a completion of the SDK")
        ) { [client] in
            let isOnline = [.online, .syncing].contains(client.state)
            let status: Status = isOnline ? .ok : client.user == nil ? .notLoggedIn : .connectionFailed
            completion(nimError(status, of: call, client.simulation.dialect))
        }
    }

    public func fetchChatroomInfo(_ roomId: String, completion: @escaping ((any Error)?, NIMChatroom?) -> Void) {
        client.refuse("fetchChatroomInfo") { completion($0, nil) }
    }
}
