import Foundation
import Recorder
import SansIO
import Testing

@Suite struct SinkTests {
    private func header() -> SessionHeader {
        SessionHeader(title: "t", profile: "p", application: "imrepl 0.1", os: "Linux")
    }

    private func writer(_ sink: any ByteSink) -> SessionWriter<ElevatorSchema> {
        SessionWriter(sink: sink, schema: ElevatorSchema(), header: header(), epochNanoseconds: 0)
    }

    @Test func aFileEqualsTheBytesInMemory() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/s.pcapng"
        let memory = MemorySink()
        for sink: any ByteSink in [memory, try FileSink(path: path, creation: .new)] {
            let writer = writer(sink)
            let node = writer.addNode("north")
            try writer.start(node, payload: Array(repeating: 0, count: 8), at: .zero)
            // More data than the buffer holds, so the sink writes before the close.
            for _ in 0..<10_000 {
                writer.input(.message([1, 2, 3]), node: node, at: .zero)
                writer.effect(.show([1, 2, 3]), node: node, at: .zero)
            }
            try writer.close(at: .zero)
            #expect(writer.input(.deadlineReached, node: node, at: .zero) == 0)
        }
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(memory.bytes))
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
        let reader = try SessionReader(path: path)
        #expect(try Verifier.verify(reader, schema: ElevatorSchema()) == .verified(events: 20_004))
        #expect(throws: SessionError.unwritable(reason: "File exists")) { try FileSink(path: path, creation: .new) }
        _ = try FileSink(path: path, creation: .replace)
        #expect(throws: SessionError.empty) { try SessionReader(path: path) }
    }

    @Test func flushedBytesExistWithoutAClose() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/s.pcapng"
        let writer = writer(try FileSink(path: path, creation: .new))
        writer.mark("one", at: .zero)
        try writer.flush()
        let reader = try SessionReader(path: path)
        #expect(reader.eventCount == 3)
        #expect(reader.completeness == .torn(droppedBytes: 0))
        #expect("\(reader.completeness)" == "closing record missing")
        writer.mark("two", at: .zero)
        try writer.flush()
        // A reader has the session as it was when it was opened.
        #expect(try reader.events().count == 3)
        #expect(try SessionReader(path: path).eventCount == 4)
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/dev/full")))
    func aFullDiskIsATypedError() throws {
        let writer = writer(try FileSink(path: "/dev/full", creation: .replace))
        let expected = SessionError.unwritable(reason: "No space left on device")
        #expect(throws: expected) { try writer.flush() }
        #expect(writer.failure == expected)
        #expect(writer.mark("lost", at: .zero) == 0)
        #expect(throws: expected) { try writer.flush() }
        #expect(throws: expected) { try writer.close(at: .zero) }
    }

    /// A sink that accepts a few bytes at a time, as a busy system does, until it has no more room.
    final class ReluctantSink: ByteSink {
        var bytes: [UInt8] = []
        var room = Int.max

        func write(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {
            let taken = min(room, bytes.count)
            self.bytes.append(contentsOf: bytes.prefix(taken))
            room -= taken
            if taken < bytes.count { throw .unwritable(reason: "No space left on device") }
        }

        func close() throws(SessionError) {}
    }

    @Test(arguments: 0..<40)
    func aDiskThatFillsUpLeavesAReadableSession(hundreds: Int) throws {
        let sink = ReluctantSink()
        sink.room = 800 + hundreds * 37
        let writer = writer(sink)
        let node = writer.addNode("north")
        try writer.start(node, payload: Array(repeating: 0, count: 8), at: .zero)
        for _ in 0..<100 {
            writer.input(.message([1, 2, 3]), node: node, at: .zero)
            writer.effect(.show([1, 2, 3]), node: node, at: .zero)
            try? writer.flush()
        }
        #expect(writer.failure != nil)
        let reader = try SessionReader(bytes: sink.bytes)
        #expect(reader.completeness != .closed)
        #expect(try Verifier.verify(reader, schema: ElevatorSchema()) == .verified(events: reader.eventCount))
    }

    @Test func limitsHold() throws {
        let sink = MemorySink()
        let writer = writer(sink)
        let node = writer.addNode(String(repeating: "n", count: 1000))
        // The largest payload is recorded, with the longest comment. A payload that is one byte longer stops the
        // recording.
        let limit = 262_144 - 100
        let long = String(repeating: "é", count: 40_000)
        writer.environment(Array(repeating: 7, count: limit), node: node, at: .zero, comment: long)
        let last = writer.mark("the last", at: .zero)
        #expect(writer.environment(Array(repeating: 7, count: limit + 1), node: node, at: .zero) == 0)
        let expected = SessionError.payloadTooLarge(role: .environment, bytes: limit + 1, limit: limit)
        #expect(throws: expected) { try writer.close(at: .zero) }
        #expect(sink.bytes.isEmpty == false)
        let events = try SessionReader(bytes: sink.bytes).events()
        #expect(events.last?.number == last)
        #expect(events[2].payload.count == limit)
        #expect(events[2].comment == String(repeating: "é", count: 32_500))
    }

    /// The maximum size of a packet's payload, in bytes.
    static let packetMax = 262_144 - 100

    /// A start with a payload of any size is one event, at every entry point and after every truncation.
    @Test func aStartOfAnySize() throws {
        var recording = Recording()
        try recording.startElevator("north")
        for _ in 0..<10 { recording.someInput() }
        let before = recording.writer.eventCount
        let payload = [5, 0, 0, 0, 0, 0, 0, 0] + Array(repeating: UInt8(7), count: 2 * Self.packetMax)
        let south = recording.writer.addNode("south")
        try recording.writer.flush()
        let begin = recording.bytes.count
        let start = try recording.writer.start(south, payload: payload, at: recording.now, comment: "a large start")
        recording.machines.append((south, Elevator(seed: 5)))
        for _ in 0..<10 { recording.someInput() }
        try recording.writer.close(recording.machines, at: recording.now)
        #expect(start == before + 1)

        let bytes = recording.bytes
        let reader = try SessionReader(bytes: bytes)
        #expect(reader.completeness == .closed)
        #expect(try reader.events()[Int(before)].payload == payload)
        #expect(try Verifier.verify(reader, schema: ElevatorSchema()) == .verified(events: reader.eventCount))
        let entry = try #require(reader.nearestEntry(of: south, upTo: start))
        #expect(try reader.makeScanner(from: entry).next()?.payload.count == payload.count)
        let states = try reader.elevatorStates()
        let timeline = try Timeline(reader: reader, schema: ElevatorSchema(), checkpointInterval: .max)
        #expect(try timeline.state(at: start + 5).machines == states[Int(start) + 5].machines)

        for length in stride(from: begin, to: begin + payload.count, by: 10_007) {
            let cut = try SessionReader(bytes: Array(bytes[..<length]))
            #expect(cut.eventCount == before, "cut at \(length)")
            #expect(cut.completeness != .closed)
        }
        // The parts of a long start are damaged if the start is missing, or if a byte of a part is changed.
        var changed = bytes
        changed[begin + 1000] ^= 1
        #expect(throws: SessionError.self) { try SessionReader(bytes: changed).events() }
    }

    @Test func aLargeStateIsOmitted() throws {
        let writer = writer(MemorySink())
        let node = writer.addNode("north")
        var subject = Elevator(seed: 1)
        subject.queue = Array(repeating: 3, count: 40_000)
        #expect(try writer.keyframe(node, subject: subject, at: .zero) == nil)
        #expect(writer.failure == nil)
    }

    @Test func manyNodesStillClose() throws {
        let sink = MemorySink()
        let writer = writer(sink)
        for index in 0..<20_000 {
            let node = writer.addNode("a client with a rather long name \(index)")
            writer.environment([], node: node, at: .zero)
        }
        try writer.close(at: .zero)
        let reader = try SessionReader(bytes: sink.bytes)
        #expect(reader.completeness == .closed)
        #expect(reader.eventCount == 20_003)
        #expect(reader.nodes.count == 20_001)
        #expect(reader.nodes.last == "a client with a rather long name 19999")
    }

    @Test func aKeyframeIsRequestedAfterTheInterval() throws {
        let writer = writer(MemorySink())
        writer.keyframeInterval = 4
        let node = writer.addNode("north")
        #expect(!writer.needsKeyframe)
        for _ in 0..<2 { writer.mark("x", at: .zero) }
        #expect(writer.needsKeyframe)
        try writer.keyframe(node, subject: Elevator(seed: 1), at: .zero)
        #expect(!writer.needsKeyframe)
    }

    @Test func commentsAreNotComposedInBulk() throws {
        let writer = writer(MemorySink())
        writer.recordsComments = false
        let node = writer.addNode("north")
        func compose() -> String {
            Issue.record("composed")
            return ""
        }
        writer.input(.deadlineReached, node: node, at: .zero, comment: compose())
        writer.stop(node, at: .zero, comment: compose())
    }

    @Test func aNodeOfAnotherSessionIsAnError() throws {
        let writer = writer(MemorySink())
        #expect(writer.stop(NodeIndex(rawValue: 9), at: .zero) == 0)
        #expect(throws: SessionError.self) { try writer.flush() }
    }
}
