import Foundation
import IMSession
import NIMSDK
import Recorder
import SimulatedApp
import Testing

/// How often one seed is run. `DETERMINISM_RUNS=1000` runs it more often, and prints the chain for comparison.
private let askedRuns = ProcessInfo.processInfo.environment["DETERMINISM_RUNS"].flatMap(Int.init)

/// A minimal app: it logs in, and stores its events.
@MainActor
private final class App: NIMLoginManagerDelegate {
    private(set) var steps: [NIMLoginStep] = []

    init() {
        NIMSDK.shared().register(with: NIMSDKOption(appKey: "key"))
        NIMSDK.shared().loginManager.add(self)
    }

    nonisolated func onLogin(_ step: NIMLoginStep) { MainActor.assumeIsolated { steps.append(step) } }
}

@MainActor
private final class Told {
    var words: [String] = []
}

@MainActor
private func halfAnHour(seed: UInt64) async throws -> SimulationReport {
    var reported: SimulationReport?
    try await withSimulation("nim", seed: seed, report: { reported = $0 }) { simulation in
        let phone = simulation.device("phone")
        _ = try phone.launch { App() }
        let token = simulation.token(for: "alice")
        try await phone.run { try await NIMSDK.shared().loginManager.login("alice", token: token) }
        try simulation.script(
            """
            client new pc --platform windows
            client new tab --platform web
            @pc login alice
            @tab login alice
            """)
        for _ in 0..<3 {
            await simulation.run(for: .seconds(300))
            try phone.networkDown()
            await simulation.run(for: .seconds(60))
            try phone.networkUp()
            await simulation.run(for: .seconds(240))
        }
    }
    return try #require(reported)
}

private struct Stopped: Error {}

@Suite struct SimulationTests {
    @Test func aSessionOfAnAppReplays() async throws {
        let report = try await halfAnHour(seed: 3)
        let reader = try SessionReader(bytes: report.session)
        #expect(reader.eventCount > 100)
        #expect(try Verifier.verify(reader, schema: IMSessionSchema()) == .verified(events: reader.eventCount))
        #expect(report.violations == [])
    }

    @Test func theSameSeedGivesTheSameSession() async throws {
        let first = try await halfAnHour(seed: 7)
        if askedRuns != nil { print("chain of an app: \(first.chain)") }
        for _ in 0..<(askedRuns ?? 20) {
            let again = try await halfAnHour(seed: 7)
            #expect(again.chain == first.chain)
            #expect(again.session == first.session)
        }
        let other = try await halfAnHour(seed: 8)
        #expect(other.session != first.session)
    }

    @MainActor @Test func pendingCallsOfAKilledProcessAreNotReportedToTheNext() async throws {
        let told = Told()
        try await withSimulation("nim") { simulation in
            let phone = simulation.device("phone")
            let token = simulation.token(for: "alice")
            _ = try phone.launch { App() }
            try phone.perform {
                NIMSDK.shared().loginManager.login("alice", token: token) { _ in
                    MainActor.assumeIsolated { told.words.append("first") }
                }
            }
            try phone.kill()
            let app = try phone.launch { App() }
            try phone.perform {
                NIMSDK.shared().loginManager.login("alice", token: token) { _ in
                    MainActor.assumeIsolated { told.words.append("second") }
                }
            }
            await simulation.run(for: .seconds(20))
            #expect(app.steps.last == .syncOK)
        }
        #expect(told.words == ["second"])
    }

    @Test func anAppThatShowsAWrongStateIsFound() async throws {
        var reported: SimulationReport?
        try await withSimulation("nim", report: { reported = $0 }) { simulation in
            let phone = simulation.device("phone")
            _ = try phone.launch { App() }
            let token = simulation.token(for: "alice")
            // The app ignores its events.
            phone.shown = { true }
            try await phone.run { try await NIMSDK.shared().loginManager.login("alice", token: token) }
            try simulation.script("server kick alice")
            await simulation.run(for: .seconds(5))
        }
        #expect(reported?.violations.map(\.rule) == ["C-15"])
    }

    @Test func withoutAReportAFindingFailsTheTest() async {
        await withKnownIssue {
            await #expect(throws: Stopped.self) {
                try await withSimulation("nim", recordedTo: "/dev/null") { simulation in
                    let phone = simulation.device("phone")
                    try phone.launch { NIMSDK.shared().loginManager.login("alice", token: "none") { _ in } }
                    throw Stopped()
                }
            }
        } matching: { issue in
            let text = "NIM-2 [phone] at 0.0 s: a login before NIMSDK.register(with:)\nsession: /dev/null"
            return issue.comments.map(\.rawValue) == [text] && issue.sourceLocation?.fileName == "SimulationTests.swift"
        }
    }

    @Test func aFailedLineIsNamed() async throws {
        try await withSimulation("nim") { simulation in
            _ = try simulation.device("phone").launch { App() }
            #expect(throws: (any Error).self) { try simulation.script("@phone expect state online within 1s") }
            #expect(throws: (any Error).self) { try simulation.script("no such line") }
        }
    }
}
