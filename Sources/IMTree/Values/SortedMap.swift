/// A map in the order of its keys. Copies share their unchanged parts, so copying takes constant time, and a change
/// creates one new node for each level of the tree. Nodes that are not shared are changed in place. It is a
/// weight-balanced tree as described by Adams, with the parameters 3 and 2.
public struct SortedMap<Key: SortedMapKey, Value: Sendable>: Sendable {
    public typealias Element = (key: Key, value: Value)

    private var root: Node?

    public init() {}

    /// Creates a map in linear time. The elements must be in ascending order of their unique keys.
    public init(ascending elements: some RandomAccessCollection<Element>) {
        root = Node.balanced(elements[...])
    }

    /// Creates a map of a given size in linear time. Each call of `next` returns the next element in ascending order of
    /// the unique keys. Returns nil if a call returns nil.
    init?(count: Int, _ next: () -> Element?) {
        guard let root = Node.balanced(count, next) else { return nil }
        self.root = root
    }

    public var count: Int { root?.count ?? 0 }
    public var isEmpty: Bool { root == nil }

    /// The number of nodes on the longest path from the root.
    public var depth: Int {
        func depth(_ node: Node?) -> Int { node.map { 1 + Swift.max(depth($0.left), depth($0.right)) } ?? 0 }
        return depth(root)
    }

    public subscript(key: Key) -> Value? {
        var found: Value?
        descend { node in
            let order = key.compared(to: node.key)
            if order == 0 { found = node.value }
            return order
        }
        return found
    }

    /// Walks from the root to a leaf, or until `step` returns zero.
    ///
    /// The walk uses no reference counting, which would take more time than the rest. This is safe: the caller holds
    /// the map and therefore the root, each node holds the nodes below, and no node changes during the walk.
    ///
    /// - Parameter step: returns a number below zero to continue to the left, above zero to continue to the right.
    private func descend(_ step: (Node) -> Int) {
        withExtendedLifetime(root) {
            var current = root.map(Unmanaged.passUnretained)
            while let here = current {
                current = here._withUnsafeGuaranteedRef { node in
                    let order = step(node)
                    return order == 0 ? nil : (order < 0 ? node.left : node.right).map(Unmanaged.passUnretained)
                }
            }
        }
    }

    public mutating func set(_ key: Key, _ value: Value) { Node.insert(key, value, into: &root) }

    public mutating func remove(_ key: Key) {
        // If the key does not exist, return without copying shared nodes.
        guard isKnownUniquelyReferenced(&root) || self[key] != nil else { return }
        Node.remove(key, from: &root)
    }

    // MARK: In order

    public var first: Element? {
        var node = root
        while let next = node?.left { node = next }
        return node?.element
    }

    public var last: Element? {
        var node = root
        while let next = node?.right { node = next }
        return node?.element
    }

    /// The first element after a key. The key itself may be missing.
    public func first(after key: Key) -> Element? {
        var found: Unmanaged<Node>?
        descend { node in
            guard key.compared(to: node.key) < 0 else { return 1 }
            found = Unmanaged.passUnretained(node)
            return -1
        }
        return found?._withUnsafeGuaranteedRef(\.element)
    }

    /// The last element before a key. The key itself may be missing.
    public func last(before key: Key) -> Element? {
        var found: Unmanaged<Node>?
        descend { node in
            guard key.compared(to: node.key) > 0 else { return -1 }
            found = Unmanaged.passUnretained(node)
            return 1
        }
        return found?._withUnsafeGuaranteedRef(\.element)
    }

    /// True if both maps are the same tree in memory. They are then equal without a comparison.
    public func isIdentical(to other: SortedMap) -> Bool { root === other.root }
}

extension SortedMap: Sequence {
    public func makeIterator() -> Iterator { Iterator(root) }

    /// Iterates over the elements in ascending order of their keys.
    public struct Iterator: Sequence, IteratorProtocol {
        /// The nodes whose elements are still to be returned, the next one last. The right subtree of each node follows
        /// its element.
        private var path: [Node] = []

        fileprivate init(_ root: Node?) { descend(root) }

        private mutating func descend(_ node: Node?) {
            var node = node
            while let here = node {
                path.append(here)
                node = here.left
            }
        }

        public mutating func next() -> Element? {
            guard let node = path.popLast() else { return nil }
            descend(node.right)
            return node.element
        }
    }
}

