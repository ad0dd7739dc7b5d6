import Recorder
import SansIO

/// A world of elevators that records them.
struct Recording {
    let sink = MemorySink()
    let writer: SessionWriter<ElevatorSchema>
    var machines: [(node: NodeIndex, subject: Elevator)] = []
    var now = Instant.zero
    var random: SeededRandom

    static let epoch: Int64 = 1_795_231_863_123_456_789

    init(schema: ElevatorSchema = ElevatorSchema(), title: String = "two lifts", seed: UInt64 = 42) {
        random = SeededRandom(seed: seed)
        writer = SessionWriter(
            sink: sink, schema: schema,
            header: SessionHeader(
                title: title, profile: "test", application: "imrepl 0.1", os: "Linux",
                parameters: [("seed", "\(seed)"), ("world", "simulated")]),
            epochNanoseconds: Recording.epoch)
    }

    /// A session of two elevators with every kind of event.
    static func full(
        inputs: Int = 30, schema: ElevatorSchema = ElevatorSchema(), seed: UInt64 = 42, closes: Bool = true,
        comments: Bool = true
    ) throws -> Recording {
        var recording = Recording(schema: schema, seed: seed)
        recording.writer.recordsComments = comments
        try recording.startElevator("north")
        try recording.startElevator("south")
        recording.writer.environment([1, 2, 3], at: recording.now, comment: "power dips")
        for index in 0..<inputs {
            recording.someInput()
            if index == inputs / 2 { recording.writer.mark("half way, \"quoted\" ✓", at: recording.now) }
            if index == inputs / 3 { try recording.keyframes() }
            if index == 2 * inputs / 3 { try recording.restart() }
        }
        try recording.writer.flush()
        if closes { try recording.writer.close(recording.machines, at: recording.now) }
        return recording
    }

    mutating func startElevator(_ name: String) throws {
        let node = writer.addNode(name)
        let seed = UInt8(truncatingIfNeeded: random.below(200))
        let subject = Elevator(seed: UInt64(seed))
        try writer.start(
            node, payload: [seed, 0, 0, 0, 0, 0, 0, 0], subject: subject, at: now, comment: "start \(name)")
        machines.append((node, subject))
    }

    /// Ends the process of the first machine, and starts it again.
    mutating func restart() throws {
        writer.stop(machines[0].node, at: now, comment: "stop")
        machines[0].subject = Elevator(seed: 5)
        try writer.start(machines[0].node, payload: [5, 0, 0, 0, 0, 0, 0, 0], at: now, comment: "start again")
    }

    mutating func keyframes() throws {
        for (node, subject) in machines { try writer.keyframe(node, subject: subject, at: now) }
    }

    /// Runs the next event: a timer that is due, or a new input.
    mutating func someInput() {
        let later = now + Interval(nanoseconds: Int64(random.below(2_000_000_000)))
        let due = machines.indices.min { time(of: $0) < time(of: $1) } ?? 0
        if time(of: due) <= later {
            now = max(now, time(of: due))
            give(.deadlineReached, to: due)
            return
        }
        now = later
        let index = Int(random.below(UInt64(machines.count)))
        switch random.below(3) {
        case 0:
            let bytes = (0..<random.below(9)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            give(.message(bytes), to: index)
        default: give(.called(floor: UInt32(random.below(20))), to: index)
        }
    }

    mutating func give(_ input: Elevator.Input, to index: Int) {
        let node = machines[index].node
        writer.input(input, node: node, at: now, comment: "\(input)")
        for effect in machines[index].subject.handle(input, at: now) {
            writer.effect(effect, node: node, at: now, comment: "\(effect)")
        }
    }

    private func time(of index: Int) -> Instant {
        machines[index].subject.nextDeadline ?? .distantFuture
    }

    /// All bytes that the sink received.
    var bytes: [UInt8] { sink.bytes }
}

extension SessionReader {
    /// The states of the elevators before the first event and after each event.
    func elevatorStates() throws -> [Replay<ElevatorSchema>] {
        var replay = Replay<ElevatorSchema>()
        var states = [replay]
        var effects: [Elevator.Effect] = []
        try forEach { view in
            try replay.apply(view, schema: ElevatorSchema(), effects: &effects, nodeNames: nodes)
            states.append(replay)
        }
        return states
    }
}

/// A block of a recording. Blocks are found only by their lengths.
struct Block {
    var offset: Int
    var length: Int
    var type: UInt32

    static func all(_ bytes: [UInt8]) -> [Block] {
        var blocks: [Block] = []
        var offset = 0
        while offset + 12 <= bytes.count {
            let length = Int(number(bytes, offset + 4))
            blocks.append(Block(offset: offset, length: length, type: number(bytes, offset)))
            offset += length
        }
        return blocks
    }

    static func number(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
    }
}
