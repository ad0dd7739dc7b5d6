/// A position in a text: line and column, and the offset in bytes.
package struct SourcePosition: Hashable, Sendable, CustomStringConvertible {
    /// The line, from 1.
    package var line: Int
    /// The column, from 1, in characters and not in bytes.
    package var column: Int
    /// The number of UTF-8 bytes of the whole text before this position.
    package var byteOffset: Int

    package init(line: Int, column: Int, byteOffset: Int) {
        self.line = line
        self.column = column
        self.byteOffset = byteOffset
    }

    package static let start = SourcePosition(line: 1, column: 1, byteOffset: 0)

    package var description: String { "\(line):\(column)" }
}

/// A text with a name. It is stored so that an error can show the line that contains the error.
package struct SourceText: Equatable, Sendable {
    /// The file's name as the user typed it, `<stdin>` for a pipe, `-c` for the command line, empty at the prompt.
    package let name: String
    /// The physical lines without their line ends.
    package let lines: [String]
    private let firstLine: Int

    /// - Parameter firstLine: the line number of the first line, if the text is a part of a longer input.
    package init(name: String, text: String, firstLine: Int = 1) {
        self.name = name
        self.firstLine = firstLine
        // CR LF is one `Character`. `isNewline` would also split at U+2028, which the lexer does not treat as a line
        // end.
        lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(Self.visible)
    }

    /// The line with U+FFFD in place of each control character except the tab, so that each control character still
    /// takes one column.
    private static func visible(_ line: Substring) -> String {
        String(
            String.UnicodeScalarView(
                line.unicodeScalars.map { scalar in
                    scalar.properties.generalCategory == .control && scalar != "\t" ? "\u{FFFD}" : scalar
                }))
    }

    /// The text of the line with a number; empty if there is no such line.
    package func line(_ number: Int) -> String {
        lines.indices.contains(number - firstLine) ? lines[number - firstLine] : ""
    }
}
