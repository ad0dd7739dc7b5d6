/// What can be given to a local call by name, and what stands there.
public struct LocalParameter: Hashable, Sendable {
    /// How its text is read, and what of it is refused (ZIM-9, rule 7).
    public enum Kind: Hashable, Sendable {
        /// Names something; never empty.
        case identifier
        /// Several names, separated by commas: at least one, none empty, at most so many.
        case identifiers(max: Int)
        /// Words to look for, separated by commas: at least one, none empty.
        case keywords
        /// Any text; what it is at most, in bytes of UTF-8.
        case text(bytesMax: Int)
        /// How many are wanted: from one on, at most so many.
        case count(max: Int)
        /// Where the page before ended; 0 for the first page.
        case nextFlag
        /// Where the page before ended, as its answer said it; empty for the first page.
        case position
        /// A message, by its id, or by the number that the database gave it.
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

    /// A word and the number for which it stands in the vendor's API.
    public struct Choice: Hashable, Sendable {
        /// The word.
        public let name: String
        /// Its number there.
        public let number: Int
    }

    /// The vendor's name.
    public let name: String
    /// How it is read.
    public let kind: Kind
    /// Taken where it is not given; nil for one that must be.
    public let standard: String?
    /// What it is, for help: a few words.
    public let what: String
    /// Whether `true` asks for the server's data (ZIM-9, rule 2).
    public let asksServer: Bool

    init(_ name: String, _ kind: Kind, standard: String? = nil, asksServer: Bool = false, _ what: String) {
        self.name = name
        self.kind = kind
        self.standard = standard
        self.asksServer = asksServer
        self.what = what
    }
}

/// A local call as one types it: its name and what it takes.
public struct LocalDeclaration: Hashable, Sendable {
    /// Which part of the data it is about.
    public enum Topic: String, Sendable, CaseIterable {
        case users, groups, messages, calls, conversations, cache
    }

    /// The name that one types.
    public let name: String
    /// What it is about.
    public let topic: Topic
    /// What it does, in one line.
    public let abstract: String
    /// What it takes, in the order of the vendor's signature.
    public let parameters: [LocalParameter]
    /// Whether it changes local data.
    public let changes: Bool

    /// The parameter of that name; nil where it takes none.
    public subscript(name: String) -> LocalParameter? { parameters.first { $0.name == name } }
}

extension LocalParameter.Kind {
    /// The words that can stand there; none where they cannot be listed.
    public var words: [String] {
        switch self {
        case .flag: ["true", "false"]
        case .choice(let choices), .choices(let choices): choices.map(\.name)
        case .identifier, .identifiers, .keywords, .text, .count, .nextFlag, .position, .message, .messages, .time,
            .folder:
            []
        }
    }

    /// What stands there, in a word or two.
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