extension SortedMap {
    /// Visits the differences between an older map and this one, in ascending order: keys that only one map has, and
    /// keys whose values may differ. Skips the parts that both maps share in memory.
    func forEachDifference(from old: SortedMap, _ body: (Key, _ old: Value?, _ new: Value?) -> Void) {
        var (before, after) = (Walk(old.root), Walk(root))
        while true {
            switch (before.next, after.next) {
            case (nil, nil): return
            case (.subtree(let one)?, .subtree(let other)?) where one === other:
                before.skip()
                after.skip()
            case (.subtree(let one)?, .subtree(let other)?):
                if one.count < other.count { after.expand() } else { before.expand() }
            case (.subtree?, _): before.expand()
            case (_, .subtree?): after.expand()
            case (.element(let one)?, .element(let other)?) where one.key == other.key:
                before.skip()
                after.skip()
                if one !== other { body(one.key, one.value, other.value) }
            case (.element(let one)?, let other):
                if case .element(let other)? = other, other.key.compared(to: one.key) < 0 {
                    after.skip()
                    body(other.key, nil, other.value)
                } else {
                    before.skip()
                    body(one.key, one.value, nil)
                }
            case (nil, .element(let other)?):
                after.skip()
                body(other.key, nil, other.value)
            }
        }
    }

    /// Iterates over a tree in order, and can skip a whole subtree.
    private struct Walk {
        enum Step {
            case subtree(Node)
            case element(Node)
        }

        /// The remaining steps as a stack: the last element is the next step.
        private var steps: [Step] = []

        init(_ root: Node?) { add(root) }

        var next: Step? { steps.last }

        mutating func skip() { steps.removeLast() }

        mutating func expand() {
            guard case .subtree(let node)? = steps.popLast() else { return }
            add(node.right)
            steps.append(.element(node))
            add(node.left)
        }

        private mutating func add(_ node: Node?) {
            if let node { steps.append(.subtree(node)) }
        }
    }
}

