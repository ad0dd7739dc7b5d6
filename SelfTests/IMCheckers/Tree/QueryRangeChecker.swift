import IMProtocol
import IMServer
import IMSession
import IMTree
import SansIO

/// A listener with a query receives only children inside the query's range (SYNC-4, SYNC-9).
package struct QueryRangeChecker {
    private struct Listen {
        var place: [TreeKey]
        /// Without the limit: the choice among the children in the range is not checked here.
        var range: TreeQuery
    }

    private var listens: [ConnectionID: [UInt64: Listen]] = [:]

    package init() {}

    package mutating func observeServer(_ event: SessionEvent, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: listens.removeAll()
        case .input(.linkClosed(let connection, _)): listens[connection] = nil
        case .input(.frame(let connection, let frame)):
            guard case .tree(.listen(let path, let query, let number, _)) = frame.body else { return }
            let hasEnds = query.start != nil || query.end != nil
            let range = TreeQuery(order: query.order, start: query.start, end: query.end)
            listens[connection, default: [:]][number] =
                hasEnds ? Listen(place: [TreeKey](path: path), range: range) : nil
        case .effect(.send(let connection, let frame)):
            guard case .treeData(let data) = frame.body, let listen = listens[connection]?[data.listen],
                listen.place == [TreeKey](path: data.path)
            else { return }
            for (key, child) in Self.children(data.change) where !child.isEmpty {
                let alone = TreeNode.empty.setting(key, to: child)
                guard let given = TreeQueryChecker.given(by: listen.range, of: alone), given.isEmpty else { continue }
                let detail = "\(key.text) is \(child), \(listen.range)"
                violations.append(Violation(.tree, "SYNC-4", "a listener is told of what its query leaves out", detail))
            }
        default: break
        }
    }

    /// The children that a change contains completely.
    private static func children(_ change: TreeWrite.Change) -> [(key: TreeKey, child: TreeNode)] {
        switch change {
        case .set(let node): node.children.map { ($0.key, $0.value) }
        case .update(let parts): parts.filter { $0.keys.count == 1 }.map { ($0.keys[0], $0.node) }
        }
    }
}
