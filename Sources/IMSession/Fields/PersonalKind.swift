/// The kind of a personal string in a recording. It decides the form of its pseudonym, and how it is counted.
package enum PersonalKind: String, CaseIterable, Sendable {
    case user
    /// A device's id.
    case device
    /// A device's name, as its owner chose it.
    case model
    case channel
    /// The label of a client, if it differs from the other kinds.
    case client
    /// An id that none of our own machines made.
    case id
    /// A key of the tree.
    case key
    /// The target of an operation.
    case target
    /// A word where only words of this program were expected.
    case word
    /// A message, and any other text that a user wrote for others to read.
    case text
    /// A text by the person who recorded the session: title, marks, the name of a file.
    case note
}
