import AgoraRtmKit
import SimulatedApp
import Testing

@MainActor
@Suite struct LoginTests {
    @Test func logsInAndOutWithBlocks() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let device = simulation.device("phone")
            let app = try device.launch { Phone() }
            let token = simulation.token(for: "alice")
            try device.perform {
                app.kit.login(byToken: token, user: "alice") { app.note("login \($0)") }
            }
            #expect(app.heard.isEmpty)
            await simulation.run(for: .seconds(1))
            #expect(app.heard == ["connecting login", "connected loginSuccess", "login ok"])
            app.forget()
            try device.perform { app.kit.logout { app.note("logout \($0)") } }
            await simulation.run(for: .seconds(1))
            #expect(app.heard == ["disconnected logout", "logout ok"])
        }
    }

    @Test func logsInAndOutWithAwait() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (device, app) = try await loggedIn("alice", on: "phone", in: simulation)
            let code = try await device.run { await app.kit.logout() }
            #expect(code == .ok)
            #expect(app.heard == ["disconnected logout"])
            #expect(try await device.run { await app.kit.logout() } == .notLoggedIn)
        }
    }

    @Test func anAppIDNeeds32Characters() async throws {
        try await withSimulation("agora-rtm") { simulation in
            try simulation.device("phone").launch {
                #expect(AgoraRtmKit(appId: "short", delegate: nil) == nil)
                #expect(AgoraRtmKit(appId: appID, delegate: nil) != nil)
            }
        }
    }

    @Test func refusalsHaveTheVendorsCodes() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let device = simulation.device("phone")
            let app = try device.launch { Phone() }
            let login = { (token: String?, user: String) in
                try await device.run { await app.kit.login(byToken: token, user: user) }
            }
            #expect(try await login("no token", "alice") == .invalidToken)
            #expect(app.heard == ["connecting login", "disconnected loginFailure"])
            #expect(try await login(simulation.token(for: "alice"), "null") == .invalidArgument)
            #expect(try await login(nil, "äh") == .invalidArgument)
            #expect(try await login(simulation.token(for: "alice", lifetime: .zero), "alice") == .tokenExpired)
            await simulation.run(for: .seconds(5))
            #expect(try await login(nil, "alice") == .ok)
            #expect(try await login(nil, "alice") == .alreadyLogin)
            #expect(try await login(nil, "bob") == .alreadyLogin)
        }
    }

    @Test func theAppIDInsteadOfATokenMeansNoToken() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let device = simulation.device("phone")
            let app = try device.launch { Phone() }
            let code = try await device.run {
                await app.kit.login(byToken: appID, user: "alice")
            }
            #expect(code == .ok)
        }
    }

    @Test func aThirdLoginInASecondIsTooOften() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let device = simulation.device("phone")
            let app = try device.launch { Phone() }
            var codes: [AgoraRtmLoginErrorCode] = []
            for _ in 1...3 {
                codes.append(
                    try await device.run {
                        let code = await app.kit.login(byToken: nil, user: "alice")
                        await app.kit.logout()
                        return code
                    })
            }
            #expect(codes == [.ok, .ok, .loginTooOften])
        }
    }

    @Test func aLoginThatIsNotAnsweredTimesOut() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let device = simulation.device("phone")
            let app = try device.launch { Phone() }
            try simulation.script("@phone net delay 20s")
            try device.perform { app.kit.login(byToken: nil, user: "alice") { app.note("login \($0)") } }
            await simulation.run(for: .milliseconds(5_900))
            #expect(app.heard == ["connecting login"])
            await simulation.run(for: .milliseconds(200))
            #expect(app.heard == ["connecting login", "disconnected loginTimeout", "login timeout"])
        }
    }

    @Test func callsBeforeALoginAreRefused() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let device = simulation.device("phone")
            let app = try device.launch { Phone() }
            try await device.run {
                let kit = app.kit
                let channel = try app.channel("lobby")
                #expect(await kit.renewToken("new").1 == .notLoggedIn)
                #expect(await kit.send(AgoraRtmMessage(text: "hi"), toPeer: "bob") == .notLoggedIn)
                #expect(await channel.join() == .channelErrorNotLoggedIn)
                #expect(await channel.leave() == .notLoggedIn)
                #expect(await channel.send(AgoraRtmMessage(text: "hi")) == .notLoggedIn)
                #expect(await channel.members().1 == .notLoggedIn)
                #expect(await kit.queryPeersOnlineStatus(["bob"]).1 == .notLoggedIn)
                #expect(await kit.subscribePeersOnlineStatus(["bob"]) == .notLoggedIn)
                #expect(await kit.queryPeers(bySubscriptionOption: .onlineStatus).1 == .notLoggedIn)
                #expect(await kit.channelMemberCount(["lobby"]).1 == .notLoggedIn)
                #expect(await kit.setLocalUserAttributes([]) == .attributeOperationErrorNotLoggedIn)
                #expect(await kit.userAllAttributes("bob").2 == .attributeOperationErrorNotLoggedIn)
                #expect(await kit.channelAllAttributes("lobby").1 == .attributeOperationErrorNotLoggedIn)
            }
        }
    }

    @Test func allInstancesOfAProcessAreOneClient() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (device, app) = try await loggedIn("alice", on: "phone", in: simulation)
            let other = try device.perform { Phone() }
            #expect(try await device.run { await other.kit.login(byToken: nil, user: "bob") } == .alreadyLogin)
            try await device.run { await other.kit.logout() }
            #expect(app.heard == ["disconnected logout"])
            #expect(other.heard == ["disconnected logout"])
        }
    }
}
