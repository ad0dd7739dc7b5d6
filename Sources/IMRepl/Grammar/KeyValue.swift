/// One `key=value` of an option, a setting or an expectation.
struct KeyValue: Hashable, Sendable {
    enum Comparison: Hashable, Sendable {
        /// `k=v`
        case equal
        /// `k!=v`
        case notEqual
        /// `k~/re/`
        case matching
        /// `k=>$v`: not compared but kept.
        case capture
    }

    var key: String
    var comparison: Comparison
    /// The text behind the operator; without slashes for `~/re/`, without the dollar sign for a capture.
    var value: String

    /// Reads `k=v`, `k!=v`, `k~/re/` or `k=>$v`; `nil` for anything else.
    init?(_ text: String) {
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

    init(key: String, comparison: Comparison = .equal, value: String) {
        self.key = key
        self.comparison = comparison
        self.value = value
    }

    /// The variable a capture sets.
    var captureName: String? { comparison == .capture ? value : nil }

    /// A pattern is easiest to read without quotes, where the lexer takes it so.
    private static func bareIfReadable(_ word: String) -> String {
        guard let line = try? Lexer.line(of: word), line.words.count == 1, line.words[0].literal == word else {
            return word.quoted
        }
        return word
    }

    /// The value as a number, if it is one.
    var number: Double? { Double(value) }

    /// As it is written.
    var text: String {
        switch comparison {
        case .equal: "\(key)=\(value.quotedIfNeeded)"
        case .notEqual: "\(key)!=\(value.quotedIfNeeded)"
        case .matching: Self.bareIfReadable("\(key)~/\(value)/")
        case .capture: "\(key)=>$\(value)"
        }
    }
}

extension String {
    /// The text as one word of a command line: in quotes when it would not be one without.
    var quotedIfNeeded: String {
        let isPlain = !isEmpty && (isPlainASCII || unicodeScalars.allSatisfy(Self.isPlain))
        // By scalars, as the lexer reads: a mark behind the `@` makes another character of it.
        return isPlain && unicodeScalars.first != "@" && unicodeScalars.first != "!" ? self : quoted
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        !" \t\"'\\$#".unicodeScalars.contains(scalar) && !VisibleText.isHidden(scalar)
    }

    /// The same for what most texts are, as bytes: the text of a message may be long, and is told again and again.
    private var isPlainASCII: Bool {
        var text = self
        return text.withUTF8 { bytes in
            bytes.allSatisfy { byte in
                switch byte {
                case 0x22, 0x23, 0x24, 0x27, 0x5C: false
                default: byte > 0x20 && byte < 0x7F
                }
            }
        }
    }

    /// The text in double quotes, so that the lexer reads it back unchanged and nothing in it is hidden from a reader.
    var quoted: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case "\"", "\\", "$": text.unicodeScalars += ["\\", scalar]
            default:
                if VisibleText.isHidden(scalar) {
                    text += VisibleText.escape(scalar)
                } else {
                    text.unicodeScalars.append(scalar)
                }
            }
        }
        return text + "\""
    }
}
