import SimulatedApp
import Testing
import ZIM

/// Tests of a login manager as apps write it.
@MainActor
@Suite struct ManagerTests {
    private static let messages = """
        server account add alice
        server change alice message messageID=m1 conversationID=bob senderUserID=bob message=one
        server change alice message messageID=m2 conversationID=carol senderUserID=carol message=two
        server change alice message messageID=m3 conversationID=dave senderUserID=dave message=three
        """

    @Test func opensWithTheStoredData() async throws {
        var violations: [AppViolation] = []
        try await withSimulation("zim", report: { violations = $0.violations }) { simulation in
            try simulation.script(Self.messages)
            let saved = IMLoginManager.SavedUser()
            let phone = simulation.device("phone")
            let first = try phone.launch { IMLoginManager(saved: saved) { simulation.token(for: $0) } }
            phone.shown = { first.phase == .online || first.phase == .reconnecting }
            try await phone.run { try await first.login("alice") }
            await simulation.run(for: .seconds(2))
            #expect(first.phase == .online)
            #expect(first.isSynchronised)
            #expect(Set(first.conversations) == ["bob", "carol", "dave"])
            #expect(first.unread == 3)

            try phone.kill()
            try phone.networkDown()
            let app = try phone.launch { IMLoginManager(saved: saved) { simulation.token(for: $0) } }
            phone.shown = { app.phase == .online || app.phase == .reconnecting }
            try await phone.run { try await app.resume() }
            #expect(Set(app.conversations) == ["bob", "carol", "dave"])
            await simulation.runDueEntries()
            #expect(app.phase == .connecting)
            #expect(app.unread == 3)
            await #expect(throws: IMLoginManager.IMError(code: .networkModuleNetworkError)) {
                try await phone.run { try await app.send("hi", to: "bob") }
            }
            try simulation.script(
                "server change alice message messageID=m4 conversationID=erin senderUserID=erin message=four")
            try phone.networkUp()
            await simulation.run(for: .seconds(20))
            #expect(app.phase == .online)
            #expect(app.conversations.first == "erin")
            #expect(app.unread == 4)
        }
        #expect(violations == [])
    }

    @Test func staysLoggedOutAfterAKick() async throws {
        var violations: [AppViolation] = []
        try await withSimulation("zim", report: { violations = $0.violations }) { simulation in
            let saved = IMLoginManager.SavedUser()
            let phone = simulation.device("phone")
            let app = try phone.launch { IMLoginManager(saved: saved) { simulation.token(for: $0) } }
            phone.shown = { app.phase == .online || app.phase == .reconnecting }
            try await phone.run { try await app.login("alice") }
            try simulation.script("client new pad --platform ios\n@pad login alice\nwait 2s")
            #expect(app.phase == .kicked)
            await simulation.run(for: .seconds(60))
            #expect(app.log == ["connecting activeLogin", "connected success", "disconnected kickedOut"])
            try simulation.script("@pad expect state online")
        }
        #expect(violations == [])
    }

    @Test func renewsItsToken() async throws {
        try await withSimulation("zim") { simulation in
            let saved = IMLoginManager.SavedUser()
            let phone = simulation.device("phone")
            let app = try phone.launch {
                IMLoginManager(saved: saved) { simulation.token(for: $0, lifetime: .seconds(100)) }
            }
            try await phone.run { try await app.login("alice") }
            await simulation.run(for: .seconds(300))
            #expect(app.log.filter { $0 == "renewed success" }.count == 4)
            #expect(app.phase == .online)
        }
    }

    @Test func logsInAgainAfterItsTokenExpired() async throws {
        try await withSimulation("zim") { simulation in
            let saved = IMLoginManager.SavedUser()
            let phone = simulation.device("phone")
            let app = try phone.launch {
                IMLoginManager(saved: saved) { simulation.token(for: $0, lifetime: .seconds(100)) }
            }
            try await phone.run { try await app.login("alice") }
            try simulation.script("@phone net drop renew-token --dir out --count 1")
            await simulation.run(for: .seconds(110))
            #expect(app.phase == .online)
            #expect(
                app.log.filter { !$0.hasPrefix("renewed") } == [
                    "connecting activeLogin", "connected success", "disconnected tokenExpired",
                    "connecting activeLogin", "connected success",
                ])
        }
    }

    @Test func aLogoutRemovesTheUser() async throws {
        try await withSimulation("zim") { simulation in
            let saved = IMLoginManager.SavedUser()
            let phone = simulation.device("phone")
            let app = try phone.launch { IMLoginManager(saved: saved) { simulation.token(for: $0) } }
            try await phone.run { try await app.login("alice") }
            try phone.perform { app.logout() }
            await simulation.run(for: .seconds(2))
            #expect(app.phase == .loggedOut)
            await #expect(throws: IMLoginManager.IMError(code: .networkModuleUserIsNotLogged)) {
                try await phone.run { try await app.resume() }
            }
        }
    }
}
