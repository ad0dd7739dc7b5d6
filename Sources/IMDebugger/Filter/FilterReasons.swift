import IMText

// Why a filter does not match an event.

extension FilterCondition {
    /// Why the condition does not hold, as text; empty if it holds.
    ///
    /// - Parameter values: the event's values of each field that the condition uses.
    package func reasons(against values: [FilterName: [String]]) -> [String] {
        var reasons: [String] = []
        for reason in allReasons(values) where !reasons.contains(reason) { reasons.append(reason) }
        return reasons
    }

    /// A score of the comparisons that hold; the best score of alternatives. The kind of an event counts more than its
    /// contents.
    package func likeness(to values: [FilterName: [String]]) -> Int {
        switch self {
        case .test(let comparison): holds(for: values) ? comparison.name.likeness : 0
        case .not: holds(for: values) ? 1 : 0
        case .all(let conditions): conditions.reduce(0) { $0 + $1.likeness(to: values) }
        case .any(let conditions): conditions.map { $0.likeness(to: values) }.max() ?? 0
        }
    }

    /// The number of comparisons that hold; for alternatives, of the best one.
    package func matchCount(in values: [FilterName: [String]]) -> Int {
        switch self {
        case .test, .not: holds(for: values) ? 1 : 0
        case .all(let conditions): conditions.reduce(0) { $0 + $1.matchCount(in: values) }
        case .any(let conditions): conditions.map { $0.matchCount(in: values) }.max() ?? 0
        }
    }

    /// For each comparison that does not hold, the expected and the actual value: `expected to == kicked, got online`.
    /// For alternatives, the comparisons of the best one.
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

    /// The values that the comparisons of a field require.
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

    /// True if it can hold for an event of a node, as far as the node's name decides.
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
    /// As written in a filter.
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
    /// The score of a comparison of it that holds.
    fileprivate var likeness: Int {
        switch self {
        case .kind, .any("callback"), .any("type"), .any("result"), .any("command"): 4
        case .number, .time, .node, .direction, .role, .channel, .connection, .cause, .inState, .session, .any, .fact,
            .callbackField:
            1
        }
    }
}
