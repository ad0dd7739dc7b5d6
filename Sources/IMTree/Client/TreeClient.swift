/// A client's side of the tree: the app's requests, the requests to the server, and those that are sent again over the
/// next connection (SYNC-2, SYNC-7, SYNC-10). A value without input and output: the owner of a connection and a clock
/// carries out the effects.
public struct TreeClient: Sendable, Hashable, Codable {
    public internal(set) var tree = SyncTree()
    public private(set) var isConnected = false
    /// Sets and updates without an answer, as they are sent, and later ones that already have an answer
    /// (``isTaken(_:)``).
    public internal(set) var unanswered: [TreeWrite] = []
    /// The numbers of the unanswered writes that the server has accepted, and of those whose acceptance arrived over
    /// this connection; nil for none.
    private var taken: [UInt64]?
    private var takenOverLink: [UInt64]?
    private var transactions: [TreeTransaction] = []
    var lastWrite: UInt64 = 0
    private var lastTransaction: UInt64 = 0
    /// The device's storage; nil if nothing outlives the process.
    var persistence: TreePersistence?
    /// The queries that are kept synced without a listener of the app (SYNC-3); nil if there never were any.
    var kept: SyncedQueries?

    /// The maximum number of retries of a transaction that meets a newer value each time.
    public static let retriesMax = 25

    public init() {}

    /// A request to the server. Each has an answer, in the order of sending.
    public enum Request: Sendable, Hashable {
        /// The hash is that of the data that the client already has.
        case listen(TreeListen, TreeHash?)
        case unlisten(TreeListen)
        case write(TreeWrite)
        /// Sets a node at a path, if the server's node there has that hash.
        case transaction(UInt64, path: [TreeKey], node: TreeNode, over: TreeHash)
    }

    public enum Effect: Sendable, Hashable {
        case tell(TreeEvent)
        /// The server has refused the listen, so that the listener receives no more events.
        case cancelled(TreeListenerID)
        case send(Request)
        /// The server has accepted or refused a write.
        case written(UInt64, isRefused: Bool)
        case ended(transaction: UInt64, TransactionOutcome)
        /// A change of the device's storage.
        case keep(TreeStorage.Change)
        /// Requests the data of queries from the device; ``loaded(_:_:serverTime:)`` takes the answer.
        case load(UInt64, [UInt64])
        /// The known node for a ``recall(_:_:at:)``, including the device's data; nil if too little is known.
        case recalled(UInt64, TreeNode?)
    }

    // MARK: The app's requests

    public mutating func listen(
        _ id: TreeListenerID, to query: TreeQuery, at path: [TreeKey],
        kinds: [TreeEventKind] = TreeEventKind.allCases
    ) -> [Effect] {
        let waiting = TreeLoad.Waiting.listener(id, query, path: path, kinds: kinds)
        return load(for: waiting) ?? carryOut(tree.listen(id, to: query, at: path, kinds: kinds))
    }

    public mutating func unlisten(_ id: TreeListenerID, to query: TreeQuery, at path: [TreeKey]) -> [Effect] {
        persistence?.loads.removeAll { load in
            if case .listener(id, _, path, _) = load.waiting { true } else { false }
        }
        return carryOut(tree.unlisten(id, to: query, at: path))
    }

    /// - Parameter milliseconds: the estimated server time (SYNC-7).
    /// - Returns: also the number of the write.
    public mutating func write(
        _ change: TreeWrite.Change, at path: [TreeKey], serverTime milliseconds: Double, isVisible: Bool = true
    ) -> (write: UInt64, effects: [Effect]) {
        var write = TreeWrite(id: makeWriteNumber(), at: path, change, isVisible: isVisible)
        unanswered.append(write)
        var effects = persistence == nil ? [] : [Effect.keep(.hold(write))]
        effects += override(write)
        if isConnected { effects.append(.send(.write(write))) }
        write.change = change.resolved(at: milliseconds)
        effects += carryOut(tree.write(write))
        return (write.id, effects + proceed(serverTime: milliseconds))
    }

