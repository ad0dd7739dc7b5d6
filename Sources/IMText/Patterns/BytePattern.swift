/// A regular expression over bytes. The number of steps is limited, so that a match is fast for every text and pattern.
///
/// This type is several times faster than `Regex` on the lines of a log. Use an instance on one thread only.
package final class BytePattern {
    fileprivate enum Instruction {
        case byte(UInt8)
        /// One byte of a set. The number is the set's row in `table`.
        case set(Int)
        /// `min` to `max` bytes of a set: as many as possible, or as few as possible if `isLazy`.
        case loop(set: Int, min: Int, max: Int, isLazy: Bool)
        /// Two alternatives, each the index of its first instruction. The second is tried if the first does not match.
        case split(Int, Int)
        case jump(Int)
        case save(Int)
        case textStart
        case textEnd
        case wordBoundary(isInverted: Bool)
        /// A lookahead or lookbehind: the instructions before `end` must match at the position `back` bytes before the
        /// current one. If `isInverted`, they must not match there.
        case lookaround(end: Int, back: Int, isInverted: Bool)
        case match
    }

    /// An entry of the backtracking stack: an alternative that was not tried yet, or the old value of a slot.
    fileprivate struct Frame {
        enum Kind: UInt8 { case branch, restore, greedy, lazy }
        var kind: Kind
        /// The index of the instruction with which to continue, or of the slot to restore.
        var target: Int
        /// The position in the text, or the value to restore.
        var position: Int
        /// For a repetition: the position up to which it can become shorter or longer.
        var bound: Int
        var set: Int
    }

    /// A match that needs more steps is abandoned.
    fileprivate static let stepsMax = 200_000
    private static let instructionsMax = 20_000

    /// The names of the groups, in order; an empty text for a group without a name.
    package let names: [String]
    /// A run of bytes that every match contains; empty if there is no such run of three or more bytes.
    package let literal: [UInt8]
    private var program: [Instruction] = []
    /// The rows of all byte sets: 256 flags for each set, one for each byte.
    private var table: [Bool] = []
    private let firstBytes: [Bool]
    private let isAnchored: Bool
    private var slots: [Int]
    private var stack: [Frame] = []
    /// The number of matches that were abandoned because they needed more than `stepsMax` steps.
    package private(set) var abandonedCount = 0

    /// - Throws: ``PatternError`` for syntax that is not supported.
    package init(_ pattern: String) throws(PatternError) {
        var parser = PatternParser(pattern)
        let node = try parser.parse()
        names = parser.names
        slots = Array(repeating: -1, count: parser.names.count * 2)
        isAnchored = node.isAnchored
        literal = node.requiredBytes
        let first = node.canBeEmpty ? ByteSet.all : node.firstBytes
        firstBytes = (0...255).map { first.contains(UInt8($0)) }
        emit(node)
        program.append(.match)
        guard program.count <= Self.instructionsMax else {
            throw PatternError(rest: "", unsupported: "repetitions that are too large")
        }
    }

    private func row(of set: ByteSet) -> Int {
        let row = table.count / 256
        table += (0...255).map { set.contains(UInt8($0)) }
        return row
    }

    private func emit(_ node: PatternNode) {
        guard program.count <= Self.instructionsMax else { return }
        switch node {
        case .bytes(let set):
            program.append(set.single.map { .byte($0) } ?? .set(row(of: set)))
        case .sequence(let nodes): nodes.forEach(emit)
        case .alternatives(let nodes):
            var jumps: [Int] = []
            for (index, node) in nodes.enumerated() {
                guard index + 1 < nodes.count else {
                    emit(node)
                    break
                }
                let split = program.count
                program.append(.match)
                emit(node)
                jumps.append(program.count)
                program.append(.match)
                program[split] = .split(split + 1, program.count)
            }
            for jump in jumps { program[jump] = .jump(program.count) }
        case .group(let node, let index):
            program.append(.save(index * 2))
            emit(node)
            program.append(.save(index * 2 + 1))
        case .repetition(let node, let min, let max, let isLazy): emit(node, min, max, isLazy)
        case .textStart: program.append(.textStart)
        case .textEnd: program.append(.textEnd)
        case .wordBoundary(let isInverted): program.append(.wordBoundary(isInverted: isInverted))
        case .lookaround(let node, let isBehind, let isInverted):
            let start = program.count
            program.append(.match)
            emit(node)
            program.append(.match)
            let back = isBehind ? node.width ?? 0 : 0
            program[start] = .lookaround(end: program.count, back: back, isInverted: isInverted)
        }
    }

    private func emit(_ node: PatternNode, _ min: Int, _ max: Int?, _ isLazy: Bool) {
        if case .bytes(let set) = node {
            program.append(.loop(set: row(of: set), min: min, max: max ?? Int.max, isLazy: isLazy))
            return
        }
        for _ in 0..<min { emit(node) }
        func split(at index: Int, to end: Int) {
            program[index] = isLazy ? .split(end, index + 1) : .split(index + 1, end)
        }
        guard let max else {
            let start = program.count
            program.append(.match)
            emit(node)
            program.append(.jump(start))
            split(at: start, to: program.count)
            return
        }
        var starts: [Int] = []
        for _ in min..<max {
            starts.append(program.count)
            program.append(.match)
            emit(node)
            if program.count > Self.instructionsMax { break }
        }
        for start in starts { split(at: start, to: program.count) }
    }

    // MARK: Matching

    /// Searches for the first match that begins at byte `from` or later. After a match, ``range(_:)`` returns the
    /// groups.
    ///
    /// - Returns: the range of the match, in bytes; nil if there is no match.
    package func match(_ text: UnsafeBufferPointer<UInt8>, from: Int = 0) -> Range<Int>? {
        var steps = 0
        if isAnchored {
            guard from == 0, text.isEmpty || firstBytes[Int(text[0])] else { return nil }
            return run(text, 0, &steps).map { 0..<$0 }
        }
        var start = from
        while start <= text.count {
            while start < text.count, !firstBytes[Int(text[start])] { start += 1 }
            if let end = run(text, start, &steps) { return start..<end }
            if steps > Self.stepsMax { return nil }
            start += 1
        }
        return nil
    }

    /// The range of a group in the last match, in bytes; nil if the match does not contain the group.
    package func range(_ group: Int) -> Range<Int>? {
        let (start, end) = (slots[group * 2], slots[group * 2 + 1])
        return start >= 0 && end >= start ? start..<end : nil
    }

    /// Runs the pattern at one start position.
    ///
    /// - Returns: the end of the match; nil if there is no match.
    private func run(_ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ steps: inout Int) -> Int? {
        // `Run` is a local value, because an access to a property of a class takes longer than most steps.
        var run = Run(program: program, table: table, slots: slots, stack: stack, text: text)
        (slots, stack) = ([], [])
        defer { (slots, stack) = (run.slots, run.stack) }
        let end = run.begin(at: start, &steps)
        if steps > Self.stepsMax { abandonedCount += 1 }
        return end
    }
}

