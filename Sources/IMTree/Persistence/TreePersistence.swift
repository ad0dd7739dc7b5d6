/// The client's index of its device's storage: which queries are tracked, which of them can answer another query
/// offline, and which are deleted if there is too much data (SYNC-2, SYNC-3).
///
/// Each query that the client listens to has its own data: exactly what the server sent for it. The data outlives the
/// listen until space is needed. The least recently used query is deleted first; active listens and synced queries are
/// never deleted.
struct TreePersistence: Sendable, Hashable, Codable {
    private(set) var tracked = SortedMap<UInt64, TrackedQuery>()
    /// The numbers of tracked queries, by the number of the client's listen.
    private var active = SortedMap<UInt64, UInt64>()
    /// The pending requests to the device, oldest first.
    var loads: [TreeLoad] = []
    private var lastLoad: UInt64 = 0
    private var lastNumber: UInt64 = 0
    private var lastUse: UInt64 = 0
    private let bytesMax: Int
    private var bytes = 0
    /// The bytes added since the last measurement. Overwritten data counts as added, so that the total is measured
    /// again when it may be too large.
    private var unmeasured = 0

    /// The maximum number of tracked queries without a listen.
    static let inactiveMax = 1000

    /// - Parameters:
    ///   - held: the queries of an earlier process; none of them has a listen yet.
    ///   - changes: receives the changes for the device.
    init(_ held: [TrackedQuery], bytesMax: Int, _ changes: inout [TreeStorage.Change]) {
        self.bytesMax = bytesMax
        lastUse = held.map { max($0.lastUse, $0.asOf) }.max() ?? 0
        lastNumber = held.map(\.number).max() ?? 0
        let use = makeUse()
        for var query in held {
            guard query.isComplete else {
                changes.append(.forget(query.number))
                continue
            }
            if query.isActive || query.isCurrent {
                // A query that was active until the end of the process is as new as any.
                if query.isCurrent { query.asOf = use }
                (query.isActive, query.isCurrent, query.lastUse) = (false, false, use)
                changes.append(.track(query))
            }
            tracked.set(query.number, query)
            bytes &+= query.bytes
        }
    }

    private mutating func makeUse() -> UInt64 {
        lastUse &+= 1
        return lastUse
    }

    private mutating func keep(_ query: TrackedQuery, _ changes: inout [TreeStorage.Change]) {
        bytes &+= query.bytes &- (tracked[query.number]?.bytes ?? 0)
        tracked.set(query.number, query)
        changes.append(.track(query))
    }

    private mutating func forget(_ query: TrackedQuery, _ changes: inout [TreeStorage.Change]) {
        bytes &-= query.bytes
        tracked.remove(query.number)
        changes.append(.forget(query.number))
    }

    // MARK: Listens

    /// - Parameters:
    ///   - node: the complete known node; nil if it is not complete.
    ///   - load: the request that read the node, if it is no newer than the device's data.
    mutating func begin(
        _ listen: TreeListen, _ node: TreeNode?, _ load: TreeLoad?, _ changes: inout [TreeStorage.Change]
    ) {
        let isHeld = load?.isHeld(as: listen) == true
        let known = tracked.first { $0.value.path == listen.path && $0.value.query == listen.query }?.value
        if known == nil { lastNumber &+= 1 }
        var query =
            known ?? TrackedQuery(number: lastNumber, path: listen.path, query: listen.query, lastUse: lastUse)
        active.set(listen.number, query.number)
        (query.isActive, query.isComplete, query.lastUse) = (true, node != nil, makeUse())
        query.asOf = load.map { $0.sources.map(\.asOf).max() ?? 0 } ?? query.lastUse
        if !isHeld || known == nil {
            query.bytes = node?.weight ?? 0
            if node != nil || known != nil { changes.append(.put(query.number, [TreeWrite.Part([], node ?? .empty)])) }
        }
        keep(query, &changes)
    }

    /// Stores what the server sent for a listen.
    ///
    /// - Parameter isComplete: true if the node is complete now.
    mutating func receive(
        _ parts: [TreeWrite.Part], _ listen: UInt64, isComplete: Bool, _ changes: inout [TreeStorage.Change]
    ) {
        guard let number = active[listen], var query = tracked[number] else { return }
        changes.append(.put(number, parts))
        let added = parts.reduce(0) { $0 &+ $1.node.weight }
        let before = query.bytes
        query.bytes = parts.contains(where: \.keys.isEmpty) ? added : before &+ added
        unmeasured &+= added
        if isComplete, !query.isComplete || !query.isCurrent {
            (query.isComplete, query.isCurrent) = (true, true)
            return keep(query, &changes)
        }
        // The device needs the size only roughly, not to the byte.
        guard query.bytes.leadingZeroBitCount == before.leadingZeroBitCount else { return keep(query, &changes) }
        bytes &+= query.bytes &- before
        tracked.set(number, query)
    }

    /// The server has sent the complete node.
    ///
    /// - Parameter node: the complete known node. If it was not complete before, the device has only the parts that
    ///   arrived since then, and not those from other listens.
    mutating func complete(_ listen: UInt64, _ node: TreeNode?, _ changes: inout [TreeStorage.Change]) {
        guard let number = active[listen], var query = tracked[number], !query.isComplete || !query.isCurrent else {
            return
        }
        if !query.isComplete, let node {
            changes.append(.put(number, [TreeWrite.Part([], node)]))
            query.bytes = node.weight
        }
        (query.isComplete, query.isCurrent) = (true, true)
        keep(query, &changes)
    }

