/// A part of a word: text that stands for itself, or a variable that is only known when the statement runs.
enum Piece: Hashable, Sendable {
    case literal(String)
    case variable(name: String, position: SourcePosition)
}

/// One word of a statement, after quotes and escapes, before variables.
struct Word: Hashable, Sendable {
    var pieces: [Piece]
    var position: SourcePosition
    /// The word as it stands in the text, with its quotes.
    var source: String
    /// Whether any part of it stood in quotes or behind a backslash: then `-x` is text and not an option.
    var isQuoted: Bool

    /// The text, when no variable is in it.
    var literal: String? {
        var text = ""
        for piece in pieces {
            guard case .literal(let part) = piece else { return nil }
            text += part
        }
        return text
    }

    /// The names of the variables it needs.
    var variableNames: [String] {
        pieces.compactMap { piece in
            if case .variable(let name, _) = piece { name } else { nil }
        }
    }

    /// Whether a leading dash makes it an option: only where the user typed that dash bare.
    var mayBeOption: Bool { source.hasPrefix("-") && source.dropFirst().first?.isNumber != true }

    /// The word with its variables filled in.
    func expand(_ variables: [String: String]) throws(Diagnostic) -> String {
        var text = ""
        for piece in pieces {
            switch piece {
            case .literal(let part):
                text += part
            case .variable(let name, let position):
                guard let value = variables[name] else {
                    throw Diagnostic(
                        "unknown variable '$\(name)'", at: position, length: name.count + 1,
                        hint: Suggestion.hint(for: name, among: variables.keys.sorted(), prefix: "$")
                    )
                }
                text += value
            }
        }
        return text
    }
}

/// What stands behind a `#`.
struct Comment: Hashable, Sendable {
    /// Without the `#` and the blanks around it.
    var text: String
    var position: SourcePosition
}

/// One logical line: physical lines joined by a backslash at their end count as one.
struct LogicalLine: Hashable, Sendable {
    var position: SourcePosition
    /// Where the `!` stood, if the line begins with one.
    var mustFail: SourcePosition?
    /// The name behind `@`, if the line begins with one.
    var client: ClientPrefix?
    var words: [Word]
    var comment: Comment?
    /// The line as written, without blanks at both ends.
    var source: String
    /// Just behind the last word: where something that is missing should stand.
    var end: SourcePosition

    struct ClientPrefix: Hashable, Sendable {
        var name: String
        var position: SourcePosition
    }

    /// Nothing but blanks.
    var isBlank: Bool { words.isEmpty && comment == nil && mustFail == nil && client == nil }
}
