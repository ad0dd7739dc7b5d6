/// The part of an unfinished line before the cursor. Unlike ``Lexer`` this type accepts a quote that is not closed.
package struct PartialLine: Equatable, Sendable {
    enum Quote: Character, Sendable {
        case single = "'"
        case double = "\""
    }

    /// The finished words before the cursor, without the prefixes `!` and `@client`.
    package var words: [String] = []
    /// `words` as typed, including their quotes.
    var typedWords: [String] = []
    var client: String?
    /// The part of the word at the cursor that is before the cursor, without quotes.
    package var current = ""
    /// `current` as typed, including its quotes.
    var typedCurrent = ""
    /// The start of the word at the cursor, in UTF-8 bytes from the line's start.
    package var currentStart = 0
    /// The quote that is not closed before the cursor; nil for none.
    var openQuote: Quote?
    /// True if the word at the cursor contains a quote, closed or not.
    var isCurrentQuoted = false
    /// The position of the `$` if the cursor is in or after a variable's name, in UTF-8 bytes from the line's start.
    var variableStart: Int?
    /// The part of the variable's name before the cursor, if `variableStart` is not nil.
    var variablePrefix = ""
    package var isComment = false

    /// Parses the part of a line before the cursor.
    ///
    /// - Parameter cursor: the position of the cursor, in UTF-8 bytes from the line's start.
    package init(_ line: String, cursor: Int) {
        // If the editor passes a cursor inside a character by mistake, the line is cut before that character.
        let end = line.utf8.index(line.startIndex, offsetBy: max(0, cursor), limitedBy: line.endIndex) ?? line.endIndex
        let scalars = Array(line.unicodeScalars[..<end])
        var index = 0
        var isInWord = false
        var wordStart = 0
        while index < scalars.count, !isComment {
            let scalar = scalars[index]
            let isBlank = openQuote == nil && (scalar == " " || scalar == "\t" || scalar == "\n" || scalar == "\r")
            if isBlank {
                if isInWord { finishWord(as: Self.text(scalars[wordStart..<index])) }
                isInWord = false
                index += 1
                continue
            }
            if !isInWord {
                if scalar == "#" {
                    isComment = true
                    break
                }
                if scalar == "!", words.isEmpty, client == nil {
                    index += 1
                    continue
                }
                isInWord = true
                wordStart = index
                currentStart = Self.bytes(scalars[..<index])
                current = ""
                isCurrentQuoted = false
            }
            index = take(scalars, at: index)
        }
        if isInWord {
            typedCurrent = Self.text(scalars[wordStart...])
        } else {
            currentStart = Self.bytes(scalars[...])
        }
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars)
        return text
    }

    private static func bytes(_ scalars: ArraySlice<Unicode.Scalar>) -> Int {
        scalars.reduce(0) { $0 + UTF8.width($1) }
    }

    private mutating func finishWord(as typed: String) {
        if words.isEmpty, client == nil, current.hasPrefix("@"), !isCurrentQuoted {
            client = String(current.dropFirst())
        } else {
            words.append(current)
            typedWords.append(typed)
        }
        current = ""
        isCurrentQuoted = false
        variableStart = nil
        variablePrefix = ""
    }

    /// Adds the character at `index` to the current word and returns the next index.
    private mutating func take(_ scalars: [Unicode.Scalar], at index: Int) -> Int {
        let scalar = scalars[index]
        if let quote = openQuote, String(quote.rawValue) == String(scalar) {
            openQuote = nil
            variableStart = nil
            return index + 1
        }
        if openQuote == nil, let quote = Quote(rawValue: Character(scalar)) {
            openQuote = quote
            isCurrentQuoted = true
            variableStart = nil
            return index + 1
        }
        if scalar == "\\", openQuote != .single, index + 1 < scalars.count {
            current.unicodeScalars.append(scalars[index + 1])
            variableStart = nil
            return index + 2
        }
        if scalar == "$", openQuote != .single {
            // `$$` is a literal dollar sign, so no variable name follows the second `$`.
            let start = Self.bytes(scalars[..<index])
            variableStart = variableStart == start - 1 && variablePrefix.isEmpty ? nil : start
            variablePrefix = ""
        } else if variableStart != nil {
            let isName =
                scalar == "_"
                || (scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil))
            if isName {
                variablePrefix.unicodeScalars.append(scalar)
            } else if !(scalar == "{" && variablePrefix.isEmpty) {
                variableStart = nil
            }
        }
        current.unicodeScalars.append(scalar)
        return index + 1
    }
}
