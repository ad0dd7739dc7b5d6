import IMProtocol

/// A local call with its arguments, as the app passed them.
public struct LocalRequest: Hashable, Sendable, Codable {
    /// The local call.
    public var call: LocalCall
    /// The arguments that the app passed, with the vendor's names.
    public var arguments: [AnswerField]
    /// The time of the call by the device's wall clock, in milliseconds since 1970; 0 if the clock was not read.
    public var deviceMilliseconds: Int64

    /// Creates a call without checks of the arguments; see ``rejectionReason``.
    public init(_ call: LocalCall, _ arguments: [(String, String)] = [], deviceMilliseconds: Int64 = 0) {
        self.call = call
        self.arguments = arguments.map { AnswerField(name: $0.0, value: $0.1) }
        self.deviceMilliseconds = deviceMilliseconds
    }

    /// The reason why the arguments are invalid; nil if they are valid (ZIM-9, rule 7).
    public var rejectionReason: String? {
        let declaration = call.declaration
        for argument in arguments where declaration[argument.name] == nil {
            return "\(declaration.name) takes no '\(argument.name)'"
        }
        for parameter in declaration.parameters {
            guard let value = value(parameter.name) else { return "\(parameter.name) is missing" }
            // An explicit default is accepted like an omitted argument, even if the kind rejects it, such as an empty
            // text.
            if value == parameter.defaultValue { continue }
            if let rejectionReason = parameter.kind.rejectionReason(to: value) {
                return "\(parameter.name): \(rejectionReason)"
            }
        }
        return nil
    }

    /// True if an argument requests data or a change from the server (ZIM-9, rule 2).
    public var queriesServer: Bool {
        call.declaration.parameters.contains { $0.queriesServer && flag($0.name) }
    }

    /// True to query the server first if the client is connected (ZIMMessageQueryModePreferServer).
    public var prefersServer: Bool { call == .queryHistoryMessage && choice("mode") == 1 }

    // MARK: Reading valid arguments

    /// The value of an argument or its default; nil if a required argument is missing.
    package func value(_ name: String) -> String? {
        arguments.last { $0.name == name }?.value ?? call.declaration[name]?.defaultValue
    }

    package func text(_ name: String) -> String { value(name) ?? "" }

    package func list(_ name: String) -> [String] { LocalParameter.Kind.parts(of: text(name)) }

    package func number(_ name: String) -> Int64 { Int64(text(name)) ?? 0 }

    /// The number of requested entries, at most ``LocalCall/pageMax``.
    package func count(_ name: String = "count") -> Int { Int(min(max(number(name), 0), Int64(LocalCall.pageMax))) }

    package func flag(_ name: String) -> Bool { LocalParameter.Kind.flag(text(name)) ?? false }

    /// The vendor's number of the word that an argument contains.
    package func choice(_ name: String) -> Int? {
        guard case .choice(let choices)? = call.declaration[name]?.kind else { return nil }
        return LocalParameter.Kind.number(of: text(name), among: choices)
    }

    /// The vendor's numbers of the words that an argument contains; empty if all words are meant.
    package func choices(_ name: String) -> [Int] {
        guard case .choices(let choices)? = call.declaration[name]?.kind else { return [] }
        return list(name).compactMap { LocalParameter.Kind.number(of: $0, among: choices) }
    }

    /// The conversation that the call concerns.
    package var conversation: ConversationID {
        ConversationID(
            kind: choice("conversationType").flatMap { ConversationID.Kind(rawValue: UInt8($0)) } ?? .peer,
            id: text("conversationID"))
    }
}

extension LocalParameter.Kind {
    /// The reason why a value is invalid; nil if it is valid.
    public func rejectionReason(to value: String) -> String? {
        switch self {
        case .identifier, .message:
            return value.isEmpty ? "it is empty" : nil
        case .identifiers(let max), .messages(let max):
            let parts = Self.parts(of: value)
            if parts.contains("") || parts.isEmpty { return "an element is empty" }
            return parts.count > max ? "too many elements: \(parts.count) (limit \(max))" : nil
        case .keywords:
            let parts = Self.parts(of: value)
            return parts.contains("") || parts.isEmpty ? "a keyword is empty" : nil
        case .text(let max):
            return value.utf8.count > max ? "it is longer than \(max) bytes" : nil
        case .count(let max):
            return Self.rejectionReason(to: value, outside: 1...max)
        case .nextFlag:
            return Self.rejectionReason(to: value, outside: 0...UInt32.max).map {
                "\($0), from the answer of the page before"
            }
        case .position:
            return Position(value) == nil ? "'\(value)' is not a position from a page" : nil
        case .time:
            return Self.rejectionReason(to: value, outside: 0...Int64.max).map { "\($0): milliseconds since 1970" }
        case .flag:
            return Self.flag(value) == nil ? "use true or false" : nil
        case .choice(let choices):
            return Self.number(of: value, among: choices) == nil ? Self.known(choices) : nil
        case .choices(let choices):
            let isKnown = Self.parts(of: value).allSatisfy { Self.number(of: $0, among: choices) != nil }
            return isKnown ? nil : Self.known(choices)
        case .folder:
            return value.isEmpty ? "it is empty" : nil
        }
    }

    /// The reason why a text is not a whole number in the range; nil if it is one.
    static func rejectionReason<Number: FixedWidthInteger>(to value: String, outside range: ClosedRange<Number>)
        -> String?
    {
        if let number = Number(value), range.contains(number) { return nil }
        return "invalid number '\(value)'; use a whole number from \(range.lowerBound) to \(range.upperBound)"
    }

    private static func known(_ choices: [LocalParameter.Choice]) -> String {
        "use one of: " + choices.map(\.name).joined(separator: ", ")
    }

    static func parts(of value: String) -> [String] {
        value.isEmpty ? [] : value.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }

    static func flag(_ value: String) -> Bool? {
        switch value {
        case "true", "YES", "1": true
        case "false", "NO", "0": false
        default: nil
        }
    }

    static func number(of value: String, among choices: [LocalParameter.Choice]) -> Int? {
        choices.first { $0.name == value || String($0.number) == value }?.number
    }
}
