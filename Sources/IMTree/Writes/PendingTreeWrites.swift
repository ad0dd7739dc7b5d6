/// A write that the server has not acknowledged.
public struct TreeWrite: Sendable, Hashable, Codable {
    /// Counts the client's writes.
    public var id: UInt64
    public var place: [TreeKey]
    public var change: Change
    /// Whether listeners see it before it is acknowledged; one of a transaction may be hidden from them.
    public var isVisible: Bool

    public enum Change: Sendable, Hashable, Codable {
        /// Puts a node there.
        case set(TreeNode)
        /// Puts nodes at places below, all or none, and leaves what is beside them.
        case update([Part])
    }

    public struct Part: Sendable, Hashable, Codable {
        public var keys: [TreeKey]
        public var node: TreeNode

        public init(_ keys: [TreeKey], _ node: TreeNode) {
            self.keys = keys
            self.node = node
        }
    }

    public init(id: UInt64, at place: [TreeKey], _ change: Change, isVisible: Bool = true) {
        self.id = id
        self.place = place
        self.change = change
        self.isVisible = isVisible
    }

    /// Whether one of the two writes at, above or below a place of the other.
    func meets(_ other: TreeWrite) -> Bool {
        let others = other.parts
        return parts.contains { part in
            others.contains { $0.keys.starts(with: part.keys) || part.keys.starts(with: $0.keys) }
        }
    }

    /// What it writes, seen from the root.
    var parts: [Part] {
        switch change {
        case .set(let node): [Part(place, node)]
        case .update(let parts): parts.inOrder.map { Part(place + $0.keys, $0.node) }
        }
    }
}

extension [TreeWrite.Part] {
    /// In this order the parts of an update do what they do at once: what comes is there before something else goes, so
    /// that no node is empty in between and loses its priority, and a priority finds the node that it is for.
    var inOrder: [TreeWrite.Part] {
        func isPriority(_ part: TreeWrite.Part) -> Bool { part.keys.last == .priority }
        return filter { !isPriority($0) && !$0.node.isEmpty } + filter { !isPriority($0) && $0.node.isEmpty }
            + filter(isPriority)
    }
}

/// The writes that the server has not acknowledged, oldest first, and what they make of what the server said (SYNC-10).
struct PendingTreeWrites: Sendable, Hashable {
    private(set) var writes: [TreeWrite] = []
    /// Those that can be seen.
    private var visible = LocalWrites()

    mutating func add(_ write: TreeWrite) {
        writes.append(write)
        if write.isVisible { visible.add(write) }
    }

    /// Takes a write away.
    ///
    /// - Returns: the write, and whether anything of it could be seen; nil where there is none of that number.
    mutating func remove(_ id: UInt64) -> (write: TreeWrite, wasSeen: Bool)? {
        guard let index = writes.firstIndex(where: { $0.id == id }) else { return nil }
        let write = writes.remove(at: index)
        guard write.isVisible else { return (write, false) }
        visible.remove(write)
        return (write, true)
    }

    /// As they are seen from a place.
    func at(_ place: [TreeKey]) -> LocalWrites { place.reduce(visible) { $0.at($1) } }

    /// All of them laid over a node, also those that are not seen.
    ///
    /// - Parameter node: what the server has at the place, as far as it is known.
    func everything(at place: [TreeKey], over node: TreeNode?, besides excluded: [UInt64] = []) -> TreeNode? {
        var all = LocalWrites()
        for write in writes where !excluded.contains(write.id) { all.add(write) }
        return place.reduce(all) { $0.at($1) }.complete(over: node)
    }
}
