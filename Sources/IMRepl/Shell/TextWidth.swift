/// How many columns of a terminal a text takes.
enum TextWidth {
    static func columns(of text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + columns(of: $1) }
    }

    /// The text in exactly so many columns: cut, or followed by blanks.
    static func fitted(_ text: String, to width: Int) -> String {
        var fitted = ""
        var used = 0
        for character in text {
            let own = columns(of: String(character))
            if used + own > width { break }
            fitted.append(character)
            used += own
        }
        return fitted + String(repeating: " ", count: max(0, width - used))
    }

    /// The East Asian wide characters and the pictures; marks that stand on the letter before take none.
    private static func columns(of scalar: Unicode.Scalar) -> Int {
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        switch scalar.value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
            0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: return 1
        }
    }
}
