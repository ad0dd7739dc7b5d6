import IMClient
import IMProfiles
import IMProtocol
import IMSession
import Recorder
import SansIO
import Testing

@testable import IMSimulation

/// In every recording, each input contains the number of the event that caused it.
@Suite struct RecordedCausesTests {
    private func recording(_ sink: MemorySink, keyframes: UInt64 = 50) -> Recording {
        let recording = Recording(
            sink: sink, path: nil, header: SessionHeader(title: "", profile: "nim", application: "", os: ""),
            epochNanoseconds: WorldConfiguration.simulatedEpoch(seed: 1))
        // Keyframes are numbered like events, so they must not shift the causes.
        recording.writer.keyframeInterval = keyframes
        return recording
    }

    private func logIn(_ world: SimulatedWorld) throws {
        let phone = try world.core.addClient("phone", platform: .ios)
        let credential = world.core.vault.reference(for: "alice")
        try world.core.command(.login(user: "alice", credential: credential, mode: .manual), client: phone)
        pass(world, 100)
        world.core.net(.reset, client: phone)
        pass(world, 100)
        try world.core.app(.sleep(.seconds(40)), client: phone)
        pass(world, 100)
    }

    private func pass(_ world: SimulatedWorld, _ seconds: Int64) {
        _ = world.run(until: world.core.now + .seconds(seconds)) { _ in false }
    }

    /// Checks the causes in a session, and returns their number.
    private func check(_ bytes: [UInt8]) throws -> Int {
        let reader = try SessionReader(bytes: bytes)
        #expect(try Verifier.verify(reader, schema: IMSessionSchema()) == .verified(events: reader.eventCount))
        var events: [UInt64: SessionEvent] = [:]
        var count = 0
        try reader.forEach { view in
            let event = SessionEvent(view, node: reader.name(of: view.node), schema: IMSessionSchema())
            events[event.number] = event
            let origin = events[event.cause]
            switch (event.content, origin?.content) {
            case (.input(.frame(_, let frame)), .effect(.send(_, let sent))?):
                #expect(frame.body.name == sent.body.name && frame.request == sent.request)
            case (.input(.deadlineReached), .input?): #expect(origin?.node == event.node)
            case (.input(.data(let answer)), .effect(.data(let request))?):
                #expect(answer.generation == request.generation)
            case (.input(.linkOpened), .effect(.connect)?), (.input(.linkClosed), .environment?),
                (.input(.app(.woke)), .environment?):
                break
            case (.effect, .input?): #expect(origin?.node == event.node)
            case (.input(.clientCommand), nil), (.start, nil), (.environment, nil), (.keyframe, nil), (.header, nil),
                (.clock, nil), (.closing, nil):
                return
            default: Issue.record("#\(event.number) \(event.content) comes of #\(event.cause)")
            }
            count += 1
        }
        return count
    }

    private func world(_ recording: Recording?) throws -> SimulatedWorld {
        try SimulatedWorld(WorldConfiguration(try #require(Dialects.named("nim"))), recording: recording)
    }

    @Test func `a recording from the start, a late one, and two in sequence`() throws {
        let (first, second, third, fourth) = (MemorySink(), MemorySink(), MemorySink(), MemorySink())
        let recorded = try world(recording(first))
        try logIn(recorded)
        try recorded.core.copyPast(into: recording(fourth))
        try recorded.core.replaceRecording(recording(second, keyframes: 20))
        pass(recorded, 100)
        try recorded.shutDown()

        let late = try world(nil)
        try logIn(late)
        try late.core.replaceRecording(recording(third))
        pass(late, 100)
        try late.shutDown()

        let counts = try [first, second, third, fourth].map { try check($0.bytes) }
        #expect(counts[0] > 50 && counts[1] > counts[0] && counts[2] == counts[1] && counts[3] == counts[0])
    }

    @Test func `a world that dropped events refuses a new recording, and continues the current one`() throws {
        let (first, second) = (MemorySink(), MemorySink())
        let recorded = try world(recording(first))
        recorded.core.keepsEvents = false
        try logIn(recorded)
        #expect(throws: WorldError.self) { try recorded.core.replaceRecording(recording(second)) }
        let count = try #require(recorded.core.recording).eventCount
        pass(recorded, 100)
        try recorded.shutDown()
        #expect(try SessionReader(bytes: first.bytes).eventCount > count + 1)
    }

    @Test func `a fork contains the causes of earlier events`() throws {
        let (first, second) = (MemorySink(), MemorySink())
        let original = try world(recording(first))
        try logIn(original)
        try original.shutDown()
        let decoded = try DecodedSession(SessionReader(bytes: first.bytes))
        let fork = try Fork.world(
            from: decoded, after: 60, configuration: WorldConfiguration(continuing: decoded.header),
            recording: recording(second), summarize: { _ in "" })
        pass(fork, 300)
        try fork.shutDown()
        #expect(try check(second.bytes) > 50)
    }
}
