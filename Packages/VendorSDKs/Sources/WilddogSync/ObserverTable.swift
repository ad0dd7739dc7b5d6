import Foundation
import IMClient
import IMProtocol
import IMTree

/// The notification of an observer: a child, or the whole value.
struct ObservedChange {
    var key: TreeKey?
    var node: TreeNode
    var previous: String?
}

/// A block of the app that receives events.
final class Observer {
    let handle: WDGSyncHandle
    let kind: TreeEventKind
    /// True if it is called only once.
    let isSingle: Bool
    let block: (ObservedChange) -> Void
    let cancelBlock: ((any Error) -> Void)?
    /// False while it must still skip the events from before its registration.
    var isLive = false
    /// True if it receives no more events, including those already queued.
    var isRemoved = false

    init(
        _ handle: WDGSyncHandle, _ kind: TreeEventKind, isSingle: Bool, block: @escaping (ObservedChange) -> Void,
        cancelBlock: ((any Error) -> Void)?
    ) {
        self.handle = handle
        self.kind = kind
        self.isSingle = isSingle
        self.block = block
        self.cancelBlock = cancelBlock
    }
}

/// The observers of a query at a path. The machine has one listener for each kind of event; the app's blocks are
/// counted here.
struct Watch {
    let treePath: [TreeKey]
    let query: TreeQuery
    /// The machine's listeners. It can only end all of them together.
    var kinds: [TreeEventKind] = []
    /// In the order of registration.
    var observers: [Observer] = []
}

/// All observers of a process, and their handles.
struct ObserverTable {
    private(set) var watches: [Watch] = []
    private var lastHandle: WDGSyncHandle = 0
    /// Cancelled listeners of the machine whose outdated notice is still to come.
    private var oldCancels: [(treePath: [TreeKey], query: TreeQuery)] = []

    mutating func nextHandle() -> WDGSyncHandle {
        lastHandle += 1
        return lastHandle
    }

    func watch(_ treePath: [TreeKey], _ query: TreeQuery) -> Watch? {
        watches.first { $0.treePath == treePath && $0.query == query }
    }

    /// - Returns: true if the machine has such a listener already.
    mutating func add(_ observer: Observer, at treePath: [TreeKey], _ query: TreeQuery) -> Bool {
        let index = watches.firstIndex { $0.treePath == treePath && $0.query == query } ?? watches.count
        if index == watches.count { watches.append(Watch(treePath: treePath, query: query)) }
        watches[index].observers.append(observer)
        guard !watches[index].kinds.contains(observer.kind) else { return true }
        watches[index].kinds.append(observer.kind)
        return false
    }

    /// Removes the matching observers of a path.
    ///
    /// - Parameter query: nil for all queries of the path.
    /// - Returns: the queries without any observer left.
    mutating func remove(
        at treePath: [TreeKey], _ query: TreeQuery?, where isMeant: (Observer) -> Bool
    ) -> [TreeQuery] {
        var ended: [TreeQuery] = []
        for index in watches.indices where watches[index].treePath == treePath {
            guard query == nil || watches[index].query == query else { continue }
            for observer in watches[index].observers where isMeant(observer) { observer.isRemoved = true }
            let wasObserved = !watches[index].observers.isEmpty
            watches[index].observers.removeAll(where: \.isRemoved)
            if wasObserved, watches[index].observers.isEmpty { ended.append(watches[index].query) }
        }
        watches.removeAll { $0.observers.isEmpty }
        return ended
    }

    /// The machine has ended a listener. It ends those of all kinds at once, with a notice for each: only the first
    /// notice counts.
    ///
    /// - Returns: the observers that receive no more events.
    mutating func cancel(at treePath: [TreeKey], _ query: TreeQuery) -> [Observer] {
        if let old = oldCancels.firstIndex(where: { $0.treePath == treePath && $0.query == query }) {
            oldCancels.remove(at: old)
            return []
        }
        guard let index = watches.firstIndex(where: { $0.treePath == treePath && $0.query == query }) else { return [] }
        let watch = watches.remove(at: index)
        oldCancels += Array(repeating: (treePath, query), count: watch.kinds.count - 1)
        return watch.observers
    }

