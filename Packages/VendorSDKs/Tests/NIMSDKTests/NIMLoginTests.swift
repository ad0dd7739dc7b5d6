import Foundation
import LibraryScripts
import NIMSDK
import SimulatedApp
import Testing

/// A login manager as apps write it, with the events that it got.
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

/// The results of completions. Used only on the job thread.
private final class Codes: @unchecked Sendable {
    private(set) var values: [Int] = []
    var times: [TimeInterval] = []

    func note(_ error: (any Error)?) { values.append(error.map { ($0 as NSError).code } ?? 0) }
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

    @Test func aLoginAsAnotherUserNeedsALogout() async throws {
        var found: [AppViolation] = []
        var session: [UInt8] = []
        try await withSimulation(
            "nim",
            report: {
                found = $0.violations
                session = $0.session
            }
        ) { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { Account() }
            let tokens = ["alice", "bob"].map { simulation.token(for: $0) }
            try await phone.run { try await app.login("alice", token: tokens[0]) }
            let error = await #expect(throws: NSError.self) {
                try await phone.run { try await app.login("bob", token: tokens[1]) }
            }
            #expect(error?.code == NIMLocalErrorCode.sameOperationInProgress.rawValue)
            try await phone.run { try await NIMSDK.shared().loginManager.logout() }
            #expect(app.steps.last == .logout)
            try await phone.run { try await app.login("bob", token: tokens[1]) }
        }
        #expect(found.map(\.rule) == ["C-2"])
        #expect(found.first?.text == "a login as bob while alice is logged in: a logout comes first")
        #expect(try ShellSession.marks(of: session).contains("[phone] onLogin step=NIMLoginStepLogout(11)"))
    }

    @Test func aThirdPartyTokenNeedsAnExtension() async throws {
        try await withSimulation("nim") { simulation in
            let phone = simulation.device("phone")
            _ = try phone.launch { Account() }
            let token = simulation.token(for: "alice")
            let codes = Codes()
            for (type, ext) in [(NIMSDKAuthType.thirdParty, nil), (.thirdParty, "ext"), (.dynamicToken, nil)] {
                try phone.perform {
                    NIMSDK.shared().loginManager.login(
                        "alice", token: token, authType: Int32(type.rawValue), loginExt: ext
                    ) { error in codes.note(error) }
                }
                await simulation.run(for: .seconds(2))
                try phone.perform { NIMSDK.shared().loginManager.logout(nil) }
                await simulation.run(for: .seconds(2))
            }
            #expect(codes.values == [NIMLocalErrorCode.invalidParam.rawValue, 0, 0])
        }
    }

    @Test func theServersTimeIsRequestedOverTheConnection() async throws {
        try await withSimulation("nim") { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { Account() }
            let token = simulation.token(for: "alice")
            let codes = Codes()
            @MainActor func ask() async throws {
                try phone.perform {
                    NIMSDK.shared().loginManager.queryServerTimeCompletion { error, time in
                        codes.note(error)
                        codes.times.append(time.timestamp)
                    }
                }
                await simulation.runDueEntries()
            }
            let start = TimeInterval(simulation.time.wallStart) / 1e9
            try await ask()
            try await phone.run { try await app.login("alice", token: token) }
            // The device's own clock does not matter.
            try simulation.script("@phone clock skew -1h")
            await simulation.run(for: .seconds(10))
            try await ask()
            try phone.networkDown()
            await simulation.run(for: .seconds(10))
            try await ask()
            #expect(
                codes.values == [
                    NIMLocalErrorCode.userInfoNeeded.rawValue, 0, NIMRemoteErrorCode.connectionError.rawValue,
                ])
            #expect(codes.times.first == 0)
            #expect((9...12).contains((codes.times.last ?? 0) - start))
            #expect(codes.times[1] == codes.times[2])
        }
    }

    @Test func anAutomaticLoginIsSentFromANewDevice() async throws {
        try await withSimulation("nim") { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { Account() }
            let token = simulation.token(for: "alice")
            // The retries are automatic logins.
            try phone.networkDown()
            try phone.perform { NIMSDK.shared().loginManager.autoLogin("alice", token: token) }
            await simulation.run(for: .seconds(30))
            #expect(app.steps.last == .linkFailed)
            try phone.networkUp()
            await simulation.run(for: .seconds(70))
            #expect(app.steps.last == .syncOK)
        }
    }

    @Test func aKilledAppLogsInAutomatically() async throws {
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
