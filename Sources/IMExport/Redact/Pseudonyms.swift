import Foundation
import IMDebugger
import IMSession
import IMTree

/// The pseudonyms of one recording. Each personal string has one pseudonym of the same length in the whole recording.
/// Different strings have different pseudonyms.
///
/// A redaction makes two passes over the recording. In the first pass, the methods below collect the originals and
/// return them unchanged. ``assign()`` then assigns the pseudonyms in the order of first appearance, so that the result
/// for a recording is always the same. In the second pass, the methods return the pseudonyms. Confined to one thread.
package final class Pseudonyms {
    package struct Entry: Hashable, Sendable {
        package var original: String
        package var kind: PersonalKind
        package var pseudonym: String
    }

    /// Each original with its pseudonym, in the order of first appearance.
    package private(set) var entries: [Entry] = []
    private var entryIndices: [String: Int] = [:]
    private var occurrences: [Occurrence] = []
    private var collected: Set<Occurrence> = []
    /// Complete names. A text that equals one of them is replaced like the name.
    private var names: Set<String> = []
    /// Words that are replaced only if they equal or contain an original.
    private var words: [String] = []
    private var assignedWords: [String: String] = [:]
    private var isAssigned = false
    private let order: PseudonymOrder
    /// True if numbers of the tree, names of attributes and keys that look like push ids are not replaced. In a few
    /// recordings, the machines calculate with them.
    private let keepsCalculated: Bool
    private let epochMilliseconds: Int64
    private var numbers: NumberPseudonyms
    /// For each hash of a part of the tree, the hash that the part has with pseudonyms.
    private var hashes: [TreeHash: TreeHash] = [:]

    private struct Occurrence: Hashable {
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

    // MARK: Queries

    /// The name of a user, device, channel and so on. Characters that structure a name, such as `/`, are not replaced.
    func name(_ text: String, _ kind: PersonalKind) -> String {
        guard !text.isEmpty else { return text }
        if isAssigned { return replacedName(text) }
        collect(text, kind, isName: true)
        return text
    }

    /// A text that a user wrote, as a whole.
    func text(_ text: String, _ kind: PersonalKind = .text) -> String {
        guard !text.isEmpty else { return text }
        if isAssigned { return names.contains(text) ? replacedName(text) : replaced(text) }
        collect(text, kind, isName: false)
        return text
    }

    /// A word that is not personal by itself, such as the label of a client. The word is replaced only if it equals or
    /// contains an original.
    func word(_ text: String) -> String {
        if isAssigned { return assignedWords[text] ?? text }
        if assignedWords[text] == nil {
            assignedWords[text] = text
            words.append(text)
        }
        return text
    }

    /// A number of the tree.
    func number(_ number: Double) -> Double {
        guard !keepsCalculated, numbers.isPersonal(number) else { return number }
        if isAssigned { return numbers[number] }
        numbers.collect(number)
        return number
    }

    /// The name of an attribute. This program defines the names in the rows of answers, so these are not replaced.
    func attributeName(_ text: String) -> String {
        keepsCalculated || Self.rowNames.contains(text) ? word(text) : name(text, .key)
    }

    private static let rowNames: Set = [
        "account", "device", "platform", "name", "timer", "in-ms", "channel", "id", "kind", "text", "to", "member",
        "path", "value", "user", "status", "transaction", "get", "credential", "expires", "issued", "error", "userID",
        "userName",
        "userAvatarUrl", "userExtendedData", "errorUserID", "reason",
    ]

    /// True if a client may have made the key at a time near the recording (within 100 days).
    func isPushID(_ key: TreeKey) -> Bool {
        guard ChildIDs.mayBeGenerated(key), let time = ChildIDs.milliseconds(of: key) else { return false }
        return keepsCalculated || abs(time - epochMilliseconds) < Self.pushIDRangeMilliseconds
    }

    private static let pushIDRangeMilliseconds: Int64 = 100 * 86_400_000

    /// The hash of the node at a path, with pseudonyms. The new hash is available only after the machines have run
    /// again; until then this method returns the original one.
    func hash(_ hash: TreeHash) -> TreeHash { hashes[hash] ?? hash }

    /// Stores the hash that replaces an original hash. Equal nodes have equal hashes, so only the first replacement is
    /// stored.
    func storeHash(_ hash: TreeHash, is other: TreeHash) {
        if hashes[hash] == nil { hashes[hash] = other }
    }

    /// A title or a mark in which every original is replaced. Upper and lower case are not distinguished, because
    /// people write `Alice` for `alice`.
    package func rewritten(_ text: String) -> String {
        let longestFirst = entries.filter { $0.original.utf8.count >= Self.lengthToSearchMin }
            .sorted { ($0.original.utf8.count, $1.original) > ($1.original.utf8.count, $0.original) }
        return longestFirst.reduce(text) { text, entry in
            text.replacingOccurrences(of: entry.original, with: entry.pseudonym, options: .caseInsensitive)
        }
    }

    /// The minimum length in bytes of an original that is searched inside other texts. Shorter originals occur in too
    /// many words.
    static let lengthToSearchMin = 3

    /// The number of different names and texts of the given kinds. A name with a slash contains other names and is not
    /// counted.
    func count(_ kinds: PersonalKind...) -> Int {
        var counted: Set<String> = []
        return occurrences.count { occurrence in
            // `alice/phone` contains a user and a device that are counted themselves.
            let isCounted = occurrence.isName ? !occurrence.text.contains("/") : !names.contains(occurrence.text)
            guard isCounted, counted.insert(occurrence.text).inserted else { return false }
            return kinds.contains(occurrence.kind)
        } + (kinds.contains(.client) ? assignedWords.count { $0 != $1 } : 0)
    }

    // MARK: Collecting

    private func collect(_ text: String, _ kind: PersonalKind, isName: Bool) {
        let occurrence = Occurrence(text: text, kind: kind, isName: isName)
        guard collected.insert(occurrence).inserted else { return }
        occurrences.append(occurrence)
        if isName { names.insert(text) }
    }

    /// Assigns the pseudonyms. After this call, the other methods return them.
    func assign() {
        var kinds: [String: PersonalKind] = [:]
        var originals: [String] = []
        // Strings that are the name of a user, a device or a model, even if they appeared first as something else.
        var people: Set<String> = []
        func add(_ original: String, _ kind: PersonalKind) {
            if [.user, .device, .model].contains(kind) { people.insert(original) }
            if kinds.updateValue(kinds[original] ?? kind, forKey: original) == nil { originals.append(original) }
        }
        for occurrence in occurrences {
            if occurrence.isName || names.contains(occurrence.text) {
                for part in NameParts(occurrence.text).parts where part.isPersonal { add(part.text, occurrence.kind) }
            } else {
                add(occurrence.text, occurrence.kind)
            }
        }
        for word in words where matches(word, originals, people) { add(word, .client) }
        let kept = words.filter { kinds[$0] == nil }
        var maker = PseudonymMaker(originals: originals, reserved: kept, order: order, kinds: kinds)
        for original in originals {
            let kind = kinds[original] ?? .text
            entryIndices[original] = entries.count
            entries.append(Entry(original: original, kind: kind, pseudonym: maker.make(for: original, kind)))
        }
        for word in words { assignedWords[word] = kinds[word] == nil ? word : replaced(word) }
        numbers.assign()
        isAssigned = true
    }

    /// True if a word equals an original, or contains a name. The label `phone` contains the text of a message `one`,
    /// but is not replaced for this.
    private func matches(_ word: String, _ originals: [String], _ people: Set<String>) -> Bool {
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
        entryIndices[text].map { entries[$0].pseudonym } ?? text
    }

    private func replacedName(_ text: String) -> String {
        NameParts(text).parts.map { $0.isPersonal ? replaced($0.text) : $0.text }.joined()
    }
}

/// A name split at the characters that machines interpret: the slash between user and device, and those that no key of
/// the tree may contain.
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
        // The asterisk means all conversations.
        case "/", ".", "#", "$", "[", "]", "*": true
        default: isControl(scalar)
        }
    }

    /// True for a control character. Machines refuse a name or a text that contains one.
    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
}
