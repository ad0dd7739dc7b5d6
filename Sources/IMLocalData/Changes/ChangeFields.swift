import IMProtocol

/// Names and values of a change, as they are written: what is empty, or as it mostly is, is left out.
struct ChangeFieldWriter {
    private(set) var fields: [AnswerField] = []
    /// Stands before every name: the part of a combined message that they belong to.
    var prefix = ""

    mutating func text(_ name: String, _ value: String) {
        guard !value.isEmpty else { return }
        // Most messages have about so many.
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

    /// Messages of one sender, or of nobody known, by their names.
    mutating func messages(_ names: [String]) {
        let names = names.map { MessageName($0) }
        list("messageID", names.map(\.id))
        text("senderUserID", names.first?.sender ?? "")
    }

    /// The app's own values, under names of the app's own making.
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

/// Reads what ``ChangeFieldWriter`` wrote, or a user typed. What is missing is empty; numbers that are none are 0.
struct ChangeFieldReader {
    /// What stands before the name of an attribute.
    static let attribute = "attribute."

    let fields: [AnswerField]

    init(_ fields: [AnswerField]) { self.fields = fields }

    func text(_ name: String) -> String { fields[name] ?? "" }

    func list(_ name: String) -> [String] { fields.filter { $0.name == name && !$0.value.isEmpty }.map(\.value) }

    /// The names of the messages that it is about.
    var messages: [String] {
        let sender = text("senderUserID")
        return list("messageID").map { MessageName(sender: sender.isEmpty ? nil : sender, id: $0).text }
    }

    /// The name of the only one; empty where there is none.
    var message: String { messages.first ?? "" }

    func number(_ name: String) -> Int64 { Int64(text(name)) ?? 0 }

    func flag(_ name: String) -> Bool { LocalParameter.Kind.flag(text(name)) ?? false }

    var attributes: [AnswerField] {
        fields.filter { $0.name.hasPrefix(Self.attribute) }.map {
            AnswerField(name: String($0.name.dropFirst(Self.attribute.count)), value: $0.value)
        }
    }

    /// The value of that word; the one that stands for nothing said where there is no such word.
    func choice<Value: CaseIterable>(_ name: String, _ standard: Value, _ word: (Value) -> String) -> Value {
        let text = text(name)
        return Value.allCases.first { word($0) == text } ?? standard
    }

    var conversation: ConversationID {
        ConversationID(kind: choice("conversationType", .peer, \.name), id: text("conversationID"))
    }

    /// The parts of a combined message, each with its own fields; they are numbered from 1 on.
    func part(_ number: Int) -> ChangeFieldReader? {
        let prefix = "part\(number)."
        let own = fields.filter { $0.name.hasPrefix(prefix) }
        guard !own.isEmpty else { return nil }
        return ChangeFieldReader(
            own.map { AnswerField(name: String($0.name.dropFirst(prefix.count)), value: $0.value) })
    }
}
