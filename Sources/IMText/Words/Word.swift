/// A part of a word: literal text, or a variable that is replaced by its value when the line runs.
package enum Piece: Hashable, Sendable {
    case literal(String)
    case variable(name: String, position: SourcePosition)
}

/// One word of a line. Quotes and escapes are already resolved; variables are not yet replaced.
package struct Word: Hashable, Sendable {
    package var pieces: [Piece]
    package var position: SourcePosition
    /// The word as typed, with its quotes.
    package var source: String
    /// True if any part of the word is quoted or escaped.
    package var isQuoted: Bool
    /// True if the word is part of a filter. The command then gets the word as typed, because `FilterLexer` reads its
    /// quotes.
    package var keepsQuotes = false

    /// The text of the word; nil if the word contains a variable.
    package var literal: String? {
        var text = ""
        for piece in pieces {
            guard case .literal(let part) = piece else { return nil }
            text += part
        }
        return text
    }

    /// The names of the variables in the word.
    package var variableNames: [String] {
        pieces.compactMap { piece in
            if case .variable(let name, _) = piece { name } else { nil }
        }
    }

    /// True if the word begins with an unquoted dash that no digit follows. A number such as `-5` is not an option.
    package var mayBeOption: Bool { source.hasPrefix("-") && source.dropFirst().first?.isNumber != true }

    /// The word with each variable replaced by its value.
    package func expand(_ variables: [String: String]) throws(Diagnostic) -> String {
        if keepsQuotes { return try expandKeepingQuotes(variables) }
        var text = ""
        for piece in pieces {
            switch piece {
            case .literal(let part): text += part
            case .variable(let name, let position): text += try Self.value(of: name, at: position, in: variables)
            }
        }
        return text
    }

    private static func value(
        of name: String, at position: SourcePosition, in variables: [String: String]
    ) throws(Diagnostic) -> String {
        guard let value = variables[name] else {
            throw Diagnostic(
                "unknown variable '$\(name)'", at: position, length: name.count + 1,
                hint: Suggestion.hint(for: name, among: variables.keys.sorted(), prefix: "$")
            )
        }
        return value
    }

    /// The word as typed, with each variable replaced by its value, in quotes where the filter requires them.
    private func expandKeepingQuotes(_ variables: [String: String]) throws(Diagnostic) -> String {
        let bytes = Array(source.utf8)
        var text = ""
        var next = 0
        for case .variable(let name, let variablePosition) in pieces {
            let start = variablePosition.byteOffset - position.byteOffset
            guard bytes.indices.contains(start), start >= next else { continue }
            text += String(decoding: bytes[next..<start], as: UTF8.self)
            let isBraced = bytes.indices.contains(start + 1) && bytes[start + 1] == UInt8(ascii: "{")
            next = min(bytes.count, start + name.utf8.count + (isBraced ? 3 : 1))
            let value = try Self.value(of: name, at: variablePosition, in: variables)
            text += FilterLexer.value(value, isInQuotes: FilterLexer.endsInQuotes(text))
        }
        return text + String(decoding: bytes[next...], as: UTF8.self)
    }
}

/// The text after a `#`.
package struct Comment: Hashable, Sendable {
    /// The comment without the `#` and the surrounding blanks.
    package var text: String
    package var position: SourcePosition
}

/// One logical line: a physical line, or several that are joined by a backslash at the end of each.
package struct LogicalLine: Hashable, Sendable {
    package var position: SourcePosition
    /// The position of the `!`; nil if the line does not begin with one.
    package var mustFailPosition: SourcePosition?
    /// The name after `@`; nil if the line does not begin with one.
    package var client: ClientPrefix?
    package var words: [Word]
    package var comment: Comment?
    /// The line as typed, without blanks at both ends.
    package var source: String
    /// The position after the last word, for errors about missing arguments.
    package var end: SourcePosition

    package struct ClientPrefix: Hashable, Sendable {
        package var name: String
        package var position: SourcePosition
    }

    /// True if the line contains only blanks. A line with a comment is not blank.
    package var isBlank: Bool { words.isEmpty && comment == nil && mustFailPosition == nil && client == nil }
}
