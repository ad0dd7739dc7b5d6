import Foundation
import TestSupport
import Testing

/// Tests with session files that were damaged, as in a transfer.
@Suite(.onOwnThreads) struct DamagedSessionTests {
    /// The block of one packet in a file: the event's number, and the positions of its bytes.
    private struct Block {
        var number: UInt64
        var range: Range<Int>
        /// The positions of the event's bytes, without the block's header and trailer.
        var payload: Range<Int>
    }

    private func word(_ bytes: [UInt8], _ offset: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(bytes[offset + $1]) << (8 * $1) }
    }

    /// The enhanced packet blocks in order. The first one has event 1.
    private func packets(_ bytes: [UInt8]) throws -> [Block] {
        var blocks: [Block] = []
        var offset = 0
        while offset + 12 <= bytes.count {
            let length = word(bytes, offset + 4)
            try #require(length >= 12 && offset + length <= bytes.count)
            if word(bytes, offset) == 6 {
                let payload = offset + 28
                blocks.append(
                    Block(
                        number: UInt64(blocks.count + 1), range: offset..<offset + length,
                        payload: payload..<payload + word(bytes, offset + 20)))
            }
            offset += length
        }
        return blocks
    }

    @Test(arguments: [
        "odds d.pcapng --runs 2 state", "shrink d.pcapng --keep state -o s.imr", "diff a.pcapng d.pcapng",
        "diff d.pcapng a.pcapng", "show d.pcapng", "redact d.pcapng -o -", "report d.pcapng -o -",
        "export d.pcapng --as html -o -",
    ])
    func `a damaged file is reported with its name and exit code 5`(_ line: String) throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick("a.pcapng")
        var bytes = [UInt8](try sandbox.data("a.pcapng"))
        bytes[try packets(bytes)[9].payload.lowerBound] ^= 1
        try sandbox.write(Data(bytes), "d.pcapng")
        let result = try sandbox.imrepl(line.split(separator: " ").map(String.init))
        #expect(result.status == 5, "\(result.errors)")
        #expect(result.errors.contains("d.pcapng: damaged at event"), "\(result.errors)")
    }

    @Test func `a changed byte is found, and the event is named`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick("a.pcapng")
        let bytes = [UInt8](try sandbox.data("a.pcapng"))
        let blocks = try packets(bytes)
        try #require(blocks.count > 60)
        for block in [blocks[0], blocks[1], blocks[5], blocks[blocks.count / 2], blocks[blocks.count - 1]] {
            for offset in [
                block.payload.lowerBound, block.payload.lowerBound + block.payload.count / 2,
                block.payload.upperBound - 1,
            ] {
                var damaged = bytes
                damaged[offset] ^= 0xFF
                try sandbox.write(Data(damaged), "d.pcapng")
                let result = try sandbox.imrepl("verify", "d.pcapng")
                let allOutput = result.output + result.errors
                #expect([4, 5].contains(result.status), "event \(block.number), byte \(offset): \(allOutput)")
                #expect(
                    allOutput.contains("event \(block.number)"), "event \(block.number), byte \(offset): \(allOutput)")
                #expect(!result.output.contains("verified"))
            }
        }
    }

    @Test func `a truncated file is read up to its last complete event, or refused with a message`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick("a.pcapng")
        let bytes = [UInt8](try sandbox.data("a.pcapng"))
        let blocks = try packets(bytes)
        try #require(blocks.count > 60)
        // The lengths are evenly spaced, with more of them around the ends of some blocks.
        let ends = [blocks[0], blocks[7], blocks[blocks.count - 1]].map(\.range.upperBound)
        let lengths = Set(
            (0..<48).map { $0 * bytes.count / 48 } + ends.flatMap { [$0 - 1, $0, $0 + 1] } + [bytes.count - 1])
        for length in lengths.sorted() where length < bytes.count {
            try sandbox.write(Data(bytes[..<length]), "cut.pcapng")
            let whole = blocks.count { $0.range.upperBound <= length }
            let result = try sandbox.imrepl("verify", "cut.pcapng")
            let context: Comment = "cut at \(length), \(whole) whole events: \(result.output)\(result.errors)"
            if result.status == 0 {
                #expect(result.output == "cut.pcapng: verified \(whole) events\n", context)
                let isClosed = whole == blocks.count
                #expect(isClosed || result.errors.contains("closing record"), context)
            } else {
                #expect(result.status == 5, context)
                #expect(result.output == "", context)
                #expect(result.errorLines.count == 1, context)
                #expect(result.errors.hasPrefix("imrepl: cut.pcapng: "), context)
                // A file may only be refused if its header is incomplete.
                #expect(whole < 3, context)
            }
        }
    }
}
