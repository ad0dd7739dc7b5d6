/// What the comments at the head of a script say about it: `# key: value`.
struct ScriptMetadata: Equatable, Sendable {
    enum Key: String, CaseIterable, Sendable {
        /// One line about the story.
        case title
        /// The profile the story is told for.
        case profile
        /// The ids of the rules it shows: `NIM-4 C-6`.
        case rules
        /// The only world it can run in; `because` says why.
        case world
        case because
        case seed
        case timeScale = "time-scale"
        /// Whether the world makes no accounts and tokens by itself.
        case strict
    }

    struct Entry: Equatable, Sendable {
        var key: String
        var value: String
        var position: SourcePosition
    }

    /// All entries in order, also those with keys of the author's own.
    var entries: [Entry] = []

    subscript(_ key: Key) -> String? { entries.last { $0.key == key.rawValue }?.value }

    var title: String? { self[.title] }
    var profile: String? { self[.profile] }
    var rules: [String] { (self[.rules] ?? "").split { " ,\t".contains($0) }.map(String.init) }
    var world: WorldKind? { self[.world].flatMap(WorldKind.init(rawValue:)) }
    var because: String? { self[.because] }
    var seed: UInt64? { self[.seed].flatMap { UInt64($0) } }
    var isStrict: Bool { self[.strict] == "true" }
    var timeScale: Double? { self[.timeScale].flatMap(TimeScale.factor) }

    /// Splits `key: value`; `nil` for an ordinary comment.
    static func entry(of comment: Comment) -> Entry? {
        guard let colon = comment.text.firstIndex(of: ":") else { return nil }
        let key = comment.text[..<colon]
        let isKey =
            key.first?.isLetter == true
            && key.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "-") && !$0.isUppercase }
        let value = String(comment.text[comment.text.index(after: colon)...]).trimmingBlanks()
        return isKey && !value.isEmpty ? Entry(key: String(key), value: value, position: comment.position) : nil
    }

    /// What is wrong with an entry of a known key.
    static func error(in entry: Entry) -> Diagnostic? {
        guard let key = Key(rawValue: entry.key) else { return nil }
        let message: String?
        switch key {
        case .title, .profile, .rules, .because: message = nil
        case .world: message = WorldKind(rawValue: entry.value) == nil ? "the world is 'live' or 'simulated'" : nil
        case .seed: message = UInt64(entry.value) == nil ? "the seed is a whole number from 0" : nil
        case .strict: message = ["true", "false"].contains(entry.value) ? nil : "strict is 'true' or 'false'"
        case .timeScale:
            message = TimeScale.factor(entry.value) == nil ? "the time scale is a number above 0 and up to 1000" : nil
        }
        return message.map { Diagnostic("'\(entry.value)': \($0)", at: entry.position, length: entry.key.count + 2) }
    }
}

/// The two worlds a script can run in.
enum WorldKind: String, CaseIterable, Sendable {
    case live, simulated
}

/// How many times as fast as the wall clock the live world's clock runs.
enum TimeScale {
    /// A faster clock could no longer be kept by timers of the operating system.
    static let factorMax = 1000.0

    static func factor(_ text: String) -> Double? {
        guard let factor = Double(text), factor > 0, factor <= factorMax else { return nil }
        return factor
    }
}
