import ArgumentParser
import IMDebugger
import IMProtocol
import IMText
import SansIO

/// A word of a line as an argument. The library treats every leading dash as an option, also in `-5s` and in words that
/// were quoted; so such a word is passed with a mark, which is removed here.
protocol WordArgument: ExpressibleByArgument {
    init?(word: String)
}

extension WordArgument {
    package init?(argument: String) { self.init(word: DashMark.removed(from: argument)) }
}

/// The mark is a control character, which only an escape can bring into a line; a word that starts with it gets a
/// second one.
enum DashMark {
    private static let mark: Character = "\u{1}"

    static func added(to word: String) -> String {
        word.hasPrefix("-") || word.first == mark ? "\(mark)\(word)" : word
    }

    static func removed(from argument: String) -> String {
        argument.first == mark ? String(argument.dropFirst()) : argument
    }

    /// A message of the library without marks.
    static func removed(fromMessage message: String) -> String { message.filter { $0 != mark } }
}

/// Any text.
struct TextArgument: WordArgument {
    var value: String

    init?(word: String) { value = word }
}

/// `key=value`.
struct SettingArgument: WordArgument {
    var pair: KeyValue

    init?(word: String) {
        guard let pair = KeyValue(word), pair.comparison == .equal else { return nil }
        self.pair = pair
    }
}

/// A name: not empty and without blanks.
struct NameArgument: WordArgument {
    var value: String

    init?(word: String) {
        guard !word.isEmpty, !word.contains(where: \.isWhitespace) else { return nil }
        value = word
    }
}

/// A path of the tree: any text, because keys may contain blanks; the core reports an invalid one.
struct PathArgument: WordArgument {
    var value: String

    init?(word: String) { value = word }
}

/// A client's name, which can also stand after `@`.
struct ClientArgument: WordArgument {
    var value: String

    init?(word: String) {
        guard Lexer.isClientName(word) else { return nil }
        value = word
    }
}

/// A duration of zero or more.
package struct DurationArgument: WordArgument {
    package var interval: Interval

    init?(word: String) {
        guard let interval = DurationText.interval(word) else { return nil }
        self.interval = interval
    }
}

/// A duration with a sign.
struct SignedDurationArgument: WordArgument {
    var interval: Interval

    init?(word: String) {
        guard let interval = DurationText.signedInterval(word) else { return nil }
        self.interval = interval
    }
}

/// A probability: `0.2` or `20%`.
struct ProbabilityArgument: WordArgument {
    var partsPerMillion: UInt64

    init?(word: String) {
        let number = word.hasSuffix("%") ? Double(word.dropLast()).map { $0 / 100 } : Double(word)
        guard let number, (0...1).contains(number) else { return nil }
        partsPerMillion = UInt64((number * 1_000_000).rounded())
    }
}

/// `key=value`.
struct AssignmentArgument: WordArgument {
    var pair: KeyValue

    init?(word: String) {
        guard let pair = KeyValue(word), pair.comparison == .equal else { return nil }
        self.pair = pair
    }
}

/// The platforms that a client can have.
extension Platform: ExpressibleByArgument {
    static let ofClients = allCases.filter { $0 != .unknown && $0 != .server }

    /// The platform with a name, among those that a client can have.
    public init?(argument: String) {
        guard let platform = Self.ofClients.first(where: { $0.name == argument }) else { return nil }
        self = platform
    }

    /// The names of the platforms that a client can have.
    public static var allValueStrings: [String] { ofClients.map(\.name) }
    /// Its name.
    public var defaultValueDescription: String { name }
}

extension QuerySubject: ExpressibleByArgument {}
extension ObservedEvent.Direction: ExpressibleByArgument {}
