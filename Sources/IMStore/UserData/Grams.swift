import IMData

/// Texts as the index for searching has them: the pairs of characters that stand side by side, each as a word of letters
/// and digits, so that the index breaks none of them up, in whatever script it is. A character that ends its text makes
/// a pair with nothing. So a message is found by every word that is in it, from one character on, without knowing where
/// the words of a language end.
enum Grams {
    /// The pairs of some texts, each once, separated by blanks.
    static func terms(of texts: [String]) -> String {
        var pairs: Set<UInt64> = []
        var terms: [UInt8] = []
        for text in texts {
            let scalars = Array(FoldedText.folded(text).unicodeScalars)
            for (place, scalar) in scalars.enumerated() {
                let next = place + 1 < scalars.count ? scalars[place + 1].value : 0
                guard pairs.insert(UInt64(scalar.value) << 32 | UInt64(next)).inserted else { continue }
                append(scalar.value, next, to: &terms)
                terms.append(UInt8(ascii: " "))
            }
        }
        return String(decoding: terms, as: UTF8.self)
    }

    /// What the index is asked for messages that may have all of the keywords; nil where it cannot help.
    static func query(for keywords: [String]) -> String? {
        var words: [String] = []
        for keyword in keywords {
            let scalars = Array(FoldedText.folded(keyword).unicodeScalars)
            if let only = scalars.first, scalars.count == 1 {
                var word: [UInt8] = []
                append(only.value, 0, to: &word)
                words.append("\"\(String(decoding: word, as: UTF8.self))\" *")
            }
            for (first, next) in zip(scalars, scalars.dropFirst()) {
                var word: [UInt8] = []
                append(first.value, next.value, to: &word)
                words.append("\"\(String(decoding: word, as: UTF8.self))\"")
            }
        }
        return words.isEmpty ? nil : words.joined(separator: " AND ")
    }

    /// In digits of base 32, which leave `w` to stand between the two.
    private static func append(_ first: UInt32, _ next: UInt32, to word: inout [UInt8]) {
        append(first, to: &word)
        word.append(UInt8(ascii: "w"))
        if next != 0 { append(next, to: &word) }
    }

    private static func append(_ value: UInt32, to word: inout [UInt8]) {
        let digits = Array("0123456789abcdefghijklmnopqrstuv".utf8)
        var shift: UInt32 = 30
        while shift > 0, value >> shift == 0 { shift -= 5 }
        while true {
            word.append(digits[Int(value >> shift & 31)])
            if shift == 0 { break }
            shift -= 5
        }
    }
}
