import IMText

/// Reads the lines of a script once and collects all errors.
struct ScriptParser {
    private(set) var source: SourceText
    private(set) var metadata = ScriptMetadata()
    private(set) var statements: [Statement] = []
    private(set) var errors: [Diagnostic] = []

    private let origin: Script.Origin
    /// The variables that the caller or an earlier statement sets. Nil if variables can only be checked at run time, as
    /// after `source`.
    private var variables: Set<String>?
    private var phase: String?
    private var previous = Previous.start
    /// True after the first block of comments. A later comment is metadata only if its key is in `ScriptMetadata.Key`.
    /// Any other comment after a blank line begins a phase.
    private var isAfterFirstBlock = false

    private enum Previous {
        case start, blank, comment, phaseComment, statement
    }

    init(source: SourceText, origin: Script.Origin, variables: Set<String>?) {
        self.source = source
        self.origin = origin
        self.variables = variables
    }

    mutating func parse(_ text: String, check: (Statement) -> [Diagnostic]) {
        let lexer = Lexer(text)
        var isFirst = true
        while let result = lexer.next() {
            switch result {
            case .failure(let error):
                errors.append(error.diagnostic)
                previous = .statement
            case .success(let line):
                if isFirst, readHeader(line) { break }
                read(line, check: check)
            }
            isFirst = false
        }
        if isFirst { requireHeader() }
    }

    /// Reads the first line. Returns false if the line is not a `#!` line.
    private mutating func readHeader(_ line: LogicalLine) -> Bool {
        guard let comment = line.comment, line.words.isEmpty, comment.text.hasPrefix("!") else {
            requireHeader()
            return false
        }
        let words = comment.text.dropFirst().split { $0 == " " || $0 == "\t" }
        let length = comment.text.count + 1
        guard words.count == 3, words[0] == "imrepl", words[1] == "script" else {
            errors.append(
                Diagnostic(
                    "this is not the first line of a script", at: comment.position, length: length,
                    hint: "the first line must be '#! imrepl script \(Script.version)'"))
            return true
        }
        guard let version = Int(words[2]), version >= 1 else {
            errors.append(
                Diagnostic("'\(words[2])' is not a script version", at: comment.position, length: length)
            )
            return true
        }
        if version > Script.version {
            errors.append(
                Diagnostic(
                    "the script has version \(version); this imrepl reads versions up to \(Script.version)",
                    at: comment.position, length: length, hint: "use a newer imrepl"))
        }
        previous = .comment
        return true
    }

    private mutating func requireHeader() {
        guard origin == .file else { return }
        errors.append(
            Diagnostic("the first line must be '#! imrepl script \(Script.version)'", at: .start))
    }

    private mutating func read(_ line: LogicalLine, check: (Statement) -> [Diagnostic]) {
        if line.isBlank {
            if previous == .comment { isAfterFirstBlock = true }
            previous = .blank
            return
        }
        do throws(Diagnostic) {
            guard let statement = try Statement(line, phase: phase) else {
                if let comment = line.comment { read(comment) }
                return
            }
            previous = .statement
            statements.append(statement)
            let unknownVariables = checkVariables(of: statement)
            errors += unknownVariables + check(statement)
        } catch {
            previous = .statement
            errors.append(error)
        }
    }

    /// Reads a comment line. Before the first statement, the line can be metadata. A comment after a blank line begins
    /// a phase, and the comment lines that directly follow belong to the name of the phase.
    private mutating func read(_ comment: Comment) {
        if statements.isEmpty, let entry = ScriptMetadata.entry(of: comment),
            !isAfterFirstBlock || ScriptMetadata.Key(rawValue: entry.key) != nil
        {
            metadata.entries.append(entry)
            if let error = ScriptMetadata.error(in: entry) { errors.append(error) }
            previous = .comment
        } else if previous == .blank {
            phase = comment.text
            previous = .phaseComment
        } else if previous == .phaseComment, let beginning = phase {
            phase = beginning + " " + comment.text
        } else if previous != .statement {
            previous = .comment
        }
    }

    /// Reports the variables that no earlier statement can have set, then adds the variables that this statement sets.
    private mutating func checkVariables(of statement: Statement) -> [Diagnostic] {
        // `source` reads its file at run time, so the variables that the file sets are unknown here.
        if statement.words.first?.literal == "source" { variables = nil }
        guard var known = variables else { return [] }
        let errors = statement.variables.compactMap { use -> Diagnostic? in
            let root = use.name.prefix { $0 != "." }
            guard !known.contains(String(root)), !known.contains(use.name) else { return nil }
            return Diagnostic(
                "unknown variable '$\(use.name)'", at: use.position, length: use.name.count + 1,
                hint: Suggestion.hint(for: use.name, among: known.sorted(), prefix: "$")
                    ?? "give it after the file: imrepl run FILE \(use.name)=…")
        }
        known.formUnion(statement.capturedNames)
        variables = known
        return errors
    }
}
