import IMProtocol
import IMTree
import SansIO

// The server's answers and events of the tree, the requests that the client repeats over a new connection, and the
// notifications of the app.

extension ClientTree {
    // MARK: Answers and events of the server

    /// Handles the server's answer to a request.
    ///
    /// - Parameter node: the value of a read; empty for any other request.
    /// - Returns: true if the number belongs to a read, a write, a transaction or a listen. Otherwise the answer may be
    ///   for an onDisconnect operation, which ``ClientCalls`` stores.
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
            // If the client has requested the same listen again, only the answer to the later request counts.
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

    /// Handles a change of the tree that the server has sent as an event.
    mutating func handleEvent(
        _ data: TreeData, at path: TreePath, over connection: ConnectionID?, _ common: inout ClientCommon,
        at now: Instant, into effects: inout [ClientEffect]
    ) {
        let serverEvent = TreeServerEvent(path: path.keys, change: data.change, listen: data.listen)
        let context = TreeContext(connection: connection, now: now)
        execute(client.receive(serverEvent, serverTime: serverMilliseconds), context, &common, into: &effects)
    }

    /// Handles the server's end of a listen. If the client has requested the listen again and has no answer yet, the
    /// end belongs to the first request, and the answer decides whether the listen continues (C-3, C-15). If the answer
    /// has arrived, the end may belong to either request, so the client requests the listen once more (P1).
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

    /// Requests all listens again, so that the server sends their current values.
    mutating func repeatListens(
        over connection: ConnectionID, _ common: inout ClientCommon, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        let context = TreeContext(connection: connection, now: now)
        let requests = client.resendListens()
        if !requests.isEmpty { areListensRepeated = true }
        execute(requests, context, &common, into: &effects)
    }

    /// Restores the state of the old connection after the server has accepted the login. The client requests each
    /// listen once, and sends the pending writes in the order of their commands. Then follow the reads, and the
    /// onDisconnect operations that wait for a first connection (C-15, SYNC-10).
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
        let queued = queuedOnDisconnects
        queuedOnDisconnects.removeAll()
        for pending in queued {
            handleOnDisconnect(pending.request, pending.command, context, &calls, &common, into: &effects)
        }
    }

    /// Handles the end of the connection. Requests without an answer are sent again over the next one.
    mutating func linkLost(_ common: inout ClientCommon, into effects: inout [ClientEffect]) {
        publishConnection(false, into: &effects)
        sentRequests.removeAll()
        areListensRepeated = nil
        guard client.isConnected else { return }
        let context = TreeContext(connection: nil, now: .zero)
        execute(client.disconnected(serverTime: serverMilliseconds), context, &common, into: &effects)
    }

    /// Notifies the listeners of `.info/connected` whether the client is connected (SYNC-5).
    private mutating func publishConnection(_ isConnected: Bool, into effects: inout [ClientEffect]) {
        self.isConnected = isConnected
        updateInfo(TreeNode(.bool(isConnected)), at: [".info", "connected"], listen: nil, into: &effects)
    }

    /// Notifies the listeners of `.info/serverTimeOffset` of the estimated difference between the server's clock and
    /// the device's clock (SYNC-5).
    mutating func publishOffset(to wall: WallClock, into effects: inout [ClientEffect]) {
        guard wall.isServerTime, let servers = wall.zeroMilliseconds, let own = clock.zeroMilliseconds else { return }
        let (offset, overflow) = servers.subtractingReportingOverflow(own)
        guard !overflow else { return }
        offsetMilliseconds = offset
        updateInfo(TreeNode(.number(Double(offset))), at: [".info", "serverTimeOffset"], listen: nil, into: &effects)
    }

    /// Completes all commands that wait with a status, and removes the state of the tree, because the login has ended
    /// (C-1, C-4).
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

    /// Executes the effects of ``TreeClient``: sends requests, completes commands, notifies the app, and stores changes
    /// on the device.
    ///
    /// - Parameter status: the status of the server's answer that caused the effects.
    mutating func execute(
        _ treeEffects: [TreeClient.Effect], because status: Status = .ok, _ context: TreeContext,
        _ common: inout ClientCommon, into effects: inout [ClientEffect]
    ) {
        var changes: [TreeStorage.Change] = []
        for effect in treeEffects {
            if case .keep(let change) = effect {
                changes.append(change)
                continue
            }
            storeChanges(&changes, into: &effects)
            switch effect {
            case .keep: break
            case .load(let number, let queries): load(number, queries, into: &effects)
            case .recalled(let number, let node):
                completeRead(UInt32(truncatingIfNeeded: number), node, &common, into: &effects)
            case .tell(let event): notify(event, into: &effects)
            case .cancelled(let id):
                guard let index = listeners.firstIndex(where: { $0.id == id }) else { continue }
                // The server has no such listen, so the client removes the listener too (C-15).
                let listener = listeners.remove(at: index)
                effects.append(
                    .notify(.treeCancelled(path: listener.path.text, listener.query.orNil, status)))
            case .send(let request): sendRequest(request, context, &common, into: &effects)
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
        storeChanges(&changes, into: &effects)
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

    /// Notifies the app of an event of a listener.
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

    /// Sends a request and sets the time limit of its answer. If no answer comes, the request or the answer was lost,
    /// and later frames may be lost too. The client then ends the connection, and repeats all requests in order over
    /// the next one (SYNC-10, C-15).
    private mutating func sendRequest(
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
    /// The query; nil if it selects everything in the default order.
    fileprivate var orNil: TreeQuery? { isDefault ? nil : self }
}

extension TreeClient.Request {
    /// The request as ``ClientTree/sentRequests`` stores it, and as the frame contains it.
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
