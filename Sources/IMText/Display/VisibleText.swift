/// A text in which every scalar is visible. Control characters, line ends, invisible characters and characters that
/// change the text direction are written as escapes such as `\u{202e}`. ``original(of:)`` restores the text.
///
/// Every export to a text format escapes texts with this type first. The quoting that the format requires is done after
/// that.
package enum VisibleText {
    package static func of(_ text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        guard scalars.contains(where: { isHidden($0) || $0 == "\\" }) else { return text }
        var visible = String.UnicodeScalarView()
        for (offset, scalar) in scalars.enumerated() {
            // A backslash is only escaped if ``original(of:)`` would read it and the following text as an escape.
            let beginsEscape = scalar == "\\" && scalars[(offset + 1)...].starts(with: "u{".unicodeScalars)
            if isHidden(scalar) || beginsEscape {
                visible.append(contentsOf: escape(scalar).unicodeScalars)
            } else {
                visible.append(scalar)
            }
        }
        return String(visible)
    }

    package static func original(of text: String) -> String {
        let scalars = Array(text.unicodeScalars)
        var original = String.UnicodeScalarView()
        var index = 0
        while index < scalars.count {
            let digits = scalars[index...].dropFirst(3).prefix { $0.properties.isASCIIHexDigit }
            if scalars[index...].starts(with: "\\u{".unicodeScalars), scalars[digits.endIndex...].first == "}",
                let scalar = UInt32(String(String.UnicodeScalarView(digits)), radix: 16).flatMap(Unicode.Scalar.init)
            {
                original.append(scalar)
                index = digits.endIndex + 1
            } else {
                original.append(scalars[index])
                index += 1
            }
        }
        return String(original)
    }

    /// True if a scalar is invisible, ends a line, or changes the position of other characters.
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        // A variation selector counts as visible, because it changes how the character before it looks.
        !TerminalText.isHarmless(scalar) && !(0xFE00...0xFE0F).contains(scalar.value)
    }

    package static func escape(_ scalar: Unicode.Scalar) -> String { "\\u{\(String(scalar.value, radix: 16))}" }
}
