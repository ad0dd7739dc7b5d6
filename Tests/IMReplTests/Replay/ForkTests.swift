import Foundation
import IMProtocol
import Recorder
import SansIO
import TestSupport
import Testing

@testable import IMRepl
@testable import IMSession
@testable import IMSimulation

/// Tests of continuing from an event of a recording, manually or with one change.
@Suite struct ForkTests {
    /// Without a change, the scenario continues as recorded from any position, with the same machines, connections,
    /// frames in flight and random numbers.
    @Test(arguments: SessionLibrary.scripts) func withoutAChangeItContinuesAsRecorded(_ script: String) throws {
        let harness = try ScenarioHarness(String(script.dropLast(4)))
        let count = UInt64(harness.decoded.events.count)
        // The middle of the recording. `make test-deep` uses seventeen more positions of each recording.
        let others = searchesDeeply ? [1, 3, count - 1] + (1..<15).map { count / 15 * $0 } : []
        for number in [count / 2] + others {
            let outcome = try harness.outcome(.none, at: number)
            #expect(outcome.skipped.isEmpty, "from #\(number)")
            let words = outcome.difference.map { "\($0.node): \($0.recorded as Any) is \($0.altered as Any)" }
            #expect(outcome.isSame, "from #\(number): \(words ?? "")")
            #expect(outcome.recorded.map(\.time) == outcome.altered.map(\.time), "from #\(number)")
        }
    }

    /// The names of credentials in a fork differ from those of earlier credentials.
    @Test func aNewSecretHasItsOwnName() throws {
        let harness = try ScenarioHarness(
            playing: """
                #! imrepl script 1
                # profile: nim
                client new phone --platform ios
                @phone login alice --token nonsense
                wait 1s
                """)
        let world = try Fork.world(
            from: harness.decoded, after: UInt64(harness.decoded.events.count), configuration: harness.configuration,
            recording: nil, summarize: { _ in "" })
        #expect(world.core.vault.keep("other") == "given-2")
        try world.shutDown()
    }

    /// All frames, timers and connections are compared, not only states and callbacks. The positions include the ends
    /// of processes, which leave data that is not visible.
    @Test(arguments: SessionLibrary.scripts) func withoutAChangeEveryEventIsEqual(_ script: String) throws {
        let harness = try ScenarioHarness(String(script.dropLast(4)))
        let expected = harness.repeatedEvents
        let ends = harness.decoded.events.dropLast(20).filter { $0.kind == "stop" }
        try requireSame(harness, from: [expected[expected.count / 2].number] + ends.prefix(3).map(\.number))
    }

    /// In these scenarios, packets reach a sleeping device or a server that is down, or an app acts while its network
    /// changes. The recording does not contain the arrival of the packets. A fork must deliver them before an action
    /// at the same instant, and the app's action must still use the old network.
    @Test(arguments: [
        "@pad login alice\napp sleep 60s\nwait 20ms\nnet clear\nnet up\nwait 80s",
        "@pad login alice\nserver down\nwait 10ms\nserver up\nwait 40s",
        "client new phone --platform android\n@phone login bob\nwait 1s\n@pad login alice\nserver down\nwait 10ms\nserver up\nwait 9s",
        "@pad login alice\nwait 50ms\nnet down\nnet switch\nnet clear\nnet up\nwait 30s",
        "app sleep 600s\nlogin alice\nclient new phone --platform android\n@phone login bob\n@phone net down\nwait 2s",
    ])
    func unrecordedStateIsRestored(_ lines: String) throws {
        let head = "#! imrepl script 1\n# profile: zim\nclient new pad --platform ios\n"
        let harness = try ScenarioHarness(playing: head + lines)
        try requireSame(harness, from: Array(4...UInt64(harness.decoded.events.count)))
    }

    /// The order of simultaneous events was random. A fork repeats this order.
    @Test func aRandomOrderContinuesAsRecorded() throws {
        let harness = try ScenarioHarness(
            playing: """
                #! imrepl script 1
                # profile: nim
                # seed: 11
                # order: drawn
                client new phone --platform ios
                client new pad --platform android
                client new pc --platform windows
                @phone login alice
                @pad login alice
                @pc login bob
                wait 1s
                @pc send hello to alice
                server restart
                wait 40s
                """)
        #expect(harness.decoded.header["order"] == "drawn")
        try requireSame(harness, from: Array(6...UInt64(harness.decoded.events.count)))
    }

    /// A sleeping device is not notified of a clock change, and may never wake.
    @Test func aSleepingDeviceStaysAsleepAfterAFork() throws {
        let harness = try ScenarioHarness(
            playing: """
                #! imrepl script 1
                # profile: nim
                client new phone --platform ios
                login alice
                wait 1s
                clock skew +1h
                app sleep 5s
                clock skew +2h
                wait 6s
                app sleep 30s
                wait 1s
                app kill
                wait 1s
                app start
                login alice
                wait 40s
                """)
        try requireSame(harness, from: Array(3...UInt64(harness.decoded.events.count)))
    }

    /// The waking device gets the frames one by one, and its store answers in between.
    @Test func framesFromASleepAreDeliveredOneByOne() throws {
        let harness = try ScenarioHarness(
            playing: """
                #! imrepl script 1
                # profile: zim
                client new pad --platform ipad
                client new other --platform ipad
                @pad login alice
                wait 25ms
                @pad app sleep 50s
                wait 10ms
                @other login alice
                wait 60s
                """)
        try requireSame(harness, from: Array(3...UInt64(harness.decoded.events.count)))
    }

    /// The two login frames are equal except for the token, and each token has its own verdict.
    @Test func equalFramesHaveTheirOwnVerdicts() throws {
        let harness = try ScenarioHarness(
            playing: """
                #! imrepl script 1
                # profile: nim
                client new phone --platform ios
                login alice --token nonsense
                wait 2s
                login alice
                wait 2s
                app kill
                app start
                login alice --token nonsense
                wait 2s
                """)
        try requireSame(harness, from: Array(3...UInt64(harness.decoded.events.count)))
    }

    /// Checks that a world that continues from any of the given events has the same later events at the same times as
    /// the recording.
    private func requireSame(_ harness: ScenarioHarness, from numbers: [UInt64]) throws {
        let expected = harness.repeatedEvents
        for number in numbers {
            let repeated = try harness.altered(.none, at: number).events.filter(\.isOfTheScenario).prefix(
                expected.count)
            let difference = Array(zip(expected, repeated)).firstIndex { !$0.isSame(as: $1) || $0.time != $1.time }
            #expect(
                difference == nil && expected.count == repeated.count,
                "from #\(number): \(difference.map { expected[$0] } as Any)")
        }
    }
}

extension ScenarioHarness {
    /// The events that every run of the scenario repeats.
    fileprivate var repeatedEvents: [SessionEvent] {
        decoded.events.prefix(decoded.commandDuringSleep() ?? decoded.events.count).filter(\.isOfTheScenario)
    }
}

extension SessionEvent {
    /// True if the event belongs to the scenario and not to the recorder.
    fileprivate var isOfTheScenario: Bool {
        switch content {
        case .header, .clock, .keyframe, .closing: false
        default: true
        }
    }
}
