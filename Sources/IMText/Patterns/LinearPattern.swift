/// A regular expression whose search takes linear time: all alternatives are followed in parallel, without
/// backtracking.
package struct LinearPattern: Sendable {
    private enum Instruction {
        /// One byte of a set. The number is the set's row in `table`.
        case set(Int)
        case split(Int, Int)
        case jump(Int)
        case textStart
        case textEnd
        case wordBoundary(isInverted: Bool)
        case match
    }

    private static let instructionsMax = 5_000

    private let ignoresCase: Bool
    private let isAnchored: Bool
    private var program: [Instruction] = []
    /// The rows of all byte sets: 256 flags for each set, one for each byte.
    private var table: [Bool] = []

    /// - Throws: ``PatternError`` for syntax that is not supported, such as a lookahead or a backreference.
    package init(_ pattern: String, ignoresCase: Bool = false) throws(PatternError) {
        self.ignoresCase = ignoresCase
        var parser = PatternParser(ignoresCase ? Self.folded(pattern) : pattern, ignoresCase: ignoresCase)
        let node = try parser.parse()
        isAnchored = node.isAnchored
        try emit(node)
        program.append(.match)
    }

    /// Lowercases the letters outside ASCII. `PatternParser` handles the case of ASCII letters.
    private static func folded(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 >= 128 }) else { return text }
        return text.map { $0.isASCII ? String($0) : $0.lowercased() }.joined()
    }

    /// True if the pattern matches anywhere in a text.
    package func occurs(in text: String) -> Bool {
        var text = ignoresCase ? Self.folded(text) : text
        return text.withUTF8 { search($0) }
    }

    // MARK: Compiling

    private mutating func emit(_ node: PatternNode) throws(PatternError) {
        guard program.count <= Self.instructionsMax else {
            throw PatternError(rest: "", unsupported: "repetitions that are too large")
        }
        switch node {
        case .bytes(let set): emit(set)
        case .sequence(let nodes): for node in nodes { try emit(node) }
        case .alternatives(let nodes): try emit(nodes)
        case .group(let node, _): try emit(node)
        case .repetition(let node, let min, let max, _): try emit(node, min, max)
        case .textStart: program.append(.textStart)
        case .textEnd: program.append(.textEnd)
        case .wordBoundary(let isInverted): program.append(.wordBoundary(isInverted: isInverted))
        case .lookaround: throw PatternError(rest: "", unsupported: "a lookahead or lookbehind")
        }
    }

    private mutating func emit(_ set: ByteSet) {
        guard !set.contains(0x80) || set.single != nil else {
            // If the set contains bytes outside ASCII, it matches whole characters outside ASCII, which have several
            // bytes.
            let start = program.count
            program += [.split(start + 1, start + 3), .set(row { $0 < 128 && set.contains($0) }), .jump(start + 7)]
            program += [.set(row { $0 >= 0xC0 }), .split(start + 5, start + 7), .set(row { $0 & 0xC0 == 0x80 })]
            program.append(.jump(start + 4))
            return
        }
        program.append(.set(row(set.contains)))
    }

    private mutating func row(_ contains: (UInt8) -> Bool) -> Int {
        let row = table.count / 256
        table += (0...255).map { contains(UInt8($0)) }
        return row
    }

    private mutating func emit(_ nodes: [PatternNode]) throws(PatternError) {
        var jumps: [Int] = []
        for (index, node) in nodes.enumerated() {
            guard index + 1 < nodes.count else {
                try emit(node)
                break
            }
            let split = program.count
            program.append(.match)
            try emit(node)
            jumps.append(program.count)
            program.append(.match)
            program[split] = .split(split + 1, program.count)
        }
        for jump in jumps { program[jump] = .jump(program.count) }
    }

    private mutating func emit(_ node: PatternNode, _ min: Int, _ max: Int?) throws(PatternError) {
        for _ in 0..<min { try emit(node) }
        guard let max else {
            let start = program.count
            program.append(.match)
            try emit(node)
            program.append(.jump(start))
            program[start] = .split(start + 1, program.count)
            return
        }
        var starts: [Int] = []
        for _ in min..<max {
            starts.append(program.count)
            program.append(.match)
            try emit(node)
        }
        for start in starts { program[start] = .split(start + 1, program.count) }
    }

    // MARK: Searching

    private func search(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        // `current` has the instructions to run at this byte, `next` those to run at the next byte. `reached` has the
        // last byte position at which each instruction ran.
        var current: [Int] = []
        var next: [Int] = []
        var reached = Array(repeating: -1, count: program.count)
        for position in 0...text.count {
            if !isAnchored || position == 0 { current.append(0) }
            if current.isEmpty { return false }
            while let counter = current.popLast() {
                guard reached[counter] != position else { continue }
                reached[counter] = position
                switch program[counter] {
                case .match: return true
                case .set(let row):
                    if position < text.count, table[row << 8 | Int(text[position])] { next.append(counter + 1) }
                case .split(let first, let second):
                    current.append(first)
                    current.append(second)
                case .jump(let target): current.append(target)
                case .textStart: if position == 0 { current.append(counter + 1) }
                case .textEnd: if position == text.count { current.append(counter + 1) }
                case .wordBoundary(let isInverted):
                    let before = position > 0 && ByteSet.word.contains(text[position - 1])
                    let after = position < text.count && ByteSet.word.contains(text[position])
                    if (before != after) != isInverted { current.append(counter + 1) }
                }
            }
            swap(&current, &next)
        }
        return false
    }
}
