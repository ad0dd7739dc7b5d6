import IMProtocol
import IMSession
import IMTree

/// Replaces the personal values of an event's fields by pseudonyms. The declaration of each field contains its privacy.
struct Pseudonymizer: FieldVisitor {
    static var onlyReads: Bool { false }

    private let pseudonyms: Pseudonyms

    init(_ pseudonyms: Pseudonyms) {
        self.pseudonyms = pseudonyms
    }

    mutating func hidden(_ value: String, _ privacy: FieldPrivacy) -> String {
        switch privacy {
        case .impersonal: value
        case .closed(let values): values.contains(value) ? value : pseudonyms.text(value, .word)
        case .fieldName: pseudonyms.fieldName(value)
        case .name(let kind): pseudonyms.name(value, kind)
        case .text(let kind): pseudonyms.text(value, kind)
        case .identifier: pseudonyms.identifier(value)
        case .itemIdentifier: pseudonyms.itemIdentifier(value)
        case .item: pseudonyms.item(value)
        case .assignment: pseudonyms.assignment(value)
        case .credential: pseudonyms.credential(value)
        case .path: pseudonyms.path(value)
        case .application: pseudonyms.application(value)
        case .detail: pseudonyms.detail(value)
        case .node: pseudonyms.node(value)
        }
    }

    mutating func text(
        _ name: FieldName, _ value: String, _ privacy: FieldPrivacy, _ editing: FieldEditing
    ) -> String {
        hidden(value, privacy)
    }

    mutating func text(
        _ name: FieldName, _ value: String?, none: String, _ privacy: FieldPrivacy, _ editing: FieldEditing
    ) -> String? {
        value.map { hidden($0, privacy) }
    }

    mutating func tree(_ name: FieldName, _ value: TreeNode) -> TreeNode { pseudonyms.node(value) }

    mutating func query(_ name: FieldName, _ value: TreeQuery) -> TreeQuery { pseudonyms.query(value) }

    mutating func expression(_ name: FieldName, _ value: TransactionExpression) -> TransactionExpression {
        pseudonyms.expression(value)
    }

    mutating func hash(_ name: FieldName, _ value: TreeHash) -> TreeHash { pseudonyms.hash(value) }

    /// An app chooses the names of attributes, and a user their values. Both are replaced.
    mutating func attributes(_ fields: [AnswerField]) -> [AnswerField] {
        if let user = unknownUser(in: fields) {
            return [AnswerField(name: fields[0].name, value: pseudonyms.name(user, .user)), fields[1]]
        }
        return fields.map { AnswerField(name: pseudonyms.attributeName($0.name), value: pseudonyms.text($0.value)) }
    }

    /// The user in an answer that reports an unknown user (ZIM-9); nil for any other answer. The other field of such an
    /// answer is a reason with a fixed text, which is not personal.
    private func unknownUser(in fields: [AnswerField]) -> String? {
        guard fields.map(\.name) == ["errorUserID", "reason"] else { return nil }
        let isFixedText = Status.allCases.contains { $0.name == fields[1].value }
        return isFixedText ? fields[0].value : nil
    }

    mutating func setting(key: String, value: String) -> (key: String, value: String) {
        pseudonyms.policy(key, value)
    }

    // Numbers and fixed texts are not personal.

    mutating func number<Number: FixedWidthInteger>(
        _ name: FieldName, _ value: Number, _ editing: FieldEditing
    ) -> Number { value }

    mutating func flag(_ name: FieldName, _ value: Bool, _ editing: FieldEditing) -> Bool { value }

    mutating func choice<Choice: FieldChoice>(
        _ name: FieldName, _ value: Choice, _ editing: FieldEditing
    ) -> Choice { value }

    mutating func choice<Choice: FieldChoice>(
        _ name: FieldName, _ value: Choice?, none: String, _ editing: FieldEditing
    ) -> Choice? { value }

    mutating func shown(_ name: String, _ value: @autoclosure () -> String) {}
}

extension Pseudonyms {
    /// The value with pseudonyms in its personal fields.
    func replaced<Value: HasFields>(_ value: Value) -> Value {
        var visitor = Pseudonymizer(self)
        return value.visitFields(&visitor)
    }

    /// Rows of local data with pseudonyms in their personal fields.
    func replaced(rows: [AnswerRow]) -> [AnswerRow] {
        var visitor = Pseudonymizer(self)
        return visitor.dataRows(rows)
    }

    /// The start record with pseudonyms in its personal fields.
    ///
    /// - Throws: an error of the JSON coder if the server's state cannot be read.
    func start(_ start: StartRecord) throws -> StartRecord {
        var start = replaced(start)
        if case .server(let machine) = start.body { start.body = .server(try server(machine)) }
        return start
    }
}
