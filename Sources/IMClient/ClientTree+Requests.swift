import IMProtocol
import IMTree
import SansIO

// The app's commands on the tree.

/// The connection and the time of an operation on the tree.
struct TreeContext {
    /// The connection for requests to the tree; nil while the client is not online.
    var connection: ConnectionID?
    var now: Instant
}

extension ClientTree {
    /// Handles a command of the app.
    ///
    /// - Parameters:
    ///   - path: the command's path, which the caller has checked.
    ///   - instance: a number that no other process has, for unique names of pushed children.
    ///   - connection: the connection for requests to the tree; nil while the client is not online.
    mutating func perform(
        _ command: TreeCommand, at path: TreePath, id: CommandID, instance: UInt64, over connection: ConnectionID?,
        _ calls: inout ClientCalls, _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        let context = TreeContext(connection: connection, now: now)
        switch command {
        case .set(_, let node): write(.set(node), path, "set", nil, id, context, &common, into: &effects)
        case .update(_, let update):
            write(.update(update.parts), path, "update", nil, id, context, &common, into: &effects)
        case .push(_, let node):
            let milliseconds = Int64(exactly: serverMilliseconds.rounded()) ?? 0
            var random = SeededRandom(seed: instance ^ UInt64(truncatingIfNeeded: milliseconds))
            let child = path.appending(childIDs.next(at: milliseconds) { random.next() })
            write(
                .set(node), child, "push", AnswerRow([("path", child.text)]), id, context, &common, into: &effects)
        case .transaction(_, let expression, let isHidden):
            run(expression, path, isHidden: isHidden, id, context, &common, into: &effects)
        case .get(_, let query): read(path, query ?? .all, id, context, &common, into: &effects)
        case .listen(_, let listening):
            listen(listening ?? TreeListening(), at: path, id, context, &common, into: &effects)
        case .unlisten(_, let query): unlisten(query, at: path, id, context, &common, into: &effects)
        case .keep(_, let query, let isOn):
            keepSynced(query ?? .all, at: path, isOn, id, context, &common, into: &effects)
        case .persistence: effects.complete(id, .unsupported)
        case .outline: effects.append(.complete(id, Completion(.ok, rows: outlineRows(of: path))))
        case .onDisconnect(_, let node):
            handleOnDisconnect(.onDisconnect(path: path.text, node), id, context, &calls, &common, into: &effects)
        case .onDisconnectUpdate(_, let update):
            handleOnDisconnect(
                .onDisconnectUpdate(path: path.text, update.parts), id, context, &calls, &common, into: &effects)
        case .cancelOnDisconnect:
            handleOnDisconnect(.cancelOnDisconnect(path: path.text), id, context, &calls, &common, into: &effects)
        }
    }

    private func hasRoom(_ common: ClientCommon) -> Bool {
        writes.count + transactions.count < common.policy.outboxCountMax
    }

    private mutating func write(
        _ change: TreeWrite.Change, _ path: TreePath, _ name: String, _ answer: AnswerRow?, _ command: CommandID,
        _ context: TreeContext, _ common: inout ClientCommon, into effects: inout [ClientEffect]
    ) {
        guard hasRoom(common) else { return effects.complete(command, .limitExceeded) }
        let (number, treeEffects) = client.write(change, at: path.keys, serverTime: serverMilliseconds)
        writes.append(PendingWrite(write: number, command: command, name: name, path: path, answer: answer))
        execute(treeEffects, context, &common, into: &effects)
    }

    private mutating func run(
        _ expression: TransactionExpression, _ path: TreePath, isHidden: Bool, _ command: CommandID,
        _ context: TreeContext, _ common: inout ClientCommon, into effects: inout [ClientEffect]
    ) {
        guard hasRoom(common) else { return effects.complete(command, .limitExceeded) }
        let (number, treeEffects) = client.run(
            expression, at: path.keys, serverTime: serverMilliseconds, isVisible: !isHidden)
        transactions.append(PendingTransaction(transaction: number, command: command, path: path))
        execute(treeEffects, context, &common, into: &effects)
    }

    /// Reads the value of a query. With a connection, the client requests the value from the server. Without one, the
    /// client answers with the known value. If it has no known value, the read waits for a connection until a time
    /// limit.
    private mutating func read(
        _ path: TreePath, _ query: TreeQuery, _ command: CommandID, _ context: TreeContext,
        _ common: inout ClientCommon, into effects: inout [ClientEffect]
    ) {
        if path.isInfo { return effects.append(.complete(command, answer(path, known(query, at: path) ?? .empty))) }
        if context.connection == nil, !client.isPersistent, let known = known(query, at: path) {
            return effects.append(.complete(command, answer(path, known)))
        }
        guard reads.count < common.policy.outboxCountMax else { return effects.complete(command, .limitExceeded) }
        let read = PendingRead(number: common.makeRequestNumber(), command: command, path: path, query: query)
        reads.append(read)
        let limit = context.connection == nil ? common.policy.readTimeLimit : common.policy.requestTimeLimit
        common.timers.set(.request(read.number), at: context.now + limit)
        if let connection = context.connection { return send(read, over: connection, into: &effects) }
        guard client.isPersistent else { return }
        // A value in the copy on the device counts as known.
        execute(client.recall(UInt64(read.number), query, at: path.keys), context, &common, into: &effects)
    }

    /// Completes a read with the value in the copy on the device. Does nothing if the copy lacks a part of the value.
    mutating func completeRead(
        _ number: UInt32, _ node: TreeNode?, _ common: inout ClientCommon, into effects: inout [ClientEffect]
    ) {
        guard let node, let index = reads.firstIndex(where: { $0.number == number }) else { return }
        let read = reads.remove(at: index)
        common.timers.cancel(.request(number))
        effects.append(.complete(read.command, answer(read.path, node)))
    }

