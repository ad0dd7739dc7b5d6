import AgoraChat
import SimulatedApp
import Testing

/// Tests of a login manager as apps write it.
@MainActor
@Suite struct ManagerTests {
    private func launched(
        on name: String, in simulation: Simulation, lifetime: Duration? = nil
    ) throws -> (SimulatedDevice, ChatManager) {
        let device = simulation.device(name)
        let app = try launch(device, in: simulation, lifetime: lifetime)
        return (device, app)
    }

    private func launch(
        _ device: SimulatedDevice, in simulation: Simulation, lifetime: Duration? = nil
    ) throws -> ChatManager {
        try device.launch {
            let app = ChatManager()
            app.fetchToken = { simulation.token(for: $0, lifetime: lifetime) }
            app.start()
            return app
        }
    }

    @Test func aDayOfAPhone() async throws {
        var violations: [AppViolation] = []
        try await withSimulation("agora-chat", report: { violations = $0.violations }) { simulation in
            let (phone, app) = try launched(on: "phone", in: simulation)
            let (pad, other) = try launched(on: "pad", in: simulation)
            phone.shown = { app.state == .connected || app.state == .connecting }
            try await phone.run { try await app.login("alice") }
            try await pad.run {
                try await other.login("bob")
                try await other.send("hello", to: "alice")
            }
            await simulation.run(for: .seconds(1))
            #expect(app.inbox == ["bob: hello"])
            try phone.networkDown()
            await simulation.run(for: .seconds(30))
            #expect(app.state == .connecting)
            try await pad.run { try await other.send("are you there?", to: "alice") }
            try phone.networkUp()
            await simulation.run(for: .seconds(30))
            #expect(app.state == .connected)
            #expect(app.inbox == ["bob: hello", "bob: are you there?"])
            try await phone.run { await app.logout() }
            await simulation.run(for: .seconds(60))
            #expect(app.state == .loggedOut)
        }
        #expect(violations == [])
    }

    @Test func isStartedAgain() async throws {
        var violations: [AppViolation] = []
        try await withSimulation("agora-chat", report: { violations = $0.violations }) { simulation in
            let (phone, app) = try launched(on: "phone", in: simulation)
            try await phone.run { try await app.login("alice") }
            try phone.kill()
            try phone.networkDown()
            let again = try launch(phone, in: simulation)
            phone.shown = { again.state == .connected || again.state == .connecting }
            #expect(again.state == .connecting)
            await simulation.run(for: .seconds(30))
            try phone.networkUp()
            await simulation.run(for: .seconds(60))
            #expect(again.state == .connected)
            #expect(again.log == ["autologin ok"])
            try phone.networkDown()
            await simulation.run(for: .seconds(1))
            try await phone.run { await again.logout() }
            #expect(again.state == .loggedOut)
        }
        #expect(violations == [])
    }

    @Test func isKicked() async throws {
        try await withSimulation("agora-chat") { simulation in
            try simulation.script("server policy device-count-max=1")
            let (phone, app) = try launched(on: "phone", in: simulation)
            try await phone.run { try await app.login("alice") }
            try simulation.script("client new pad --platform ios --device-name 'A pad'\n@pad login alice\nwait 2s")
            #expect(app.state == .kicked("A pad"))
            try await phone.run { try await app.login("alice") }
            await simulation.run(for: .seconds(1))
            #expect(app.state == .connected)
            try simulation.script("server kick alice\nwait 2s")
            #expect(app.state == .kicked("userKickedByOtherDevice"))
        }
    }

    /// Some apps log out after a kick, as other vendors require; here no login is left to end.
    @Test func logsOutAndInWithinTheCallback() async throws {
        var violations: [AppViolation] = []
        try await withSimulation("agora-chat", report: { violations = $0.violations }) { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            let token = simulation.token(for: "alice")
            app.onWord = { word in
                guard word.hasPrefix("forced") else { return }
                app.client.logout(true) { error in
                    app.note("logout \(words(error))")
                    app.client.login(withUsername: "alice", token: token) { app.note("login \(words($1))") }
                }
            }
            try simulation.script("server kick alice\nwait 2s")
            #expect(
                app.heard == [
                    "disconnected", "forced userKickedByOtherDevice", "logout ok", "connected", "login ok",
                ])
            #expect(phone.isRunning)
        }
        // The login succeeds, and kicks the device that kicked this one.
        #expect(violations.map(\.rule) == ["C-4"])
    }

    @Test func renewsItsTokens() async throws {
        try await withSimulation("agora-chat") { simulation in
            let (phone, app) = try launched(on: "phone", in: simulation, lifetime: .seconds(100))
            try await phone.run { try await app.login("alice") }
            await simulation.run(for: .seconds(1000))
            #expect(app.state == .connected)
            #expect(app.log.count == 12)
            #expect(Set(app.log) == ["renewed ok"])
        }
    }

    @Test func blocksAQueueUntilItIsLoggedIn() async throws {
        var violations: [AppViolation] = []
        try await withSimulation("agora-chat", report: { violations = $0.violations }) { simulation in
            try simulation.script("server account add alice s3cret")
            let phone = simulation.device("phone")
            let app = try phone.launch {
                AgoraChatClient.shared().initializeSDK(with: AgoraChatOptions(appkey: "org#app"))
                return BlockingLogin()
            }
            try phone.perform { app.login("alice", password: "wrong") }
            await simulation.run(for: .seconds(1))
            try phone.perform { app.login("alice", password: "s3cret") }
            await simulation.run(for: .seconds(1))
            #expect(app.words == ["userAuthenticationFailed", "told", "in", "told"])
        }
        #expect(violations == [])
    }

    /// The main thread is blocked meanwhile, and the checker reports it.
    @Test func aMainThreadThatWaitsIsFound() async throws {
        var violations: [AppViolation] = []
        try await withSimulation("agora-chat", report: { violations = $0.violations }) { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { Phone() }
            let token = simulation.token(for: "alice")
            try simulation.script("@phone net delay 800ms")
            try phone.perform { #expect(app.client.login(withUsername: "alice", token: token) == nil) }
            #expect(app.heard == [])
            await simulation.runDueEntries()
            #expect(app.heard == ["connected"])
        }
        #expect(violations.map(\.rule) == ["C-1"])
        #expect(violations.first?.text.contains("the main thread stood still") == true)
    }

    /// A process that is killed while its main thread is blocked never resumes.
    @Test func aKilledProcessGetsNoCallbacks() async throws {
        try await withSimulation("agora-chat") { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { Phone() }
            let token = simulation.token(for: "alice")
            try phone.perform {
                app.client.login(withUsername: "alice", token: token) { _, _ in app.note("told") }
            }
            try phone.kill()
            let again = try phone.launch { Phone() }
            await simulation.run(for: .seconds(20))
            #expect(app.heard == [] && again.heard == [])
        }
    }
}
