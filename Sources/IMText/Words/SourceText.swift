/// A position in a text, as editors show it, and as a byte offset.
package struct SourcePosition: Hashable, Sendable, CustomStringConvertible {
    /// Line, from 1.
    package var line: Int
    /// Column from 1, in characters and not in bytes.
    package var column: Int
    /// UTF-8 bytes before this position in the whole text.
    package var byteOffset: Int

    package init(line: Int, column: Int, byteOffset: Int) {
        self.line = line
        self.column = column
        self.byteOffset = byteOffset
    }

    package static let start = SourcePosition(line: 1, column: 1, byteOffset: 0)

    package var description: String { "\(line):\(column)" }
}

/// A text with a name, kept so that errors can show their line.
package struct SourceText: Equatable, Sendable {
    /// The file's name as the user typed it, `<stdin>` for a pipe, `-c` for the command line, empty at the prompt.
    package let name: String
    /// The physical lines without their line ends.
    package let lines: [String]
    private let firstLine: Int

    /// - Parameter firstLine: the number of the text's first line in the input that it is a part of.
    package init(name: String, text: String, firstLine: Int = 1) {
        self.name = name
        self.firstLine = firstLine
        // A CR LF is one Character, and `isNewline` would also split at U+2028, which the lexer keeps as text.
        lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }.map(Self.visible)
    }

    /// A line for a terminal: one visible character for each control character except the tab.
    private static func visible(_ line: Substring) -> String {
        String(
            String.UnicodeScalarView(
                line.unicodeScalars.map { scalar in
                    scalar.properties.generalCategory == .control && scalar != "\t" ? "\u{FFFD}" : scalar
                }))
    }

    /// The text of a line by its number; empty if there is none.
    package func line(_ number: Int) -> String {
        lines.indices.contains(number - firstLine) ? lines[number - firstLine] : ""
    }
}
