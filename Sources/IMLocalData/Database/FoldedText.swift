/// Folds texts, so that a search ignores case and the full width of letters. A keyword of one character is enough, in
/// any script (ZIM-9).
package enum FoldedText {
    /// The Unicode scalar values of the folded text.
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
        // Characters that have no case or are lower case. Most text consists of them, so they have a fast path.
        case 0...0x7F, 0x3040...0xA63F, 0xAC00...0xD7A3: append(scalar)
        // The full-width forms of ASCII characters.
        case 0xFF01...0xFF5E: fold(Unicode.Scalar(UInt8(scalar.value - 0xFEE0)), append)
        case 0x3000: append(" ")
        default: for lower in scalar.properties.lowercaseMapping.unicodeScalars { append(lower) }
        }
    }
}

/// The keywords of a search, prepared for many texts.
package struct Keywords {
    private let folded: [[UInt32]]
    /// The UTF-8 bytes of the keywords if folding changes none of their characters, as with Chinese words. Then texts
    /// are searched without folding them, which is faster. Else nil.
    private let unfolded: [[UInt8]]?

    package init(_ keywords: [String]) {
        folded = keywords.map(FoldedText.scalars)
        let needsNoFolding = keywords.allSatisfy { $0.unicodeScalars.allSatisfy { 0x3040...0xA63F ~= $0.value } }
        unfolded = needsNoFolding ? keywords.map { Array($0.utf8) } : nil
    }

    /// True if every keyword occurs in at least one of the texts.
    package func occur(in texts: [String]) -> Bool {
        if folded.isEmpty { return true }
        if let unfolded {
            return unfolded.allSatisfy { word in
                texts.contains { text in
                    var text = text
                    return text.withUTF8 { Self.contains($0, word) }
                }
            }
        }
        let texts = texts.map(FoldedText.scalars)
        return folded.allSatisfy { keyword in
            texts.contains { text in text.withUnsafeBufferPointer { Self.contains($0, keyword) } }
        }
    }

    private static func contains<Element: Equatable>(_ text: UnsafeBufferPointer<Element>, _ word: [Element]) -> Bool {
        guard let first = word.first else { return true }
        guard text.count >= word.count else { return false }
        return (0...(text.count - word.count)).contains { start in
            text[start] == first && (1..<word.count).allSatisfy { text[start + $0] == word[$0] }
        }
    }
}
