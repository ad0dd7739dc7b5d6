import Foundation
import IMTree

/// A client with the apps that listen to it, its device and its connection.
struct ModelClient {
    enum ServerMessage {
        case serverEvent(TreeServerEvent)
        case listened(UInt64, isRefused: Bool)
        case written(UInt64, isRefused: Bool)
        case transacted(UInt64, TreeClient.TransactionAnswer)
    }

    let id: TreeClientID
    private var client = TreeClient()
    private var device: ModelDevice
    private var kept: [(path: [TreeKey], query: TreeQuery)] = []
    var outgoing: [TreeClient.Request] = []
    var incoming: [ServerMessage] = []
    private var apps: [ModelApp] = []
    /// The numbers of the listens that the server has answered over the current connection.
    private var answered: Set<UInt64> = []
    /// The pending transactions. `outcomes` has the results of the others.
    private(set) var transactions: Set<UInt64> = []
    private(set) var outcomes: [TransactionOutcome] = []
    private var writes: Set<UInt64> = []
    private var lastListener: UInt64 = 0
    /// The server's tree at the last time when nothing was in flight; nil if it is unknown.
    private var seen: PlainTree? = PlainTree()
    private var time = 0.0
    private var recalled: TreeNode?
    var faults: [String] = []

    init(id: TreeClientID) {
        self.id = id
        device = ModelDevice(id.rawValue)
        begin()
        perform(client.connected(serverTime: 0))
    }

    /// Starts a process.
    private mutating func begin() {
        client = TreeClient()
        (apps, kept, transactions) = ([], [], [])
        writes = Set(device.storage.contents.writes.map(\.id))
        guard let bytesMax = device.bytesMax else { return }
        perform(client.persist(with: device.storage.contents, bytesMax: bytesMax, serverTime: time))
    }

    // MARK: Actions of the app

    mutating func listen(to query: TreeQuery, at path: [TreeKey]) {
        lastListener += 1
        let listener = TreeListenerID(rawValue: lastListener)
        apps.append(ModelApp(listener: listener, path: path, query: query))
        perform(client.listen(listener, to: query, at: path))
    }

    mutating func unlisten(_ index: Int) {
        guard !apps.isEmpty else { return }
        let app = apps.remove(at: index % apps.count)
        perform(client.unlisten(app.listener, to: app.query, at: app.path))
    }

    mutating func write(_ change: TreeWrite.Change, at path: [TreeKey], isVisible: Bool) {
        time += 1
        let (write, effects) = client.write(change, at: path, serverTime: time, isVisible: isVisible)
        writes.insert(write)
        perform(effects)
    }

    mutating func run(_ expression: TransactionExpression, at path: [TreeKey], isVisible: Bool) {
        time += 1
        let (transaction, effects) = client.run(expression, at: path, serverTime: time, isVisible: isVisible)
        transactions.insert(transaction)
        perform(effects)
    }

    mutating func keepSynced(_ query: TreeQuery, at path: [TreeKey], isOn: Bool) {
        kept.removeAll { $0 == (path, query) }
        if isOn { kept.append((path, query)) }
        perform(client.keepSynced(query, at: path, isOn: isOn))
    }

    // MARK: The device

    var isReading: Bool { !device.answers.isEmpty }

    mutating func read(_ count: Int) {
        for _ in 0..<count {
            guard !device.answers.isEmpty else { return }
            let (number, held) = device.answers.removeFirst()
            perform(client.loaded(number, held, serverTime: time))
        }
    }

    /// A client that is restored from its keyframe must equal the client.
    private mutating func checkCoding() {
        let coded = try? JSONDecoder().decode(TreeClient.self, from: JSONEncoder().encode(client))
        if coded != client { faults.append("read back it is another client") }
    }

    mutating func kill(losesDevice: Bool) {
        checkCoding()
        if losesDevice {
            device.storage = TreeStorage()
        } else {
            checkNextProcess()
        }
        (outgoing, incoming, device.answers, seen, answered) = ([], [], [], nil, [])
        begin()
    }

