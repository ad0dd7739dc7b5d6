/// Named values in a fixed order: one thing that a question found.
public struct AnswerRow: Hashable, Sendable, Codable {
    public var fields: [AnswerField]

    public init(_ fields: [(String, String)]) {
        self.fields = fields.map { AnswerField(name: $0.0, value: $0.1) }
    }

    public init(fields: [AnswerField]) {
        self.fields = fields
    }
}

public struct AnswerField: Hashable, Sendable, Codable {
    public var name: String
    public var value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
