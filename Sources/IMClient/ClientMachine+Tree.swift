import IMProtocol
import SansIO

// The synchronised tree, as far as the client's phase has a say in it. What is asked and heard of it is in
// ClientTree+Requests.swift, the view that the app has in ClientTree.swift, the connection in
// ClientMachine+Offline.swift.

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
        if tree.isConnected && tree.offsetMilliseconds == nil { tree.publishOffset(to: wall, into: &effects) }
        tree.take(checked, command: command, over: treeLink, &calls, &common, at: now, into: &effects)
    }

    /// The link over which the tree can be spoken of now.
    var treeLink: ConnectionID? {
        if case .online(_, let link, _) = phase { link.id } else { nil }
    }

    mutating func treeAnswered(
        _ number: UInt32, _ status: Status, _ value: TreeValue, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard value.isTidy else { return endLinkForViolation(at: now, into: &effects) }
        let isKnown = tree.answered(number, status, value, &common, into: &effects)
        if !isKnown { answered(number, Completion(status), into: &effects) }
    }

    mutating func treeChanged(
        at path: String, to value: TreeValue, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard let path = TreePath(path), !path.isInfo, value.isTidy else {
            return endLinkForViolation(at: now, into: &effects)
        }
        tree.changed(at: path, to: value, into: &effects)
    }
}
