import IMProtocol
import IMTree
import SansIO

// The part of the tree's code that depends on the client's phase. `ClientTree` handles requests and events, `IMTree`
// stores the known values, and `ClientMachine+Offline.swift` opens the connection.

extension ClientMachine {
    mutating func handle(
        _ request: TreeCommand, clock: TokenClock, command: CommandID, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        guard policy.features.contains(.tree) else { return effects.complete(command, .unsupported) }
        if case .leaving = phase { return effects.complete(command, .cancelled) }
        let path: TreePath
        do {
            path = try request.checkedPath
        } catch {
            return effects.complete(command, error.status)
        }
        if case .persistence(let bytesMax) = request {
            return tree.setPersistence(bytesMax, command, into: &effects)
        }
        if request.isReference {
            guard !tree.queueUntilOpen(with: request, clock, command, common, into: &effects) else { return }
            tree.clock.read(device: clock.deviceMilliseconds, at: now)
            tree.advanceTime(to: now)
            // Any reference to the tree opens the connection, even if the command needs none (SYNC-1).
            openTree(at: now, into: &effects)
            if tree.isConnected && tree.offsetMilliseconds == nil { tree.publishOffset(to: wall, into: &effects) }
        }
        tree.perform(
            request, at: path, id: command, instance: instance, over: treeLink, &calls, &common, at: now,
            into: &effects)
    }

    /// Handles an answer of the device's storage. Requests that waited for the storage to open are executed now.
    mutating func treeDeviceAnswered(
        _ answer: TreeDataAnswer, at now: Instant, into effects: inout [ClientEffect]
    ) {
        tree.advanceTime(to: now)
        for waiting in tree.deviceAnswered(answer, over: treeLink, &common, at: now, into: &effects) {
            handle(waiting.request, clock: waiting.clock, command: waiting.command, at: now, into: &effects)
        }
    }

    /// The connection for requests to the tree; nil while the client is not online.
    var treeLink: ConnectionID? {
        if case .online(_, let link, _) = phase { link.id } else { nil }
    }

    mutating func treeAnswered(
        _ number: UInt32, _ status: Status, _ node: TreeNode, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard node.isSound else { return endLinkForViolation(at: now, into: &effects) }
        tree.advanceTime(to: now)
        let isKnown = tree.handleAnswer(number, status, node, over: treeLink, &common, at: now, into: &effects)
        if !isKnown { calls.end(number, Completion(status), &common, into: &effects) }
    }

    mutating func treeChanged(_ data: TreeData, at now: Instant, into effects: inout [ClientEffect]) {
        guard let path = TreePath(data.path), !path.isInfo, data.change.isSound(below: path) else {
            return endLinkForViolation(at: now, into: &effects)
        }
        tree.advanceTime(to: now)
        tree.handleEvent(data, at: path, over: treeLink, &common, at: now, into: &effects)
    }
}

extension TreeWrite.Change {
    /// True if a server may send this change. Values that exceed the limits for writes of a client are permitted.
    fileprivate func isSound(below path: TreePath) -> Bool {
        switch rejectionReason(depth: path.keys.count - (path.isPriority ? 1 : 0)) {
        case nil, .leaf, .write: true
        case .path, .number: false
        }
    }
}