/// One attempt to match at one start position.
private struct Run {
    typealias Instruction = BytePattern.Instruction

    let program: [Instruction]
    let table: [Bool]
    var slots: [Int]
    var stack: [BytePattern.Frame]
    let text: UnsafeBufferPointer<UInt8>

    mutating func begin(at start: Int, _ steps: inout Int) -> Int? {
        for index in slots.indices { slots[index] = -1 }
        stack.removeAll(keepingCapacity: true)
        return end(from: start, 0, &steps)
    }

    private mutating func end(from start: Int, _ first: Int, _ steps: inout Int) -> Int? {
        let floor = stack.count
        var counter = first
        var position = start
        while true {
            steps += 1
            if steps > BytePattern.stepsMax { return nil }
            var matches = true
            switch program[counter] {
            case .byte(let byte):
                matches = position < text.count && text[position] == byte
                position += 1
                counter += 1
            case .set(let row):
                matches = position < text.count && table[row << 8 | Int(text[position])]
                position += 1
                counter += 1
            case .loop(let set, let min, let max, let isLazy):
                counter += 1
                let end = loop(set, min, max, isLazy, position, counter)
                matches = end != nil
                steps += ((end ?? position) - position) >> 4
                position = end ?? position
            case .split(let first, let second):
                push(.branch, second, position)
                counter = first
            case .jump(let target): counter = target
            case .save(let slot):
                push(.restore, slot, slots[slot])
                slots[slot] = position
                counter += 1
            case .textStart:
                matches = position == 0
                counter += 1
            case .textEnd:
                matches = position == text.count
                counter += 1
            case .wordBoundary(let isInverted):
                let before = position > 0 && ByteSet.word.contains(text[position - 1])
                let after = position < text.count && ByteSet.word.contains(text[position])
                matches = (before != after) != isInverted
                counter += 1
            case .lookaround(let end, let back, let isInverted):
                matches = lookaround(counter + 1, position - back, &steps) != isInverted
                counter = end
            case .match: return position
            }
            if !matches, !backtrack(to: floor, &counter, &position, &steps) { return nil }
        }
    }

