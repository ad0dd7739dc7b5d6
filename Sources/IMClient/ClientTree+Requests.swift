import IMProtocol
import SansIO

// What the app asks of the tree, what the server says to it, and what goes out again over a new link.

extension ClientTree {
    /// Takes on what the app asks for.
    ///
    /// - Parameter connection: the link over which the tree can be spoken of now; nil while there is none.
    mutating func take(
        _ request: CheckedTreeRequest, command: CommandID, over connection: ConnectionID?, _ calls: inout ClientCalls,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        switch request.request {
        case .set, .update: write(request, command: command, over: connection, &common, at: now, into: &effects)
        case .get: read(request, command: command, over: connection, &common, at: now, into: &effects)
        case .listen: listen(request, command: command, over: connection, &common, at: now, into: &effects)
        case .unlisten: unlisten(request, command: command, over: connection, &common, at: now, into: &effects)
        case .onDisconnect, .cancelOnDisconnect:
            order(request, command: command, over: connection, &calls, &common, at: now, into: &effects)
        }
    }

    /// Sends what the server has to answer. Where no answer comes over a link that lives, something got lost, and nobody
    /// knows what else: the link is ended, and over the next one all of it is asked again, in order (SYNC-10, C-15).
    private func tell(
        _ request: TreeRequest, number: UInt32, over connection: ConnectionID, _ common: inout ClientCommon,
        at now: Instant, into effects: inout [ClientEffect]
    ) {
        common.timers.set(.treeAnswer(number), at: now + common.policy.requestTimeLimit)
        effects.append(.send(connection, Frame(request: number, .tree(request))))
    }

    private mutating func write(
        _ request: CheckedTreeRequest, command: CommandID, over connection: ConnectionID?,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard writes.count < common.policy.outboxCountMax else { return effects.complete(command, .limitExceeded) }
        let write = PendingWrite(number: common.makeRequestNumber(), command: command, request: request)
        writes.append(write)
        if let connection {
            tell(request.request, number: write.number, over: connection, &common, at: now, into: &effects)
        }
        tellListeners(into: &effects)
    }

    /// With a link the server is asked. Without one, what is known is the answer, and where nothing is, a link is waited
    /// for, but not for long.
    private mutating func read(
        _ request: CheckedTreeRequest, command: CommandID, over connection: ConnectionID?,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        let path = request.path
        if path.isInfo || connection == nil, let known = latest(at: path) {
            return effects.append(.complete(command, answer(path, known)))
        }
        guard reads.count < common.policy.outboxCountMax else { return effects.complete(command, .limitExceeded) }
        let read = PendingRead(number: common.makeRequestNumber(), command: command, path: path)
        reads.append(read)
        let limit = connection == nil ? common.policy.readTimeLimit : common.policy.requestTimeLimit
        common.timers.set(.request(read.number), at: now + limit)
        if let connection { effects.append(.send(connection, Frame(request: read.number, .tree(request.request)))) }
    }

    /// A read whose time is over is answered with what is known, and fails where nothing is.
    ///
    /// - Returns: whether the number is that of a read.
    mutating func readTimedOut(
        _ number: UInt32, over connection: ConnectionID?, into effects: inout [ClientEffect]
    ) -> Bool {
        guard let index = reads.firstIndex(where: { $0.number == number }) else { return false }
        let read = reads.remove(at: index)
        if let known = latest(at: read.path) {
            effects.append(.complete(read.command, answer(read.path, known)))
        } else {
            effects.complete(read.command, connection == nil ? .networkUnavailable : .timeout)
        }
        return true
    }

    private func answer(_ path: TreePath, _ value: TreeValue) -> Completion {
        Completion(.ok, rows: [AnswerRow([("path", path.text), ("value", value.text)])])
    }

    private mutating func listen(
        _ request: CheckedTreeRequest, command: CommandID, over connection: ConnectionID?,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard !listeners.contains(where: { $0.path == request.path }) else { return effects.complete(command, .ok) }
        guard listeners.count < TreeLimit.listenersMax else { return effects.complete(command, .limitExceeded) }
        listeners.append(TreeListener(path: request.path))
        if let connection { askToListen(listeners.count - 1, over: connection, &common, at: now, into: &effects) }
        effects.complete(command, .ok)
        tellListeners(into: &effects)
    }

    private mutating func unlisten(
        _ request: CheckedTreeRequest, command: CommandID, over connection: ConnectionID?,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        let count = listeners.count
        listeners.removeAll { $0.path == request.path }
        if listeners.count < count, !request.path.isInfo, let connection {
            let number = common.makeRequestNumber()
            tell(request.request, number: number, over: connection, &common, at: now, into: &effects)
        }
        effects.complete(command, .ok)
    }

    /// Every place that is listened to, as it is now and from now on.
    mutating func listenAnew(
        over connection: ConnectionID, _ common: inout ClientCommon, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        for index in listeners.indices { askToListen(index, over: connection, &common, at: now, into: &effects) }
    }

