import IMProtocol
import IMTree
import SansIO

// The shared data tree: the requests of clients, and the events for listeners (SYNC-1 and following).

extension ServerMachine {
    mutating func handle(
        _ request: TreeRequest, _ frame: Frame, on id: ConnectionID, at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard connections[id]?.accepts(request, frame) != false,
            let request = whole(request, frame, on: id, at: now, into: &effects)
        else { return }
        let (status, node) = execute(request, on: id, at: now, into: &effects)
        // The answer is sent after the events, so that a client receives the events of its write before the
        // acknowledgement.
        let pages = node.pages.map { FrameBody.treeAck(status, $0) }
        for page in FramePages.frames(request: frame.request, pages) { effects.append(.send(id, page)) }
    }

    /// A request with all its pages; nil if pages are still to arrive. If a page was lost, the request is ignored: the
    /// client gets no answer and sends it again.
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
        // The values below `.info` describe the connection of a client. Each client computes them, and the shared tree
        // does not contain them (SYNC-5).
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
        // Wilddog's code 26301: only an existing value can have a priority.
        case .set(_, let node)
        where checked.path.isPriority && !node.isEmpty && tree.root[keys.dropLast()].isEmpty:
            return (.notFound, .empty)
        case .set, .update: return (apply(change, at: keys, now, into: &effects), .empty)
        case .transaction(_, _, let hash):
            guard tree.root[keys[...]].hash == hash else { return (.transactionStale, .empty) }
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

    /// Changes the tree, and notifies every listener whose value changes.
    private mutating func apply(
        _ change: TreeWrite.Change?, at keys: [TreeKey], _ now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard let change = change?.resolved(at: Double(wallClock(at: now))) else { return .invalidArgument }
        guard let events = tree.apply(change, at: keys) else { return .limitExceeded }
        notify(events, into: &effects)
        return .ok
    }

    private func notify(_ events: [TreeServer.ClientEvent], into effects: inout [ServerEffect]) {
        for (client, event) in events {
            let data = TreeData(listen: event.listen, path: TreePath(keys: event.path).text, event.change)
            for frame in data.frames { effects.append(.send(client.connection, frame)) }
        }
    }

    // MARK: Rules

    /// Sets the security rule of a path, which also applies below it. Cancels the listens that the rule no longer
    /// allows (Wilddog's code 26101).
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

    /// The security rules, as one row for each path that has a rule.
    var treeRuleRows: [[ServerAnswerField]] {
        tree.rules.all.map { keys, rule in
            [
                ServerAnswerField("path", "/" + TreePath(keys: keys).text),
                ServerAnswerField("read", rule.read?.description ?? "-"),
                ServerAnswerField("write", rule.write?.description ?? "-"),
            ]
        }
    }

    /// Runs the onDisconnect operations of a connection once, however the connection ended (SYNC-6). They run before
    /// any request of the same device over a newer connection.
    mutating func runDisconnectOperations(of id: ConnectionID, at now: Instant, into effects: inout [ServerEffect]) {
        notify(tree.end(id, at: Double(wallClock(at: now))), into: &effects)
    }
}

extension TreeRules {
    /// True if the security rules allow a user to make a request.
    fileprivate func allow(_ request: CheckedTreeRequest, to user: String) -> Bool {
        switch request.request {
        case .get, .listen: allow(.read, at: request.path.keys, to: user)
        case .unlisten, .cancelOnDisconnect: true
        case .set, .update, .transaction, .onDisconnect, .onDisconnectUpdate:
            request.change.map { allow($0, at: request.path.keys, to: user) } ?? true
        }
    }
}