    mutating func end(_ listen: UInt64, isRefused: Bool = false, _ changes: inout [TreeStorage.Change]) {
        guard let number = active[listen], var query = tracked[number] else { return }
        active.remove(listen)
        // Refused data must no longer be visible.
        guard query.isComplete, !isRefused else { return forget(query, &changes) }
        (query.isActive, query.lastUse) = (false, makeUse())
        if query.isCurrent { query.asOf = query.lastUse }
        query.isCurrent = false
        keep(query, &changes)
    }

    // MARK: Own writes

    /// The server has accepted a write of this client. For an active listen, it also sends an event.
    mutating func written(_ parts: [TreeWrite.Part], _ changes: inout [TreeStorage.Change]) {
        for (number, query) in tracked where !query.isActive {
            var (here, below) = ([TreeWrite.Part](), [TreeWrite.Part]())
            for part in parts {
                if query.path.starts(with: part.keys) {
                    let node = part.node[query.path.dropFirst(part.keys.count)]
                    here.append(TreeWrite.Part([], query.query.loadsAllData ? node : node.given(by: query.query)))
                } else if part.keys.starts(with: query.path) {
                    below.append(TreeWrite.Part(Array(part.keys.dropFirst(query.path.count)), part.node))
                }
            }
            if !query.query.loadsAllData { below.removeAll { $0.keys == [.priority] } }
            guard !here.isEmpty || !below.isEmpty else { continue }
            for index in loads.indices where loads[index].sources.contains(where: { $0.number == number }) {
                loads[index].isOutdated = true
            }
            if !here.isEmpty { changes.append(.put(number, here)) }
            if !below.isEmpty {
                changes.append(query.query.loadsAllData ? .put(number, below) : .amend(number, below))
            }
        }
    }

    // MARK: Requests to the device

    /// The queries to read to answer a query of a path: the newest first, back to one that covers the whole path. Among
    /// equally new ones, an outer one is laid over an inner one, and all are laid over the one that covers everything.
    func sources(at path: [TreeKey]) -> [TrackedQuery] {
        let concerned = tracked.map(\.value).filter { held in
            held.isComplete && (held.path.starts(with: path) || path.starts(with: held.path))
        }
        func age(_ held: TrackedQuery) -> (UInt64, Int, Int, UInt64) {
            (held.isCurrent ? .max : held.asOf, held.covers(path) ? 0 : 1, -held.path.count, held.number)
        }
        let newest = concerned.sorted { age($0) > age($1) }
        guard let last = newest.firstIndex(where: { $0.covers(path) }) else { return newest }
        return Array(newest[...last])
    }

    mutating func makeLoad(_ waiting: TreeLoad.Waiting, _ sources: [TrackedQuery]) -> TreeLoad {
        lastLoad &+= 1
        let load = TreeLoad(number: lastLoad, waiting: waiting, sources: sources)
        loads.append(load)
        return load
    }

    // MARK: Eviction

    /// Deletes the least recently used queries if there is too much data.
    ///
    /// - Parameter measure: the exact number of bytes of an active query.
    mutating func evict(_ changes: inout [TreeStorage.Change], measure: (TrackedQuery) -> Int?) {
        guard bytes > bytesMax || tracked.count > Self.inactiveMax else { return }
        if unmeasured > bytesMax / 10 {
            unmeasured = 0
            for (number, var query) in tracked where query.isActive {
                guard let measured = measure(query) else { continue }
                bytes &+= measured &- query.bytes
                query.bytes = measured
                tracked.set(number, query)
            }
        }
        var idle = tracked.map(\.value).filter { !$0.isActive }
        idle.sort { ($0.lastUse, $0.number) > ($1.lastUse, $1.number) }
        while let oldest = idle.last, bytes > bytesMax || idle.count > Self.inactiveMax {
            idle.removeLast()
            forget(oldest, &changes)
        }
    }
}

/// An operation that waits for data of the device.
struct TreeLoad: Sendable, Hashable, Codable {
    enum Waiting: Sendable, Hashable, Codable {
        case listener(TreeListenerID, TreeQuery, path: [TreeKey], kinds: [TreeEventKind])
        case transaction(UInt64, TransactionExpression, path: [TreeKey], isVisible: Bool)
        case recall(UInt64, TreeQuery, path: [TreeKey])
    }

    var number: UInt64
    var waiting: Waiting
    /// The queries to read, the newest first.
    var sources: [TrackedQuery]
    /// True if their data has changed after the request.
    var isOutdated = false

    var query: TreeQuery {
        switch waiting {
        case .listener(_, let query, _, _), .recall(_, let query, _): query
        case .transaction: .all
        }
    }

    var path: [TreeKey] {
        switch waiting {
        case .listener(_, _, let path, _), .transaction(_, _, let path, _), .recall(_, _, let path): path
        }
    }

    /// - Parameter held: the device's data of the sources; a missing source has none.
    func stored(_ held: [TreeStorage.Held]) -> StoredNode {
        var builder = StoredNodeBuilder(query, at: path)
        for source in sources.reversed() {
            if let data = held.first(where: { $0.number == source.number }) { builder.add(source, data.node) }
        }
        return builder.stored
    }

    /// True if the device already has exactly this data: nothing older changes the newest source.
    func isHeld(as listen: TreeListen) -> Bool {
        !isOutdated && sources.first?.path == listen.path && sources.first?.query == listen.query
    }
}
