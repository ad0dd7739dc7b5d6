import IMProtocol

@testable import IMSession

/// Takes note of every field, and gives each another value: to texts a mark of their own.
struct FieldProbe: FieldVisitor {
    /// A field as it is declared.
    struct Field {
        var name: String
        var editing: FieldEditing
        /// A value that it does not have, as it is typed.
        var other: String
        /// All values of a choice.
        var words: [String] = []
    }

    /// A text, and the mark that is in its place.
    struct Text {
        var name: String?
        var privacy: FieldPrivacy
        var mark: String
    }

    static var onlyReads: Bool { false }

    private(set) var fields: [Field] = []
    private(set) var texts: [Text] = []
    /// The marks of what attributes are called, which is the app's to say.
    private(set) var nameMarks: [String] = []
    /// The marks of what attributes and places of the tree say.
    private(set) var otherMarks: [String] = []

    /// So long, and so odd, that nothing else has it.
    private mutating func mark() -> String { "qzx\(texts.count + nameMarks.count + otherMarks.count)canary" }

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
        return value ^ 1
    }

    mutating func flag(_ name: FieldName, _ value: Bool, _ editing: FieldEditing) -> Bool {
        fields.append(Field(name: name.rawValue, editing: editing, other: "\(!value)"))
        return !value
    }

    mutating func choice<Choice: FieldChoice>(
        _ name: FieldName, _ value: Choice, _ editing: FieldEditing
    ) -> Choice {
        let other = Choice.allCases.first { $0.fieldWord != value.fieldWord } ?? value
        fields.append(Field(name: name.rawValue, editing: editing, other: other.fieldWord, words: Choice.words))
        return other
    }

    mutating func choice<Choice: FieldChoice>(
        _ name: FieldName, _ value: Choice?, none: String, _ editing: FieldEditing
    ) -> Choice? {
        let other = value == nil ? Choice.words[0] : none
        fields.append(Field(name: name.rawValue, editing: editing, other: other, words: Choice.words))
        return value.map { value in Choice.allCases.first { $0.fieldWord != value.fieldWord } ?? value }
    }

    mutating func tree(_ name: FieldName, _ value: TreeValue) -> TreeValue {
        fields.append(Field(name: name.rawValue, editing: .fixed, other: ""))
        return marked(value)
    }

    private mutating func marked(_ value: TreeValue) -> TreeValue {
        switch value {
        case .null, .bool, .number: value
        case .text: .text(noteOther())
        case .children(let children): .children(children.map { TreeChild(noteOther(), marked($0.value)) })
        }
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

/// A plain value within another, wherever it is.
struct Leaf {
    /// The type that it is in and its name there, such as `LoginRequest.instance`.
    var path: String
    var value: String
    var isText: Bool

    static func leaves(of value: Any) -> [Leaf] { leaves(of: value, path: "") }

    private static func leaves(of value: Any, path: String) -> [Leaf] {
        let mirror = Mirror(reflecting: value)
        guard !(value is String), !mirror.children.isEmpty else {
            // Nothing is in an empty list, and in nothing.
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
