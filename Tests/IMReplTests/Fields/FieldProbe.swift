import IMProtocol
import IMTree
import TestSupport

@testable import IMSession

/// A visitor that records every field and replaces its value. Each text is replaced by a unique mark.
struct FieldProbe: FieldVisitor {
    /// The declaration of a field.
    struct Field {
        var name: String
        var editing: FieldEditing
        /// Another valid value of the field, as a user types it.
        var other: String
        /// All values of a field that is a choice.
        var words: [String] = []
    }

    /// A text field, and the mark that replaces its text.
    struct Text {
        var name: String?
        var privacy: FieldPrivacy
        var mark: String
    }

    static var onlyReads: Bool { false }

    private(set) var fields: [Field] = []
    /// The names of the fields that are numbers, flags and choices. A redacted recording keeps their values.
    private(set) var kept: [String] = []
    private(set) var texts: [Text] = []
    /// The marks of the names of attributes, which the app chooses.
    private(set) var nameMarks: [String] = []
    /// The marks of values of attributes, and of paths in the tree.
    private(set) var otherMarks: [String] = []

    /// A mark that occurs nowhere else. A later mark sorts after an earlier one.
    private mutating func mark() -> String { "qzx\(100 + texts.count + nameMarks.count + otherMarks.count)canary" }

    private mutating func note(_ name: String?, _ privacy: FieldPrivacy) -> String {
        let mark = mark()
        texts.append(Text(name: name, privacy: privacy, mark: mark))
        return mark
    }

    private mutating func noteName() -> String {
        let mark = mark()
        nameMarks.append(mark)
        return mark
    }

    private mutating func noteOther() -> String {
        let mark = mark()
        otherMarks.append(mark)
        return mark
    }

    mutating func text(
        _ name: FieldName, _ value: String, _ privacy: FieldPrivacy, _ editing: FieldEditing
    ) -> String {
        fields.append(Field(name: name.rawValue, editing: editing, other: "another"))
        return note(name.rawValue, privacy)
    }

    mutating func text(
        _ name: FieldName, _ value: String?, none: String, _ privacy: FieldPrivacy, _ editing: FieldEditing
    ) -> String? {
        fields.append(Field(name: name.rawValue, editing: editing, other: value == nil ? "another" : none))
        return value.map { _ in note(name.rawValue, privacy) }
    }

    mutating func number<Number: FixedWidthInteger>(
        _ name: FieldName, _ value: Number, _ editing: FieldEditing
    ) -> Number {
        fields.append(Field(name: name.rawValue, editing: editing, other: "\(value ^ 1)"))
        kept.append(name.rawValue)
        return value ^ 1
    }

    mutating func flag(_ name: FieldName, _ value: Bool, _ editing: FieldEditing) -> Bool {
        fields.append(Field(name: name.rawValue, editing: editing, other: "\(!value)"))
        kept.append(name.rawValue)
        return !value
    }

    mutating func choice<Choice: FieldChoice>(
        _ name: FieldName, _ value: Choice, _ editing: FieldEditing
    ) -> Choice {
        let other = Choice.allCases.first { $0.fieldText != value.fieldText } ?? value
        fields.append(Field(name: name.rawValue, editing: editing, other: other.fieldText, words: Choice.words))
        kept.append(name.rawValue)
        return other
    }

    mutating func choice<Choice: FieldChoice>(
        _ name: FieldName, _ value: Choice?, none: String, _ editing: FieldEditing
    ) -> Choice? {
        let other = value == nil ? Choice.words[0] : none
        fields.append(Field(name: name.rawValue, editing: editing, other: other, words: Choice.words))
        kept.append(name.rawValue)
        return value.map { value in Choice.allCases.first { $0.fieldText != value.fieldText } ?? value }
    }

    mutating func tree(_ name: FieldName, _ value: TreeNode) -> TreeNode {
        fields.append(Field(name: name.rawValue, editing: .fixed, other: ""))
        return marked(value)
    }

    private mutating func marked(_ value: TreeNode) -> TreeNode {
        if let leaf = value.leaf { return TreeNode(marked(leaf), priority: value.priority.map { marked($0) }) }
        let priority = value.priority.map { marked($0) }
        let children = value.children.reduce(TreeNode.empty) { $0.setting(TreeKey(noteOther()), to: marked($1.value)) }
        return priority.map { children.setting(.priority, to: TreeNode($0)) } ?? children
    }

    private mutating func marked(_ leaf: TreeLeaf) -> TreeLeaf {
        if case .text = leaf { .text(noteOther()) } else { leaf }
    }

    mutating func query(_ name: FieldName, _ value: TreeQuery) -> TreeQuery {
        if !value.isDefault { fields.append(Field(name: name.rawValue, editing: .fixed, other: "")) }
        var query = value
        if case .child(let keys) = query.order { query.order = .child(keys.map { _ in TreeKey(noteOther()) }) }
        func marked(_ bound: TreeQuery.Bound) -> TreeQuery.Bound {
            TreeQuery.Bound(bound.value.map { self.marked($0) }, key: bound.key.map { _ in TreeKey(noteOther()) })
        }
        query.start = query.start.map(marked)
        query.end = query.end.map(marked)
        return query
    }

    mutating func expression(_ name: FieldName, _ value: TransactionExpression) -> TransactionExpression {
        fields.append(Field(name: name.rawValue, editing: .fixed, other: ""))
        let marked = try? value.renamed(key: { _ in TreeKey(noteOther()) }, text: { _ in noteOther() })
        return marked ?? .abort
    }

    mutating func hash(_ name: FieldName, _ value: TreeHash) -> TreeHash {
        fields.append(Field(name: name.rawValue, editing: .fixed, other: ""))
        return TreeHash(rawValue: value.rawValue ^ 1)
    }

    mutating func attributes(_ fields: [AnswerField]) -> [AnswerField] {
        fields.map { _ in AnswerField(name: noteName(), value: noteOther()) }
    }

    mutating func setting(key: String, value: String) -> (key: String, value: String) {
        fields.append(Field(name: key, editing: .editable, other: "another"))
        return (noteOther(), noteOther())
    }

    mutating func hidden(_ value: String, _ privacy: FieldPrivacy) -> String { note(nil, privacy) }

    mutating func shown(_ name: String, _ value: @autoclosure () -> String) {}
}

/// A plain value within another value, at any depth.
struct Leaf {
    /// The type that contains the value and the value's name there, such as `LoginRequest.instance`.
    var path: String
    var value: String
    var isText: Bool

    static func leaves(of value: Any) -> [Leaf] { leaves(of: value, path: "") }

    private static func leaves(of value: Any, path: String) -> [Leaf] {
        let mirror = Mirror(reflecting: value)
        guard !(value is String), !mirror.children.isEmpty else {
            // An empty collection or a missing value has no leaves.
            guard mirror.displayStyle != .collection, mirror.displayStyle != .optional else { return [] }
            return [Leaf(path: path, value: "\(value)", isText: value is String)]
        }
        return mirror.children.flatMap { label, child in
            switch mirror.displayStyle {
            case .collection, .optional: leaves(of: child, path: path)
            case .tuple: leaves(of: child, path: "\(path) \(label ?? "")")
            default: leaves(of: child, path: "\(type(of: value)).\(label ?? "")")
            }
        }
    }
}
