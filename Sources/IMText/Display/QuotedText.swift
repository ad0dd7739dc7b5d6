extension String {
    /// The text as one word of a command line, in quotes if it needs them.
    package var quotedIfNeeded: String {
        let isPlain = !isEmpty && (isPlainASCII || unicodeScalars.allSatisfy(Self.isPlain))
        // The comparison is by scalars, as in the lexer: `@` with a combining mark is a different `Character`. A `;` at
        // the end would end the command.
        return isPlain && unicodeScalars.first != "@" && unicodeScalars.first != "!" && utf8.last != UInt8(ascii: ";")
            ? self : quoted
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        !" \t\"'\\$#".unicodeScalars.contains(scalar) && !VisibleText.isHidden(scalar)
    }

    /// True if the text is ASCII and needs no quotes. The bytes are compared because that is fast: message texts may be
    /// long and are printed often.
    private var isPlainASCII: Bool {
        var text = self
        return text.withUTF8 { bytes in
            bytes.allSatisfy { byte in
                switch byte {
                case 0x22, 0x23, 0x24, 0x27, 0x5C: false
                default: byte > 0x20 && byte < 0x7F
                }
            }
        }
    }

    /// The text in double quotes. The lexer reads it back unchanged. Invisible characters are written as escapes.
    package var quoted: String {
        var text = "\""
        for scalar in unicodeScalars {
            switch scalar {
            case "\n": text += "\\n"
            case "\t": text += "\\t"
            case "\"", "\\", "$": text.unicodeScalars += ["\\", scalar]
            default:
                if VisibleText.isHidden(scalar) {
                    text += VisibleText.escape(scalar)
                } else {
                    text.unicodeScalars.append(scalar)
                }
            }
        }
        return text + "\""
    }
}

extension String {
    /// The text as one word for a Unix shell.
    package var shellQuoted: String {
        let plain = utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "._/-+=:@%,".utf8.contains(byte)
            }
        }
        return plain && !isEmpty ? self : "'\(replacing("'", with: "'\\''"))'"
    }
}
