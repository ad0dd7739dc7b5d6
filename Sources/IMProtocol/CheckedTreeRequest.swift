import IMTree

/// The reason why a tree request is refused.
public struct TreeRefusal: Error, Hashable, Sendable {
    /// The status of the refusal: ``Status/invalidArgument``, ``Status/valueTooLarge``, ``Status/requestTooLarge``, or
    /// ``Status/rateLimited`` if a query requests too many children.
    public let status: Status

    init(_ status: Status) { self.status = status }

    /// Converts a validation error to a status.
    public init(_ rejectionReason: TreeValidationError) {
        switch rejectionReason {
        case .path, .number: status = .invalidArgument
        case .leaf: status = .valueTooLarge
        case .write: status = .requestTooLarge
        }
    }
}

/// A validated tree request: its path is valid, and its nodes are within the limits. The client validates a request, so
/// that it never sends one that the server must refuse. The server validates it again, because it does not trust
/// clients.
public struct CheckedTreeRequest: Hashable, Sendable, Codable {
    /// The request. Its path has the form that frames contain.
    public let request: TreeRequest
    /// The path of the request.
    public let path: TreePath

    /// Validates a request.
    ///
    /// - Throws: the reason for the refusal.
    public init(_ request: TreeRequest) throws(TreeRefusal) {
        guard let path = TreePath(request.path) else { throw TreeRefusal(.invalidArgument) }
        self.path = path
        let text = path.text
        func check(_ change: TreeWrite.Change) throws(TreeRefusal) {
            guard !path.isInfo else { throw TreeRefusal(.invalidArgument) }
            if case .update(let parts) = change, parts.isEmpty || path.isPriority || parts.overlap {
                throw TreeRefusal(.invalidArgument)
            }
            if path.isPriority, case .set(let node) = change, !node.isEmpty, !node.isLeaf || node.priority != nil {
                throw TreeRefusal(.invalidArgument)
            }
            let depth = path.keys.count - (path.isPriority ? 1 : 0)
            if let rejectionReason = change.rejectionReason(depth: depth) { throw TreeRefusal(rejectionReason) }
        }
        func checkReadable(_ query: TreeQuery = .all) throws(TreeRefusal) {
            if path.isPriority { throw TreeRefusal(.invalidArgument) }
            if let limit = query.limit, limit.count > TreeLimits.queryCountMax { throw TreeRefusal(.rateLimited) }
        }
        switch request {
        case .set(_, let node):
            try check(.set(node))
            self.request = .set(path: text, node)
        case .update(_, let parts):
            try check(.update(parts))
            self.request = .update(path: text, parts)
        case .transaction(_, let node, let hash):
            try check(.set(node))
            try checkReadable()
            self.request = .transaction(path: text, node, over: hash)
        case .onDisconnect(_, let node):
            try check(.set(node))
            self.request = .onDisconnect(path: text, node)
        case .onDisconnectUpdate(_, let parts):
            try check(.update(parts))
            self.request = .onDisconnectUpdate(path: text, parts)
        case .cancelOnDisconnect:
            // No operation can be registered below `.info`.
            guard !path.isInfo else { throw TreeRefusal(.invalidArgument) }
            self.request = .cancelOnDisconnect(path: text)
        case .get(_, let query):
            try checkReadable(query)
            self.request = .get(path: text, query)
        case .listen(_, let query, let number, let hash):
            try checkReadable(query)
            self.request = .listen(path: text, query, number: number, hash: hash)
        case .unlisten(_, let number):
            try checkReadable()
            self.request = .unlisten(path: text, number: number)
        }
    }

    /// The change that the request makes, at once or when the connection ends; nil for a request that changes no data.
    public var change: TreeWrite.Change? {
        switch request {
        case .set(_, let node), .transaction(_, let node, _), .onDisconnect(_, let node): .set(node)
        case .update(_, let parts), .onDisconnectUpdate(_, let parts): .update(parts)
        case .get, .listen, .unlisten, .cancelOnDisconnect: nil
        }
    }
}

extension [TreeWrite.Part] {
    /// True if one of the paths is empty, equal to another one, or above another one. In sorted order a path directly
    /// precedes the paths below it, so only neighbours are compared.
    fileprivate var overlap: Bool {
        let paths = map(\.keys).sorted { $0.lexicographicallyPrecedes($1) }
        return zip(paths, paths.dropFirst()).contains { $1.starts(with: $0) } || paths.first?.isEmpty == true
    }
}
