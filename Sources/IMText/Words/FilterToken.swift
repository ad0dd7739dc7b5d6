/// A word, an operator or bracket, or a value of a filter.
package struct FilterToken: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case word
        /// A word in quotes. It is never read as a keyword, and no correction is suggested for it.
        case quoted
        case sign
        case end
    }

    package var kind: Kind
    package var text: String
    /// The number of characters of the filter before the token.
    package var offset: Int
    package var length: Int

    package init(kind: Kind, text: String, offset: Int, length: Int) {
        self.kind = kind
        self.text = text
        self.offset = offset
        self.length = length
    }

    package func isWord(_ word: String) -> Bool { kind == .word && text == word }
    package func isSign(_ sign: String) -> Bool { kind == .sign && text == sign }
}

/// Splits a filter into tokens. The parser requests one token at a time and chooses `next` or `nextValue`, because a
/// value may contain characters that would end a field name.
package struct FilterLexer {
    private let characters: [Character]
    private var position = 0

    package init(_ source: String) {
        characters = Array(source)
    }

    package static let operators = ["==", "!=", "<=", ">=", "=~", "<", ">"]
    /// Operators of other languages, and the filter operators that replace them.
    private static let foreignOperators = ["&&": "and", "||": "or", "!": "not", "=": "==", "~": "=~"]

    /// Reads the next token at a position where a name, a keyword or an operator is expected.
    package mutating func next() throws(FilterError) -> FilterToken {
        skipBlanks()
        guard position < characters.count else { return token(.end, "", from: position) }
        let start = position
        let character = characters[position]
        if let quoted = try quoted() { return quoted }
        if "(){},".contains(character) {
            position += 1
            return token(.sign, String(character), from: start)
        }
        let two = String(characters[position..<min(position + 2, characters.count)])
        if let sign = Self.operators.first(where: { two.hasPrefix($0) }) {
            position += sign.count
            return token(.sign, sign, from: start)
        }
        for foreign in [two, String(character)] {
            guard let replacement = Self.foreignOperators[foreign] else { continue }
            throw FilterError(
                "unexpected '\(foreign)'", at: start, length: foreign.count, hint: "did you mean '\(replacement)'?")
        }
        while position < characters.count, Self.belongsToName(characters[position]) { position += 1 }
        guard position > start else {
            throw FilterError(
                "'\(character)' is not allowed in a name", at: start, hint: "quote values that have such characters")
        }
        return token(.word, String(characters[start..<position]), from: start)
    }

    /// Reads the next token at a position where a value is expected: `NIMKickReasonByClient(1)`, `12.5s`, `a/b`, `"two
    /// words"`.
    package mutating func nextValue() throws(FilterError) -> FilterToken {
        skipBlanks()
        let start = position
        if let quoted = try quoted() { return quoted }
        while position < characters.count, Self.belongsToValue(characters[position]) { position += 1 }
        guard position > start else { return try next() }
        skipNumberInParentheses()
        return token(.word, String(characters[start..<position]), from: start)
    }

    /// Skips the `(1)` of a value such as `Name(1)`.
    private mutating func skipNumberInParentheses() {
        guard position < characters.count, characters[position] == "(" else { return }
        var end = position + 1
        if end < characters.count, characters[end] == "-" { end += 1 }
        let first = end
        while end < characters.count, ("0"..."9").contains(characters[end]) { end += 1 }
        guard end > first, end < characters.count, characters[end] == ")" else { return }
        position = end + 1
    }

    private mutating func skipBlanks() {
        while position < characters.count, characters[position].isWhitespace { position += 1 }
    }

    /// Reads a word in quotes. A backslash escapes the quote or a backslash. Before any other character it is literal,
    /// so that regular expressions need no double backslashes.
    private mutating func quoted() throws(FilterError) -> FilterToken? {
        guard position < characters.count, characters[position] == "\"" || characters[position] == "'" else {
            return nil
        }
        let start = position
        let quote = characters[position]
        var text = ""
        position += 1
        while position < characters.count, characters[position] != quote {
            let next = position + 1 < characters.count ? characters[position + 1] : " "
            if characters[position] == "\\", next == quote || next == "\\" { position += 1 }
            text.append(characters[position])
            position += 1
        }
        guard position < characters.count else {
            throw FilterError("the quote is not closed", at: start, hint: "close it with \(quote)")
        }
        position += 1
        return token(.quoted, text, from: start)
    }

    private func token(_ kind: FilterToken.Kind, _ text: String, from start: Int) -> FilterToken {
        FilterToken(kind: kind, text: text, offset: start, length: position - start)
    }

    // MARK: Values in a filter

    /// A text as a value of a filter: without quotes if possible, and only escaped if it is already inside quotes.
    package static func value(_ text: String, isInQuotes: Bool) -> String {
        let escaped = text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        if isInQuotes { return escaped }
        var lexer = FilterLexer(text)
        let token = try? lexer.nextValue()
        let isBare = token?.kind == .word && token?.text == text && !["and", "or", "not"].contains(text)
        return isBare ? text : "\"\(escaped)\""
    }

    /// True if the text ends inside a quote.
    package static func endsInQuotes(_ text: String) -> Bool {
        var quote: Character?
        var isEscaped = false
        for character in text {
            if isEscaped {
                isEscaped = false
            } else if let open = quote {
                isEscaped = character == "\\"
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            }
        }
        return quote != nil
    }

    private static func belongsToName(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || "-_.#*".contains(character)
    }

    private static func belongsToValue(_ character: Character) -> Bool {
        !character.isWhitespace && !"(){},\"'".contains(character)
    }
}