extension SortedMap {
    /// `@unchecked Sendable` is correct, because a node changes only through the single owner of its map, and only if
    /// no other map refers to the node or to a node above it. For the same reason the exclusivity checks are disabled:
    /// Swift checks the accesses to the map, and no two accesses to a node overlap.
    fileprivate final class Node: @unchecked Sendable {
        // The fields that a search reads are adjacent in memory.
        @exclusivity(unchecked) private(set) var key: Key
        @exclusivity(unchecked) private(set) var left: Node?
        @exclusivity(unchecked) private(set) var right: Node?
        @exclusivity(unchecked) private(set) var count: Int
        @exclusivity(unchecked) private(set) var value: Value

        init(_ key: Key, _ value: Value, _ left: Node?, _ right: Node?) {
            (self.key, self.value, self.left, self.right) = (key, value, left, right)
            count = (left?.count ?? 0) + (right?.count ?? 0) + 1
        }

        var element: Element { (key, value) }

        static func balanced(_ elements: some RandomAccessCollection<Element>) -> Node? {
            guard !elements.isEmpty else { return nil }
            let middle = elements.index(elements.startIndex, offsetBy: elements.count / 2)
            let (key, value) = elements[middle]
            return Node(
                key, value, balanced(elements[..<middle]), balanced(elements[elements.index(after: middle)...]))
        }

        /// Creates a balanced tree of a given size.
        ///
        /// - Returns: nil if an element is missing; `.some(nil)` for no elements.
        static func balanced(_ count: Int, _ next: () -> Element?) -> Node?? {
            guard count > 0 else { return .some(nil) }
            let before = count / 2
            guard let left = balanced(before, next), let (key, value) = next(),
                let right = balanced(count - before - 1, next)
            else { return nil }
            return Node(key, value, left, right)
        }

        static func inserting(_ key: Key, _ value: Value, in node: Node?) -> Node {
            guard let node else { return Node(key, value, nil, nil) }
            let order = key.compared(to: node.key)
            if order < 0 { return join(node.key, node.value, inserting(key, value, in: node.left), node.right) }
            if order > 0 { return join(node.key, node.value, node.left, inserting(key, value, in: node.right)) }
            return Node(key, value, node.left, node.right)
        }

        static func removing(_ key: Key, from node: Node?) -> Node? {
            guard let node else { return nil }
            let order = key.compared(to: node.key)
            if order < 0 { return join(node.key, node.value, removing(key, from: node.left), node.right) }
            if order > 0 { return join(node.key, node.value, node.left, removing(key, from: node.right)) }
            guard let left = node.left else { return node.right }
            guard let right = node.right else { return left }
            return joinWithout(left, right)
        }

        // MARK: In place

        /// Inserts in place where nodes are not shared. The result equals that of ``inserting(_:_:in:)``.
        static func insert(_ key: Key, _ value: Value, into node: inout Node?) {
            guard isKnownUniquelyReferenced(&node), let here = node else {
                return node = inserting(key, value, in: node)
            }
            let order = key.compared(to: here.key)
            if order == 0 { return (here.key, here.value) = (key, value) }
            let isBalanced = here.change(isLeft: order < 0) { insert(key, value, into: &$0) }
            if !isBalanced { node = join(here.key, here.value, here.left, here.right) }
        }

        /// Removes in place where nodes are not shared. The result equals that of ``removing(_:from:)``.
        static func remove(_ key: Key, from node: inout Node?) {
            guard isKnownUniquelyReferenced(&node), let here = node else { return node = removing(key, from: node) }
            let order = key.compared(to: here.key)
            guard order != 0 else {
                guard let left = here.left else { return node = here.right }
                guard let right = here.right else { return node = left }
                return node = joinWithout(left, right)
            }
            let isBalanced = here.change(isLeft: order < 0) { remove(key, from: &$0) }
            if !isBalanced { node = join(here.key, here.value, here.left, here.right) }
        }

        /// Changes the left or the right side, by at most one element. The side is removed from the node during the
        /// change, so that it is not shared and no access to it overlaps with another.
        ///
        /// - Returns: true if both sides are still balanced. The size of the other side is computed instead of read,
        ///   because that side is usually not in the processor's cache.
        private func change(isLeft: Bool, _ body: (inout Node?) -> Void) -> Bool {
            var side = isLeft ? left : right
            if isLeft { left = nil } else { right = nil }
            let before = side?.count ?? 0
            body(&side)
            let now = side?.count ?? 0
            if isLeft { left = side } else { right = side }
            count += now - before
            let other = count - 1 - now
            return now == before || now + other <= 1 || now <= 3 * other && other <= 3 * now
        }

        /// Joins the two sides of a removed node. The larger side provides the element that replaces the removed one.
        private static func joinWithout(_ left: Node, _ right: Node) -> Node {
            if left.count > right.count {
                var last = left
                while let next = last.right { last = next }
                return join(last.key, last.value, removing(last.key, from: left), right)
            }
            var first = right
            while let next = first.left { first = next }
            return join(first.key, first.value, left, removing(first.key, from: right))
        }

        /// Creates a node from two sides. Both may differ from balanced ones by at most one element.
        private static func join(_ key: Key, _ value: Value, _ left: Node?, _ right: Node?) -> Node {
            let (before, after) = (left?.count ?? 0, right?.count ?? 0)
            guard before + after > 1 else { return Node(key, value, left, right) }
            if let right, after > 3 * before {
                let (near, far) = (right.left, right.right)
                if let near, near.count >= 2 * (far?.count ?? 0) {
                    return Node(
                        near.key, near.value, Node(key, value, left, near.left),
                        Node(right.key, right.value, near.right, far))
                }
                return Node(right.key, right.value, Node(key, value, left, near), far)
            }
            if let left, before > 3 * after {
                let (far, near) = (left.left, left.right)
                if let near, near.count >= 2 * (far?.count ?? 0) {
                    return Node(
                        near.key, near.value, Node(left.key, left.value, far, near.left),
                        Node(key, value, near.right, right))
                }
                return Node(left.key, left.value, far, Node(key, value, near, right))
            }
            return Node(key, value, left, right)
        }
    }
}

extension SortedMap: Equatable where Value: Equatable {
    public static func == (one: SortedMap, other: SortedMap) -> Bool { Node.areEqual(one.root, other.root) }
}

extension SortedMap.Node where Value: Equatable {
    /// Compares two trees, but not the parts that they share in memory.
    fileprivate static func areEqual(_ one: SortedMap.Node?, _ other: SortedMap.Node?) -> Bool {
        guard let one, let other else { return one == nil && other == nil }
        if one === other { return true }
        guard one.count == other.count else { return false }
        if one.left?.count == other.left?.count {
            return one.key == other.key && areEqual(one.left, other.left) && areEqual(one.right, other.right)
                && one.value == other.value
        }
        return zip(SortedMap.Iterator(one), SortedMap.Iterator(other)).allSatisfy {
            $0.key == $1.key && $0.value == $1.value
        }
    }
}

extension SortedMap: Hashable where Key: Hashable, Value: Hashable {
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for (key, value) in self {
            hasher.combine(key)
            hasher.combine(value)
        }
    }
}
