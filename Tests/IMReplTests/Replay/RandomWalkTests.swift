import Foundation
import IMWorld
import Recorder
import SansIO
import TestSupport
import Testing

/// Whichever way an event is reached, the machines are the same there.
@Suite struct RandomWalkTests {
    /// A thousand walks over all recordings; `IMREPL_WALKS` asks for so many through each one.
    private static let walksEach = ProcessInfo.processInfo.environment["IMREPL_WALKS"].flatMap { Int($0) } ?? 11
    private static let movesEach = 12

    private static let sessions: [String] = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("sessions").path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".pcapng") }.sorted().map { "\(folder)/\($0)" }
    }()

    @Test func `there are recordings to walk through`() {
        #expect(Self.sessions.count > 80)
    }

    @Test(arguments: sessions)
    func `every way to an event leads to the same machines`(path: String) throws {
        let reader = try SessionReader(path: path)
        let schema = IMSessionSchema()
        var states = [Replay<IMSessionSchema>()]
        var replay = Replay<IMSessionSchema>()
        var effects: [NodeEffect] = []
        try reader.forEach { view in
            try replay.apply(view, schema: schema, effects: &effects, nodeNames: reader.nodes)
            effects.removeAll(keepingCapacity: true)
            states.append(replay)
        }
        let seed = UInt64(path.utf8.reduce(0) { ($0 &* 31 &+ Int($1)) & 0xFFFF_FFFF })
        var random = SeededRandom(seed: seed)
        for walk in 0..<Self.walksEach {
            // Some walks begin with nothing kept, others go on with what the ones before left.
            var timeline = try Timeline(
                reader: reader, schema: schema, checkpointInterval: walk.isMultiple(of: 2) ? 1024 : 1 + random.below(99)
            )
            for _ in 0..<Self.movesEach {
                switch random.below(4) {
                case 0: try timeline.go(to: random.below(timeline.count + 1))
                case 1: for _ in 0..<random.below(20) { try timeline.step() }
                case 2: for _ in 0..<random.below(20) { try timeline.stepBack() }
                default:
                    let number = random.below(timeline.count + 1)
                    #expect(try timeline.state(at: number).machines == states[Int(number)].machines)
                }
                let position = Int(timeline.position)
                guard timeline.state.machines == states[position].machines else {
                    Issue.record("\(path): walk \(walk) of seed \(seed): another state at event \(position)")
                    return
                }
            }
        }
    }
}
