import IMSession
import IMShell
import IMText
import Recorder

/// The command that shows a frame and its bytes.
extension ReplayCommands {
    static let frames: [ReplayCommand] = [
        ReplayCommand(
            name: "frame", group: .looking, usage: "[--hex]",
            summary: "Show the fields of the current frame; with --hex also its bytes.",
            examples: ["frame", "frame --hex"], options: ["--hex"],
            check: { line in
                guard line.arguments.isEmpty else {
                    throw CommandFailure("unexpected argument; only --hex is allowed here")
                }
            },
            run: { session, line in
                guard session.position > 0 else { throw CommandFailure("there is no event here") }
                let raw = try session.timeline.event(session.position)
                let event = session.decoded(raw)
                guard raw.channel == .transport, event.kind == "frame" else {
                    throw CommandFailure(
                        "event \(raw.number) is a \(event.kind), not a frame; 'next frame' goes to a frame")
                }
                session.output.line(try session.line(of: event))
                session.output.line("\(raw.payload.count) bytes on link \(event.connection)")
                for fact in event.facts { session.output.line("  \(fact.name)=\(fact.value.quotedIfNeeded)") }
                guard line.has("--hex") else { return }
                for row in WireRows(raw.payload).lines { session.output.line(row) }
            })
    ]
}

/// The fields of a protobuf message, next to their bytes.
struct WireRows {
    private struct Row {
        var offset: Int
        var bytes: ArraySlice<UInt8>
        var text: String
    }

    private var rows: [Row] = []
    /// The number of bytes in a line.
    private static let lineLength = 16
    private static let depthMax = 8

    init(_ payload: [UInt8]) {
        if !read(payload[...], depth: 0) { rows = [Row(offset: 0, bytes: payload[...], text: "not a message")] }
    }

    var lines: [String] {
        rows.flatMap { row -> [String] in
            var lines: [String] = []
            var rest = row.bytes
            var offset = row.offset
            repeat {
                let part = rest.prefix(WireRows.lineLength)
                let hex = part.map { WireRows.hex(Int($0), width: 2) }.joined(separator: " ")
                let gap = String(repeating: " ", count: WireRows.lineLength * 3 - hex.count)
                let text = lines.isEmpty ? row.text : ""
                lines.append("  \(WireRows.hex(offset, width: 4))  \(hex)\(text.isEmpty ? "" : gap + text)")
                offset += part.count
                rest = rest.dropFirst(WireRows.lineLength)
            } while !rest.isEmpty
            return lines
        }
    }

    /// Parses a message. Returns false, and adds no row, if the bytes are no message.
    private mutating func read(_ bytes: ArraySlice<UInt8>, depth: Int) -> Bool {
        let count = rows.count
        var index = bytes.startIndex
        let indent = String(repeating: "  ", count: depth)
        while index < bytes.endIndex {
            let begin = index
            guard let tag = WireRows.varint(bytes, &index), tag >> 3 > 0 else { return undo(count) }
            let name = "\(indent)field \(tag >> 3)"
            switch tag & 7 {
            case 0:
                guard let value = WireRows.varint(bytes, &index) else { return undo(count) }
                rows.append(Row(offset: begin, bytes: bytes[begin..<index], text: "\(name) = \(value)"))
            case 1, 5:
                let length = tag & 7 == 1 ? 8 : 4
                guard bytes.endIndex - index >= length else { return undo(count) }
                let value = bytes[index..<index + length].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                index += length
                rows.append(Row(offset: begin, bytes: bytes[begin..<index], text: "\(name) = \(value) (fixed)"))
            case 2:
                guard let length = WireRows.varint(bytes, &index), length <= UInt64(bytes.endIndex - index) else {
                    return undo(count)
                }
                let content = bytes[index..<index + Int(length)]
                let head = bytes[begin..<index]
                index += Int(length)
                if let text = WireRows.text(content) {
                    rows.append(Row(offset: begin, bytes: bytes[begin..<index], text: "\(name) = \(text.quoted)"))
                    continue
                }
                rows.append(Row(offset: begin, bytes: head, text: "\(name), \(length) bytes"))
                if depth == WireRows.depthMax || !read(content, depth: depth + 1), !content.isEmpty {
                    rows.append(Row(offset: content.startIndex, bytes: content, text: "\(indent)  bytes"))
                }
            default: return undo(count)
            }
        }
        return true
    }

    private mutating func undo(_ count: Int) -> Bool {
        rows.removeSubrange(count...)
        return false
    }

    /// The bytes as printable text; nil for other bytes.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String? {
        guard !bytes.isEmpty, let text = String(validating: bytes, as: UTF8.self) else { return nil }
        return text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control } ? text : nil
    }

    private static func varint(_ bytes: ArraySlice<UInt8>, _ index: inout Int) -> UInt64? {
        var value: UInt64 = 0
        var shift: UInt64 = 0
        while index < bytes.endIndex, shift < 64 {
            let byte = bytes[index]
            index += 1
            value |= UInt64(byte & 0x7F) << shift
            if byte < 0x80 { return value }
            shift += 7
        }
        return nil
    }

    private static func hex(_ value: Int, width: Int) -> String {
        let digits = String(value, radix: 16)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
