import SansIO

// Values as they are read and changed: by keys, without ever holding a null or an empty list of children.

extension TreeValue {
    /// What stands where the keys lead.
    public subscript(keys: ArraySlice<String>) -> TreeValue {
        guard let key = keys.first else { return self }
        guard case .children(let children) = self else { return .null }
        let index = TreeValue.index(of: key, in: children)
        guard index < children.count, children[index].key == key else { return .null }
        return children[index].value[keys.dropFirst()]
    }

    /// The value with another one where the keys lead. A leaf on the way gives way to children; null removes, and takes
    /// with it the parents that it leaves empty.
    public func setting(_ keys: ArraySlice<String>, to value: TreeValue) -> TreeValue {
        guard let key = keys.first else { return value }
        var children: [TreeChild] = []
        if case .children(let own) = self { children = own }
        let index = TreeValue.index(of: key, in: children)
        let isThere = index < children.count && children[index].key == key
        let next = (isThere ? children[index].value : .null).setting(keys.dropFirst(), to: value)
        switch (isThere, next == .null) {
        case (false, true): return self  // Nothing to remove; a leaf on the way stays.
        case (false, false): children.insert(TreeChild(key, next), at: index)
        case (true, true): children.remove(at: index)
        case (true, false): children[index].value = next
        }
        return children.isEmpty ? .null : .children(children)
    }

    /// Where a key stands, or would, among children in order.
    private static func index(of key: String, in children: [TreeChild]) -> Int {
        children.partitioningIndex { $0.key >= key }
    }

    /// The same with its children in order, each once (the last one counts), and without nulls.
    var tidy: TreeValue {
        guard case .children(let children) = self else { return self }
        let kept = TreeValue.inOrder(children.map { TreeChild($0.key, $0.value.tidy) }).filter { $0.value != .null }
        return kept.isEmpty ? .null : .children(kept)
    }

    /// Children in the order of their keys, each once; of several with one key the last counts.
    static func inOrder(_ children: [TreeChild]) -> [TreeChild] {
        let sorted = children.enumerated()
            .sorted { ($0.element.key, $0.offset) < ($1.element.key, $1.offset) }.map(\.element)
        var kept: [TreeChild] = []
        for child in sorted {
            if kept.last?.key == child.key { kept.removeLast() }
            kept.append(child)
        }
        return kept
    }

    /// Whether it is what a tree can hold: numbers are finite, keys are keys, no leaf deeper than the limit, and, as the
    /// server would have it, in order and without nulls.
    public var isTidy: Bool { isSound(depth: 0) && weight <= TreeLimit.weightMax && tidy == self }

    /// - Parameter depth: how many keys lead to it.
    func isSound(depth: Int) -> Bool {
        guard depth <= TreeLimit.depthMax else { return false }
        switch self {
        case .null, .bool, .text: return true
        case .number(let number): return number.isFinite
        case .children(let children):
            return children.allSatisfy { TreePath.isKey($0.key) && $0.value.isSound(depth: depth + 1) }
        }
    }

    /// At least as many bytes as it takes in a frame. To be asked only of a value that is sound.
    public var weight: Int {
        switch self {
        case .null: 2
        case .bool: 4
        case .number: 11
        case .text(let text): text.utf8.count + 6
        case .children(let children):
            // Each child has a tag and a length of its own, and so have its key and its value.
            children.reduce(6) { $0 + $1.key.utf8.count + $1.value.weight + 14 }
        }
    }

    /// Whether a single leaf in it weighs more than that.
    func hasLeaf(above most: Int) -> Bool {
        guard case .children(let children) = self else { return weight > most }
        return children.contains { $0.value.hasLeaf(above: most) }
    }
}
