/// One value put in one place; null removes what is there.
public struct TreeChange: Hashable, Sendable, Codable {
    /// Where it is put.
    public var path: TreePath
    /// What is put there.
    public var value: TreeValue

    /// Puts a value in a place; null removes.
    public init(path: TreePath, value: TreeValue) {
        self.path = path
        self.value = value
    }
}

/// Why a request about the tree is not carried out.
public struct TreeRefusal: Error, Hashable, Sendable {
    /// ``Status/invalidArgument``, ``Status/valueTooLarge`` or ``Status/requestTooLarge``.
    public let status: Status
}

/// A request about the tree that has been looked through: its path is one, its value keeps within the limits and is in
/// order. Both sides look: the client, so that it never sends what would end its connection, the server, because it
/// trusts nobody.
public struct CheckedTreeRequest: Hashable, Sendable, Codable {
    /// As it goes over the wire.
    public let request: TreeRequest
    /// The place that the request is about.
    public let path: TreePath
    /// What it puts where, now or when the connection ends; empty for what only reads.
    public let changes: [TreeChange]

    /// - Throws: ``Status/invalidArgument`` for what no tree can hold, ``Status/valueTooLarge`` and
    ///   ``Status/requestTooLarge`` for what is.
    public init(_ request: TreeRequest) throws(TreeRefusal) {
        guard let path = TreePath(request.path) else { throw TreeRefusal(status: .invalidArgument) }
        self.path = path
        let text = path.text
        switch request {
        case .set(_, let value):
            changes = [TreeChange(path: path, value: try Self.checked(value, at: path))]
            self.request = .set(path: text, changes[0].value)
        case .update(_, let value):
            changes = try Self.children(of: value, at: path)
            self.request = .update(path: text, Self.parts(of: changes))
        case .onDisconnect(_, let value, merges: false):
            changes = [TreeChange(path: path, value: try Self.checked(value, at: path))]
            self.request = .onDisconnect(path: text, changes[0].value, merges: false)
        case .onDisconnect(_, let value, merges: true):
            changes = try Self.children(of: value, at: path)
            self.request = .onDisconnect(path: text, Self.parts(of: changes), merges: true)
        case .cancelOnDisconnect:
            // Nobody can have registered anything there.
            guard !path.isInfo else { throw TreeRefusal(status: .invalidArgument) }
            changes = []
            self.request = .cancelOnDisconnect(path: text)
        case .get:
            changes = []
            self.request = .get(path: text)
        case .listen:
            changes = []
            self.request = .listen(path: text)
        case .unlisten:
            changes = []
            self.request = .unlisten(path: text)
        }
    }

    private static func checked(_ value: TreeValue, at path: TreePath) throws(TreeRefusal) -> TreeValue {
        guard !path.isInfo, value.isSound(depth: path.keys.count) else { throw TreeRefusal(status: .invalidArgument) }
        guard value.weight <= TreeLimit.weightMax else {
            throw TreeRefusal(status: value.hasLeaf(above: TreeLimit.weightMax) ? .valueTooLarge : .requestTooLarge)
        }
        return value.tidy
    }

    /// An update's children, in order and each once; here a null is meant: it removes that child.
    private static func children(of value: TreeValue, at path: TreePath) throws(TreeRefusal) -> [TreeChange] {
        guard case .children(let children) = value, !children.isEmpty else {
            throw TreeRefusal(status: .invalidArgument)
        }
        _ = try checked(value, at: path)
        return TreeValue.inOrder(children).map {
            TreeChange(path: path.appending($0.key), value: $0.value.tidy)
        }
    }

    private static func parts(of changes: [TreeChange]) -> TreeValue {
        .children(changes.map { TreeChild($0.path.keys.last ?? "", $0.value) })
    }
}
