import Foundation
import Recorder
import SansIO
import Testing

/// Tests of parts after the last event of a session file. They do not change the session, and each changed byte of a
/// part is detected.
@Suite struct AttachmentTests {
    private static let parts = [
        SessionAttachment(name: "note", text: "it hangs ✓"),
        SessionAttachment(name: "empty", contents: []),
        SessionAttachment(name: "bytes", contents: Array(0...255)),
    ]

    /// The bytes of a session with attached parts.
    private static func attached(
        to bytes: [UInt8], _ parts: [SessionAttachment] = Self.parts
    ) throws -> [UInt8] {
        let sink = MemorySink()
        try SessionReader(bytes: bytes).copy(to: sink, attaching: parts)
        return sink.bytes
    }

    private static func failure(_ bytes: [UInt8]) -> SessionError? {
        do throws(SessionError) {
            _ = try Verifier.verify(try SessionReader(bytes: bytes), schema: ElevatorSchema())
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [true, false]) func attachmentsDoNotChangeTheSession(closes: Bool) throws {
        let bytes = try Recording.full(closes: closes).bytes
        let (plain, report) = (try SessionReader(bytes: bytes), try SessionReader(bytes: try Self.attached(to: bytes)))
        #expect(report.attachments == Self.parts)
        #expect(report.attachments[0].text == "it hangs ✓")
        #expect(plain.attachments == [])
        #expect(report.completeness == plain.completeness)
        #expect(report.index == plain.index)
        #expect(report.nodes == plain.nodes)
        #expect(try report.events() == plain.events())
        #expect(try Self.attached(to: bytes).starts(with: bytes))
        #expect(try Verifier.verify(report, schema: ElevatorSchema()) == .verified(events: plain.eventCount))
    }

    /// With attached parts, the index is still used, and a timeline at the end of the file finds the same events.
    @Test func aTimelineGoesToTheEndAndBack() throws {
        let bytes = try Self.attached(to: try Recording.full().bytes)
        let reader = try SessionReader(bytes: bytes)
        let timeline = try Timeline(reader: reader, schema: ElevatorSchema())
        #expect(try timeline.event(reader.eventCount).role == .closing)
        #expect(throws: SessionError.self) { try timeline.event(reader.eventCount + 1) }
        for entry in reader.index {
            let scanner = reader.makeScanner(from: entry)
            var last: UInt64 = 0
            while let view = try scanner.next() { last = view.number }
            #expect(last == reader.eventCount)
            #expect(scanner.completeness == .closed)
            // A scanner that has reached the end returns nil again.
            #expect(try scanner.next() == nil)
        }
    }

    @Test(arguments: [true, false]) func newPartsReplaceOldOnes(closes: Bool) throws {
        let bytes = try Recording.full(closes: closes).bytes
        let once = try Self.attached(to: bytes)
        let other = [SessionAttachment(name: "note", text: "it does not")]
        #expect(try Self.attached(to: once, other) == (try Self.attached(to: bytes, other)))
        #expect(try Self.attached(to: once, []) == bytes)
    }

    @Test(arguments: [true, false], [UInt8(0x01), 0x80, 0xFF])
    func everyChangedByteIsFound(closes: Bool, mask: UInt8) throws {
        let bytes = try Recording.full(inputs: 8, closes: closes).bytes
        let report = try Self.attached(to: bytes)
        let last = try SessionReader(bytes: bytes).eventCount
        for offset in bytes.count..<report.count {
            var changed = report
            changed[offset] ^= mask
            switch Self.failure(changed) {
            case .damagedAttachment(after: last, _), .damaged(event: last + 1, _): break
            case let other:
                Issue.record("byte \(offset - bytes.count): \(String(describing: other))")
                return
            }
        }
        // A changed byte in the last event is still reported for this event.
        var changed = report
        changed[bytes.count - 60] ^= mask
        guard case .damaged(event: last, _)? = Self.failure(changed) else {
            Issue.record("\(String(describing: Self.failure(changed)))")
            return
        }
    }

    @Test(arguments: [true, false]) func everyTruncationOpensWithItsCompleteParts(closes: Bool) throws {
        let bytes = try Recording.full(inputs: 8, closes: closes).bytes
        let report = try Self.attached(to: bytes)
        let ends = Block.all(report).filter { $0.offset >= bytes.count }.map { $0.offset + $0.length }
        for length in bytes.count + 1..<report.count {
            let reader = try SessionReader(bytes: Array(report[..<length]))
            let whole = ends.filter { $0 <= length }
            let dropped = UInt64(length - (whole.last ?? bytes.count))
            #expect(
                reader.completeness == (closes ? .partsMissing(droppedBytes: dropped) : .torn(droppedBytes: dropped)),
                "cut at \(length)")
            #expect(reader.attachments == Array(Self.parts.prefix(whole.count)))
            #expect(Self.failure(Array(report[..<length])) == nil)
        }
        // After a power failure, the end of a file can consist of zeros.
        let tail = try SessionReader(bytes: Array(report[..<ends[1]]) + Array(repeating: 0, count: 40))
        #expect(tail.attachments == Array(Self.parts.prefix(2)))
        #expect(tail.completeness == (closes ? .partsMissing(droppedBytes: 40) : .torn(droppedBytes: 40)))
        #expect(
            "\(SessionReader.Completeness.partsMissing(droppedBytes: 3))"
                == "attachment truncated, 3 bytes dropped")
    }

    @Test(arguments: [true, false]) func otherBlocksAfterThePartsAreRefused(closes: Bool) throws {
        let bytes = try Recording.full(closes: closes).bytes
        let report = try Self.attached(to: bytes)
        let blocks = Block.all(report).filter { $0.offset >= bytes.count }
        let first = Array(report[blocks[0].offset..<blocks[0].offset + blocks[0].length])
        let event = try #require(Block.all(bytes).last { $0.type == 6 })
        for tail in [[0], [0, 0, 0, 0], first, Array(bytes[event.offset..<event.offset + event.length])] {
            guard case .damagedAttachment? = Self.failure(report + tail) else {
                Issue.record("\(tail.prefix(8)): \(String(describing: Self.failure(report + tail)))")
                return
            }
        }
        // Parts of another session, or parts in another order, are refused.
        let other = try Self.attached(to: try Recording.full(seed: 7, closes: closes).bytes)
        let length = try Recording.full(seed: 7, closes: closes).bytes.count
        guard case .damagedAttachment? = Self.failure(bytes + other[length...]) else {
            Issue.record("parts of another session")
            return
        }
        guard case .damagedAttachment? = Self.failure(bytes + report[blocks[1].offset...]) else {
            Issue.record("the first part is missing")
            return
        }
        #expect(throws: SessionError.self) { try SessionReader(bytes: report + report) }
        #expect(Self.failure(first + bytes) != nil)
    }

    @Test func randomBytesNeverTrap() throws {
        var random = SeededRandom(seed: 11)
        let bytes = try Recording.full(inputs: 4).bytes
        let report = try Self.attached(to: bytes)
        for _ in 0..<2000 {
            var changed = report
            for _ in 0...random.below(6) {
                let byteIndex = bytes.count + Int(random.below(UInt64(report.count - bytes.count)))
                changed[byteIndex] = UInt8(truncatingIfNeeded: random.next())
            }
            changed.removeLast(Int(random.below(UInt64(report.count - bytes.count))))
            _ = Self.failure(changed)
        }
    }

    @Test func tooManyPartsAreRefused() throws {
        let reader = try SessionReader(bytes: try Recording.full(inputs: 4).bytes)
        let large = SessionAttachment(
            name: "large", contents: Array(repeating: 7, count: SessionAttachment.contentsLengthMax))
        let sink = MemorySink()
        try reader.copy(to: sink, attaching: Array(repeating: large, count: SessionAttachment.countMax))
        #expect(try SessionReader(bytes: sink.bytes).attachments.count == SessionAttachment.countMax)
        let refused = [
            [SessionAttachment(name: "large", contents: large.contents + [7])],
            [SessionAttachment(name: String(repeating: "n", count: 65), contents: [])],
            Array(repeating: SessionAttachment(name: "n", contents: []), count: SessionAttachment.countMax + 1),
        ]
        for parts in refused {
            #expect(throws: SessionError.self) { try reader.copy(to: MemorySink(), attaching: parts) }
        }
    }
}
