import IMSession
import IMText

/// What the comments at the head of a script say about it: `# key: value`.
package struct ScriptMetadata: Equatable, Sendable {
    package enum Key: String, CaseIterable, Sendable {
        /// One line about the scenario.
        case title
        /// The profile the scenario is for.
        case profile
        /// The ids of the rules it shows: `NIM-4 C-6`.
        case rules
        /// The only world it can run in; `because` says why.
        case world
        case because
        case seed
        /// In which order things happen in the simulated world that are due at the same moment.
        case order
        case timeScale = "time-scale"
        /// Whether the world makes no accounts and tokens by itself.
        case strict
    }

    struct Entry: Equatable, Sendable {
        var key: String
        var value: String
        var position: SourcePosition
    }

    package init() {}

    /// Whether one of the script's lines is `check rules`: what looks has to look from the beginning.
    package internal(set) var checksRules = false

    /// All entries in order, also those with keys of the author's own.
    var entries: [Entry] = []

    subscript(_ key: Key) -> String? { entries.last { $0.key == key.rawValue }?.value }

    package var title: String? { self[.title] }
    package var profile: String? { self[.profile] }
    var rules: [String] { (self[.rules] ?? "").split { " ,\t".contains($0) }.map(String.init) }
    /// Each rule that the head names, with where its entry stands.
    package var ruleEntries: [(id: String, position: SourcePosition)] {
        entries.filter { $0.key == Key.rules.rawValue }.flatMap { entry in
            entry.value.split { " ,\t".contains($0) }.map { (String($0), entry.position) }
        }
    }
    package var world: WorldKind? { self[.world].flatMap(WorldKind.init(rawValue:)) }
    package var because: String? { self[.because] }
    package var seed: UInt64? { self[.seed].flatMap { UInt64($0) } }
    package var order: DueOrder? { self[.order].flatMap(DueOrder.init) }
    package var isStrict: Bool { self[.strict] == "true" }
    package var timeScale: Double? { self[.timeScale].flatMap(TimeScale.factor) }

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
        case .order: message = DueOrder(rawValue: entry.value) == nil ? "the order is 'fixed' or 'drawn'" : nil
        case .strict: message = ["true", "false"].contains(entry.value) ? nil : "strict is 'true' or 'false'"
        case .timeScale:
            message = TimeScale.factor(entry.value) == nil ? "the time scale is a number from 0.001 to 1000" : nil
        }
        return message.map { Diagnostic("'\(entry.value)': \($0)", at: entry.position, length: entry.key.count + 2) }
    }
}

/// How many times as fast as the wall clock the live world's clock runs.
package enum TimeScale {
    /// A faster clock could no longer be kept by timers of the operating system.
    package static let factorMax = 1000.0
    /// A slower clock would reach no deadline while somebody waits for it.
    package static let factorMin = 0.001

    package static func factor(_ text: String) -> Double? {
        guard let factor = Double(text), factor >= factorMin, factor <= factorMax else { return nil }
        return factor
    }
}
