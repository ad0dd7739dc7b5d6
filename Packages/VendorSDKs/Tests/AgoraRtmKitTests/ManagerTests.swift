import AgoraRtmKit
import SimulatedApp
import Testing

/// Tests of a login manager as apps write it.
@MainActor
@Suite struct ManagerTests {
    @Test func isKickedAndLogsOutWithinTheCallback() async throws {
        var violations: [AppViolation] = []
        try await withSimulation("agora-rtm", report: { violations = $0.violations }) { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { RtmManager() }
            let token = simulation.token(for: "alice")
            phone.shown = { app.isOnline }
            try await phone.run {
                try await app.login("alice", token: token)
                try await app.enter("lobby")
            }
            try simulation.script(
                """
                client new pad --platform ios
                @pad login alice
                @pad expect state online within 2s
                """)
            await simulation.run(for: .seconds(5))
            #expect(app.wasKicked)
            #expect(
                app.log == [
                    "connecting login", "connected loginSuccess", "aborted remoteLogin", "disconnected logout",
                    "logout ok",
                ])
            // After the logout it may log in again, and then it ends the other's login.
            try await phone.run { try await app.login("alice", token: token) }
            try simulation.script("@pad expect state kicked within 2s")
        }
        #expect(violations == [])
    }

    @Test func blocksAQueueUntilItIsLoggedIn() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { BlockingLogin() }
            try phone.perform { app.login("alice") }
            await simulation.run(for: .seconds(1))
            #expect(app.words == ["connected", "ok"])
        }
    }

    @Test func hopsToTheMainActorInOrder() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { HoppingLogin() }
            try await phone.run { #expect(await app.kit?.login(byToken: nil, user: "alice") == .ok) }
            await simulation.runDueEntries()
            try await phone.run { #expect(await app.kit?.logout() == .ok) }
            await simulation.runDueEntries()
            #expect(app.states == [.connecting, .connected, .disconnected])
        }
    }

    @Test func withoutALogoutTheLoginIsRefused() async throws {
        var rules: [String] = []
        try await withSimulation("agora-rtm", report: { rules = $0.violations.map(\.rule) }) { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            let (pad, _) = try await loggedIn("alice", on: "pad", in: simulation)
            await simulation.run(for: .seconds(2))
            #expect(app.heard == ["aborted remoteLogin"])
            #expect(try await phone.run { await app.kit.login(byToken: nil, user: "alice") } == .alreadyLogin)
            try await phone.run { await app.kit.logout() }
            #expect(try await phone.run { await app.kit.login(byToken: nil, user: "alice") } == .ok)
            #expect(pad.isRunning)
        }
        #expect(rules == ["RTM-6"])
    }

    @Test func aKickWhileReconnectingIsReported() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            try phone.networkDown()
            await simulation.run(for: .seconds(6))
            try simulation.script("client new pad --platform ios\n@pad login alice\nwait 2s")
            try phone.networkUp()
            await simulation.run(for: .seconds(20))
            #expect(app.heard == ["reconnecting interrupted", "aborted remoteLogin"])
        }
    }

    @Test func reconnectsIntoItsChannel() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { RtmManager() }
            let (pad, other) = try await loggedIn("bob", on: "pad", in: simulation)
            try await phone.run {
                try await app.login("alice", token: nil)
                try await app.enter("lobby")
            }
            let lobby = try await pad.run {
                let lobby = try other.channel("lobby")
                await lobby.join()
                return lobby
            }
            await simulation.run(for: .seconds(2))
            other.forget()
            try phone.networkDown()
            await simulation.run(for: .seconds(20))
            try await pad.run { await lobby.send(AgoraRtmMessage(text: "missed")) }
            try phone.networkUp()
            await simulation.run(for: .seconds(20))
            #expect(other.heard == [])
            #expect(
                app.log == [
                    "connecting login", "connected loginSuccess", "+bob", "reconnecting interrupted",
                    "connected loginSuccess", "bob@lobby: missed",
                ])
            try phone.perform { app.say("here") }
            await simulation.run(for: .seconds(1))
            #expect(other.heard == ["lobby alice: here"])
        }
    }

    @Test func aTokenExpiresWhileReconnecting() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation, lifetime: .seconds(30))
            try phone.networkDown()
            await simulation.run(for: .seconds(20))
            #expect(app.heard == ["reconnecting interrupted"])
            await simulation.run(for: .seconds(20))
            #expect(app.heard == ["reconnecting interrupted", "token expired"])
            try phone.networkUp()
            await simulation.run(for: .seconds(60))
            #expect(app.heard.count == 2)
            let token = simulation.token(for: "alice")
            let (given, code) = try await phone.run { await app.kit.renewToken(token) }
            #expect(given == token)
            #expect(code == .ok)
            await simulation.run(for: .seconds(5))
            #expect(app.heard.last == "connected loginSuccess")
        }
    }

    @Test func aTokenIsRenewedWhileConnected() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            let token = simulation.token(for: "alice")
            try await phone.run {
                #expect(await app.kit.renewToken("nonsense").1 == .invalidToken)
                #expect(await app.kit.renewToken(token).1 == .ok)
                #expect(await app.kit.renewToken(token).1 == .tooOften)
                #expect(await app.kit.renewToken("").1 == .invalidArgument)
            }
        }
    }
}
