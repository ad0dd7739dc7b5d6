import IMTree

/// The simplest possible tree: nested dictionaries, which are searched completely for each query.
struct PlainTree: Equatable {
    var leaf: TreeLeaf?
    var children: [String: PlainTree] = [:]
    var priority: TreeLeaf?

    var isNothing: Bool { leaf == nil && children.isEmpty }

    init() {}

    init(_ node: TreeNode) {
        leaf = node.leaf
        for (key, child) in node.children { children[key.text] = PlainTree(child) }
        priority = node.priority
    }

    func at(_ keys: [String]) -> PlainTree {
        guard let key = keys.first else { return self }
        if key == ".priority" {
            var tree = PlainTree()
            tree.leaf = priority
            return tree
        }
        return (children[key] ?? PlainTree()).at(Array(keys.dropFirst()))
    }

    mutating func put(_ tree: PlainTree, at keys: [String]) {
        guard let key = keys.first else { return self = tree }
        if key == ".priority" {
            if !isNothing { priority = tree.leaf }
            return
        }
        var child = children[key] ?? PlainTree()
        child.put(tree, at: Array(keys.dropFirst()))
        if child.isNothing {
            children[key] = nil
        } else {
            leaf = nil
            children[key] = child
        }
        if isNothing { priority = nil }
    }

    /// The result of a query, in its order.
    func answer(to query: TreeQuery) -> [(key: String, tree: PlainTree)] {
        var all = children.map { (key: $0.key, tree: $0.value) }
            .sorted { PlainTree.isBefore(PlainPosition($0, query.order), PlainPosition($1, query.order)) }
        if let start = query.start {
            let bound = PlainPosition(start, query.order, isEnd: false)
            all.removeAll { PlainTree.isBefore(PlainPosition($0, query.order), bound) }
        }
        if let end = query.end {
            let bound = PlainPosition(end, query.order, isEnd: true)
            all.removeAll { PlainTree.isBefore(bound, PlainPosition($0, query.order)) }
        }
        guard let limit = query.limit else { return all }
        return limit.end == .first ? Array(all.prefix(limit.count)) : Array(all.suffix(limit.count))
    }

    static func isBefore(_ one: PlainPosition, _ other: PlainPosition) -> Bool {
        if one.rank != other.rank { return one.rank < other.rank }
        if one.number != other.number { return one.number < other.number }
        if one.text != other.text { return Array(one.text.utf8).lexicographicallyPrecedes(Array(other.text.utf8)) }
        if one.keyRank != other.keyRank { return one.keyRank < other.keyRank }
        if one.keyNumber != other.keyNumber { return one.keyNumber < other.keyNumber }
        if one.keyNumber != 0, one.key.count != other.key.count { return one.key.count < other.key.count }
        return Array(one.key.utf8).lexicographicallyPrecedes(Array(other.key.utf8))
    }
}

extension PlainTree: CustomStringConvertible {
    var description: String {
        let members = children.keys.sorted().map { "\($0): \(children[$0] ?? PlainTree())" }
        return (leaf.map { "\($0)" } ?? "{\(members.joined(separator: ", "))}") + (priority.map { "!\($0)" } ?? "")
    }
}

/// The position of a child in the order of a query, computed explicitly.
struct PlainPosition {
    var (rank, number, text) = (0, 0.0, "")
    var (keyRank, keyNumber, key) = (0, 0, "")

    private mutating func take(_ leaf: TreeLeaf?) {
        switch leaf {
        case nil: rank = 1
        case .bool(let flag)?: rank = flag ? 3 : 2
        case .number(let number)?: (rank, self.number) = (4, number)
        case .text(let text)?: (rank, self.text) = (5, text)
        case .serverTimestamp?: rank = 9
        }
    }

    private mutating func take(key: String) {
        self.key = key
        keyRank = Int(key) == nil ? 3 : 2
        keyNumber = Int(key) ?? 0
    }

    init(_ child: (key: String, tree: PlainTree), _ order: TreeOrder) {
        take(key: child.key)
        switch order {
        case .key: rank = 1
        case .priority: take(child.tree.priority)
        case .value: child.tree.children.isEmpty ? take(child.tree.leaf) : (rank = 6)
        case .child(let keys):
            let value = child.tree.at(keys.map(\.text))
            value.children.isEmpty ? take(value.leaf) : (rank = 6)
        }
    }

    init(_ bound: TreeQuery.Bound, _ order: TreeOrder, isEnd: Bool) {
        if order == .key {
            rank = 1
            if case .text(let key)? = bound.value { take(key: key) } else { rank = isEnd ? 9 : 0 }
        } else {
            take(bound.value)
            if let key = bound.key { take(key: key.text) } else { keyRank = isEnd ? 9 : 0 }
        }
    }
}