    private mutating func askToListen(
        _ index: Int, over connection: ConnectionID, _ common: inout ClientCommon, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        let path = listeners[index].path
        guard !path.isInfo else { return }
        let number = common.makeRequestNumber()
        listeners[index].number = number
        tell(.listen(path: path.text), number: number, over: connection, &common, at: now, into: &effects)
    }

    /// An order for the end of the connection is bound to the connection that carries it: it waits for its first one,
    /// and is never sent over a second (S-22). When its answer is lost with the link, it fails, set and cancel alike: the
    /// connection that it was for has ended, and nothing of it is registered for the next one (S-26).
    private mutating func order(
        _ request: CheckedTreeRequest, command: CommandID, over connection: ConnectionID?, _ calls: inout ClientCalls,
        _ common: inout ClientCommon, at now: Instant, into effects: inout [ClientEffect]
    ) {
        if let connection {
            let pending = PendingRequest(command: command, path: request.path.text)
            return calls.ask(
                .tree(request.request), for: pending, over: connection, &common, at: now, into: &effects)
        }
        guard orders.count < common.policy.outboxCountMax else { return effects.complete(command, .limitExceeded) }
        orders.append(PendingOrder(command: command, request: request))
    }

    private mutating func tellListeners(into effects: inout [ClientEffect]) {
        for news in news() { effects.append(.notify(.treeValue(path: news.path.text, news.value))) }
    }

    // MARK: What the server says

    /// An answer to something that was asked over this link.
    ///
    /// - Returns: whether the number is that of a write, a read or a listener; it may be an order's.
    mutating func answered(
        _ number: UInt32, _ status: Status, _ value: TreeValue, _ common: inout ClientCommon,
        into effects: inout [ClientEffect]
    ) -> Bool {
        common.timers.cancel(.treeAnswer(number))
        if let index = writes.firstIndex(where: { $0.number == number }) {
            // What it changed has been heard before; if it was refused, its part of the view is taken back.
            let write = writes.remove(at: index)
            tellListeners(into: &effects)
            effects.complete(write.command, status)
        } else if let index = reads.firstIndex(where: { $0.number == number }) {
            let read = reads.remove(at: index)
            common.timers.cancel(.request(number))
            let shown = overlaid(value, at: read.path) ?? value
            effects.append(.complete(read.command, status == .ok ? answer(read.path, shown) : Completion(status)))
        } else if let index = listeners.firstIndex(where: { $0.number == number }) {
            if status == .ok {
                hear(value, by: index)
                tellListeners(into: &effects)
            } else {
                // The server does not have it, so neither has the client (C-15).
                listeners.remove(at: index)
            }
        } else {
            return false
        }
        return true
    }

    mutating func changed(at path: TreePath, to value: TreeValue, into effects: inout [ClientEffect]) {
        // Under way when the app stopped listening.
        guard let index = listeners.firstIndex(where: { $0.path == path }) else { return }
        hear(value, by: index)
        tellListeners(into: &effects)
    }

    // MARK: Links

    /// A confirmed login restores what the old link held, in this order: listeners, each once; writes, as they were
    /// made; reads; orders that no link has carried yet (C-15, SYNC-10).
    mutating func restore(
        over connection: ConnectionID, servers: WallClock, _ calls: inout ClientCalls, _ common: inout ClientCommon,
        at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard common.policy.features.contains(.tree) else { return }
        publishOffset(to: servers, into: &effects)
        publishConnection(true, into: &effects)
        listenAnew(over: connection, &common, at: now, into: &effects)
        for write in writes {
            tell(write.request.request, number: write.number, over: connection, &common, at: now, into: &effects)
        }
        for read in reads {
            effects.append(.send(connection, Frame(request: read.number, .tree(.get(path: read.path.text)))))
        }
        let first = orders
        orders.removeAll()
        for pending in first {
            order(
                pending.request, command: pending.command, over: connection, &calls, &common, at: now, into: &effects)
        }
    }

    /// Tells listeners that the connection is there, or no longer (SYNC-5).
    mutating func publishConnection(_ isConnected: Bool, into effects: inout [ClientEffect]) {
        self.isConnected = isConnected
        tellListeners(into: &effects)
    }

    /// How far the server's clock is ahead of the device's, as well as both are known (SYNC-5).
    mutating func publishOffset(to wall: WallClock, into effects: inout [ClientEffect]) {
        guard wall.isServers, let servers = wall.zeroMilliseconds, let own = clock.zeroMilliseconds else { return }
        let (offset, overflow) = servers.subtractingReportingOverflow(own)
        guard !overflow else { return }
        offsetMilliseconds = offset
        tellListeners(into: &effects)
    }

    /// The login is gone: whatever waited has ended (C-1, C-4).
    mutating func end(_ status: Status, into effects: inout [ClientEffect]) {
        let commands = writes.map(\.command) + reads.map(\.command) + orders.map(\.command)
        forget()
        for command in commands { effects.complete(command, status) }
    }
}
