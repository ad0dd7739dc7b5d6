import IMClient
import IMProtocol
import IMSession
import IMTree

/// The collected notifications of an app's listeners match the data: the last value, and the children that were added
/// and not removed, each with its latest value (SYNC-4). No notification is repeated within an input, and a child whose
/// order changes is notified as moved.
struct ListenerEventChecker {
    private struct QueryPath: Hashable {
        var path: String
        var query: TreeQuery
    }

    private var values: [QueryPath: TreeNode] = [:]
    private var children: [QueryPath: [String: TreeNode]] = [:]
    /// Listeners for all kinds of child events.
    private var whole: Set<QueryPath> = []

    /// The app's listeners, by path.
    private var listeners: [String: [TreeListening]] = [:]
    /// The notifications in the current input.
    private var notifiedNow: [ClientNotification] = []
    /// The last added child in the current input, by listener.
    private var addedNow: [QueryPath: (key: String, node: TreeNode)] = [:]

    private static let childKinds: Set<TreeEventKind> = [.childAdded, .childRemoved, .childChanged, .childMoved]

    mutating func observe(_ event: SessionEvent, into violations: inout [Violation]) {
        switch event.content {
        case .input:
            notifiedNow.removeAll(keepingCapacity: true)
            addedNow.removeAll(keepingCapacity: true)
        case .effect(.notify(let notification)):
            guard let path = Self.path(of: notification) else { break }
            notifiedNow.append(notification)
            let count = notifiedNow.count { $0 == notification }
            if count > 1, count > listeners[Self.queryPath(path, nil).path]?.count ?? 0 {
                violations.append(Violation(.tree, "SYNC-10", "a listener is told twice", "\(notification)"))
            }
        default: break
        }
        take(event, into: &violations)
    }

    private static func path(of notification: ClientNotification) -> String? {
        switch notification {
        case .treeValue(let path, _, _): path
        case .treeChild(let notice): notice.path
        default: nil
        }
    }

    private mutating func take(_ event: SessionEvent, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = ListenerEventChecker()
        case .input(.clientCommand(_, .tree(let command, _))):
            switch command {
            case .listen(let path, let listening):
                let listening = listening ?? TreeListening()
                let text = Self.queryPath(path, nil).path
                if listeners[text]?.contains(listening) != true { listeners[text, default: []].append(listening) }
                guard Self.childKinds.isSubset(of: listening.kinds) else { return }
                whole.insert(Self.queryPath(path, listening.query))
            case .unlisten(let path, let query): forget(path, query)
            default: break
            }
        case .effect(.notify(.treeValue(let path, let node, let query))): values[Self.queryPath(path, query)] = node
        case .effect(.notify(.treeCancelled(let path, let query, _))): forget(path, query ?? .all)
        case .effect(.notify(.treeChild(let notice))):
            let queryPath = Self.queryPath(notice.path, notice.query)
            if notice.kind == .childChanged, whole.contains(queryPath), let old = children[queryPath]?[notice.key],
                Self.rank(of: old, queryPath.query.order) != Self.rank(of: notice.node, queryPath.query.order)
            {
                violations.append(Violation(.tree, "SYNC-4", "a child that moves is not told as moved", notice.key))
            }
            if notice.kind == .childAdded { added(notice, queryPath, into: &violations) }
            children[queryPath, default: [:]][notice.key] = notice.kind == .childRemoved ? nil : notice.node
        default: break
        }
    }

    /// Children that are added together are notified in the order of the query.
    private mutating func added(_ notice: TreeChildNotice, _ queryPath: QueryPath, into violations: inout [Violation]) {
        guard listeners[queryPath.path]?.count == 1 else { return }
        let child = (key: notice.key, node: notice.node)
        if let last = addedNow[queryPath], !TreeQueryChecker.precedes(last, child, in: queryPath.query.order) {
            let detail = "\(child.key) behind \(last.key)"
            violations.append(Violation(.tree, "SYNC-4", "children are told in another order than the query's", detail))
        }
        addedNow[queryPath] = child
    }

    /// The value by which children are ordered. If it changes, the child is first notified as moved.
    private static func rank(of node: TreeNode, _ order: TreeOrder) -> TreeLeaf? {
        switch order {
        case .priority: node.priority
        case .key: nil
        case .value: node.leaf
        case .child(let keys): node[keys[...]].leaf
        }
    }

    private static func queryPath(_ path: String, _ query: TreeQuery?) -> QueryPath {
        QueryPath(path: TreePath(keys: [TreeKey](path: path)).text, query: query ?? .all)
    }

    private mutating func forget(_ path: String, _ query: TreeQuery?) {
        let text = Self.queryPath(path, nil).path
        func isGone(_ queryPath: QueryPath) -> Bool {
            queryPath.path == text && (query == nil || queryPath.query == query)
        }
        values = values.filter { !isGone($0.key) }
        children = children.filter { !isGone($0.key) }
        whole = whole.filter { !isGone($0) }
        listeners[text]?.removeAll { query == nil || $0.query == query }
    }

    /// Call it if nothing is in flight.
    ///
    /// - Parameter views: the client's data at each path.
    func violation(_ views: [(path: TreePath, query: TreeQuery, known: TreeNode?)]) -> Violation? {
        for (path, query, known) in views {
            let queryPath = QueryPath(path: path.text, query: query)
            guard let known else { continue }
            if let told = values[queryPath], told != known {
                let detail = "\(told) at '\(path.text)', which is \(known)"
                return Violation(.tree, "SYNC-4", "the last value that was told is not what there is", detail)
            }
            guard whole.contains(queryPath) else { continue }
            let told = children[queryPath] ?? [:]
            var there: [String: TreeNode] = [:]
            for (key, node) in known.children { there[key.text] = node }
            if told != there {
                let detail = "\(told.keys.sorted()) at '\(path.text)', which is \(known)"
                return Violation(.tree, "SYNC-4", "the children that were told are not those that there are", detail)
            }
        }
        return nil
    }
}
