import IMProtocol
import IMTree

/// Collects the fields of a value as names and values, in display order.
struct FieldReader: FieldVisitor {
    static var onlyReads: Bool { true }

    private(set) var fields: [AnswerField] = []

    init() { fields.reserveCapacity(Self.usualCount) }

    /// The number of fields for which memory is reserved. Few events have more.
    private static let usualCount = 8

    /// The fields of a value.
    static func fields(of value: some HasFields) -> [AnswerField] {
        var reader = FieldReader()
        value.visitFields(&reader)
        return reader.fields
    }

    private mutating func add(_ name: FieldName, _ value: String) {
        fields.append(AnswerField(name: name.rawValue, value: value))
    }

    mutating func text(
        _ name: FieldName, _ value: String, _ privacy: FieldPrivacy, _ editing: FieldEditing
    ) -> String {
        add(name, value)
        return value
    }

    mutating func text(
        _ name: FieldName, _ value: String?, none: String, _ privacy: FieldPrivacy, _ editing: FieldEditing
    ) -> String? {
        add(name, value ?? none)
        return value
    }

    mutating func number<Number: FixedWidthInteger>(
        _ name: FieldName, _ value: Number, _ editing: FieldEditing
    ) -> Number {
        add(name, String(value))
        return value
    }

    mutating func flag(_ name: FieldName, _ value: Bool, _ editing: FieldEditing) -> Bool {
        add(name, String(value))
        return value
    }

    mutating func choice<Choice: FieldChoice>(
        _ name: FieldName, _ value: Choice, _ editing: FieldEditing
    ) -> Choice {
        add(name, value.fieldText)
        return value
    }

    mutating func choice<Choice: FieldChoice>(
        _ name: FieldName, _ value: Choice?, none: String, _ editing: FieldEditing
    ) -> Choice? {
        add(name, value?.fieldText ?? none)
        return value
    }

    mutating func tree(_ name: FieldName, _ value: TreeNode) -> TreeNode {
        add(name, value.description)
        return value
    }

    mutating func expression(_ name: FieldName, _ value: TransactionExpression) -> TransactionExpression {
        add(name, value.text)
        return value
    }

    mutating func hash(_ name: FieldName, _ value: TreeHash) -> TreeHash {
        add(name, String(value.rawValue, radix: 16))
        return value
    }

    mutating func query(_ name: FieldName, _ value: TreeQuery) -> TreeQuery {
        if !value.isDefault { add(name, value.description) }
        return value
    }

    mutating func attributes(_ fields: [AnswerField]) -> [AnswerField] {
        self.fields += fields
        return fields
    }

    mutating func setting(key: String, value: String) -> (key: String, value: String) {
        fields.append(AnswerField(name: key, value: value))
        return (key, value)
    }

    mutating func hidden(_ value: String, _ privacy: FieldPrivacy) -> String { value }

    mutating func shown(_ name: String, _ value: @autoclosure () -> String) {
        fields.append(AnswerField(name: name, value: value()))
    }
}
