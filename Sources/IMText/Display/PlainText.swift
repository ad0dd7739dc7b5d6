/// The words of a text that a program wrote for a terminal. Control characters and whole escape sequences are removed.
/// Removing only the escape character of a sequence would leave `[31m` in the text.
package enum PlainText {
    private static let escape: Unicode.Scalar = "\u{1b}"

    /// The text without control characters and escape sequences; a tab becomes a space.
    package static func of(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 < 32 || $0 == 127 || $0 == 0xC2 }) else { return text }
        var plain = String.UnicodeScalarView()
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar.value {
            case 9: plain.append(" ")
            case 0x1B: dropSequence(&rest)
            // CSI: one character that introduces a control sequence, like ESC and `[`.
            case 0x9B: dropControlSequence(&rest)
            case 0..<32, 127..<160: continue
            default: plain.append(scalar)
            }
        }
        return String(plain)
    }

    /// Drops the rest of an escape sequence (ECMA-48). If the sequence has no end, only its introducer is dropped.
    private static func dropSequence(_ rest: inout String.UnicodeScalarView.SubSequence) {
        switch rest.first {
        case "[":
            rest.removeFirst()
            dropControlSequence(&rest)
        case "]", "P", "X", "^", "_":
            rest.removeFirst()
            dropString(&rest)
        case let next? where (0x20...0x7E).contains(next.value):
            let end = rest.firstIndex { !(0x20...0x2F).contains($0.value) }
            guard let end, (0x30...0x7E).contains(rest[end].value) else { return }
            rest = rest[rest.index(after: end)...]
        default: return
        }
    }

    /// Drops the parameters, the intermediate characters and the final character of a control sequence.
    private static func dropControlSequence(_ rest: inout String.UnicodeScalarView.SubSequence) {
        rest = rest.drop { (0x30...0x3F).contains($0.value) }.drop { (0x20...0x2F).contains($0.value) }
        if let final = rest.first, (0x40...0x7E).contains(final.value) { rest.removeFirst() }
    }

    /// Drops a control string, such as a window title or a hyperlink. It ends with BEL or ST (string terminator).
    private static func dropString(_ rest: inout String.UnicodeScalarView.SubSequence) {
        guard let end = rest.firstIndex(where: { $0.value == 7 || $0.value == 0x9C || $0 == escape }) else { return }
        let isEscape = rest[end] == escape
        rest = rest[rest.index(after: end)...]
        if isEscape, rest.first == "\\" { rest.removeFirst() }
    }
}
