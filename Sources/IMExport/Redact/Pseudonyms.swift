import Foundation
import IMDebugger
import IMSession
import IMTree

/// The pseudonyms of one recording: another string of the same length for each string that says something about
/// somebody, the same everywhere, and never one that stood for somebody else.
///
/// It is made in two goes over the recording. In the first it takes note of what there is; ``settle()`` then gives the
/// pseudonyms, in the order of first appearance, so that the same recording gets the same ones; in the second it
/// answers with them. Confined to one thread.
package final class Pseudonyms {
    package struct Entry: Hashable, Sendable {
        package var original: String
        package var kind: PersonalKind
        package var pseudonym: String
    }

    /// Each original with its pseudonym, in the order of first appearance.
    package private(set) var entries: [Entry] = []
    private var places: [String: Int] = [:]
    private var mentions: [Mention] = []
    private var mentioned: Set<Mention> = []
    /// Names as a whole: a text that is one is replaced as the name is.
    private var names: Set<String> = []
    /// Words that stay unless they say what an original says.
    private var words: [String] = []
    private var settledWords: [String: String] = [:]
    private var isSettled = false
    private let order: PseudonymOrder
    /// Whether numbers of the tree, names of attributes and keys that look like push ids stay: the machines of a few
    /// recordings calculate with them.
    private let keepsCalculated: Bool
    private let epochMilliseconds: Int64
    private var numbers: NumberPseudonyms
    /// What the hashes of places in the tree have become.
    private var hashes: [TreeHash: TreeHash] = [:]

    private struct Mention: Hashable {
        var text: String
        var kind: PersonalKind
        var isName: Bool
    }

    init(_ order: PseudonymOrder = .free, keepsCalculated: Bool = false, epochMilliseconds: Int64 = 0) {
        self.order = order
        self.keepsCalculated = keepsCalculated
        self.epochMilliseconds = epochMilliseconds
        numbers = NumberPseudonyms(epochMilliseconds: Double(epochMilliseconds))
    }

    // MARK: Asking

    /// The name of a user, device, channel and so on. Characters that mean something in a name keep their places.
    func name(_ text: String, _ kind: PersonalKind) -> String {
        guard !text.isEmpty else { return text }
        if isSettled { return replacedName(text) }
        mention(text, kind, isName: true)
        return text
    }

    /// What a user wrote; as a whole.
    func text(_ text: String, _ kind: PersonalKind = .text) -> String {
        guard !text.isEmpty else { return text }
        if isSettled { return names.contains(text) ? replacedName(text) : replaced(text) }
        mention(text, kind, isName: false)
        return text
    }

    /// A word that is nobody's by itself, such as the label of a client: it goes only where it says what an original
    /// says.
    func word(_ text: String) -> String {
        if isSettled { return settledWords[text] ?? text }
        if settledWords[text] == nil {
            settledWords[text] = text
            words.append(text)
        }
        return text
    }

    /// A number of the tree.
    func number(_ number: Double) -> Double {
        guard !keepsCalculated, numbers.isPersonal(number) else { return number }
        if isSettled { return numbers[number] }
        numbers.mention(number)
        return number
    }

    /// The name of an attribute. Names of the rows of answers stay: they are words of this program.
    func attributeName(_ text: String) -> String {
        keepsCalculated || Self.rowNames.contains(text) ? word(text) : name(text, .key)
    }

    private static let rowNames: Set = [
        "account", "device", "platform", "name", "timer", "in-ms", "channel", "id", "kind", "text", "to", "member",
        "path", "value", "user", "status", "transaction", "get", "credential", "expires", "issued", "error", "userID",
        "userName",
        "userAvatarUrl", "userExtendedData", "errorUserID", "reason",
    ]

    /// Whether a client made the key with its clock at a time near the recording (100 days).
    func isPushID(_ key: TreeKey) -> Bool {
        guard ChildIDs.mayHaveMade(key), let time = ChildIDs.milliseconds(of: key) else { return false }
        return keepsCalculated || abs(time - epochMilliseconds) < Self.pushIDRangeMilliseconds
    }

    private static let pushIDRangeMilliseconds: Int64 = 100 * 86_400_000

    /// The hash of what stands at a place, as it is once its names are other ones; only machines that have been asked
    /// anew can tell.
    func hash(_ hash: TreeHash) -> TreeHash { hashes[hash] ?? hash }

    /// Where a machine had said the one hash, it has now said the other. Of what is equal hashes are equal; the first
    /// stays.
    func learn(_ hash: TreeHash, is other: TreeHash) {
        if hashes[hash] == nil { hashes[hash] = other }
    }

    /// A text that is kept, with every original in it replaced, however it is spelled: people write `Alice`.
    package func rewritten(_ text: String) -> String {
        let longestFirst = entries.filter { $0.original.utf8.count >= Self.lengthToSearchMin }
            .sorted { ($0.original.utf8.count, $1.original) > ($1.original.utf8.count, $0.original) }
        return longestFirst.reduce(text) { text, entry in
            text.replacingOccurrences(of: entry.original, with: entry.pseudonym, options: .caseInsensitive)
        }
    }

    /// Shorter ones are in too many other words.
    static let lengthToSearchMin = 3

    /// How many names and texts there are of some kinds; a name of several parts is one.
    func count(_ kinds: PersonalKind...) -> Int {
        var seen: Set<String> = []
        return mentions.count { mention in
            // `alice/phone` names a user and a device that have been counted.
            let isCounted = mention.isName ? !mention.text.contains("/") : !names.contains(mention.text)
            guard isCounted, seen.insert(mention.text).inserted else { return false }
            return kinds.contains(mention.kind)
        } + (kinds.contains(.client) ? settledWords.count { $0 != $1 } : 0)
    }

    // MARK: Taking note

    private func mention(_ text: String, _ kind: PersonalKind, isName: Bool) {
        let mention = Mention(text: text, kind: kind, isName: isName)
        guard mentioned.insert(mention).inserted else { return }
        mentions.append(mention)
        if isName { names.insert(text) }
    }

    /// Gives the pseudonyms; from here on it answers with them.
    func settle() {
        var kinds: [String: PersonalKind] = [:]
        var originals: [String] = []
        // What is somebody's name anywhere, whatever it was first.
        var people: Set<String> = []
        func add(_ original: String, _ kind: PersonalKind) {
            if [.user, .device, .model].contains(kind) { people.insert(original) }
            if kinds.updateValue(kinds[original] ?? kind, forKey: original) == nil { originals.append(original) }
        }
        for mention in mentions {
            if mention.isName || names.contains(mention.text) {
                for part in NameParts(mention.text).parts where part.isPersonal { add(part.text, mention.kind) }
            } else {
                add(mention.text, mention.kind)
            }
        }
        for word in words where says(word, oneOf: originals, people) { add(word, .client) }
        let kept = words.filter { kinds[$0] == nil }
        var maker = PseudonymMaker(originals: originals, reserved: kept, order: order, kinds: kinds)
        for original in originals {
            let kind = kinds[original] ?? .text
            places[original] = entries.count
            entries.append(Entry(original: original, kind: kind, pseudonym: maker.make(for: original, kind)))
        }
        for word in words { settledWords[word] = kinds[word] == nil ? word : replaced(word) }
        numbers.settle()
        isSettled = true
    }

    /// Whether a word is an original, or has somebody's name in it. A message `one` says nothing about a `phone`.
    private func says(_ word: String, oneOf originals: [String], _ people: Set<String>) -> Bool {
        let word = word.lowercased()
        return originals.contains { original in
            let isName = people.contains(original)
            let original = original.lowercased()
            return original == word
                || (isName && original.utf8.count >= Self.lengthToSearchMin && word.contains(original))
        }
    }

    // MARK: Replacing

    private func replaced(_ text: String) -> String {
        places[text].map { entries[$0].pseudonym } ?? text
    }

    private func replacedName(_ text: String) -> String {
        NameParts(text).parts.map { $0.isPersonal ? replaced($0.text) : $0.text }.joined()
    }
}

/// A name taken apart at the characters that machines look at: the slash between user and device, and what no key of
/// the tree may have.
struct NameParts {
    var parts: [(text: String, isPersonal: Bool)] = []

    init(_ text: String) {
        var part = ""
        for scalar in text.unicodeScalars {
            if Self.isStructure(scalar) {
                if !part.isEmpty { parts.append((part, true)) }
                parts.append((String(scalar), false))
                part = ""
            } else {
                part.unicodeScalars.append(scalar)
            }
        }
        if !part.isEmpty { parts.append((part, true)) }
    }

    private static func isStructure(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        // The asterisk stands for all conversations.
        case "/", ".", "#", "$", "[", "]", "*": true
        default: isControl(scalar)
        }
    }

    /// Whether it may stand in no name and in no text, so that what has it is refused.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
}
