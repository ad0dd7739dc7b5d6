import IMProtocol
import SansIO

// The synchronised tree: what the app asks for, what the server says, and what goes out again over a new link. The
// view that the app has is in ClientTree.swift, the connection in ClientMachine+Offline.swift.

extension ClientMachine {
    mutating func handle(
        _ request: TreeRequest, clock: TokenClock, command: CommandID, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        guard policy.features.contains(.tree) else { return complete(command, .unsupported, into: &effects) }
        if case .leaving = phase { return complete(command, .cancelled, into: &effects) }
        let checked: CheckedTreeRequest
        do {
            checked = try CheckedTreeRequest(request)
        } catch {
            return complete(command, error.status, into: &effects)
        }
        tree.clock.read(device: clock.deviceMilliseconds, at: now)
        // Any reference opens the one connection, also one to what needs none (SYNC-1).
        openTree(at: now, into: &effects)
        if tree.isConnected && tree.offsetMilliseconds == nil { publishOffset(into: &effects) }
        switch checked.request {
        case .set, .update: write(checked, command: command, at: now, into: &effects)
        case .get: read(checked, command: command, at: now, into: &effects)
        case .listen: listen(checked, command: command, at: now, into: &effects)
        case .unlisten: unlisten(checked, command: command, at: now, into: &effects)
        case .onDisconnect, .cancelOnDisconnect: order(checked, command: command, at: now, into: &effects)
        }
    }

    /// The link over which the tree can be spoken of now.
    private var treeLink: ConnectionID? {
        if case .online = phase { link?.id } else { nil }
    }

    /// Sends what the server has to answer. Where no answer comes over a link that lives, something got lost, and nobody
    /// knows what else: the link is ended, and over the next one all of it is asked again, in order (SYNC-10, C-15).
    private mutating func tell(
        _ request: TreeRequest, number: UInt32, on connection: ConnectionID, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        timers.set(.treeAnswer(number), at: now + policy.requestTimeLimit)
        effects.append(.send(connection, Frame(request: number, .tree(request))))
    }

    private mutating func write(
        _ request: CheckedTreeRequest, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard tree.writes.count < policy.outboxCountMax else {
            return complete(command, .limitExceeded, into: &effects)
        }
        let write = PendingWrite(number: makeRequestNumber(), command: command, request: request)
        tree.writes.append(write)
        if let treeLink { tell(request.request, number: write.number, on: treeLink, at: now, into: &effects) }
        tellListeners(into: &effects)
    }

    /// With a link the server is asked. Without one, what is known is the answer, and where nothing is, a link is waited
    /// for, but not for long.
    private mutating func read(
        _ request: CheckedTreeRequest, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        let path = request.path
        if path.isInfo || treeLink == nil, let known = tree.latest(at: path) {
            return effects.append(.complete(command, answer(path, known)))
        }
        guard tree.reads.count < policy.outboxCountMax else {
            return complete(command, .limitExceeded, into: &effects)
        }
        let read = PendingRead(number: makeRequestNumber(), command: command, path: path)
        tree.reads.append(read)
        let limit = treeLink == nil ? policy.readTimeLimit : policy.requestTimeLimit
        timers.set(.request(read.number), at: now + limit)
        if let treeLink { effects.append(.send(treeLink, Frame(request: read.number, .tree(request.request)))) }
    }

    /// A read whose time is over is answered with what is known, and fails where nothing is.
    ///
    /// - Returns: whether the number is that of a read.
    mutating func readTimedOut(_ number: UInt32, into effects: inout [ClientEffect]) -> Bool {
        guard let index = tree.reads.firstIndex(where: { $0.number == number }) else { return false }
        let read = tree.reads.remove(at: index)
        if let known = tree.latest(at: read.path) {
            effects.append(.complete(read.command, answer(read.path, known)))
        } else {
            complete(read.command, treeLink == nil ? .networkUnavailable : .timeout, into: &effects)
        }
        return true
    }

    private func answer(_ path: TreePath, _ value: TreeValue) -> Completion {
        Completion(.ok, rows: [AnswerRow([("path", path.text), ("value", value.text)])])
    }

    private mutating func listen(
        _ request: CheckedTreeRequest, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard !tree.listeners.contains(where: { $0.path == request.path }) else {
            return complete(command, .ok, into: &effects)
        }
        guard tree.listeners.count < TreeLimit.listenersMax else {
            return complete(command, .limitExceeded, into: &effects)
        }
        tree.listeners.append(TreeListener(path: request.path))
        if let treeLink { askToListen(tree.listeners.count - 1, on: treeLink, at: now, into: &effects) }
        complete(command, .ok, into: &effects)
        tellListeners(into: &effects)
    }

    private mutating func unlisten(
        _ request: CheckedTreeRequest, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        let count = tree.listeners.count
        tree.listeners.removeAll { $0.path == request.path }
        if tree.listeners.count < count, !request.path.isInfo, let treeLink {
            tell(request.request, number: makeRequestNumber(), on: treeLink, at: now, into: &effects)
        }
        complete(command, .ok, into: &effects)
    }

