/// The shape of a line: its first words, and the positions of its numbers. Lines of one kind have the same shape.
struct LineShape: Hashable {
    /// The words of the line, with `#` for each number. If the line has a number, words after the first ones are
    /// replaced by `*`.
    let tokens: [String]

    private static let bytesMax = 160
    private static let separators = ["->", "=>", ":", "="]

    init(_ body: String) {
        let words = body.prefix(Self.bytesMax).split(separator: " ").map { Self.withoutNumbers(String($0)) }
        guard words.contains(where: { $0.contains("#") }) else {
            tokens = words
            return
        }
        let separator = words.firstIndex { word in
            !word.contains("#") && Self.separators.contains { word.hasSuffix($0) }
        }
        let headCount = (separator ?? 0) + 1
        var tokens: [String] = []
        for (index, word) in words.enumerated() {
            if index < headCount || word.contains("#") {
                tokens.append(word)
            } else if tokens.last != "*" {
                tokens.append("*")
            }
        }
        self.tokens = tokens
    }

    /// Replaces each number by `#`, such as `(12)` by `(#)`. Digits directly after a letter belong to their word.
    private static func withoutNumbers(_ word: String) -> String {
        var shape = ""
        for character in word {
            let isDigit = character.isASCII && character.isNumber
            if isDigit, shape.last == "#" { continue }
            if isDigit, shape.last.map({ !$0.isLetter && !$0.isNumber }) ?? true {
                shape.append("#")
            } else {
                shape.append(character)
            }
        }
        return shape
    }

    var text: String { tokens.joined(separator: " ") }

    /// The number of numbers in a line of the shape.
    var numberCount: Int { text.count { $0 == "#" } }

    /// A pattern for the lines of the shape.
    ///
    /// - Parameter names: the names of groups for some numbers, by the position of the number.
    func pattern(_ names: [Int: String]) -> String {
        var position = 0
        let parts = tokens.map { token -> String in
            if token == "*" { return ".{1,80}?" }
            var part = ""
            for character in token {
                if character == "#" {
                    part += names[position].map { "(?<\($0)>\\d+)" } ?? "\\d+"
                    position += 1
                } else {
                    part += character.asPattern
                }
            }
            return part
        }
        return parts.joined(separator: " ")
    }

    /// The numbers of a line, in their order.
    static func numbers(of body: String) -> [Int] {
        body.prefix(bytesMax).split(separator: " ").flatMap { word -> [Int] in
            var numbers: [Int] = []
            var digits = ""
            var last: Character?
            for character in word + " " {
                let begins = last.map { !$0.isLetter && !$0.isNumber } ?? true
                if character.isASCII, character.isNumber, !digits.isEmpty || begins {
                    digits.append(character)
                } else if !digits.isEmpty {
                    // A number that is too large is not the number of a state, and neither is -1.
                    numbers.append(Int(digits) ?? -1)
                    digits = ""
                }
                last = character
            }
            return numbers
        }
    }
}
