/// Splits a text into logical lines of words.
///
///     [!] [@client] word word …; word word …   # comment
///
/// `;` before a blank or at the end of a line ends a command; another command may follow on the same line. `'…'` is
/// literal. `"…"` accepts `\n \t \" \\ \$ \u{…}`, `$name` and `${name}`. Outside quotes a backslash makes the next
/// character literal. A backslash at the end of a line joins the line with the next one. `$$` is a dollar sign. `#` at
/// the start of a word begins a comment. No text makes the lexer trap: it returns lines and errors. After an error the
/// lexer continues at the next line.
///
/// The lexer is a class and not a struct because of an error in the optimizer of Swift 6.3.1 (pass `cse`). In a struct,
/// a read of `index` after a mutating call can return the value from before the call.
package final class Lexer {
    /// The maximum length of a logical line. A file with a longer line is probably not a script.
    package static let lineBytesMax = 65_536

    package let text: String
    package var index: String.Index
    private var line = 1
    /// The last position of which the column was computed. The next column is counted from there, so that the
    /// characters of each line are counted only once.
    private var columnAnchor: String.Index
    private var columnAtAnchor = 1

    package init(_ text: String) {
        var text = text
        text.makeContiguousUTF8()
        self.text = text
        index = text.startIndex
        if text.unicodeScalars.first == "\u{FEFF}" {
            index = text.unicodeScalars.index(after: index)
        }
        columnAnchor = index
    }

    /// The first logical line of `text`.
    package static func line(of text: String) throws(LexicalError) -> LogicalLine {
        let lexer = Lexer(text)
        guard let first = lexer.next() else {
            return LogicalLine(position: .start, words: [], source: "", end: .start)
        }
        return try first.get()
    }

    /// All logical lines of `text`, such as the input at the prompt.
    package static func lines(of text: String) throws(LexicalError) -> [LogicalLine] {
        let lexer = Lexer(text)
        var lines: [LogicalLine] = []
        while let next = lexer.next() { lines.append(try next.get()) }
        return lines
    }

    /// The next logical line or its error; nil at the end of the text.
    package func next() -> Result<LogicalLine, LexicalError>? {
        guard peek != nil else { return nil }
        do throws(LexicalError) {
            return .success(try readLine())
        } catch {
            skipLine()
            return .failure(error)
        }
    }
}

// MARK: Lines

extension Lexer {
    private func readLine() throws(LexicalError) -> LogicalLine {
        let first = index
        var result = LogicalLine(position: position(), words: [], source: "", end: position())
        var last = index
        var hasStarted = false
        while true {
            try skipBlanks(since: first)
            guard let scalar = peek, !isAtNewline else { break }
            if !hasStarted {
                result.position = position()
                hasStarted = true
            }
            if scalar == "#" {
                result.comment = try readComment()
                last = index
                break
            }
            if isAtSeparator {
                advance()
                if result.words.isEmpty, result.client == nil, result.mustFailPosition == nil { continue }
                result.source = String(text[first..<last]).trimmingBlanks()
                try skipBlanks(since: first)
                consumeNewline()
                return result
            }
            if scalar == "!", result.words.isEmpty, result.mustFailPosition == nil {
                result.mustFailPosition = position()
                advance()
            } else if scalar == "@", result.words.isEmpty, result.client == nil {
                result.client = try readClient()
            } else {
                result.words.append(try readWord(since: first))
            }
            last = index
            result.end = position()
        }
        result.source = String(text[first..<last]).trimmingBlanks()
        consumeNewline()
        return result
    }

    private func skipBlanks(since first: String.Index) throws(LexicalError) {
        while let scalar = peek {
            if scalar == " " || scalar == "\t" {
                advance()
            } else if scalar == "\\", isContinuation {
                try joinLines()
            } else {
                break
            }
        }
        guard byteCount(first, index) <= Self.lineBytesMax else {
            throw LexicalError(kind: .lineTooLong, position: position())
        }
    }

