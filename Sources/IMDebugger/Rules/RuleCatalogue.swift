import IMProfiles

/// A rule of one system or of all systems, or a known pattern of bugs, with its id.
public struct Rule: Hashable, Sendable {
    /// The unique id, such as `NIM-11`.
    public var id: String
    /// The rule in one line.
    public var text: String
    /// The project's decision about cases that the vendor's documents do not cover; empty if there is none.
    public var details: String
    /// False for a documented rule that is not implemented yet.
    public var isImplemented: Bool

    init(_ id: String, _ text: String, details: String = "", isImplemented: Bool = true) {
        self.id = id
        self.text = text
        self.details = details
        self.isImplemented = isImplemented
    }
}

/// All rules, for `help rules` and for the catalogue of the session library. The session library has scripts that
/// demonstrate each rule.
public enum RuleCatalogue {
    /// A group of rules with its title, in order.
    public struct Group: Hashable, Sendable {
        /// The system, or the subject of the rules.
        public var title: String
        /// The rules of the group, in the order of their numbers.
        public var rules: [Rule]
    }

    package static let groups: [Group] = [
        Group(title: "All systems", rules: common), Group(title: "NetEase NIM", rules: nim),
        Group(title: "ZEGO ZIM", rules: zim), Group(title: "Agora Chat", rules: agoraChat),
        Group(title: "Agora RTM", rules: agoraRTM), Group(title: "Wilddog Sync", rules: wilddog),
        Group(title: "Known bug patterns", rules: patterns),
    ]

    /// The rules of all groups, in order.
    public static var rules: [Rule] { groups.flatMap(\.rules) }

    /// The range of existing ids that begin with the letters of `word`: `NIM-1 to NIM-14` for `NIM-99`. Nil if `word`
    /// does not look like an id.
    public static func ids(like word: String) -> String? {
        let letters = word.prefix { $0.isLetter }.uppercased()
        let rest = word.dropFirst(letters.count)
        let number = rest.hasPrefix("-") ? rest.dropFirst() : rest
        guard !letters.isEmpty, !number.isEmpty, number.allSatisfy(\.isNumber) else { return nil }
        let known = rules.map(\.id).filter { $0.prefix { $0.isLetter } == letters }
        guard let first = known.first, let last = known.last else { return nil }
        return "\(first) to \(last)"
    }

    /// The rules that match all words: an id, the letters of an id (`NIM`), a profile, or a part of the text. Without
    /// words, all rules.
    public static func search(_ words: [String]) -> [Group] {
        groups.compactMap { group in
            let found = group.rules.filter { rule in
                words.allSatisfy { rule.has($0.lowercased()) || group.isOf(profile: $0.lowercased()) }
            }
            return found.isEmpty ? nil : Group(title: group.title, rules: found)
        }
    }
}

extension Rule {
    /// The letters of the id in lower case: `nim` of `NIM-4`, `p` of `P4`.
    private var letters: String { String(id.prefix(while: \.isLetter)).lowercased() }

    fileprivate func has(_ word: String) -> Bool {
        // A single letter occurs in almost every text, so it is only compared with the ids.
        id.lowercased() == word || letters == word || (word.count > 1 && text.lowercased().contains(word))
    }
}

extension RuleCatalogue.Group {
    fileprivate func isOf(profile: String) -> Bool {
        Dialects.named(profile)?.title.hasPrefix(title) ?? false
    }
}
