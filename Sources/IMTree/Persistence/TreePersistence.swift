/// The client's index of its device's storage (SYNC-2, SYNC-3). It records which queries are stored, selects those that
/// can answer another query offline, and selects those to delete if there is too much data.
///
/// The device stores separate data for each query that the client listens to: exactly the data that the server sent for
/// it. The data remains after the end of the listen until the space is needed. Then the least recently used query is
/// deleted first. Queries with a listen are never deleted, and this includes synced queries.
struct TreePersistence: Sendable, Hashable, Codable {
    private(set) var tracked = SortedMap<UInt64, TrackedQuery>()
    /// The number of the tracked query of each active listen, by the number of the listen.
    private var active = SortedMap<UInt64, UInt64>()
    /// The pending requests to the device, oldest first.
    var loads: [TreeLoad] = []
    private var lastLoad: UInt64 = 0
    private var lastNumber: UInt64 = 0
    private var lastUse: UInt64 = 0
    private let bytesMax: Int
    private var bytes = 0
    /// The size of the data received since the sizes were last measured, in bytes. It also counts data that replaces
    /// other data. If it becomes large, the sizes are measured again, because the total may be too high.
    private var unmeasured = 0

    /// The maximum number of tracked queries without a listen.
    static let inactiveMax = 1000

    /// - Parameters:
    ///   - held: the stored queries of an earlier process. None of them has a listen yet.
    ///   - changes: the changes of the storage are appended to this list.
    init(_ held: [TrackedQuery], bytesMax: Int, _ changes: inout [TreeStorage.Change]) {
        self.bytesMax = bytesMax
        lastUse = held.map { max($0.lastUse, $0.asOf) }.max() ?? 0
        lastNumber = held.map(\.number).max() ?? 0
        let use = nextUse()
        for var query in held {
            guard query.isComplete else {
                changes.append(.forget(query.number))
                continue
            }
            if query.isActive || query.isCurrent {
                // The data of a query with a listen was up to date until the process ended.
                if query.isCurrent { query.asOf = use }
                (query.isActive, query.isCurrent, query.lastUse) = (false, false, use)
                changes.append(.track(query))
            }
            tracked.set(query.number, query)
            bytes &+= query.bytes
        }
    }

    private mutating func nextUse() -> UInt64 {
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

    /// Starts to store the data of a listen.
    ///
    /// - Parameters:
    ///   - node: the complete known node; nil if it is not complete.
    ///   - load: the request that read the node from the device; nil if the node is newer than the device's data.
    mutating func begin(
        _ listen: TreeListen, _ node: TreeNode?, _ load: TreeLoad?, _ changes: inout [TreeStorage.Change]
    ) {
        let isStored = load?.isStored(as: listen) == true
        let existing = tracked.first { $0.value.path == listen.path && $0.value.query == listen.query }?.value
        if existing == nil { lastNumber &+= 1 }
        var query =
            existing ?? TrackedQuery(number: lastNumber, path: listen.path, query: listen.query, lastUse: lastUse)
        active.set(listen.number, query.number)
        (query.isActive, query.isComplete, query.lastUse) = (true, node != nil, nextUse())
        query.asOf = load.map { $0.sources.map(\.asOf).max() ?? 0 } ?? query.lastUse
        if !isStored || existing == nil {
            query.bytes = node?.weight ?? 0
            if node != nil || existing != nil {
                changes.append(.put(query.number, [TreeWrite.Part([], node ?? .empty)]))
            }
        }
        keep(query, &changes)
    }

    /// Stores the data that the server sent for a listen.
    ///
    /// - Parameter isComplete: true if the client has all data of the listen's query afterwards.
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
        // An approximate size is enough: the record of the query is only stored again if the size doubles or halves.
        guard query.bytes.leadingZeroBitCount == before.leadingZeroBitCount else { return keep(query, &changes) }
        bytes &+= query.bytes &- before
        tracked.set(number, query)
    }

    /// Records that the server has sent all data of a listen.
    ///
    /// - Parameter node: the client's complete node. It is stored if the stored data is incomplete: the device then has
    ///   only the parts from this listen's events, and not the data from other listens.
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
        // If the server has refused the listen, the stored data must no longer be visible.
        guard query.isComplete, !isRefused else { return forget(query, &changes) }
        (query.isActive, query.lastUse) = (false, nextUse())
        if query.isCurrent { query.asOf = query.lastUse }
        query.isCurrent = false
        keep(query, &changes)
    }

    // MARK: Own writes

    /// Applies a write of this client, which the server has accepted, to the stored data of queries without a listen.
    /// Queries with a listen get an event of the server for it.
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

    /// The stored queries that answer a query of a path, the newest first. The list ends with the newest query whose
    /// data contains the complete node at the path. If several have the same age, data of outer paths replaces data of
    /// inner paths, and all of it replaces that of a query with the complete node.
    func sources(at path: [TreeKey]) -> [TrackedQuery] {
        let related = tracked.map(\.value).filter { held in
            held.isComplete && (held.path.starts(with: path) || path.starts(with: held.path))
        }
        func age(_ held: TrackedQuery) -> (UInt64, Int, Int, UInt64) {
            (held.isCurrent ? .max : held.asOf, held.covers(path) ? 0 : 1, -held.path.count, held.number)
        }
        let newest = related.sorted { age($0) > age($1) }
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

    /// Deletes the data of the least recently used queries if there is too much data.
    ///
    /// - Parameter measure: returns the exact size of a query with a listen, in bytes; nil if it is unknown.
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

/// A request to the device, and the operation that waits for its data.
struct TreeLoad: Sendable, Hashable, Codable {
    enum Waiting: Sendable, Hashable, Codable {
        case listener(TreeListenerID, TreeQuery, path: [TreeKey], kinds: [TreeEventKind])
        case transaction(UInt64, TransactionExpression, path: [TreeKey], isVisible: Bool)
        case recall(UInt64, TreeQuery, path: [TreeKey])
    }

    var number: UInt64
    var waiting: Waiting
    /// The queries whose data is requested, the newest first.
    var sources: [TrackedQuery]
    /// True if the stored data of the sources has changed after the request.
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

    /// Combines the data of the sources.
    ///
    /// - Parameter held: the data that the device returned. Sources without data are missing.
    func stored(_ held: [TreeStorage.Held]) -> StoredNode {
        var builder = StoredNodeBuilder(query, at: path)
        for source in sources.reversed() {
            if let data = held.first(where: { $0.number == source.number }) { builder.add(source, data.node) }
        }
        return builder.stored
    }

    /// True if the device already stores exactly this data for a listen: the newest source is the query of the listen,
    /// so older sources change nothing.
    func isStored(as listen: TreeListen) -> Bool {
        !isOutdated && sources.first?.path == listen.path && sources.first?.query == listen.query
    }
}