    /// Every place that is listened to, as it is now and from now on.
    mutating func listenAnew(on connection: ConnectionID, at now: Instant, into effects: inout [ClientEffect]) {
        for index in tree.listeners.indices { askToListen(index, on: connection, at: now, into: &effects) }
    }

    private mutating func askToListen(
        _ index: Int, on connection: ConnectionID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        let path = tree.listeners[index].path
        guard !path.isInfo else { return }
        let number = makeRequestNumber()
        tree.listeners[index].number = number
        tell(.listen(path: path.text), number: number, on: connection, at: now, into: &effects)
    }

    /// An order for the end of the connection is bound to the connection that carries it: it waits for its first one,
    /// and is never sent over a second (S-22). When its answer is lost with the link, it fails, set and cancel alike: the
    /// connection that it was for has ended, and nothing of it is registered for the next one (S-26).
    private mutating func order(
        _ request: CheckedTreeRequest, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        if treeLink != nil {
            let pending = PendingRequest(command: command, path: request.path.text)
            return ask(.tree(request.request), for: pending, at: now, into: &effects)
        }
        guard tree.orders.count < policy.outboxCountMax else {
            return complete(command, .limitExceeded, into: &effects)
        }
        tree.orders.append(PendingOrder(command: command, request: request))
    }

    private mutating func tellListeners(into effects: inout [ClientEffect]) {
        for news in tree.news() { effects.append(.notify(.treeValue(path: news.path.text, news.value))) }
    }

    // MARK: What the server says

    mutating func treeAnswered(
        _ number: UInt32, _ status: Status, _ value: TreeValue, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard value.isTidy else { return endLinkForViolation(at: now, into: &effects) }
        timers.cancel(.treeAnswer(number))
        if let index = tree.writes.firstIndex(where: { $0.number == number }) {
            // What it changed has been heard before; if it was refused, its part of the view is taken back.
            let write = tree.writes.remove(at: index)
            tellListeners(into: &effects)
            complete(write.command, status, into: &effects)
        } else if let index = tree.reads.firstIndex(where: { $0.number == number }) {
            let read = tree.reads.remove(at: index)
            timers.cancel(.request(number))
            let shown = tree.overlaid(value, at: read.path) ?? value
            effects.append(.complete(read.command, status == .ok ? answer(read.path, shown) : Completion(status)))
        } else if let index = tree.listeners.firstIndex(where: { $0.number == number }) {
            if status == .ok {
                tree.hear(value, by: index)
                tellListeners(into: &effects)
            } else {
                // The server does not have it, so neither has the client (C-15).
                tree.listeners.remove(at: index)
            }
        } else {
            answered(number, Completion(status), into: &effects)
        }
    }

    mutating func treeChanged(
        at path: String, to value: TreeValue, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard let path = TreePath(path), !path.isInfo, value.isTidy else {
            return endLinkForViolation(at: now, into: &effects)
        }
        // Under way when the app stopped listening.
        guard let index = tree.listeners.firstIndex(where: { $0.path == path }) else { return }
        tree.hear(value, by: index)
        tellListeners(into: &effects)
    }

    // MARK: Links

    /// A confirmed login restores what the old link held, in this order: listeners, each once; writes, as they were
    /// made; reads; orders that no link has carried yet (C-15, SYNC-10).
    mutating func restoreTree(
        on connection: ConnectionID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard policy.features.contains(.tree) else { return }
        publishOffset(into: &effects)
        publishConnection(true, into: &effects)
        listenAnew(on: connection, at: now, into: &effects)
        for write in tree.writes {
            tell(write.request.request, number: write.number, on: connection, at: now, into: &effects)
        }
        for read in tree.reads {
            effects.append(.send(connection, Frame(request: read.number, .tree(.get(path: read.path.text)))))
        }
        let orders = tree.orders
        tree.orders.removeAll()
        for order in orders {
            let pending = PendingRequest(command: order.command, path: order.request.path.text)
            ask(.tree(order.request.request), for: pending, at: now, into: &effects)
        }
    }

    /// Tells listeners that the connection is there, or no longer (SYNC-5).
    mutating func publishConnection(_ isConnected: Bool, into effects: inout [ClientEffect]) {
        tree.isConnected = isConnected
        tellListeners(into: &effects)
    }

    /// How far the server's clock is ahead of the device's, as well as both are known (SYNC-5).
    private mutating func publishOffset(into effects: inout [ClientEffect]) {
        guard wall.isServers, let servers = wall.zeroMilliseconds, let own = tree.clock.zeroMilliseconds else { return }
        let (offset, overflow) = servers.subtractingReportingOverflow(own)
        guard !overflow else { return }
        tree.offsetMilliseconds = offset
        tellListeners(into: &effects)
    }

    /// The login is gone: whatever waited has ended (C-1, C-4).
    mutating func endTree(_ status: Status, into effects: inout [ClientEffect]) {
        let commands =
            tree.writes.map(\.command) + tree.reads.map(\.command) + tree.orders.map(\.command)
        tree.forget()
        for command in commands { complete(command, status, into: &effects) }
    }
}