    /// The machine has removed all listeners.
    mutating func cancelAll() -> [Observer] {
        let all = watches.flatMap(\.observers)
        (watches, oldCancels) = ([], [])
        return all
    }

    /// The machine refused a listener.
    mutating func refuse(_ kind: TreeEventKind, at treePath: [TreeKey], _ query: TreeQuery) -> [Observer] {
        guard let index = watches.firstIndex(where: { $0.treePath == treePath && $0.query == query }) else { return [] }
        let refused = watches[index].observers.filter { $0.kind == kind }
        watches[index].kinds.removeAll { $0 == kind }
        watches[index].observers.removeAll { $0.kind == kind }
        watches.removeAll { $0.observers.isEmpty }
        return refused
    }
}

// MARK: Observing

extension SyncClient {
    /// Registers a block. If the machine has such a listener already, the block first receives the known values;
    /// otherwise the machine sends them.
    func observe(_ observer: Observer, at treePath: [TreeKey], _ query: TreeQuery) {
        guard !observers.add(observer, at: treePath, query) else {
            let shown = known(ofInfo: treePath.isInfo)?.shown(query, at: treePath)
            return later { [weak self] in
                observer.isLive = true
                if let shown { self?.begin(observer, shown, query, at: treePath) }
            }
        }
        later { observer.isLive = true }
        let isPlain = query.isDefault && observer.kind == .value
        let listening = isPlain ? nil : TreeListening(query, kinds: [observer.kind])
        ask(.listen(path: treePath.joined, listening)) { [weak self] outcome in
            guard outcome.status != .ok, let self else { return }
            end(observers.refuse(observer.kind, at: treePath, query), outcome.status)
        }
    }

    private func begin(
        _ observer: Observer, _ shown: (node: TreeNode, isComplete: Bool), _ query: TreeQuery, at treePath: [TreeKey]
    ) {
        switch observer.kind {
        case .value:
            guard shown.isComplete else { return }
            notify(observer, ObservedChange(key: nil, node: shown.node, previous: nil), at: treePath)
        case .childAdded:
            var previous: String?
            for (key, child) in shown.node.children(in: query.order) {
                notify(observer, ObservedChange(key: key, node: child, previous: previous), at: treePath)
                previous = key.text
            }
        case .childRemoved, .childChanged, .childMoved: break
        }
    }

    func notify(_ kind: TreeEventKind, at path: String, _ query: TreeQuery?, _ notified: () -> ObservedChange) {
        let treePath = [TreeKey](path: path)
        guard let watch = observers.watch(treePath, query ?? .all) else { return }
        let notified = notified()
        for observer in watch.observers where observer.kind == kind && observer.isLive {
            notify(observer, notified, at: treePath)
        }
    }

    private func notify(_ observer: Observer, _ notified: ObservedChange, at treePath: [TreeKey]) {
        guard !observer.isRemoved else { return }
        if observer.isSingle {
            // It receives this event, and no more.
            removeObservers(at: treePath, nil) { $0 === observer }
            return callBack { observer.block(notified) }
        }
        callBack { if !observer.isRemoved { observer.block(notified) } }
    }

    func removeObservers(at treePath: [TreeKey], _ query: TreeQuery?, where isMeant: (Observer) -> Bool) {
        let ended = observers.remove(at: treePath, query, where: isMeant)
        guard !ended.isEmpty else { return }
        let isLast = !observers.watches.contains { $0.treePath == treePath }
        for query in isLast ? [nil] : ended.map(Optional.some) {
            ask(.unlisten(path: treePath.joined, query), completion: nil)
        }
    }

    func cancelled(at path: String, _ query: TreeQuery, _ status: Status) {
        end(observers.cancel(at: [TreeKey](path: path), query), status)
    }

    func cancelledAll(_ status: Status) { end(observers.cancelAll(), status) }

    private func end(_ observers: [Observer], _ status: Status) {
        guard let error = dialect.syncError(status) else { return }
        for observer in observers {
            let wasRemoved = observer.isRemoved
            observer.isRemoved = true
            guard !wasRemoved, let block = observer.cancelBlock else { continue }
            callBack { block(error) }
        }
    }
}

extension [TreeKey] {
    /// True if the path is, or lies in, the client's own `.info`.
    var isInfo: Bool { first == ".info" }
}
