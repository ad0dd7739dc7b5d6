/// One `key=value` of an option, a setting or an expectation.
package struct KeyValue: Hashable, Sendable {
    package enum Comparison: Hashable, Sendable {
        /// `key=value`
        case equal
        /// `key!=value`
        case notEqual
        /// `key~/pattern/`
        case matching
        /// `key=>$variable`: assigns the field's value to a variable.
        case capture
    }

    package var key: String
    package var comparison: Comparison
    /// The text after the operator, without the slashes of a pattern or the dollar sign of a variable.
    package var value: String

    /// Parses one of the four forms of ``Comparison``; nil for other text.
    package init?(_ text: String) {
        let key = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "_.-".contains($0)) }
        guard let first = key.first, first.isLetter || first == "_" else { return nil }
        let rest = text.dropFirst(key.count)
        self.key = String(key)
        if rest.hasPrefix("!=") {
            comparison = .notEqual
            value = String(rest.dropFirst(2))
        } else if rest.hasPrefix("~/"), rest.count > 3, rest.hasSuffix("/") {
            comparison = .matching
            value = String(rest.dropFirst(2).dropLast())
        } else if rest.hasPrefix("=>$"), Lexer.isVariableName(String(rest.dropFirst(3))) {
            comparison = .capture
            value = String(rest.dropFirst(3))
        } else if rest.hasPrefix("=") {
            comparison = .equal
            value = String(rest.dropFirst())
        } else {
            return nil
        }
    }

    package init(key: String, comparison: Comparison = .equal, value: String) {
        self.key = key
        self.comparison = comparison
        self.value = value
    }

    /// The name of the variable that a capture sets; nil for other comparisons.
    package var captureName: String? { comparison == .capture ? value : nil }

    /// The pattern without quotes, which is easier to read, if the lexer reads it unchanged; otherwise in quotes.
    private static func unquotedIfReadable(_ word: String) -> String {
        guard let line = try? Lexer.line(of: word), line.words.count == 1, line.words[0].literal == word else {
            return word.quoted
        }
        return word
    }

    /// The value as a number; nil if it is not a number.
    package var number: Double? { Double(value) }

    /// The text of this value in a script.
    package var text: String {
        switch comparison {
        case .equal: "\(key)=\(value.quotedIfNeeded)"
        case .notEqual: "\(key)!=\(value.quotedIfNeeded)"
        case .matching: Self.unquotedIfReadable("\(key)~/\(value)/")
        case .capture: "\(key)=>$\(value)"
        }
    }
}
