/// A tree of optional values by path; most paths have no value.
public struct PathTree<Value: Sendable>: Sendable {
    public var value: Value?
    public private(set) var children = SortedMap<TreeKey, PathTree>()

    public init(_ value: Value? = nil) {
        self.value = value
    }

    public var isEmpty: Bool { value == nil && children.isEmpty }

    /// The values at a path and below it.
    public subscript(keys: TreeKeys) -> PathTree {
        keys.reduce(self) { $0.children[$1] ?? PathTree() }
    }

    /// Replaces the values at a path. An empty tree also removes empty nodes on the path.
    public mutating func set(_ keys: TreeKeys, _ tree: PathTree) {
        change(keys) { $0 = tree }
    }

    public mutating func change<Result>(_ keys: TreeKeys, _ body: (inout PathTree) -> Result) -> Result {
        guard let key = keys.first else { return body(&self) }
        var child = children[key] ?? PathTree()
        // Remove it from the parent while it changes, so that it can change in place.
        if !child.isEmpty { children.set(key, PathTree()) }
        let result = child.change(keys.dropFirst(), body)
        if !child.isEmpty { children.set(key, child) } else { children.remove(key) }
        return result
    }

    /// The value nearest to the root on a path, and the remaining keys.
    public func rootmost(on keys: TreeKeys) -> (value: Value, rest: TreeKeys)? {
        var (tree, rest) = (self, keys)
        while true {
            if let value = tree.value { return (value, rest) }
            guard let key = rest.popFirst(), let child = tree.children[key] else { return nil }
            tree = child
        }
    }

    /// Every value, parents before their children.
    public func forEach(at path: [TreeKey] = [], _ body: ([TreeKey], Value) -> Void) {
        if let value { body(path, value) }
        for (key, child) in children { child.forEach(at: path + [key], body) }
    }
}

extension PathTree: Equatable where Value: Equatable {}
extension PathTree: Hashable where Value: Hashable {}
extension PathTree: Codable where Value: Codable {}
