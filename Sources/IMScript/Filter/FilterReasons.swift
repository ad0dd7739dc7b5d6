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
