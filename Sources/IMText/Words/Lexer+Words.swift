/// Reads words with quotes, escapes and variables.
extension Lexer {
    /// Collects the pieces of one word while it is read.
    private struct Builder {
        var pieces: [Piece] = []
        var literal = ""
        var isQuoted = false

        mutating func append(_ scalar: Unicode.Scalar) { literal.unicodeScalars.append(scalar) }

        mutating func append(variable name: String, at position: SourcePosition) {
            if !literal.isEmpty { pieces.append(.literal(literal)) }
            literal = ""
            pieces.append(.variable(name: name, position: position))
        }

        mutating func finish() -> [Piece] {
            if !literal.isEmpty || pieces.isEmpty { pieces.append(.literal(literal)) }
            return pieces
        }
    }

    package func readWord(since first: String.Index) throws(LexicalError) -> Word {
        let start = position()
        let from = index
        var builder = Builder()
        while let scalar = peek, !isAtNewline, scalar != " ", scalar != "\t", !isAtSeparator {
            switch scalar {
            case "'":
                builder.isQuoted = true
                try readLiteralQuote(into: &builder)
            case "\"":
                builder.isQuoted = true
                try readDoubleQuote(into: &builder)
            case "\\":
                try readBareEscape(into: &builder)
            case "$":
                try readDollar(into: &builder, isBare: true)
            default:
                try rejectControlCharacter(scalar)
                builder.append(scalar)
                advance()
            }
            guard byteCount(first, index) <= Self.lineBytesMax else {
                throw LexicalError(kind: .lineTooLong, position: start)
            }
        }
        return Word(
            pieces: builder.finish(), position: start, source: String(text[from..<index]), isQuoted: builder.isQuoted)
    }

    private func readLiteralQuote(into builder: inout Builder) throws(LexicalError) {
        let opening = position()
        let isInWord = !builder.literal.isEmpty
        advance()
        while let scalar = peek, !isAtNewline {
            if scalar == "'" {
                advance()
                return
            }
            try rejectControlCharacter(scalar)
            builder.append(scalar)
            advance()
        }
        throw LexicalError(kind: isInWord ? .apostrophe : .unterminatedQuote("'"), position: opening)
    }

    private func readDoubleQuote(into builder: inout Builder) throws(LexicalError) {
        let opening = position()
        advance()
        while let scalar = peek, !isAtNewline {
            switch scalar {
            case "\"":
                advance()
                return
            case "\\":
                try readQuotedEscape(into: &builder, opening: opening)
            case "$":
                try readDollar(into: &builder, isBare: false)
            default:
                try rejectControlCharacter(scalar)
                builder.append(scalar)
                advance()
            }
        }
        throw LexicalError(kind: .unterminatedQuote("\""), position: opening)
    }

    private func readBareEscape(into builder: inout Builder) throws(LexicalError) {
        if isContinuation {
            try joinLines()
            return
        }
        let start = position()
        advance()
        guard let scalar = peek else { throw LexicalError(kind: .unfinishedContinuation, position: start) }
        try rejectControlCharacter(scalar)
        // Outside quotes, a backslash before a letter or digit is an error: otherwise `a\nb` would silently become
        // `anb`.
        guard !scalar.properties.isAlphabetic, scalar.properties.numericType == nil else {
            throw LexicalError(kind: .badEscape("\\\(scalar)"), position: start, length: 2)
        }
        builder.isQuoted = true
        builder.append(scalar)
        advance()
    }

    private func readQuotedEscape(
        into builder: inout Builder, opening: SourcePosition
    ) throws(LexicalError) {
        if isContinuation {
            try joinLines()
            return
        }
        let start = position()
        advance()
        guard let scalar = peek else { throw LexicalError(kind: .unterminatedQuote("\""), position: opening) }
        switch scalar {
        case "n": builder.append("\n")
        case "t": builder.append("\t")
        case "\"", "\\", "$": builder.append(scalar)
        case "u":
            builder.append(try readUnicodeEscape(at: start))
            return
        default: throw LexicalError(kind: .badEscape("\\\(scalar)"), position: start, length: 2)
        }
        advance()
    }

    /// Reads `u{…}`, after the backslash.
    private func readUnicodeEscape(at start: SourcePosition) throws(LexicalError) -> Unicode.Scalar {
        let from = index
        advance()
        var digits = ""
        if peek == "{" {
            advance()
            while let scalar = peek, scalar.properties.isASCIIHexDigit, digits.count < 8 {
                digits.unicodeScalars.append(scalar)
                advance()
            }
            if peek == "}" {
                advance()
                if let value = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(value) { return scalar }
            }
        }
        let written = "\\" + String(text[from..<index])
        throw LexicalError(kind: .badUnicodeEscape(written), position: start, length: written.count)
    }

    /// Reads `$name`, `${name}` or `$$`. After an unquoted `key=>`, the name is the variable that a capture sets, so it
    /// is not replaced by a value.
    private func readDollar(into builder: inout Builder, isBare: Bool) throws(LexicalError) {
        let start = position()
        let isCapture = isBare && !builder.isQuoted && builder.pieces.isEmpty && builder.literal.hasSuffix("=>")
        advance()
        guard let scalar = peek else {
            throw LexicalError(kind: .missingVariableName, position: start)
        }
        if scalar == "$" {
            builder.append("$")
            advance()
            return
        }
        let name = scalar == "{" ? try readBracedName(at: start) : readBareName()
        if name.isEmpty, isBare, builder.literal.contains("~/") {
            // In a pattern such as `key~/…$/` the dollar sign means the end of the text.
            builder.append("$")
            return
        }
        guard !name.isEmpty else { throw LexicalError(kind: .missingVariableName, position: start) }
        if isCapture {
            builder.literal += "$\(name)"
        } else {
            builder.append(variable: name, at: start)
        }
    }

    private func readBareName() -> String {
        var name = ""
        while let scalar = peek, Self.isNameScalar(scalar, isFirst: name.isEmpty) {
            name.unicodeScalars.append(scalar)
            advance()
        }
        return name
    }

    private func readBracedName(at start: SourcePosition) throws(LexicalError) -> String {
        advance()
        let from = index
        while let scalar = peek, scalar != "}", !isAtNewline {
            advance()
        }
        let name = String(text[from..<index])
        guard peek == "}" else {
            throw LexicalError(kind: .unterminatedVariable, position: start, length: name.count + 2)
        }
        advance()
        guard Self.isVariableName(name) else {
            throw LexicalError(kind: .badVariableName(name), position: start, length: name.count + 3)
        }
        return name
    }

    private static func isNameScalar(_ scalar: Unicode.Scalar, isFirst: Bool) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "_": true
        case "0"..."9": !isFirst
        default: false
        }
    }

    /// True if a name is valid in `${…}`: letters, digits and `_`. After a dot follows the name of a field of a
    /// captured event.
    package static func isVariableName(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.enumerated().allSatisfy { number, part in
            !part.isEmpty
                && part.unicodeScalars.enumerated().allSatisfy { offset, scalar in
                    isNameScalar(scalar, isFirst: number == 0 && offset == 0) || (number > 0 && scalar == "-")
                }
        }
    }
}
