import AppStandIns
import Foundation
import SimulatedApp
import Testing
import ZIM

@MainActor
@Suite struct LoginTests {
    @Test func logsInAndOut() async throws {
        try await withSimulation("zim") { simulation in
            let device = simulation.device("phone")
            let app = try device.launch { Phone() }
            let token = simulation.token(for: "alice")
            try device.perform {
                let config = ZIMLoginConfig()
                config.token = token
                app.zim.login(withUserID: "alice", config: config) { error in
                    app.note("login \(error.code) '\(error.message)'")
                }
            }
            #expect(app.heard.isEmpty)
            await simulation.run(for: .seconds(1))
            #expect(
                app.heard == [
                    "state connecting activeLogin", "state connected success", "unread 0", "login success ''",
                    "sync started", "sync finished",
                ])
            app.forget()
            try device.perform { app.zim.logout() }
            await simulation.run(for: .seconds(1))
            #expect(app.heard == ["state disconnected success"])
            try device.perform { app.zim.logout() }
            await simulation.run(for: .seconds(1))
            #expect(app.heard == ["state disconnected success"])
        }
    }

    @Test func hasOlderForms() async throws {
        try await withSimulation("zim") { simulation in
            let device = simulation.device("phone")
            let app = try device.launch { Phone(appSign: "sign") }
            let token = simulation.token(for: "alice")
            let user = ZIMUserInfo()
            user.userID = "alice"
            try device.perform { app.zim.login(with: user, token: token) { app.note("token \($0.code)") } }
            await simulation.run(for: .seconds(1))
            try device.perform { app.zim.logout() }
            await simulation.run(for: .seconds(1))
            // An app with an AppSign needs no token.
            try device.perform { app.zim.login(with: user) { app.note("sign \($0.code)") } }
            await simulation.run(for: .seconds(1))
            #expect(app.heard.contains("token success"))
            #expect(app.heard.contains("sign success"))
            // The login does not end.
            await simulation.run(for: .seconds(26 * 60 * 60))
            #expect(app.states.last == "state connected success")
        }
    }

    @Test func anotherUserMayFollowALogoutAtOnce() async throws {
        var violations: [AppViolation] = []
        try await withSimulation("zim", report: { violations = $0.violations }) { simulation in
            let (device, app) = try await loggedIn("alice", on: "phone", in: simulation)
            let token = simulation.token(for: "bob")
            let code = try await device.run {
                app.zim.logout()
                return await app.login("bob", token: token)
            }
            #expect(code == .success)
            #expect(
                app.states == [
                    "state disconnected success", "state connecting activeLogin", "state connected success",
                ])
            // The same through another instance, and the server's notice about the logout is lost.
            try simulation.script("@phone net drop logout-ack --dir in --count 1")
            try device.perform {
                app.zim.destroy()
                let config = ZIMLoginConfig()
                config.token = simulation.token(for: "carol")
                let another = ZIM.create(with: ZIMAppConfig())
                another?.setEventHandler(app)
                app.forget()
                another?.login(withUserID: "carol", config: config) { app.note("login \($0.code)") }
            }
            await simulation.run(for: .seconds(2))
            #expect(app.heard == [])
            await simulation.run(for: .seconds(2))
            #expect(app.states == ["state connecting activeLogin", "state connected success"])
            #expect(app.heard.contains("login success"))
        }
        #expect(violations == [])
    }

    @Test func thereIsOneInstance() async throws {
        try await withSimulation("zim") { simulation in
            let device = simulation.device("phone")
            try device.launch {
                #expect(ZIM.shared() == nil)
                ZIM.setLogConfig(ZIMLogConfig())
                ZIM.setCacheConfig(ZIMCacheConfig())
                let zim = ZIM.create(with: ZIMAppConfig())
                #expect(zim != nil)
                #expect(ZIM.create(with: ZIMAppConfig()) == nil)
                #expect(ZIM.shared() === zim)
                zim?.destroy()
                #expect(ZIM.shared() == nil)
                let another = ZIM.create(with: ZIMAppConfig())
                #expect(another != nil && another !== zim)
                #expect(ZIM.getVersion() == "2.21.0")
            }
            // Another process has its own instance.
            try device.kill()
            try device.launch { #expect(ZIM.create(with: ZIMAppConfig()) != nil) }
        }
    }

    @Test func aDestroyedInstanceIsSilent() async throws {
        var rules: [String] = []
        try await withSimulation("zim", report: { rules = $0.violations.map(\.rule) }) { simulation in
            let (device, app) = try await loggedIn("alice", on: "phone", in: simulation)
            let code = try await device.run {
                app.zim.destroy()
                return await app.login("alice", token: simulation.token(for: "alice"))
            }
            #expect(code == .commonModuleEngineNotInit)
            await simulation.run(for: .seconds(2))
            #expect(app.heard.isEmpty)
            try simulation.script("@phone expect state logged-out")
        }
        #expect(rules == ["C-4"])
    }

    @Test func thereIsOneHandlerAndItIsNotRetained() async throws {
        try await withSimulation("zim") { simulation in
            let device = simulation.device("phone")
            let app = try device.launch { Phone() }
            let token = simulation.token(for: "alice")
            final class Other: ZIMEventHandler {
                var count = 0
                func zim(
                    _ zim: ZIM, connectionStateChanged state: ZIMConnectionState, event: ZIMConnectionEvent,
                    extendedData: [AnyHashable: Any]
                ) { count += 1 }
            }
            var other: Other? = Other()
            weak let kept = other
            try device.perform { app.zim.setEventHandler(other) }
            _ = try await device.run { await app.login("alice", token: token) }
            #expect(app.heard.isEmpty)
            #expect(other?.count == 2)
            other = nil
            #expect(kept == nil)
            try device.perform { app.zim.logout() }
            await simulation.run(for: .seconds(1))
            #expect(app.heard.isEmpty)
            try device.perform { app.zim.setEventHandler(app) }
            _ = try await device.run { await app.login("alice", token: token) }
            #expect(app.states == ["state connecting activeLogin", "state connected success"])
            try device.perform {
                app.zim.setEventHandler(nil)
                app.forget()
                app.zim.logout()
            }
            await simulation.run(for: .seconds(1))
            #expect(app.heard.isEmpty)
        }
    }

    @Test func callsBackOnTheAppsQueue() async throws {
        try await withSimulation("zim") { simulation in
            let device = simulation.device("phone")
            let token = simulation.token(for: "alice")
            let words = Words()
            try device.launch {
                let queue = SimulatedDispatchQueue(label: "im")
                queue.setSpecific(key: Words.key, value: "im")
                ZIM.setCustomDispatchQueue(queue)
                let zim = ZIM.create(with: ZIMAppConfig())
                zim?.setEventHandler(words)
                let config = ZIMLoginConfig()
                config.token = token
                // The main thread waits for it, so a callback on the main thread would never run.
                let done = SimulatedDispatchSemaphore(value: 0)
                zim?.login(withUserID: "alice", config: config) { error in
                    words.add("login \(error.code)")
                    done.signal()
                }
                done.wait()
                #expect(words.list == ["im: connecting", "im: connected", "im: login success"])
            }
        }
    }

    /// The callbacks and their queues. Used only on the job thread.
    private final class Words: ZIMEventHandler, @unchecked Sendable {
        static let key = DispatchSpecificKey<String>()
        var list: [String] = []

        func add(_ word: String) {
            list.append("\(SimulatedDispatchQueue.getSpecific(key: Self.key) ?? "main"): \(word)")
        }

        func zim(
            _ zim: ZIM, connectionStateChanged state: ZIMConnectionState, event: ZIMConnectionEvent,
            extendedData: [AnyHashable: Any]
        ) { add("\(state)") }
    }

    @Test func refusalsHaveTheVendorsCodes() async throws {
        var rules: [String] = []
        try await withSimulation("zim", report: { rules = $0.violations.map(\.rule) }) { simulation in
            let device = simulation.device("phone")
            let app = try device.launch { Phone() }
            let login = { (user: String, token: String) in
                try await device.run { await app.login(user, token: token) }
            }
            #expect(try await login("alice", "no token") == .networkModuleTokenInvalid)
            #expect(app.states == ["state connecting activeLogin", "state disconnected tokenExpired"])
            #expect(try await login("alice", "") == .networkModuleTokenInvalid)
            #expect(try await login("", "t") == .commonModuleParamsInvalid)
            let old = simulation.token(for: "alice", lifetime: .zero)
            #expect(try await login("alice", old) == .networkModuleTokenExpired)
            #expect(rules == [])
            #expect(try await login("alice", simulation.token(for: "alice")) == .success)
            #expect(
                try await login("alice", simulation.token(for: "alice")) == .networkModuleUserHasAlreadyLogged)
            #expect(try await login("bob", simulation.token(for: "bob")) == .networkModuleUserHasAlreadyLogged)
            #expect(app.states.last == "state connected success")
        }
        #expect(rules == ["ZIM-8"])
    }

    @Test func aLoginThatIsNotAnsweredTimesOut() async throws {
        try await withSimulation("zim") { simulation in
            let device = simulation.device("phone")
            let app = try device.launch { Phone() }
            let token = simulation.token(for: "alice")
            try simulation.script("@phone net delay 20s")
            try device.perform {
                let config = ZIMLoginConfig()
                config.token = token
                app.zim.login(with: "alice", config: config) { app.note("login \($0.code)") }
            }
            await simulation.run(for: .milliseconds(9_900))
            #expect(app.heard == ["state connecting activeLogin"])
            await simulation.run(for: .milliseconds(200))
            #expect(
                app.heard == [
                    "state connecting activeLogin", "state disconnected loginTimeout",
                    "login networkModuleNetworkError",
                ])
        }
    }

    @Test func uploadsNoLog() async throws {
        try await withSimulation("zim") { simulation in
            let device = simulation.device("phone")
            let app = try device.launch { Phone() }
            try device.perform { app.zim.uploadLog { app.note("uploaded \($0.code)") } }
            #expect(app.heard.isEmpty)
            await simulation.runDueEntries()
            #expect(app.heard == ["uploaded success"])
        }
    }
}
