import IMText

/// Writes JSON texts. The result of ``quoted(_:)`` contains no `<`, so that a user's text inside a page cannot end the
/// script element that contains the text.
package enum JSONText {
    package static func quoted(_ text: String) -> String {
        quoted(text) { scalar in
            switch scalar {
            case "<", ">", "&": true
            default: VisibleText.isHidden(scalar)
            }
        }
    }

    /// A quoted text for JSON outside of a page. `<`, `>` and `&` are not escaped, so that people can read the text.
    static func line(_ text: String) -> String { quoted(text, VisibleText.isHidden) }

    /// A quoted text for a page. Each invisible character is replaced by a visible escape.
    static func shown(_ text: String) -> String { quoted(VisibleText.of(text)) }

    private static func quoted(_ text: String, _ isEscaped: (Unicode.Scalar) -> Bool) -> String {
        var quoted = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += ["\\", scalar]
            case "\n": quoted += "\\n".unicodeScalars
            case "\t": quoted += "\\t".unicodeScalars
            default: if isEscaped(scalar) { quoted += escape(scalar).unicodeScalars } else { quoted.append(scalar) }
            }
        }
        quoted.append("\"")
        return String(quoted)
    }

    static func list(_ values: [String]) -> String { "[" + values.joined(separator: ",") + "]" }

    static func numbers(_ values: some Sequence<some BinaryInteger>) -> String {
        list(values.map { String($0) })
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        UTF16.encode(scalar).map { units in
            units.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        } ?? ""
    }
}
