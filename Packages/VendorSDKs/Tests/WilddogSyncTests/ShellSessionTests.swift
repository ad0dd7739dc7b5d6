import IMSimulation
import LibraryScripts
import SimulatedApp
import Testing
import WilddogSync

/// Calls that no script of the session library makes through the module, compared with the same lines in the shell.
@MainActor
@Suite struct ShellSessionTests {
    @Test func aTransactionThatAbortsAndTheEndOfOneQuery() async throws {
        var reported: SimulationReport?
        try await withSimulation("wilddog", seed: 5, report: { reported = $0 }) { simulation in
            let (device, app) = try phone(in: simulation)
            try device.perform {
                app.observe(app.child("scores").queryOrderedByValue().queryLimited(toLast: 2), .childAdded)
                app.child("none").runTransactionBlock { _ in .abort() }
            }
            await simulation.run(for: .seconds(2))
            try device.perform {
                app.child("scores").queryOrderedByValue().queryLimited(toLast: 2).removeAllObservers()
                app.child("scores").setValue(["ann": 1, "bob": 2, "carl": 3])
            }
            await simulation.run(for: .seconds(5))
        }
        let app = try ShellSession.words(of: #require(reported).session)

        let shell = try ShellSession.words(
            of: """
                client new phone --platform ios
                @phone sync on scores --event child-added --order-by value --last 2
                @phone sync transaction none abort
                wait 2s
                @phone sync off scores
                @phone sync set scores '{"ann": 1, "bob": 2, "carl": 3}'
                wait 5s
                """, profile: "wilddog", seed: 5)
        #expect(app.count > 20)
        #expect(app == shell)
    }
}
