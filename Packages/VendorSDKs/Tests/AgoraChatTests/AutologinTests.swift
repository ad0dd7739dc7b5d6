import AgoraChat
import SimulatedApp
import Testing

@MainActor
@Suite struct AutologinTests {
    @Test func aKilledAppLogsInAutomatically() async throws {
        try await withSimulation("agora-chat") { simulation in
            let (phone, first) = try await loggedIn("alice", on: "phone", in: simulation)
            try phone.kill()
            await simulation.run(for: .seconds(5))
            let second = try phone.launch { Phone() }
            phone.shown = { second.client.isLoggedIn }
            #expect(try phone.perform { second.client.isLoggedIn && second.client.currentUsername == "alice" })
            await simulation.run(for: .seconds(5))
            #expect(second.heard == ["connected", "autologin ok"])
            #expect(first.heard == [])
            #expect(try phone.perform { second.client.accessUserToken?.isEmpty == false })
        }
    }

    @Test func storedDataIsReadableWithoutANetwork() async throws {
        try await withSimulation("agora-chat") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            let (pad, other) = try await loggedIn("bob", on: "pad", in: simulation)
            try await pad.run { #expect(await other.say("hello", to: "alice") == nil) }
            await simulation.run(for: .seconds(2))
            #expect(app.heard == ["chat bob>alice: hello"])
            try phone.kill()
            try phone.networkDown()
            let second = try phone.launch { Phone() }
            phone.shown = { second.client.isLoggedIn }
            await simulation.run(for: .seconds(20))
            #expect(second.heard == [])
            try await phone.run {
                #expect(second.client.isLoggedIn && !second.client.isConnected)
                #expect(second.texts(with: "bob") == ["hello"])
                #expect(await second.say("hi", to: "bob")?.code == .networkUnavailable)
            }
            try phone.networkUp()
            await simulation.run(for: .seconds(40))
            #expect(second.heard.suffix(2) == ["connected", "autologin ok"])
        }
    }

    @Test func isNotTriedIfTheAppDisablesIt() async throws {
        try await withSimulation("agora-chat") { simulation in
            let phone = simulation.device("phone")
            let token = simulation.token(for: "alice")
            var app = try phone.launch { Phone(autologin: false) }
            try await phone.run { #expect(await app.client.login(withUsername: "alice", token: token).1 == nil) }
            // A login that was not stored is not available at the next launch.
            for wants in [true, false] {
                try phone.kill()
                app = try phone.launch { Phone(autologin: wants) }
                await simulation.run(for: .seconds(5))
                #expect(app.heard == [])
                #expect(try phone.perform { !app.client.isLoggedIn && !app.client.isAutoLogin })
            }
        }
    }

    /// The header says so for the blocking call with a token, and for no other call.
    @Test func isNotTriedAfterABlockingLogin() async throws {
        try await withSimulation("agora-chat") { simulation in
            let phone = simulation.device("phone")
            let token = simulation.token(for: "alice")
            try simulation.script("server account add bob s3cret")
            var app = try phone.launch { Phone() }
            #expect(try phone.perform { app.client.login(withUsername: "alice", token: token) } == nil)
            #expect(try phone.perform { !app.client.isAutoLogin })
            try phone.kill()
            app = try phone.launch { Phone() }
            #expect(try phone.perform { !app.client.isLoggedIn })
            #expect(try phone.perform { app.client.login(withUsername: "alice", agoraToken: token) } == nil)
            #expect(try phone.perform { app.client.isAutoLogin })
            #expect(try phone.perform { app.client.logout(true) } == nil)
            #expect(try phone.perform { app.client.login(withUsername: "bob", password: "s3cret") } == nil)
            try phone.kill()
            app = try phone.launch { Phone() }
            #expect(try phone.perform { app.client.currentUsername } == "bob")
        }
    }

    /// The SDK treats a renewed token like the token that it replaces.
    @Test func isNotTriedWithARenewedToken() async throws {
        try await withSimulation("agora-chat") { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { Phone(autologin: false) }
            let (first, second) = (
                simulation.token(for: "alice"), simulation.token(for: "alice", lifetime: .seconds(99))
            )
            try await phone.run {
                #expect(await app.client.login(withUsername: "alice", token: first).1 == nil)
                #expect(await app.client.renewToken(second) == nil)
            }
            try phone.kill()
            let again = try phone.launch { Phone() }
            #expect(try phone.perform { !again.client.isLoggedIn })
        }
    }

    /// The login is stored even if the app does not get its result.
    @Test func isTriedAfterALoginWhoseResultTheAppMissed() async throws {
        try await withSimulation("agora-chat") { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { Phone() }
            let token = simulation.token(for: "alice")
            try phone.perform { app.client.login(withUsername: "alice", token: token) { _, _ in app.note("told") } }
            try simulation.script("@phone expect state online within 2s")
            try phone.kill()
            #expect(app.heard == [])
            let again = try phone.launch { Phone() }
            await simulation.run(for: .seconds(2))
            #expect(again.heard == ["connected", "autologin ok"])
        }
    }

    @Test func reportsTheReasonOfAFailure() async throws {
        try await withSimulation("agora-chat") { simulation in
            let (phone, _) = try await loggedIn("alice", on: "phone", in: simulation)
            try phone.kill()
            try simulation.script("server account ban alice")
            let app = try phone.launch { Phone() }
            await simulation.run(for: .seconds(5))
            #expect(app.heard.contains("forbidden"))
            #expect(try phone.perform { !app.client.isLoggedIn && !app.client.isAutoLogin })
            await simulation.run(for: .seconds(60))
            #expect(app.heard.count { $0 == "forbidden" } == 1)
        }
    }

    @Test func isRefusedIfTheSlotIsTaken() async throws {
        try await withSimulation("agora-chat") { simulation in
            try simulation.script("server policy device-count-max=1\nserver policy taken-place=keep-current")
            let (phone, _) = try await loggedIn("alice", on: "phone", in: simulation)
            try phone.kill()
            await simulation.run(for: .seconds(1))
            let (_, other) = try await loggedIn("alice", on: "pad", in: simulation)
            let app = try phone.launch { Phone() }
            await simulation.run(for: .seconds(5))
            #expect(app.heard == ["autologin userLoginTooManyDevices"])
            #expect(other.heard == [])
            #expect(try phone.perform { !app.client.isAutoLogin })
        }
    }
}
