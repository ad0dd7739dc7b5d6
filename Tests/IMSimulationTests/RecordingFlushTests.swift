import IMProfiles
import IMSession
import Recorder
import SansIO
import Testing

@testable import IMSimulation

/// Tests of when a recording is written to the operating system. The sink contains the bytes that were written.
@Suite struct RecordingFlushTests {
    private struct Observation {
        /// The numbers of the events that were reported, in order.
        var reportedNumbers: [UInt64] = []
        /// The events that were reported before the sink contained them.
        var unwritten: [UInt64] = []
        /// The number of events in the sink after each action of the world.
        var writtenAfterAction: [UInt64] = []
    }

    private func log(in flushing: RecordingFlush, isShown: @escaping (SessionEvent) -> Bool) throws -> Observation {
        let sink = MemorySink()
        var configuration = WorldConfiguration(try #require(Dialects.named("nim")))
        configuration.flushing = flushing
        let recording = Recording(
            sink: sink, path: nil, header: SessionHeader(title: "", profile: "nim", application: "", os: ""),
            epochNanoseconds: configuration.epochNanoseconds)
        let world = try SimulatedWorld(configuration, recording: recording)
        var observation = Observation()
        func written() -> UInt64 { (try? SessionReader(bytes: sink.bytes).eventCount) ?? 0 }
        world.core.isShown = isShown
        world.core.onEvent = { event in
            observation.reportedNumbers.append(event.number)
            if isShown(event), written() < event.number { observation.unwritten.append(event.number) }
        }
        let phone = try world.perform { try $0.addClient("phone", platform: .ios) }
        observation.writtenAfterAction.append(written())
        try world.perform { core in
            let credential = core.vault.reference(for: "alice")
            try core.command(.login(user: "alice", credential: credential, mode: .manual), client: phone)
        }
        observation.writtenAfterAction.append(written())
        _ = try world.advance(by: .seconds(100)) { _ in false }
        observation.writtenAfterAction.append(written())
        #expect(observation.reportedNumbers.count > 40)
        return observation
    }

    @Test func `events are written before they are shown`() throws {
        let observation = try log(in: .beforeShown) { $0.kind == "transition" }
        #expect(observation.unwritten == [])
        // A session this short has no keyframe, so the last event in the sink is the last reported event.
        #expect(observation.writtenAfterAction.last == observation.reportedNumbers.last)
    }

    @Test func `after each command all events are written, also unseen ones`() throws {
        let observation = try log(in: .beforeShown) { _ in false }
        #expect(observation.writtenAfterAction.allSatisfy { $0 > 0 } && Set(observation.writtenAfterAction).count == 3)
        #expect(observation.writtenAfterAction.last == observation.reportedNumbers.last)
    }

    @Test func `each batch is written before it is reported`() throws {
        #expect(try log(in: .eachBatch) { _ in true }.unwritten == [])
        // Events are reported before they are written here, which shows that the sink detects the order.
        #expect(try !log(in: .whenFull) { _ in true }.unwritten.isEmpty)
    }

    /// A sink on a disk that can be full.
    private final class FullSink: ByteSink {
        var bytes: [UInt8] = []
        var isFull = false

        func write(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {
            if isFull { throw .unwritable(reason: "No space left on device") }
            self.bytes.append(contentsOf: bytes)
        }

        func close() throws(SessionError) {}
    }

    private func world(_ policy: RecordingFailurePolicy, _ sink: FullSink) throws -> SimulatedWorld {
        var configuration = WorldConfiguration(try #require(Dialects.named("nim")))
        configuration.flushing = .eachBatch
        configuration.recordingFailurePolicy = policy
        let recording = Recording(
            sink: sink, path: nil, header: SessionHeader(title: "", profile: "nim", application: "", os: ""),
            epochNanoseconds: configuration.epochNanoseconds)
        return try SimulatedWorld(configuration, recording: recording)
    }

    @Test(arguments: [RecordingFailurePolicy.continues, .stops], [true, false])
    func `the end writes the events that a full disk refused, or throws`(
        policy: RecordingFailurePolicy, hasSpaceAgain: Bool
    ) throws {
        let sink = FullSink()
        let world = try world(policy, sink)
        let writtenCount = try SessionReader(bytes: sink.bytes).eventCount
        sink.isFull = true
        try world.core.command(.addAccount("alice"))
        try #require(world.core.recordingFailure != nil)
        sink.isFull = !hasSpaceAgain
        guard hasSpaceAgain else {
            #expect(throws: SessionError.self) { try world.shutDown() }
            return
        }
        try world.shutDown()
        let reader = try SessionReader(bytes: sink.bytes)
        #expect(reader.completeness == .closed)
        // The command, its result and the closing record.
        #expect(reader.eventCount >= writtenCount + 3)
        #expect(try Verifier.verify(reader, schema: IMSessionSchema()) == .verified(events: reader.eventCount))
    }

    @Test(arguments: [true, false])
    func `a server that waits for space starts again, unless the operator stops it`(isStopped: Bool) throws {
        let sink = FullSink()
        let world = try world(.stops, sink)
        let server = try #require(world.core.serverID)
        sink.isFull = true
        try world.core.command(.addAccount("alice"))
        try #require(!world.core.isRunning(server))
        #expect(throws: WorldError.self) { try world.core.server(.up) }
        if isStopped { try world.core.server(.down) }
        sink.isFull = false
        world.core.retryWriting()
        #expect(world.core.isRunning(server) == !isStopped)
        if isStopped { try world.core.server(.up) }
        #expect(world.core.isRunning(server))
    }
}
