import Foundation
import NIMSDK
import Testing

@testable import SimulatedApp

@MainActor
private final class Login {
    let token: String

    init(token: String) {
        self.token = token
        NIMSDK.shared().register(with: NIMSDKOption(appKey: "key"))
    }

    func login() {
        guard !NIMSDK.shared().loginManager.isLogined() else { return }
        NIMSDK.shared().loginManager.login("alice", token: token) { _ in }
    }
}

/// The scenarios that a search stores.
@MainActor
@Suite struct AppCorpusTests {
    private let explorer = AppExplorer(
        "nim", launch: { Login(token: $0) }, taps: ["log in": { $0.login() }],
        shown: { _ in NIMSDK.shared().loginManager.isLogined() })

    private func withFolder(_ body: (String) async throws -> Void) async throws {
        let folder = NSTemporaryDirectory() + "corpus-\(ProcessInfo.processInfo.processIdentifier)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await body(folder)
    }

    @Test func aScenarioWithNewCoverageIsStored() async throws {
        try await withFolder { folder in
            let scenario = AppScenario(
                [
                    .tap("log in"), .wait(500), .line("server kick alice"), .relaunch, .networkDown, .networkUp,
                    .networkSwitched,
                ], order: .drawn)
            let outcome = try await explorer.play(scenario, seed: 3)
            #expect(outcome.reached.isSuperset(of: ["tap log in in loggedOut", "server kick alice in online"]))
            var corpus = try AppCorpus(folder: folder)
            #expect(try corpus.add(scenario, seed: 3, reached: outcome.reached))
            #expect(try !corpus.add(AppScenario([.wait(1)]), seed: 4, reached: ["tap log in in loggedOut"]))
            #expect(try AppCorpus(folder: folder).entries == [AppCorpus.Entry(scenario: scenario, seed: 3)])
        }
    }

    @Test func anInvalidFileIsIgnored() {
        for text in ["", "seed x\n", "seed 1\ntap\n", "seed 1\nwait -1\n", "seed 1\nnetwork off\n"] {
            #expect(AppCorpus.Entry(text: text) == nil, "\(text)")
        }
        #expect(AppCorpus.Entry(text: "seed 1\n")?.scenario == AppScenario([]))
    }

    @Test func aSeedContinuesAStoredScenario() async throws {
        try await withFolder { folder in
            var corpus = try AppCorpus(folder: folder)
            #expect(explorer.scenario(7, corpus: corpus) == explorer.scenario(7))
            let stored = AppScenario([.line("client new pad --platform ios"), .wait(4321)])
            try corpus.add(stored, seed: 1, reached: ["x"])
            let scenarios = (0..<20).map { explorer.scenario($0, corpus: corpus) }
            let continued = scenarios.filter { $0.steps.first == stored.steps.first }
            #expect((3...17).contains(continued.count), "\(continued.count)")
            #expect(continued.allSatisfy { $0.steps.count { $0 == stored.steps[0] } == 1 })
        }
    }
}
