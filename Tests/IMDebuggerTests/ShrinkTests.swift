import Foundation
import IMClient
import IMProfiles
import IMProtocol
import IMSession
import IMSimulation
import Recorder
import SansIO
import Testing

@testable import IMDebugger

/// A shrunk scenario still shows its failure, and no step of it can be removed.
@Suite struct ShrinkTests {
    static let sessions = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "sessions")

    /// Three recordings of the library, with their conditions.
    static let kept: [(recording: String, condition: String)] = [
        ("patterns/p-05-no-kicking-to-and-fro", "count(kind == transition and to == kicked) >= 1"),
        ("nim/nim-07-what-ends-the-retries", "count(callback == onAutoLoginFailed) >= 1"),
        ("zim/zim-04-connection-states", "count(kind == transition and to == reconnecting) >= 1"),
    ]

    private func scenario(_ name: String) throws -> Scenario {
        let reader = try SessionReader(path: Self.sessions.appending(path: name + ".pcapng").path)
        return try Scenario(DecodedSession(reader))
    }

    @Test(arguments: kept) func noStepOfAShrunkScenarioCanBeRemoved(_ name: String, _ text: String) throws {
        let whole = try scenario(name)
        let condition = try ShrinkCondition(text)
        try #require(condition.holds(for: whole), "\(name) does not show it")
        var shrinker = Shrinker(whole) { condition.holds(for: $0) }
        let outcome = shrinker.shrink()
        #expect(outcome.isDone)
        #expect(condition.holds(for: outcome.scenario))
        #expect(outcome.scenario.commandCount <= whole.commandCount)
        for stepIndex in outcome.scenario.steps.indices {
            var without = outcome.scenario
            let step = without.steps.remove(at: stepIndex)
            #expect(!condition.holds(for: without), "\(name): \(step.node) \(step.action) is not needed")
        }
    }

    /// A kick among many other events: two logins remain.
    @Test func aKickShrinksToTwoLogins() throws {
        var steps = ["phone", "pad", "tv"].map { ScenarioStep($0, .addClient(.ios, device: nil)) }
        for client in ["phone", "tv", "pad"] {
            steps += [
                .wait(.seconds(3)), ScenarioStep(client, .net(.delay(.milliseconds(300), jitter: .milliseconds(50)))),
                ScenarioStep(client, .login(user: "alice", .manual, lifetime: nil)), .wait(.seconds(5)),
                ScenarioStep(client, .command(.send(to: "bob", text: "to \(client)"))),
                ScenarioStep(client, .net(.clear)),
            ]
        }
        let whole = Scenario(profile: "nim", seed: 7, steps: steps + [.wait(.minutes(2))])
        let condition = try ShrinkCondition("count(kind == transition and to == kicked) >= 1")
        var shrinker = Shrinker(whole) { condition.holds(for: $0) }
        let shortest = shrinker.shrink().scenario
        #expect(shortest.commandCount == 4)
        #expect(shortest.clients.count == 2)
        #expect(shortest.duration <= .milliseconds(100))
        #expect(shortest.seed == 1)
    }

    @Test func consecutiveWaitsAreMerged() {
        let login = ScenarioStep("phone", .login(user: "alice", .manual, lifetime: nil))
        let merged = Shrinker.merged([.wait(.seconds(1)), .wait(.seconds(2)), login, .wait(.seconds(3))])
        #expect(merged == [.wait(.seconds(3)), login, .wait(.seconds(3))])
    }

    @Test func aRecordingGivesItsScenario() throws {
        let whole = try scenario(Self.kept[0].recording)
        let again = try Scenario(DecodedSession(SessionReader(bytes: ScenarioRecording.bytes(playing: whole))))
        #expect(again == whole)
    }
}