    func send(_ read: PendingRead, over connection: ConnectionID, into effects: inout [ClientEffect]) {
        effects.append(
            .send(connection, Frame(request: read.number, .tree(.get(path: read.path.text, read.query)))))
    }

    /// Handles the time limit of a read. The read completes with the known value, or fails if there is none.
    ///
    /// - Returns: true if the number belongs to a read.
    mutating func readTimedOut(
        _ number: UInt32, over connection: ConnectionID?, into effects: inout [ClientEffect]
    ) -> Bool {
        guard let index = reads.firstIndex(where: { $0.number == number }) else { return false }
        let read = reads.remove(at: index)
        if let known = known(read.query, at: read.path) {
            effects.append(.complete(read.command, answer(read.path, known)))
        } else {
            effects.complete(read.command, connection == nil ? .networkUnavailable : .timeout)
        }
        return true
    }

    func answer(_ path: TreePath, _ node: TreeNode) -> Completion {
        Completion(.ok, rows: [AnswerRow([("path", path.text), ("value", node.description)])])
    }

    // MARK: Listeners

    private mutating func listen(
        _ listening: TreeListening, at path: TreePath, _ command: CommandID, _ context: TreeContext,
        _ common: inout ClientCommon, into effects: inout [ClientEffect]
    ) {
        let isRegistered = listeners.contains {
            $0.path == path && $0.query == listening.query && $0.kinds == listening.kinds
        }
        guard !isRegistered else { return effects.complete(command, .ok) }
        guard listeners.count < TreeLimit.listenersMax else { return effects.complete(command, .limitExceeded) }
        lastListener &+= 1
        let id = TreeListenerID(rawValue: lastListener)
        listeners.append(AppListener(id: id, path: path, query: listening.query, kinds: listening.kinds))
        guard path.isInfo else {
            let treeEffects = client.listen(id, to: listening.query, at: path.keys, kinds: listening.kinds)
            // The request to the server is sent first. The command completes before the app gets the first event.
            execute(treeEffects.filter { $0.isRequest }, context, &common, into: &effects)
            effects.complete(command, .ok)
            return execute(treeEffects.filter { !$0.isRequest }, context, &common, into: &effects)
        }
        effects.complete(command, .ok)
        for effect in info.listen(id, to: listening.query, at: path.keys, kinds: listening.kinds) {
            switch effect {
            case .tell(let event): notify(event, into: &effects)
            case .listen(let listen):
                guard let node = infoNode(at: TreePath(keys: listen.path)) else { continue }
                updateInfo(node.given(by: listen.query), at: listen.path, listen: listen.number, into: &effects)
                for case .tell(let event) in info.complete(listen.number) { notify(event, into: &effects) }
            case .unlisten, .cancelled: break
            }
        }
    }

    /// Changes a value of `.info` and notifies its listeners.
    mutating func updateInfo(
        _ node: TreeNode, at keys: [TreeKey], listen: UInt64?, into effects: inout [ClientEffect]
    ) {
        for case .tell(let event) in info.receive(node, at: keys, listen: listen) { notify(event, into: &effects) }
    }

    private mutating func unlisten(
        _ query: TreeQuery?, at path: TreePath, _ command: CommandID, _ context: TreeContext,
        _ common: inout ClientCommon, into effects: inout [ClientEffect]
    ) {
        let removed = listeners.filter { $0.path == path && (query == nil || $0.query == query) }
        listeners.removeAll { removed.contains($0) }
        for listener in removed {
            if path.isInfo {
                _ = info.unlisten(listener.id, to: listener.query, at: path.keys)
            } else {
                let treeEffects = client.unlisten(listener.id, to: listener.query, at: path.keys)
                execute(treeEffects, context, &common, into: &effects)
            }
        }
        effects.complete(command, .ok)
    }

    /// Starts or stops keeping the result of a query up to date without a listener (SYNC-3).
    private mutating func keepSynced(
        _ query: TreeQuery, at path: TreePath, _ isOn: Bool, _ command: CommandID, _ context: TreeContext,
        _ common: inout ClientCommon, into effects: inout [ClientEffect]
    ) {
        guard !path.isInfo else { return effects.complete(command, .invalidArgument) }
        guard !isOn || client.keptQueries.count < TreeLimit.listenersMax else {
            return effects.complete(command, .limitExceeded)
        }
        execute(client.keepSynced(query, at: path.keys, isOn: isOn), context, &common, into: &effects)
        effects.complete(command, .ok)
    }

    // MARK: onDisconnect operations

    /// Sends an onDisconnect operation, or its cancellation, or queues it until there is a connection. The server
    /// registers an operation for one connection, so the client never sends it over a second one (S-22). If the
    /// connection ends before the answer, the command fails: nothing is registered for the next connection (S-26).
    mutating func handleOnDisconnect(
        _ request: TreeRequest, _ command: CommandID, _ context: TreeContext, _ calls: inout ClientCalls,
        _ common: inout ClientCommon, into effects: inout [ClientEffect]
    ) {
        if let connection = context.connection {
            let pending = PendingRequest(command: command, path: request.path.isEmpty ? "/" : request.path)
            return calls.sendRequest(request, for: pending, over: connection, &common, at: context.now, into: &effects)
        }
        guard queuedOnDisconnects.count < common.policy.outboxCountMax else {
            return effects.complete(command, .limitExceeded)
        }
        queuedOnDisconnects.append(PendingOnDisconnect(command: command, request: request))
    }
}

extension TreeClient.Effect {
    fileprivate var isRequest: Bool {
        if case .send = self { true } else { false }
    }
}
