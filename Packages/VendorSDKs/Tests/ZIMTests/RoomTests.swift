import Foundation
import SimulatedApp
import Testing
import ZIM

/// An app in a room, with the names of versions before 2.5.
private final class RoomApp: NSObject, ZIMEventHandler, @unchecked Sendable {
    private(set) var heard: [String] = []
    let zim: ZIM?

    override init() {
        zim = ZIM.create(withAppID: 1)
        super.init()
        zim?.setEventHandler(self)
    }

    func enter(_ room: String, as user: String, token: String) {
        let info = ZIMUserInfo()
        info.userID = user
        zim?.login(info, token: token) { [self] error in
            guard error.code == .ZIMErrorCodeSuccess else { return heard.append("no login") }
            zim?.joinRoom(room) { [self] info, error in heard.append("in \(info.baseInfo.roomID) \(error.code)") }
        }
    }

    func zim(
        _ zim: ZIM, roomStateChanged state: ZIMRoomState, event: ZIMRoomEvent, extendedData: [AnyHashable: Any],
        roomID: String
    ) { heard.append("\(roomID) \(state)") }
}

@MainActor
@Suite struct RoomTests {
    @Test func aRoomIsEnteredWhileTheSDKIsOnline() async throws {
        try await withSimulation("zim") { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { RoomApp() }
            let token = simulation.token(for: "alice")
            try phone.perform { app.enter("tea", as: "alice", token: token) }
            await simulation.run(for: .seconds(2))
            try phone.perform { app.zim?.leaveRoom("tea") { _, _ in } }
            await simulation.run(for: .seconds(2))
            #expect(app.heard == ["tea connecting", "in tea success", "tea connected", "tea disconnected"])
        }
    }

    @Test func aCallThatIsNotSimulatedEndsWithAnError() async throws {
        var session: [UInt8] = []
        try await withSimulation("zim", report: { session = $0.session }) { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { RoomApp() }
            var code: ZIMErrorCode?
            try phone.perform {
                app.zim?.callInvite(with: ["bob"], config: ZIMCallInviteConfig()) { _, _, error in code = error.code }
            }
            await simulation.runDueEntries()
            #expect(code == .commonModuleUnsupportedRequest)
        }
        #expect(!session.isEmpty)
    }
}
