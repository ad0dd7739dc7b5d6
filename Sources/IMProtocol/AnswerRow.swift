/// One result of a query: named values in a fixed order.
public struct AnswerRow: Hashable, Sendable, Codable {
    /// The named values, in the order in which they are shown.
    public var fields: [AnswerField]

    /// Creates a row from pairs of name and value.
    public init(_ fields: [(String, String)]) {
        self.fields = fields.map { AnswerField(name: $0.0, value: $0.1) }
    }

    /// Creates a row from fields.
    public init(fields: [AnswerField]) {
        self.fields = fields
    }

    /// The value with this name; nil if the row has none.
    package subscript(_ name: String) -> String? { fields[name] }
}

/// A named value: a part of an answer or of an event, or an attribute of a user or a channel.
public struct AnswerField: Hashable, Sendable, Codable {
    /// The name of the value. The app chooses the names of attributes.
    public var name: String
    /// The value as a text, which may be empty.
    public var value: String

    /// Creates a field without checking it.
    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

extension [AnswerField] {
    /// The value of the first field with this name; nil if there is none.
    package subscript(_ name: String) -> String? { first { $0.name == name }?.value }
}
