/// The client's side of the tree: the app's requests, the requests to the server, and those that must be sent again
/// over the next connection (SYNC-2, SYNC-7, SYNC-10). A value without input and output. Its owner has the connection
/// and the clock, and executes the effects.
public struct TreeClient: Sendable, Hashable, Codable {
    public internal(set) var tree = SyncTree()
    public private(set) var isConnected = false
    /// The sets and updates that the server has not answered, in the form in which they are sent. A write that was
    /// answered remains here while an earlier write to the same path has no answer (``isAccepted(_:)``).
    public internal(set) var unanswered: [TreeWrite] = []
    /// The numbers of the writes in `unanswered` that the server has accepted, and of those among them that it accepted
    /// over the current connection; nil for none.
    private var accepted: [UInt64]?
    private var acceptedOnConnection: [UInt64]?
    private var transactions: [TreeTransaction] = []
    var lastWrite: UInt64 = 0
    private var lastTransaction: UInt64 = 0
    /// The index of the device's storage; nil if the app has not enabled persistence.
    var persistence: TreePersistence?
    /// The queries that are kept synced without a listener of the app (SYNC-3); nil if the app never requested one.
    var synced: SyncedQueries?

    /// The maximum number of attempts of a transaction, each of which found a new value on the server.
    public static let retriesMax = 25

    public init() {}

    /// A request to the server. The server answers each request, in the order of sending.
    public enum Request: Sendable, Hashable {
        /// Starts a listen. The hash is that of the data that the client already has; nil if the data is incomplete.
        case listen(TreeListen, TreeHash?)
        case unlisten(TreeListen)
        case write(TreeWrite)
        /// Sets a node at a path if the server's current node at the path has the hash `over`.
        case transaction(UInt64, path: [TreeKey], node: TreeNode, over: TreeHash)
    }

    public enum Effect: Sendable, Hashable {
        case tell(TreeEvent)
        /// The server has refused the listen of a listener, which receives no more events.
        case cancelled(TreeListenerID)
        case send(Request)
        /// The server has accepted or refused a write.
        case written(UInt64, isRefused: Bool)
        case ended(transaction: UInt64, TransactionOutcome)
        /// Applies a change to the device's storage.
        case keep(TreeStorage.Change)
        /// Requests the data of queries from the device. The first number is that of the request, the others are those
        /// of the queries. The owner passes the data to ``loaded(_:_:serverTime:)``.
        case load(UInt64, [UInt64])
        /// The answer to ``recall(_:_:at:)``: the known node, including the device's data; nil if it is not fully
        /// known.
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
    /// - Returns: the number of the write, and the effects.
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
    /// - Returns: the number of the transaction, and the effects.
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

    /// Runs a transaction whose data from the device has arrived, or is not needed.
    ///
    /// - Parameters:
    ///   - load: the request to the device; nil if the device's data was not needed.
    ///   - held: the data that the device returned for the request.
    mutating func run(
        _ id: UInt64, _ expression: TransactionExpression, at path: [TreeKey], serverTime milliseconds: Double,
        isVisible: Bool, _ load: TreeLoad?, _ held: [TreeStorage.Held]
    ) -> [Effect] {
        let listener = TreeListenerID(rawValue: TreeListenerID.firstTransaction | id)
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
            write: makeWriteNumber(), input: input, output: output)
        transactions.append(transaction)
        effects += carryOut(tree.write(transaction.shown(at: milliseconds)))
        return effects + proceed(serverTime: milliseconds)
    }

    private mutating func makeWriteNumber() -> UInt64 {
        lastWrite &+= 1
        return lastWrite
    }

    // MARK: The connection

    /// Sends the requests that a new connection needs: the listens, then the unanswered writes in their order, then the
    /// transactions that have not been sent.
    public mutating func connected(serverTime milliseconds: Double) -> [Effect] {
        isConnected = true
        let requests = tree.activeListens.map { Request.listen($0, tree.hash(of: $0)) } + unanswered.map(Request.write)
        return requests.map(Effect.send) + proceed(serverTime: milliseconds)
    }

    /// Sends active listens again, because frames of the server may have been lost (C-15).
    ///
    /// - Parameter number: the number of the only listen to send again; nil for all listens.
    public func resendListens(_ number: UInt64? = nil) -> [Effect] {
        guard isConnected else { return [] }
        let listens = tree.activeListens.filter { number == nil || $0.number == number }
        return listens.map { .send(.listen($0, tree.hash(of: $0))) }
    }

