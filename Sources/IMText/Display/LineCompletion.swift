/// What could stand at the cursor.
package struct LineCompletion: Equatable, Sendable {
    package struct Candidate: Equatable, Sendable {
        /// What is inserted, quoted as the grammar needs it.
        package var text: String
        /// What is listed; the text itself when nil.
        package var display: String?
        /// One short sentence, listed behind it.
        package var help: String?
        /// A blank follows when it is the only one. False for `key=`, a folder, an open quote.
        package var complete: Bool

        package init(_ text: String, display: String? = nil, help: String? = nil, complete: Bool = true) {
            self.text = text
            self.display = display
            self.help = help
            self.complete = complete
        }
    }

    /// Where the text to be replaced begins, in UTF-8 bytes from the start of the line; it ends at the cursor.
    package var replaceFrom: Int
    /// All that fit, in the order in which to list them.
    package var candidates: [Candidate]

    package init(replaceFrom: Int, candidates: [Candidate]) {
        self.replaceFrom = replaceFrom
        self.candidates = candidates
    }

    package static func none(at cursor: Int) -> LineCompletion { LineCompletion(replaceFrom: cursor, candidates: []) }
}
