import Foundation
import LibraryScripts
import NIMSDK
import SimulatedApp
import Testing

/// A login manager over the V2 interface as apps write it, with the events that it got.
@MainActor
private final class V2Account: V2NIMLoginListener, V2NIMLoginDetailListener {
    var told: [String] = []
    private(set) var reloads = 0
    private var wasWaiting = false
    private var service: any V2NIMLoginService { NIMSDK.shared().v2LoginService }

    init() {
        NIMSDK.shared().register(with: NIMSDKOption(appKey: "key"))
        service.add(self as any V2NIMLoginListener)
        service.add(self as any V2NIMLoginDetailListener)
    }

    func login(_ user: String, token: String, option: V2NIMLoginOption? = nil) {
        service.login(
            user, token: token, option: option, success: { [self] in note("success") },
            failure: { [self] error in note("failure \(error.nserror.code)") })
    }

    func logout() {
        service.logout({ [self] in note("logged out") }, failure: { [self] error in note("failure \(error.code)") })
    }

    private nonisolated func note(_ text: String) { MainActor.assumeIsolated { told.append(text) } }

    nonisolated func onLoginStatus(_ status: V2NIMLoginStatus) { note("\(status)") }
    nonisolated func onLoginFailed(_ error: V2NIMError) { note("failed \(error.code)") }
    nonisolated func onKickedOffline(_ detail: V2NIMKickedOfflineDetail) {
        note("\(detail.reason) \(detail.clientType)")
    }
    nonisolated func onLoginClientChanged(_ change: V2NIMLoginClientChange, clients: [V2NIMLoginClient]?) {
        note("\(change) \(clients?.map(\.type) ?? [])")
    }
    nonisolated func onDisconnected(_ error: V2NIMError?) { note("disconnected \(error?.code ?? 0)") }
    nonisolated func onConnectFailed(_ error: V2NIMError?) { note("connect failed \(error?.code ?? 0)") }
    nonisolated func onDataSync(_ type: V2NIMDataSyncType, state: V2NIMDataSyncState, error: V2NIMError?) {
        note("\(state)")
    }
    nonisolated func onConnectStatus(_ status: V2NIMConnectStatus) {
        note("\(status)")
        MainActor.assumeIsolated {
            if status == .CONNECT_STATUS_WAITING { wasWaiting = true }
            guard status == .CONNECT_STATUS_CONNECTED, wasWaiting else { return }
            wasWaiting = false
            // As in the vendor's own UI kit.
            Task {
                try? await Task.sleep(for: .seconds(1))
                reloads += 1
            }
        }
    }
}

private final class Provider: V2NIMTokenProvider {
    let token: String
    init(_ token: String) { self.token = token }
    func getToken(_ accountId: String) -> String? { token }
}

@Suite struct V2LoginTests {
    private static let loggedIn = [
        "LOGIN_STATUS_LOGINING", "CONNECT_STATUS_CONNECTING", "CONNECT_STATUS_CONNECTED", "LOGIN_STATUS_LOGINED",
        "success", "DATA_SYNC_STATE_SYNCING", "DATA_SYNC_STATE_COMPLETED",
    ]

    /// An app that is logged in as alice.
    @MainActor private func loggedIn(
        _ body: @escaping @MainActor (Simulation, SimulatedDevice, V2Account) async throws -> Void
    ) async throws {
        try await withSimulation("nim") { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { V2Account() }
            let token = simulation.token(for: "alice")
            try phone.perform { app.login("alice", token: token) }
            await simulation.run(for: .seconds(2))
            #expect(app.told == Self.loggedIn)
            app.told = []
            try await body(simulation, phone, app)
        }
    }

