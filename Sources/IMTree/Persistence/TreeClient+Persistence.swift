// Persistence: the storage of data and writes on the device, and the events with stored data that listeners receive
// before the server answers (SYNC-2, SYNC-3).

/// The queries that are kept synced without a listener of the app, in the order of the requests.
struct SyncedQueries: Sendable, Hashable, Codable {
    var queries: [SyncedQuery] = []
    var lastNumber: UInt64 = 0
}

/// One query that is kept synced.
struct SyncedQuery: Sendable, Hashable, Codable {
    var path: [TreeKey]
    var query: TreeQuery
    /// The client's own listener for the query. Its events are not sent to the app.
    var listener: TreeListenerID
}

extension TreeClient {
    /// The default limit for the data of queries without a listen, in bytes.
    public static let storageBytesMax = 10 << 20

    /// True if the device stores the data of listens and the unacknowledged writes.
    public var isPersistent: Bool { persistence != nil }

    // MARK: The device

    /// Enables persistence: the device stores the data of listens and the unacknowledged writes from now on. Must be
    /// called before any other request (SYNC-2).
    ///
    /// - Parameters:
    ///   - contents: the storage that an earlier process left. Its writes are sent before any other write.
    ///   - bytesMax: the approximate limit for the stored data, in bytes. Only data of queries without a listen is
    ///     deleted.
    public mutating func persist(
        with contents: TreeStorage.Contents, bytesMax: Int = storageBytesMax, serverTime milliseconds: Double
    ) -> [Effect] {
        guard persistence == nil else { return [] }
        var changes: [TreeStorage.Change] = []
        persistence = TreePersistence(contents.tracked, bytesMax: bytesMax, &changes)
        var effects = changes.map(Effect.keep)
        for write in contents.writes.sorted(by: { $0.id < $1.id }) where write.id > lastWrite {
            lastWrite = write.id
            unanswered.append(write)
            if isConnected { effects.append(.send(.write(write))) }
            var shown = write
            shown.change = write.change.resolved(at: milliseconds)
            effects += carryOut(tree.write(shown))
        }
        return effects
    }

    /// Handles the data that the device has returned for a ``Effect/load(_:_:)``.
    ///
    /// - Parameters:
    ///   - number: the number of the request. An unknown number is ignored.
    ///   - held: the data of the requested queries that the device has.
    public mutating func loaded(
        _ number: UInt64, _ held: [TreeStorage.Held], serverTime milliseconds: Double
    ) -> [Effect] {
        guard let index = persistence?.loads.firstIndex(where: { $0.number == number }),
            let load = persistence?.loads.remove(at: index)
        else { return [] }
        switch load.waiting {
        case .listener(let id, let query, let path, let kinds):
            return carryOut(tree.listen(id, to: query, at: path, kinds: kinds, load.stored(held)), load)
                + proceed(serverTime: milliseconds)
        case .transaction(let id, let expression, let path, let isVisible):
            return run(id, expression, at: path, serverTime: milliseconds, isVisible: isVisible, load, held)
        case .recall(let id, let query, let path):
            let stored = load.stored(held)
            guard stored.isComplete else { return [.recalled(id, tree.known(query, at: path))] }
            // A listener in a copy of the tree shows the node that a listener would receive.
            var copy = tree
            let listener = TreeListenerID(rawValue: .max)
            _ = copy.listen(listener, to: query, at: path, kinds: [], stored)
            return [.recalled(id, copy.known(query, at: path))]
        }
    }

    /// Disables persistence because the device's storage has failed. Pending requests to the device continue without
    /// its data, and data is no longer stored.
    public mutating func abandonDevice(serverTime milliseconds: Double) -> [Effect] {
        let numbers = persistence?.loads.map(\.number) ?? []
        let effects = numbers.flatMap { loaded($0, [], serverTime: milliseconds) }
        persistence = nil
        return effects.filter { if case .keep = $0 { false } else { true } }
    }

    /// Requests the node that a new listener to a query would receive now, including the device's data.
    ///
    /// - Parameter id: a number that ``Effect/recalled(_:_:)`` contains with the answer.
    public mutating func recall(_ id: UInt64, _ query: TreeQuery, at path: [TreeKey]) -> [Effect] {
        load(for: .recall(id, query, path: path)) ?? [.recalled(id, tree.known(query, at: path))]
    }

    /// Requests the device's data for an operation.
    ///
    /// - Returns: nil if the data is not needed or does not exist.
    mutating func load(for waiting: TreeLoad.Waiting) -> [Effect]? {
        let request = TreeLoad(number: 0, waiting: waiting, sources: [])
        guard !tree.hasData(request.query, at: request.path), let persistence else { return nil }
        let sources = persistence.sources(at: request.path)
        guard !sources.isEmpty, let load = self.persistence?.makeLoad(waiting, sources) else { return nil }
        return [.load(load.number, sources.map(\.number))]
    }

