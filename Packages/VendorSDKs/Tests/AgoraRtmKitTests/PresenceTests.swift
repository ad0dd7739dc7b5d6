import AgoraRtmKit
import SimulatedApp
import Testing

@MainActor
@Suite struct PresenceTests {
    @Test func queriesWhichUsersAreOnline() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            _ = try await loggedIn("bob", on: "pad", in: simulation)
            let (found, code) = try await phone.run { await alice.kit.queryPeersOnlineStatus(["carol", "bob"]) }
            #expect(code == .ok)
            #expect(found?.map(\.peerId) == ["carol", "bob"])
            #expect(found?.map(\.state) == [.offline, .online])
            #expect(found?.map(\.isOnline) == [false, true])
            #expect(try await phone.run { await alice.kit.queryPeersOnlineStatus([]).1 } == .invalidArgument)
        }
    }

    @Test func subscriptionsSurviveABreakAndEndWithTheLogin() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let (pad, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            try await phone.run {
                #expect(await alice.kit.subscribePeersOnlineStatus(["bob", "carol"]) == .ok)
                #expect(await alice.kit.queryPeers(bySubscriptionOption: .onlineStatus).0 == ["bob", "carol"])
                #expect(await alice.kit.unsubscribePeersOnlineStatus(["carol"]) == .ok)
                #expect(await alice.kit.queryPeers(bySubscriptionOption: .onlineStatus).0 == ["bob"])
            }
            await simulation.run(for: .seconds(1))
            #expect(alice.heard == ["bob online", "carol offline"])
            alice.forget()
            try phone.networkSwitched()
            await simulation.run(for: .seconds(10))
            try await pad.run { await bob.kit.logout() }
            await simulation.run(for: .seconds(1))
            #expect(alice.heard.filter { $0.hasPrefix("bob") } == ["bob offline"])
            try await phone.run {
                await alice.kit.logout()
                await alice.kit.login(byToken: nil, user: "alice")
                #expect(await alice.kit.queryPeers(bySubscriptionOption: .onlineStatus).0 == [])
            }
            alice.forget()
            try await pad.run { await bob.kit.login(byToken: nil, user: "bob") }
            await simulation.run(for: .seconds(1))
            #expect(alice.heard == [])
        }
    }

    @Test func aUserStaysOnlineForThirtySecondsAfterABreak() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let (pad, _) = try await loggedIn("bob", on: "pad", in: simulation)
            try await phone.run { await alice.kit.subscribePeersOnlineStatus(["bob"]) }
            await simulation.run(for: .seconds(1))
            alice.forget()
            try pad.networkDown()
            await simulation.run(for: .seconds(29))
            #expect(alice.heard == [])
            await simulation.run(for: .seconds(3))
            #expect(alice.heard == ["bob offline"])
        }
    }

    @Test func elevenInFiveSecondsAreTooMany() async throws {
        try await withSimulation("agora-rtm") { simulation in
            let (phone, app) = try await loggedIn("alice", on: "phone", in: simulation)
            let users = (1...11).map { "u\($0)" }
            #expect(try await phone.run { await app.kit.subscribePeersOnlineStatus(users) } == .tooOften)
        }
    }
}
