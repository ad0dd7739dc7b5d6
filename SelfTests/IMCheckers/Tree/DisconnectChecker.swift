import IMProtocol
import IMSession
import IMTree
import SansIO

/// Checks onDisconnect writes. The value must be in the tree as soon as the connection has ended, unless the write was
/// cancelled or is forbidden (SYNC-6, SYNC-9). A value is not checked if a later onDisconnect write concerns its path.
struct DisconnectChecker: Checker {
    /// True if the server ends a broken connection only after the silence limit.
    private let breakWaitsForSilence: Bool

    init(breakWaitsForSilence: Bool = false) { self.breakWaitsForSilence = breakWaitsForSilence }

    private struct DisconnectWrite {
        var treePath: [TreeKey]
        var value: TreeNode
        var isCancelled = false
    }

    /// The acknowledged onDisconnect writes of each connection.
    private var writes: [ConnectionID: [DisconnectWrite]] = [:]
    /// All paths for which each connection registered an onDisconnect write.
    private var treePaths: [ConnectionID: [[TreeKey]]] = [:]
    /// The tree before and after the last input. Both are stored only while there are onDisconnect writes.
    private var (before, after): (TreeNode?, TreeNode?)
    /// The connections that the current input ended.
    private var ending: [ConnectionID] = []
    /// The time at which the connections in ``ending`` ended, in milliseconds since 1970; nil if the server was down in
    /// between.
    private var endedAt: Double?
    private var current: (connection: ConnectionID, frame: Frame)?
    /// For each path, whether its security rule permits writes.
    private var mayWrite: [[TreeKey]: Bool] = [:]
    private var isUnknown = false

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        let root = trace.treeRoot
        switch event.content {
        case .start:
            check(after, into: &violations)
            (before, ending, endedAt) = (after, Array(writes.keys), nil)
            check(root(), into: &violations)
        case .input(let input):
            current = nil
            check(after, into: &violations)
            (before, after) = writes.isEmpty ? (nil, nil) : (after, root())
            endedAt = Double(trace.epochMilliseconds + (event.time - .zero).inMilliseconds)
            switch input {
            case .frame(let connection, let frame): current = (connection, frame)
            case .linkClosed(let connection, let fault):
                // The server ends a broken connection only after the silence limit.
                if !breakWaitsForSilence || fault == .closedByPeer { ending.append(connection) }
            case .serverCommand(_, .setTreeRule(let path, let rule)): rule.write.map { set($0, path) } ?? unset(path)
            default: break
            }
        case .effect(.send(let connection, let frame)):
            guard case .treeAck(.ok, _) = frame.body, let current, current.connection == connection,
                current.frame.request == frame.request, case .tree(let request) = current.frame.body
            else { return }
            note(request, on: connection)
            after = root()
        case .effect(.closeLink(let connection)): ending.append(connection)
        default: break
        }
    }

    private mutating func note(_ request: TreeRequest, on connection: ConnectionID) {
        switch request {
        case .onDisconnect(let path, let value):
            let treePath = [TreeKey](path: path)
            treePaths[connection, default: []].append(treePath)
            forget(treePath, on: connection)
            writes[connection, default: []].append(DisconnectWrite(treePath: treePath, value: value))
        case .onDisconnectUpdate(let path, let parts):
            for part in parts {
                let treePath = [TreeKey](path: path) + part.keys
                treePaths[connection, default: []].append(treePath)
                forget(treePath, on: connection)
            }
        case .cancelOnDisconnect(let path):
            let treePath = [TreeKey](path: path)
            // A cancellation below the path of a write keeps a part of the present value, so that write is not checked.
            writes[connection]?.removeAll { treePath.count > $0.treePath.count && treePath.starts(with: $0.treePath) }
            for index in writes[connection, default: []].indices
            where writes[connection]?[index].treePath.starts(with: treePath) == true {
                writes[connection]?[index].isCancelled = true
            }
        default: break
        }
    }

    private mutating func forget(_ treePath: [TreeKey], on connection: ConnectionID) {
        writes[connection, default: []].removeAll { Self.overlap($0.treePath, treePath) }
    }

    /// Checks the onDisconnect writes of the connections that one input ended. Writes of different connections to the
    /// same path may overwrite each other, so they are not checked.
    private mutating func check(_ root: TreeNode?, into violations: inout [Violation]) {
        guard !ending.isEmpty else { return }
        let ended = Set(ending).sorted()
        ending.removeAll()
        let all = ended.map { (connection: $0, treePaths: treePaths.removeValue(forKey: $0) ?? []) }
        for connection in ended {
            guard let writes = writes.removeValue(forKey: connection), let root, !isUnknown else { continue }
            let others = all.filter { $0.connection != connection }.flatMap(\.treePaths)
            check(
                writes.filter { write in !others.contains { Self.overlap($0, write.treePath) } }, root,
                into: &violations)
        }
    }

    private func check(_ writes: [DisconnectWrite], _ root: TreeNode, into violations: inout [Violation]) {
        for write in writes where !write.value.isEmpty {
            let isPresent = self.isPresent(write, root)
            let wasPresent = before.map { self.isPresent(write, $0) } ?? false
            let path = TreePath(keys: write.treePath).text
            let isAllowed = isAllowed(write.treePath)
            if isPresent, !wasPresent, write.isCancelled {
                violations.add(.tree, "SYNC-6", "a cancelled onDisconnect write is performed", path)
            } else if isPresent, !wasPresent, !isAllowed {
                violations.add(.tree, "SYNC-9", "a forbidden onDisconnect write is performed", path)
            } else if !isPresent, isAllowed, !write.isCancelled {
                violations.add(.tree, "SYNC-6", "an onDisconnect write is not performed", path)
            }
        }
    }

    /// True if the tree has the value of the write. A server timestamp is the time of the connection's end (SYNC-7).
    private func isPresent(_ write: DisconnectWrite, _ root: TreeNode) -> Bool {
        let currentValue = root[write.treePath[...]]
        guard write.value == TreeNode(.serverTimestamp) else { return currentValue == write.value }
        guard case .number(let time)? = currentValue.leaf else { return false }
        return endedAt.map { abs(time - $0) <= 1000 } ?? true
    }

    private mutating func set(_ audience: TreeAudience, _ path: String) {
        switch audience {
        case .everybody: mayWrite[[TreeKey](path: path)] = true
        case .nobody: mayWrite[[TreeKey](path: path)] = false
        case .users: isUnknown = true
        }
    }

    private mutating func unset(_ path: String) { mayWrite[[TreeKey](path: path)] = nil }

    /// True if the nearest rule at or above the path permits the write, and no rule below the path forbids it.
    private func isAllowed(_ treePath: [TreeKey]) -> Bool {
        let above = mayWrite.filter { treePath.starts(with: $0.key) }.max { $0.key.count < $1.key.count }
        let below = mayWrite.contains { $0.key.count > treePath.count && $0.key.starts(with: treePath) && !$0.value }
        return above?.value ?? true && !below
    }

    private static func overlap(_ one: [TreeKey], _ other: [TreeKey]) -> Bool {
        one.starts(with: other) || other.starts(with: one)
    }
}
