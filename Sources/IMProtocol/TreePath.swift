import IMTree

/// A path in the tree: the keys from the root to a node.
public struct TreePath: Hashable, Sendable, Codable {
    /// The keys from the root down; empty for the root.
    public private(set) var keys: [TreeKey]

    /// The path of the whole tree.
    public static let root = TreePath(keys: [])
    /// The path below which a client has information about its own connection. The server has no data there (SYNC-5).
    public static let info = TreePath(keys: [infoKey])

    private static let infoKey: TreeKey = ".info"

    /// Creates a path without checking the keys.
    public init(keys: [TreeKey]) {
        self.keys = keys
    }

    /// Parses keys joined by `/`. A `/` at the start or the end is ignored, because vendors write paths with and
    /// without it.
    ///
    /// - Returns: nil if the path is too long or too deep, or a key is invalid.
    public init?(_ text: String) {
        var scalars = text.utf8[...]
        if scalars.first == UInt8(ascii: "/") { scalars.removeFirst() }
        if scalars.last == UInt8(ascii: "/") { scalars.removeLast() }
        guard scalars.count <= TreeLimits.pathBytesMax else { return nil }
        keys = scalars.isEmpty ? [] : [TreeKey](joined: Substring(scalars))
        guard keys.count <= TreeLimits.depthMax + (isPriority ? 1 : 0) else { return nil }
        var ordinary = keys.first == TreePath.infoKey ? keys.dropFirst() : keys[...]
        if isPriority { ordinary.removeLast() }
        guard ordinary.allSatisfy(\.isAllowed) else { return nil }
    }

    /// The keys joined by `/`, without a `/` at the start or the end; empty for the root.
    public var text: String { keys.joined }

    /// True if the path is ``info`` or below it.
    public var isInfo: Bool { keys.first == TreePath.infoKey }

    /// True if this is the path of a node's priority, which is set like a child with the key `.priority`.
    public var isPriority: Bool { keys.last == .priority }

    /// The path of a child.
    public func appending(_ key: TreeKey) -> TreePath { TreePath(keys: keys + [key]) }

    /// The keys that lead from another path to this one; nil if the other path is neither equal to this one nor above
    /// it.
    public func keys(below ancestor: TreePath) -> TreeKeys? {
        keys.starts(with: ancestor.keys) ? keys.dropFirst(ancestor.keys.count) : nil
    }

    /// True if the paths are equal, or if one is above the other. Then a change at one path can change the value at the
    /// other.
    public func meets(_ other: TreePath) -> Bool {
        keys(below: other) != nil || other.keys(below: self) != nil
    }
}

/// The limits of this project for the tree. ``TreeLimits`` has the vendor's limits.
public enum TreeLimit {
    /// The maximum ``TreeNode/weight`` of the whole tree on a server.
    public static let weightMax = 16 << 20
    /// The maximum number of pages of a request. A request within the vendor's limits has fewer.
    public static let pagesMax = 64
    /// The maximum number of pages of an answer. The largest tree has fewer.
    public static let answerPagesMax = 1024
    /// The maximum number of listeners of a connection.
    public static let listenersMax = 100
    /// The maximum number of paths with security rules on a server.
    public static let rulesMax = 1000
    /// The maximum number of pending onDisconnect writes of a connection.
    public static let registrationsMax = 100
}
