import SimulatedApp
import Testing

/// The same search finds nothing in the second version.
@MainActor
@Suite struct SecondVersionTests {
    @Test func aSearchFindsNothing() async throws {
        let failures = try await explorer.search(0..<80)
        for failure in failures { print("\(failure)\n") }
        #expect(failures.isEmpty)
    }
}
