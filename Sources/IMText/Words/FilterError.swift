/// An error in a filter, with its position.
package struct FilterError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error in one line, starting with a small letter.
    package var message: String
    /// The number of characters of the filter before the error.
    package var offset: Int
    /// The number of underlined characters.
    package var length = 1
    /// How to correct the error: `did you mean 'kind'?`; nil for no hint.
    package var hint: String?
    /// The text of the whole filter.
    package var source = ""

    package init(_ message: String, at offset: Int, length: Int = 1, hint: String? = nil) {
        self.message = message
        self.offset = offset
        self.length = max(1, length)
        self.hint = hint
    }

    /// The text of the error: `filter:1:6: there is no field 'knd'`, then the filter, a caret below the position, and
    /// the hint.
    package var text: String { text(named: "filter") }

    package var description: String { text }

    /// - Parameter name: the text before the position: a file name, or `filter`.
    package func text(named name: String) -> String {
        let diagnostic = Diagnostic(message, at: position, length: length, hint: hint)
        return diagnostic.rendered(in: SourceText(name: name, text: source))
    }

    private var position: SourcePosition {
        var position = SourcePosition.start
        for character in source.prefix(offset) {
            position.byteOffset += character.utf8.count
            if character == "\n" || character == "\r\n" {
                position.line += 1
                position.column = 1
            } else {
                position.column += 1
            }
        }
        return position
    }
}