    @MainActor @Test func logsInAndOut() async throws {
        try await loggedIn { simulation, phone, app in
            let service = try phone.perform { NIMSDK.shared().v2LoginService }
            #expect(service.getLoginUser() == "alice" && service.getLoginStatus() == .LOGIN_STATUS_LOGINED)
            #expect(service.getConnectStatus() == .CONNECT_STATUS_CONNECTED)
            #expect(service.getDataSync()?.map(\.state) == [.DATA_SYNC_STATE_COMPLETED])
            try phone.perform { app.logout() }
            await simulation.run(for: .seconds(60))
            #expect(app.told == ["LOGIN_STATUS_LOGOUT", "CONNECT_STATUS_DISCONNECTED", "logged out"])
            #expect(service.getLoginUser() == nil && service.getKickedOfflineDetail() == nil)
        }
    }

    @MainActor @Test func aWrongTokenIsReportedOnce() async throws {
        try await withSimulation("nim") { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { V2Account() }
            try phone.perform { app.login("alice", token: "none") }
            await simulation.run(for: .seconds(60))
            #expect(app.told.filter { $0.contains("fail") } == ["failed 102302", "failure 102302"])
            #expect(app.told.suffix(4).contains("LOGIN_STATUS_LOGOUT"))
        }
    }

    @MainActor @Test func aProviderIsAskedForADynamicToken() async throws {
        try await withSimulation("nim") { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { V2Account() }
            let provider = Provider(simulation.token(for: "alice"))
            let option = V2NIMLoginOption()
            option.authType = .LOGIN_AUTH_TYPE_DYNAMIC_TOKEN
            option.tokenProvider = provider
            try phone.perform { app.login("alice", token: "", option: option) }
            await simulation.run(for: .seconds(2))
            #expect(app.told == Self.loggedIn)
        }
    }

