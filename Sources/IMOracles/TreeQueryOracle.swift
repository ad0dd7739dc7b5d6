import IMTree

/// What a query gives, by a reading of its own of the order of children and of where a query begins and ends (SYNC-4).
enum TreeQueryOracle {
    /// Nothing, false, true, numbers, texts, and whatever has children; equal ones by their keys.
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

        /// Whole numbers of 32 bits first, of equal ones the shorter; then texts.
        init(key: String) {
            let number = Int32(key)
            (kind, self.number) = number.map { (0, Double($0)) } ?? (1, 0)
            text = number == nil ? Array(key.utf8) : [UInt8(key.utf8.count)] + Array(key.utf8)
        }
    }

    /// The names of the children that a query gives of a place; nil where it is not one that this reading knows.
    static func given(by query: TreeQuery, of node: TreeNode) -> Set<String>? {
        func rank(_ key: TreeKey, _ child: TreeNode) -> Rank {
            switch query.order {
            case .key: Rank(key: key.text)
            case .value: Rank(child)
            case .priority: Rank(child.priority)
            case .child(let keys): Rank(child[keys[...]])
            }
        }
        func bound(_ bound: TreeQuery.Bound) -> Rank? {
            guard bound.key == nil else { return nil }
            guard query.order == .key else { return Rank(bound.value) }
            guard case .text(let text)? = bound.value else { return nil }
            return Rank(key: text)
        }
        var children: [(key: Rank, rank: Rank, name: String)] = node.children.map {
            (Rank(key: $0.key.text), rank($0.key, $0.value), $0.key.text)
        }
        if let start = query.start {
            guard let low = bound(start) else { return nil }
            children.removeAll { $0.rank < low }
        }
        if let end = query.end {
            guard let high = bound(end) else { return nil }
            children.removeAll { high < $0.rank }
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
