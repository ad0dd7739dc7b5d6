import SimulatedApp
import Testing
import ZIM

/// A login with the data on the device, without a network (ZIM-1, ZIM-2, ZIM-3).
@MainActor
@Suite struct OfflineTests {
    /// An app that was logged in and was killed is launched again without a network.
    private func relaunched(
        _ simulation: Simulation, lifetime: Duration? = nil
    ) async throws -> (device: SimulatedDevice, app: Phone, token: String) {
        let device = simulation.device("phone")
        let first = try device.launch { Phone() }
        let token = simulation.token(for: "alice", lifetime: lifetime)
        try simulation.script(
            """
            server account add alice
            server change alice message messageID=m1 conversationID=bob senderUserID=bob message='see you'
            """)
        #expect(try await device.run { await first.login("alice", token: token) } == .success)
        await simulation.run(for: .seconds(2))
        try device.kill()
        try device.networkDown()
        let app = try device.launch { Phone() }
        return (device, app, token)
    }

    @Test func opensLocalDataAndConnectsByItself() async throws {
        var violations: [AppViolation] = []
        try await withSimulation("zim", report: { violations = $0.violations }) { simulation in
            let (device, app, token) = try await relaunched(simulation)
            #expect(
                try await device.run { await app.login("bob", token: simulation.token(for: "bob"), isOffline: true) }
                    == .networkModuleUserIDError)
            #expect(app.heard.isEmpty)
            try device.perform {
                let config = ZIMLoginConfig()
                config.token = token
                config.isOfflineLogin = true
                app.zim.login(withUserID: "alice", config: config) { app.note("login \($0.code)") }
            }
            await simulation.run(for: .seconds(5))
            // The callback first (ZIM-2).
            #expect(app.heard == ["login success", "state connecting activeLogin", "unread 1"])
            let (messages, code) = try await device.run { await app.history("bob") }
            #expect(code == .success)
            #expect(messages.map(\.words) == ["see you"])
            // A call that needs the network fails (ZIM-3).
            #expect(try await device.run { await app.send("hi", to: "bob").1 } == .networkModuleNetworkError)
            app.forget()
            try device.networkUp()
            await simulation.run(for: .seconds(20))
            #expect(app.heard == ["state connected success", "sync started", "sync finished"])
            #expect(try await device.run { await app.send("hi", to: "bob").1 } == .commonModuleUserIsNotExist)
        }
        #expect(violations == [])
    }

    @Test func needsNoNewToken() async throws {
        try await withSimulation("zim") { simulation in
            let (device, app, _) = try await relaunched(simulation)
            #expect(try await device.run { await app.login("alice", token: "", isOffline: true) } == .success)
            try device.networkUp()
            await simulation.run(for: .seconds(20))
            #expect(app.states.last == "state connected success")
        }
    }

    @Test func aTokenIsCheckedOnTheDevice() async throws {
        try await withSimulation("zim") { simulation in
            let (device, app, token) = try await relaunched(simulation, lifetime: .seconds(60))
            await simulation.run(for: .seconds(40))
            #expect(
                try await device.run { await app.login("alice", token: token, isOffline: true) }
                    == .networkModuleTokenTimeIsTooShort)
            await simulation.run(for: .seconds(30))
            #expect(
                try await device.run { await app.login("alice", token: token, isOffline: true) }
                    == .networkModuleTokenExpired)
        }
    }

    @Test func aLoginElsewhereIsReportedAtTheReconnect() async throws {
        var rules: [String] = []
        try await withSimulation("zim", report: { rules = $0.violations.map(\.rule) }) { simulation in
            let (device, app, token) = try await relaunched(simulation)
            #expect(try await device.run { await app.login("alice", token: token, isOffline: true) } == .success)
            try simulation.script(
                """
                client new pad --platform android
                @pad login alice
                @pad expect state online within 5s
                """)
            app.forget()
            try device.networkUp()
            await simulation.run(for: .seconds(30))
            #expect(app.heard == ["state disconnected kickedOut"])
            #expect(try await device.run { await app.history("bob").code } == .networkModuleUserIsNotLogged)
            try simulation.script("@pad expect state online")
        }
        #expect(rules == ["ZIM-8"])
    }

    @Test func aSecondLoginIsAViolation() async throws {
        var rules: [String] = []
        try await withSimulation("zim", report: { rules = $0.violations.map(\.rule) }) { simulation in
            let (device, app, token) = try await relaunched(simulation)
            #expect(try await device.run { await app.login("alice", token: token, isOffline: true) } == .success)
            #expect(
                try await device.run { await app.login("alice", token: token) }
                    == .networkModuleUserHasAlreadyLogged)
        }
        #expect(rules == ["ZIM-4"])
    }
}
