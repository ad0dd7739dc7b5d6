import IMProtocol
import IMTree
import SansIO

// The server's answers and events of the tree, the requests that are repeated over a new connection, and the
// notifications of the app.

extension ClientTree {
    // MARK: Answers and events of the server

    /// Handles an answer to a request over this connection.
    ///
    /// - Returns: true if the number belongs to a write, a read or a listener; it may belong to an onDisconnect
    ///   operation.
    mutating func handleAnswer(
        _ number: UInt32, _ status: Status, _ node: TreeNode, over connection: ConnectionID?,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) -> Bool {
        common.timers.cancel(.treeAnswer(number))
        if let index = reads.firstIndex(where: { $0.number == number }) {
            let read = reads.remove(at: index)
            common.timers.cancel(.request(number))
            let shown = client.tree.laidOver(node, at: read.path.keys)?.given(by: read.query) ?? node
            effects.append(.complete(read.command, status == .ok ? answer(read.path, shown) : Completion(status)))
            return true
        }
        guard let index = sentRequests.firstIndex(where: { $0.number == number }) else { return false }
        let context = TreeContext(connection: connection, now: now)
        let time = serverMilliseconds
        switch sentRequests.remove(at: index).kind {
        case .unlisten: break
        case .listen(let listen):
            // If the listen was requested again, only the answer to that request counts, as in ``cancelled``.
            guard !sentRequests.contains(where: { $0.kind == .listen(listen) }) else { break }
            execute(
                client.listened(listen, isRefused: status != .ok, serverTime: time), because: status, context, &common,
                into: &effects)
        case .write(let write):
            execute(
                client.written(write, isRefused: status != .ok, serverTime: time), because: status, context, &common,
                into: &effects)
        case .transaction(let transaction):
            let answer: TreeClient.TransactionAnswer =
                status == .ok ? .taken : status == .transactionStale ? .stale : .refused
            execute(
                client.transacted(transaction, answer, serverTime: time), because: status, context, &common,
                into: &effects)
        }
        return true
    }

    mutating func handleEvent(
        _ data: TreeData, at path: TreePath, over connection: ConnectionID?, _ common: inout ClientCommon,
        at now: Instant, into effects: inout [ClientEffect]
    ) {
        let serverEvent = TreeServerEvent(path: path.keys, change: data.change, listen: data.listen)
        let context = TreeContext(connection: connection, now: now)
        execute(client.receive(serverEvent, serverTime: serverMilliseconds), context, &common, into: &effects)
    }

    /// Handles the end of a listen by the server. If the listen was requested again, this is the end of the earlier
    /// one, and the answer to the new request decides (C-3, C-15). If that answer has arrived already, either listen
    /// may have ended, so the client requests it again (P1).
    mutating func handleCancellation(
        _ listen: UInt64, _ status: Status, over connection: ConnectionID?, _ common: inout ClientCommon,
        at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard !sentRequests.contains(where: { $0.kind == .listen(listen) }) else { return }
        let context = TreeContext(connection: connection, now: now)
        if areListensRepeated == true { return execute(client.resendListens(listen), context, &common, into: &effects) }
        execute(
            client.listened(listen, isRefused: true, serverTime: serverMilliseconds), because: status, context, &common,
            into: &effects)
    }

    // MARK: Connections

    /// Requests all listens again, which brings the current values.
    mutating func repeatListens(
        over connection: ConnectionID, _ common: inout ClientCommon, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        let context = TreeContext(connection: connection, now: now)
        let questions = client.resendListens()
        if !questions.isEmpty { areListensRepeated = true }
        execute(questions, context, &common, into: &effects)
    }

    /// After a confirmed login, restores the state of the old connection, in this order: listeners, each once; writes,
    /// in the order in which they were made; reads; onDisconnect operations that no connection has carried yet (C-15,
    /// SYNC-10).
    mutating func restore(
        over connection: ConnectionID, servers: WallClock, _ calls: inout ClientCalls, _ common: inout ClientCommon,
        at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard common.policy.features.contains(.tree) else { return }
        publishOffset(to: servers, into: &effects)
        advanceTime(to: now)
        publishConnection(true, into: &effects)
        let context = TreeContext(connection: connection, now: now)
        execute(client.connected(serverTime: serverMilliseconds), context, &common, into: &effects)
        for read in reads { send(read, over: connection, into: &effects) }
        let first = queuedOnDisconnects
        queuedOnDisconnects.removeAll()
        for pending in first {
            handleOnDisconnect(pending.request, pending.command, context, &calls, &common, into: &effects)
        }
    }

    /// Handles the loss of the connection.
    mutating func linkLost(_ common: inout ClientCommon, into effects: inout [ClientEffect]) {
        publishConnection(false, into: &effects)
        sentRequests.removeAll()
        areListensRepeated = nil
        guard client.isConnected else { return }
        let context = TreeContext(connection: nil, now: .zero)
        execute(client.disconnected(serverTime: serverMilliseconds), context, &common, into: &effects)
    }

    /// Notifies listeners that the client is connected or not (SYNC-5).
    private mutating func publishConnection(_ isConnected: Bool, into effects: inout [ClientEffect]) {
        self.isConnected = isConnected
        updateInfo(TreeNode(.bool(isConnected)), at: [".info", "connected"], listen: nil, into: &effects)
    }

    /// Publishes the estimated difference between the server's clock and the device's (SYNC-5).
    mutating func publishOffset(to wall: WallClock, into effects: inout [ClientEffect]) {
        guard wall.isServerTime, let servers = wall.zeroMilliseconds, let own = clock.zeroMilliseconds else { return }
        let (offset, overflow) = servers.subtractingReportingOverflow(own)
        guard !overflow else { return }
        offsetMilliseconds = offset
        updateInfo(TreeNode(.number(Double(offset))), at: [".info", "serverTimeOffset"], listen: nil, into: &effects)
    }

