/// The reason why a line cannot be split into words.
package struct LexicalError: Error, Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        /// The line ends inside a quote; the position is that of the opening quote.
        case unterminatedQuote(Character)
        /// The line ends inside a quote that opens inside a word, as in `won't`; the position is that of this quote.
        case apostrophe
        /// A variable that begins with `${` and has no `}`.
        case unterminatedVariable
        /// A `$` without a name after it.
        case missingVariableName
        /// A variable `${…}` with an invalid name.
        case badVariableName(String)
        /// A backslash before a character for which no escape exists at this position.
        case badEscape(String)
        /// An escape `\u{…}` whose value is not a Unicode scalar.
        case badUnicodeEscape(String)
        /// A control character other than the tab.
        case controlCharacter(UInt32)
        /// An `@` without a name, or with a character that is invalid in a client's name.
        case badClientName(String)
        /// The text ends with a backslash, so the line is not complete. The prompt then reads the next line.
        case unfinishedContinuation
        /// A line of more bytes than `Lexer.lineBytesMax`.
        case lineTooLong
    }

    package var kind: Kind
    package var position: SourcePosition
    package var length: Int = 1

    package var diagnostic: Diagnostic {
        switch kind {
        case .unterminatedQuote(let quote):
            Diagnostic(
                "this \(quote) is never closed", at: position, hint: "close the quote on the same line")
        case .apostrophe:
            Diagnostic(
                "this ' is never closed", at: position,
                hint: "put an apostrophe in double quotes, as in send bob \"won't\"")
        case .unterminatedVariable:
            Diagnostic("'${' without '}'", at: position, length: length)
        case .missingVariableName:
            Diagnostic(
                "a variable's name must follow '$'", at: position, length: length,
                hint: position.column == 1
                    ? "omit the '$' of a terminal's prompt; here '$' begins a variable"
                    : "write $$ for a dollar sign")
        case .badVariableName(let name):
            Diagnostic("'\(name)' is not a variable's name", at: position, length: length)
        case .badEscape(let text):
            Diagnostic(
                "'\(text)' has no meaning here", at: position, length: length,
                hint: #""…" allows \n \t \" \\ \$ and \u{…}; elsewhere \ quotes the next character"#)
        case .badUnicodeEscape(let text):
            Diagnostic(
                "'\(text)' is not a Unicode character", at: position, length: length,
                hint: #"write it in hexadecimal: \u{4F60}"#)
        case .controlCharacter(let value):
            Diagnostic(
                "control character U+\(hexadecimal(value))", at: position,
                hint: #"write it as "\u{\#(String(value, radix: 16, uppercase: true))}" if it is meant"#)
        case .badClientName(let name):
            Diagnostic(
                name.isEmpty ? "a client's name must follow '@'" : "'\(name)' is not a client's name", at: position,
                length: length, hint: "use letters, digits, '-', '_' and '.'")
        case .unfinishedContinuation:
            Diagnostic("the text ends with '\\', but no line follows", at: position)
        case .lineTooLong:
            Diagnostic("the line is longer than \(Lexer.lineBytesMax) bytes", at: position)
        }
    }

    private func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