    // MARK: Synced queries

    /// Keeps the data of a query up to date without a listener of the app, or ends that (SYNC-3).
    public mutating func keepSynced(_ query: TreeQuery, at path: [TreeKey], isOn: Bool) -> [Effect] {
        var synced = synced ?? SyncedQueries()
        defer { self.synced = synced }
        let index = synced.queries.firstIndex { $0.path == path && $0.query == query }
        guard isOn else {
            guard let index else { return [] }
            let removed = synced.queries.remove(at: index)
            return unlisten(removed.listener, to: query, at: removed.path)
        }
        guard index == nil else { return [] }
        synced.lastNumber &+= 1
        let listener = TreeListenerID(rawValue: TreeListenerID.firstSynced | synced.lastNumber)
        synced.queries.append(SyncedQuery(path: path, query: query, listener: listener))
        return listen(listener, to: query, at: path, kinds: [])
    }

    /// The queries that are kept synced, in the order of the requests.
    public var keptQueries: [(path: [TreeKey], query: TreeQuery)] { synced?.queries.map { ($0.path, $0.query) } ?? [] }

    // MARK: Changes for the device

    private mutating func change(
        _ body: (inout TreePersistence, inout [TreeStorage.Change]) -> Void
    ) -> [Effect] {
        guard var persistence else { return [] }
        self.persistence = nil
        var changes: [TreeStorage.Change] = []
        body(&persistence, &changes)
        self.persistence = persistence
        return changes.map(Effect.keep)
    }

    mutating func keep(begun listen: TreeListen, _ load: TreeLoad?) -> [Effect] {
        guard persistence != nil else { return [] }
        let node = tree.serverNode(of: listen)
        return change { $0.begin(listen, node, load, &$1) }
    }

    mutating func keep(ended listen: TreeListen) -> [Effect] {
        change { $0.end(listen.number, &$1) } + evict()
    }

    /// Stores the data of a server's event.
    ///
    /// - Parameter windows: the listens with limits that also received the event, each with its node before the event.
    mutating func keep(_ serverEvent: TreeServerEvent, _ windows: [(listen: TreeListen, node: TreeNode)]) -> [Effect] {
        guard persistence != nil, let listen = tree.listen(serverEvent.listen),
            serverEvent.path.starts(with: listen.path)
        else {
            return []
        }
        let parts: [TreeWrite.Part] =
            switch serverEvent.change {
            case .set(let node): [TreeWrite.Part([], node)]
            case .update(let parts): parts
            }
        let keys = serverEvent.path.dropFirst(listen.path.count)
        let received = parts.map { TreeWrite.Part(keys + $0.keys, $0.node) }
        let isComplete = tree.serverNode(of: listen) != nil
        let others = windows.compactMap { window in
            tree.serverNode(of: window.listen).map { (window.listen.number, $0.childParts(since: window.node)) }
        }
        return change { persistence, changes in
            persistence.receive(received, listen.number, isComplete: isComplete, &changes)
            for (number, parts) in others where !parts.isEmpty {
                persistence.receive(parts, number, isComplete: false, &changes)
            }
        } + evict()
    }

    /// Updates the stored data for the answer to a listen. Must be called after the tree has applied the answer.
    mutating func keep(answerTo number: UInt64, isRefused: Bool) -> [Effect] {
        guard persistence != nil else { return [] }
        let node = tree.listen(number).flatMap { tree.serverNode(of: $0) }
        return change { isRefused ? $0.end(number, isRefused: true, &$1) : $0.complete(number, node, &$1) }
    }

    /// Updates the stored data for the answer to a write. Must be called before the tree applies the answer.
    mutating func keep(answerTo write: UInt64, isWriteRefused: Bool) -> [Effect] {
        guard persistence != nil else { return [] }
        // In these parts, the timestamps are replaced by the estimated server time that listeners have received.
        let parts = tree.pendingWrites.first { $0.id == write }?.parts ?? []
        return change {
            $1.append(.release(write))
            if !isWriteRefused { $0.written(parts, &$1) }
        }
    }

    private mutating func evict() -> [Effect] {
        let tree = tree
        return change { persistence, changes in
            persistence.evict(&changes) { query in
                let listen = tree.activeListens.first { $0.path == query.path && $0.query == query.query }
                return listen.flatMap { tree.serverNode(of: $0) }?.weight
            }
        }
    }
}

extension TreeNode {
    /// The children that differ from those of an older node, as parts of a write.
    fileprivate func childParts(since old: TreeNode) -> [TreeWrite.Part] {
        let removed = old.children.filter { !has($0.key) }.map { TreeWrite.Part([$0.key], .empty) }
        return removed + children.filter { old[$0.key] != $0.value }.map { TreeWrite.Part([$0.key], $0.value) }
    }
}
