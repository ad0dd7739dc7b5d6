/// A parameter of a local call, with its name and its type.
public struct LocalParameter: Hashable, Sendable {
    /// The type of a value, with the rules for valid values (ZIM-9, rule 7).
    public enum Kind: Hashable, Sendable {
        /// A name; never empty.
        case identifier
        /// Several names, separated by commas: at least one, none empty, at most `max`.
        case identifiers(max: Int)
        /// Words to search for, separated by commas: at least one, none empty.
        case keywords
        /// Any text up to `bytesMax` bytes of UTF-8.
        case text(bytesMax: Int)
        /// The number of requested entries, from 1 to `max`.
        case count(max: Int)
        /// The flag from the answer of the previous page; 0 for the first page.
        case nextFlag
        /// The position from the answer of the previous page; empty for the first page.
        case position
        /// A message: its id, or its number in the database, such as `#12`.
        case message
        /// Several messages, separated by commas: at least one, at most `max`.
        case messages(max: Int)
        /// Milliseconds since 1970.
        case time
        case flag
        /// One of these words, or its number in the vendor's API.
        case choice([Choice])
        /// Several of these words or numbers, separated by commas.
        case choices([Choice])
        /// A folder on the device.
        case folder
    }

    /// A word and its number in the vendor's API.
    public struct Choice: Hashable, Sendable {
        /// The word.
        public let name: String
        /// The word's number in the vendor's API.
        public let number: Int
    }

    /// The vendor's name of the parameter.
    public let name: String
    /// The type of the value.
    public let kind: Kind
    /// The value if the argument is omitted; nil for a required parameter.
    public let defaultValue: String?
    /// A short description for the help.
    public let what: String
    /// True if the call uses the server when this argument is `true` (ZIM-9, rule 2).
    public let queriesServer: Bool

    init(_ name: String, _ kind: Kind, defaultValue: String? = nil, queriesServer: Bool = false, _ what: String) {
        self.name = name
        self.kind = kind
        self.defaultValue = defaultValue
        self.queriesServer = queriesServer
        self.what = what
    }
}

/// A local call as a user types it: its name and parameters.
public struct LocalDeclaration: Hashable, Sendable {
    /// The part of the data that a call concerns.
    public enum Topic: String, Sendable, CaseIterable {
        case users, groups, messages, calls, conversations, cache
    }

    /// The name that a user types.
    public let name: String
    /// The part of the data that the call concerns.
    public let topic: Topic
    /// A description for the help, in one line.
    public let abstract: String
    /// The parameters, in the order of the vendor's signature.
    public let parameters: [LocalParameter]
    /// True if the call changes local data.
    public let changes: Bool

    /// The parameter with this name; nil if the call has none.
    public subscript(name: String) -> LocalParameter? { parameters.first { $0.name == name } }
}

extension LocalParameter.Kind {
    /// All valid values, if they are a fixed set of words; else empty.
    public var words: [String] {
        switch self {
        case .flag: ["true", "false"]
        case .choice(let choices), .choices(let choices): choices.map(\.name)
        case .identifier, .identifiers, .keywords, .text, .count, .nextFlag, .position, .message, .messages, .time,
            .folder:
            []
        }
    }

    /// A short description of the valid values, for the help.
    public var takes: String {
        switch self {
        case .identifier: "a name"
        case .identifiers(let max): "up to \(max) names"
        case .keywords: "words"
        case .text: "a text"
        case .count(let max): "1 to \(max)"
        case .nextFlag, .position: "a page's 'next'"
        case .message: "a message's id"
        case .messages(let max): "up to \(max) ids"
        case .time: "milliseconds since 1970"
        case .folder: "a folder"
        case .flag, .choice, .choices: words.joined(separator: "|")
        }
    }
}
