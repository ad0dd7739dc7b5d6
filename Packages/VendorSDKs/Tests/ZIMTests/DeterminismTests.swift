import SimulatedApp
import Testing
import ZIM

@MainActor
@Suite struct DeterminismTests {
    private func run(seed: UInt64) async throws -> SimulationReport {
        var reported: SimulationReport?
        try await withSimulation("zim", seed: seed, report: { reported = $0 }) { simulation in
            let (phone, alice) = try await loggedIn("alice", on: "phone", in: simulation)
            let (pad, bob) = try await loggedIn("bob", on: "pad", in: simulation)
            let token = simulation.token(for: "alice")
            try phone.networkDown()
            try pad.perform {
                for number in 1...5 {
                    bob.zim.sendMessage(
                        ZIMTextMessage(message: "\(number)"), toConversationID: "alice", conversationType: .peer,
                        config: ZIMMessageSendConfig(), notification: nil
                    ) { bob.note("\($0.words) \($1.code)") }
                }
            }
            await simulation.run(for: .seconds(40))
            // Killed and launched again without a network.
            try phone.kill()
            let again = try phone.launch { Phone() }
            #expect(try await phone.run { await again.login("alice", token: token, isOffline: true) } == .success)
            #expect(try await phone.run { await again.history("bob").messages } == [])
            try phone.networkUp()
            await simulation.run(for: .seconds(40))
            #expect(again.heard.filter { $0.hasPrefix("bob: ") } == (1...5).map { "bob: \($0) (while away)" })
            #expect(
                try await phone.run { await again.history("bob").messages.map(\.words) } == ["1", "2", "3", "4", "5"])
            try phone.perform { again.zim.logout() }
            await simulation.run(for: .seconds(1))
            #expect(alice.heard == ["state reconnecting loginInterrupted"])
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
