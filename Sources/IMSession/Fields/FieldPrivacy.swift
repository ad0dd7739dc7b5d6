import IMProtocol

/// What a text says of people, and how it is made up: a text that a machine put together from a name and a number is
/// put together from the pseudonym and the number.
package enum FieldPrivacy: Hashable, Sendable {
    /// Of nobody; it stays.
    case impersonal
    /// One of a closed set: it stays where it is in the set, and is a text where it is not.
    case closed(ClosedValues)
    /// The name of a field of local data, or of an attribute.
    case fieldName
    /// The name of something.
    case name(PersonalKind)
    /// What somebody wrote; as a whole.
    case text(PersonalKind)
    /// The id of a message, an operation or an item of a sync.
    case identifier
    /// The id of a thing that a client has kept.
    case itemIdentifier
    /// What an item of a sync, or a message, says.
    case item
    /// `NAME=VALUE`, of which the name is the app's, or something that somebody wrote.
    case assignment
    /// The name of a secret.
    case credential
    /// A place in the tree.
    case path
    /// The application that a user belongs to.
    case application
    /// What a side says when it ends a connection.
    case detail
    /// The name of a node of the session.
    case node

    /// Whatever goes with an operation of that kind.
    package static func ext(of kind: OperationKind) -> FieldPrivacy {
        kind == .groupMemberAttributesChanged ? .assignment : .text(.text)
    }

    package static let user = name(.user)
    package static let device = name(.device)
    package static let channel = name(.channel)
    package static let target = name(.target)
}
