import IMProtocol

/// The personal data in a text, and the structure of the text: if a machine composed it from a name and a number, the
/// redacted text is composed from the pseudonym and the number.
package enum FieldPrivacy: Hashable, Sendable {
    /// None; the text stays.
    case impersonal
    /// A value of a closed set: it stays if it is in the set, and is treated as a text otherwise.
    case closed(ClosedValues)
    /// The name of a field of local data, or of an attribute.
    case fieldName
    /// A name.
    case name(PersonalKind)
    /// A text that somebody wrote; replaced as a whole.
    case text(PersonalKind)
    /// The id of a message, an operation or an item of a sync.
    case identifier
    /// The id of an item that a client has stored.
    case itemIdentifier
    /// The text of an item of a sync, or of a message.
    case item
    /// `NAME=VALUE`, in which the app chose the name, or a text that somebody wrote.
    case assignment
    /// The name of a secret.
    case credential
    /// A path in the tree.
    case path
    /// The application of a user.
    case application
    /// The detail that a side sends when it ends a connection.
    case detail
    /// The name of a node of the session.
    case node

    /// How redaction treats the field `ext` of an operation of this kind.
    package static func ext(of kind: OperationKind) -> FieldPrivacy {
        kind == .groupMemberAttributesChanged ? .assignment : .text(.text)
    }

    package static let user = name(.user)
    package static let device = name(.device)
    package static let channel = name(.channel)
    package static let target = name(.target)
}
