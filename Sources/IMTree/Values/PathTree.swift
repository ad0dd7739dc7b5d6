/// A tree that stores optional values by path. Most paths have no value.
public struct PathTree<Value: Sendable>: Sendable {
    public var value: Value?
    public private(set) var children = SortedMap<TreeKey, PathTree>()

    public init(_ value: Value? = nil) {
        self.value = value
    }

    public var isEmpty: Bool { value == nil && children.isEmpty }

    /// The subtree with the values at a path and below it.
    public subscript(keys: TreeKeys) -> PathTree {
        keys.reduce(self) { $0.children[$1] ?? PathTree() }
    }

    /// Replaces the values at a path and below it. Nodes on the path that become empty are removed.
    public mutating func set(_ keys: TreeKeys, _ tree: PathTree) {
        change(keys) { $0 = tree }
    }

    public mutating func change<Result>(_ keys: TreeKeys, _ body: (inout PathTree) -> Result) -> Result {
        guard let key = keys.first else { return body(&self) }
        var child = children[key] ?? PathTree()
        // The child is removed from its parent while it changes, so that it is not shared and can change in place.
        if !child.isEmpty { children.set(key, PathTree()) }
        let result = child.change(keys.dropFirst(), body)
        if !child.isEmpty { children.set(key, child) } else { children.remove(key) }
        return result
    }

    /// The first value on a path, starting at the root, and the keys of the path below that value.
    public func rootmost(on keys: TreeKeys) -> (value: Value, rest: TreeKeys)? { first(on: keys) { ($0, $1) } }

    /// The first result of `body` for the values on a path, starting at the root.
    ///
    /// - Parameter body: gets a value and the keys of the path below it; nil to continue.
    func first<Result>(on keys: TreeKeys, _ body: (Value, _ rest: TreeKeys) -> Result?) -> Result? {
        var (tree, rest) = (self, keys)
        while true {
            if let result = tree.value.flatMap({ body($0, rest) }) { return result }
            guard let key = rest.popFirst(), let child = tree.children[key] else { return nil }
            tree = child
        }
    }

    /// Calls `body` for each value, parents before their children.
    public func forEach(at path: [TreeKey] = [], _ body: ([TreeKey], Value) -> Void) {
        if let value { body(path, value) }
        for (key, child) in children { child.forEach(at: path + [key], body) }
    }
}

extension PathTree: Equatable where Value: Equatable {}
extension PathTree: Hashable where Value: Hashable {}
extension PathTree: Codable where Value: Codable {}
