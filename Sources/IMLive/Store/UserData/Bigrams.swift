import IMLocalData

/// Texts as terms of the search index. A term is a bigram: a pair of adjacent characters. It is written with letters
/// and digits only, so that the index does not split it, in any script. The last character of a text is a term of its
/// own. So a search finds each part of a message, from one character on, without rules about the words of a language.
enum Bigrams {
    /// The unique bigrams of some texts, separated by blanks.
    static func terms(of texts: [String]) -> String {
        var pairs: [UInt64] = []
        for text in texts {
            let scalars = FoldedText.scalars(text)
            for (first, next) in zip(scalars, scalars.dropFirst()) { pairs.append(UInt64(first) << 32 | UInt64(next)) }
            if let last = scalars.last { pairs.append(UInt64(last) << 32) }
        }
        pairs.sort()
        var terms: [UInt8] = []
        terms.reserveCapacity(pairs.count * 10)
        var before: UInt64?
        for pair in pairs where pair != before {
            before = pair
            append(UInt32(pair >> 32), UInt32(truncatingIfNeeded: pair), to: &terms)
            terms.append(UInt8(ascii: " "))
        }
        return String(decoding: terms, as: UTF8.self)
    }

    /// The query for messages that may contain all keywords; nil if the keywords are empty.
    static func query(for keywords: [String]) -> String? {
        var words: [String] = []
        for keyword in keywords {
            let scalars = FoldedText.scalars(keyword)
            if let only = scalars.first, scalars.count == 1 { words.append("\"\(word(only, 0))\" *") }
            for (first, next) in zip(scalars, scalars.dropFirst()) { words.append("\"\(word(first, next))\"") }
        }
        return words.isEmpty ? nil : words.joined(separator: " AND ")
    }

    private static func word(_ first: UInt32, _ next: UInt32) -> String {
        var word: [UInt8] = []
        append(first, next, to: &word)
        return String(decoding: word, as: UTF8.self)
    }

    /// Writes both characters in base 32. Its digits do not include `w`, which separates them.
    private static func append(_ first: UInt32, _ next: UInt32, to word: inout [UInt8]) {
        append(first, to: &word)
        word.append(UInt8(ascii: "w"))
        if next != 0 { append(next, to: &word) }
    }

    private static func append(_ value: UInt32, to word: inout [UInt8]) {
        var shift: UInt32 = 30
        while shift > 0, value >> shift == 0 { shift -= 5 }
        while true {
            let digit = UInt8(truncatingIfNeeded: value >> shift & 31)
            word.append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            if shift == 0 { break }
            shift -= 5
        }
    }
}
