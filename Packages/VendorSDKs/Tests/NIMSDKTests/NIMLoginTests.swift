import Foundation
import NIMSDK
import SimulatedApp
import Testing

/// A login manager as apps have them, with what it was told.
@MainActor
final class Account: NIMLoginManagerDelegate {
    var steps: [NIMLoginStep] = []
    var kicks: [NIMKickReason] = []
    var failures: [Int] = []
    private var manager: any NIMLoginManager { NIMSDK.shared().loginManager }

    init() {
        NIMSDK.shared().register(with: NIMSDKOption(appKey: "key"))
        manager.add(self)
    }

    func login(_ user: String, token: String) async throws { try await manager.login(user, token: token) }

    var isLogined: Bool { manager.isLogined() }

    nonisolated func onLogin(_ step: NIMLoginStep) { MainActor.assumeIsolated { steps.append(step) } }
    nonisolated func onKick(_ code: NIMKickReason, clientType: NIMLoginClientType) {
        MainActor.assumeIsolated { kicks.append(code) }
    }
    nonisolated func onAutoLoginFailed(_ error: any Error) {
        let code = (error as NSError).code
        MainActor.assumeIsolated { failures.append(code) }
    }
}

@Suite struct NIMLoginTests {
    @Test func logsIn() async throws {
        try await withSimulation("nim") { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { Account() }
            let token = simulation.token(for: "alice")
            try await phone.run { try await app.login("alice", token: token) }
            await simulation.run(for: .seconds(1))
            #expect(app.steps == [.linking, .linkOK, .logining, .loginOK, .syncing, .syncOK])
            try simulation.script("@phone expect state online")
        }
    }

    @Test func anotherPhoneKicks() async throws {
        try await withSimulation("nim") { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { Account() }
            let token = simulation.token(for: "alice")
            try await phone.run { try await app.login("alice", token: token) }
            try simulation.script(
                """
                client new pad --platform ios
                @pad login alice
                @pad expect state online within 2s
                """)
            #expect(app.kicks == [.byClient])
            #expect(try phone.perform { !app.isLogined })
        }
    }

    @Test func aWrongTokenIsRefused() async throws {
        try await withSimulation("nim") { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { Account() }
            let error = await #expect(throws: NSError.self) {
                try await phone.run { try await app.login("alice", token: "no token") }
            }
            #expect(error?.domain == NIMRemoteErrorDomain)
            #expect(error?.code == NIMRemoteErrorCode.invalidPass.rawValue)
        }
    }

    @Test func aKilledAppLogsInByItself() async throws {
        try await withSimulation("nim") { simulation in
            let phone = simulation.device("phone")
            let first = try phone.launch { Account() }
            let token = simulation.token(for: "alice")
            try await phone.run { try await first.login("alice", token: token) }
            await simulation.run(for: .seconds(5))
            try phone.kill()
            await simulation.run(for: .seconds(5))
            let second = try phone.launch { Account() }
            try phone.perform {
                let data = NIMAutoLoginData()
                data.account = "alice"
                data.token = token
                NIMSDK.shared().loginManager.autoLogin(data)
            }
            await simulation.run(for: .seconds(5))
            #expect(second.steps.last == .syncOK)
            #expect(first.steps.count == 6)
        }
    }
}
