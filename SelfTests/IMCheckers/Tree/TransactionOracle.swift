import IMClient
import IMProtocol
import IMSession
import IMTree
import SansIO

/// An app's own write overrides its earlier transactions at the same path: these are no longer sent (SYNC-5). A sent
/// transaction fails with its connection; a waiting one does not (SYNC-10).
struct TransactionOracle {
    private struct Begun {
        var id: CommandID
        var place: [TreeKey]
        var isOverridden = false
    }

    private var begun: [Begun] = []
    /// The paths of the unanswered transactions on this connection, by request number.
    private var sent: [UInt32: [TreeKey]] = [:]

    mutating func see(_ event: SessionEvent, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = TransactionOracle()
        case .input(.frame(_, let frame)): if case .treeAck = frame.body { sent[frame.request] = nil }
        case .effect(.connect): sent.removeAll()
        case .input(.clientCommand(let id, .tree(let command, _))):
            switch command {
            case .transaction(let path, _, _): begun.append(Begun(id: id, place: [TreeKey](path: path)))
            case .set(let path, _): override([TreeKey](path: path))
            case .update(let path, let update): for part in update.parts { override([TreeKey](path: path) + part.keys) }
            default: break
            }
        case .effect(.complete(let id, let completion)): ended(id, completion.status, into: &faults)
        case .effect(.send(_, let frame)):
            guard case .tree(.transaction(let path, _, _)) = frame.body else { return }
            let place = [TreeKey](path: path)
            sent[frame.request] = place
            guard !begun.contains(where: { $0.place == place && !$0.isOverridden }) else { return }
            faults.append(Violation(.tree, "SYNC-5", "a transaction is sent behind a write of the app's own", path))
        default: break
        }
    }

    private mutating func ended(_ id: CommandID, _ status: Status, into faults: inout [Violation]) {
        guard let index = begun.firstIndex(where: { $0.id == id }) else { return }
        let place = begun.remove(at: index).place
        guard status == .connectionFailed else { return }
        guard let request = sent.filter({ $0.value == place }).keys.min() else {
            let words = TreePath(keys: place).text
            return faults.append(Violation(.tree, "SYNC-10", "a transaction that waits fails with a link", words))
        }
        sent[request] = nil
    }

    private mutating func override(_ place: [TreeKey]) {
        for index in begun.indices {
            let common = zip(begun[index].place, place).prefix { $0 == $1 }.count
            if common == min(begun[index].place.count, place.count) { begun[index].isOverridden = true }
        }
    }
}

/// Transactions compute what their expressions define (SYNC-5), checked for a few expressions by hand-written
/// functions. At a path with only these transactions, each value follows from the previous one.
package struct ExpressionOracle {
    package init() {}

    /// The path at which only these transactions run.
    package static let place = "e"
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
    private var asked: (connection: ConnectionID, value: TreeNode)?

    package mutating func seeServer(_ event: SessionEvent, into faults: inout [Violation]) {
        switch event.content {
        case .input(let input):
            asked = nil
            guard case .frame(let connection, let frame) = input,
                case .tree(.transaction(Self.place, let node, _)) = frame.body
            else { return }
            asked = (connection, node)
        case .effect(.send(let connection, let frame)):
            guard case .treeAck(.ok, _) = frame.body, let (asking, node) = asked, asking == connection else { return }
            asked = nil
            // The expressions turn numbers into numbers only.
            guard case .number(let value)? = node.leaf else { return }
            defer { last = value }
            // Without a value, `not exists` gives 4. The other expressions count it as 0.
            let results = Self.results(of: last ?? 0) + (last == nil ? [4] : [])
            guard !results.contains(value) else { return }
            let words = "\(value) of \(last ?? 0)"
            faults.append(
                Violation(.tree, "SYNC-5", "a transaction makes something else than its words say", words))
        default: break
        }
    }
}
