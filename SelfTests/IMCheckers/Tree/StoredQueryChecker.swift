import IMClient
import IMProtocol
import IMSession
import IMTree

/// Without a network, a stored query includes the later writes of its own app (SYNC-2, SYNC-4). If nobody else writes
/// there and nothing is removed, its children follow from all written data. If only a part of a child was written, the
/// device may lack that child, but a child that it shows is complete.
struct StoredQueryChecker {
    private static let root = TreeLedger.window + "/"

    private struct QueryPath: Hashable {
        var path: String
        var query: TreeQuery
    }

    /// The data written below each path; nil after a refused write.
    private var written: [String: TreeNode?] = [:]
    /// Paths at which only a part of a child was written.
    private var partly: Set<String> = []
    private var writes: [CommandID: String] = [:]
    private var reads: [CommandID: QueryPath] = [:]
    /// True if the device stores unacknowledged writes across processes.
    private var isPersistent = false
    /// Queries that were notified completely once, so that the device stores them.
    private var held: Set<QueryPath> = []

    /// - Parameter isReliable: true if no frame can have been lost.
    mutating func observe(
        _ event: SessionEvent, _ trace: ClientTrace, isReliable: Bool, into violations: inout [Violation]
    ) {
        switch event.content {
        case .start, .stop:
            if !isPersistent { for path in writes.values { written[path] = .some(nil) } }
            isPersistent = false
            writes.removeAll()
            reads.removeAll()
        case .input(.clientCommand(let id, .tree(let command, _))): handleCommand(id, command, trace)
        case .effect(.notify(.treeValue(let path, let node, let query?))) where path.hasPrefix(Self.root):
            if !node.isEmpty, isReliable, trace.openLink != nil { held.insert(QueryPath(path: path, query: query)) }
        case .effect(.complete(let id, let completion)):
            if let path = writes.removeValue(forKey: id), completion.status != .ok { written[path] = .some(nil) }
            guard let queryPath = reads.removeValue(forKey: id), completion.status == .ok, isReliable,
                let shown = completion.rows.first?["value"], let node = written[queryPath.path] ?? nil
            else { return }
            if partly.contains(queryPath.path) {
                for (key, child) in node.children
                where shown.contains("\"\(key.text)\":") && !shown.contains("\"\(key.text)\":\(child)") {
                    let detail = "\(key.text) of \(shown), which is \(child)"
                    violations.append(Violation(.tree, "SYNC-2", "a held query shows a part of a child", detail))
                }
                return
            }
            guard let names = TreeQueryChecker.given(by: queryPath.query, of: node)
            else { return }
            var right = TreeNode.empty
            for (key, child) in node.children where names.contains(key.text) { right = right.setting(key, to: child) }
            guard shown != right.description else { return }
            let detail = "\(shown), not \(right)"
            violations.append(Violation(.tree, "SYNC-4", "a held query lacks what the app wrote itself", detail))
        default: break
        }
    }

    private mutating func handleCommand(_ id: CommandID, _ command: TreeCommand, _ trace: ClientTrace) {
        switch command {
        case .set(let path, let node) where path.hasPrefix(Self.root):
            var keys = [TreeKey](path: String(path.dropFirst(Self.root.count)))
            guard keys.count > 1 else { return }
            let queryPath = Self.root + keys.removeFirst().text
            writes[id] = queryPath
            guard let before = written[queryPath, default: TreeNode.empty] else { return }
            if keys.count > 1 { partly.insert(queryPath) }
            // An overwritten child may make room for a child that the device does not have.
            let isNew = keys.count > 1 || before[keys[0]].isEmpty
            written[queryPath] = isNew ? before.setting(keys[...], to: node) : .some(nil)
        case .persistence(let bytes): isPersistent = bytes != nil
        case .get(let path, let query?) where path.hasPrefix(Self.root) && trace.openLink == nil:
            // A query that is not stored is answered from the stored ones, or not at all.
            if held.contains(where: { $0.path == path }) { reads[id] = QueryPath(path: path, query: query) }
        default: break
        }
    }
}
