import IMTree

/// A path in the tree: the keys from the root to a node.
public struct TreePath: Hashable, Sendable, Codable {
    /// The keys from the root down; empty for the root.
    public private(set) var keys: [TreeKey]

    /// The tree as a whole.
    public static let root = TreePath(keys: [])
    /// A client's information about its own connection is below it; no server has it (SYNC-5).
    public static let info = TreePath(keys: [infoKey])

    private static let infoKey: TreeKey = ".info"

    /// A path of unchecked keys.
    public init(keys: [TreeKey]) {
        self.keys = keys
    }

    /// Parses keys joined by `/`; a `/` at either end is ignored, because vendors write paths both ways.
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

    /// The keys joined by `/`, without one at either end; empty for the root.
    public var text: String { keys.joined }

    /// True if it is in the part of the tree that only the client itself has.
    public var isInfo: Bool { keys.first == TreePath.infoKey }

    /// True if it is a node's priority, which can be set as if it were a child.
    public var isPriority: Bool { keys.last == .priority }

    /// The path of a child.
    public func appending(_ key: TreeKey) -> TreePath { TreePath(keys: keys + [key]) }

    /// The keys from another path to this one; nil unless that path is this one or above it.
    public func keys(below ancestor: TreePath) -> TreeKeys? {
        keys.starts(with: ancestor.keys) ? keys.dropFirst(ancestor.keys.count) : nil
    }

    /// True if the paths are equal or one is above the other: a change here is visible there.
    public func meets(_ other: TreePath) -> Bool {
        keys(below: other) != nil || other.keys(below: self) != nil
    }
}

/// Limits of this project; the vendor's are ``TreeLimits``.
public enum TreeLimit {
    /// The whole tree on a server, by ``TreeNode/weight``.
    public static let weightMax = 16 << 20
    /// Pages of one request; one within the vendor's limits has fewer.
    public static let pagesMax = 64
    /// Pages of one answer; the whole tree has fewer.
    public static let answerPagesMax = 1024
    /// Paths that one connection may listen to.
    public static let listenersMax = 100
    /// Paths that may have security rules on a server.
    public static let rulesMax = 1000
    /// onDisconnect operations that may be registered for one connection.
    public static let registrationsMax = 100
}
