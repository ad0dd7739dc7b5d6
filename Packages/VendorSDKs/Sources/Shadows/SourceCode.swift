/// A Swift source file, with code distinguished from comments and string literals.
struct SourceCode {
    let bytes: [UInt8]
    /// For each byte, true if it is code.
    private(set) var isCode: [Bool]

    init(_ text: String) {
        bytes = Array(text.utf8)
        isCode = Array(repeating: true, count: bytes.count)
        var index = 0
        while index < bytes.count {
            let end: Int
            switch bytes[index] {
            case UInt8(ascii: "/") where byte(index + 1) == UInt8(ascii: "/"): end = endOfLine(index)
            case UInt8(ascii: "/") where byte(index + 1) == UInt8(ascii: "*"): end = endOfComment(index)
            case UInt8(ascii: "\""), UInt8(ascii: "#"): end = endOfText(index) ?? index
            default: end = index
            }
            if end == index {
                index += 1
            } else {
                for byteIndex in index..<end { isCode[byteIndex] = false }
                index = end
            }
        }
    }

    func byte(_ index: Int) -> UInt8? { bytes.indices.contains(index) ? bytes[index] : nil }

    /// The byte at an index; 0 if it is no code.
    func code(_ index: Int) -> UInt8? { bytes.indices.contains(index) && isCode[index] ? bytes[index] : nil }

    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    /// True if the byte belongs to a name.
    func isName(_ index: Int) -> Bool {
        guard let byte = code(index) else { return false }
        return byte >= 0x80 || byte == UInt8(ascii: "_") || isDigit(byte) || isLetter(byte)
    }

    /// The name that starts at an index; empty if none does.
    func name(at index: Int) -> Range<Int> {
        var end = index
        while isName(end) { end += 1 }
        return index..<end
    }

    /// True if a word starts at an index, and stands alone.
    func hasWord(_ word: String, at index: Int) -> Bool {
        guard code(index) == word.utf8.first, !isName(index - 1) else { return false }
        return name(at: index).count == word.utf8.count && text(name(at: index)) == word
    }

    func skipSpaces(_ index: Int) -> Int {
        var index = index
        while index < bytes.count, !isCode[index] || isSpace(bytes[index]) { index += 1 }
        return index
    }

    /// The index after the bracket that closes the one at an index.
    func endOfBrackets(_ index: Int) -> Int {
        var depth = 0
        var byteIndex = index
        while byteIndex < bytes.count {
            switch code(byteIndex) {
            case UInt8(ascii: "("), UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: ")"), UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 { return byteIndex + 1 }
            default: break
            }
            byteIndex += 1
        }
        return byteIndex
    }

    private func endOfLine(_ index: Int) -> Int {
        var end = index
        while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
        return end
    }

    private func endOfComment(_ index: Int) -> Int {
        var depth = 0
        var end = index
        while end < bytes.count {
            if bytes[end] == UInt8(ascii: "/"), byte(end + 1) == UInt8(ascii: "*") {
                depth += 1
                end += 2
            } else if bytes[end] == UInt8(ascii: "*"), byte(end + 1) == UInt8(ascii: "/") {
                depth -= 1
                end += 2
                if depth == 0 { return end }
            } else {
                end += 1
            }
        }
        return end
    }

    /// The end of the string literal that starts here, including its `\( )`.
    private func endOfText(_ index: Int) -> Int? {
        var start = index
        while byte(start) == UInt8(ascii: "#") { start += 1 }
        let hashes = start - index
        guard byte(start) == UInt8(ascii: "\"") else { return nil }
        let isLong = byte(start + 1) == UInt8(ascii: "\"") && byte(start + 2) == UInt8(ascii: "\"")
        let quotes = isLong ? 3 : 1
        var end = start + quotes
        while end < bytes.count {
            if bytes[end] == UInt8(ascii: "\\"), (0..<hashes).allSatisfy({ byte(end + 1 + $0) == UInt8(ascii: "#") }) {
                end += 1 + hashes
                end = byte(end) == UInt8(ascii: "(") ? endOfInterpolation(end) : end + 1
            } else if (0..<quotes).allSatisfy({ byte(end + $0) == UInt8(ascii: "\"") }),
                (0..<hashes).allSatisfy({ byte(end + quotes + $0) == UInt8(ascii: "#") })
            {
                return end + quotes + hashes
            } else if !isLong, bytes[end] == UInt8(ascii: "\n") {
                return end
            } else {
                end += 1
            }
        }
        return end
    }

    private func endOfInterpolation(_ index: Int) -> Int {
        var depth = 0
        var end = index
        while end < bytes.count {
            switch bytes[end] {
            case UInt8(ascii: "("): depth += 1
            case UInt8(ascii: ")"):
                depth -= 1
                if depth == 0 { return end + 1 }
            case UInt8(ascii: "\""):
                end = endOfText(end) ?? end + 1
                continue
            default: break
            }
            end += 1
        }
        return end
    }
}

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

private func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }

func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D }
