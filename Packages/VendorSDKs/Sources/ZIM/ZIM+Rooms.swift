import Foundation
import IMClient
import IMProfiles
import IMProtocol
import SimulatedApp
import VirtualTime

// Rooms. The simulated server has none: entering succeeds after 100 ms while the SDK is online, and nobody else is in
// the room. The session notes it.

extension ZIM {
    /// Makes a room and enters it.
    public func createRoom(with roomInfo: ZIMRoomInfo, callback: @escaping ZIMRoomCreatedCallback) {
        enter(roomInfo.roomID, named: roomInfo.roomName, "createRoom", .activeCreate, .createFailed, callback)
    }

    /// Like `createRoom(with:callback:)`, with settings, which have no effect.
    public func createRoom(
        with roomInfo: ZIMRoomInfo, config: ZIMRoomAdvancedConfig, callback: @escaping ZIMRoomCreatedCallback
    ) {
        createRoom(with: roomInfo, callback: callback)
    }

    /// `createRoom(with:config:callback:)` in the form of versions before 2.5.
    public func createRoom(_ roomInfo: ZIMRoomInfo, callback: @escaping ZIMRoomCreatedCallback) {
        createRoom(with: roomInfo, callback: callback)
    }

    /// Enters a room.
    public func joinRoom(by roomID: String, callback: @escaping ZIMRoomJoinedCallback) {
        enter(roomID, named: "", "joinRoom", .activeEnter, .enterFailed, callback)
    }

    /// `joinRoom(by:callback:)` in the form of versions before 2.5.
    public func joinRoom(_ roomID: String, callback: @escaping ZIMRoomJoinedCallback) {
        joinRoom(by: roomID, callback: callback)
    }

    /// Enters a room. The room is made if it does not exist.
    public func enterRoom(
        with roomInfo: ZIMRoomInfo, config: ZIMRoomAdvancedConfig?, callback: @escaping ZIMRoomEnteredCallback
    ) {
        enter(roomInfo.roomID, named: roomInfo.roomName, "enterRoom", .activeEnter, .enterFailed, callback)
    }

    /// Leaves a room.
    public func leaveRoom(by roomID: String, callback: @escaping ZIMRoomLeftCallback) {
        withRoom("leaveRoom", of: .leave) { [weak self] error in
            if error.code == .success { self?.notifyRoom(roomID, .disconnected, .success) }
            callback(roomID, error)
        }
    }

    /// `leaveRoom(by:callback:)` in the form of versions before 2.5.
    public func leaveRoom(_ roomID: String, callback: @escaping ZIMRoomLeftCallback) {
        leaveRoom(by: roomID, callback: callback)
    }

    private func enter(
        _ room: String, named name: String, _ what: String, _ event: ZIMRoomEvent, _ failure: ZIMRoomEvent,
        _ callback: @escaping ZIMRoomEnteredCallback
    ) {
        notifyRoom(room, .connecting, event)
        withRoom(what, of: .join) { [weak self] error in
            let info = ZIMRoomFullInfo()
            info.baseInfo.roomID = room
            info.baseInfo.roomName = name
            let isIn = error.code == .success
            self?.notifyRoom(room, isIn ? .connected : .disconnected, isIn ? .success : failure)
            callback(info, error)
        }
    }

    /// Completes a call about a room after the duration of a request.
    func withRoom(_ what: String, of call: CallKind, _ callback: @escaping (ZIMError) -> Void) {
        withCore(what, refused: callback) { core in
            core.checkLoggedIn(what)
            core.answer(what, of: call, callback)
        }
    }

    private func notifyRoom(_ room: String, _ state: ZIMRoomState, _ event: ZIMRoomEvent) {
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

    /// `setRoomAttributes(_:roomID:config:callback:)` in the form of versions before 2.1.
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

    /// Succeeds after 100 ms, if the SDK is online then.
    func answer(_ what: String, of call: CallKind, _ callback: @escaping (ZIMError) -> Void) {
        guard let client else { return }
        client.note("\(what) is not simulated: it succeeds while the SDK is online, and nobody else is in the room")
        client.simulation.time.enqueue(
            in: client.process, after: 100_000_000, label: EntryLabel("a completion of the SDK")
        ) { [weak self] in
            guard let self else { return }
            let status: Status
            switch state {
            case .online, .syncing: status = .ok
            case .connecting, .reconnecting, .offline: status = .connectionFailed
            case .loggedOut, .kicked, .tokenExpired: status = .notLoggedIn
            }
            callback(error(status, of: call))
        }
    }
}
