import IMSession
import IMTree

/// How a recording's machines depend on the order of names. They sort events that are due in the same nanosecond by
/// name.
enum PseudonymOrder: Sendable {
    /// Readable pseudonyms, counted in the order of first appearance.
    case free
    /// Pseudonyms of users and devices, and of keys and values of the tree, sort like their originals.
    case kept
}

/// Makes unique ASCII pseudonyms with as many bytes as the originals. None of them is or contains an original.
struct PseudonymMaker {
    private let originals: Set<String>
    /// The lengths of the originals that a pseudonym could contain, in bytes.
    private let lengths: [Int]
    private let filler: Character
    private var used: Set<String>
    /// The last used number, for each stem.
    private var numbers: [String: Int] = [:]
    /// The number of tried names without a stem, for each length.
    private var tries: [Int: Int] = [:]
    /// For ``PseudonymOrder/kept``: the prefixes of the pseudonyms.
    private var heads: [String: String] = [:]

    /// The number of tries with a stem before a name without one is used.
    private static let attemptsMax = 50
    private static let lengthToSearchMin = 3
    /// In a longer padded name, only the filler is longer.
    private static let lengthToSearchMax = 24

    /// - Parameter reserved: strings that stay in the recording.
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
            // Keys of the tree sort numbers first. This order is possible only if no name is a number.
            let hasNumbers = named.contains { TreeKey($0).isNumber }
            heads = Self.heads(all.sorted { hasNumbers ? $0 < $1 : TreeKey($0) < TreeKey($1) })
            if heads.isEmpty { heads = Self.heads(named.sorted()) }
        }
    }

    mutating func make(for original: String, _ kind: PersonalKind) -> String {
        let length = original.utf8.count
        // A string that machines refuse in the original must be refused in the pseudonym, too.
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

    /// `user1xxx`; nil if stem and number do not fit.
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

    // MARK: Short or numerous names

    private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    private static let signs = Array("-_@!%&'()*+,:;<=>?^`{|}~ \"\\")

    /// Counts through all strings. If every string of a length is an original, pseudonyms are originals of other
    /// strings, and still distinguish them.
    private mutating func counted(length: Int, for original: String) -> String {
        while let candidate = next(length, of: Self.letters) {
            if isFree(candidate) { return candidate }
        }
        let all = Self.letters + Self.signs
        var counter = 0
        while let candidate = Self.word(counter, length: length, of: all) {
            if !used.contains(candidate), candidate != original { return candidate }
            counter += 1
        }
        return original
    }

    private mutating func next(_ length: Int, of letters: [Character]) -> String? {
        let counter = tries[length, default: 0]
        tries[length] = counter + 1
        return Self.word(counter, length: length, of: letters)
    }

    /// The string with that number; nil after the last one.
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

    /// Prefixes that sort like the names; empty if there are more names than the shortest prefix can distinguish.
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
    /// The prefix of its pseudonyms, if it fits.
    fileprivate var stem: String { rawValue }
}
