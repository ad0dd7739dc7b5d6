import IMClient
import IMProtocol
import IMServer
import IMSession
import IMTree

/// Records the writes of apps at paths that have only one kind of write. A counter that only transactions change has
/// the number of successful transactions. A path that is written once has the written value (SYNC-4, SYNC-2, P15).
package struct TreeLedger: Checker {
    /// The path of the counter. Only transactions that add 1 run there.
    package static let counter = "n"
    /// The path whose children are each written once.
    package static let once = "w"
    /// Each client writes a child of this path that has the client's name, also by an onDisconnect write (SYNC-6).
    package static let presence = "p"

    private struct Write {
        var path: String
        var isCounted: Bool
    }

    private struct Process {
        var open: [CommandID: Write] = [:]
        var isKept = false
        /// True after the process's first tree command.
        var hasStarted = false
    }

    /// A client's last write at its own path, and the connection over which it was acknowledged.
    private struct OwnWrite {
        var value: TreeNode
        var link: ConnectionID?
    }

    private var ownWrites: [String: OwnWrite] = [:]
    private var ownOpen: [String: [CommandID: TreeNode]] = [:]
    private var ownLast: [String: CommandID] = [:]
    private var processes: [String: Process] = [:]
    /// True if the limit for writes is so low that the server may refuse writes that are sent together.
    private var areWritesFew = false
    private var counted = 0
    /// The number of transactions whose result is unknown.
    private var uncertain = 0
    /// The paths that must have a value, and the client that wrote each of them.
    private var written: [String: String] = [:]
    /// For each client, the paths of the unacknowledged writes that an ended process stored for the next process.
    private var storedPaths: [String: [String]] = [:]

    /// True if the client stores its tree data for its next process.
    package func isKept(_ node: String) -> Bool { processes[node]?.isKept ?? false }

    package init() {}

    package mutating func observeServer(
        _ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]
    ) {
        if case .input(.serverCommand(_, .setPolicy("tree-writes-max", _))) = event.content { areWritesFew = true }
    }

    package mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        let node = event.node
        switch event.content {
        case .input(.clientCommand(let id, .tree(.set(Self.presence + "/" + node, let value), _))):
            ownOpen[node, default: [:]][id] = value
            ownLast[node] = id
            ownWrites[node] = nil
            processes[node, default: Process()].hasStarted = true
        case .effect(.complete(let id, let completion)) where ownOpen[node]?[id] != nil:
            // Only the last write counts, in whatever order the answers arrive.
            guard let value = ownOpen[node]?.removeValue(forKey: id), completion.status == .ok, ownLast[node] == id
            else { return }
            ownWrites[node] = OwnWrite(value: value, link: trace.acceptedLink)
        case .start: processes[node] = Process()
        case .stop: stop(node)
        case .input(.clientCommand(let id, .tree(let command, _))): begin(id, command, node)
        case .effect(.complete(let id, let completion)): complete(id, completion, node)
        default: break
        }
    }

    private mutating func stop(_ node: String) {
        ownOpen[node] = nil
        ownWrites[node] = nil
        guard let process = processes.removeValue(forKey: node) else { return }
        for write in process.open.values {
            if write.isCounted { uncertain += 1 }
            if !write.isCounted, process.isKept { storedPaths[node, default: []].append(write.path) }
        }
    }

    private mutating func begin(_ id: CommandID, _ command: TreeCommand, _ node: String) {
        var process = processes[node] ?? Process()
        defer { processes[node] = process }
        switch command {
        case .persistence(let bytes):
            if !process.hasStarted { process.isKept = bytes != nil }
        case .transaction(let path, _, _) where path == Self.counter:
            process.open[id] = Write(path: path, isCounted: true)
        case .set(let path, _) where path.hasPrefix(Self.once + "/"):
            process.open[id] = Write(path: path, isCounted: false)
        case .update(Self.once, let update) where update.parts.count == 1:
            let path = TreePath(keys: [TreeKey(Self.once)] + update.parts[0].keys).text
            process.open[id] = Write(path: path, isCounted: false)
        default: break
        }
        process.hasStarted = true
    }

    private mutating func complete(_ id: CommandID, _ completion: Completion, _ node: String) {
        guard let write = processes[node]?.open.removeValue(forKey: id) else { return }
        if completion.status == .ok {
            if write.isCounted { counted += 1 } else { written[write.path] = node }
        } else if write.isCounted {
            // If the connection broke before the answer, the result is unknown.
            uncertain += 1
        }
    }

    func checkAtQuiescence(_ client: IdleClient, _ machine: ClientMachine, _ server: ServerMachine) -> [Violation] {
        guard client.hasRecovered, machine.state == .online else { return [] }
        // The counter is shared, so its value is compared only when no other client can be about to increase it.
        return violations(
            of: client.name, root: server.treeRoot, link: client.trace.acceptedLink, isAlone: client.areAllStable)
    }

    private func violations(of node: String, root: TreeNode, link: ConnectionID?, isAlone: Bool) -> [Violation] {
        var violations: [Violation] = []
        // The server performs onDisconnect writes of an older connection before any write of a newer connection (P8).
        if ownOpen[node]?.isEmpty ?? true, let own = ownWrites[node], own.link != nil, own.link == link {
            let currentValue = root[[TreeKey](path: "\(Self.presence)/\(node)")[...]]
            if currentValue != own.value {
                violations.add(
                    .tree, "P8", "an onDisconnect write of an earlier connection is late",
                    "\(currentValue), not \(own.value)")
            }
        }
        for (path, writer) in written.sorted(by: { $0.key < $1.key }) where writer == node {
            guard root[[TreeKey](path: path)[...]].isEmpty else { continue }
            violations.add(.tree, "SYNC-4", "an acknowledged write is missing", path)
        }
        if processes[node]?.isKept == true, !areWritesFew {
            for path in storedPaths[node] ?? [] where root[[TreeKey](path: path)[...]].isEmpty {
                violations.add(.tree, "SYNC-2", "a stored write of an earlier process is not sent", path)
            }
        }
        if isAlone, let value = root[TreeKey(Self.counter)].leaf {
            guard case .number(let number) = value else { return violations }
            if Int(number) < counted || Int(number) > counted + uncertain {
                let detail = "\(Int(number)) after \(counted) transactions"
                violations.add(.tree, "SYNC-5", "the counter does not match the number of transactions", detail)
            }
        }
        return violations
    }
}

extension [TreeKey] {
    /// The keys of a path in a scenario.
    package init(path: String) { self = TreePath(path)?.keys ?? [] }
}
