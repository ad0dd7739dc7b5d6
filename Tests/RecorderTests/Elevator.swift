import Recorder
import SansIO

/// A small machine with timers and random numbers for tests: an elevator, which is unrelated to IM.
struct Elevator: Machine, Hashable {
    enum Input: Hashable, Sendable {
        case called(floor: UInt32)
        case deadlineReached
        case message([UInt8])
    }

    enum Effect: Hashable, Sendable {
        case move(from: UInt32, to: UInt32)
        case openDoor(floor: UInt32)
        case closeDoor
        case chime(UInt32)
        case show([UInt8])
    }

    enum Timer: UInt8, Hashable, Comparable, Sendable {
        case arrival, door
        static func < (left: Timer, right: Timer) -> Bool { left.rawValue < right.rawValue }
    }

    var floor: UInt32 = 0
    var queue: [UInt32] = []
    var random: SeededRandom
    var seed: UInt64
    var drawn: UInt64 = 0
    var deadlines = Deadlines<Timer>()
    /// A deliberate change of the behaviour, which a replay must detect.
    var quirk: Quirk = .none

    enum Quirk: Hashable, Sendable { case none, forgetsToChime, chimesTwice, movesElsewhere, countsSilently, floods }

    init(seed: UInt64, quirk: Quirk = .none) {
        self.seed = seed
        random = SeededRandom(seed: seed)
        self.quirk = quirk
    }

    var nextDeadline: Instant? { deadlines.next }

    mutating func handle(_ input: Input, at now: Instant, into effects: inout [Effect]) {
        switch input {
        case .called(let target):
            queue.append(target)
            if queue.count == 1 { go(at: now, into: &effects) }
        case .deadlineReached:
            while let timer = deadlines.popDue(at: now) {
                switch timer {
                case .arrival:
                    floor = queue.isEmpty ? floor : queue.removeFirst()
                    effects.append(.openDoor(floor: floor))
                    let tone = draw()
                    if quirk != .forgetsToChime { effects.append(.chime(tone)) }
                    if quirk == .chimesTwice { effects.append(.chime(0)) }
                    deadlines.set(.door, at: now + .seconds(3))
                case .door:
                    effects.append(.closeDoor)
                    if !queue.isEmpty { go(at: now, into: &effects) }
                }
            }
        case .message(let text):
            if quirk == .countsSilently { seed &+= 1 }
            if quirk == .floods {
                effects.append(contentsOf: repeatElement(.closeDoor, count: Replay<ElevatorSchema>.effectsPerInputMax))
            }
            effects.append(.show(text))
        }
    }

    private mutating func draw() -> UInt32 {
        drawn += 1
        return UInt32(truncatingIfNeeded: random.below(100))
    }

    private mutating func go(at now: Instant, into effects: inout [Effect]) {
        let target = quirk == .movesElsewhere ? queue[0] &+ 1 : queue[0]
        effects.append(.move(from: floor, to: target))
        deadlines.set(.arrival, at: now + .seconds(Int64(floor.distance(to: queue[0]).magnitude)))
    }
}

/// The encoding of an elevator's values, as little-endian numbers.
struct ElevatorSchema: SessionSchema {
    typealias Subject = Elevator

    struct Malformed: Error, CustomStringConvertible { var description: String { "malformed" } }

    var formatName = "elevator"
    var behaviourVersion: UInt32 = 3
    var quirk = Elevator.Quirk.none

    func encode(_ input: Elevator.Input, into draft: inout EventDraft) {
        draft.direction = .inbound
        switch input {
        case .called(let floor):
            draft.channel = .sdk
            put(1, floor, 0, &draft.payload)
        case .deadlineReached:
            put(2, 0, 0, &draft.payload)
        case .message(let bytes):
            draft.channel = .transport
            draft.stream = 7
            draft.payload.append(3)
            draft.payload.append(contentsOf: bytes)
        }
    }

    func encode(_ effect: Elevator.Effect, into draft: inout EventDraft) {
        draft.direction = .outbound
        switch effect {
        case .move(let from, let to): put(1, from, to, &draft.payload)
        case .openDoor(let floor): put(2, floor, 0, &draft.payload)
        case .closeDoor: put(3, 0, 0, &draft.payload)
        case .chime(let tone): put(4, tone, 0, &draft.payload)
        case .show(let bytes):
            draft.channel = .transport
            draft.stream = 7
            draft.payload.append(5)
            draft.payload.append(contentsOf: bytes)
        }
    }

    func decodeInput(_ event: EventView) throws -> Elevator.Input {
        guard let kind = event.payload.first else { throw Malformed() }
        switch kind {
        case 1: return .called(floor: try number(event.payload, at: 1))
        case 2: return .deadlineReached
        case 3: return .message(Array(event.payload.dropFirst()))
        default: throw Malformed()
        }
    }

    func makeSubject(from start: EventView) throws -> Elevator {
        // A longer payload has meaningless bytes after the seed.
        guard start.payload.count == 8 || start.payload.count > SinkTests.packetMax else { throw Malformed() }
        return Elevator(seed: UInt64(try number(start.payload, at: 0)), quirk: quirk)
    }

    func encodeState(_ elevator: Elevator) throws -> [UInt8] {
        var bytes: [UInt8] = []
        put(0, elevator.floor, UInt32(elevator.queue.count), &bytes)
        for floor in elevator.queue { put(0, floor, 0, &bytes) }
        put(0, UInt32(truncatingIfNeeded: elevator.seed), UInt32(truncatingIfNeeded: elevator.drawn), &bytes)
        for entry in elevator.deadlines.entries {
            let nanoseconds = UInt64(bitPattern: entry.at.nanoseconds)
            put(
                entry.name.rawValue, UInt32(truncatingIfNeeded: nanoseconds),
                UInt32(truncatingIfNeeded: nanoseconds >> 32), &bytes)
        }
        return bytes
    }

    func decodeState(_ bytes: [UInt8]) throws -> Elevator {
        try bytes.withUnsafeBytes { raw in
            let count = Int(try number(raw, at: 5))
            guard count < 1000 else { throw Malformed() }
            let base = 9 * (count + 1)
            var elevator = Elevator(seed: UInt64(try number(raw, at: base + 1)), quirk: quirk)
            elevator.floor = try number(raw, at: 1)
            for index in 0..<count { elevator.queue.append(try number(raw, at: 9 * (index + 1) + 1)) }
            for _ in 0..<min(try number(raw, at: base + 5), 100_000) {
                elevator.drawn += 1
                _ = elevator.random.below(100)
            }
            for offset in stride(from: base + 9, to: raw.count, by: 9) {
                guard let timer = Elevator.Timer(rawValue: raw[offset]) else { throw Malformed() }
                let low = UInt64(try number(raw, at: offset + 1))
                let high = UInt64(try number(raw, at: offset + 5))
                elevator.deadlines.set(timer, at: Instant(nanoseconds: Int64(bitPattern: high << 32 | low)))
            }
            return elevator
        }
    }

    private func put(_ kind: UInt8, _ first: UInt32, _ second: UInt32, _ bytes: inout [UInt8]) {
        bytes.append(kind)
        for value in [first, second] {
            for shift in stride(from: UInt32(0), to: 32, by: 8) {
                bytes.append(UInt8(truncatingIfNeeded: value >> shift))
            }
        }
    }

    private func number(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws -> UInt32 {
        guard offset >= 0, offset + 4 <= bytes.count else { throw Malformed() }
        return UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
