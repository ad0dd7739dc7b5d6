import IMClient
import IMProtocol
import IMSession
import IMSimulation
import Recorder
import SansIO
import Testing

@testable import IMDebugger

/// Before the event that decides a random outcome, the outcome differs between runs. After the event, it is the same in
/// all runs.
@Suite struct OddsTests {
    private func odds(
        _ steps: [ScenarioStep], seed: UInt64, _ text: String, runs: Int = 40, pointsMax: Int = 60
    ) throws -> Odds {
        let scenario = Scenario(profile: "nim", seed: seed, steps: steps)
        let decoded = try DecodedSession(SessionReader(bytes: ScenarioRecording.bytes(playing: scenario)))
        let condition = try ShrinkCondition(text)
        let finder = try OddsFinder(decoded, timingPerMille: 0) { condition.run($0, reseededBy: $1) }
        try #require(finder.occursInRecording)
        return finder.find(runs: runs, pointsMax: pointsMax, words: { _ in "" })
    }

    @Test func withoutRandomnessAllRunsAreEqual() throws {
        let odds = try odds(
            [
                ScenarioStep("phone", .addClient(.ios, device: nil)),
                ScenarioStep("phone", .login(user: "alice", .manual, lifetime: nil)), .wait(.seconds(1)),
            ], seed: 1, "to == online")
        #expect(odds.points.allSatisfy { $0.count == 40 })
        #expect(odds.alwaysFrom?.number == 0)
        #expect(odds.points.first?.courses == 1)
        #expect(odds.summary.first?.contains("at least 91 %") == true)
    }

    @Test func theNumberOfExaminedEventsIsLimited() throws {
        let steps: [ScenarioStep] = [
            ScenarioStep("phone", .addClient(.ios, device: nil)),
            ScenarioStep("phone", .login(user: "alice", .manual, lifetime: nil)), .wait(.seconds(1)),
        ]
        let text = "to == online"
        let all = try odds(steps, seed: 1, text, runs: 1).points.map(\.number)
        try #require(all.count > 3)
        for pointsMax in 2...all.count {
            let numbers = try odds(steps, seed: 1, text, runs: 1, pointsMax: pointsMax).points.map(\.number)
            #expect(numbers.count <= pointsMax && numbers.first == 0 && numbers.last == all.last, "\(pointsMax)")
        }
    }

    /// A sample proves nothing for certain, and chance matters although the outcome is the same.
    @Test func withLossTheOutcomeOccursInDifferentWays() throws {
        let odds = try odds(
            [
                ScenarioStep("phone", .addClient(.ios, device: nil)), ScenarioStep("phone", .net(.loss(600_000))),
                ScenarioStep("phone", .login(user: "alice", .manual, lifetime: nil)), .wait(.seconds(600)),
            ], seed: 1, "kind == transition and to == connecting")
        let first = try #require(odds.points.first)
        #expect(first.count == 40 && first.courses > 1)
        #expect(odds.text(first) == "40 of 40 runs (91-100 %)")
        #expect(odds.summary.joined().contains("different courses"))
    }

    @Test func theOutcomeIsPossibleBeforeALossAndCertainAfterIt() throws {
        let steps: [ScenarioStep] = [
            ScenarioStep("phone", .addClient(.ios, device: nil)), ScenarioStep("phone", .net(.loss(500_000))),
            ScenarioStep("phone", .login(user: "alice", .manual, lifetime: nil)), .wait(.seconds(12)),
            ScenarioStep("phone", .command(.query(.state))),
        ]
        // A seed with which a frame of the login is lost. About half of the seeds lose one.
        let text = "count(result and not status == ok) >= 1"
        let seed = try #require(
            (1...20 as ClosedRange<UInt64>).first { seed in
                (try? ShrinkCondition(text))?.holds(for: Scenario(profile: "nim", seed: seed, steps: steps)) == true
            })
        let odds = try odds(steps, seed: seed, text)
        let first = try #require(odds.points.first)
        let last = try #require(odds.points.last)
        #expect((1..<40).contains(first.count), "\(first.count) of 40")
        #expect(last.count == 40)
        #expect(odds.alwaysFrom != nil)
        #expect(odds.alwaysFrom?.number != 0)
    }
}
