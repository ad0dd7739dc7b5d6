import IMProtocol

/// The kind of personal data that a text contains, and the structure of the text. Redaction needs the structure: if a
/// machine composed the text from a name and a number, the redacted text consists of the pseudonym and the number.
package enum FieldPrivacy: Hashable, Sendable {
    /// No personal data. The text is not replaced.
    case impersonal
    /// A value that should be in a closed set. If it is, it is not replaced; else it is replaced like a text.
    case closed(ClosedValues)
    /// The name of a field of local data, or of an attribute.
    case fieldName
    /// A name, such as a user's.
    case name(PersonalKind)
    /// A text that a person wrote. It is replaced as a whole.
    case text(PersonalKind)
    /// The id of a message, an operation or an item of a sync.
    case identifier
    /// The id of an item that a client has stored.
    case itemIdentifier
    /// The text of a message, or of an item of a sync.
    case item
    /// `NAME=VALUE`, in which the app chose the name. Another form is replaced like a text.
    case assignment
    /// The name of a secret.
    case credential
    /// A path in the tree.
    case path
    /// The id of the application (the vendor's app id) to which a user belongs.
    case application
    /// The detail that a side sends when it ends a connection.
    case detail
    /// The name of a node of the session.
    case node

    /// The privacy of the field `ext` of an operation of this kind.
    package static func ext(of kind: OperationKind) -> FieldPrivacy {
        kind == .groupMemberAttributesChanged ? .assignment : .text(.text)
    }

    package static let user = name(.user)
    package static let device = name(.device)
    package static let channel = name(.channel)
    package static let target = name(.target)
}
