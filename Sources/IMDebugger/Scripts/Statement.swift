import IMText

/// One command as it is written, before its variables are expanded.
package struct Statement: Hashable, Sendable {
    /// The position of the statement's first character, which may be the `@` or `!` before the command.
    package var position: SourcePosition
    /// The client named with `@`; nil for the current client.
    package var client: String?
    /// True if the statement begins with `!`. Then the statement passes if the command fails, and fails if the command
    /// succeeds.
    package var mustFail: Bool
    /// The words of the command; never empty.
    package var words: [Word]
    /// The statement as written.
    package var source: String
    /// The comment at the beginning of the phase to which the statement belongs.
    package var phase: String?
    /// The position after the last word.
    package var end: SourcePosition

    /// The statement on a line; `nil` if the line has only blanks or a comment.
    init?(_ line: LogicalLine, phase: String? = nil) throws(Diagnostic) {
        guard let first = line.words.first else {
            if let client = line.client {
                throw Diagnostic(
                    "a command must follow '@\(client.name)'", at: client.position, length: client.name.count + 1,
                    hint: "'client use \(client.name)' makes it the current client")
            }
            if let mark = line.mustFailPosition { throw Diagnostic("a command must follow '!'", at: mark) }
            return nil
        }
        guard let name = first.literal else {
            throw Diagnostic(
                "a command's name cannot come from a variable", at: first.position, length: first.source.count)
        }
        position = line.position
        client = line.client?.name
        mustFail = line.mustFailPosition != nil
        words =
            name.hasPrefix("expect") || name == "why-not"
            ? Self.keepingQuotesOfFilter(Self.keepingCaptureTargets(line.words)) : line.words
        source = line.source
        self.phase = phase
        end = line.end
    }

    /// The statement in a line of a prompt that accepts only one statement at a time; nil if the line has only blanks
    /// or a comment.
    package static func parse(_ text: String) throws(Diagnostic) -> Statement? {
        let statements = try parseAll(text)
        if statements.count > 1 {
            throw Diagnostic("only one command is allowed here", at: statements[1].position, hint: "put ';' in quotes")
        }
        return statements.first
    }

    /// The statements of a line, separated by `;`.
    package static func parseAll(_ text: String) throws(Diagnostic) -> [Statement] {
        let lines: [LogicalLine]
        do throws(LexicalError) {
            lines = try Lexer.lines(of: text)
        } catch {
            throw error.diagnostic
        }
        var statements: [Statement] = []
        for line in lines {
            if let statement = try Statement(line) { statements.append(statement) }
        }
        return statements
    }

    /// The words with their variables expanded.
    package func expand(_ variables: [String: String]) throws(Diagnostic) -> [String] {
        var texts: [String] = []
        for word in words { texts.append(try word.expand(variables)) }
        return texts
    }

    /// The names of all variables that the statement uses, each with the position of its first use.
    package var variables: [(name: String, position: SourcePosition)] {
        var found: [(name: String, position: SourcePosition)] = []
        for case .variable(let name, let position) in words.flatMap(\.pieces)
        where !found.contains(where: { $0.name == name }) {
            found.append((name, position))
        }
        return found
    }

    /// The names of the variables that an expectation sets, with `as $v` or `key=>$v`.
    var capturedNames: [String] {
        guard let name = words.first?.literal, name.hasPrefix("expect") else { return [] }
        return words.indices.compactMap { index in
            guard let text = words[index].literal else { return nil }
            if text.hasPrefix("$"), index > 0, words[index - 1].literal == "as" { return String(text.dropFirst()) }
            return KeyValue(text)?.captureName
        }
    }

    /// A filter follows `expect event` and `why-not`. The quotes in the filter belong to its own syntax, so the words
    /// keep them.
    private static func keepingQuotesOfFilter(_ words: [Word]) -> [Word] {
        var words = words
        if words[0].literal == "why-not" {
            for index in words.indices.dropFirst() { words[index].keepsQuotes = true }
            return words
        }
        let subject = words.count > 1 && words[1].source == "none" ? 2 : 1
        guard words.count > subject, words[subject].source == ObservedEvent.Kind.event.rawValue else { return words }
        for index in words.indices.dropFirst(subject + 1) { words[index].keepsQuotes = true }
        return words
    }

    /// Prevents the expansion of the variable in `as $v`, because the expectation sets this variable.
    private static func keepingCaptureTargets(_ words: [Word]) -> [Word] {
        var words = words
        for index in words.indices.dropFirst() where words[index - 1].source == "as" && !words[index].isQuoted {
            if words[index].pieces.count == 1, case .variable(let name, _) = words[index].pieces[0] {
                words[index].pieces = [.literal("$\(name)")]
            }
        }
        return words
    }
}
