import AgoraChat
import SimulatedApp
import Testing

@MainActor
@Suite struct TokenTests {
    @Test func endsTheLogin() async throws {
        try await withSimulation("agora-chat") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation, lifetime: .seconds(100))
            phone.shown = { app.client.isLoggedIn }
            await simulation.run(for: .seconds(75))
            #expect(app.heard == [])
            await simulation.run(for: .seconds(10))
            #expect(app.heard == ["tokeWillExpire"])
            await simulation.run(for: .seconds(60))
            #expect(app.heard == ["tokeWillExpire", "disconnected", "tokenExpire"])
            try await phone.run {
                #expect(!app.client.isLoggedIn && !app.client.isAutoLogin)
                let code = await app.client.renewToken(simulation.token(for: "alice")).map(\.code)
                #expect(code == .userNotLogin)
            }
        }
    }

    @Test func isRenewed() async throws {
        try await withSimulation("agora-chat") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation, lifetime: .seconds(100))
            await simulation.run(for: .seconds(90))
            let token = simulation.token(for: "alice", lifetime: .seconds(1000))
            try await phone.run {
                #expect(await app.client.renewToken("nonsense").map(\.code) == .userAuthenticationFailed)
                #expect(await app.client.renewToken(token) == nil)
                #expect(app.client.accessUserToken == token)
            }
            await simulation.run(for: .seconds(600))
            #expect(app.heard == ["tokeWillExpire"])
            await simulation.run(for: .seconds(600))
            #expect(app.heard == ["tokeWillExpire", "tokeWillExpire", "disconnected", "tokenExpire"])
        }
    }

    @Test func isRenewedByABlockingCall() async throws {
        try await withSimulation("agora-chat") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation, lifetime: .seconds(100))
            let token = simulation.token(for: "alice", lifetime: .seconds(1000))
            #expect(try phone.perform { app.client.renewToken(token) } == nil)
            await simulation.run(for: .seconds(300))
            #expect(app.heard == [])
        }
    }
}
