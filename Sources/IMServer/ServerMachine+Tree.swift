import IMProtocol
import IMTree
import SansIO

// The synchronised tree: the requests of clients, and the events for listeners (SYNC-1 and following).

extension ServerMachine {
    mutating func handle(
        _ request: TreeRequest, _ frame: Frame, on id: ConnectionID, at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard connections[id]?.takesTree(request, frame) != false,
            let request = whole(request, frame, on: id, at: now, into: &effects)
        else { return }
        let (status, node) = execute(request, on: id, at: now, into: &effects)
        // After the events, so that a client whose write is acknowledged has received its consequences.
        let pages = node.pages.map { FrameBody.treeAck(status, $0) }
        for page in FramePages.frames(request: frame.request, pages) { effects.append(.send(id, page)) }
    }

    /// The request joined with its earlier pages; nil until the last one has arrived. If one is missing, nothing is
    /// done: the client gets no answer, and sends the request again.
    private mutating func whole(
        _ request: TreeRequest, _ frame: Frame, on id: ConnectionID, at now: Instant, into effects: inout [ServerEffect]
    ) -> TreeRequest? {
        guard frame.hasMore || frame.page > 0 else { return request }
        guard frame.page < TreeLimit.pagesMax else {
            refuse(id, .protocolViolation, detail: "too much for one request", at: now, into: &effects)
            return nil
        }
        let joined = frame.page == 0 ? frame : connections[id]?.treePages?.joined(with: frame)
        connections[id]?.treePages = joined?.hasMore == true ? joined : nil
        guard let joined, !joined.hasMore, case .tree(let whole) = joined.body else { return nil }
        return whole
    }

    private mutating func execute(
        _ request: TreeRequest, on id: ConnectionID, at now: Instant, into effects: inout [ServerEffect]
    ) -> (Status, TreeNode) {
        let checked: CheckedTreeRequest
        do {
            checked = try CheckedTreeRequest(request)
        } catch {
            return (error.status, .empty)
        }
        // A client's information about its own connection is not in this tree (SYNC-5).
        guard !checked.path.isInfo else { return (.invalidArgument, .empty) }
        let policy = policy
        switch checked.request {
        case .set, .update, .transaction, .onDisconnect, .onDisconnectUpdate, .cancelOnDisconnect:
            guard connections[id]?.mayWrite(at: now, policy) != false else { return (.rateLimited, .empty) }
        case .get, .listen, .unlisten: break
        }
        let (keys, change) = (checked.path.keys, checked.change)
        let user = connections[id]?.user ?? ""
        guard tree.rules.allow(checked, to: user) else { return (.forbidden, .empty) }
        switch checked.request {
        // 26301: a value that does not exist has no priority.
        case .set(_, let node)
        where checked.path.isPriority && !node.isEmpty && tree.root[keys.dropLast()].isEmpty:
            return (.notFound, .empty)
        case .set, .update: return (apply(change, at: keys, now, into: &effects), .empty)
        case .transaction(_, _, let hash):
            guard tree.hasHash(hash, at: keys) else { return (.transactionStale, .empty) }
            return (apply(change, at: keys, now, into: &effects), .empty)
        case .get(_, let query): return (.ok, tree.root[keys[...]].given(by: query))
        case .listen(_, let query, let number, let hash):
            let listen = TreeListen(number: number, path: keys, query: query)
            guard let first = tree.listen(listen, hash: hash, by: id) else { return (.limitExceeded, .empty) }
            if let first { notify([(TreeClientID(rawValue: UInt64(id.rawValue)), first)], into: &effects) }
            return (.ok, .empty)
        case .unlisten(_, let number):
            tree.unlisten(number, by: id)
            return (.ok, .empty)
        case .onDisconnect, .onDisconnectUpdate:
            guard let change else { return (.invalidArgument, .empty) }
            return (tree.register(change, at: checked.path, for: id, by: user) ? .ok : .limitExceeded, .empty)
        case .cancelOnDisconnect:
            return (tree.cancel(at: checked.path, for: id) ? .ok : .limitExceeded, .empty)
        }
    }

    /// Changes the tree and notifies every listener that can see the change.
    private mutating func apply(
        _ change: TreeWrite.Change?, at keys: [TreeKey], _ now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard let change = change?.resolved(at: Double(wallClock(at: now))) else { return .invalidArgument }
        guard let news = tree.apply(change, at: keys) else { return .limitExceeded }
        notify(news, into: &effects)
        return .ok
    }

    private func notify(_ news: ServerTree.News, into effects: inout [ServerEffect]) {
        for (client, one) in news {
            let data = TreeData(listen: one.listen, path: TreePath(keys: one.path).text, one.change)
            for frame in data.frames { effects.append(.send(client.connection, frame)) }
        }
    }

    // MARK: Rules

    /// Sets who may read and write a path and below it; listens that are no longer allowed are cancelled (26101).
    mutating func setTreeRule(_ rule: TreeRule, at text: String, into effects: inout [ServerEffect]) -> Status {
        guard let path = TreePath(text), !path.isInfo, !path.isPriority else { return .invalidArgument }
        let connections = connections
        guard let ended = tree.setRule(rule, at: path.keys, user: { connections[$0]?.user }) else {
            return .limitExceeded
        }
        for one in ended {
            effects.append(.send(one.connection, Frame(.treeCancelled(listen: one.listen, .forbidden))))
        }
        return .ok
    }

    /// One row for each path that has a rule.
    var treeRuleRows: [[ServerAnswerField]] {
        tree.rules.all.map { place, rule in
            [
                ServerAnswerField("path", "/" + TreePath(keys: place).text),
                ServerAnswerField("read", rule.read?.description ?? "-"),
                ServerAnswerField("write", rule.write?.description ?? "-"),
            ]
        }
    }

    /// Runs the onDisconnect operations of a connection, once, however it ended (SYNC-6). The connection no longer
    /// exists then; requests of the same device over another one come after this.
    mutating func runDisconnectOperations(of id: ConnectionID, at now: Instant, into effects: inout [ServerEffect]) {
        notify(tree.end(id, at: Double(wallClock(at: now))), into: &effects)
    }
}

extension TreeRules {
    /// True if a user may make that request.
    fileprivate func allow(_ request: CheckedTreeRequest, to user: String) -> Bool {
        switch request.request {
        case .get, .listen: allow(.read, at: request.path.keys, to: user)
        case .unlisten, .cancelOnDisconnect: true
        case .set, .update, .transaction, .onDisconnect, .onDisconnectUpdate:
            request.change.map { allow($0, at: request.path.keys, to: user) } ?? true
        }
    }
}
