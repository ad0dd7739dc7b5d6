import AgoraChat
import IMSession
import Recorder
import SimulatedApp
import Testing

@MainActor
@Suite struct DeterminismTests {
    private func run(seed: UInt64) async throws -> SimulationReport {
        var reported: SimulationReport?
        try await withSimulation("agora-chat", seed: seed, report: { reported = $0 }) { simulation in
            let phone = simulation.device("phone")
            var alice = try phone.launch { Phone(name: "A phone") }
            let token = simulation.token(for: "alice")
            try await phone.run { #expect(await alice.client.login(withUsername: "alice", token: token).1 == nil) }
            let (tab, bob) = try await loggedIn("bob", on: "tab", in: simulation)
            try simulation.script("@phone net delay 40ms --jitter 30ms")
            for round in 1...3 {
                try await tab.run { #expect(await bob.say("\(round)", to: "alice") == nil) }
                try phone.networkDown()
                await simulation.run(for: .seconds(20))
                try phone.kill()
                await simulation.run(for: .seconds(5))
                alice = try phone.launch { Phone(name: "A phone", ext: "\(round)") }
                try phone.networkUp()
                await simulation.run(for: .seconds(60))
                #expect(try phone.perform { alice.texts(with: "bob").count } == round)
            }
            #expect(try phone.perform { alice.client.logout(true) } == nil)
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

    /// Also if the SDK starts again with a device that has another name.
    @Test func itReplays() async throws {
        let reader = try SessionReader(bytes: try await run(seed: 3).session)
        #expect(reader.eventCount > 100)
        #expect(try Verifier.verify(reader, schema: IMSessionSchema()) == .verified(events: reader.eventCount))
    }
}
