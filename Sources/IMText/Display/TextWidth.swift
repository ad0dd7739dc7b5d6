/// The number of terminal columns of a text.
package enum TextWidth {
    package static func columns(of text: String) -> Int {
        let bytes = text.utf8
        if bytes.allSatisfy({ (0x20...0x7E).contains($0) }) { return bytes.count }
        return text.reduce(0) { $0 + columns(of: $1) }
    }

    /// A character may consist of several scalars: a letter with combining marks, or an emoji sequence. An emoji
    /// sequence is as wide as a single emoji.
    package static func columns(of character: Character) -> Int {
        let scalars = character.unicodeScalars
        if scalars.count == 1, let only = scalars.first { return columns(of: only) }
        let isPicture = scalars.contains { scalar in
            scalar.value == 0xFE0F || scalar.value == 0x200D || (0x1F1E6...0x1F1FF).contains(scalar.value)
                || scalar.properties.isEmojiModifier
        }
        if isPicture, scalars.contains(where: \.properties.isEmoji) { return 2 }
        return scalars.reduce(0) { $0 + columns(of: $1) }
    }

    /// The text in exactly `width` columns: truncated, or followed by blanks.
    package static func fitted(_ text: String, to width: Int) -> String {
        var fitted = ""
        var used = 0
        for character in text {
            let own = columns(of: character)
            if used + own > width { break }
            fitted.append(character)
            used += own
        }
        return fitted + String(repeating: " ", count: max(0, width - used))
    }

    /// The text, followed by blanks up to `width` columns; a longer text is followed by one blank.
    package static func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - columns(of: text)))
    }

    /// East Asian wide characters and emoji take two columns; combining marks take none.
    private static func columns(of scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0x20...0x7E: return 1
        // The vowels and final consonants of a Korean syllable are drawn inside its first letter.
        case 0x1160...0x11FF, 0xD7B0...0xD7FF: return 0
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF,
            0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x1F300...0x1F64F, 0x1F680...0x1F6FF,
            0x1F900...0x1F9FF, 0x20000...0x3FFFD:
            return 2
        default: break
        }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator: return 0
        default: return scalar.properties.isEmojiPresentation ? 2 : 1
        }
    }
}
