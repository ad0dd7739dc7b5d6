import IMSession
import IMSimulation
import Recorder

/// Checks damaged session files. A truncated file contains the events of its complete blocks. A file with a changed
/// byte is reported as damaged. A file that lacks an event is not equal to the whole file (C-16).
enum FileSelfChecks {
    static func failure(_ bytes: [UInt8], _ reader: SessionReader, _ decoded: DecodedSession) throws -> String? {
        try cut(bytes, reader) ?? flipped(bytes, reader) ?? compared(reader, decoded)
    }

    /// The blocks of a capture file, each with its type, its byte offset and its length.
    private static func blocks(_ bytes: [UInt8]) -> [(type: UInt32, begin: Int, length: Int)] {
        func number(at index: Int) -> UInt32 {
            bytes[index..<(index + 4)].reversed().reduce(0) { $0 << 8 | UInt32($1) }
        }
        var blocks: [(type: UInt32, begin: Int, length: Int)] = []
        var index = 0
        while index + 12 <= bytes.count {
            let length = Int(number(at: index + 4))
            guard length >= 12, index + length <= bytes.count else { break }
            blocks.append((number(at: index), index, length))
            index += length
        }
        return blocks
    }

    private static let packetType: UInt32 = 6

    /// Truncates the file after, within and before the last byte of several blocks in its second half.
    private static func cut(_ bytes: [UInt8], _ reader: SessionReader) throws -> String? {
        let blocks = blocks(bytes)
        for index in [blocks.count / 2, blocks.count * 3 / 4, blocks.count - 2] where index > 4 {
            let block = blocks[index]
            for end in [block.begin, block.begin + 9, block.begin + block.length - 1] {
                let whole = blocks.prefix(index).count { $0.type == packetType }
                let torn = try SessionReader(bytes: Array(bytes.prefix(end)))
                guard torn.completeness != .closed, torn.eventCount == UInt64(whole) else {
                    return "a truncated file has other events than its complete blocks"
                }
                let (one, other) = (torn.makeScanner(), reader.makeScanner())
                while let left = try one.next() {
                    guard let right = try other.next(), Event(left) == Event(right) else {
                        return "a truncated file has other events than the whole file"
                    }
                }
            }
        }
        return nil
    }

    /// Changes one byte of an event: the first or middle one of its block, or the one before the block's trailing
    /// length.
    private static func flipped(_ bytes: [UInt8], _ reader: SessionReader) throws -> String? {
        let packets = blocks(bytes).filter { $0.type == packetType }
        for packet in [packets[packets.count / 2], packets[packets.count / 3]] {
            for index in [packet.begin + 8, packet.begin + packet.length / 2, packet.begin + packet.length - 5] {
                var other = bytes
                other[index] ^= 0x40
                let isRead = (try? SessionReader(bytes: other).events()) != nil
                if isRead { return "a changed byte of a file is not detected" }
            }
        }
        return nil
    }

    /// Compares the file with a copy that lacks one event, in the middle or at the end.
    private static func compared(_ reader: SessionReader, _ decoded: DecodedSession) throws -> String? {
        let eventIndices = decoded.events.indices.filter {
            if case .effect = decoded.events[$0].content { true } else { false }
        }
        for index in [eventIndices.dropFirst(eventIndices.count / 2).first, eventIndices.last].compactMap(\.self) {
            let shorter = try SessionReader(bytes: RecordingForgery.bytes(of: decoded, changing: index) { _ in [] })
            for (one, other) in [(reader, shorter), (shorter, reader)] {
                if try SessionDiff.compare(one, other).isEmpty {
                    return "a recording is equal to a copy without one event"
                }
            }
        }
        return nil
    }
}
