/// A line of a script, parsed as far as needed to pass it to a client.
struct ScriptLine: Sendable {
    /// The unchanged line.
    let text: String
    /// The client of the line; nil for the current client, or for a line without a client.
    let client: String?
    /// The words of the line, without the client and without the mark of an expected failure.
    let words: [String]
    /// Whether the effect depends on earlier lines, which only the shell knows.
    let hasVariables: Bool

    init?(_ text: String) {
        var words = Self.words(of: text)
        if words.first == "!" { words.removeFirst() }
        guard let first = words.first else { return nil }
        client = first.hasPrefix("@") ? String(first.dropFirst()) : nil
        if client != nil { words.removeFirst() }
        self.text = text
        self.words = words
        hasVariables = text.contains("$")
    }

    static func lines(of script: String) -> [ScriptLine] {
        script.split(separator: "\n").compactMap { ScriptLine(String($0)) }
    }

    /// The words of a line. Quotes keep spaces together, and a comment ends the line.
    static func words(of text: String) -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        for character in text {
            if let open = quote {
                if character == open { quote = nil } else { word?.append(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character == " " || character == "\t" {
                word.map { words.append($0) }
                word = nil
            } else if character == "#", word == nil {
                break
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return words + (word.map { [$0] } ?? [])
    }
}
