import IMProtocol
import IMSession
import IMTree

/// Changes one field to a value that a user newText.
struct FieldEditor: FieldVisitor {
    static var onlyReads: Bool { false }

    /// The fields that can be changed, in the order of their display.
    private(set) var editable: [String] = []
    private let name: String
    private let newText: String
    private var isFound = false
    private var refusal: WorldError?

    init(_ name: String, _ newText: String) {
        self.name = name
        self.newText = newText
    }

    /// True if the visited value has the field. Call it after the visit.
    ///
    /// - Throws: ``WorldError`` if the field cannot have that value.
    func hasFound() throws -> Bool {
        if let refusal { throw refusal }
        return isFound
    }

    /// Notes an editable field.
    ///
    /// - Returns: true if it is the field to change.
    private mutating func matches(_ field: String, _ editing: FieldEditing) -> Bool {
        guard editing == .editable else { return false }
        editable.append(field)
        guard field == name, !isFound else { return false }
        isFound = true
        return true
    }

    private mutating func refuse(_ why: String) {
        refusal = WorldError("\(name) \(why)")
    }

    mutating func text(
        _ name: FieldName, _ value: String, _ privacy: FieldPrivacy, _ editing: FieldEditing
    ) -> String {
        matches(name.rawValue, editing) ? newText : value
    }

    mutating func text(
        _ name: FieldName, _ value: String?, none: String, _ privacy: FieldPrivacy, _ editing: FieldEditing
    ) -> String? {
        matches(name.rawValue, editing) ? (newText == none ? nil : newText) : value
    }

    mutating func number<Number: FixedWidthInteger>(
        _ name: FieldName, _ value: Number, _ editing: FieldEditing
    ) -> Number {
        guard matches(name.rawValue, editing) else { return value }
        guard let number = Number(newText) else {
            refuse("takes a whole number, not '\(newText)'")
            return value
        }
        return number
    }

    mutating func flag(_ name: FieldName, _ value: Bool, _ editing: FieldEditing) -> Bool {
        guard matches(name.rawValue, editing) else { return value }
        guard let flag = Bool(newText) else {
            refuse("takes true or false, not '\(newText)'")
            return value
        }
        return flag
    }

    mutating func choice<Choice: FieldChoice>(
        _ name: FieldName, _ value: Choice, _ editing: FieldEditing
    ) -> Choice {
        guard matches(name.rawValue, editing) else { return value }
        return chosen(Choice.words) ?? value
    }

    mutating func choice<Choice: FieldChoice>(
        _ name: FieldName, _ value: Choice?, none: String, _ editing: FieldEditing
    ) -> Choice? {
        guard matches(name.rawValue, editing) else { return value }
        return newText == none ? nil : chosen(Choice.words + [none]) ?? value
    }

    /// - Parameter words: all permitted inputs.
    private mutating func chosen<Choice: FieldChoice>(_ words: [String]) -> Choice? {
        if let found = Choice.allCases.first(where: { $0.fieldText == newText }) { return found }
        refuse("cannot be '\(newText)': \(words.joined(separator: ", "))")
        return nil
    }

    mutating func tree(_ name: FieldName, _ value: TreeNode) -> TreeNode { value }

    mutating func query(_ name: FieldName, _ value: TreeQuery) -> TreeQuery { value }

    mutating func expression(_ name: FieldName, _ value: TransactionExpression) -> TransactionExpression { value }

    mutating func hash(_ name: FieldName, _ value: TreeHash) -> TreeHash { value }

    mutating func attributes(_ fields: [AnswerField]) -> [AnswerField] { fields }

    mutating func setting(key: String, value: String) -> (key: String, value: String) {
        (key, matches(key, .editable) ? newText : value)
    }

    mutating func loginMode(_ mode: LoginMode) -> LoginMode {
        switch mode {
        case .automatic, .forced: flag(.forced, mode == .forced, .editable) ? .forced : .automatic
        case .manual, .offline: flag(.offline, mode == .offline, .editable) ? .offline : .manual
        case .resume, .guest: mode
        }
    }

    mutating func hidden(_ value: String, _ privacy: FieldPrivacy) -> String { value }

    mutating func shown(_ name: String, _ value: @autoclosure () -> String) {}
}