    /// Runs a transaction.
    ///
    /// - Returns: also the number of the transaction.
    public mutating func run(
        _ expression: TransactionExpression, at path: [TreeKey], serverTime milliseconds: Double,
        isVisible: Bool = true
    ) -> (transaction: UInt64, effects: [Effect]) {
        lastTransaction &+= 1
        let waiting = TreeLoad.Waiting.transaction(lastTransaction, expression, path: path, isVisible: isVisible)
        let effects =
            load(for: waiting)
            ?? run(lastTransaction, expression, at: path, serverTime: milliseconds, isVisible: isVisible, nil, [])
        return (lastTransaction, effects)
    }

    /// - Parameters:
    ///   - load: the request to the device.
    ///   - held: the device's answer.
    mutating func run(
        _ id: UInt64, _ expression: TransactionExpression, at path: [TreeKey], serverTime milliseconds: Double,
        isVisible: Bool, _ load: TreeLoad?, _ held: [TreeStorage.Held]
    ) -> [Effect] {
        let listener = TreeListenerID(rawValue: TreeListenerID.ownTransactions | id)
        let stored = load?.stored(held) ?? .nothing
        var effects = carryOut(tree.listen(listener, to: .all, at: path, kinds: [], stored), load)
        let input = tree.completeNode(at: path) ?? .empty
        guard let output = expression.result(for: input) else {
            effects += carryOut(tree.unlisten(listener, to: .all, at: path))
            return effects + [.ended(transaction: id, .aborted(input))]
        }
        if let rejectionReason = TreeWrite.Change.set(output).rejectionReason(depth: path.count) {
            effects += carryOut(tree.unlisten(listener, to: .all, at: path))
            return effects + [.ended(transaction: id, .impossible(rejectionReason))]
        }
        let transaction = TreeTransaction(
            id: id, path: path, expression: expression, isVisible: isVisible, listener: listener,
            write: makeWriteNumber(),
            input: input, output: output)
        transactions.append(transaction)
        effects += carryOut(tree.write(transaction.shown(at: milliseconds)))
        return effects + proceed(serverTime: milliseconds)
    }

    private mutating func makeWriteNumber() -> UInt64 {
        lastWrite &+= 1
        return lastWrite
    }

    // MARK: The connection

    /// Sends everything needed over a new connection: the listens, then the writes in their order, then transactions
    /// that have not been sent.
    public mutating func connected(serverTime milliseconds: Double) -> [Effect] {
        isConnected = true
        let again = tree.activeListens.map { Request.listen($0, tree.hash(of: $0)) } + unanswered.map(Request.write)
        return again.map(Effect.send) + proceed(serverTime: milliseconds)
    }

    /// Frames of the server may have been lost: sends the active listens again (C-15).
    ///
    /// - Parameter number: the only listen to send again; nil for all.
    public func resendListens(_ number: UInt64? = nil) -> [Effect] {
        guard isConnected else { return [] }
        let listens = tree.activeListens.filter { number == nil || $0.number == number }
        return listens.map { .send(.listen($0, tree.hash(of: $0))) }
    }

    public mutating func disconnected(serverTime milliseconds: Double) -> [Effect] {
        isConnected = false
        takenOverLink = nil
        var effects: [Effect] = []
        for transaction in transactions where transaction.state != .ready {
            effects += end(transaction.id, .disconnected)
        }
        return effects + proceed(serverTime: milliseconds)
    }

    // MARK: The server's frames

    public mutating func receive(_ serverEvent: TreeServerEvent, serverTime milliseconds: Double) -> [Effect] {
        let windows = persistence == nil ? [] : tree.windows(above: serverEvent)
        let effects =
            switch serverEvent.change {
            case .set(let node): tree.receive(node, at: serverEvent.path, listen: serverEvent.listen)
            case .update(let parts): tree.receive(parts, at: serverEvent.path, listen: serverEvent.listen)
            }
        return carryOut(effects) + keep(serverEvent, windows) + proceed(serverTime: milliseconds)
    }

