/// The declaration of a tool that an agent can call. The tool's JSON schema and the check of the arguments are derived
/// from the declaration.
public struct AgentTool: Sendable {
    /// The declaration of an argument.
    public struct Parameter: Sendable {
        /// The type of an argument.
        public enum Kind: Sendable {
            /// A text with a maximum number of bytes.
            case text(bytesMax: Int)
            /// A text or a whole number that identifies an event.
            case textOrNumber(bytesMax: Int)
            /// A whole number in a range.
            case number(ClosedRange<Int>)
            /// `true` or `false`.
            case flag
            /// One of several words.
            case choice([String])
        }

        var name: String
        var kind: Kind
        var isRequired: Bool
        var help: String

        /// Declares an argument.
        public init(_ name: String, _ kind: Kind, isRequired: Bool = false, _ help: String) {
            (self.name, self.kind, self.isRequired, self.help) = (name, kind, isRequired, help)
        }
    }

    /// The name of the tool in a call. It consists of letters and `_`.
    public var name: String
    var title: String
    var text: String
    var parameters: [Parameter]
    /// The JSON schema of the tool's answer.
    var answerSchema: String
    var isReadOnly: Bool

    /// Declares a tool.
    ///
    /// - Parameters:
    ///   - text: the question that the tool answers.
    ///   - answerSchema: the JSON schema of the tool's answer.
    public init(
        _ name: String, title: String, text: String, _ parameters: [Parameter], answerSchema: String,
        isReadOnly: Bool = true
    ) {
        (self.name, self.title, self.text, self.parameters) = (name, title, text, parameters)
        (self.answerSchema, self.isReadOnly) = (answerSchema, isReadOnly)
    }

    /// The tool as an entry of `tools/list`.
    var object: String {
        let properties = parameters.map { "\(JSONValue.quoted($0.name)):\($0.schema)" }.joined(separator: ",")
        let required = parameters.filter(\.isRequired).map { JSONValue.quoted($0.name) }.joined(separator: ",")
        return "{\"name\":\(JSONValue.quoted(name)),\"title\":\(JSONValue.quoted(title)),"
            + "\"description\":\(JSONValue.quoted(text)),"
            + "\"inputSchema\":{\"type\":\"object\",\"properties\":{\(properties)},\"required\":[\(required)],"
            + "\"additionalProperties\":false},\"outputSchema\":\(answerSchema),"
            + "\"annotations\":{\"readOnlyHint\":\(isReadOnly),\"destructiveHint\":false,\"idempotentHint\":true,"
            + "\"openWorldHint\":false}}"
    }

    /// The first error in the arguments; nil if they are valid.
    func error(in arguments: JSONValue) -> String? {
        guard case .object(let members) = arguments else { return "the arguments must be an object" }
        for member in members where !parameters.contains(where: { $0.name == member.name }) {
            let known = parameters.map(\.name).joined(separator: ", ")
            return "there is no argument '\(member.name.prefix(64))'" + (known.isEmpty ? "" : "; use: \(known)")
        }
        for parameter in parameters {
            guard let value = arguments[parameter.name], value != .null else {
                if parameter.isRequired { return "the argument '\(parameter.name)' is missing: \(parameter.help)" }
                continue
            }
            if let type = parameter.expectedType(insteadOf: value) { return "'\(parameter.name)' must be \(type)" }
        }
        return nil
    }
}

extension AgentTool.Parameter {
    fileprivate var schema: String {
        let type =
            switch kind {
            case .text(let bytes): "\"type\":\"string\",\"maxLength\":\(bytes)"
            case .textOrNumber(let bytes): "\"type\":[\"string\",\"integer\"],\"maxLength\":\(bytes)"
            case .number(let range):
                "\"type\":\"integer\",\"minimum\":\(range.lowerBound),\"maximum\":\(range.upperBound)"
            case .flag: "\"type\":\"boolean\""
            case .choice(let words):
                "\"type\":\"string\",\"enum\":[\(words.map(JSONValue.quoted).joined(separator: ","))]"
            }
        return "{\(type),\"description\":\(JSONValue.quoted(help))}"
    }

    /// The expected type, for an error message; nil if the value has this type.
    fileprivate func expectedType(insteadOf value: JSONValue) -> String? {
        switch kind {
        case .text(let bytes):
            value.text.map { $0.utf8.count <= bytes } == true ? nil : "a text of at most \(bytes) bytes"
        case .textOrNumber(let bytes):
            value.integer.map { $0 >= 0 } ?? value.text.map { $0.utf8.count <= bytes } == true
                ? nil : "a number of an event, or a text of at most \(bytes) bytes"
        case .number(let range):
            value.integer.map(range.contains) == true
                ? nil : "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .flag: if case .bool = value { nil } else { "true or false" }
        case .choice(let words):
            value.text.map(words.contains) == true ? nil : "one of: \(words.joined(separator: ", "))"
        }
    }
}
