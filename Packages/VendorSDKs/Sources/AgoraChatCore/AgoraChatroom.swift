import AppStandIns
import Foundation
import IMClient
import IMProtocol

/// A chat room.
///
/// Used on the job thread of virtual time alone.
public final class AgoraChatroom: NSObject, @unchecked Sendable {
    public let chatroomId: String?
    public let subject: String? = nil
    public let owner: String? = nil
    public let occupantsCount = 0

    /// A chat room with an id, whether the room exists or not.
    public init(id aChatroomId: String) { chatroomId = aChatroomId }
}

/// Receives joins and leaves in the chat rooms that the user is in. All methods are optional.
public protocol AgoraChatroomManagerDelegate: AnyObject {
    func userDidJoin(_ aChatroom: AgoraChatroom, user aUsername: String, ext: String?)
    /// `userDidJoin(_:user:ext:)` in older versions. Called if the app does not implement that method.
    func userDidJoin(_ aChatroom: AgoraChatroom, user aUsername: String)
    func userDidLeave(_ aChatroom: AgoraChatroom, user aUsername: String)

    // MARK: Never called here

    func didDismiss(from aChatroom: AgoraChatroom, reason aReason: AgoraChatroomBeKickedReason)
    func chatroomAnnouncementDidUpdate(_ aChatroom: AgoraChatroom, announcement aAnnouncement: String?)
    func chatroomAttributesDidUpdated(_ roomId: String, attributeMap: [String: String]?, from fromId: String)
}

extension AgoraChatroomManagerDelegate {
    public func userDidJoin(_ aChatroom: AgoraChatroom, user aUsername: String, ext: String?) {
        userDidJoin(aChatroom, user: aUsername)
    }
    public func userDidJoin(_ aChatroom: AgoraChatroom, user aUsername: String) {}
    public func userDidLeave(_ aChatroom: AgoraChatroom, user aUsername: String) {}
    public func didDismiss(from aChatroom: AgoraChatroom, reason aReason: AgoraChatroomBeKickedReason) {}
    public func chatroomAnnouncementDidUpdate(_ aChatroom: AgoraChatroom, announcement aAnnouncement: String?) {}
    public func chatroomAttributesDidUpdated(
        _ roomId: String, attributeMap: [String: String]?, from fromId: String
    ) {}
}

/// Chat rooms. A room exists as soon as somebody joins it.
public protocol IAgoraChatroomManager: AnyObject {
    func add(_ aDelegate: any AgoraChatroomManagerDelegate, delegateQueue aQueue: SimulatedDispatchQueue?)
    func remove(_ aDelegate: any AgoraChatroomManagerDelegate)
    func joinChatroom(
        _ aChatroomId: String, completion aCompletionBlock: ((AgoraChatroom?, AgoraChatError?) -> Void)?)
    func leaveChatroom(_ aChatroomId: String, completion aCompletionBlock: ((AgoraChatError?) -> Void)?)
    /// For calls that are not simulated.
    func refuse(_ call: String, _ completion: @escaping (AgoraChatError) -> Void)
}

// Not simulated: each call ends with an error, which the session notes.
extension IAgoraChatroomManager {
    public func getChatroomSpecificationFromServer(
        withId aChatroomId: String, fetchMembers: Bool = false,
        completion aCompletionBlock: ((AgoraChatroom?, AgoraChatError?) -> Void)? = nil
    ) {
        refuse("getChatroomSpecificationFromServer") { aCompletionBlock?(nil, $0) }
    }

    public func getChatroomAnnouncement(
        withId aChatroomId: String, completion aCompletionBlock: ((String?, AgoraChatError?) -> Void)?
    ) {
        refuse("getChatroomAnnouncement") { aCompletionBlock?(nil, $0) }
    }

    public func updateChatroomAnnouncement(
        withId aChatroomId: String, announcement aAnnouncement: String?,
        completion aCompletionBlock: ((AgoraChatroom?, AgoraChatError?) -> Void)? = nil
    ) {
        refuse("updateChatroomAnnouncement") { aCompletionBlock?(nil, $0) }
    }

    public func removeMembers(
        _ aMembers: [String], fromChatroom aChatroomId: String,
        completion aCompletionBlock: ((AgoraChatroom?, AgoraChatError?) -> Void)? = nil
    ) {
        refuse("removeMembers") { aCompletionBlock?(nil, $0) }
    }

    public func setChatroomAttributesForced(
        _ roomId: String, attributes: [String: String], autoDelete: Bool,
        completionBlock: ((AgoraChatError?, [String: AgoraChatError]?) -> Void)? = nil
    ) {
        refuse("setChatroomAttributesForced") { completionBlock?($0, nil) }
    }

    public func fetchChatroomAttributes(
        _ roomId: String, keys: [String]?, completion: ((AgoraChatError?, [String: String]?) -> Void)?
    ) {
        refuse("fetchChatroomAttributes") { completion?($0, nil) }
    }

    @discardableResult
    public func destroyChatroom(_ aChatroomId: String) -> AgoraChatError? {
        refuse("destroyChatroom") { _ in }
        return AgoraChatError(description: "destroyChatroom is not simulated", code: .general)
    }
}

/// The room manager over the machine.
///
/// Used on the job thread of virtual time alone.
final class RoomManager: IAgoraChatroomManager, @unchecked Sendable {
    private let core: ChatCore

    init(_ core: ChatCore) { self.core = core }

    func refuse(_ call: String, _ completion: @escaping (AgoraChatError) -> Void) { core.refuse(call, completion) }

    func add(_ aDelegate: any AgoraChatroomManagerDelegate, delegateQueue aQueue: SimulatedDispatchQueue?) {
        core.roomDelegates.add(aDelegate, queue: aQueue)
    }

    func remove(_ aDelegate: any AgoraChatroomManagerDelegate) { core.roomDelegates.remove(aDelegate) }

    func joinChatroom(
        _ aChatroomId: String, completion aCompletionBlock: ((AgoraChatroom?, AgoraChatError?) -> Void)?
    ) {
        core.perform(.join(channel: aChatroomId)) { [core] outcome in
            let error = core.error(outcome.status, of: .join)
            aCompletionBlock?(error == nil ? AgoraChatroom(id: aChatroomId) : nil, error)
        }
    }

    func leaveChatroom(_ aChatroomId: String, completion aCompletionBlock: ((AgoraChatError?) -> Void)?) {
        core.perform(.leave(channel: aChatroomId)) { [core] outcome in
            aCompletionBlock?(core.error(outcome.status, of: .leave))
        }
    }
}

extension ChatCore {
    /// A member has joined or left a room.
    func moved(_ member: String, in room: String, joined: Bool) {
        let room = AgoraChatroom(id: room)
        roomDelegates.notify {
            if joined { $0.userDidJoin(room, user: member, ext: nil) } else { $0.userDidLeave(room, user: member) }
        }
    }
}
