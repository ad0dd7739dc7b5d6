/// Makes texts from recordings, peers and users safe for a terminal: characters that move the cursor, change the
/// reading order or are invisible are escaped.
///
/// All output passes through ``quoted(_:keeping:)`` before it is written. Colours are added afterwards.
package enum TerminalText {
    /// The layout characters that are not quoted.
    package enum Layout: Sendable {
        /// A text of several lines: newlines and tabs are not quoted.
        case lines
        /// One line: newlines and tabs are quoted too, so that a name cannot begin a new line of output.
        case oneLine
    }

    /// The text with each unsafe character replaced by an escape such as `\u{1b}`. The shell's lexer reads such
    /// escapes.
    package static func quoted(_ text: String, keeping layout: Layout = .lines) -> String {
        guard !isHarmless(text, layout) else { return text }
        var quoted = String.UnicodeScalarView()
        var before: Unicode.Scalar?
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            if isShown(scalar, between: before, and: rest.first, layout) {
                quoted.append(scalar)
                before = scalar
            } else {
                before = nil
                quoted.append(contentsOf: VisibleText.escape(scalar).unicodeScalars)
            }
        }
        return String(quoted)
    }

    /// True if no character of the text can need quoting. Most lines contain only ASCII and this program's arrows and
    /// ellipses. Such lines are checked as bytes, because this is much faster and a server under load prints thousands
    /// of lines a second.
    private static func isHarmless(_ text: String, _ layout: Layout) -> Bool {
        let newline: UInt8 = layout == .lines ? 0x0A : 0x20
        var text = text
        return text.withUTF8 { bytes in
            var index = 0
            while index < bytes.count {
                let byte = bytes[index]
                if byte >= 0x20 && byte <= 0x7E || byte == newline {
                    index += 1
                } else if byte == 0xE2, index + 2 < bytes.count, isOwnSign(bytes[index + 1], bytes[index + 2]) {
                    index += 3
                } else {
                    return false
                }
            }
            return true
        }
    }

    /// True if the two bytes after 0xE2 encode an ellipsis or an arrow in UTF-8.
    private static func isOwnSign(_ second: UInt8, _ third: UInt8) -> Bool {
        second == 0x80 && third == 0xA6 || second == 0x86 && (0x90...0x93).contains(third)
    }

    private static func isShown(
        _ scalar: Unicode.Scalar, between before: Unicode.Scalar?, and after: Unicode.Scalar?, _ layout: Layout
    ) -> Bool {
        switch scalar.value {
        case 0x20...0x7E: return true
        case 0x09, 0x0A: return layout == .lines
        // A zero-width joiner is allowed only between two scalars of an emoji.
        case 0x200D: return before.map(isPicture) == true && after.map(isPicture) == true
        case 0xFE00...0xFE0F: return before.map { $0.value > 0x7F || $0.properties.isEmoji } == true
        default: break
        }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            return false
        default:
            // Filler characters have the category of letters but are invisible.
            return !scalar.properties.isDefaultIgnorableCodePoint
        }
    }

    /// True if a character is safe at every position of a text and needs no escape.
    package static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        isShown(scalar, between: nil, and: nil, .oneLine)
    }

    private static func isPicture(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value > 0x7F && (scalar.properties.isEmoji || scalar.value == 0xFE0F)
    }
}
