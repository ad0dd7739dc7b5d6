import SimulatedApp
import Testing

/// A search finds the bugs of the first version, each with its shortest scenario.
@MainActor
@Suite struct FirstVersionTests {
    @Test func aSearchFindsFiveMistakes() async throws {
        // `0..<20_000` finds all of them too, and takes two minutes.
        var failures: [AppExplorer<LoginManager>.Failure] = []
        for seeds: Range<UInt64> in [0..<36, 163..<164, 19_060..<19_061] {
            failures += try await explorer.search(seeds)
        }
        for failure in failures { print("\(failure)\n") }
        let found = failures.map(\.violation.text)
        let mistakes = [
            "before NIMSDK.register", "it retries by itself", "the app is busy", "lacks conversations",
            "an older message",
        ]
        for mistake in mistakes { #expect(found.contains { $0.contains(mistake) }, "\(mistake)") }
    }
}