    /// True if the instructions of a lookahead or lookbehind match at a position. Groups that they match are stored.
    private mutating func lookaround(_ first: Int, _ position: Int, _ steps: inout Int) -> Bool {
        guard position >= 0 else { return false }
        let floor = stack.count
        guard end(from: position, first, &steps) != nil else { return false }
        let restores = stack[floor...].filter { $0.kind == .restore }
        stack.removeSubrange(floor...)
        stack += restores
        return true
    }

    /// - Returns: the end of the repetition that is tried first; nil if fewer than `min` bytes of the set follow.
    private mutating func loop(
        _ set: Int, _ min: Int, _ max: Int, _ isLazy: Bool, _ position: Int, _ next: Int
    ) -> Int? {
        let limit = max > text.count - position ? text.count : position + max
        var end = position
        let target = isLazy ? Swift.min(position + min, limit) : limit
        while end < target, table[set << 8 | Int(text[end])] { end += 1 }
        guard end - position >= min else { return nil }
        if isLazy, end < limit {
            push(.lazy, next, end, limit, set)
        } else if !isLazy, end > position + min {
            push(.greedy, next, end, position + min, set)
        }
        return end
    }

    private mutating func push(
        _ kind: BytePattern.Frame.Kind, _ target: Int, _ position: Int, _ bound: Int = 0, _ set: Int = 0
    ) {
        stack.append(.init(kind: kind, target: target, position: position, bound: bound, set: set))
    }

    /// Backtracks: continues with the last alternative that was not tried yet; false if there is none.
    private mutating func backtrack(
        to floor: Int, _ counter: inout Int, _ position: inout Int, _ steps: inout Int
    ) -> Bool {
        while stack.count > floor, var frame = stack.popLast() {
            if frame.kind == .restore {
                slots[frame.target] = frame.position
                continue
            }
            // If the next instruction requires one certain byte, positions with other bytes are skipped.
            var needed: UInt8?
            if case .byte(let byte) = program[frame.target] { needed = byte }
            let before = frame.position
            if frame.kind == .greedy {
                frame.position -= 1
                while frame.position > frame.bound, let needed, text[frame.position] != needed { frame.position -= 1 }
                if frame.position > frame.bound { stack.append(frame) }
            } else if frame.kind == .lazy {
                var isInSet = true
                repeat {
                    isInSet = table[frame.set << 8 | Int(text[frame.position])]
                    frame.position += 1
                } while isInSet && frame.position < frame.bound && needed.map { text[frame.position] != $0 } ?? false
                guard isInSet else { continue }
                if frame.position < frame.bound { stack.append(frame) }
            }
            steps += abs(frame.position - before) >> 4
            (counter, position) = (frame.target, frame.position)
            return true
        }
        return false
    }
}
