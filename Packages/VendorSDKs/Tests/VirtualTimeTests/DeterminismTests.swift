import Foundation
import Testing
import VirtualTime

/// How often one seed is run. `DETERMINISM_RUNS=1000` runs it more often, and prints the chains for comparison.
private let askedRuns = ProcessInfo.processInfo.environment["DETERMINISM_RUNS"].flatMap(Int.init)

@Suite struct DeterminismTests {
    @Test(arguments: [nil, 1, 2] as [UInt64?])
    func oneSeedGivesOneOrder(seed: UInt64?) async throws {
        var chains: Set<[UInt64]> = []
        for _ in 0..<(askedRuns ?? 200) { chains.insert(try await chainOfAll(seed: seed)) }
        #expect(chains.count == 1)
        if askedRuns != nil { print("chain of seed \(seed.map { "\($0)" } ?? "none"): \(chains)") }
    }

    @Test func seedsDiffer() async throws {
        var chains: Set<[UInt64]> = []
        for seed in 0..<10 { chains.insert(try await chainOfAll(seed: UInt64(seed))) }
        #expect(chains.count == 10)
    }

    @Test func randomNumbersFollowFromTheSeed() async throws {
        func draws(_ seed: UInt64?) async throws -> [String] {
            try await withVirtualTime(seed: seed) {
                [
                    "\(Int.random(in: 0..<1_000_000))", "\((0..<20).shuffled())",
                    "\(Double.random(in: 0..<1))",
                ]
            }
        }
        let first = try await draws(7)
        let again = try await draws(7)
        let other = try await draws(8)
        #expect(first == again)
        #expect(zip(first, other).allSatisfy { $0 != $1 })
        #expect(Int.random(in: 0...Int.max) != Int.random(in: 0...Int.max))
    }

    /// The scheduler's own chain, and the chain of the values that the code observed.
    private func chainOfAll(seed: UInt64?) async throws -> [UInt64] {
        let log = OrderLog()
        var chain: UInt64 = 0
        try await withVirtualTime(seed: seed, report: { chain = $0.chain }) { time in
            let process = time.makeProcess()
            time.run(in: process) {
                for number in 0..<5 {
                    Task { @MainActor in
                        for _ in 0..<5 {
                            try await Task.sleep(for: .milliseconds(100 * number + 50))
                            log.add("main \(number)")
                        }
                    }
                    Task.detached {
                        try await Task.sleep(for: .seconds(Double(number) / 3))
                        await log.addOnActor("detached \(number)")
                    }
                }
            }
            let cancelled = Task { try await Task.sleep(for: .seconds(60)) }
            await withTaskGroup(of: Void.self) { group in
                for number in 0..<10 {
                    group.addTask {
                        try? await Task.sleep(for: .milliseconds(number % 3 * 100))
                        await log.addOnActor("group \(number)")
                    }
                }
            }
            cancelled.cancel()
            time.discard(process: process)
            usleep(1_500)
            await time.run(for: .seconds(3))
            log.add("\(Date().timeIntervalSince1970) \(ContinuousClock.now)")
        }
        return [chain, log.hash]
    }
}

/// Used only on the job thread.
private final class OrderLog: @unchecked Sendable {
    private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    private let turn = Turn()

    func add(_ line: String) {
        let now = VirtualScheduler.current?.now ?? 0
        for byte in "\(now) \(line)\n".utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    }

    func addOnActor(_ line: String) async {
        await turn.take { self.add(line) }
    }
}

private actor Turn {
    func take(_ body: @Sendable () -> Void) async {
        body()
        await Task.yield()
    }
}
