/// Named values in a fixed order: one result of a query.
public struct AnswerRow: Hashable, Sendable, Codable {
    /// Names and values, in the order in which they are shown.
    public var fields: [AnswerField]

    /// A row of pairs of name and value, in this order.
    public init(_ fields: [(String, String)]) {
        self.fields = fields.map { AnswerField(name: $0.0, value: $0.1) }
    }

    /// A row of fields, in this order.
    public init(fields: [AnswerField]) {
        self.fields = fields
    }

    /// The value of that name; nil if there is none.
    package subscript(_ name: String) -> String? { fields[name] }
}

/// A named value: of an answer, of an event, or an attribute of a user or a channel.
public struct AnswerField: Hashable, Sendable, Codable {
    /// The name of the value; for an attribute, the app chooses it.
    public var name: String
    /// The value as text; may be empty.
    public var value: String

    /// One name and its value, unchecked.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

extension [AnswerField] {
    /// The value of the first field of that name; nil if there is none.
    package subscript(_ name: String) -> String? { first { $0.name == name }?.value }
}
