/// A part of a word: literal text, or a variable whose value is known when the statement runs.
package enum Piece: Hashable, Sendable {
    case literal(String)
    case variable(name: String, position: SourcePosition)
}

/// One word of a statement, after quotes and escapes are resolved, before variables are.
package struct Word: Hashable, Sendable {
    package var pieces: [Piece]
    package var position: SourcePosition
    /// The word as typed, with its quotes.
    package var source: String
    /// True if any part of it is quoted or escaped. Then `-x` is text and not an option.
    package var isQuoted: Bool
    /// True if it belongs to a filter, which reads quotes itself. Then the command gets it as typed.
    package var keepsQuotes = false

    /// The text; nil if it contains a variable.
    package var literal: String? {
        var text = ""
        for piece in pieces {
            guard case .literal(let part) = piece else { return nil }
            text += part
        }
        return text
    }

    /// The names of its variables.
    package var variableNames: [String] {
        pieces.compactMap { piece in
            if case .variable(let name, _) = piece { name } else { nil }
        }
    }

    /// True if a leading dash makes it an option, which requires that the dash is not quoted.
    package var mayBeOption: Bool { source.hasPrefix("-") && source.dropFirst().first?.isNumber != true }

    /// The word with the values of its variables.
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

    /// The word as typed, with each variable replaced by its value as one value of the filter.
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
    /// Without the `#` and the surrounding blanks.
    package var text: String
    package var position: SourcePosition
}

/// One logical line. Physical lines that are joined by a backslash at their end count as one.
package struct LogicalLine: Hashable, Sendable {
    package var position: SourcePosition
    /// The position of the `!`; nil if the line does not begin with one.
    package var mustFail: SourcePosition?
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

    /// True if the line contains only blanks.
    package var isBlank: Bool { words.isEmpty && comment == nil && mustFail == nil && client == nil }
}
