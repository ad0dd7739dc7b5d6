import IMText

/// Breaks lines between words, so that the terminal does not break them inside words.
///
/// Continuation rows are indented, so that the start of the next line is easy to see. A word that is longer than a row
/// is not broken, so that a user can copy a path or an address from the terminal.
enum LineWrap {
    /// The indentation of continuation rows, in addition to the blanks at the start of the first row.
    static let hanging = 2

    /// Breaks each line of a text into rows of a given width.
    static func wrapped(_ text: String, columns: Int) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        var shown: [String] = []
        for (index, line) in lines.enumerated() {
            // A line of carets points at columns of the line above it, so neither line is broken.
            let isPointedAt = lines.indices.contains(index + 1) && isCaret(lines[index + 1])
            if isPointedAt || isCaret(line) {
                shown.append(String(line))
            } else {
                let row = self.rows([StyledText(String(line))], columns: columns)
                shown += row.map { $0.map(\.text).joined() }
            }
        }
        return shown.joined(separator: "\n")
    }

    private static func isCaret(_ line: Substring) -> Bool {
        line.contains("^") && line.allSatisfy { " \t^~".contains($0) }
    }

    /// Breaks one line of coloured parts into rows. If the first part takes at most half of the width, continuation
    /// rows begin below the second part. Otherwise they are indented by `hanging`.
    static func rows(_ parts: [StyledText], columns: Int) -> [[StyledText]] {
        let width = parts.reduce(0) { $0 + TextWidth.columns(of: $1.text) }
        guard columns > 0, width > columns else { return [parts] }
        let head = parts.count > 1 ? TextWidth.columns(of: parts[0].text) : 0
        let blanks = parts.first.map { $0.text.prefix { $0 == " " }.count } ?? 0
        let indent = head > 0 && head * 2 <= columns ? head : min(blanks + hanging, columns / 2)
        var breaker = Breaker(columns: columns, indent: indent)
        for part in parts { breaker.take(part) }
        return breaker.finished()
    }

    private struct Breaker {
        let columns: Int
        let indent: Int
        private var rows: [[StyledText]] = []
        private var row: [StyledText] = []
        private var column = 0
        /// The current word, as parts with colours.
        private var word: [StyledText] = []
        /// The blanks before the current word.
        private var blanks: [StyledText] = []
        private var hasWord = false

        init(columns: Int, indent: Int) {
            self.columns = columns
            self.indent = indent
        }

        mutating func take(_ part: StyledText) {
            for character in part.text {
                if character == " " {
                    placeWord()
                    Self.append(character, part.colour, to: &blanks)
                } else {
                    Self.append(character, part.colour, to: &word)
                }
            }
        }

        mutating func finished() -> [[StyledText]] {
            placeWord()
            return rows + [row]
        }

        private mutating func placeWord() {
            guard !word.isEmpty else { return }
            defer { (word, blanks) = ([], []) }
            let width = Self.width(of: word)
            if hasWord, column + Self.width(of: blanks) + width > columns {
                rows.append(row)
                row = [StyledText(String(repeating: " ", count: indent))]
                column = indent
            } else {
                row += blanks
                column += Self.width(of: blanks)
            }
            row += word
            column += width
            hasWord = true
        }

        private static func width(of parts: [StyledText]) -> Int {
            parts.reduce(0) { $0 + TextWidth.columns(of: $1.text) }
        }

        private static func append(_ character: Character, _ colour: TextColour, to parts: inout [StyledText]) {
            if parts.last?.colour == colour {
                parts[parts.count - 1].text.append(character)
            } else {
                parts.append(StyledText(String(character), colour))
            }
        }
    }
}
