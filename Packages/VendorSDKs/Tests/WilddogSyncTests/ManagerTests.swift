import SimulatedApp
import Testing

/// Tests of a session manager as apps write it.
@MainActor
@Suite struct ManagerTests {
    private static let watch = """
        client new web --platform web
        @web sync on presence/alice/online
        @web sync on sessions/alice
        wait 2s
        """

    @Test func anotherDeviceTakesOverTheSession() async throws {
        var violations: [AppViolation] = []
        try await withSimulation("wilddog", report: { violations = $0.violations }) { simulation in
            let phone = simulation.device("phone")
            let pad = simulation.device("pad")
            let first = try phone.launch { SessionManager() }
            try await phone.run { try await first.login("alice") }
            await simulation.run(for: .seconds(1))
            #expect(first.isOnline)
            #expect(first.log == ["disconnected", "connected", "login alice"])
            let second = try pad.launch { SessionManager() }
            await #expect(throws: SessionManager.LoginError.taken) {
                try await pad.run { try await second.login("alice") }
            }
            #expect(first.isOnline)
            try await pad.run { try await second.login("alice", forced: true) }
            await simulation.run(for: .seconds(5))
            #expect(first.state == .kicked)
            #expect(second.isOnline)
            #expect(first.log.last == "kicked")
            // Its connection may end now: its operations do not change the other session.
            try phone.kill()
            await simulation.run(for: .seconds(100))
            #expect(second.isOnline)
            try pad.perform { second.logout() }
            await simulation.run(for: .seconds(2))
            #expect(second.log.last == "logout true")
        }
        #expect(violations == [])
    }

    @Test func aKilledAppIsOfflineAfterTheSilence() async throws {
        try await withSimulation("wilddog") { simulation in
            try simulation.script(Self.watch)
            let phone = simulation.device("phone")
            let app = try phone.launch { SessionManager() }
            try await phone.run { try await app.login("alice") }
            try simulation.script("@web expect callback valueChanged path=presence/alice/online value=true within 1s")
            try phone.networkDown()
            try phone.kill()
            try simulation.script(
                """
                @web expect-none callback valueChanged path=presence/alice/online value=false for 35s
                @web expect callback valueChanged path=presence/alice/online value=false within 30s
                """)
            // There is no session any more.
            try phone.networkUp()
            let again = try phone.launch { SessionManager() }
            try await phone.run { try await again.login("alice") }
            await simulation.run(for: .seconds(2))
            #expect(again.isOnline)
            try simulation.script("@web expect callback valueChanged path=presence/alice/online value=true")
        }
    }

    @Test func itReconnectsAfterABreakAndKeepsItsSession() async throws {
        try await withSimulation("wilddog") { simulation in
            try simulation.script(Self.watch)
            let phone = simulation.device("phone")
            let app = try phone.launch { SessionManager() }
            try await phone.run { try await app.login("alice") }
            try phone.perform { app.listen(to: "lobby") }
            await simulation.run(for: .seconds(2))
            try phone.networkDown()
            await simulation.run(for: .seconds(2))
            #expect(!app.isOnline)
            try phone.perform { app.send("written offline", to: "lobby") }
            try simulation.script("@web sync push rooms/lobby '{\"text\": \"missed\", \"at\": 1}'\nwait 90s")
            try phone.networkUp()
            await simulation.run(for: .seconds(40))
            #expect(app.isOnline)
            #expect(
                app.log == [
                    "disconnected", "connected", "login alice", "disconnected", "heard written offline", "connected",
                    "heard missed",
                ])
            // It set its operation again on the new connection, so the end of this connection is visible too.
            try phone.kill()
            try simulation.script("@web expect callback valueChanged path=presence/alice/online value=false within 70s")
        }
    }

    @Test func itShowsTheSDKsState() async throws {
        var violations: [AppViolation] = []
        try await withSimulation("wilddog", report: { violations = $0.violations }) { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { SessionManager() }
            phone.shown = { app.isOnline }
            try await phone.run { try await app.login("alice") }
            try phone.networkSwitched()
            await simulation.run(for: .seconds(30))
        }
        #expect(violations == [])
    }
}
