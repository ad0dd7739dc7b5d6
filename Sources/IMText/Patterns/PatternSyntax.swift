/// A node of a parsed regular expression.
indirect enum PatternNode {
    case bytes(ByteSet)
    /// A lookahead or a lookbehind.
    case lookaround(PatternNode, isBehind: Bool, isInverted: Bool)
    case sequence([PatternNode])
    case alternatives([PatternNode])
    case group(PatternNode, index: Int)
    case repetition(PatternNode, min: Int, max: Int?, isLazy: Bool)
    case textStart
    case textEnd
    case wordBoundary(isInverted: Bool)

    var canBeEmpty: Bool {
        switch self {
        case .bytes: false
        case .sequence(let nodes): nodes.allSatisfy(\.canBeEmpty)
        case .alternatives(let nodes): nodes.contains(where: \.canBeEmpty)
        case .group(let node, _): node.canBeEmpty
        case .repetition(let node, let min, _, _): min == 0 || node.canBeEmpty
        case .textStart, .textEnd, .wordBoundary, .lookaround: true
        }
    }

    /// The number of bytes that this node matches; nil if the number varies.
    var width: Int? {
        switch self {
        case .bytes: return 1
        case .sequence(let nodes):
            return nodes.reduce(0) { sum, node in sum.flatMap { sum in node.width.map { sum + $0 } } }
        case .alternatives(let nodes):
            let widths = nodes.map(\.width)
            return widths.allSatisfy { $0 == widths.first } ? widths.first ?? nil : nil
        case .group(let node, _): return node.width
        case .repetition(let node, let min, let max, _):
            // The limit avoids an overflow of the product, because repetitions may be nested.
            return min == max ? node.width.flatMap { $0 > 4096 ? nil : $0 * min } : nil
        case .textStart, .textEnd, .wordBoundary, .lookaround: return 0
        }
    }

    /// The bytes with which a match can begin; all bytes if the match can be empty.
    var firstBytes: ByteSet {
        switch self {
        case .bytes(let set): return set
        case .sequence(let nodes):
            var set = ByteSet()
            for node in nodes {
                switch node {
                case .textStart, .textEnd, .wordBoundary, .lookaround: continue
                default: break
                }
                set.formUnion(node.firstBytes)
                if !node.canBeEmpty { return set }
            }
            return .all
        case .alternatives(let nodes):
            return nodes.reduce(into: ByteSet()) { $0.formUnion($1.firstBytes) }
        case .group(let node, _): return node.firstBytes
        case .repetition(let node, _, _, _): return node.firstBytes
        case .textStart, .textEnd, .wordBoundary, .lookaround: return .all
        }
    }

    /// The longest run of certain bytes that every match contains; empty if it is shorter than three bytes.
    var requiredBytes: [UInt8] {
        var (best, run): ([UInt8], [UInt8]) = ([], [])
        collect(&best, &run)
        Self.end(&best, &run)
        return best.count >= 3 ? best : []
    }

    private static func end(_ best: inout [UInt8], _ run: inout [UInt8]) {
        if run.count > best.count { best = run }
        run = []
    }

    private func collect(_ best: inout [UInt8], _ run: inout [UInt8]) {
        switch self {
        case .bytes(let set):
            if let byte = set.single { run.append(byte) } else { Self.end(&best, &run) }
        case .sequence(let nodes): for node in nodes { node.collect(&best, &run) }
        case .group(let node, _): node.collect(&best, &run)
        case .alternatives: Self.end(&best, &run)
        case .repetition(let node, let min, _, _):
            Self.end(&best, &run)
            if min > 0 {
                node.collect(&best, &run)
                Self.end(&best, &run)
            }
        case .textStart, .textEnd, .wordBoundary, .lookaround: break
        }
    }

    /// True if the node can only match at the start of a text.
    var isAnchored: Bool {
        switch self {
        case .textStart: true
        case .sequence(let nodes): nodes.first?.isAnchored ?? false
        case .alternatives(let nodes): nodes.allSatisfy(\.isAnchored)
        case .group(let node, _): node.isAnchored
        case .bytes, .repetition, .textEnd, .wordBoundary, .lookaround: false
        }
    }
}

/// Parses the PCRE syntax that format files use. Other syntax, such as a backreference, is rejected.
struct PatternParser {
    struct Unsupported: Error {}

    /// Patterns with deeper groups are rejected: the parser is recursive and could overflow the stack.
    private static let depthMax = 100

