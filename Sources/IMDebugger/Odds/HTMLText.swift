/// Escapes texts for a page, in an element and in an attribute. A report's texts come from recordings and files, and
/// can contain anything.
package enum HTMLText {
    /// A text that shows each of its scalars and contains no markup.
    package static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "&": escaped += "&amp;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case _ where isHidden(scalar): escaped += "\\u{\(String(scalar.value, radix: 16))}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// A command's argument as one word of a POSIX shell.
    package static func shellWord(_ text: String) -> String {
        let isPlain = !text.isEmpty && text.first != "-" && text.unicodeScalars.allSatisfy(isPlainInShell)
        guard !isPlain else { return text }
        let parts = text.split(separator: "'", omittingEmptySubsequences: false)
        return "'" + parts.joined(separator: "'\\''") + "'"
    }

    /// True if a scalar is invisible, ends a line, or changes the direction of the text after it.
    private static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
        default: false
        }
    }

    private static func isPlainInShell(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "-", "_", ".", "/", "+", ":", "@", "%", ",": true
        default: false
        }
    }
}
