import IMSession
import Recorder
import SimulatedApp
import Testing
import WilddogSync

@MainActor
@Suite struct DeterminismTests {
    private func run(seed: UInt64) async throws -> SimulationReport {
        var reported: SimulationReport?
        try await withSimulation("wilddog", seed: seed, report: { reported = $0 }) { simulation in
            let (phone, alice) = try phone(isPersistent: true, in: simulation)
            let (pad, bob) = try WilddogSyncTests.phone("pad", in: simulation)
            try pad.perform { bob.observe(bob.child("list"), .childAdded, .value) }
            try phone.perform {
                alice.observe(alice.child("list").queryLimited(toLast: 3), .childAdded)
                for number in 1...5 {
                    alice.child("list").childByAutoId().setValue(["n": number, "x": ["a": 1, "b": 2]])
                }
                alice.child("gone").onDisconnectSetValue("yes")
            }
            await simulation.run(for: .seconds(5))
            try phone.networkDown()
            try phone.perform {
                alice.child("all").updateChildValues(["a": 1, "b/c": 2, "d": ["e": 3, "f": 4]])
                alice.child("n").runTransactionBlock { .success(withValue: $0) }
            }
            await simulation.run(for: .seconds(40))
            try phone.kill()
            let again = try phone.launch { Phone(isPersistent: true) }
            try phone.perform { again.observe(again.child("list"), .childAdded) }
            await simulation.run(for: .seconds(2))
            #expect(again.heard.count == 3)
            try phone.networkUp()
            await simulation.run(for: .seconds(60))
            #expect(again.heard.count == 5)
            #expect(bob.heard.count > 5)
            for device in [phone, pad] {
                let app = device === phone ? again : bob
                try device.perform {
                    app.child("n").runTransactionBlock { data in
                        data.value = (data.value as? Int ?? 0) + 1
                        return .success(withValue: data)
                    }
                }
            }
            await simulation.run(for: .seconds(5))
        }
        return try #require(reported)
    }

    @Test func theSameSeedGivesTheSameSession() async throws {
        let first = try await run(seed: 7)
        #expect(!first.session.isEmpty)
        for _ in 0..<5 {
            let again = try await run(seed: 7)
            #expect(again.session == first.session)
            #expect(again.chain == first.chain)
        }
        #expect(first.violations == [])
        let other = try await run(seed: 8)
        #expect(other.session != first.session)
    }

    @Test func itsSessionReplays() async throws {
        let report = try await run(seed: 3)
        let reader = try SessionReader(bytes: report.session)
        #expect(reader.eventCount > 100)
        #expect(try Verifier.verify(reader, schema: IMSessionSchema()) == .verified(events: reader.eventCount))
    }
}
