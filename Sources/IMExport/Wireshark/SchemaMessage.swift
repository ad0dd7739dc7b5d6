import IMProtocol
import IMSession

/// A message of this project's .proto files.
struct SchemaMessage {
    /// The full name: `im.v1.TreeValue.Child`.
    let name: String
    var fields: [Field] = []

    struct Field {
        let number: Int
        let name: String
        /// The name of the type as the file has it; `optional` and `repeated` are left out.
        let type: String
    }

    /// All messages of the frames and of the records.
    static let all = read(ProtocolSchema.text) + read(RecordSchema.text)

    /// Reads the messages of a `.proto` file. Statements that the files of this program do not use are skipped.
    static func read(_ schema: String) -> [SchemaMessage] {
        var messages: [SchemaMessage] = []
        var package = ""
        // The open blocks. Only a message has an index.
        var blocks: [(word: Substring, index: Int?)] = []
        for line in schema.split(separator: "\n") {
            for statement in line.prefix(upTo: line.firstRange(of: "//")?.lowerBound ?? line.endIndex)
                .split(whereSeparator: { "{;".contains($0) })
            {
                let words = statement.split { " }".contains($0) }.filter { $0 != "repeated" && $0 != "optional" }
                let index = blocks.last { $0.index != nil }?.index
                if words.count == 2, words[0] == "package" {
                    package = String(words[1])
                } else if words.count == 2, words[0] == "message" {
                    blocks.append(("message", messages.count))
                    messages.append(SchemaMessage(name: "\(index.map { messages[$0].name } ?? package).\(words[1])"))
                } else if words.count == 2, words[0] == "oneof" || words[0] == "enum" {
                    blocks.append((words[0], nil))
                } else if words.count == 4, words[2] == "=", let number = Int(words[3]), let index {
                    messages[index].fields.append(
                        Field(number: number, name: String(words[1]), type: String(words[0])))
                }
                blocks.removeLast(min(statement.count { $0 == "}" }, blocks.count))
            }
        }
        return messages
    }
}
