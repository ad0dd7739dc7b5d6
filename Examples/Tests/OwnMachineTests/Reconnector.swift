import Recorder
import SansIO

/// A client's reconnecting as a custom machine: it retries after 1, 2, 4, 8 seconds, and no more often.
struct Reconnector: Machine {
    enum Input: Hashable, Sendable {
        case linkOpened
        case linkClosed
        case deadlineReached
    }

    enum Effect: Hashable, Sendable {
        case connect
        case giveUp
    }

    enum Timer: UInt8, Hashable, Comparable, Sendable {
        case retry

        static func < (left: Timer, right: Timer) -> Bool { left.rawValue < right.rawValue }
    }

    var attempts: UInt8 = 0
    var timers = Deadlines<Timer>()
    /// A wrong change, for the test.
    var waitsTooLong = false

    var nextDeadline: Instant? { timers.next }

    mutating func handle(_ input: Input, at now: Instant, into effects: inout [Effect]) {
        switch input {
        case .linkOpened: attempts = 0
        case .linkClosed:
            guard attempts < 4 else { return effects.append(.giveUp) }
            timers.set(.retry, at: now + .seconds(Int64(waitsTooLong ? 8 : 1 << attempts)))
            attempts += 1
        case .deadlineReached:
            while timers.popDue(at: now) != nil { effects.append(.connect) }
        }
    }
}

/// Encodes its values as bytes: equal values give the same bytes, and no bytes may cause a trap.
struct ReconnectorSchema: SessionSchema {
    struct Unknown: Error {}

    let formatName = "reconnector"
    let behaviourVersion: UInt32 = 1
    var waitsTooLong = false

    func encode(_ input: Reconnector.Input, into draft: inout EventDraft) {
        draft.direction = .inbound
        switch input {
        case .linkOpened: draft.payload.append(1)
        case .linkClosed: draft.payload.append(2)
        case .deadlineReached: draft.payload.append(3)
        }
    }

    func encode(_ effect: Reconnector.Effect, into draft: inout EventDraft) {
        draft.direction = .outbound
        switch effect {
        case .connect: draft.payload.append(1)
        case .giveUp: draft.payload.append(2)
        }
    }

    func decodeInput(_ event: EventView) throws -> Reconnector.Input {
        switch event.payload.first {
        case 1: return .linkOpened
        case 2: return .linkClosed
        case 3: return .deadlineReached
        default: throw Unknown()
        }
    }

    func makeSubject(from start: EventView) throws -> Reconnector { Reconnector(waitsTooLong: waitsTooLong) }

    func encodeState(_ machine: Reconnector) throws -> [UInt8] {
        [machine.attempts] + (machine.nextDeadline.map { Array("\($0.nanoseconds)".utf8) } ?? [])
    }

    func decodeState(_ bytes: [UInt8]) throws -> Reconnector {
        guard let attempts = bytes.first else { throw Unknown() }
        var machine = Reconnector(attempts: attempts)
        if bytes.count > 1 {
            guard let due = Int64(String(decoding: bytes.dropFirst(), as: UTF8.self)) else { throw Unknown() }
            machine.timers.set(.retry, at: Instant(nanoseconds: due))
        }
        return machine
    }
}
