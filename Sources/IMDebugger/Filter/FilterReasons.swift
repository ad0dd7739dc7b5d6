import IMText

// Why a filter does not hold for an event, for those who expected it to.

extension FilterCondition {
    /// What keeps the condition from holding, in words; empty when it holds.
    ///
    /// - Parameter values: what the event says, for each name that the condition asks about.
    package func reasons(against values: [FilterName: [String]]) -> [String] {
        var reasons: [String] = []
        for reason in allReasons(values) where !reasons.contains(reason) { reasons.append(reason) }
        return reasons
    }

    /// How many of the comparisons hold: of alternatives, those of the best. What an event is counts for more than
    /// what it says.
    package func likeness(to values: [FilterName: [String]]) -> Int {
        switch self {
        case .test(let comparison): holds(for: values) ? comparison.name.likeness : 0
        case .not: holds(for: values) ? 1 : 0
        case .all(let conditions): conditions.reduce(0) { $0 + $1.likeness(to: values) }
        case .any(let conditions): conditions.map { $0.likeness(to: values) }.max() ?? 0
        }
    }

    /// How many comparisons hold: of alternatives, those of the best one.
    package func matchCount(in values: [FilterName: [String]]) -> Int {
        switch self {
        case .test, .not: holds(for: values) ? 1 : 0
        case .all(let conditions): conditions.reduce(0) { $0 + $1.matchCount(in: values) }
        case .any(let conditions): conditions.map { $0.matchCount(in: values) }.max() ?? 0
        }
    }

    /// What was expected and what an event has instead, for each comparison that does not hold: `expected to == kicked,
    /// got online`. Of alternatives, those of the best one.
    package func shortfalls(in values: [FilterName: [String]]) -> [String] {
        guard !holds(for: values) else { return [] }
        switch self {
        case .test(let comparison):
            let found = values[comparison.name] ?? []
            let got = found.isEmpty ? "no field '\(comparison.name.text)'" : found.joined(separator: ", ")
            return ["expected \(comparison.text), got \(got)"]
        case .not: return reasons(against: values).map { "expected not: \($0)" }
        case .all(let conditions): return conditions.flatMap { $0.shortfalls(in: values) }
        case .any(let conditions):
            let best = conditions.max { $0.matchCount(in: values) < $1.matchCount(in: values) }
            return best?.shortfalls(in: values) ?? []
        }
    }

    /// The values that the comparisons of a field name as the wanted ones.
    package func wantedValues(where isWanted: (FilterName) -> Bool) -> [String] {
        switch self {
        case .test(let comparison):
            guard isWanted(comparison.name), case .compare(let order, let operands) = comparison.test,
                order == .equal || order == .isIn
            else { return [] }
            return operands.map(\.text)
        case .not: return []
        case .all(let conditions), .any(let conditions): return conditions.flatMap { $0.wantedValues(where: isWanted) }
        }
    }

    /// Whether it can hold for an event of a node, as far as the node's name decides.
    package func mayHold(forNode name: String) -> Bool {
        verdict { comparison in
            guard comparison.name == .node else { return .maybe }
            return comparison.holds(for: [name]) ? .yes : .no
        } != .no
    }

    private func holds(for values: [FilterName: [String]]) -> Bool {
        verdict { $0.holds(for: values[$0.name] ?? []) ? .yes : .no } == .yes
    }

    private func allReasons(_ values: [FilterName: [String]]) -> [String] {
        guard !holds(for: values) else { return [] }
        switch self {
        case .test(let comparison): return [Self.stand(of: comparison.name, values)]
        case .not(let condition): return condition.names.map { Self.stand(of: $0, values) }
        case .all(let conditions), .any(let conditions): return conditions.flatMap { $0.allReasons(values) }
        }
    }

    private static func stand(of name: FilterName, _ values: [FilterName: [String]]) -> String {
        guard let found = values[name], !found.isEmpty else { return "has no field '\(name.text)'" }
        return "\(name.text) is \(found.joined(separator: ", "))"
    }
}

extension FilterComparison {
    /// As it is written in a filter.
    fileprivate var text: String {
        switch test {
        case .present: name.text
        case .pattern(let pattern): "\(name.text) =~ \"\(pattern.source)\""
        case .compare(.isIn, let operands):
            "\(name.text) in {\(operands.map(\.text.quotedIfNeeded).joined(separator: ", "))}"
        case .compare(let order, let operands):
            "\(name.text) \(order.rawValue) \(operands.map(\.text.quotedIfNeeded).joined(separator: ", "))"
        }
    }
}

extension FilterName {
    /// What it counts for when a comparison of it holds.
    fileprivate var likeness: Int {
        switch self {
        case .kind, .any("callback"), .any("type"), .any("result"), .any("command"): 4
        case .number, .time, .node, .direction, .role, .channel, .connection, .cause, .inState, .session, .any, .fact,
            .callbackField:
            1
        }
    }
}
