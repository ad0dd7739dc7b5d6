/// A line of a script, as far as one has to know to give it to somebody else.
struct ScriptLine: Sendable {
    /// As it stands.
    let text: String
    /// Whom it is for; nil for the current client, or for nobody.
    let client: String?
    /// Its words, without whom it is for and whether it has to fail.
    let words: [String]
    /// Whether what it does depends on what came before: only the shell knows that.
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

    /// The words of a line; quotes keep blanks together, and a comment ends it.
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
