/// One thing that is wrong with a line, said so that it can be found and mended.
struct Diagnostic: Error, Hashable, Sendable {
    /// What is wrong, in one line, beginning with a small letter.
    var message: String
    var position: SourcePosition
    /// How many characters are meant; at least one is underlined.
    var length: Int
    /// What to do about it: `did you mean 'login'?`, or the command's usage.
    var hint: String?

    init(_ message: String, at position: SourcePosition, length: Int = 1, hint: String? = nil) {
        self.message = message
        self.position = position
        self.length = max(1, length)
        self.hint = hint
    }

    /// `login.imr:12:7: unknown command 'logn'`, the source line, a caret below the place, and the hint.
    func rendered(in source: SourceText) -> String {
        let name = source.name.isEmpty ? "" : "\(source.name):"
        var text = "\(name)\(position): \(message)"
        let line = source.line(position.line)
        if holdsSecret(line) {
            // Errors end up in logs. Masked, the columns no longer fit, so the line stands without a caret.
            text += "\n  \(redacted(line))"
        } else if !line.isEmpty {
            text += "\n  \(line)\n  \(underline(of: line))"
        }
        if let hint {
            text += "\n\(hint)"
        }
        return text
    }

    private func underline(of line: String) -> String {
        let characters = Array(line)
        let first = min(max(position.column - 1, 0), characters.count)
        let last = min(first + length, characters.count)
        // A tab stays a tab, so that the caret stands below its character whatever the terminal's tab stops are.
        let before = characters[..<first].map { $0 == "\t" ? "\t" : String(repeating: " ", count: Self.cells(of: $0)) }
        let cells = characters[first..<last].reduce(0) { $0 + Self.cells(of: $1) }
        return before.joined() + "^" + String(repeating: "~", count: max(0, cells - 1))
    }

    /// How many terminal cells a character takes, near enough for a caret: East Asian wide characters take two.
    private static func cells(of character: Character) -> Int {
        guard let scalar = character.unicodeScalars.first else { return 0 }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F,
            0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default:
            return 1
        }
    }
}
