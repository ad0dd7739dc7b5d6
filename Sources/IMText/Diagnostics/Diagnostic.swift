/// One thing that is wrong with a line, said so that it can be found and mended.
package struct Diagnostic: Error, Hashable, Sendable {
    /// What is wrong, in one line, beginning with a small letter.
    package var message: String
    package var position: SourcePosition
    /// How many characters are meant; at least one is underlined.
    package var length: Int
    /// What to do about it: `did you mean 'login'?`, or the command's usage.
    package var hint: String?

    package init(_ message: String, at position: SourcePosition, length: Int = 1, hint: String? = nil) {
        self.message = message
        self.position = position
        self.length = max(1, length)
        self.hint = hint
    }

    /// `login.imr:12:7: unknown command 'logn'`, the source line, a caret below the place, and the hint.
    package func rendered(in source: SourceText) -> String {
        let name = source.name.isEmpty ? "" : "\(source.name):"
        var text = "\(name)\(position): \(message)"
        let line = source.line(position.line)
        if Secrets.holdsSecret(line) {
            // Errors end up in logs. Masked, the columns no longer fit, so the line stands without a caret.
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
        // A tab stays a tab, so that the caret stands below its character whatever the terminal's tab stops are.
        let before = characters[..<first].map {
            $0 == "\t" ? "\t" : String(repeating: " ", count: TextWidth.columns(of: $0))
        }
        let cells = characters[first..<last].reduce(0) { $0 + TextWidth.columns(of: $1) }
        return before.joined() + "^" + String(repeating: "~", count: max(0, cells - 1))
    }
}
