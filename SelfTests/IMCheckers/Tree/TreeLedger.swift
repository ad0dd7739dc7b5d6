import IMClient
import IMProtocol
import IMServer
import IMSession
import IMTree

/// The writes of apps at paths with one kind of write. A counter that only transactions change shows how many of them
/// succeeded. A path that is written once has its value (SYNC-4, SYNC-2, P15).
package struct TreeLedger: Checker {
    /// The path at which only transactions that add one run.
    package static let counter = "n"
    /// The path below which each path is written once.
    package static let once = "w"
    /// The path below which each client writes at its own name, with an onDisconnect write at the same path (SYNC-6).
    package static let presence = "p"

    private struct Asked {
        var path: String
        var isCounted: Bool
    }

    private struct Process {
        var open: [CommandID: Asked] = [:]
        var isKept = false
        /// True if the process has used the tree before.
        var hasStarted = false
    }

    /// A client's last write at its own path, and the connection on which it was acknowledged.
    private struct OwnWrite {
        var value: TreeNode
        var link: ConnectionID?
    }

    private var ownWrites: [String: OwnWrite] = [:]
    private var ownOpen: [String: [CommandID: TreeNode]] = [:]
    private var ownLast: [String: CommandID] = [:]
    private var processes: [String: Process] = [:]
    /// True if the limit for writes is so low that writes sent together may be refused.
    private var areWritesFew = false
    private var counted = 0
    /// The number of transactions with an unknown result.
    private var uncertain = 0
    /// Paths that must have a value, with the client that wrote each.
    private var written: [String: String] = [:]
    /// Paths of writes that a process with stored data left to the next one.
    private var left: [String: [String]] = [:]

    /// True if the tree data that the client receives is stored across processes.
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
            // The last write counts, whatever the order of the answers.
            guard let value = ownOpen[node]?.removeValue(forKey: id), completion.status == .ok, ownLast[node] == id
            else { return }
            ownWrites[node] = OwnWrite(value: value, link: trace.acceptedLink)
        case .start: processes[node] = Process()
        case .stop: stop(node)
        case .input(.clientCommand(let id, .tree(let command, _))): asked(id, command, node)
        case .effect(.complete(let id, let completion)): ended(id, completion, node)
        default: break
        }
    }

    private mutating func stop(_ node: String) {
        ownOpen[node] = nil
        ownWrites[node] = nil
        guard let process = processes.removeValue(forKey: node) else { return }
        for asked in process.open.values {
            if asked.isCounted { uncertain += 1 }
            if !asked.isCounted, process.isKept { left[node, default: []].append(asked.path) }
        }
    }

    private mutating func asked(_ id: CommandID, _ command: TreeCommand, _ node: String) {
        var process = processes[node] ?? Process()
        defer { processes[node] = process }
        switch command {
        case .persistence(let bytes):
            if !process.hasStarted { process.isKept = bytes != nil }
        case .transaction(let path, _, _) where path == Self.counter:
            process.open[id] = Asked(path: path, isCounted: true)
        case .set(let path, _) where path.hasPrefix(Self.once + "/"):
            process.open[id] = Asked(path: path, isCounted: false)
        case .update(Self.once, let update) where update.parts.count == 1:
            let path = TreePath(keys: [TreeKey(Self.once)] + update.parts[0].keys).text
            process.open[id] = Asked(path: path, isCounted: false)
        default: break
        }
        process.hasStarted = true
    }

    private mutating func ended(_ id: CommandID, _ completion: Completion, _ node: String) {
        guard let asked = processes[node]?.open.removeValue(forKey: id) else { return }
        if completion.status == .ok {
            if asked.isCounted { counted += 1 } else { written[asked.path] = node }
        } else if asked.isCounted {
            // If a connection broke before the answer, the result is unknown.
            uncertain += 1
        }
    }

    func checkAtQuiescence(_ client: IdleClient, _ machine: ClientMachine, _ server: ServerMachine) -> [Violation] {
        guard client.hasRecovered, machine.state == .online else { return [] }
        // The counter is shared: other clients may be about to increase it.
        return violations(
            of: client.name, root: server.treeRoot, link: client.trace.acceptedLink, isAlone: client.areAllStable)
    }

    private func violations(of node: String, root: TreeNode, link: ConnectionID?, isAlone: Bool) -> [Violation] {
        var violations: [Violation] = []
        // The onDisconnect writes of an older connection come before any write of the newer one (P8).
        if ownOpen[node]?.isEmpty ?? true, let own = ownWrites[node], own.link != nil, own.link == link {
            let there = root[[TreeKey](path: "\(Self.presence)/\(node)")[...]]
            if there != own.value {
                violations.add(
                    .tree, "P8", "an onDisconnect write of an earlier connection is late", "\(there), not \(own.value)")
            }
        }
        for (path, writer) in written.sorted(by: { $0.key < $1.key }) where writer == node {
            guard root[[TreeKey](path: path)[...]].isEmpty else { continue }
            violations.add(.tree, "SYNC-4", "an acknowledged write is missing", path)
        }
        if processes[node]?.isKept == true, !areWritesFew {
            for path in left[node] ?? [] where root[[TreeKey](path: path)[...]].isEmpty {
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
