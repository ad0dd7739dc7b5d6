extension TreeQuery: CustomStringConvertible {
    /// The query as command options, such as `--order-by child=score --last 4 --from 3`. Empty for ``all``.
    public var description: String {
        var words: [String] = []
        switch order {
        case .priority: break
        case .key: words.append("--order-by key")
        case .value: words.append("--order-by value")
        case .child(let keys): words.append("--order-by child=" + keys.joined)
        }
        if let limit { words.append((limit.end == .first ? "--first " : "--last ") + String(limit.count)) }
        if let start, start == end {
            words.append("--equal " + start.description)
        } else {
            if let start { words.append("--from " + start.description) }
            if let end { words.append("--to " + end.description) }
        }
        return words.joined(separator: " ")
    }
}

extension TreeQuery.Bound: CustomStringConvertible {
    /// The value as JSON. If the bound has a key, a comma and the key follow.
    public var description: String {
        (value.map(\.description) ?? "null") + (key.map { "," + $0.text } ?? "")
    }
}

extension TreeNode {
    /// The part of the node that a query selects.
    public func given(by query: TreeQuery) -> TreeNode {
        guard !query.loadsAllData else { return self }
        var ignored = ChildChanges()
        return WindowFilter(query).replacing(OrderedNode(.empty, query.order), with: self, &ignored).node
    }
}
