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
        /// The flag at the end of the page before; 0 for the first page.
        case nextFlag
        /// The position at the end of the page before, from its answer; empty for the first page.
        case position
        /// A message, by its id, or by its number in the database.
        case message
        case messages(max: Int)
        /// Milliseconds since 1970.
        case time
        case flag
        /// One of these words, or its number in the vendor's API.
        case choice([Choice])
        /// Several of them, separated by commas.
        case choices([Choice])
        /// A folder on the device.
        case folder
    }

    /// A word and its number in the vendor's API.
    public struct Choice: Hashable, Sendable {
        /// The word.
        public let name: String
        /// Its number in the vendor's API.
        public let number: Int
    }

    /// The vendor's name.
    public let name: String
    /// The type.
    public let kind: Kind
    /// The default; nil for a required parameter.
    public let defaultValue: String?
    /// A few words for help.
    public let what: String
    /// True if the value `true` requests the server's data (ZIM-9, rule 2).
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
    /// The part of the data.
    public let topic: Topic
    /// One line for help.
    public let abstract: String
    /// The parameters, in the order of the vendor's signature.
    public let parameters: [LocalParameter]
    /// True if it changes local data.
    public let changes: Bool

    /// The parameter of that name; nil if there is none.
    public subscript(name: String) -> LocalParameter? { parameters.first { $0.name == name } }
}

extension LocalParameter.Kind {
    /// The words that are valid values; empty if they cannot be listed.
    public var words: [String] {
        switch self {
        case .flag: ["true", "false"]
        case .choice(let choices), .choices(let choices): choices.map(\.name)
        case .identifier, .identifiers, .keywords, .text, .count, .nextFlag, .position, .message, .messages, .time,
            .folder:
            []
        }
    }

    /// The valid values, in a word or two.
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
