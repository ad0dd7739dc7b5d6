import IMDebugger
import IMProfiles
import IMSession
import Recorder
import SansIO
import Testing

@testable import IMCheckers
@testable import IMExplorer
@testable import IMSimulation

/// A search continues from snapshots of worlds. The result must equal that of playing each scenario from its beginning.
@Suite struct ForkedScenarioTests {
    @Test(arguments: Dialects.all.map(\.profile))
    func continuesLikeARunFromTheStart(_ profile: String) throws {
        var settings = Explorer.Settings()
        settings.profile = profile
        var forks = 0
        for block in 0..<4 as Range<UInt64> {
            let first = block * Explorer.blockLength
            _ = try Explorer(settings).search(block, seeds: first..<(first + Explorer.blockLength)) {
                seed, scenario, outcome in
                guard outcome.inherited > 0 else { return true }
                forks += 1
                let whole = try ScenarioPlayer(scenario).play()
                #expect(whole.chain == outcome.chain, "seed \(seed)")
                #expect(whole.events == outcome.events, "seed \(seed)")
                #expect(whole.refused == outcome.refused, "seed \(seed)")
                #expect(whole.violations == outcome.violations, "seed \(seed)")
                return true
            }
        }
        #expect(forks > 40, "too few scenarios went on from others: \(forks)")
    }

    /// Copied checkers have the same state in every field as the originals.
    @Test(arguments: Dialects.all.map(\.profile))
    func copiedCheckersHaveTheSameState(_ profile: String) throws {
        let dialect = try #require(Dialects.named(profile))
        for seed in 0..<8 as Range<UInt64> {
            let scenario = ScenarioDriver.scenario(seed: seed, profile: profile)
            let (world, checkers) = (try SimulatedWorld(scenario.configuration()), CheckerSet(dialect))
            world.core.onEvent = { [unowned core = world.core] in checkers.observe($0, in: core) }
            for step in scenario.steps {
                world.play([step])
                guard text(CheckerSet(copying: checkers)) == text(checkers) else {
                    Issue.record("seed \(seed): a copy knows something else")
                    return
                }
            }
        }
    }

    @Test func aForkDoesNotChangeItsSnapshot() throws {
        let scenario = ScenarioDriver.scenario(seed: 3, profile: "nim")
        let (coverage, dialect) = (Coverage(), try #require(Dialects.named("nim")))
        coverage.begin(3, dialect)
        var options = ScenarioPlayer.Options()
        options.keepsSnapshot = true
        let snapshot = try #require(try ScenarioPlayer(scenario, options).playKeepingSnapshot(coverage).snapshot)
        let checkers = try #require(snapshot.checkers)
        let before = text(checkers)
        let one = try ScenarioPlayer(scenario, options, from: snapshot).play()
        #expect(text(checkers) == before)
        #expect(try ScenarioPlayer(scenario, options, from: snapshot).play().chain == one.chain)
    }

    private func text(_ checkers: CheckerSet) -> String {
        var text = ""
        dump(checkers, to: &text)
        return text
    }

    /// A recording also has keyframes between the effects of one input.
    @Test func aRecordingContinuesBetweenItsKeyframes() throws {
        let steps = [
            ScenarioStep("phone", .addClient(.ios, device: nil)),
            ScenarioStep("phone", .login(user: "alice", .manual, lifetime: nil)), .wait(.seconds(1)),
            ScenarioStep("phone", .net(.switchNetwork)), .wait(.seconds(1)),
        ]
        let scenario = Scenario(profile: "nim", seed: 1, steps: steps)
        for interval in 1...3 as ClosedRange<UInt64> {
            let bytes = try ScenarioRecording.bytes(of: scenario, heals: false, keyframeInterval: interval)
            let reader = try SessionReader(bytes: bytes)
            let decoded = try DecodedSession(reader)
            for number in 4..<UInt64(decoded.events.count) {
                let outcome = try WhatIf(decoded, .none, at: number).run(WorldConfiguration(continuing: reader.header))
                #expect(outcome.isSame, "a keyframe after \(interval) events, from #\(number)")
            }
        }
    }

    /// The second of two equal frames at one instant arrives before a later command.
    @Test func aDuplicatedFrameArrivesTwiceBeforeTheNext() throws {
        let steps = [
            ScenarioStep("phone", .addClient(.ios, device: nil)),
            ScenarioStep("phone", .net(.rule(FrameRule(.duplicate, frame: "*", direction: .toClient, count: 1)))),
            ScenarioStep("phone", .login(user: "alice", .manual, lifetime: nil)), .wait(.milliseconds(40)),
            ScenarioStep("phone", .command(.logout(keepsPush: false))), .wait(.seconds(1)),
        ]
        let scenario = Scenario(profile: "zim", seed: 1, steps: steps)
        let reader = try SessionReader(bytes: ScenarioRecording.bytes(of: scenario, heals: false))
        let decoded = try DecodedSession(reader)
        for number in 4..<UInt64(decoded.events.count) {
            let outcome = try WhatIf(decoded, .none, at: number).run(WorldConfiguration(continuing: reader.header))
            #expect(outcome.isSame, "from #\(number)")
        }
    }

    /// If a world is in an endless loop at one instant, advancing it throws an error.
    @Test func aWorldWithoutProgressEnds() throws {
        let steps = [
            ScenarioStep("phone", .addClient(.ios, device: nil)),
            ScenarioStep("phone", .login(user: "alice", .manual, lifetime: nil)), .wait(.seconds(1)),
        ]
        let world = try SimulatedWorld(Scenario(profile: "nim", seed: 1, steps: steps).configuration())
        var alarms = 0
        world.core.onEvent = { [unowned core = world.core] event in
            guard case .input(.deadlineReached) = event.content, let node = core.node(named: event.node) else { return }
            alarms += 1
            core.setAlarm(core.now, of: node)
        }
        world.play(steps)
        let end = world.core.now
        #expect(throws: WorldError.self) { try world.advance(by: .minutes(10)) { _ in false } }
        #expect(alarms > WorldCore.inputsPerInstantMax / 2 && world.core.isStalled)
        #expect(world.core.now < end + .minutes(10))
    }

    @Test func aSearchWithoutProgressEndsWithAFinding() throws {
        var options = ScenarioPlayer.Options()
        options.inputsPerInstantMax = 2
        let outcome = try ScenarioPlayer(ScenarioDriver.scenario(seed: 3, profile: "nim"), options).play()
        #expect(outcome.violation?.kind == ScenarioPlayer.stallKind)
    }
}
