import Recorder
import SansIO
import Testing

/// Tests of damaged files: changed bits, missing ends, concatenated files.
@Suite struct DamageTests {
    /// For each block, the number of its event, or of the next event if the block is a description.
    private static func eventNumbers(_ blocks: [Block]) -> [UInt64] {
        var next: UInt64 = 1
        return blocks.map { block in
            defer { if block.type == 6 { next += 1 } }
            return next
        }
    }

    /// The error when a session is opened and replayed; nil if there is none.
    private static func failure(_ bytes: [UInt8]) -> SessionError? {
        do throws(SessionError) {
            let reader = try SessionReader(bytes: bytes)
            _ = try Verifier.verify(reader, schema: ElevatorSchema())
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [(true, true), (false, true), (false, false)], [UInt8(0x01), 0x80, 0xFF])
    func everyChangedByteOfEveryEventIsFoundAndNamed(session: (closes: Bool, comments: Bool), mask: UInt8) throws {
        let bytes = try Recording.full(inputs: 8, closes: session.closes, comments: session.comments).bytes
        let blocks = Block.all(bytes)
        let numbers = DamageTests.eventNumbers(blocks)
        for (block, number) in zip(blocks, numbers).dropFirst() {
            for offset in block.offset..<block.offset + block.length {
                var changed = bytes
                changed[offset] ^= mask
                let failure = DamageTests.failure(changed)
                guard case .damaged(event: number, _)? = failure else {
                    let position = "byte \(offset - block.offset) of event \(number) (type \(block.type))"
                    Issue.record("\(position): \(String(describing: failure))")
                    return
                }
            }
        }
    }

    @Test func theReasonIsNamed() throws {
        let bytes = try Recording.full().bytes
        let event = try #require(Block.all(bytes).last { $0.type == 6 && $0.length < 200 })
        let number = UInt64(Block.all(bytes).filter { $0.type == 6 && $0.offset <= event.offset }.count)
        let options = event.offset + 28 + (Int(Block.number(bytes, event.offset + 20)) + 3) / 4 * 4
        for (offset, reason) in [
            (event.offset, "a block of type 7 that no recorder writes"),
            (event.offset + 5, "the block's length does not match its contents"),
            (event.offset + 24, "the two lengths of the packet differ"),
            (event.offset + 60, "the checksum does not match"),
            (options + 12, "found event number \(number ^ 1) instead"),
            (event.offset + event.length - 4, "the two lengths of the block differ"),
        ] {
            var changed = bytes
            changed[offset] ^= 1
            let found = DamageTests.failure(Array(changed.prefix(event.offset + event.length)))
            #expect(found == .damaged(event: number, reason: reason))
        }
    }

    @Test func everyChangedByteOfTheSectionHeaderIsFound() throws {
        let bytes = try Recording.full(inputs: 3).bytes
        for offset in 0..<Block.all(bytes)[0].length {
            for bit in 0..<8 {
                var changed = bytes
                changed[offset] ^= 1 << bit
                #expect(DamageTests.failure(changed) != nil, "byte \(offset), bit \(bit)")
            }
        }
    }

    @Test(arguments: [true, false])
    func everyTruncationOpensUpToTheLastCompleteEvent(closes: Bool) throws {
        let bytes = try Recording.full(inputs: 8, closes: closes).bytes
        let blocks = Block.all(bytes)
        let ends = blocks.filter { $0.type == 6 }.map { $0.offset + $0.length }
        for length in 0..<bytes.count {
            let cut = Array(bytes[..<length])
            let whole = ends.filter { $0 <= length }
            guard let end = whole.last else {
                let failure = DamageTests.failure(cut)
                #expect(failure == (length == 0 ? .empty : .cutBeforeHeader(bytes: UInt64(length))), "\(length)")
                continue
            }
            let reader = try SessionReader(bytes: cut)
            #expect(reader.completeness == .torn(droppedBytes: UInt64(length - end)), "cut at \(length)")
            #expect(reader.eventCount == UInt64(whole.count))
            #expect(try reader.events().count == whole.count)
            #expect(try Verifier.verify(reader, schema: ElevatorSchema()) == .verified(events: UInt64(whole.count)))
        }
        #expect(
            "\(SessionReader.Completeness.torn(droppedBytes: 12))"
                == "closing record missing, 12 bytes of an incomplete event dropped")
    }

    @Test func zerosAfterTheLastEventAreATruncatedEnd() throws {
        let bytes = try Recording.full(closes: false).bytes
        for count in [1, 4, 11, 12, 100, 10_000] {
            let reader = try SessionReader(bytes: bytes + Array(repeating: 0, count: count))
            #expect(reader.completeness == .torn(droppedBytes: UInt64(count)))
        }
    }

    @Test func aRemovedARepeatedAndAnExchangedEventAreFound() throws {
        let bytes = try Recording.full().bytes
        let events = Block.all(bytes).filter { $0.type == 6 }
        let range = { (index: Int) in events[index].offset..<events[index].offset + events[index].length }
        var removed = bytes
        removed.removeSubrange(range(30))
        guard case .damaged(event: 31, _)? = DamageTests.failure(removed) else {
            Issue.record("\(String(describing: DamageTests.failure(removed)))")
            return
        }
        var repeated = bytes
        repeated.insert(contentsOf: bytes[range(30)], at: range(30).upperBound)
        guard case .damaged(event: 32, _)? = DamageTests.failure(repeated) else {
            Issue.record("\(String(describing: DamageTests.failure(repeated)))")
            return
        }
        let exchanged = Array(
            bytes[..<range(30).lowerBound] + bytes[range(31)] + bytes[range(30)] + bytes[range(31).upperBound...])
        guard case .damaged(event: 31, _)? = DamageTests.failure(exchanged) else {
            Issue.record("\(String(describing: DamageTests.failure(exchanged)))")
            return
        }
    }

    @Test func bytesAfterTheClosingRecordAreDamage() throws {
        let bytes = try Recording.full().bytes
        let last = try SessionReader(bytes: bytes).eventCount
        for tail: [UInt8] in [[0], [0, 0, 0, 0], Array(repeating: 7, count: 64)] {
            guard case .damaged(event: last + 1, _)? = DamageTests.failure(bytes + tail) else {
                Issue.record("\(tail)")
                return
            }
        }
    }

    @Test func twoSessionsInOneFileAreRefused() throws {
        let closed = try Recording.full().bytes
        let open = try Recording.full(closes: false).bytes
        let other = try Recording.full(seed: 7).bytes
        for first in [closed, open] {
            let count = try SessionReader(bytes: first).eventCount
            // The error is detected at once, although the last block is a valid closing record.
            #expect(throws: SessionError.merged(event: count + 1)) { try SessionReader(bytes: first + other) }
        }
    }

    @Test func randomBytesNeverTrap() throws {
        var random = SeededRandom(seed: 9)
        let bytes = try Recording.full(inputs: 20).bytes
        for _ in 0..<400 {
            let noise = (0..<random.below(600)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            #expect(DamageTests.failure(noise) != nil)
            #expect(DamageTests.failure(Array(bytes.prefix(40)) + noise) != nil)
        }
        for _ in 0..<2000 {
            // Several bytes are changed and the end is removed, so that lengths and contents disagree in many ways.
            var changed = bytes
            for _ in 0...random.below(8) {
                changed[Int(random.below(UInt64(changed.count)))] = UInt8(truncatingIfNeeded: random.next())
            }
            changed.removeLast(Int(random.below(UInt64(changed.count))))
            _ = DamageTests.failure(changed)
        }
    }
}
