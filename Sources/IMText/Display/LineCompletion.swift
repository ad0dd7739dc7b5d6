/// The possible completions at the cursor.
package struct LineCompletion: Equatable, Sendable {
    package struct Candidate: Equatable, Sendable {
        /// The text to insert, in quotes where the lexer requires them.
        package var text: String
        /// The text in the list of candidates; nil if it equals `text`.
        package var display: String?
        /// One short sentence, shown after the candidate in the list.
        package var help: String?
        /// True if the editor inserts a blank after the candidate when it is the only one. False if more text must
        /// follow: after `key=`, a folder or an open quote.
        package var isComplete: Bool

        package init(_ text: String, display: String? = nil, help: String? = nil, isComplete: Bool = true) {
            self.text = text
            self.display = display
            self.help = help
            self.isComplete = isComplete
        }
    }

    /// The start of the text to replace, in UTF-8 bytes from the start of the line. It ends at the cursor.
    package var replaceFrom: Int
    /// All candidates, in the order of the list.
    package var candidates: [Candidate]

    package init(replaceFrom: Int, candidates: [Candidate]) {
        self.replaceFrom = replaceFrom
        self.candidates = candidates
    }

    package static func none(at cursor: Int) -> LineCompletion { LineCompletion(replaceFrom: cursor, candidates: []) }
}
