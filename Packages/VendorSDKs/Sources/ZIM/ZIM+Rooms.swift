import Foundation
import IMClient
import IMProtocol
import SimulatedApp

// Rooms, over the channels of the machines: a room is there as soon as somebody enters it. A user is in several at once
// where the app enters several.

extension ZIM {
    /// Makes a room and enters it.
    public func createRoom(with roomInfo: ZIMRoomInfo, callback: @escaping ZIMRoomCreatedCallback) {
        enter(roomInfo.roomID, named: roomInfo.roomName, "createRoom", .activeCreate, .createFailed, callback)
    }

    /// The same with settings, which have no effect.
    public func createRoom(
        with roomInfo: ZIMRoomInfo, config: ZIMRoomAdvancedConfig, callback: @escaping ZIMRoomCreatedCallback
    ) {
        createRoom(with: roomInfo, callback: callback)
    }

    /// The same in the form of versions before 2.5.
    public func createRoom(_ roomInfo: ZIMRoomInfo, callback: @escaping ZIMRoomCreatedCallback) {
        createRoom(with: roomInfo, callback: callback)
    }

    /// Enters a room.
    public func joinRoom(by roomID: String, callback: @escaping ZIMRoomJoinedCallback) {
        enter(roomID, named: "", "joinRoom", .activeEnter, .enterFailed, callback)
    }

    /// The same in the form of versions before 2.5.
    public func joinRoom(_ roomID: String, callback: @escaping ZIMRoomJoinedCallback) {
        joinRoom(by: roomID, callback: callback)
    }

    /// Enters a room, which is made where it is not there.
    public func enterRoom(
        with roomInfo: ZIMRoomInfo, config: ZIMRoomAdvancedConfig?, callback: @escaping ZIMRoomEnteredCallback
    ) {
        enter(roomInfo.roomID, named: roomInfo.roomName, "enterRoom", .activeEnter, .enterFailed, callback)
    }

    /// Leaves a room.
    public func leaveRoom(by roomID: String, callback: @escaping ZIMRoomLeftCallback) {
        perform("leaveRoom", .leave(channel: roomID)) { [weak self] error, _ in
            if error.code == .success { self?.tellRoom(roomID, .disconnected, .success) }
            callback(roomID, error)
        }
    }

    /// The same in the form of versions before 2.5.
    public func leaveRoom(_ roomID: String, callback: @escaping ZIMRoomLeftCallback) {
        leaveRoom(by: roomID, callback: callback)
    }

    private func enter(
        _ room: String, named name: String, _ what: String, _ event: ZIMRoomEvent, _ failure: ZIMRoomEvent,
        _ callback: @escaping ZIMRoomEnteredCallback
    ) {
        tellRoom(room, .connecting, event)
        perform(what, .join(channel: room)) { [weak self] error, _ in
            let info = ZIMRoomFullInfo()
            info.baseInfo.roomID = room
            info.baseInfo.roomName = name
            let isIn = error.code == .success
            self?.tellRoom(room, isIn ? .connected : .disconnected, isIn ? .success : failure)
            callback(info, error)
        }
    }

    private func tellRoom(_ room: String, _ state: ZIMRoomState, _ event: ZIMRoomEvent) {
        core?.later { [weak self] in
            guard let self else { return }
            handler?.zim(self, roomStateChanged: state, event: event, extendedData: [:], roomID: room)
        }
    }

    // MARK: Not simulated

    public func queryRoomMemberList(
        by roomID: String, config: ZIMRoomMemberQueryConfig, callback: @escaping ZIMRoomMemberQueriedCallback
    ) {
        refuse("queryRoomMemberList") { callback([], "", $0) }
    }

    public func setRoomAttributes(
        _ roomAttributes: [String: String], roomID: String, config: ZIMRoomAttributesSetConfig,
        callback: @escaping ZIMRoomAttributesOperatedCallback
    ) {
        refuse("setRoomAttributes") { callback(roomID, Array(roomAttributes.keys), $0) }
    }

    /// The same in the form of versions before 2.1.
    public func setRoomAttributes(
        _ roomAttributes: [String: String], roomID: String, config: ZIMRoomAttributesSetConfig,
        callback: @escaping (ZIMError) -> Void
    ) {
        refuse("setRoomAttributes", callback)
    }

    public func deleteRoomAttributes(
        by keys: [String], roomID: String, config: ZIMRoomAttributesDeleteConfig,
        callback: @escaping ZIMRoomAttributesOperatedCallback
    ) {
        refuse("deleteRoomAttributes") { callback(roomID, keys, $0) }
    }

    public func queryRoomAllAttributes(by roomID: String, callback: @escaping ZIMRoomAttributesQueriedCallback) {
        refuse("queryRoomAllAttributes") { callback(roomID, [:], $0) }
    }

    /// Ends a call that is not simulated with a failure, and notes it in the session.
    func refuse(_ what: String, _ callback: @escaping (ZIMError) -> Void) {
        withCore(what, refused: callback) { core in
            core.noteUnsupported(what)
            core.later { callback(ZIMError(.commonModuleUnsupportedRequest, "\(what) is not simulated")) }
        }
    }
}

extension ZimClient {
    func noteUnsupported(_ what: String) { client?.note("\(what) is not simulated, and ends with an error") }

    /// What machines say of channels. The vendor calls them rooms.
    func hearRoom(_ news: SDKClient.News, _ zim: ZIM) -> Bool {
        switch news {
        case .told(.memberChanged(let room, let member, let joined)):
            let info = ZIMUserInfo()
            info.userID = member
            if joined {
                zim.handler?.zim(zim, roomMemberJoined: [info], roomID: room)
            } else {
                zim.handler?.zim(zim, roomMemberLeft: [info], roomID: room)
            }
            return true
        case .told(.messageReceived(let message)) where message.isToChannel:
            let told = ZIMTextMessage(message: message.text)
            told.name = message.id
            told.senderUserID = message.from
            told.conversationID = message.to
            told.conversationType = .room
            told.direction = .receive
            told.sentStatus = .sendSuccess
            told.timestamp = UInt64(max(0, Date().timeIntervalSince1970 * 1000))
            zim.handler?.zim(zim, roomMessageReceived: [told], info: ZIMMessageReceivedInfo(), fromRoomID: message.to)
            zim.handler?.zim(zim, receiveRoomMessage: [told], fromRoomID: message.to)
            return true
        default: return false
        }
    }
}