    /// The answer to a listen.
    public mutating func listened(_ number: UInt64, isRefused: Bool, serverTime milliseconds: Double) -> [Effect] {
        let answered = isRefused ? tree.cancel(number) : tree.complete(number)
        // Without read access, a transaction can do nothing.
        let blind = transactions.filter { answered.contains(.cancelled($0.listener)) }
        let kept = keep(answerTo: number, isRefused: isRefused)
        let effects = kept + carryOut(answered) + blind.flatMap { end($0.id, .refused) }
        return effects + proceed(serverTime: milliseconds)
    }

    /// The answer to a write.
    public mutating func written(_ number: UInt64, isRefused: Bool, serverTime milliseconds: Double) -> [Effect] {
        guard unanswered.contains(where: { $0.id == number }) else { return [] }
        let told: [Effect] = isTaken(number) ? [] : [.written(number, isRefused: isRefused)]
        if !isRefused, hasEarlierWrite(number) {
            // The answer to an earlier write was lost, so that the earlier write is sent again. If this later one,
            // still displayed, were not sent again after it, the tree would go back (SYNC-10).
            if !told.isEmpty { taken = (taken ?? []) + [number] }
            takenOverLink = (takenOverLink ?? []) + [number]
            return told + proceed(serverTime: milliseconds)
        }
        var effects = release(number, isRefused: isRefused) + told
        while let next = takenOverLink?.first(where: { !hasEarlierWrite($0) }) {
            effects += release(next, isRefused: false)
        }
        return effects + proceed(serverTime: milliseconds)
    }

    /// True if the server has accepted a write that waits for an earlier one.
    public func isTaken(_ number: UInt64) -> Bool { taken?.contains(number) ?? false }

    private func hasEarlierWrite(_ number: UInt64) -> Bool {
        guard let index = unanswered.firstIndex(where: { $0.id == number }) else { return false }
        return unanswered[..<index].contains { $0.meets(unanswered[index]) }
    }

    private mutating func release(_ number: UInt64, isRefused: Bool) -> [Effect] {
        if let index = unanswered.firstIndex(where: { $0.id == number }) { unanswered.remove(at: index) }
        taken?.removeAll { $0 == number }
        takenOverLink?.removeAll { $0 == number }
        if taken?.isEmpty == true { taken = nil }
        if takenOverLink?.isEmpty == true { takenOverLink = nil }
        return keep(answerTo: number, isWriteRefused: isRefused)
            + carryOut(tree.acknowledge(number, isRevert: isRefused))
    }

    /// The answer to a transaction.
    public enum TransactionAnswer: Sendable, Hashable {
        case taken
        /// 26201: the server has another value.
        case stale
        case refused
    }

    public mutating func transacted(
        _ id: UInt64, _ answer: TransactionAnswer, serverTime milliseconds: Double
    ) -> [Effect] {
        guard let index = transactions.firstIndex(where: { $0.id == id && $0.state != .ready }) else { return [] }
        let effects: [Effect]
        switch answer {
        case .taken: effects = end(id, .committed(tree.completeServerNode(at: transactions[index].path) ?? .empty))
        case .refused: effects = end(id, .refused)
        case .stale where transactions[index].state == .overridden: effects = end(id, .overridden)
        case .stale:
            transactions[index].staleCount &+= 1
            transactions[index].state = .ready
            effects = transactions[index].staleCount >= Self.retriesMax ? end(id, .tooManyRetries) : []
        }
        return effects + proceed(serverTime: milliseconds)
    }

    // MARK: Transactions

    /// The app's own writes take precedence over a transaction's result at the same path.
    private mutating func override(_ write: TreeWrite) -> [Effect] {
        var effects: [Effect] = []
        for index in transactions.indices.reversed()
        where write.parts.contains(where: { transactions[index].meets($0.keys) }) {
            if transactions[index].state == .ready {
                effects += end(transactions[index].id, .overridden)
            } else {
                transactions[index].state = .overridden
            }
        }
        return effects
    }

