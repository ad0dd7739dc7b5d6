/// Lines of one shape with numbers in an order in which a client of the profile can report its states.
struct StateLines {
    let shape: LineShape
    /// The name of the entry in the `search-table` of a format file.
    let key: String
    let pattern: String
    let lineCount: Int

    /// Finds the shape with the most such lines.
    ///
    /// - Returns: nil if no shape has such numbers.
    static func find(in bodies: [String], profile: String) -> StateLines? {
        guard let order = StateOrder(profile: profile) else { return nil }
        var groups: [(shape: LineShape, numbers: [[Int]])] = []
        var indices: [LineShape: Int] = [:]
        for body in bodies {
            let shape = LineShape(body)
            let count = shape.numberCount
            let numbers = LineShape.numbers(of: body)
            guard (1...4).contains(count), numbers.count == count else { continue }
            if let index = indices[shape] {
                groups[index].numbers.append(numbers)
            } else if groups.count < shapesMax {
                indices[shape] = groups.count
                groups.append((shape, [numbers]))
            }
        }
        var best: StateLines?
        for (shape, numbers) in groups {
            let position = (0..<shape.numberCount).first { position in
                order.fits(numbers.map { $0[position] })
            }
            guard let position, numbers.count > best?.lineCount ?? 0 else { continue }
            var names = [position: order.field]
            if let second = order.secondField, shape.numberCount == position + 2 { names[position + 1] = second }
            best = StateLines(
                shape: shape, key: order.key, pattern: shape.pattern(names), lineCount: numbers.count)
        }
        return best
    }

    private static let shapesMax = 5_000
}

/// The order in which a client of a profile reports its states by number.
private struct StateOrder {
    let key: String
    let field: String
    /// The field of the number after the state's number; nil if the callback has none.
    let secondField: String?
    /// Pairs of states that can follow each other.
    private var follows: Set<[Int]> = []
    private var values: Set<Int> = []
    /// The minimum number of different states.
    private let distinctMin: Int

    /// Nil for a profile whose states cannot be recognised by their numbers.
    init?(profile: String) {
        guard let grammar = LoginGrammar.of(profile: profile) else { return nil }
        switch profile {
        case "nim": (key, field, secondField, distinctMin) = ("callback_onLogin", "step", nil, 4)
        case "zim": (key, field, secondField, distinctMin) = ("callback_connectionStateChanged", "state", "event", 3)
        case "agora-rtm":
            (key, field, secondField, distinctMin) = ("callback_connectionStateChanged", "state", "reason", 3)
        default: return nil
        }
        func number(_ id: String) -> Int? { id.split(separator: ",").first.flatMap { Int($0) } }
        let steps = grammar.steps.filter { $0.fields.first?.name == field }
        let ended = steps.filter { $0.role != .progress }.compactMap { number($0.id) }
        for step in steps {
            guard let value = number(step.id) else { continue }
            values.insert(value)
            let before = step.predecessors.flatMap { id in
                id == LoginGrammar.login ? ended : [number(id)].compactMap { $0 }
            }
            for other in before { follows.insert([other, value]) }
        }
    }

    /// True if nearly all numbers can follow each other as states. The values of a counter or a size cannot.
    func fits(_ numbers: [Int]) -> Bool {
        let distinct = Set(numbers).count
        guard numbers.allSatisfy(values.contains), distinct >= distinctMin, numbers.count > distinct else {
            return false
        }
        var sequence = numbers
        var swapCount = 0
        // Two threads can write two lines in the wrong order.
        for index in 1..<sequence.count - 1
        where !follows.contains([sequence[index - 1], sequence[index]])
            && follows.contains([sequence[index - 1], sequence[index + 1]])
            && follows.contains([sequence[index + 1], sequence[index]])
        {
            sequence.swapAt(index, index + 1)
            swapCount += 1
        }
        let allowed = sequence.indices.dropFirst().count { follows.contains([sequence[$0 - 1], sequence[$0]]) }
        return (allowed - swapCount) * 100 >= (sequence.count - 1) * 80
    }
}
