import ArgumentParser
import IMDebugger
import IMProtocol
import IMText
import SansIO

/// A word of a line as an argument. ArgumentParser treats every word with a leading dash as an option, even `-5s` and
/// quoted words. So ``DashMark`` adds a mark to such words before they are parsed, and `init(argument:)` removes it.
protocol WordArgument: ExpressibleByArgument {
    init?(word: String)
}

extension WordArgument {
    package init?(argument: String) { self.init(word: DashMark.removed(from: argument)) }
}

/// Marks a word that begins with a dash as an argument and not an option. The mark is a control character. A line can
/// contain that character only through an escape; a word that begins with it gets a second mark.
enum DashMark {
    private static let mark: Character = "\u{1}"

    static func added(to word: String) -> String {
        word.hasPrefix("-") || word.first == mark ? "\(mark)\(word)" : word
    }

    static func removed(from argument: String) -> String {
        argument.first == mark ? String(argument.dropFirst()) : argument
    }

    /// An error message of ArgumentParser without the marks.
    static func removed(fromMessage message: String) -> String { message.filter { $0 != mark } }
}

/// An argument that can be any text.
struct TextArgument: WordArgument {
    var value: String

    init?(word: String) { value = word }
}

/// A name: a text that is not empty and contains no blanks.
struct NameArgument: WordArgument {
    var value: String

    init?(word: String) {
        guard !word.isEmpty, !word.contains(where: \.isWhitespace) else { return nil }
        value = word
    }
}

/// A client's name: letters, digits, `-`, `_` and `.`, as after `@`.
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

/// A duration that may have a sign.
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

/// An argument `key=value`, such as a setting, a field or a variable.
struct AssignmentArgument: WordArgument {
    var pair: KeyValue

    init?(word: String) {
        guard let pair = KeyValue(word), pair.comparison == .equal else { return nil }
        self.pair = pair
    }
}

/// Platforms as arguments, by name.
extension Platform: ExpressibleByArgument {
    static let clientPlatforms = allCases.filter { $0 != .unknown && $0 != .server }

    /// The platform with this name; nil if there is none, or if a client cannot have it.
    public init?(argument: String) {
        guard let platform = Self.clientPlatforms.first(where: { $0.name == argument }) else { return nil }
        self = platform
    }

    /// The names of the platforms that a client can have.
    public static var allValueStrings: [String] { clientPlatforms.map(\.name) }
    /// The name of the platform.
    public var defaultValueDescription: String { name }
}

extension QuerySubject: ExpressibleByArgument {}
extension ObservedEvent.Direction: ExpressibleByArgument {}
