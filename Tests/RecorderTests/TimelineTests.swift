import Recorder
import SansIO
import Testing

@Suite struct TimelineTests {
    @Test(arguments: [UInt64(0), 1, 7, 1024, .max])
    func everyStateEqualsAForwardReplay(interval: UInt64) throws {
        let reader = try SessionReader(bytes: try Recording.full(inputs: 60).bytes)
        let timeline = try Timeline(reader: reader, schema: ElevatorSchema(), checkpointInterval: interval)
        #expect(timeline.count == reader.eventCount)
        var replay = Replay<ElevatorSchema>()
        var effects: [Elevator.Effect] = []
        #expect(try timeline.state(at: 0).running.isEmpty)
        for event in try reader.events() {
            try event.withView {
                try replay.apply($0, schema: ElevatorSchema(), effects: &effects, nodeNames: reader.nodes)
            }
            #expect(try timeline.state(at: event.number).machines == replay.machines, "after \(event.number)")
        }
        #expect(throws: SessionError.noSuchEvent(number: timeline.count + 1, last: timeline.count)) {
            try timeline.state(at: timeline.count + 1)
        }
    }

    @Test func backwardStepsUndoForwardSteps() throws {
        let reader = try SessionReader(bytes: try Recording.full(inputs: 20).bytes)
        var timeline = try Timeline(reader: reader, schema: ElevatorSchema(), checkpointInterval: 8)
        var states: [Replay<ElevatorSchema>] = [try timeline.state()]
        while let event = try timeline.step() {
            #expect(event.number == timeline.position)
            states.append(try timeline.state())
        }
        #expect(timeline.position == timeline.count)
        while timeline.position > 0 {
            let event = try timeline.stepBack()
            #expect(event?.number ?? 0 == timeline.position)
            #expect(try timeline.state().machines == states[Int(timeline.position)].machines)
        }
        #expect(try timeline.stepBack() == nil)
    }

    @Test func manyCheckpointsAreThinnedOut() throws {
        let reader = try SessionReader(bytes: try Recording.full(inputs: 1500).bytes)
        let timeline = try Timeline(reader: reader, schema: ElevatorSchema(), checkpointInterval: 1)
        let coarse = try Timeline(reader: reader, schema: ElevatorSchema(), checkpointInterval: .max)
        #expect(reader.eventCount > 2000)
        #expect(try timeline.events(1...3).map(\.number) == [1, 2, 3])
        for number in stride(from: UInt64(1), through: timeline.count, by: 97) {
            #expect(try timeline.state(at: number).machines == coarse.state(at: number).machines)
        }
    }

    @Test func searchesInBothDirections() throws {
        let reader = try SessionReader(bytes: try Recording.full(inputs: 60).bytes)
        let timeline = try Timeline(reader: reader, schema: ElevatorSchema(), checkpointInterval: 5)
        let events = try reader.events()
        for number in 0...timeline.count + 1 {
            for role in [EventRole.header, .keyframe, .closing] {
                let next = try timeline.first(after: number) { $0.role == role }
                #expect(next == events.first { $0.number > number && $0.role == role })
                let previous = try timeline.last(before: number) { $0.role == role }
                #expect(previous == events.last { $0.number < number && $0.role == role })
            }
        }
        #expect(try timeline.event(9) == events[8])
        #expect(try timeline.events(3...6) == Array(events[2...5]))
        #expect(try timeline.events(0 ... .max) == events)
    }

    /// A long session is searched backwards in parts, each from one entry point to the previous one.
    @Test func aBackwardSearchMissesNothingAtTheBoundariesOfItsParts() throws {
        let reader = try SessionReader(bytes: try Recording.full(inputs: 2000).bytes)
        let timeline = try Timeline(reader: reader, schema: ElevatorSchema())
        let numbers = reader.index.flatMap { [$0.number - 1, $0.number, $0.number + 1] }.filter { $0 <= timeline.count }
        #expect(numbers.contains { $0 > 600 })
        for number in numbers {
            #expect(try timeline.last(before: timeline.count + 1) { $0.number == number }?.number == number)
        }
    }

    @Test func aKeyframeIsAnEntryPoint() throws {
        let schema = ElevatorSchema()
        let reader = try SessionReader(bytes: try Recording.full(inputs: 60).bytes)
        let events = try reader.events()
        #expect(reader.index.map(\.number) == events.filter { $0.role == .keyframe || $0.role == .start }.map(\.number))
        let timeline = try Timeline(reader: reader, schema: schema)
        for entry in reader.index {
            let scanner = reader.makeScanner(from: entry)
            let first = try #require(try scanner.next())
            #expect(Event(first) == events[Int(entry.number) - 1])
            if entry.role == .keyframe {
                #expect(try schema.decodeState(Array(first.payload)) == timeline.state(at: entry.number)[entry.node])
            }
            var count = entry.number
            while let view = try scanner.next() {
                count += 1
                #expect(Event(view) == events[Int(count) - 1])
            }
            #expect(count == reader.eventCount)
            #expect(scanner.completeness == .closed)
        }
        let north = try #require(reader.node(named: "north"))
        let last = try #require(reader.nearestEntry(of: north, upTo: reader.eventCount))
        #expect(last.role == .keyframe)
        #expect(reader.nearestEntry(of: north, upTo: 2) == nil)
    }
}

@Suite struct SessionDiffTests {
    @Test func equalSessionsHaveNoDifference() throws {
        let left = try SessionReader(bytes: try Recording.full().bytes)
        let diff = try SessionDiff.compare(left, try SessionReader(bytes: try Recording.full().bytes))
        #expect(diff.isEmpty)
        #expect(diff.before.count == 3)
    }

    @Test func theFirstDifferenceComesWithItsSurroundings() throws {
        let left = try Recording.full(inputs: 10, closes: false)
        var right = try Recording.full(inputs: 10, closes: false)
        let count = left.writer.eventCount
        for recording in [left, right] { recording.writer.mark("equal", at: recording.now) }
        left.writer.mark("left", at: left.now)
        right.writer.mark("right", at: right.now)
        right.now = right.now + .seconds(1)
        right.writer.mark("more", at: right.now)
        try left.writer.flush()
        try right.writer.flush()
        var options = SessionDiff.Options()
        options.context = 2
        let diff = try SessionDiff.compare(
            try SessionReader(bytes: left.bytes), try SessionReader(bytes: right.bytes), options: options)
        #expect(diff.left?.comment == "left")
        #expect(diff.right?.comment == "right")
        #expect(diff.left?.number == count + 2)
        #expect(diff.before.last?.comment == "equal")
        #expect(diff.before.count == 2)
        #expect(diff.leftAfter.isEmpty)
        #expect(diff.rightAfter.map(\.comment) == ["more"])
        let prefix = try SessionDiff.compare(
            try SessionReader(bytes: try Recording.full(inputs: 10, closes: false).bytes),
            try SessionReader(bytes: left.bytes))
        #expect(prefix.left == nil)
        #expect(prefix.right?.comment == "equal")
    }

    @Test func timesCountOnlyOnRequest() throws {
        func session(_ time: Instant) throws -> SessionReader {
            let recording = Recording()
            recording.writer.mark("now", at: time)
            try recording.writer.close(at: time)
            return try SessionReader(bytes: recording.bytes)
        }
        let early = try session(.zero)
        let late = try session(Instant(nanoseconds: 1))
        #expect(try SessionDiff.compare(early, late).isEmpty)
        var options = SessionDiff.Options()
        options.comparesTimes = true
        #expect(try SessionDiff.compare(early, late, options: options).left?.comment == "now")
    }
}