    /// A new process without a connection must show the same data as this one.
    mutating func checkNextProcess() {
        // Not checked if transactions are pending or a server timestamp is unanswered. A new process has lost the
        // transactions, and estimates the time again.
        let isTimeless = client.unanswered.allSatisfy { $0.change.resolved(at: 0) == $0.change }
        guard device.bytesMax != nil, isQuiet, let seen, device.answers.isEmpty, isTimeless,
            client.tree.pendingWrites.count == client.unanswered.count
        else { return }
        var next = ModelClient(next: self)
        for app in apps {
            // Children outside a limited query may have been known before and still be on the device, where they
            // complete partial writes. Then the answer is not determined.
            let isAlone = !app.query.loadsAllData && !isCovered(app)
            guard !isAlone || client.unanswered.isEmpty, let expected = expected(app, seen) else { continue }
            next.listen(to: app.query, at: app.path)
            next.read(.max)
            guard let shown = next.apps.last else { continue }
            faults += (next.faults + shown.differences(from: expected)).map { "in the next process \($0)" }
            next.faults = []
            next.checkRecall(app.query, at: app.path, expected)
            faults += next.faults
            next.faults = []
        }
    }

    /// The next process of a client.
    private init(next: ModelClient) {
        (id, device, time) = (next.id, next.device, next.time)
        device.answers = []
        // The new process has no listens yet. It must show all data that the earlier process listened to.
        device.bytesMax = 1 << 20
        begin()
    }

    private mutating func checkRecall(_ query: TreeQuery, at path: [TreeKey], _ expected: ModelAnswer) {
        perform(client.recall(77, query, at: path))
        read(.max)
        if recalled.map(PlainTree.init) != expected.whole {
            faults.append(
                "recalls \(recalled.map { "\($0)" } ?? "nothing") of \(path) \(query), not \(expected.whole)")
        }
    }

    // MARK: The link

    mutating func drop() {
        guard client.isConnected else { return }
        // The messages in flight are lost.
        if !isQuiet { seen = nil }
        (outgoing, incoming) = ([], [])
        perform(client.disconnected(serverTime: time))
    }

    mutating func connect() {
        guard !client.isConnected else { return }
        seen = nil
        answered = []
        perform(client.connected(serverTime: time))
    }

    mutating func receive() {
        switch incoming.removeFirst() {
        case .serverEvent(let serverEvent):
            // The tree is unknown until everything in flight has arrived.
            seen = nil
            perform(client.receive(serverEvent, serverTime: time))
        case .listened(let number, let isRefused):
            guard isRefused, let listen = client.tree.activeListens.first(where: { $0.number == number }) else {
                answered.insert(number)
                return perform(client.listened(number, isRefused: isRefused, serverTime: time))
            }
            kept.removeAll { $0.path == listen.path && (!listen.isFiltered || $0.query == listen.query) }
            perform(client.listened(number, isRefused: isRefused, serverTime: time))
            let isHeld = device.storage.contents.tracked.contains {
                $0.path == listen.path && $0.query == listen.query
            }
            if isHeld { faults.append("what was refused is still held: \(listen)") }
        case .written(let number, let isRefused):
            perform(client.written(number, isRefused: isRefused, serverTime: time))
        case .transacted(let number, let answer):
            perform(client.transacted(number, answer, serverTime: time))
        }
    }

    /// True if the client has received everything that the server sent, and an answer to every listen.
    private var isQuiet: Bool {
        client.isConnected && incoming.isEmpty && client.tree.activeListens.allSatisfy { answered.contains($0.number) }
    }

    /// True if transactions are pending, or were pending before the last step.
    private var mayRunTransactions: Bool { !transactions.isEmpty }

    private mutating func perform(_ effects: [TreeClient.Effect]) {
        for index in apps.indices { apps[index].begin(isOneChange: !mayRunTransactions) }
        for effect in effects {
            switch effect {
            case .tell(let event):
                guard let index = apps.firstIndex(where: { $0.listener == event.listener }) else {
                    faults.append("nobody listens any more: \(event)")
                    continue
                }
                apps[index].take(event)
            case .cancelled(let listener):
                if !apps.contains(where: { $0.listener == listener }) { faults.append("cancelled twice: \(listener)") }
                apps.removeAll { $0.listener == listener }
            case .send(let request): outgoing.append(request)
            case .written(let number, _):
                if writes.remove(number) == nil { faults.append("written twice: \(number)") }
            case .ended(let transaction, let outcome):
                if transactions.remove(transaction) == nil { faults.append("ended twice: \(transaction)") }
                outcomes.append(outcome)
            case .keep(let change): device.storage.apply(change)
            case .load(let number, let queries): device.read(number, queries)
            case .recalled(_, let node): recalled = node
            }
        }
        if device.isFast { read(.max) }
        checkListens()
        faults += device.differences(from: client)
        for index in apps.indices {
            faults += apps[index].faults
            apps[index].faults = []
        }
    }

