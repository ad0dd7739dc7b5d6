import IMClient
import IMProtocol
import IMSession
import IMTree
import SansIO

/// An app's own write overrides its earlier transactions at the same path: these are no longer sent (SYNC-5). A sent
/// transaction fails with its connection; a waiting one does not (SYNC-10).
struct TransactionChecker {
    private struct Started {
        var id: CommandID
        var treePath: [TreeKey]
        var isOverridden = false
    }

    private var started: [Started] = []
    /// The paths of the unanswered transactions on this connection, by request number.
    private var sent: [UInt32: [TreeKey]] = [:]

    mutating func observe(_ event: SessionEvent, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = TransactionChecker()
        case .input(.frame(_, let frame)): if case .treeAck = frame.body { sent[frame.request] = nil }
        case .effect(.connect): sent.removeAll()
        case .input(.clientCommand(let id, .tree(let command, _))):
            switch command {
            case .transaction(let path, _, _): started.append(Started(id: id, treePath: [TreeKey](path: path)))
            case .set(let path, _): override([TreeKey](path: path))
            case .update(let path, let update): for part in update.parts { override([TreeKey](path: path) + part.keys) }
            default: break
            }
        case .effect(.complete(let id, let completion)): ended(id, completion.status, into: &violations)
        case .effect(.send(_, let frame)):
            guard case .tree(.transaction(let path, _, _)) = frame.body else { return }
            let treePath = [TreeKey](path: path)
            sent[frame.request] = treePath
            guard !started.contains(where: { $0.treePath == treePath && !$0.isOverridden }) else { return }
            violations.append(Violation(.tree, "SYNC-5", "a transaction is sent behind a write of the app's own", path))
        default: break
        }
    }

    private mutating func ended(_ id: CommandID, _ status: Status, into violations: inout [Violation]) {
        guard let index = started.firstIndex(where: { $0.id == id }) else { return }
        let treePath = started.remove(at: index).treePath
        guard status == .connectionFailed else { return }
        guard let request = sent.filter({ $0.value == treePath }).keys.min() else {
            let detail = TreePath(keys: treePath).text
            return violations.append(Violation(.tree, "SYNC-10", "a transaction that waits fails with a link", detail))
        }
        sent[request] = nil
    }

    private mutating func override(_ treePath: [TreeKey]) {
        for index in started.indices {
            let common = zip(started[index].treePath, treePath).prefix { $0 == $1 }.count
            if common == min(started[index].treePath.count, treePath.count) { started[index].isOverridden = true }
        }
    }
}

/// Transactions compute what their expressions define (SYNC-5), checked for a few expressions by hand-written
/// functions. At a path with only these transactions, each value follows from the previous one.
package struct ExpressionChecker {
    package init() {}

    /// The path at which only these transactions run.
    package static let treePath = "e"
    /// The expressions that an app runs.
    package static let expressions = [
        "if value > 3 and value < 10 then 0 else value + 1",
        "if value >= 5 or value == 2 then value * 2 - 7 else value + 2", "if not exists then 4 else value - 1",
        "if value <= 1 then 6 else if value != 4 then value - 3 else abort", "2 + value * 3 - 1", "(value + 1) * 2",
    ]

    /// The possible results for a number.
    private static func results(of value: Double) -> [Double] {
        var results = [value > 3 && value < 10 ? 0 : value + 1]
        results.append(value >= 5 || value == 2 ? value * 2 - 7 : value + 2)
        results.append(value - 1)
        if value != 4 { results.append(value <= 1 ? 6 : value - 3) }
        return results + [2 + value * 3 - 1, (value + 1) * 2]
    }

    private var last: Double?
    private var pending: (connection: ConnectionID, value: TreeNode)?

    package mutating func observeServer(_ event: SessionEvent, into violations: inout [Violation]) {
        switch event.content {
        case .input(let input):
            pending = nil
            guard case .frame(let connection, let frame) = input,
                case .tree(.transaction(Self.treePath, let node, _)) = frame.body
            else { return }
            pending = (connection, node)
        case .effect(.send(let connection, let frame)):
            guard case .treeAck(.ok, _) = frame.body, let (asking, node) = pending, asking == connection else { return }
            pending = nil
            // The expressions turn numbers into numbers only.
            guard case .number(let value)? = node.leaf else { return }
            defer { last = value }
            // Without a value, `not exists` gives 4. The other expressions count it as 0.
            let results = Self.results(of: last ?? 0) + (last == nil ? [4] : [])
            guard !results.contains(value) else { return }
            let detail = "\(value) of \(last ?? 0)"
            violations.append(
                Violation(.tree, "SYNC-5", "a transaction makes something else than its words say", detail))
        default: break
        }
    }
}
