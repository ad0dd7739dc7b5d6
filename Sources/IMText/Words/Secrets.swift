/// Masks tokens and passwords in typed lines, so that neither the history nor any output contains them.
package enum Secrets {
    /// The text that replaces a secret.
    package static let mask = "***"

    /// The options whose value is a secret.
    package static let options = ["--token", "--password"]

    /// Commands with a secret positional argument: the command's words, and the index of that argument, counted after
    /// these words.
    package static let positionals: [(path: [String], index: Int)] = [
        (["server", "account", "add"], 1), (["server", "account", "password"], 1),
    ]

    /// True if a line contains, or may contain, a secret. Such a line is not stored in the history.
    package static func containsSecret(_ line: String) -> Bool { redacted(line) != line }

    /// The line with each secret masked.
    package static func redacted(_ line: String) -> String {
        let lexer = Lexer(line)
        var result = ""
        var copied = line.utf8.startIndex
        while let next = lexer.next() {
            guard case .success(let logical) = next else {
                // A line that the lexer cannot split into words is masked as a whole if it may contain a secret.
                return mentionsSecret(line) ? mask : line
            }
            for range in secretRanges(in: logical) {
                guard
                    let from = line.utf8.index(
                        line.utf8.startIndex, offsetBy: range.lowerBound, limitedBy: line.endIndex),
                    let to = line.utf8.index(
                        line.utf8.startIndex, offsetBy: range.upperBound, limitedBy: line.endIndex),
                    copied <= from
                else { continue }
                result += line[copied..<from] + mask
                copied = to
            }
        }
        return result + line[copied...]
    }

    private static func secretRanges(in line: LogicalLine) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        var arguments: [Word] = []
        var isValue = false
        for word in line.words {
            let text = word.literal ?? word.source
            let start = word.position.byteOffset
            let end = start + word.source.utf8.count
            if isValue {
                if !isOnlyVariable(word) { ranges.append(start..<end) }
                isValue = false
            } else if options.contains(text) || isMistyped(text) {
                isValue = true
            } else if let name = assignedName(in: word.source), isSecretName(name) {
                if word.source.utf8.count > name.utf8.count + 1 { ranges.append(start + name.utf8.count + 1..<end) }
            } else if !word.mayBeOption {
                arguments.append(word)
            }
        }
        let texts = arguments.map { $0.literal ?? $0.source }
        for (path, index) in positionals where texts.starts(with: path) && texts.count > path.count + index {
            let word = arguments[path.count + index]
            guard !isOnlyVariable(word) else { continue }
            let start = word.position.byteOffset
            ranges.append(start..<start + word.source.utf8.count)
        }
        return ranges.sorted { $0.lowerBound < $1.lowerBound }
    }

    /// True for a mistyped option such as `--tokn`: the user meant its value as a secret.
    private static func isMistyped(_ text: String) -> Bool {
        guard text.hasPrefix("-"), !text.contains("=") else { return false }
        let name = text.drop { $0 == "-" }
        guard name.count > 2, !["token-file", "token-env", "password-file"].contains(name) else { return false }
        return Suggestion.nearest(to: String(name), among: ["token", "password"]) != nil
    }

    /// True for a word such as `$token`, which does not reveal the secret.
    private static func isOnlyVariable(_ word: Word) -> Bool {
        word.pieces.allSatisfy { if case .variable = $0 { true } else { false } }
    }

    private static func assignedName(in source: String) -> String? {
        source.firstIndex(of: "=").map { String(source[..<$0]) }
    }

    /// True for a name whose value is a secret, as in `--token=…` and in `set token=…`.
    private static func isSecretName(_ name: String) -> Bool {
        let bare = name.hasPrefix("--") ? String(name.dropFirst(2)) : name
        return ["token", "password", "secret"].contains(bare.lowercased()) || isMistyped(name)
    }

    private static func mentionsSecret(_ line: String) -> Bool {
        let text = line.lowercased()
        return ["token", "password", "secret"].contains { text.contains($0) } || text.contains("account")
    }
}
