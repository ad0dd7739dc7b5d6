import IMTree

/// The result of a query, by an independent implementation of the order of children and of query bounds (SYNC-4).
package enum TreeQueryChecker {
    /// The sort position of a node: no value, false, true, numbers, texts, nodes with children. Ties are sorted by key.
    private struct Rank: Comparable {
        var kind = 0
        var number = 0.0
        var text: [UInt8] = []

        static func < (one: Rank, other: Rank) -> Bool {
            if one.kind != other.kind { return one.kind < other.kind }
            if one.number != other.number { return one.number < other.number }
            return one.text.lexicographicallyPrecedes(other.text)
        }

        init(_ leaf: TreeLeaf?) {
            switch leaf {
            case nil: break
            case .bool(let flag)?: kind = flag ? 2 : 1
            case .number(let number)?: (kind, self.number) = (3, number)
            case .serverTimestamp?: (kind, number) = (3, .infinity)
            case .text(let text)?: (kind, self.text) = (4, Array(text.utf8))
            }
        }

        init(_ node: TreeNode) {
            self.init(node.leaf)
            if !node.isLeaf, !node.isEmpty { kind = 5 }
        }

        /// The sort position of a key: 32-bit integers before other keys, and the shorter of two equal integers first.
        init(key: String) {
            let number = Int32(key)
            (kind, self.number) = number.map { (0, Double($0)) } ?? (1, 0)
            text = number == nil ? Array(key.utf8) : [UInt8(key.utf8.count)] + Array(key.utf8)
        }
    }

    private static func rank(_ key: String, _ child: TreeNode, in order: TreeOrder) -> Rank {
        switch order {
        case .key: Rank(key: key)
        case .value: Rank(child)
        case .priority: Rank(child.priority)
        case .child(let keys): Rank(child[keys[...]])
        }
    }

    /// The names of the children that a query returns; nil if this implementation does not support the query.
    package static func given(by query: TreeQuery, of node: TreeNode) -> Set<String>? {
        func bound(_ bound: TreeQuery.Bound) -> Rank? {
            guard query.order == .key else { return Rank(bound.value) }
            guard bound.key == nil else { return nil }
            guard case .text(let text)? = bound.value else { return nil }
            return Rank(key: text)
        }
        var children: [(key: Rank, rank: Rank, name: String)] = node.children.map {
            (Rank(key: $0.key.text), rank($0.key.text, $0.value, in: query.order), $0.key.text)
        }
        if let start = query.start {
            guard let low = bound(start) else { return nil }
            let key = start.key.map { Rank(key: $0.text) }
            children.removeAll { child in child.rank < low || child.rank == low && key.map { child.key < $0 } == true }
        }
        if let end = query.end {
            guard let high = bound(end) else { return nil }
            let key = end.key.map { Rank(key: $0.text) }
            children.removeAll { child in high < child.rank || child.rank == high && key.map { $0 < child.key } == true
            }
        }
        children.sort { $0.rank == $1.rank ? $0.key < $1.key : $0.rank < $1.rank }
        switch query.limit?.end {
        case .first?: children = Array(children.prefix(query.limit?.count ?? 0))
        case .last?: children = Array(children.suffix(query.limit?.count ?? 0))
        case nil: break
        }
        return Set(children.map(\.name))
    }
}
