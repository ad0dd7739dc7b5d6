import IMSession
import IMTree

/// Whether the order of names matters to the machines of a recording. They sort by name what falls due in the same
/// nanosecond.
enum PseudonymOrder: Sendable {
    /// Readable pseudonyms, counted in the order of first appearance.
    case free
    /// Those of users and devices, and of keys and values of the tree, sort as their originals do.
    case kept
}

/// Makes pseudonyms: ASCII, as many bytes as the original, each only once, none of them an original and none that holds
/// one.
struct PseudonymMaker {
    private let originals: Set<String>
    /// The lengths of originals that could be inside of a pseudonym, in bytes.
    private let lengths: [Int]
    private let filler: Character
    private var used: Set<String>
    /// The last number given, for each stem.
    private var numbers: [String: Int] = [:]
    /// How many names without a stem have been tried, for each length.
    private var tries: [Int: Int] = [:]
    /// For ``PseudonymOrder/kept``: the beginnings of the pseudonyms.
    private var heads: [String: String] = [:]

    /// A stem is tried so many times before a name without one is taken.
    private static let attemptsMax = 50
    private static let lengthToSearchMin = 3
    /// What is filled up is longer than this only by the filler.
    private static let lengthToSearchMax = 24

    /// - Parameter reserved: what stays in the recording as it is.
    init(
        originals: [String], reserved: [String], order: PseudonymOrder = .free, kinds: [String: PersonalKind] = [:]
    ) {
        self.originals = Set(originals)
        used = Set(reserved)
        lengths = Set(originals.map(\.utf8.count)).sorted()
            .filter { (Self.lengthToSearchMin...Self.lengthToSearchMax).contains($0) }
        filler =
            "xzqjwvkyubdfghlmnoprstaeic".first { letter in
                !originals.contains { $0.contains(String(repeating: letter, count: Self.lengthToSearchMin)) }
            } ?? "x"
        if order == .kept {
            let named = originals.filter { kinds[$0] == .user || kinds[$0] == .device }
            let all = originals.filter { kinds[$0] == .key || kinds[$0] == .text } + named
            // What of the tree comes first is a number, where no name is one.
            let hasNumbers = named.contains { TreeKey($0).isNumber }
            heads = Self.heads(all.sorted { hasNumbers ? $0 < $1 : TreeKey($0) < TreeKey($1) })
            if heads.isEmpty { heads = Self.heads(named.sorted()) }
        }
    }

    mutating func make(for original: String, _ kind: PersonalKind) -> String {
        let length = original.utf8.count
        // What machines refuse in the original they have to refuse in the pseudonym.
        let controls = original.unicodeScalars.filter(NameParts.isControl)
        if !controls.isEmpty {
            let rest = length - String(String.UnicodeScalarView(controls)).utf8.count
            guard rest > 0 else { return original }
            return String(String.UnicodeScalarView(controls)) + make(length: rest, original, kind)
        }
        return make(length: length, original, kind)
    }

    private mutating func make(length: Int, _ original: String, _ kind: PersonalKind) -> String {
        let pseudonym =
            ordered(length: length, original, kind) ?? numbered(length: length, kind.stem)
            ?? counted(length: length, for: original)
        used.insert(pseudonym)
        return pseudonym
    }

    // MARK: Readable

    /// `user1xxx`; nil where there is no room for stem and number.
    private mutating func numbered(length: Int, _ stem: String) -> String? {
        for _ in 0..<Self.attemptsMax {
            let number = String(numbers[stem, default: 0] + 1)
            guard length > number.utf8.count else { return nil }
            let candidate = filled(stem.prefix(length - number.utf8.count) + number, to: length)
            numbers[stem, default: 0] += 1
            if isFree(candidate) { return candidate }
        }
        return nil
    }

    private func filled(_ text: some StringProtocol, to length: Int) -> String {
        String(text) + String(repeating: filler, count: max(0, length - text.utf8.count))
    }

    // MARK: Short, or many

    private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    private static let signs = Array("-_@!%&'()*+,:;<=>?^`{|}~ \"\\")

    /// One after the other. Where every string of the length is an original, pseudonyms are originals of others: they
    /// still tell one from the other.
    private mutating func counted(length: Int, for original: String) -> String {
        while let candidate = next(length, of: Self.letters) {
            if isFree(candidate) { return candidate }
        }
        let all = Self.letters + Self.signs
        var place = 0
        while let candidate = Self.word(place, length: length, of: all) {
            if !used.contains(candidate), candidate != original { return candidate }
            place += 1
        }
        return original
    }

    private mutating func next(_ length: Int, of letters: [Character]) -> String? {
        let place = tries[length, default: 0]
        tries[length] = place + 1
        return Self.word(place, length: length, of: letters)
    }

    /// The word of that number; nil behind the last one.
    private static func word(_ number: Int, length: Int, of letters: [Character]) -> String? {
        var rest = number
        var word = ""
        for _ in 0..<length {
            word.append(letters[rest % letters.count])
            rest /= letters.count
        }
        return rest == 0 ? word : nil
    }

    private func isFree(_ candidate: String) -> Bool {
        !used.contains(candidate) && !originals.contains(candidate) && !holdsOriginal(candidate)
    }

    private func holdsOriginal(_ candidate: String) -> Bool {
        let bytes = Array(candidate.utf8.prefix(2 * Self.lengthToSearchMax))
        for length in lengths where length <= bytes.count {
            for start in 0...(bytes.count - length)
            where originals.contains(String(decoding: bytes[start..<start + length], as: UTF8.self)) {
                return true
            }
        }
        return false
    }

    // MARK: In the originals' order

    private static let inOrder = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    /// Beginnings that sort as the names do; empty where there are more names than the shortest of them can tell apart.
    private static func heads(_ sorted: [String]) -> [String: String] {
        var width = 1
        var room = inOrder.count
        while room < sorted.count {
            width += 1
            room *= inOrder.count
        }
        guard sorted.allSatisfy({ $0.utf8.count >= width }) else { return [:] }
        var heads: [String: String] = [:]
        for (rank, name) in sorted.enumerated() {
            let head = word(rank, length: width, of: inOrder) ?? ""
            heads[name] = String(head.reversed())
        }
        return heads
    }

    private func ordered(length: Int, _ original: String, _ kind: PersonalKind) -> String? {
        guard let head = heads[original], length >= head.utf8.count else { return nil }
        let rest = length - head.utf8.count
        let stems = [kind.stem, "", "w", "q", "j", "k", "v", "y", "z"]
        return stems.lazy.map { self.filled(head + $0.prefix(rest), to: length) }
            .first { !self.used.contains($0) && !self.originals.contains($0) }
    }
}

extension PersonalKind {
    /// What its pseudonyms begin with, as far as there is room.
    fileprivate var stem: String { rawValue }
}
