/// Writes JSON that may stand inside of a page: no `<` is in it, so no text of a user can end the script it stands in.
enum JSONText {
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "<", ">", "&", "\u{2028}", "\u{2029}", "\u{7F}": quoted += escape(scalar)
            default:
                if scalar.value < 0x20 { quoted += escape(scalar) } else { quoted.unicodeScalars.append(scalar) }
            }
        }
        return quoted + "\""
    }

    static func list(_ values: [String]) -> String { "[" + values.joined(separator: ",") + "]" }

    static func numbers(_ values: some Sequence<some BinaryInteger>) -> String {
        list(values.map { String($0) })
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
