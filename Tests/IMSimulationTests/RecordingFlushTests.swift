import IMProfiles
import IMSession
import Recorder
import SansIO
import Testing

@testable import IMSimulation

/// Tests of when a recording is written to the operating system. The sink contains the bytes that were written.
@Suite struct RecordingFlushTests {
    private struct Seen {
        /// The numbers of the events that were reported, in order.
        var told: [UInt64] = []
        /// The events that were reported before the sink contained them.
        var unwritten: [UInt64] = []
        /// The number of events in the sink after each action of the world.
        var writtenBehind: [UInt64] = []
    }

    private func log(in flushing: RecordingFlush, isShown: @escaping (SessionEvent) -> Bool) throws -> Seen {
        let sink = MemorySink()
        var configuration = WorldConfiguration(try #require(Dialects.named("nim")))
        configuration.flushing = flushing
        let recording = Recording(
            sink: sink, path: nil, header: SessionHeader(title: "", profile: "nim", application: "", os: ""),
            epochNanoseconds: configuration.epochNanoseconds)
        let world = try SimulatedWorld(configuration, recording: recording)
        var seen = Seen()
        func written() -> UInt64 { (try? SessionReader(bytes: sink.bytes).eventCount) ?? 0 }
        world.core.isShown = isShown
        world.core.onEvent = { event in
            seen.told.append(event.number)
            if isShown(event), written() < event.number { seen.unwritten.append(event.number) }
        }
        let phone = try world.perform { try $0.addClient("phone", platform: .ios) }
        seen.writtenBehind.append(written())
        try world.perform { core in
            let credential = core.vault.reference(for: "alice")
            try core.command(.login(user: "alice", credential: credential, mode: .manual), client: phone)
        }
        seen.writtenBehind.append(written())
        _ = try world.advance(by: .seconds(100)) { _ in false }
        seen.writtenBehind.append(written())
        #expect(seen.told.count > 40)
        return seen
    }

    @Test func `events are written before they are shown`() throws {
        let seen = try log(in: .beforeShown) { $0.kind == "transition" }
        #expect(seen.unwritten == [])
        // A session this short has no keyframe, so the last event in the sink is the last reported event.
        #expect(seen.writtenBehind.last == seen.told.last)
    }

    @Test func `after each command all events are written, also unseen ones`() throws {
        let seen = try log(in: .beforeShown) { _ in false }
        #expect(seen.writtenBehind.allSatisfy { $0 > 0 } && Set(seen.writtenBehind).count == 3)
        #expect(seen.writtenBehind.last == seen.told.last)
    }

    @Test func `each batch is written before it is reported`() throws {
        #expect(try log(in: .eachBatch) { _ in true }.unwritten == [])
        // Events are reported before they are written here, which shows that the sink detects the order.
        #expect(try !log(in: .whenFull) { _ in true }.unwritten.isEmpty)
    }
}
