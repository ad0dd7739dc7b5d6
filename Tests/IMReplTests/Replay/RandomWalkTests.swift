import Foundation
import Recorder
import SansIO
import TestSupport
import Testing

@testable import IMDebugger
@testable import IMRepl
@testable import IMSession
@testable import IMShell

/// Tests that the machines at an event are equal, by whatever moves a user reaches the event.
@Suite struct RandomWalkTests {
    /// A thousand random walks over all recordings. `IMREPL_WALKS` sets the number of walks for each recording.
    private static let walksEach = ProcessInfo.processInfo.environment["IMREPL_WALKS"].flatMap { Int($0) } ?? 11
    private static let movesEach = 12

    private static let sessions = SessionLibrary.recordings

    @Test func `there are recordings to step through`() {
        #expect(Self.sessions.count > 80)
    }

    @Test(arguments: sessions)
    func `every path to an event gives the same machines`(path: String) throws {
        let reader = try SessionReader(path: path)
        let schema = IMSessionSchema()
        var states = [Replay<IMSessionSchema>()]
        var events: [Event] = []
        var replay = Replay<IMSessionSchema>()
        var effects: [NodeEffect] = []
        try reader.forEach { view in
            try replay.apply(view, schema: schema, effects: &effects, nodeNames: reader.nodes)
            effects.removeAll(keepingCapacity: true)
            states.append(replay)
            events.append(Event(view))
        }
        let session = try ReplaySession(path: path, output: LineOutput.silent)
        let seed = UInt64(path.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF })
        var random = SeededRandom(seed: seed)
        let conditions = try ["transition", "frame", "kind == timer"].map { try ReplayCondition($0) }
        for walk in 0..<Self.walksEach {
            // Some walks start without stored states, and others use the states of earlier walks.
            session.timeline = try Timeline(
                reader: reader, schema: schema, checkpointInterval: walk.isMultiple(of: 2) ? 1024 : 1 + random.below(99)
            )
            for _ in 0..<Self.movesEach {
                try move(session, &random, conditions)
                let position = Int(session.position)
                guard try session.state().machines == states[position].machines else {
                    Issue.record("\(path): walk \(walk) of seed \(seed): another state at event \(position)")
                    return
                }
                if position > 0 { #expect(try session.timeline.event(UInt64(position)) == events[position - 1]) }
                let stateNumber = random.below(session.count + 1)
                #expect(try session.timeline.state(at: stateNumber).machines == states[Int(stateNumber)].machines)
            }
        }
    }

    /// One random move that a user can make, or several steps.
    private func move(
        _ session: ReplaySession, _ random: inout SeededRandom, _ conditions: [ReplayCondition]
    ) throws {
        let count = session.count
        switch random.below(8) {
        case 0: try session.move(to: random.below(count + 1))
        case 1: for _ in 0..<random.below(20) { try session.timeline.step() }
        case 2: for _ in 0..<random.below(20) { try session.timeline.stepBack() }
        case 3:
            let end = try session.timeline.event(count).time.nanoseconds
            let randomTime = Instant(nanoseconds: Int64(random.below(UInt64(end) + 1)))
            let number = try session.debug.last(at: randomTime)
            // The position of a time is the last event up to that time.
            #expect(try number == 0 || session.timeline.event(number).time <= randomTime)
            #expect(try number == count || session.timeline.event(number + 1).time > randomTime)
            try session.move(to: number)
        case 4, 5:
            let isForward = random.below(2) == 0
            let condition = conditions[Int(random.below(UInt64(conditions.count)))]
            let from = session.position
            let found = try StopSearch(session: session.debug, until: condition).run(isForward: isForward)
            guard let found else { return }
            #expect(isForward ? found.event > from : found.event < from)
            try session.move(to: found.event)
        case 6:
            let step: Int64 = random.below(2) == 0 ? -1 : 1
            let isVisited = session.debug.visited.numbers.indices.contains(session.debug.visited.index + Int(step))
            if isVisited { try session.revisit(Int(step)) }
        default:
            let distance = random.below(50)
            let target = random.below(2) == 0 ? ReplayPosition.forward(distance) : .backward(distance)
            try session.move(to: target.resolve(in: session.debug))
        }
    }
}
