import IMTree

/// A place in the tree: the keys that lead there from the root.
public struct TreePath: Hashable, Sendable, Codable {
    /// From the root down; empty for the root.
    public private(set) var keys: [TreeKey]

    /// The tree as a whole.
    public static let root = TreePath(keys: [])
    /// Below it stands what a client knows of its own connection; no server has it (SYNC-5).
    public static let info = TreePath(keys: [infoKey])

    private static let infoKey: TreeKey = ".info"

    /// Keys as they are; nothing is checked.
    public init(keys: [TreeKey]) {
        self.keys = keys
    }

    /// Reads keys joined by `/`; a `/` at either end is overlooked, because vendors write paths both ways.
    ///
    /// - Returns: nil where the path is too long or too deep, or a key cannot be one.
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

    /// Whether it is, or lies in, the part that only the client itself has.
    public var isInfo: Bool { keys.first == TreePath.infoKey }

    /// Whether a node's priority is meant, which can be set as if it were a child.
    public var isPriority: Bool { keys.last == .priority }

    /// The place of a child.
    public func appending(_ key: TreeKey) -> TreePath { TreePath(keys: keys + [key]) }

    /// The keys that lead here from another place; nil unless that place is this one or above it.
    public func keys(below ancestor: TreePath) -> TreeKeys? {
        keys.starts(with: ancestor.keys) ? keys.dropFirst(ancestor.keys.count) : nil
    }

    /// Whether one of the two places is, or lies above, the other: a change here can be seen there.
    public func meets(_ other: TreePath) -> Bool {
        keys(below: other) != nil || other.keys(below: self) != nil
    }
}

/// Limits of our own; the vendor's are ``TreeLimits``.
public enum TreeLimit {
    /// The tree as a whole on a server, by ``TreeNode/weight``.
    public static let weightMax = 16 << 20
    /// Pages of one request; one that keeps within the vendor's limits has fewer.
    public static let pagesMax = 64
    /// Pages of one answer; the whole tree has fewer.
    public static let answerPagesMax = 1024
    /// Places that one connection may listen to.
    public static let listenersMax = 100
    /// Places about which a server may have rules.
    public static let rulesMax = 1000
    /// Changes that may be registered for the end of one connection.
    public static let registrationsMax = 100
}
