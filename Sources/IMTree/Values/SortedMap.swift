/// A map in the order of its keys that shares unchanged parts with its copies. A copy is free, and a change costs as
/// many nodes as the tree is deep (a weight-balanced tree after Adams, with the parameters 3 and 2). Nodes that no copy
/// shares are changed in place.
public struct SortedMap<Key: SortedMapKey, Value: Sendable>: Sendable {
    public typealias Element = (key: Key, value: Value)

    private var root: Node?

    public init() {}

    /// Creates a map from elements in ascending order of their unique keys; in linear time.
    public init(ascending elements: some RandomAccessCollection<Element>) {
        root = Node.balanced(elements[...])
    }

    /// Creates a map from this number of elements, in linear time. Each call gives the next one in ascending order of
    /// their unique keys. Nil if a call returns nil.
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

    /// Walks down from the root.
    ///
    /// It does not count references, which would cost more than the rest. This is safe: the caller holds the map and so
    /// the root, each node holds the nodes below it, and no node changes while a map that leads to it is read.
    ///
    /// - Parameter step: below zero to go to the left, above to go to the right.
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
        // Do not copy shared nodes for a key that does not exist.
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

    /// The first element after a key, which need not exist itself.
    public func first(after key: Key) -> Element? {
        var found: Unmanaged<Node>?
        descend { node in
            guard key.compared(to: node.key) < 0 else { return 1 }
            found = Unmanaged.passUnretained(node)
            return -1
        }
        return found?._withUnsafeGuaranteedRef(\.element)
    }

    /// The last element before a key, which need not exist itself.
    public func last(before key: Key) -> Element? {
        var found: Unmanaged<Node>?
        descend { node in
            guard key.compared(to: node.key) > 0 else { return -1 }
            found = Unmanaged.passUnretained(node)
            return 1
        }
        return found?._withUnsafeGuaranteedRef(\.element)
    }

    /// True if it is the same tree in memory, so that no comparison is needed.
    public func isIdentical(to other: SortedMap) -> Bool { root === other.root }
}

extension SortedMap: Sequence {
    public func makeIterator() -> Iterator { Iterator(root) }

    /// Walks through the elements in order.
    public struct Iterator: Sequence, IteratorProtocol {
        /// The nodes whose elements come next, the nearest last.
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
    /// Visits the keys that only one of two maps has, and those whose values may differ, in ascending order. Skips
    /// parts that the two maps share because one was made from the other.
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

    /// Walks through a tree in order, and can skip a subtree.
    private struct Walk {
        enum Step {
            case subtree(Node)
            case element(Node)
        }

        /// A stack: the next step is the last element.
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
    /// Unchecked: a node changes only if nothing else refers to it or to a node above it, and so only through the sole
    /// owner of the map. For the same reason no exclusivity check is needed: Swift checks accesses to the map, and no
    /// access to a node lasts while another one begins.
    fileprivate final class Node: @unchecked Sendable {
        // Fields that a search reads are next to each other.
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

        /// Makes the same tree as ``inserting(_:_:in:)``.
        static func insert(_ key: Key, _ value: Value, into node: inout Node?) {
            guard isKnownUniquelyReferenced(&node), let here = node else {
                return node = inserting(key, value, in: node)
            }
            let order = key.compared(to: here.key)
            if order == 0 { return (here.key, here.value) = (key, value) }
            let isBalanced = here.change(isLeft: order < 0) { insert(key, value, into: &$0) }
            if !isBalanced { node = join(here.key, here.value, here.left, here.right) }
        }

        /// Makes the same tree as ``removing(_:from:)``.
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

        /// Changes a side by one element at most. The side is taken out while it changes, so that no access to it lasts
        /// that long.
        ///
        /// - Returns: true if both sides are still balanced. The other side is not read for that, because most of many
        ///   children are not in the processor's cache.
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

        /// Joins the two sides of a removed node. The larger one gives the element that replaces it.
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

        /// A node from two sides that differ from balanced ones by one element at most.
        private static func join(_ key: Key, _ value: Value, _ left: Node?, _ right: Node?) -> Node {
            let (before, behind) = (left?.count ?? 0, right?.count ?? 0)
            guard before + behind > 1 else { return Node(key, value, left, right) }
            if let right, behind > 3 * before {
                let (near, far) = (right.left, right.right)
                if let near, near.count >= 2 * (far?.count ?? 0) {
                    return Node(
                        near.key, near.value, Node(key, value, left, near.left),
                        Node(right.key, right.value, near.right, far))
                }
                return Node(right.key, right.value, Node(key, value, left, near), far)
            }
            if let left, before > 3 * behind {
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
    /// Compares only the parts that the two trees do not share.
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
