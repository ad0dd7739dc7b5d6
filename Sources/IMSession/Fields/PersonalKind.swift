/// What a string of a recording names. It decides what its pseudonym looks like, and under what it is counted.
package enum PersonalKind: String, CaseIterable, Sendable {
    case user
    /// A device's id.
    case device
    /// A device's name, as its owner chose it.
    case model
    case channel
    /// The label of a client, where it says one of the others.
    case client
    /// An id that none of our own machines made.
    case id
    /// A key of the tree.
    case key
    /// What an operation was done to.
    case target
    /// A word where only words of this program were expected.
    case word
    /// A message, and whatever else a user typed for others to read.
    case text
    /// What whoever recorded it wrote for the reader: title, marks, the name of a file.
    case note
}
