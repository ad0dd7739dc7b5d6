/// The common part of lines of one kind: their first words, and numbers at the same places.
struct LineShape: Hashable {
    /// The words of the line; a number is `#`, and other words than the first ones are `*` if the line has a number.
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

    /// `(12)` as `(#)`; digits right after a letter belong to its word.
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
    /// - Parameter names: of the groups of some numbers, by their position.
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
                    part += "\\.+*?()[]{}|^$".contains(character) ? "\\\(character)" : String(character)
                }
            }
            return part
        }
        return parts.joined(separator: " ")
    }

    /// The numbers of a line of the shape, in their order.
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
                    // A number that is too large is none of an enumeration.
                    numbers.append(Int(digits) ?? -1)
                    digits = ""
                }
                last = character
            }
            return numbers
        }
    }
}
