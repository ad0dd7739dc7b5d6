import AgoraRtmKit
import SimulatedApp
import Testing

@MainActor
@Suite struct DeterminismTests {
    private func run(seed: UInt64) async throws -> SimulationReport {
        var reported: SimulationReport?
        try await withSimulation("agora-rtm", seed: seed, report: { reported = $0 }) { simulation in
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let (pad, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            for (device, app) in [(phone, alice), (pad, bob)] {
                try await device.run {
                    try await app.channel("lobby").join()
                    await app.kit.subscribePeersOnlineStatus(["alice", "bob"])
                }
            }
            try phone.networkDown()
            try pad.perform {
                for number in 1...5 { bob.kit.send(AgoraRtmMessage(text: "\(number)"), toPeer: "alice") }
            }
            await simulation.run(for: .seconds(40))
            try phone.networkUp()
            await simulation.run(for: .seconds(20))
            #expect(alice.heard.suffix(5) == (1...5).map { "bob: \($0)" })
            try await phone.run { await alice.kit.logout() }
        }
        return try #require(reported)
    }

    @Test func theSameSeedGivesTheSameSession() async throws {
        let first = try await run(seed: 7)
        let second = try await run(seed: 7)
        #expect(!first.session.isEmpty)
        #expect(first.session == second.session)
        #expect(first.chain == second.chain)
        #expect(first.violations == [])
        let other = try await run(seed: 8)
        #expect(other.session != first.session)
    }
}