    /// Ends everything that waits, because the login has ended (C-1, C-4).
    mutating func end(_ status: Status, into effects: inout [ClientEffect]) {
        let commands =
            writes.map(\.command) + transactions.map(\.command) + reads.map(\.command)
            + queuedOnDisconnects.map(\.command)
        let waiting = device?.waiting.map(\.command) ?? []
        releaseWrites(into: &effects)
        reset()
        for command in commands + waiting { effects.complete(command, status) }
    }

    // MARK: Effects

    /// - Parameter status: the status of the server's answer.
    mutating func execute(
        _ done: [TreeClient.Effect], because status: Status = .ok, _ context: TreeContext,
        _ common: inout ClientCommon, into effects: inout [ClientEffect]
    ) {
        var changes: [TreeStorage.Change] = []
        for effect in done {
            if case .keep(let change) = effect {
                changes.append(change)
                continue
            }
            keep(&changes, into: &effects)
            switch effect {
            case .keep: break
            case .load(let number, let queries): load(number, queries, into: &effects)
            case .recalled(let number, let node):
                recalled(UInt32(truncatingIfNeeded: number), node, &common, into: &effects)
            case .tell(let event): notify(event, into: &effects)
            case .cancelled(let id):
                guard let index = listeners.firstIndex(where: { $0.id == id }) else { continue }
                // The server does not have the listener, so neither does the client (C-15).
                let listener = listeners.remove(at: index)
                effects.append(
                    .notify(.treeCancelled(path: listener.path.text, listener.query.orNil, status)))
            case .send(let request): ask(request, context, &common, into: &effects)
            case .written(let number, let isRefused):
                guard let index = writes.firstIndex(where: { $0.write == number }) else { continue }
                let write = writes.remove(at: index)
                let rows = isRefused ? [] : [write.answer].compactMap(\.self)
                effects.append(.complete(write.command, Completion(isRefused ? status : .ok, rows: rows)))
            case .ended(let number, let outcome):
                guard let index = transactions.firstIndex(where: { $0.transaction == number }) else { continue }
                let transaction = transactions.remove(at: index)
                effects.append(.complete(transaction.command, completion(of: transaction, outcome, status)))
            }
        }
        keep(&changes, into: &effects)
    }

    private func completion(
        of transaction: PendingTransaction, _ outcome: TransactionOutcome, _ status: Status
    ) -> Completion {
        func answer(_ node: TreeNode, _ isCommitted: Bool) -> Completion {
            Completion(
                .ok,
                rows: [
                    AnswerRow([
                        ("path", transaction.path.text), ("committed", String(isCommitted)),
                        ("value", node.description),
                    ])
                ])
        }
        return switch outcome {
        case .committed(let node): answer(node, true)
        case .aborted(let node): answer(node, false)
        case .impossible(let rejectionReason): Completion(TreeRefusal(rejectionReason).status)
        case .tooManyRetries: Completion(.transactionRetries)
        case .overridden: Completion(.transactionOverridden)
        case .disconnected: Completion(.connectionFailed)
        case .refused: Completion(status == .ok ? .forbidden : status)
        }
    }

    func notify(_ event: TreeEvent, into effects: inout [ClientEffect]) {
        guard let listener = listeners.first(where: { $0.id == event.listener }) else { return }
        let path = listener.path.text
        guard event.kind != .value, let key = event.key else {
            return effects.append(.notify(.treeValue(path: path, event.node, listener.query.orNil)))
        }
        effects.append(
            .notify(
                .treeChild(
                    TreeChildNotice(
                        event.kind, path: path, query: listener.query.orNil, key: key, previous: event.previousKey,
                        event.node))))
    }

    /// Sends a request that the server must answer. If no answer comes over a working connection, a frame got lost, and
    /// others may have been lost with it. The connection is ended, and everything is requested again over the next one,
    /// in order (SYNC-10, C-15).
    private mutating func ask(
        _ request: TreeClient.Request, _ context: TreeContext, _ common: inout ClientCommon,
        into effects: inout [ClientEffect]
    ) {
        guard let connection = context.connection else { return }
        let number = common.makeRequestNumber()
        common.timers.set(.treeAnswer(number), at: context.now + common.policy.requestTimeLimit)
        let (kind, frame) = request.pendingKindAndRequest
        sentRequests.append(PendingTreeRequest(number: number, kind: kind))
        for page in frame.frames(request: number) { effects.append(.send(connection, page)) }
    }
}

extension TreeQuery {
    /// Nil if the query selects everything in the default order.
    fileprivate var orNil: TreeQuery? { isDefault ? nil : self }
}

extension TreeClient.Request {
    fileprivate var pendingKindAndRequest: (PendingTreeRequest.Kind, TreeRequest) {
        func text(_ keys: [TreeKey]) -> String { TreePath(keys: keys).text }
        switch self {
        case .listen(let listen, let hash):
            return (
                .listen(listen.number),
                .listen(path: text(listen.path), listen.query, number: listen.number, hash: hash)
            )
        case .unlisten(let listen): return (.unlisten, .unlisten(path: text(listen.path), number: listen.number))
        case .write(let write):
            switch write.change {
            case .set(let node): return (.write(write.id), .set(path: text(write.path), node))
            case .update(let parts): return (.write(write.id), .update(path: text(write.path), parts))
            }
        case .transaction(let id, let keys, let node, let hash):
            return (.transaction(id), .transaction(path: text(keys), node, over: hash))
        }
    }
}
