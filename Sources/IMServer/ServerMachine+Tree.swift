import IMProtocol
import SansIO

// The synchronised tree: what clients ask for, and who is told of what comes of it (SYNC-1 and following).

extension ServerMachine {
    mutating func handle(
        _ request: TreeRequest, request number: UInt32, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        let (status, value) = carryOut(request, on: id, at: now, into: &effects)
        // After the news, so that a client whose write is acknowledged has seen what came of it.
        effects.append(.send(id, Frame(request: number, .treeAck(status, value))))
    }

    private mutating func carryOut(
        _ request: TreeRequest, on id: ConnectionID, at now: Instant, into effects: inout [ServerEffect]
    ) -> (Status, TreeValue) {
        let checked: CheckedTreeRequest
        do {
            checked = try CheckedTreeRequest(request)
        } catch {
            return (error.status, .null)
        }
        // What a client knows of its own connection is not here (SYNC-5).
        guard !checked.path.isInfo else { return (.invalidArgument, .null) }
        let policy = policy
        switch checked.request {
        case .set, .update, .onDisconnect, .cancelOnDisconnect:
            guard connections[id]?.mayWrite(at: now, policy) != false else { return (.rateLimited, .null) }
        case .get, .listen, .unlisten: break
        }
        switch checked.request {
        case .set, .update: return (change(into: &effects) { $0.apply(checked.changes) }, .null)
        case .get: return (.ok, tree[checked.path])
        case .listen:
            guard tree.listen(id, at: checked.path) else { return (.limitExceeded, .null) }
            return (.ok, tree[checked.path])
        case .unlisten:
            tree.unlisten(id, at: checked.path)
            return (.ok, .null)
        case .onDisconnect: return (tree.register(checked.changes, for: id) ? .ok : .limitExceeded, .null)
        case .cancelOnDisconnect:
            tree.cancel(at: checked.path, for: id)
            return (.ok, .null)
        }
    }

    /// Changes the tree and tells everybody who can see it.
    private mutating func change(
        into effects: inout [ServerEffect], _ body: (inout ServerTree) -> Bool
    ) -> Status {
        let before = tree.root
        guard body(&tree) else { return .limitExceeded }
        for news in tree.news(since: before) {
            effects.append(.send(news.connection, Frame(.treeData(path: news.path.text, news.value))))
        }
        return .ok
    }

    /// What was registered for the end of a connection is done, once, however it ended (SYNC-6). The connection is gone
    /// by then, and whatever the same device says over another one comes after this.
    mutating func runDisconnectOperations(of id: ConnectionID, into effects: inout [ServerEffect]) {
        // Most connections leave nothing to do; who only listened changes nothing that others see.
        guard tree.orders[id] != nil else { return tree.forgetListener(id) }
        _ = change(into: &effects) {
            $0.end(id)
            return true
        }
    }
}
