import IMText

// Why a filter does not match an event.

extension FilterCondition {
    /// The reasons why the condition does not hold, as texts; empty if it holds.
    ///
    /// - Parameter values: the event's values of each field that the condition uses.
    package func reasons(against values: [FilterName: [String]]) -> [String] {
        var reasons: [String] = []
        for reason in allReasons(values) where !reasons.contains(reason) { reasons.append(reason) }
        return reasons
    }

    /// A score of the comparisons that hold. For alternatives joined by `or`, the highest score of them. A comparison
    /// of the kind of event counts more than a comparison of its contents.
    package func similarity(to values: [FilterName: [String]]) -> Int {
        switch self {
        case .test(let comparison): holds(for: values) ? comparison.name.similarity : 0
        case .not: holds(for: values) ? 1 : 0
        case .all(let conditions): conditions.reduce(0) { $0 + $1.similarity(to: values) }
        case .any(let conditions): conditions.map { $0.similarity(to: values) }.max() ?? 0
        }
    }

    /// The number of comparisons that hold. For alternatives joined by `or`, the highest number of them.
    package func matchCount(in values: [FilterName: [String]]) -> Int {
        switch self {
        case .test, .not: holds(for: values) ? 1 : 0
        case .all(let conditions): conditions.reduce(0) { $0 + $1.matchCount(in: values) }
        case .any(let conditions): conditions.map { $0.matchCount(in: values) }.max() ?? 0
        }
    }

    /// For each comparison that does not hold, the expected and the actual value: `expected to == kicked, got online`.
    /// For alternatives joined by `or`, only those of the alternative with the most comparisons that hold.
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

    /// The values that the condition requires of the selected fields, from comparisons with `==` and `in`.
    package func requiredValues(where isWanted: (FilterName) -> Bool) -> [String] {
        switch self {
        case .test(let comparison):
            guard isWanted(comparison.name), case .compare(let order, let operands) = comparison.test,
                order == .equal || order == .isIn
            else { return [] }
            return operands.map(\.text)
        case .not: return []
        case .all(let conditions), .any(let conditions):
            return conditions.flatMap { $0.requiredValues(where: isWanted) }
        }
    }

    /// False if the node's name alone excludes that the condition holds for an event of the node.
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
        case .test(let comparison): return [Self.actualText(of: comparison.name, values)]
        case .not(let condition): return condition.names.map { Self.actualText(of: $0, values) }
        case .all(let conditions), .any(let conditions): return conditions.flatMap { $0.allReasons(values) }
        }
    }

    private static func actualText(of name: FilterName, _ values: [FilterName: [String]]) -> String {
        guard let found = values[name], !found.isEmpty else { return "has no field '\(name.text)'" }
        return "\(name.text) is \(found.joined(separator: ", "))"
    }
}

extension FilterComparison {
    /// The comparison as it is written in a filter.
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
    /// The score of a comparison with this field, if the comparison holds.
    fileprivate var similarity: Int {
        switch self {
        case .kind, .any("callback"), .any("type"), .any("result"), .any("command"): 4
        case .number, .time, .node, .direction, .role, .channel, .connection, .cause, .inState, .session, .any, .fact,
            .callbackField:
            1
        }
    }
}
