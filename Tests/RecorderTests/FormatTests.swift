import Foundation
import Testing

@testable import Recorder

/// Tests of the bytes of format 2. If one of them fails, existing sessions can no longer be read.
@Suite struct FormatTests {
    /// The checksum chain covers every byte of a file, so its value determines the whole layout.
    @Test func theBytesOfFormatTwoStayAsTheyAre() throws {
        let recording = try Recording.full()
        #expect(recording.writer.chain == 3_478_617_429_613_144_667)
        #expect(recording.bytes.count == 9572)
    }

    @Test func theLayoutIsAsDocumented() throws {
        let bytes = try Recording.full().bytes
        let blocks = Block.all(bytes)
        #expect(blocks.reduce(0) { $0 + $1.length } == bytes.count)
        #expect(blocks.map(\.type).prefix(4) == [0x0A0D_0D0A, 1, 6, 6])
        let event = try #require(blocks.dropFirst(2).first)
        let data = bytes[(event.offset + 28)...]
        #expect(Array(data.prefix(12)) == [0, 12, 0, 8] + Array("elevator".utf8))
        // The bytes contain the role 1 (header), the format version 2, the node 0 and the stream 0.
        #expect(Array(data.dropFirst(12).prefix(12)) == [0x49, 0x53, 0, 24, 1, 2, 0, 0, 0, 0, 0, 0])
        #expect(Array(data.dropFirst(40).prefix(4)) == [0, 0, 0, 0])
    }

