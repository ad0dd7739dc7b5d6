import SimulatedApp
import Testing

/// A search finds what is wrong with the first version, each mistake with its shortest scenario.
@MainActor
@Suite struct FirstVersionTests {
    @Test func aSearchFindsFiveMistakes() async throws {
        // `0..<400` finds them all too, and takes a minute.
        let failures = try await explorer.search(0..<48) + explorer.search(360..<366)
        for failure in failures { print("\(failure)\n") }
        let found = failures.map(\.violation.text)
        let mistakes = [
            "before NIMSDK.register", "it retries by itself", "the app is busy", "lacks conversations",
            "an older message",
        ]
        for mistake in mistakes { #expect(found.contains { $0.contains(mistake) }, "\(mistake)") }
    }
}
