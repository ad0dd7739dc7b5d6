import SimulatedApp
import Testing

@MainActor
@Suite struct SpellingTests {
    @Test func theUsualSpellingsWork() async throws {
        var violations: [AppViolation] = []
        try await withSimulation("wilddog", report: { violations = $0.violations }) { simulation in
            let phone = simulation.device("phone")
            let app = try phone.launch { Spellings() }
            try phone.perform { app.write() }
            await simulation.run(for: .seconds(2))
            #expect(app.words == ["bin 20", "game game", "who", "gone true", "order true", "cancelled"])
            try phone.perform {
                app.read()
                app.count()
            }
            await simulation.run(for: .seconds(2))
            #expect(
                app.words.dropFirst(6).sorted()
                    == ["added u 1.5", "child u", "count true 1", "who is jack"])
            try phone.perform { app.stop() }
            await simulation.run(for: .seconds(60))
            #expect(app.words.count == 10)
        }
        #expect(violations == [])
    }
}
