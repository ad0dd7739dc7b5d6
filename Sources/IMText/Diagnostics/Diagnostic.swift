/// One error in a line, with its position and a hint.
package struct Diagnostic: Error, Hashable, Sendable {
    /// The error in one line, starting with a small letter.
    package var message: String
    package var position: SourcePosition
    /// The number of underlined characters; at least one.
    package var length: Int
    /// How to correct the error: `did you mean 'login'?`, or the command's usage; nil for no hint.
    package var hint: String?

    package init(_ message: String, at position: SourcePosition, length: Int = 1, hint: String? = nil) {
        self.message = message
        self.position = position
        self.length = max(1, length)
        self.hint = hint
    }

    /// The text of the error: `login.imr:12:7: unknown command 'logn'`, then the source line, a caret below the
    /// position, and the hint.
    package func rendered(in source: SourceText) -> String {
        let name = source.name.isEmpty ? "" : "\(source.name):"
        var text = "\(name)\(position): \(message)"
        let line = source.line(position.line)
        if Secrets.containsSecret(line) {
            // Errors are often written to logs, so secrets are masked. Masking shifts the columns, so there is no
            // caret.
            text += "\n  \(Secrets.redacted(line))"
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
        // A tab is copied as a tab, so that the caret is below its character whatever the terminal's tab stops are.
        let before = characters[..<first].map {
            $0 == "\t" ? "\t" : String(repeating: " ", count: TextWidth.columns(of: $0))
        }
        let cells = characters[first..<last].reduce(0) { $0 + TextWidth.columns(of: $1) }
        return before.joined() + "^" + String(repeating: "~", count: max(0, cells - 1))
    }
}