    private let text: [UInt8]
    private var position = 0
    private var foldsCase: Bool
    private var depth = 0
    /// The names of the groups, in order; an empty text for a group without a name.
    private(set) var names: [String] = []

    init(_ pattern: String, ignoresCase: Bool = false) {
        text = Array(pattern.utf8)
        foldsCase = ignoresCase
    }

    mutating func parse() throws(PatternError) -> PatternNode {
        do {
            let node = try alternatives()
            guard position == text.count else { throw Unsupported() }
            return node
        } catch {
            throw PatternError(rest: String(decoding: text[errorStart...].prefix(20), as: UTF8.self))
        }
    }

    /// The index at which the unsupported syntax begins. When the parser rejects an escape, `position` is already after
    /// it.
    private var errorStart: Int {
        guard position > 1, !"dDwWsStnrbB".utf8.contains(text[position - 1]) else { return position }
        let slashes = text[..<(position - 1)].reversed().prefix { $0 == UInt8(ascii: "\\") }
        return slashes.count % 2 == 1 ? position - 2 : position
    }

    private var next: UInt8? { position < text.count ? text[position] : nil }

    private mutating func take(_ word: StaticString) -> Bool {
        let bytes = UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount)
        guard text[position...].starts(with: bytes) else { return false }
        position += bytes.count
        return true
    }

    private mutating func alternatives() throws(Unsupported) -> PatternNode {
        let outer = foldsCase
        defer { foldsCase = outer }
        var nodes = [try sequence()]
        while take("|") { nodes.append(try sequence()) }
        return nodes.count == 1 ? nodes[0] : .alternatives(nodes)
    }

    private mutating func sequence() throws(Unsupported) -> PatternNode {
        var nodes: [PatternNode] = []
        while let byte = next, byte != UInt8(ascii: "|"), byte != UInt8(ascii: ")") {
            if take("(?i)") {
                foldsCase = true
                continue
            }
            if take("(?-i)") {
                foldsCase = false
                continue
            }
            nodes.append(try quantified(try atom()))
        }
        return nodes.count == 1 ? nodes[0] : .sequence(nodes)
    }

    private mutating func quantified(_ node: PatternNode) throws(Unsupported) -> PatternNode {
        var (min, max): (Int, Int?) = (0, nil)
        if take("*") {
            (min, max) = (0, nil)
        } else if take("+") {
            (min, max) = (1, nil)
        } else if take("?") {
            (min, max) = (0, 1)
        } else if take("{") {
            guard let low = number() else { throw Unsupported() }
            (min, max) = (low, low)
            if take(",") { max = number() }
            guard take("}"), max.map({ $0 >= min }) ?? true, min <= 1000, max ?? 0 <= 1000 else { throw Unsupported() }
        } else {
            return node
        }
        let isLazy = take("?")
        if let byte = next, "+*{".utf8.contains(byte) { throw Unsupported() }
        // Repeating an empty match without an upper limit would never end.
        if max == nil, node.canBeEmpty { throw Unsupported() }
        return .repetition(node, min: min, max: max, isLazy: isLazy)
    }

    private mutating func number() -> Int? {
        let start = position
        var value = 0
        while let byte = next, byte >= 48, byte <= 57, value < 100_000 {
            value = value * 10 + Int(byte - 48)
            position += 1
        }
        return position == start ? nil : value
    }

    private mutating func atom() throws(Unsupported) -> PatternNode {
        guard let byte = next else { throw Unsupported() }
        switch byte {
        case UInt8(ascii: "("): return try group()
        case UInt8(ascii: "["):
            position += 1
            return try characterClass()
        case UInt8(ascii: "."):
            position += 1
            return .bytes(.all)
        case UInt8(ascii: "^"):
            position += 1
            return .textStart
        case UInt8(ascii: "$"):
            position += 1
            return .textEnd
        case UInt8(ascii: "\\"):
            if take("\\b") { return .wordBoundary(isInverted: false) }
            if take("\\B") { return .wordBoundary(isInverted: true) }
            position += 1
            return .bytes(try escaped())
        case UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "?"): throw Unsupported()
        default:
            position += 1
            return .bytes(literal(byte))
        }
    }

    private func literal(_ byte: UInt8) -> ByteSet {
        var set = ByteSet(byte...byte)
        if foldsCase { set.foldCase() }
        return set
    }

    private mutating func group() throws(Unsupported) -> PatternNode {
        var index: Int?
        let outer = foldsCase
        depth += 1
        guard depth <= Self.depthMax else { throw Unsupported() }
        defer { depth -= 1 }
        if let node = try lookaround() { return node }
        if take("(?:") {
        } else if take("(?i:") {
            foldsCase = true
        } else if take("(?-i:") {
            foldsCase = false
        } else if take("(?<") || take("(?P<") {
            let start = position
            while let byte = next, byte != UInt8(ascii: ">") {
                guard ByteSet.word.contains(byte) else { throw Unsupported() }
                position += 1
            }
            index = names.count
            names.append(String(decoding: text[start..<position], as: UTF8.self))
            guard take(">") else { throw Unsupported() }
        } else {
            position += 1
            if next == UInt8(ascii: "?") {
                position -= 1
                throw Unsupported()
            }
            index = names.count
            names.append("")
        }
        let node = try alternatives()
        guard take(")") else { throw Unsupported() }
        foldsCase = outer
        return index.map { .group(node, index: $0) } ?? node
    }

    private static let lookarounds: [(start: StaticString, isBehind: Bool, isInverted: Bool)] = [
        ("(?=", false, false), ("(?!", false, true), ("(?<=", true, false), ("(?<!", true, true),
    ]

    private mutating func lookaround() throws(Unsupported) -> PatternNode? {
        let start = position
        guard let (_, isBehind, isInverted) = Self.lookarounds.first(where: { take($0.start) }) else { return nil }
        let node = try alternatives()
        guard take(")"), !isBehind || node.width != nil else {
            position = start
            throw Unsupported()
        }
        return .lookaround(node, isBehind: isBehind, isInverted: isInverted)
    }

    /// Reads an escape, after its backslash.
    private mutating func escaped() throws(Unsupported) -> ByteSet {
        guard let byte = next else { throw Unsupported() }
        position += 1
        switch byte {
        case UInt8(ascii: "d"): return .digit
        case UInt8(ascii: "D"): return ByteSet.digit.inverted
        case UInt8(ascii: "w"): return .word
        case UInt8(ascii: "W"): return ByteSet.word.inverted
        case UInt8(ascii: "s"): return .space
        case UInt8(ascii: "S"): return ByteSet.space.inverted
        case UInt8(ascii: "t"): return ByteSet(9...9)
        case UInt8(ascii: "n"): return ByteSet(10...10)
        case UInt8(ascii: "r"): return ByteSet(13...13)
        default:
            guard byte < 128, !ByteSet.word.contains(byte) else { throw Unsupported() }
            return ByteSet(byte...byte)
        }
    }

    /// Reads a character class, after its `[`.
    private mutating func characterClass() throws(Unsupported) -> PatternNode {
        let isInverted = take("^")
        var set = ByteSet()
        // Characters outside ASCII have several bytes, so each is a sequence instead of a member of `set`.
        var letters: [PatternNode] = []
        var isFirst = true
        while let byte = next, byte != UInt8(ascii: "]") || isFirst {
            isFirst = false
            position += 1
            if byte >= 128, !isInverted {
                letters.append(.sequence([.bytes(ByteSet(byte...byte))] + trailingBytes()))
                guard next != UInt8(ascii: "-") else { throw Unsupported() }
                continue
            }
            guard byte < 128, byte != UInt8(ascii: "[") || next != UInt8(ascii: ":") else { throw Unsupported() }
            var low = byte
            if byte == UInt8(ascii: "\\") {
                let part = try escaped()
                guard let single = part.single else {
                    set.formUnion(part)
                    continue
                }
                low = single
            }
            guard next == UInt8(ascii: "-"), position + 1 < text.count, text[position + 1] != UInt8(ascii: "]") else {
                set.insert(low...low)
                continue
            }
            position += 1
            guard var high = next, high < 128 else { throw Unsupported() }
            position += 1
            if high == UInt8(ascii: "\\") {
                guard let single = try escaped().single else { throw Unsupported() }
                high = single
            }
            guard low <= high else { throw Unsupported() }
            set.insert(low...high)
        }
        guard take("]") else { throw Unsupported() }
        if foldsCase { set.foldCase() }
        if !letters.isEmpty { return .alternatives([.bytes(set)] + letters) }
        return .bytes(isInverted ? set.inverted : set)
    }

    /// Reads the remaining bytes of a character outside ASCII.
    private mutating func trailingBytes() -> [PatternNode] {
        var nodes: [PatternNode] = []
        while let byte = next, byte & 0xC0 == 0x80 {
            nodes.append(.bytes(ByteSet(byte...byte)))
            position += 1
        }
        return nodes
    }
}
