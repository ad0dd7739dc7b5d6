import SimulatedApp
import Testing
import ZIM

/// Breaks, kicks, tokens and other devices (ZIM-4 to ZIM-8).
@MainActor
@Suite struct ConnectionTests {
    @Test func reconnects() async throws {
        try await withSimulation("zim") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            try phone.networkDown()
            await simulation.run(for: .seconds(20))
            #expect(app.heard == ["state reconnecting loginInterrupted"])
            try phone.networkUp()
            await simulation.run(for: .seconds(20))
            #expect(
                app.heard == [
                    "state reconnecting loginInterrupted", "state connected success", "sync started", "sync finished",
                ])
        }
    }

    @Test func isKickedByAnotherDevice() async throws {
        var violations: [AppViolation] = []
        try await withSimulation("zim", report: { violations = $0.violations }) { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            try simulation.script("client new pad --platform ios\n@pad login alice\n@pad expect state online within 5s")
            await simulation.run(for: .seconds(1))
            #expect(app.heard == ["state disconnected kickedOut"])
            // The client does not retry, and every call fails.
            await simulation.run(for: .seconds(60))
            #expect(app.heard.count == 1)
            #expect(violations == [])
            #expect(try await phone.run { await app.send("hi", to: "bob").1 } == .networkModuleUserIsNotLogged)
            #expect(try await phone.run { await app.conversationList().code } == .networkModuleUserIsNotLogged)
            try simulation.script("@pad expect state online")
            // A login needs no logout first.
            let token = simulation.token(for: "alice")
            #expect(try await phone.run { await app.login("alice", token: token) } == .success)
            try simulation.script("@pad expect state kicked within 5s")
        }
        #expect(violations.map(\.rule) == ["ZIM-8", "ZIM-8"])
    }

    @Test func isKickedByTheServer() async throws {
        try await withSimulation("zim") { simulation in
            let (_, app) = try await loggedIn("alice", on: "phone", in: simulation)
            try simulation.script("server kick alice\nwait 1s")
            #expect(app.heard == ["state disconnected kickedOut"])
        }
    }

    @Test func theServerLimitsOtherDevices() async throws {
        try await withSimulation("zim") { simulation in
            try simulation.script("server policy exclusion=multi")
            let (_, phone) = try await loggedIn("alice", on: "phone", in: simulation)
            try simulation.script(
                "client new pc --platform windows\n@pc login alice\n@pc expect state online within 5s\nwait 2s")
            #expect(phone.heard == [])
            try simulation.script(
                "client new droid --platform android\n@droid login alice\n@droid expect state online within 5s\nwait 2s"
            )
            #expect(phone.heard == ["state disconnected kickedOut"])
            try simulation.script("@pc expect state online")
        }
    }

    @Test func aTokenIsRenewedInTime() async throws {
        try await withSimulation("zim") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation, lifetime: .seconds(60))
            await simulation.run(for: .seconds(28))
            #expect(app.heard == [])
            await simulation.run(for: .seconds(3))
            #expect(app.heard == ["token ends in 30"])
            let renewed = simulation.token(for: "alice")
            try phone.perform {
                app.zim.renewToken("nonsense") { token, error in app.note("\(token): \(error.code)") }
                app.zim.renewToken(renewed) { token, error in app.note("\(token == renewed) \(error.code)") }
                app.zim.renewToken("") { token, error in app.note("'\(token)' \(error.code)") }
            }
            await simulation.run(for: .seconds(120))
            #expect(
                app.heard.sorted() == [
                    "'' networkModuleTokenInvalid", "nonsense: networkModuleTokenInvalid", "token ends in 30",
                    "true success",
                ])
        }
    }

    @Test func aTokenExpires() async throws {
        var rules: [String] = []
        try await withSimulation("zim", report: { rules = $0.violations.map(\.rule) }) { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation, lifetime: .seconds(60))
            await simulation.run(for: .seconds(62))
            #expect(app.heard == ["token ends in 30", "state disconnected tokenExpired"])
            let renewed = simulation.token(for: "alice")
            try phone.perform { app.zim.renewToken(renewed) { app.note("renewed \($1.code)") } }
            await simulation.run(for: .seconds(1))
            #expect(app.heard.last == "renewed networkModuleUserIsNotLogged")
            #expect(try await phone.run { await app.login("alice", token: renewed) } == .success)
        }
        #expect(rules == ["ZIM-8"])
    }

    @Test func aTokenExpiresWhileReconnecting() async throws {
        try await withSimulation("zim") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation, lifetime: .seconds(60))
            try phone.networkDown()
            await simulation.run(for: .seconds(40))
            #expect(app.heard == ["state reconnecting loginInterrupted", "token ends in 30"])
            let renewed = simulation.token(for: "alice")
            try phone.perform { app.zim.renewToken(renewed) { app.note("renewed \($1.code)") } }
            await simulation.run(for: .seconds(60))
            #expect(app.heard.last == "renewed success")
            try phone.networkUp()
            await simulation.run(for: .seconds(20))
            #expect(app.states.last == "state connected success")
        }
    }

    @Test func observersGetThePresence() async throws {
        try await withSimulation("zim") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            let (pad, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            try phone.perform {
                app.zim.subscribeUsersStatus(by: ["bob", "carol"], config: ZIMUserStatusSubscribeConfig()) {
                    app.note("subscribed \($0.map(\.userID)) \($1.code)")
                }
            }
            await simulation.run(for: .seconds(1))
            #expect(app.heard.sorted() == ["bob online", "carol offline", "subscribed [] success"])
            app.forget()
            try pad.perform { bob.zim.logout() }
            await simulation.run(for: .seconds(1))
            #expect(app.heard == ["bob logout"])
            let token = simulation.token(for: "bob")
            #expect(try await pad.run { await bob.login("bob", token: token) } == .success)
            app.forget()
            try pad.kill()
            await simulation.run(for: .seconds(40))
            #expect(app.heard == ["bob offline"])
            try phone.perform {
                app.zim.unsubscribeUsersStatus(by: ["bob"]) { app.note("unsubscribed \($1.code)") }
                app.zim.unsubscribeUsersStatus(by: []) { app.note("nobody \($1.code)") }
            }
            await simulation.run(for: .seconds(1))
            #expect(app.heard.suffix(2).sorted() == ["nobody commonModuleParamsInvalid", "unsubscribed success"])
        }
    }
}
