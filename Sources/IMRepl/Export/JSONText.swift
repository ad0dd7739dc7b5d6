import LineEditing

/// Writes JSON. What a terminal would obey is escaped in it, so that a line that is looked at changes nothing, and for a
/// page no `<` is in it, so that no text of a user can end the script it stands in.
enum JSONText {
    static func quoted(_ text: String, forPage isForPage: Bool = true) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            case "<", ">", "&": quoted += isForPage ? escape(scalar) : String(scalar)
            default:
                let isShown = scalar.value >= 0x20 && (scalar.isASCII && scalar.value < 0x7F || isHarmless(scalar))
                if isShown { quoted.unicodeScalars.append(scalar) } else { quoted += escape(scalar) }
            }
        }
        return quoted + "\""
    }

    static func list(_ values: [String]) -> String { "[" + values.joined(separator: ",") + "]" }

    static func numbers(_ values: some Sequence<some BinaryInteger>) -> String {
        list(values.map { String($0) })
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        TerminalText.isHarmless(scalar)
    }

    /// Beyond the first plane, as the two halves that JSON has for it.
    private static func escape(_ scalar: Unicode.Scalar) -> String {
        UTF16.encode(scalar).map { units in
            units.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }.joined()
        } ?? ""
    }
}
