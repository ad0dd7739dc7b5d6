import IMClient
import IMProtocol
import IMSession
import IMTree

/// The collected notifications of an app's listeners match the data: the last value, and the children that were added
/// and not removed, each with its latest value (SYNC-4). No notification is repeated within an input, and a child whose
/// order changes is notified as moved.
struct TreeToldOracle {
    private struct Place: Hashable {
        var path: String
        var query: TreeQuery
    }

    private var values: [Place: TreeNode] = [:]
    private var children: [Place: [String: TreeNode]] = [:]
    /// Listeners for all kinds of child events.
    private var whole: Set<Place> = []

    /// The app's listeners, by path.
    private var listeners: [String: [TreeListening]] = [:]
    /// The notifications in the current input.
    private var toldNow: [ClientNotification] = []
    /// The last added child in the current input, by listener.
    private var addedNow: [Place: (key: String, node: TreeNode)] = [:]

    private static let childKinds: Set<TreeEventKind> = [.childAdded, .childRemoved, .childChanged, .childMoved]

    mutating func see(_ event: SessionEvent, into faults: inout [Violation]) {
        switch event.content {
        case .input:
            toldNow.removeAll(keepingCapacity: true)
            addedNow.removeAll(keepingCapacity: true)
        case .effect(.notify(let notification)):
            guard let path = Self.path(of: notification) else { break }
            toldNow.append(notification)
            let count = toldNow.count { $0 == notification }
            if count > 1, count > listeners[Self.place(path, nil).path]?.count ?? 0 {
                faults.append(Violation(.tree, "SYNC-10", "a listener is told twice", "\(notification)"))
            }
        default: break
        }
        take(event, into: &faults)
    }

    private static func path(of notification: ClientNotification) -> String? {
        switch notification {
        case .treeValue(let path, _, _): path
        case .treeChild(let notice): notice.path
        default: nil
        }
    }

    private mutating func take(_ event: SessionEvent, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = TreeToldOracle()
        case .input(.clientCommand(_, .tree(let command, _))):
            switch command {
            case .listen(let path, let listening):
                let listening = listening ?? TreeListening()
                let text = Self.place(path, nil).path
                if listeners[text]?.contains(listening) != true { listeners[text, default: []].append(listening) }
                guard Self.childKinds.isSubset(of: listening.kinds) else { return }
                whole.insert(Self.place(path, listening.query))
            case .unlisten(let path, let query): forget(path, query)
            default: break
            }
        case .effect(.notify(.treeValue(let path, let node, let query))): values[Self.place(path, query)] = node
        case .effect(.notify(.treeCancelled(let path, let query, _))): forget(path, query ?? .all)
        case .effect(.notify(.treeChild(let notice))):
            let place = Self.place(notice.path, notice.query)
            if notice.kind == .childChanged, whole.contains(place), let old = children[place]?[notice.key],
                Self.rank(of: old, place.query.order) != Self.rank(of: notice.node, place.query.order)
            {
                faults.append(Violation(.tree, "SYNC-4", "a child that moves is not told as moved", notice.key))
            }
            if notice.kind == .childAdded { added(notice, place, into: &faults) }
            children[place, default: [:]][notice.key] = notice.kind == .childRemoved ? nil : notice.node
        default: break
        }
    }

    /// Children that are added together are notified in the order of the query.
    private mutating func added(_ notice: TreeChildNotice, _ place: Place, into faults: inout [Violation]) {
        guard listeners[place.path]?.count == 1 else { return }
        let child = (key: notice.key, node: notice.node)
        if let last = addedNow[place], !TreeQueryOracle.precedes(last, child, in: place.query.order) {
            let words = "\(child.key) behind \(last.key)"
            faults.append(Violation(.tree, "SYNC-4", "children are told in another order than the query's", words))
        }
        addedNow[place] = child
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

    private static func place(_ path: String, _ query: TreeQuery?) -> Place {
        Place(path: TreePath(keys: [TreeKey](path: path)).text, query: query ?? .all)
    }

    private mutating func forget(_ path: String, _ query: TreeQuery?) {
        let text = Self.place(path, nil).path
        func isGone(_ place: Place) -> Bool { place.path == text && (query == nil || place.query == query) }
        values = values.filter { !isGone($0.key) }
        children = children.filter { !isGone($0.key) }
        whole = whole.filter { !isGone($0) }
        listeners[text]?.removeAll { query == nil || $0.query == query }
    }

    /// Call it if nothing is in flight.
    ///
    /// - Parameter views: the client's data at each path.
    func fault(_ views: [(path: TreePath, query: TreeQuery, known: TreeNode?)]) -> Violation? {
        for (path, query, known) in views {
            let place = Place(path: path.text, query: query)
            guard let known else { continue }
            if let told = values[place], told != known {
                let words = "\(told) at '\(path.text)', which is \(known)"
                return Violation(.tree, "SYNC-4", "the last value that was told is not what there is", words)
            }
            guard whole.contains(place) else { continue }
            let told = children[place] ?? [:]
            var there: [String: TreeNode] = [:]
            for (key, node) in known.children { there[key.text] = node }
            if told != there {
                let words = "\(told.keys.sorted()) at '\(path.text)', which is \(known)"
                return Violation(.tree, "SYNC-4", "the children that were told are not those that there are", words)
            }
        }
        return nil
    }
}
