import IMSession
import IMText

/// The metadata in the comments at the head of a script: `# key: value`.
package struct ScriptMetadata: Equatable, Sendable {
    package enum Key: String, CaseIterable, Sendable {
        /// One line about the scenario.
        case title
        /// The profile for which the scenario is written.
        case profile
        /// The ids of the rules that the scenario demonstrates: `NIM-4 C-6`.
        case rules
        /// The only kind of world in which the script can run: `live` or `simulated`. The key `because` gives the
        /// reason.
        case world
        case because
        case seed
        /// The order of events in the simulated world that are due at the same time.
        case order
        case timeScale = "time-scale"
        /// `true` if the world does not create accounts and tokens automatically.
        case strict
    }

    struct Entry: Equatable, Sendable {
        var key: String
        var value: String
        var position: SourcePosition
    }

    package init() {}

    /// True if a line of the script is `check rules`. Then the checkers must observe the run from its first event.
    package internal(set) var checksRules = false

    /// All entries in order, including those with keys that the author chose.
    var entries: [Entry] = []

    subscript(_ key: Key) -> String? { entries.last { $0.key == key.rawValue }?.value }

    package var title: String? { self[.title] }
    package var profile: String? { self[.profile] }
    var rules: [String] { (self[.rules] ?? "").split { " ,\t".contains($0) }.map(String.init) }
    /// Each rule id in the metadata, with the position of its entry.
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

    /// The key and the value of a comment such as `key: value`; nil for any other comment.
    static func entry(of comment: Comment) -> Entry? {
        guard let colon = comment.text.firstIndex(of: ":") else { return nil }
        let key = comment.text[..<colon]
        let isKey =
            key.first?.isLetter == true
            && key.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "-") && !$0.isUppercase }
        let value = String(comment.text[comment.text.index(after: colon)...]).trimmingBlanks()
        return isKey && !value.isEmpty ? Entry(key: String(key), value: value, position: comment.position) : nil
    }

    /// The error in an entry of a known key; nil for none.
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

/// The speed of the live world's clock, relative to the wall clock.
package enum TimeScale {
    /// Timers of the operating system are not precise enough for a faster clock.
    package static let factorMax = 1000.0
    /// With a slower clock, one second of the session would take longer than 1000 s.
    package static let factorMin = 0.001

    package static func factor(_ text: String) -> Double? {
        guard let factor = Double(text), factor >= factorMin, factor <= factorMax else { return nil }
        return factor
    }
}