    /// Runs transactions again whose input has changed, and sends those whose turn it is.
    mutating func proceed(serverTime milliseconds: Double) -> [Effect] {
        var effects: [Effect] = []
        for id in transactions.map(\.id) {
            guard let index = transactions.firstIndex(where: { $0.id == id }), transactions[index].state == .ready
            else {
                continue
            }
            let path = transactions[index].path
            // The input of a transaction includes neither its own result nor that of later ones.
            let known = tree.completeNode(at: path, besides: transactions[index...].map(\.write)) ?? .empty
            if known != transactions[index].input {
                effects += runAgain(index, on: known, milliseconds)
                guard index < transactions.count, transactions[index].id == id else { continue }
            }
            let isFirst = !transactions[..<index].contains { $0.meets(path) }
            guard isConnected, isFirst, tree.completeServerNode(at: path) != nil else { continue }
            transactions[index].state = .sent
            effects.append(
                .send(.transaction(id, path: path, node: transactions[index].output, over: known.hash)))
        }
        return effects
    }

    private mutating func runAgain(_ index: Int, on node: TreeNode, _ milliseconds: Double) -> [Effect] {
        guard let output = transactions[index].expression.result(for: node) else {
            return end(transactions[index].id, .aborted(node))
        }
        if let rejectionReason = TreeWrite.Change.set(output).rejectionReason(depth: transactions[index].path.count) {
            return end(transactions[index].id, .impossible(rejectionReason))
        }
        let old = transactions[index].write
        transactions[index].write = makeWriteNumber()
        transactions[index].input = node
        transactions[index].output = output
        return carryOut(tree.write(transactions[index].shown(at: milliseconds)))
            + carryOut(tree.acknowledge(old, isRevert: true))
    }

    private mutating func end(_ id: UInt64, _ outcome: TransactionOutcome) -> [Effect] {
        guard let index = transactions.firstIndex(where: { $0.id == id }) else { return [] }
        let transaction = transactions.remove(at: index)
        var isRevert = true
        if case .committed = outcome { isRevert = false }
        return carryOut(tree.acknowledge(transaction.write, isRevert: isRevert))
            + carryOut(tree.unlisten(transaction.listener, to: .all, at: transaction.path))
            + [.ended(transaction: id, outcome)]
    }

    // MARK: Effects

    /// - Parameter load: the device's answer for it.
    mutating func carryOut(_ effects: [SyncTree.Effect], _ load: TreeLoad? = nil) -> [Effect] {
        var done: [Effect] = []
        for effect in effects {
            switch effect {
            case .tell(let event): done.append(.tell(event))
            case .cancelled(let listener):
                kept?.queries.removeAll { $0.listener == listener }
                if !listener.isOfClient { done.append(.cancelled(listener)) }
            case .listen(let listen):
                done += keep(begun: listen, load)
                if isConnected { done.append(.send(.listen(listen, tree.hash(of: listen)))) }
            case .unlisten(let listen):
                done += keep(ended: listen)
                if isConnected { done.append(.send(.unlisten(listen))) }
            }
        }
        return done
    }
}

extension TreeListenerID {
    /// Numbers from here on are the client's own.
    static let ownTransactions: UInt64 = 1 << 63
    static let ownKept: UInt64 = 1 << 62

    fileprivate var isOfClient: Bool { rawValue >= TreeListenerID.ownKept }
}

extension TreeTransaction {
    /// The write that shows the transaction's result.
    fileprivate func shown(at milliseconds: Double) -> TreeWrite {
        TreeWrite(id: write, at: path, .set(output.resolved(at: milliseconds)), isVisible: isVisible)
    }
}

extension TreeWrite.Change {
    /// The change with its timestamps replaced by the server's time (SYNC-7).
    public func resolved(at milliseconds: Double) -> TreeWrite.Change {
        switch self {
        case .set(let node): .set(node.resolved(at: milliseconds))
        case .update(let parts): .update(parts.map { TreeWrite.Part($0.keys, $0.node.resolved(at: milliseconds)) })
        }
    }
}
