import IMText

/// Writes JSON. The result of ``quoted(_:)`` may be part of a page: it contains no `<`, so that no text of a user can
/// end the surrounding script.
package enum JSONText {
    package static func quoted(_ text: String) -> String {
        quoted(text) { scalar in
            switch scalar {
            case "<", ">", "&": true
            default: VisibleText.isHidden(scalar)
            }
        }
    }

    /// A quoted text for a line outside of a page, where a reader sees the line itself.
    static func line(_ text: String) -> String { quoted(text, VisibleText.isHidden) }

    /// A text for the page, without invisible characters.
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
