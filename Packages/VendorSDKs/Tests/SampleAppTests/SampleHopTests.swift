import AppStandIns
import Testing
import VirtualTime

@Suite struct SampleHopTests {
    @Test func onlyHopsWithoutAGuaranteedOrderArePermuted() async throws {
        var byTask: Set<[String]> = []
        for seed in 0..<10 as Range<UInt64> {
            byTask.insert(try await order(seed: seed) { $0.reportLater($1) })
            let byQueue = try await order(seed: seed) { $0.reportByQueue($1) }
            #expect(byQueue == ["a", "b", "c"])
            // A task that is isolated to the main actor is enqueued there when it is created (SE-0431).
            let byIsolatedTask = try await order(seed: seed) { $0.report($1) }
            #expect(byIsolatedTask == ["a", "b", "c"])
        }
        #expect(byTask.count > 1)
        let plain = try await order(seed: nil) { $0.reportLater($1) }
        #expect(plain == ["a", "b", "c"])
    }

    private func order(
        seed: UInt64?, hop: @escaping @Sendable (SampleMainActor, String) -> Void
    ) async throws -> [String] {
        try await withVirtualTime(seed: seed) { time in
            let model = SampleMainActor()
            for word in ["a", "b", "c"] { hop(model, word) }
            await time.runDueEntries()
            return model.order
        }
    }
}
