/// A place in the tree: the keys that lead there from the root.
public struct TreePath: Hashable, Sendable, Codable {
    /// From the root down; empty for the root.
    public private(set) var keys: [String]

    /// The tree as a whole.
    public static let root = TreePath(keys: [])
    /// Below it stands what a client knows of its own connection; no server has it (SYNC-5).
    public static let info = TreePath(keys: [infoKey])

    private static let infoKey = ".info"

    private init(keys: [String]) {
        self.keys = keys
    }

    /// Reads keys joined by `/`; a `/` at either end is overlooked, because vendors write paths both ways.
    ///
    /// - Returns: nil where the path is too long or too deep, or a key cannot be one.
    public init?(_ text: String) {
        var scalars = text.utf8[...]
        if scalars.first == UInt8(ascii: "/") { scalars.removeFirst() }
        if scalars.last == UInt8(ascii: "/") { scalars.removeLast() }
        guard scalars.count <= TreeLimit.pathBytesMax else { return nil }
        // Taken apart by bytes: a combining mark behind a `/` would make another character of it.
        keys = scalars.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        if scalars.isEmpty { keys = [] }
        guard keys.count <= TreeLimit.depthMax else { return nil }
        let ordinary = keys.first == TreePath.infoKey ? keys.dropFirst() : keys[...]
        guard ordinary.allSatisfy(TreePath.isKey) else { return nil }
    }

    /// The keys joined by `/`, without one at either end; empty for the root.
    public var text: String { keys.joined(separator: "/") }

    /// Whether it is, or lies in, the part that only the client itself has.
    public var isInfo: Bool { keys.first == TreePath.infoKey }

    /// The place of a child.
    public func appending(_ key: String) -> TreePath { TreePath(keys: keys + [key]) }

    /// The keys that lead here from another place; nil unless that place is this one or above it.
    public func keys(below ancestor: TreePath) -> ArraySlice<String>? {
        keys.starts(with: ancestor.keys) ? keys.dropFirst(ancestor.keys.count) : nil
    }

    /// Whether one of the two places is, or lies above, the other: a change here can be seen there.
    public func meets(_ other: TreePath) -> Bool {
        keys(below: other) != nil || other.keys(below: self) != nil
    }

    /// Whether a text can be a key. The characters left out are those that the vendor keeps for itself.
    static func isKey(_ text: String) -> Bool {
        !text.isEmpty && ProtocolLimit.isText(text, bytesMax: TreeLimit.pathBytesMax)
            && text.utf8.allSatisfy { !reserved.contains($0) }
    }

    private static let reserved = Array("./#$[]".utf8)
}

/// Limits of the tree, the vendor's where a frame can hold as much.
public enum TreeLimit {
    /// A path in UTF-8 bytes.
    public static let pathBytesMax = 768
    /// How many keys may lead from the root to a leaf.
    public static let depthMax = 32
    /// The tree as a whole, and so each value in it, fits into one frame: what is listened to can always be sent. The
    /// vendor has 1 MB for one leaf, which is more than a frame holds. Counted by ``TreeValue/weight``.
    public static let weightMax = 60_000
    /// VisitedPositions that one connection may listen to.
    public static let listenersMax = 100
    /// Changes that may be registered for the end of one connection.
    public static let registrationsMax = 100
}
