import IMSession
import IMTree

/// The order of pseudonyms. Machines sort events of the same nanosecond by name, so that in a few recordings the order
/// of names decides what happens.
enum PseudonymOrder: Sendable {
    /// Readable pseudonyms, counted in the order of first appearance.
    case free
    /// Pseudonyms of users and devices, and of keys and values of the tree, sort like their originals.
    case kept
}

/// Makes unique ASCII pseudonyms with as many bytes as the originals. No pseudonym equals or contains an original.
struct PseudonymMaker {
    private let originals: Set<String>
    /// The lengths in bytes of the originals that a pseudonym could contain.
    private let lengths: [Int]
    private let filler: Character
    private var used: Set<String>
    /// The last used number of each stem.
    private var numbers: [String: Int] = [:]
    /// For each length, the number of names without a stem that were tried.
    private var tries: [Int: Int] = [:]
    /// For ``PseudonymOrder/kept``: for each original, a prefix of its pseudonym that gives the order.
    private var orderPrefixes: [String: String] = [:]

    /// The number of names with a stem that are tried. Then names without a stem are tried.
    private static let attemptsMax = 50
    private static let lengthToSearchMin = 3
    /// The maximum length of an original that is searched inside pseudonyms. Only the first bytes of a pseudonym
    /// differ. The rest is the filler, which no original contains.
    private static let lengthToSearchMax = 24

    /// - Parameter reserved: strings that are kept in the recording, so that no pseudonym may equal them.
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
            // In the tree, keys that are numbers sort before other keys. Names of users and devices sort as texts. Both
            // orders are possible together only if no name is a number.
            let hasNumbers = named.contains { TreeKey($0).isNumber }
            orderPrefixes = Self.orderPrefixes(all.sorted { hasNumbers ? $0 < $1 : TreeKey($0) < TreeKey($1) })
            if orderPrefixes.isEmpty { orderPrefixes = Self.orderPrefixes(named.sorted()) }
        }
    }

    mutating func make(for original: String, _ kind: PersonalKind) -> String {
        let length = original.utf8.count
        // Machines refuse a string with control characters. Its pseudonym contains them too, so that it is also
        // refused.
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
            orderedName(length: length, original, kind) ?? numberedName(length: length, kind.rawValue)
            ?? enumeratedName(length: length, for: original)
        used.insert(pseudonym)
        return pseudonym
    }

    // MARK: Readable

    /// A pseudonym such as `user1xxx`; nil if the length has no room for a number, or after too many tries.
    private mutating func numberedName(length: Int, _ stem: String) -> String? {
        for _ in 0..<Self.attemptsMax {
            let number = String(numbers[stem, default: 0] + 1)
            guard length > number.utf8.count else { return nil }
            let candidate = padded(stem.prefix(length - number.utf8.count) + number, to: length)
            numbers[stem, default: 0] += 1
            if isFree(candidate) { return candidate }
        }
        return nil
    }

    private func padded(_ text: some StringProtocol, to length: Int) -> String {
        String(text) + String(repeating: filler, count: max(0, length - text.utf8.count))
    }

    // MARK: Short or numerous names

    private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ")
    private static let signs = Array("-_@!%&'()*+,:;<=>?^`{|}~ \"\\")

    /// Tries all strings of a length, one after the other. If every string of that length is an original, the pseudonym
    /// of one original is another original. Different originals still have different pseudonyms.
    private mutating func enumeratedName(length: Int, for original: String) -> String {
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

    /// The string with a given number in the sequence of all strings of a length; nil after the last one.
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
        !used.contains(candidate) && !originals.contains(candidate) && !containsOriginal(candidate)
    }

    private func containsOriginal(_ candidate: String) -> Bool {
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

    /// For each name a prefix, in the order of the names; empty if a name is shorter than the prefixes.
    private static func orderPrefixes(_ sorted: [String]) -> [String: String] {
        var width = 1
        var room = inOrder.count
        while room < sorted.count {
            width += 1
            room *= inOrder.count
        }
        guard sorted.allSatisfy({ $0.utf8.count >= width }) else { return [:] }
        var prefixes: [String: String] = [:]
        for (rank, name) in sorted.enumerated() {
            let head = word(rank, length: width, of: inOrder) ?? ""
            prefixes[name] = String(head.reversed())
        }
        return prefixes
    }

    private func orderedName(length: Int, _ original: String, _ kind: PersonalKind) -> String? {
        guard let orderPrefix = orderPrefixes[original], length >= orderPrefix.utf8.count else { return nil }
        let rest = length - orderPrefix.utf8.count
        let stems = [kind.rawValue, "", "w", "q", "j", "k", "v", "y", "z"]
        return stems.lazy.map { self.padded(orderPrefix + $0.prefix(rest), to: length) }
            .first { !self.used.contains($0) && !self.originals.contains($0) }
    }
}
