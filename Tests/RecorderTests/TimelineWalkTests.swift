import Recorder
import SansIO
import Testing

/// Tests of sessions with keyframes at intervals, machines that end and restart, and files without an index. However a
/// timeline moves to an event, the machines there are equal.
@Suite struct TimelineWalkTests {
    /// A session with keyframes of all running machines at intervals. `south` ends early, and does not restart in every
    /// second session.
    private static func session(seed: UInt64, closes: Bool) throws -> Recording {
        var recording = Recording(seed: seed)
        try recording.startElevator("north")
        try recording.startElevator("south")
        for index in 0..<2000 {
            recording.someInput()
            if index % 150 == 149 { try recording.keyframes() }
            if index == 700 { try recording.restart() }
            if index == 400, seed.isMultiple(of: 2) {
                recording.writer.stop(recording.machines[1].node, at: recording.now)
                recording.machines.remove(at: 1)
            }
            if index == 1500 { try recording.startElevator("late") }
        }
        try recording.writer.flush()
        if closes { try recording.writer.close(recording.machines, at: recording.now) }
        return recording
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>, [true, false])
    func everyPathLeadsToTheSameState(seed: UInt64, closes: Bool) throws {
        let reader = try SessionReader(bytes: try Self.session(seed: seed, closes: closes).bytes)
        let states = try reader.elevatorStates()
        let events = try reader.events()
        var random = SeededRandom(seed: seed)
        for _ in 0..<100 {
            var timeline = try Timeline(reader: reader, schema: ElevatorSchema(), checkpointInterval: 200)
            for _ in 0..<10 {
                switch random.below(3) {
                case 0: try timeline.go(to: random.below(timeline.count + 1))
                case 1: for _ in 0..<random.below(40) { try timeline.step() }
                default: for _ in 0..<random.below(40) { try timeline.stepBack() }
                }
                let position = timeline.position
                if position > 0 { #expect(try timeline.event(position) == events[Int(position) - 1]) }
                let visitedNumber = 1 + random.below(timeline.count)
                #expect(try timeline.event(visitedNumber) == events[Int(visitedNumber) - 1])
                // The state is not computed at every position, so that some walks continue from a position without a
                // computed state.
                guard random.below(2) == 0 else { continue }
                #expect(try timeline.state().machines == states[Int(position)].machines, "at \(position)")
            }
        }
    }

    @Test(arguments: [true, false])
    func aJumpEntersAtTheKeyframesBefore(closes: Bool) throws {
        let reader = try SessionReader(bytes: try Self.session(seed: 2, closes: closes).bytes)
        var timeline = try Timeline(reader: reader, schema: ElevatorSchema())
        // Each position is after a restart or after the end of a machine. The keyframes before the position do not
        // contain the restart or the end.
        for number in [timeline.count - 3, timeline.count / 3, timeline.count / 2] {
            try timeline.go(to: number)
            _ = try timeline.state()
            #expect((1..<600).contains(timeline.lastRun), "\(number)")
        }
        try timeline.stepBack()
        _ = try timeline.state()
        #expect((1..<64).contains(timeline.lastRun))
        try timeline.step()
        _ = try timeline.state()
        #expect(timeline.lastRun == 1)
        _ = try timeline.state()
        #expect(timeline.lastRun == 0)
    }

    @Test func readingEventsRunsNoMachine() throws {
        let reader = try SessionReader(bytes: try Self.session(seed: 2, closes: true).bytes)
        var timeline = try Timeline(reader: reader, schema: ElevatorSchema())
        for number in [timeline.count, timeline.count / 2, 3] {
            try timeline.go(to: number)
            #expect(try timeline.step()?.number == number + 1 || number == timeline.count)
            #expect(try timeline.event(number).number == number)
        }
        #expect(timeline.lastRun == 0)
        #expect(throws: SessionError.noSuchEvent(number: timeline.count + 1, last: timeline.count)) {
            try timeline.go(to: timeline.count + 1)
        }
        #expect(throws: SessionError.noSuchEvent(number: 0, last: timeline.count)) { try timeline.event(0) }
        #expect(timeline.position == 4)
    }

    @Test func aRunShowsEveryEventWithTheMachinesAfterIt() throws {
        let reader = try SessionReader(bytes: try Self.session(seed: 3, closes: true).bytes)
        let states = try reader.elevatorStates()
        let timeline = try Timeline(reader: reader, schema: ElevatorSchema())
        var numbers: [UInt64] = []
        try timeline.run(after: 1000, upTo: 1200) { view, replay in
            numbers.append(view.number)
            #expect(replay.machines == states[Int(view.number)].machines)
            return true
        }
        #expect(numbers == Array(1001...1200))
        numbers = []
        try timeline.scan(after: 7, upTo: 9) { view in
            numbers.append(view.number)
            return true
        }
        #expect(numbers == [8, 9])
    }

    /// A running machine without a keyframe makes the other keyframes at the same time unusable as an entry point.
    @Test func aRowWithoutARunningMachineIsNoEntryPoint() throws {
        var recording = Recording(seed: 9)
        try recording.startElevator("north")
        try recording.startElevator("south")
        for index in 0..<600 {
            recording.someInput()
            if index % 100 == 99 {
                try recording.writer.keyframe(
                    recording.machines[0].node, subject: recording.machines[0].subject, at: recording.now)
            }
        }
        try recording.writer.close(recording.machines, at: recording.now)
        let reader = try SessionReader(bytes: recording.bytes)
        let states = try reader.elevatorStates()
        let timeline = try Timeline(reader: reader, schema: ElevatorSchema())
        for number in stride(from: timeline.count, through: 1, by: -37) {
            #expect(try timeline.state(at: number).machines == states[Int(number)].machines)
        }
    }
}