    /// Files whose checksum chain is valid are still checked for invalid contents.
    @Test func aMatchingChainIsStillValidated() throws {
        func session(_ nodes: [UInt16], interface: UInt32 = 0, version: UInt8? = nil, cause: UInt64 = 0) -> [UInt8] {
            var buffer = BlockBuffer()
            buffer.sectionHeader(application: "x (session format 2)", os: "", comment: "")
            buffer.interface(named: "session/runtime")
            for (index, node) in nodes.enumerated() {
                let isLast = index == nodes.count - 1
                let role = index == 0 ? EventRole.header : .mark
                let head = BlockBuffer.PacketHead(
                    interface: isLast ? interface : 0, timestamp: 0, role: role.rawValue,
                    node: NodeIndex(rawValue: node), direction: .none, stream: 0, number: UInt64(index + 1),
                    cause: isLast ? cause : 0)
                let empty = UnsafeRawBufferPointer(start: nil, count: 0)
                buffer.packet(head, prefix: SessionLog.prefix(formatName: "elevator"), payload: empty, comment: empty)
            }
            var bytes = buffer.bytes
            guard let version else { return bytes }
            let blocks = Block.all(bytes)
            let last = blocks[blocks.count - 1]
            bytes[last.offset + 28 + 12 + 4 + 1] = version
            var chain = Chain()
            let hole = 28 + 12 + 4 + 8
            bytes.withUnsafeMutableBytes { all in
                for block in blocks {
                    let part = UnsafeRawBufferPointer(rebasing: all[block.offset..<block.offset + block.length])
                    chain.mix(part, hole: block.type == 6 ? hole : -1)
                }
                all.storeBytes(of: chain.value.littleEndian, toByteOffset: last.offset + hole, as: UInt64.self)
            }
            return bytes
        }
        #expect(try SessionReader(bytes: session([0, 0])).eventCount == 2)
        #expect(throws: SessionError.damaged(event: 2, reason: "node 3 on an interface of another node")) {
            try SessionReader(bytes: session([0, 3]))
        }
        #expect(throws: SessionError.damaged(event: 2, reason: "an interface that was not described")) {
            try SessionReader(bytes: session([0, 0], interface: 1))
        }
        #expect(throws: SessionError.newerFormat(found: 3, supported: 2)) {
            try SessionReader(bytes: session([0, 0], version: 3))
        }
        // An event of version 1 in a file of version 2 is refused.
        #expect(throws: SessionError.damaged(event: 2, reason: "an event of format 1 in a file of format 2")) {
            try SessionReader(bytes: session([0, 0], version: 1))
        }
        // A cause must have a smaller number than its effect.
        #expect(throws: SessionError.damaged(event: 2, reason: "its cause is event 2, which is not earlier")) {
            try SessionReader(bytes: session([0, 0], cause: 2))
        }
        #expect(try SessionReader(bytes: session([0, 0], cause: 1)).events().map(\.cause) == [0, 1])
    }

    @Test(arguments: 0..<64)
    func aChangedBitChangesTheRestOfTheChain(bit: Int) {
        var left = Chain()
        var right = Chain()
        let zeros = [UInt8](repeating: 0, count: 16)
        var changed = zeros
        changed[bit / 8] = 1 << (bit % 8)
        zeros.withUnsafeBytes { left.mix($0) }
        changed.withUnsafeBytes { right.mix($0) }
        for _ in 0..<1000 {
            #expect(left != right)
            zeros.withUnsafeBytes {
                left.mix($0)
                right.mix($0)
            }
        }
    }

    @Test func theChainExcludesItsOwnBytes() {
        for length in 8..<40 {
            for hole in 0...length - 8 {
                var bytes = (0..<length).map { UInt8($0) }
                var left = Chain()
                bytes.withUnsafeBytes { left.mix($0, hole: hole) }
                for index in hole..<hole + 8 { bytes[index] = 0xFF }
                var right = Chain()
                bytes.withUnsafeBytes { right.mix($0, hole: hole) }
                #expect(left == right)
            }
        }
    }

    @Test func recordsAreDecodedUnchanged() throws {
        var record = ClosingRecord()
        record.events = 77
        record.offset = .max
        record.chain = 5
        record.nodes = [ClosingRecord.NodeName(index: NodeIndex(rawValue: 3), name: "phone")]
        record.interfaces = [CaptureInterface(node: NodeIndex(rawValue: 3), channel: .sdk)]
        record.entries = [
            IndexEntry(number: 9, offset: 10, node: NodeIndex(rawValue: 3), role: .start, interfaceCount: 2)
        ]
        let bytes = record.encoded()
        #expect(ClosingRecord(decoding: bytes) == record)
        for index in bytes.indices {
            var changed = bytes
            changed[index] ^= 1
            #expect(ClosingRecord(decoding: changed) == nil)
            #expect(ClosingRecord(decoding: Array(bytes[..<index])) == nil)
        }
    }

    /// A binary search over the index would otherwise use any number in the closing record.
    @Test(arguments: [UInt64.max, 1 << 62, 1_000_000, 9, 4])
    func `a closing record cannot contain more events than fit before it`(events: UInt64) throws {
        let sink = MemorySink()
        let log = SessionLog(
            sink: sink, formatName: "elevator", behaviourVersion: 1,
            header: SessionHeader(title: "", profile: "", application: "", os: ""), epochNanoseconds: 0)
        log.append(.mark, node: .session, draft: EventDraft(payload: [65]), at: .zero)
        try log.flush()
        var record = ClosingRecord()
        record.events = events
        record.offset = UInt64(sink.bytes.count)
        record.chain = log.chain
        record.interfaces = [CaptureInterface(node: .session, channel: .runtime)]
        log.append(
            .closing, node: .session, draft: EventDraft(payload: record.encoded()), at: .zero, comment: "closed")
        try log.flush()
        let count = try? SessionReader(bytes: sink.bytes).eventCount
        #expect(events == 4 ? count == 4 : count ?? 0 < 10)
    }

    @Test func aLargeIndexIsThinnedOut() throws {
        var record = ClosingRecord()
        record.entries = (1...1000).map {
            IndexEntry(number: UInt64($0), offset: 1 << 40, node: .session, role: .keyframe, interfaceCount: 1)
        }
        let bytes = record.encoded(limit: 4000)
        #expect(bytes.count <= 4000)
        let thinned = try #require(ClosingRecord(decoding: bytes))
        #expect(thinned.hasTables)
        #expect(thinned.entries.last?.number == 1000)
        #expect(thinned.entries.count == 125)
    }

    @Test(arguments: [
        (Int64(0), "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
        (1_795_231_863_123_456_789, "2026-11-21T03:31:03Z"), (1_709_251_199_000_000_000, "2024-02-29T23:59:59Z"),
        (.max, "2262-04-11T23:47:16Z"), (.min, "1677-09-21T00:12:43Z"),
    ])
    func wallClocksAreWrittenForPeople(nanoseconds: Int64, text: String) {
        #expect(CalendarTime(epochNanoseconds: nanoseconds).description == text)
    }

    @Test func textsAreCutBetweenCharacters() {
        #expect(SessionFormat.clipped("héllo", to: 2) == "h")
        #expect(SessionFormat.clipped("héllo", to: 3) == "hé")
        #expect(SessionFormat.clipped("héllo", to: 100) == "héllo")
        #expect(SessionFormat.clipped("é", to: 0) == "")
    }

    @Test func partialWritesAreContinued() throws {
        var written: [UInt8] = []
        let bytes = (0..<100).map { UInt8($0) }
        let error = bytes.withUnsafeBytes { all in
            DescriptorWriter.write(all) { rest in
                written.append(contentsOf: rest.prefix(7))
                return min(7, rest.count)
            }
        }
        #expect(error == nil)
        #expect(written == bytes)
        #expect(bytes.withUnsafeBytes { all in DescriptorWriter.write(all) { _ in 0 } } == ENOSPC)
    }
}