    @MainActor @Test func anotherPhoneKicks() async throws {
        try await loggedIn { simulation, phone, app in
            try simulation.script("client new pad --platform ios\n@pad login alice\n@pad expect state online within 2s")
            await simulation.run(for: .seconds(1))
            #expect(
                app.told == [
                    "LOGIN_STATUS_LOGOUT", "CONNECT_STATUS_DISCONNECTED",
                    "KICKED_OFFLINE_REASON_CLIENT_EXCLUSIVE LOGIN_CLIENT_TYPE_IOS",
                ])
            let detail = try phone.perform { NIMSDK.shared().v2LoginService.getKickedOfflineDetail() }
            #expect(detail?.reason == .KICKED_OFFLINE_REASON_CLIENT_EXCLUSIVE)
        }
    }

    @MainActor @Test func reconnectsWhenTheNetworkReturns() async throws {
        try await loggedIn { simulation, phone, app in
            try phone.networkDown()
            await simulation.run(for: .seconds(3))
            #expect(
                app.told == [
                    "disconnected 192003", "CONNECT_STATUS_WAITING", "CONNECT_STATUS_CONNECTING",
                    "connect failed 192001", "CONNECT_STATUS_WAITING",
                ])
            app.told = []
            try phone.networkUp()
            await simulation.run(for: .seconds(3))
            #expect(
                app.told == [
                    "CONNECT_STATUS_CONNECTING", "CONNECT_STATUS_CONNECTED", "DATA_SYNC_STATE_SYNCING",
                    "DATA_SYNC_STATE_COMPLETED",
                ])
            #expect(app.reloads == 1)
        }
    }

    @MainActor @Test func otherClientsAreReportedAndKicked() async throws {
        try await loggedIn { simulation, phone, app in
            try simulation.script("client new pc --platform windows")
            try simulation.script("@pc login alice\n@pc expect state online within 2s")
            await simulation.run(for: .seconds(1))
            #expect(app.told == ["LOGIN_CLIENT_CHANGE_LOGIN [NIMSDK.V2NIMLoginClientType.LOGIN_CLIENT_TYPE_PC]"])
            try phone.perform {
                let service = NIMSDK.shared().v2LoginService
                guard let pc = service.getLoginClients()?.first else { return }
                let success = { MainActor.assumeIsolated { app.told.append("kicked it") } }
                service.kickOffline(pc, success: success, failure: nil)
            }
            try simulation.script("@pc expect state kicked within 2s")
            await simulation.run(for: .seconds(1))
            #expect(app.told.dropFirst().sorted() == ["LOGIN_CLIENT_CHANGE_LOGOUT []", "kicked it"])
        }
    }

    @MainActor @Test func theInterfacesMustNotBeMixed() async throws {
        var reported: SimulationReport?
        var codes: [Int] = []
        try await withSimulation("nim", report: { reported = $0 }) { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { V2Account() }
            let token = simulation.token(for: "alice")
            try phone.perform { app.login("alice", token: token) }
            await simulation.run(for: .seconds(2))
            try phone.perform {
                NIMSDK.shared().loginManager.login("alice", token: token) { error in
                    MainActor.assumeIsolated { codes.append((error as? NSError)?.code ?? 0) }
                }
            }
            await simulation.run(for: .seconds(1))
        }
        #expect(codes == [191_001])
        #expect(reported?.violations.map(\.rule) == ["NIM-2"])
    }

    @MainActor @Test func v2CallsAfterALoginThroughV1AreViolations() async throws {
        var reported: SimulationReport?
        var told: [String] = []
        try await withSimulation("nim", report: { reported = $0 }) { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { V2Account() }
            let token = simulation.token(for: "alice")
            try phone.perform { NIMSDK.shared().loginManager.login("alice", token: token) { _ in } }
            await simulation.run(for: .seconds(2))
            try simulation.script("client new pc --platform windows")
            try simulation.script("@pc login alice\n@pc expect state online within 2s")
            await simulation.run(for: .seconds(1))
            app.told = []
            try phone.perform {
                app.login("alice", token: token)
                app.logout()
                let service = NIMSDK.shared().v2LoginService
                guard let pc = service.getLoginClients()?.first else { return }
                service.kickOffline(pc, success: nil) { error in
                    let code = error.nserror.code
                    MainActor.assumeIsolated { app.told.append("kick \(code)") }
                }
            }
            await simulation.run(for: .seconds(1))
            told = app.told
            try simulation.script("@phone expect state online\n@pc expect state online")
        }
        #expect(told == ["failed 191001", "failure 191001", "failure 191001", "kick 191001"])
        #expect(reported?.violations.map(\.rule) == ["NIM-2", "NIM-2", "NIM-2"])
    }

    @MainActor @Test func aSecondLoginIsRefused() async throws {
        var reported: SimulationReport?
        var told: [String] = []
        try await withSimulation("nim", report: { reported = $0 }) { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { V2Account() }
            let tokens = ["alice", "bob"].map { simulation.token(for: $0) }
            try phone.perform { app.login("alice", token: tokens[0]) }
            await simulation.run(for: .seconds(2))
            app.told = []
            try phone.perform { app.login("bob", token: tokens[1]) }
            await simulation.run(for: .seconds(2))
            told = app.told
            #expect(try phone.perform { NIMSDK.shared().v2LoginService.getLoginUser() } == "alice")
        }
        #expect(told == ["failed 191001", "failure 191001"])
        #expect(reported?.violations.map(\.rule) == ["C-2"])
    }

    @MainActor @Test func theServerSeesNoDifference() async throws {
        func session(_ login: @escaping @MainActor (V2Account, String) -> Void) async throws -> [String] {
            var session: [UInt8] = []
            try await withSimulation("nim", report: { session = $0.session }) { simulation in
                let phone = simulation.device("phone")
                let app = try phone.launch { V2Account() }
                let token = simulation.token(for: "alice")
                try phone.perform { login(app, token) }
                await simulation.run(for: .seconds(40))
            }
            return try ShellSession.words(of: session)
        }
        let first = try await session { _, token in
            NIMSDK.shared().loginManager.login("alice", token: token) { _ in }
        }
        let second = try await session { app, token in app.login("alice", token: token) }
        // The events of both machines: frames, timers and callbacks.
        #expect(first.count > 20)
        #expect(second == first)
    }
}
