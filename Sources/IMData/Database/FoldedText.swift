/// Texts as a search compares them: without regard to case and width, in any script, from one character on (ZIM-9).
package enum FoldedText {
    package static func folded(_ text: String) -> String {
        var folded = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { fold(scalar) { folded.append($0) } }
        return String(folded)
    }

    /// The same as the numbers of the characters.
    package static func scalars(_ text: String) -> [UInt32] {
        var folded: [UInt32] = []
        folded.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars { fold(scalar) { folded.append($0.value) } }
        return folded
    }

    @inline(__always)
    private static func fold(_ scalar: Unicode.Scalar, _ append: (Unicode.Scalar) -> Void) {
        switch scalar.value {
        case 0x41...0x5A: append(Unicode.Scalar(UInt8(scalar.value + 0x20)))
        // What has no case at all, or has it already: most of what is written.
        case 0...0x7F, 0x3040...0xD7FF: append(scalar)
        // The full width forms of what ASCII has.
        case 0xFF01...0xFF5E: fold(Unicode.Scalar(UInt8(scalar.value - 0xFEE0)), append)
        case 0x3000: append(" ")
        default: for lower in scalar.properties.lowercaseMapping.unicodeScalars { append(lower) }
        }
    }

    /// Whether every keyword occurs in one of the texts.
    package static func matches(_ texts: [String], _ keywords: [String]) -> Bool {
        Keywords(keywords).occur(in: texts)
    }
}

/// What is looked for in many texts.
package struct Keywords {
    private let folded: [[UInt32]]

    package init(_ keywords: [String]) {
        folded = keywords.map(FoldedText.scalars)
    }

    /// Whether every keyword occurs in one of the texts.
    package func occur(in texts: [String]) -> Bool {
        if folded.isEmpty { return true }
        let texts = texts.map(FoldedText.scalars)
        return folded.allSatisfy { keyword in texts.contains { Self.contains($0, keyword) } }
    }

    private static func contains(_ text: [UInt32], _ word: [UInt32]) -> Bool {
        guard let first = word.first else { return true }
        guard text.count >= word.count else { return false }
        return (0...(text.count - word.count)).contains { start in
            text[start] == first && text[start..<(start + word.count)].elementsEqual(word)
        }
    }
}
