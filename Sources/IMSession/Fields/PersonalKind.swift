/// The kind of a personal text in a recording. It decides the form of the text's pseudonym, and under which heading
/// redaction counts the text.
package enum PersonalKind: String, CaseIterable, Sendable {
    case user
    /// A device's id.
    case device
    /// A device's name, which its owner chose.
    case model
    case channel
    /// The name of a client in the session, if it is not also the name of a user or device.
    case client
    /// An id that an app, an SDK or a server chose, not a machine of this project.
    case id
    /// A key of the tree.
    case key
    /// The target of an operation.
    case target
    /// An unknown word in a field that should contain only words of this program.
    case word
    /// The text of a message, or another text that a user wrote.
    case text
    /// A text by the person who recorded the session: the title, a mark, the name of a file.
    case note
}