    /// Checks that each listener has a listen at the server, and that no listen is unnecessary.
    private mutating func checkListens() {
        // Transactions have their own listens.
        guard transactions.isEmpty, device.answers.isEmpty else { return }
        let apps = apps.map { (path: $0.path, query: $0.query) } + kept
        let listens = client.tree.activeListens
        let outermost = apps.filter { app in
            app.query.loadsAllData
                && !apps.contains {
                    $0.query.loadsAllData && $0.path.count < app.path.count && app.path.starts(with: $0.path)
                }
        }
        var needed = outermost.map { "\($0.path)" }
        for app in apps where !app.query.loadsAllData {
            if !outermost.contains(where: { app.path.starts(with: $0.path) }) {
                needed.append("\(app.path) \(app.query)")
            }
        }
        let actual = listens.map { $0.isFiltered ? "\($0.path) \($0.query)" : "\($0.path)" }
        if Set(needed) != Set(actual) || Set(actual).count != actual.count {
            faults.append("listens to \(actual), needs \(Set(needed).sorted())")
        }
    }

    /// The violations if something still waits for an answer although nothing is in flight.
    func violationsAtQuiescence() -> [String] {
        guard transactions.isEmpty, writes.isEmpty, client.tree.pendingWrites.isEmpty else {
            return ["waits for transactions \(transactions), writes \(writes), \(client.tree.pendingWrites)"]
        }
        return []
    }

    // MARK: The app's view

    /// - Parameter plain: the server's current tree.
    mutating func checkApps(against plain: PlainTree) {
        if isQuiet { seen = plain }
        guard let seen, incoming.isEmpty, device.answers.isEmpty else { return }
        for app in apps {
            guard let expected = expected(app, seen) else { continue }
            faults += app.differences(from: expected)
        }
    }

    /// True if a listen for all data at the app's path or above it has been answered.
    private func isCovered(_ app: ModelApp) -> Bool {
        client.tree.activeListens.contains {
            !$0.isFiltered && app.path.starts(with: $0.path) && answered.contains($0.number)
        }
    }

    /// The value that an app must show; nil if it is not determined.
    private func expected(_ app: ModelApp, _ seen: PlainTree) -> ModelAnswer? {
        let visible = client.tree.pendingWrites.filter(\.isVisible)
        let texts = app.path.map(\.text)
        let isCovered = isCovered(app)
        let isAnswered = client.tree.activeListens.contains {
            $0.path == app.path && $0.query == app.query && answered.contains($0.number)
        }
        var known = PlainTree()
        var isWhole = false
        if isCovered {
            known = seen.at(texts)
            isWhole = true
        } else if isAnswered {
            for (key, tree) in seen.at(texts).answer(to: app.query) { known.children[key] = tree }
        } else if !visible.contains(where: { $0.decides(app.path) }) {
            return nil
        }
        /// The children that are completely known, or known to be missing.
        var decided: [String] = Array(known.children.keys)
        for part in visible.flatMap(\.plainParts) {
            if texts.starts(with: part.keys) {
                known = part.tree.at(Array(texts.dropFirst(part.keys.count)))
                isWhole = true
            } else if part.keys.starts(with: texts) {
                let rest = Array(part.keys.dropFirst(texts.count))
                if rest.count == 1, rest[0] != ".priority" { decided.append(rest[0]) }
                guard isWhole || decided.contains(rest[0]) else { continue }
                known.put(part.tree, at: rest)
            }
        }
        return ModelAnswer(known, app.query)
    }
}

extension TreeWrite {
    /// True if the write sets the complete value at the path.
    fileprivate func decides(_ path: [TreeKey]) -> Bool {
        plainParts.contains { path.map(\.text).starts(with: $0.keys) }
    }

    /// The parts of the write. Parts that remove a node come last, so that no part adds a child to a node that a later
    /// part removes.
    var plainParts: [(keys: [String], tree: PlainTree)] {
        switch change {
        case .set(let node): return [(path.map(\.text), PlainTree(node))]
        case .update(let parts):
            let all = parts.map { ((path + $0.keys).map(\.text), PlainTree($0.node)) }
            return all.filter { !$0.1.isNothing } + all.filter { $0.1.isNothing }
        }
    }
}
