import IMText

/// Writes any text as a Lua literal with the same bytes.
enum LuaText {
    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""), UInt8(ascii: "\\"): quoted += "\\\(Character(Unicode.Scalar(byte)))"
            case 0x20..<0x7F: quoted.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                // Three digits, so that a following digit does not belong to the number.
                let digits = String(byte)
                quoted += "\\" + String(repeating: "0", count: 3 - digits.count) + digits
            }
        }
        return quoted + "\""
    }
}
