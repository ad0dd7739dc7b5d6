import IMTree

/// The value that a listener must show at a path, by the model.
struct ModelAnswer {
    var keys: [String]
    var whole: PlainTree

    init(_ tree: PlainTree, _ query: TreeQuery) {
        let answer = tree.answer(to: query)
        keys = answer.map(\.key)
        whole = tree
        guard !query.loadsAllData else { return }
        whole = PlainTree()
        for (key, child) in answer { whole.children[key] = child }
    }
}

/// An app that computes the value of a path only from the events of its listener.
struct ModelApp {
    let listener: TreeListenerID
    let path: [TreeKey]
    let query: TreeQuery
    private var children: [String: PlainTree] = [:]
    private var value: PlainTree?
    /// The children that the last change reported, with their reported predecessors.
    private var previous: [(key: String, previous: String?)] = []
    private var lastRank = -1
    private var hasValue = false
    var faults: [String] = []

    init(listener: TreeListenerID, path: [TreeKey], query: TreeQuery) {
        (self.listener, self.path, self.query) = (listener, path, query)
    }

    private var isOneChange = true

    /// Prepares for the events of the next input.
    ///
    /// - Parameter isOneChange: false if a transaction may run again or be rolled back within the same input.
    mutating func begin(isOneChange: Bool) {
        (lastRank, hasValue, previous) = (-1, false, [])
        self.isOneChange = isOneChange
    }

    private static let inOrder: [TreeEventKind] = [.childRemoved, .childAdded, .childMoved, .childChanged, .value]

    mutating func take(_ event: TreeEvent) {
        let rank = Self.inOrder.firstIndex(of: event.kind) ?? 0
        if rank < lastRank || hasValue, !isOneChange { begin(isOneChange: false) }
        if rank < lastRank { complain("out of order", event) }
        lastRank = rank
        if event.path != path { complain("elsewhere", event) }
        let node = PlainTree(event.node)
        guard let key = event.key?.text else { return take(value: node, event) }
        if hasValue { complain("behind the value", event) }
        let before = children[key]
        switch event.kind {
        case .childAdded:
            if before != nil { complain("there already", event) }
            children[key] = node
        case .childRemoved:
            if before != node { complain("another was there", event) }
            children[key] = nil
        case .childMoved: if before == nil { complain("not there", event) }
        case .childChanged:
            if before == nil || before == node { complain("not changed", event) }
            children[key] = node
        case .value: complain("a value has no key", event)
        }
        // If several changes happen at once, the predecessors may be those of an intermediate value.
        if event.kind != .childRemoved, isOneChange { previous.append((key, event.previousKey?.text)) }
    }

    private mutating func take(value node: PlainTree, _ event: TreeEvent) {
        if event.kind != .value || hasValue { complain("two values", event) }
        hasValue = true
        if node == value { complain("told twice", event) }
        value = node
        if node.children != children { complain("the children are others: \(children.keys.sorted())", event) }
    }

    private mutating func complain(_ what: String, _ event: TreeEvent) {
        faults.append("listener \(listener.rawValue) \(what): \(event)")
    }

    func differences(from expected: ModelAnswer) -> [String] {
        var differences: [String] = []
        if value != expected.whole {
            differences.append(
                "listener \(listener.rawValue) at \(path) to \(query) sees \(value.map { "\($0)" } ?? "nothing"), "
                    + "not \(expected.whole)")
        }
        for (key, before) in previous {
            guard let index = expected.keys.firstIndex(of: key) else { continue }
            let actual = index == 0 ? nil : expected.keys[index - 1]
            if before != actual {
                differences.append(
                    "listener \(listener.rawValue): \(key) stands behind \(actual ?? "none"), not \(before ?? "none")")
            }
        }
        return differences
    }
}
