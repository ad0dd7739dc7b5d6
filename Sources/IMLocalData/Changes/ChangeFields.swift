import IMProtocol

/// Writes the fields of a change: names and values. Empty and default values are omitted.
struct ChangeFieldWriter {
    private(set) var fields: [AnswerField] = []
    /// The prefix of the following names: `part1.` for the first part of a combined message; else empty.
    var prefix = ""

    mutating func text(_ name: String, _ value: String) {
        guard !value.isEmpty else { return }
        // Most messages have about this many fields.
        if fields.isEmpty { fields.reserveCapacity(8) }
        fields.append(AnswerField(name: prefix + name, value: value))
    }

    mutating func number(_ name: String, _ value: Int64) {
        if value != 0 { text(name, String(value)) }
    }

    mutating func flag(_ name: String, _ value: Bool) {
        if value { text(name, "true") }
    }

    mutating func list(_ name: String, _ values: [String]) {
        for value in values { text(name, value) }
    }

    /// Writes the names of messages. Their sender is the same, or unknown.
    mutating func messages(_ names: [String]) {
        let names = names.map { MessageName($0) }
        list("messageID", names.map(\.id))
        text("senderUserID", names.first?.sender ?? "")
    }

    /// Writes values whose names the app chooses.
    mutating func attributes(_ values: [AnswerField]) {
        for value in values {
            fields.append(AnswerField(name: prefix + ChangeFieldReader.attribute + value.name, value: value.value))
        }
    }

    mutating func conversation(_ id: ConversationID) {
        text("conversationID", id.id)
        text("conversationType", id.kind.name)
    }
}

/// Reads fields that ``ChangeFieldWriter`` wrote or a user typed. A missing value is read as empty, and an invalid
/// number as 0.
struct ChangeFieldReader {
    /// The prefix of names that the app chooses.
    static let attribute = "attribute."

    let fields: [AnswerField]

    init(_ fields: [AnswerField]) { self.fields = fields }

    func text(_ name: String) -> String { fields[name] ?? "" }

    func list(_ name: String) -> [String] { fields.filter { $0.name == name && !$0.value.isEmpty }.map(\.value) }

    /// The names of the messages that the change concerns.
    var messages: [String] {
        let sender = text("senderUserID")
        return list("messageID").map { MessageName(sender: sender.isEmpty ? nil : sender, id: $0).text }
    }

    /// The name of the first message; empty if there is none.
    var message: String { messages.first ?? "" }

    func number(_ name: String) -> Int64 { Int64(text(name)) ?? 0 }

    func flag(_ name: String) -> Bool { LocalParameter.Kind.flag(text(name)) ?? false }

    var attributes: [AnswerField] {
        fields.filter { $0.name.hasPrefix(Self.attribute) }.map {
            AnswerField(name: String($0.name.dropFirst(Self.attribute.count)), value: $0.value)
        }
    }

    /// The enum value whose word the field contains; the default if no value has this word.
    func choice<Value: CaseIterable>(_ name: String, _ defaultValue: Value, _ word: (Value) -> String) -> Value {
        let text = text(name)
        return Value.allCases.first { word($0) == text } ?? defaultValue
    }

    var conversation: ConversationID {
        ConversationID(kind: choice("conversationType", .peer, \.name), id: text("conversationID"))
    }

    /// A reader for the fields of one part of a combined message; nil if the part does not exist.
    ///
    /// - Parameter number: the number of the part, from 1.
    func part(_ number: Int) -> ChangeFieldReader? {
        let prefix = "part\(number)."
        let partFields = fields.filter { $0.name.hasPrefix(prefix) }
        guard !partFields.isEmpty else { return nil }
        return ChangeFieldReader(
            partFields.map { AnswerField(name: String($0.name.dropFirst(prefix.count)), value: $0.value) })
    }
}
