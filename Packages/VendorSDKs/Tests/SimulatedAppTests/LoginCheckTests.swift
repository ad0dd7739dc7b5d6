import NIMSDK
import SimulatedApp
import Testing

/// An app that can be configured to log in by itself after a kick or a logout.
@MainActor
private final class Returner: NIMLoginManagerDelegate {
    /// When the app logs in by itself: in the callback, or later by its own timer.
    enum Habit { case never, afterAKick, afterALogout, byAnOldTimer }

    let habit: Habit
    let token: String
    private var manager: any NIMLoginManager { NIMSDK.shared().loginManager }

    init(_ habit: Habit, token: String) {
        self.habit = habit
        self.token = token
        NIMSDK.shared().register(with: NIMSDKOption(appKey: "key"))
        manager.add(self)
    }

    func login() { manager.login("alice", token: token) { _ in } }

    func logout() {
        let isLeaving = habit != .afterALogout
        manager.logout { _ in MainActor.assumeIsolated { if !isLeaving { self.loginLater() } } }
    }

    /// Logs out, and logs another user in immediately.
    func switchUser() {
        Task { @MainActor in
            try? await manager.logout()
            try? await manager.login("bob", token: token)
        }
    }

    private func loginLater() {
        Task { @MainActor in
            try await Task.sleep(for: .seconds(5))
            login()
        }
    }

    nonisolated func onLogin(_ step: NIMLoginStep) {
        MainActor.assumeIsolated { if step == .loseConnection, habit == .byAnOldTimer { loginLater() } }
    }

    nonisolated func onKick(_ code: NIMKickReason, clientType: NIMLoginClientType) {
        MainActor.assumeIsolated { if habit == .afterAKick { login() } }
    }
}

/// Logins after a kick or a logout (C-5, C-4).
@MainActor
@Suite struct LoginCheckTests {
    private func violations(
        of habit: Returner.Habit,
        _ body: @escaping @MainActor @Sendable (Simulation, SimulatedDevice, Returner) async throws -> Void
    ) async throws -> [String] {
        var found: [AppViolation] = []
        try await withSimulation("nim", report: { found = $0.violations }) { simulation in
            let phone = simulation.device("phone")
            let token = simulation.token(for: "alice")
            let app = try phone.launch { Returner(habit, token: token) }
            try phone.perform { app.login() }
            await simulation.run(for: .seconds(2))
            try await body(simulation, phone, app)
        }
        return found.map { "\($0.rule) \($0.text)" }
    }

    @Test(arguments: [Returner.Habit.never, .afterAKick]) fileprivate func aKickedAppStaysLoggedOut(
        _ habit: Returner.Habit
    ) async throws {
        let found = try await violations(of: habit) { simulation, phone, app in
            try simulation.script("server kick alice")
            await simulation.run(for: .seconds(5))
            // The user may log in again.
            try phone.perform { app.login() }
            await simulation.run(for: .seconds(5))
        }
        let wrong = habit == .afterAKick
        #expect(found.contains { $0.hasPrefix("C-5 a login by the app itself after a kick") } == wrong)
        // With that habit, the user's login comes in addition to the app's own login.
        #expect(found.isEmpty != wrong)
    }

    @Test func aLoginLoopIsReported() async throws {
        let found = try await violations(of: .afterAKick) { simulation, _, _ in
            for _ in 0..<3 {
                try simulation.script("server kick alice")
                await simulation.run(for: .seconds(5))
            }
        }
        #expect(found.filter { $0.contains("a login by the app itself") }.count == 3)
        #expect(found.filter { $0.contains("a login loop") }.count == 1)
    }

    @Test func threeKicksWithLoginsByTheUserAreNoLoop() async throws {
        let found = try await violations(of: .never) { simulation, phone, app in
            for _ in 0..<4 {
                try simulation.script("server kick alice")
                await simulation.run(for: .seconds(5))
                try phone.perform { app.login() }
                await simulation.run(for: .seconds(5))
            }
        }
        #expect(found == [])
    }

    @Test(arguments: [Returner.Habit.never, .afterALogout, .byAnOldTimer]) fileprivate func aLoggedOutAppStaysLoggedOut(
        _ habit: Returner.Habit
    ) async throws {
        let found = try await violations(of: habit) { simulation, phone, app in
            // The login of an earlier tap has ended; the logout leads to a login; a timer was set before the logout.
            if habit == .byAnOldTimer {
                try simulation.script("@phone net reset")
                await simulation.run(for: .milliseconds(500))
            }
            try phone.perform { app.logout() }
            await simulation.run(for: .seconds(20))
        }
        // A login that a logout leads to counts as caused by the user's tap.
        let wrong = habit == .byAnOldTimer
        #expect(found.contains { $0.hasPrefix("C-4 a login by the app itself after a logout") } == wrong, "\(found)")
        #expect(found.isEmpty != wrong, "\(found)")
    }

    @Test func aUserMaySwitchAccounts() async throws {
        let found = try await violations(of: .never) { simulation, phone, app in
            try phone.perform { app.switchUser() }
            await simulation.run(for: .seconds(20))
        }
        #expect(found == [])
    }
}