    public mutating func disconnected(serverTime milliseconds: Double) -> [Effect] {
        isConnected = false
        acceptedOnConnection = nil
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

    /// Handles the answer to a listen.
    public mutating func listened(_ number: UInt64, isRefused: Bool, serverTime milliseconds: Double) -> [Effect] {
        let answered = isRefused ? tree.cancel(number) : tree.complete(number)
        // Without read access to its path, a transaction cannot run.
        let unreadable = transactions.filter { answered.contains(.cancelled($0.listener)) }
        let stored = keep(answerTo: number, isRefused: isRefused)
        let effects = stored + carryOut(answered) + unreadable.flatMap { end($0.id, .refused) }
        return effects + proceed(serverTime: milliseconds)
    }

    /// Handles the answer to a write.
    public mutating func written(_ number: UInt64, isRefused: Bool, serverTime milliseconds: Double) -> [Effect] {
        guard unanswered.contains(where: { $0.id == number }) else { return [] }
        let notification: [Effect] = isAccepted(number) ? [] : [.written(number, isRefused: isRefused)]
        if !isRefused, hasEarlierWrite(number) {
            // The answer to an earlier write to the same path was lost, so the client will send that write again. It
            // must send this later write again, too: otherwise the earlier value would remain (SYNC-10).
            if !notification.isEmpty { accepted = (accepted ?? []) + [number] }
            acceptedOnConnection = (acceptedOnConnection ?? []) + [number]
            return notification + proceed(serverTime: milliseconds)
        }
        var effects = release(number, isRefused: isRefused) + notification
        while let next = acceptedOnConnection?.first(where: { !hasEarlierWrite($0) }) {
            effects += release(next, isRefused: false)
        }
        return effects + proceed(serverTime: milliseconds)
    }

    /// True if the server has accepted a write that is still in ``unanswered`` because of an earlier write.
    public func isAccepted(_ number: UInt64) -> Bool { accepted?.contains(number) ?? false }

    /// True if an earlier write to the same path, above or below it has no answer.
    private func hasEarlierWrite(_ number: UInt64) -> Bool {
        guard let index = unanswered.firstIndex(where: { $0.id == number }) else { return false }
        return unanswered[..<index].contains { $0.overlaps(unanswered[index]) }
    }

    /// Removes an answered write.
    private mutating func release(_ number: UInt64, isRefused: Bool) -> [Effect] {
        if let index = unanswered.firstIndex(where: { $0.id == number }) { unanswered.remove(at: index) }
        accepted?.removeAll { $0 == number }
        acceptedOnConnection?.removeAll { $0 == number }
        if accepted?.isEmpty == true { accepted = nil }
        if acceptedOnConnection?.isEmpty == true { acceptedOnConnection = nil }
        return keep(answerTo: number, isWriteRefused: isRefused)
            + carryOut(tree.acknowledge(number, isRevert: isRefused))
    }

    /// The server's answer to a transaction.
    public enum TransactionAnswer: Sendable, Hashable {
        case taken
        /// The server has another value than the transaction's input (Wilddog's code 26201).
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

    /// Ends or marks the transactions whose path a write of the app affects, because a write takes precedence.
    private mutating func override(_ write: TreeWrite) -> [Effect] {
        var effects: [Effect] = []
        for index in transactions.indices.reversed()
        where write.parts.contains(where: { transactions[index].overlaps($0.keys) }) {
            if transactions[index].state == .ready {
                effects += end(transactions[index].id, .overridden)
            } else {
                transactions[index].state = .overridden
            }
        }
        return effects
    }

    /// Runs transactions again if their input has changed. Sends the first one of each path.
    mutating func proceed(serverTime milliseconds: Double) -> [Effect] {
        var effects: [Effect] = []
        for id in transactions.map(\.id) {
            guard let index = transactions.firstIndex(where: { $0.id == id && $0.state == .ready }) else { continue }
            let path = transactions[index].path
            // The input of a transaction does not include its own result, or the results of later transactions.
            let input = tree.completeNode(at: path, besides: transactions[index...].map(\.write)) ?? .empty
            if input != transactions[index].input {
                effects += runAgain(index, on: input, milliseconds)
                guard index < transactions.count, transactions[index].id == id else { continue }
            }
            let isFirst = !transactions[..<index].contains { $0.overlaps(path) }
            guard isConnected, isFirst, tree.completeServerNode(at: path) != nil else { continue }
            transactions[index].state = .sent
            effects.append(
                .send(.transaction(id, path: path, node: transactions[index].output, over: input.hash)))
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

    /// Converts effects of the tree into effects of the client, and stores their changes on the device.
    ///
    /// - Parameter load: the request that read the device's data for a new listen; nil for none.
    mutating func carryOut(_ effects: [SyncTree.Effect], _ load: TreeLoad? = nil) -> [Effect] {
        var converted: [Effect] = []
        for effect in effects {
            switch effect {
            case .tell(let event): converted.append(.tell(event))
            case .cancelled(let listener):
                synced?.queries.removeAll { $0.listener == listener }
                if !listener.isInternal { converted.append(.cancelled(listener)) }
            case .listen(let listen):
                converted += keep(begun: listen, load)
                if isConnected { converted.append(.send(.listen(listen, tree.hash(of: listen)))) }
            case .unlisten(let listen):
                converted += keep(ended: listen)
                if isConnected { converted.append(.send(.unlisten(listen))) }
            }
        }
        return converted
    }
}

extension TreeListenerID {
    /// The first numbers of two kinds of the client's own listeners: those of transactions and those of synced queries.
    /// The app's listeners have lower numbers.
    static let firstTransaction: UInt64 = 1 << 63
    static let firstSynced: UInt64 = 1 << 62

    fileprivate var isInternal: Bool { rawValue >= TreeListenerID.firstSynced }
}

extension TreeTransaction {
    /// The write that shows the result of the transaction to listeners.
    fileprivate func shown(at milliseconds: Double) -> TreeWrite {
        TreeWrite(id: write, at: path, .set(output.resolved(at: milliseconds)), isVisible: isVisible)
    }
}

extension TreeWrite.Change {
    /// The change in which the server's time replaces its timestamps, in milliseconds since 1970 (SYNC-7).
    public func resolved(at milliseconds: Double) -> TreeWrite.Change {
        switch self {
        case .set(let node): .set(node.resolved(at: milliseconds))
        case .update(let parts): .update(parts.map { TreeWrite.Part($0.keys, $0.node.resolved(at: milliseconds)) })
        }
    }
}