    private func readComment() throws(LexicalError) -> Comment {
        let start = position()
        advance()
        let from = index
        while let scalar = peek, !isAtNewline {
            try rejectControlCharacter(scalar)
            advance()
        }
        return Comment(text: String(text[from..<index]).trimmingBlanks(), position: start)
    }

    private func readClient() throws(LexicalError) -> LogicalLine.ClientPrefix {
        let start = position()
        advance()
        let from = index
        while let scalar = peek, !isAtNewline, scalar != " ", scalar != "\t" {
            advance()
        }
        let name = String(text[from..<index])
        guard Self.isClientName(name) else {
            throw LexicalError(kind: .badClientName(name), position: start, length: name.count + 1)
        }
        return LogicalLine.ClientPrefix(name: name, position: start)
    }

    /// True if a name is valid after `@`: letters, digits, `-`, `_` and `.`.
    package static func isClientName(_ name: String) -> Bool {
        !name.isEmpty
            && name.unicodeScalars.allSatisfy {
                $0.properties.isAlphabetic || $0.properties.numericType == .decimal || "-_.".unicodeScalars.contains($0)
            }
    }
}

// MARK: Positions

extension Lexer {
    package var peek: Unicode.Scalar? { index < text.endIndex ? text.unicodeScalars[index] : nil }

    private func scalar(after textIndex: String.Index) -> Unicode.Scalar? {
        let next = text.unicodeScalars.index(after: textIndex)
        return next < text.endIndex ? text.unicodeScalars[next] : nil
    }

    package func advance() { index = text.unicodeScalars.index(after: index) }

    package func byteCount(_ from: String.Index, _ to: String.Index) -> Int {
        text.utf8.distance(from: from, to: to)
    }

    /// The current position, at `index`.
    package func position() -> SourcePosition {
        columnAtAnchor += text[columnAnchor..<index].count
        columnAnchor = index
        return SourcePosition(line: line, column: columnAtAnchor, byteOffset: byteCount(text.startIndex, index))
    }

    /// True at a `;` that ends a command.
    package var isAtSeparator: Bool {
        guard peek == ";" else { return false }
        let next = text.unicodeScalars.index(after: index)
        guard next < text.endIndex, newlineLength(at: next) == 0 else { return true }
        return text.unicodeScalars[next] == " " || text.unicodeScalars[next] == "\t"
    }

    /// True at a line feed, or at the carriage return before one.
    package var isAtNewline: Bool { newlineLength(at: index) > 0 }

    private func newlineLength(at textIndex: String.Index) -> Int {
        guard textIndex < text.endIndex else { return 0 }
        switch text.unicodeScalars[textIndex] {
        case "\n": return 1
        case "\r": return scalar(after: textIndex) == "\n" ? 2 : 0
        default: return 0
        }
    }

    /// True at a backslash that joins this line with the next one.
    package var isContinuation: Bool {
        let next = text.unicodeScalars.index(after: index)
        return next == text.endIndex || newlineLength(at: next) > 0
    }

    package func joinLines() throws(LexicalError) {
        let start = position()
        advance()
        guard peek != nil else { throw LexicalError(kind: .unfinishedContinuation, position: start) }
        consumeNewline()
        guard peek != nil else { throw LexicalError(kind: .unfinishedContinuation, position: start) }
    }

    private func consumeNewline() {
        let length = newlineLength(at: index)
        guard length > 0 else { return }
        for _ in 0..<length { advance() }
        line += 1
        columnAnchor = index
        columnAtAnchor = 1
    }

    private func skipLine() {
        while peek != nil, !isAtNewline { advance() }
        consumeNewline()
    }

    package func rejectControlCharacter(_ scalar: Unicode.Scalar) throws(LexicalError) {
        guard scalar.properties.generalCategory == .control, scalar != "\t" else { return }
        throw LexicalError(kind: .controlCharacter(scalar.value), position: position())
    }
}

extension String {
    /// The text without spaces and tabs at both ends.
    package func trimmingBlanks() -> String {
        let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        guard let first = firstIndex(where: { !isBlank($0) }), let last = lastIndex(where: { !isBlank($0) }) else {
            return ""
        }
        return String(self[first...last])
    }
}
