import IMCheckers
import IMClient
import IMProtocol
import IMServer
import IMSession
import IMTree
import SansIO

// Patterns of several steps that change the tree.

extension ScenarioDriver {
    static let treePatterns: [Pattern] = [
        { $0.contendedTransactions($1) }, { $0.restartOffline($1) }, { $0.onDisconnectOfAnOldLink($1) },
        { $0.onDisconnectAtTheEnd($1) }, { $0.writeOverATransaction($1) }, { $0.dataLost($1) },
        { $0.writesWhileAway($1) }, { $0.writeAroundAnUnansweredOne($1) }, { $0.limitedQueryAndAllData($1) },
        { $0.lateDataForQuery($1) },
        { $0.boundsAmongFewValues($1) }, { $0.moreThanADeviceStores($1) }, { $0.ownQueryOffline($1) },
        { $0.pathAndParent($1) }, { $0.keptSyncedTwice($1) },
        { $0.switchedInASleep($1) },
        { $0.ownPathOffline($1) }, { $0.refusedAndOffline($1) }, { $0.clockSetBetweenLinks($1) },
        { $0.listenEndedLate($1) }, { $0.lowTreeWriteLimit($1) }, { $0.pushesAroundAClockChange($1) },
        { $0.transactionsOverABreak($1) }, { $0.listenerBelowAQuery($1) }, { $0.switchedInAnOutage($1) },
        { $0.partsOfAQueryOffline($1) }, { $0.limitedQueryAndWholeWrite($1) },
    ]

    /// Starts the app's process again with stored tree data.
    mutating func startKeepingTree(_ client: String, bytesMax: Int = 10 << 20) {
        startNewProcess(client)
        tree(client, .persistence(bytesMax: bytesMax))
    }

    /// A sleeping app goes offline and online again, while other clients write at a path that it listens to (C-3,
    /// SYNC-8).
    mutating func switchedInASleep(_ client: String) {
        guard let writer = other(than: client) else { return keptSyncedTwice(client) }
        tree(client, .listen(path: "a"))
        wait(.milliseconds(200))
        app(client, .sleep(.seconds(20)))
        command(client, .goOffline)
        command(client, .goOnline)
        wait(pick([.milliseconds(50), .seconds(1)]))
        for _ in 0...random.below(2) { tree(writer, .set(path: "a/b", TreeNode(.number(Double(random.below(100)))))) }
        wait(.seconds(21))
        reachQuiescence()
    }

    /// Several calls keep a path synchronized, and a single call ends the synchronization (SYNC-3).
    mutating func keptSyncedTwice(_ client: String) {
        let path = pick(["a", "x/y"])
        for _ in 0...random.below(2) {
            tree(client, .keep(path: path, nil, isOn: true))
            wait(.milliseconds(50))
        }
        if random.below(3) == 0 { tree(client, .listen(path: path)) }
        if random.below(2) == 0 { tree(client, .keep(path: path, nil, isOn: false)) }
        if random.below(2) == 0 { tree(client, .unlisten(path: path)) }
        reachQuiescence()
    }

    /// A client's listener does not receive another client's write, although the connection works (C-15).
    mutating func dataLost(_ client: String) {
        guard let writer = other(than: client) else { return contendedTransactions(client) }
        let path = pick(["a", "a/b", "x/y"])
        tree(client, .listen(path: path))
        wait(.milliseconds(100))
        let lost = pick(["tree-data", "tree-data", "tree-cancelled", "resync", "resync-ack"])
        net(client, .rule(FrameRule(.drop, frame: lost, direction: nil, count: 1)))
        if lost == "tree-cancelled" {
            steps.append(.server(.setTreeRule(path: path, TreeRule(read: .nobody))))
        } else {
            tree(writer, .set(path: path, TreeNode(.number(Double(random.below(100))))))
        }
        wait(.milliseconds(100))
        reachQuiescence()
    }

    /// A path is written several times while the network drops all frames. The last write counts (SYNC-2).
    mutating func writesWhileAway(_ client: String) {
        net(client, pick([.down, .halfOpen]))
        wait(pick([.milliseconds(15), .seconds(1)]))
        for _ in 0...(1 + random.below(2)) {
            tree(client, .set(path: "\(TreeLedger.presence)/\(client)", TreeNode(.text(text()))))
            wait(pick([.milliseconds(5), .seconds(1)]))
        }
        net(client, .clear)
        wait(.seconds(2))
    }

    /// Data without a listener is stored, written, and read without a network (SYNC-2).
    mutating func ownPathOffline(_ client: String) {
        let path = "\(TreePaths.own)/\(client)"
        if random.below(2) == 0 { tree(client, .persistence(bytesMax: 10 << 20)) }
        tree(client, .set(path: path, TreeNode(.number(Double(random.below(100))))))
        tree(client, .listen(path: path))
        wait(.milliseconds(100))
        if random.below(3) != 0 { tree(client, .unlisten(path: path)) }
        wait(pick([.milliseconds(15), .milliseconds(100)]))
        tree(client, .set(path: path, TreeNode(.number(Double(random.below(100))))))
        wait(pick([.milliseconds(5), .milliseconds(100)]))
        switch random.below(4) {
        case 0: break
        case 1:
            // The network drops the write but not the read.
            net(client, .rule(FrameRule(.drop, frame: "tree", direction: .toServer, count: 1)))
            tree(client, .set(path: path, TreeNode(.number(Double(random.below(100))))))
        default: net(client, .down)
        }
        wait(.milliseconds(50))
        tree(client, .get(path: path))
        wait(.milliseconds(100))
        net(client, .clear)
        wait(.seconds(1))
    }

    /// A rule forbids to read stored data, and the client reads it without a network (SYNC-2, SYNC-9).
    mutating func refusedAndOffline(_ client: String) {
        let path = "\(TreePaths.own)/\(client)"
        startKeepingTree(client)
        tree(client, .set(path: path, TreeNode(.number(Double(random.below(100))))))
        tree(client, .listen(path: path))
        wait(.milliseconds(200))
        steps.append(.server(.setTreeRule(path: path, TreeRule(read: .nobody))))
        wait(.milliseconds(200))
        net(client, .down)
        wait(.milliseconds(20))
        if random.below(2) == 0 {
            startKeepingTree(client)
        }
        tree(client, random.below(2) == 0 ? .get(path: path) : .listen(path: path))
        wait(.milliseconds(100))
        steps.append(.server(.setTreeRule(path: path, TreeRule())))
        net(client, .clear)
        wait(.seconds(1))
    }

    /// A rule ends a listener, another one permits it again, and both notifications arrive late (P1, SYNC-9).
    mutating func listenEndedLate(_ client: String) {
        let path = pick(["a", "x"])
        tree(client, .listen(path: path))
        wait(.seconds(1))
        for frame in ["tree-cancelled", "tree-ack"] {
            net(client, .rule(FrameRule(.hold, frame: frame, direction: .toClient, count: 1)))
        }
        steps.append(.server(.setTreeRule(path: path, TreeRule(read: .nobody))))
        wait(pick([.milliseconds(5), .milliseconds(100)]))
        steps.append(.server(.setTreeRule(path: path, TreeRule())))
        wait(pick([.milliseconds(100), .seconds(20)]))
        if random.below(2) == 0 { tree(client, .listen(path: path)) }
        net(client, .release)
        wait(.seconds(1))
        tree(pick(clients), .set(path: path, TreeNode(.text(text()))))
        reachQuiescence()
    }

    /// A path has a listener for a limited query and one for all data. Children are added and removed (SYNC-4).
    mutating func limitedQueryAndAllData(_ client: String) {
        for key in 1...3 { tree(client, .set(path: "l/k\(key)", TreeNode(.number(Double(random.below(100)))))) }
        tree(client, .listen(path: "l"))
        tree(client, .listen(path: "l", TreeListening(limitedQuery())))
        wait(pick([.milliseconds(100), .seconds(1)]))
        for _ in 0...random.below(3) {
            let child = TreeNode(.number(Double(random.below(100))))
            tree(pick(clients), .set(path: "l/k\(1 + random.below(4))", pick([.empty, child])))
            wait(pick([.milliseconds(5), .milliseconds(100)]))
        }
    }

    /// Data for a listener arrives after the listener has ended, when another listener exists (P1, SYNC-10).
    mutating func lateDataForQuery(_ client: String) {
        for key in 1...3 { tree(client, .set(path: "l/k\(key)", TreeNode(.number(Double(random.below(100)))))) }
        tree(client, .unlisten(path: "l"))
        wait(.milliseconds(200))
        net(client, .rule(FrameRule(.hold, frame: pick(["tree-data", "tree-ack"]), direction: .toClient, count: 1)))
        let first = random.below(3) == 0 ? nil : TreeListening(limitedQuery())
        tree(client, .listen(path: "l", first))
        wait(.milliseconds(100))
        tree(client, .unlisten(path: "l"))
        wait(.milliseconds(100))
        tree(client, .listen(path: "l", first == nil ? TreeListening(limitedQuery()) : nil))
        wait(.milliseconds(100))
        net(client, .release)
        wait(.seconds(1))
        reachQuiescence()
    }

    /// A few children have a few different values, and a query has bounds among these values (SYNC-4).
    mutating func boundsAmongFewValues(_ client: String) {
        let keys = ["2", "9", "10", "k1", "k2"]
        startNewProcess(client)
        for key in keys {
            let number = TreeNode(.number(Double(random.below(5))))
            let values: [TreeNode] = [
                number, number, number, TreeNode(.bool(true)), TreeNode(.text(pick(["a", "b"]))),
            ]
            tree(pick(clients), .set(path: "l/\(key)", pick(values)))
        }
        wait(.milliseconds(100))
        let isByKey = random.below(3) == 0
        func bound(_ driver: inout Self) -> TreeQuery.Bound {
            guard !isByKey else { return .init(.text(driver.pick(keys))) }
            let key = driver.random.below(2) == 0 ? TreeKey(driver.pick(keys)) : nil
            return .init(.number(Double(driver.random.below(5))), key: key)
        }
        var query = TreeQuery(order: isByKey ? .key : .value)
        if random.below(2) == 0 { query.start = bound(&self) }
        if query.start == nil || random.below(2) == 0 { query.end = bound(&self) }
        if random.below(4) == 0 { (query.start, query.end) = (query.end, query.end) }
        if random.below(3) != 0 { query.limit = .init(pick([.first, .last]), pick([1, 2])) }
        tree(client, .listen(path: "l", TreeListening(query)))
        wait(.milliseconds(200))
        for _ in 0...random.below(3) {
            let number = TreeNode(.number(Double(random.below(5))))
            tree(pick(clients), .set(path: "l/\(pick(keys))", pick([.empty, number])))
            wait(.milliseconds(100))
        }
        reachQuiescence()
    }

    /// Writes a path that no other step writes.
    mutating func writeOnce(_ client: String) {
        let (key, node) = (text(), TreeNode(.bool(true)))
        if random.below(2) == 0 { return tree(client, .set(path: "\(TreeLedger.once)/\(key)", node)) }
        tree(client, .update(path: TreeLedger.once, TreeUpdate([TreeWrite.Part([TreeKey(key)], node)])))
    }

    /// A query without a listener is stored, and read without a network after the client's own writes (SYNC-2, SYNC-4).
    mutating func ownQueryOffline(_ client: String) {
        let path = "\(TreePaths.limitedQuery)/\(client)"
        let query = limitedQuery()
        startKeepingTree(client)
        func write(_ driver: inout Self) {
            let number = TreeNode(.number(Double(driver.random.below(100))))
            driver.tree(client, .set(path: "\(path)/\(driver.text())", number))
        }
        for _ in 1...3 { write(&self) }
        wait(.milliseconds(200))
        tree(client, .listen(path: path, TreeListening(query)))
        wait(.milliseconds(200))
        tree(client, .unlisten(path: path, query))
        wait(.milliseconds(50))
        write(&self)
        wait(pick([.milliseconds(5), .milliseconds(200)]))
        net(client, .down)
        wait(.milliseconds(50))
        tree(client, .get(path: path, query))
        tree(
            client,
            .get(path: path, pick([TreeQuery(order: query.order), TreeQuery(order: .value, start: .init(.number(0)))])))
        wait(.seconds(5))
        net(client, .clear)
        wait(.seconds(1))
    }

    /// A client listens to a path and to its parent, and reads both without a network (SYNC-2).
    mutating func pathAndParent(_ client: String) {
        guard let writer = other(than: client) else { return ownQueryOffline(client) }
        let above = "\(TreePaths.foreign)/\(client)"
        var nodePaths = [above, "\(above)/b"]
        if random.below(3) == 0 { nodePaths.reverse() }
        startKeepingTree(client)
        for nodePath in nodePaths {
            tree(client, .listen(path: nodePath))
            wait(.milliseconds(200))
            tree(writer, .set(path: "\(above)/b", TreeNode(.number(Double(random.below(1000))))))
            wait(.milliseconds(200))
            tree(client, .unlisten(path: nodePath))
            wait(.milliseconds(50))
        }
        net(client, .down)
        if random.below(2) == 0 {
            startKeepingTree(client)
        }
        tree(client, .get(path: "\(above)/b"))
        wait(.seconds(5))
        net(client, .clear)
        wait(.seconds(1))
    }

    /// A device that cannot store all received data reads it without a network (SYNC-3).
    mutating func moreThanADeviceStores(_ client: String) {
        let nodePaths = (1...3).map { "\(TreePaths.recent)/\(client)/\($0)" }
        let room = 150 + Int(random.below(5)) * 50
        startKeepingTree(client, bytesMax: room)
        for nodePath in nodePaths {
            tree(client, .set(path: nodePath, TreeNode(.text(String(repeating: "x", count: 60)))))
            wait(.milliseconds(100))
            tree(client, .listen(path: nodePath))
            wait(.milliseconds(100))
            tree(client, .unlisten(path: nodePath))
        }
        wait(.milliseconds(100))
        net(client, .down)
        startKeepingTree(client, bytesMax: room)
        for nodePath in nodePaths { tree(client, .get(path: nodePath)) }
        wait(.seconds(5))
        net(client, .clear)
        wait(.seconds(1))
    }

    /// Several clients increment a counter at the same time (SYNC-5, P20).
    mutating func contendedTransactions(_ client: String) {
        guard let expression = try? TransactionExpression("value + 1") else { return }
        for other in Set(clients + [client]).sorted() {
            for _ in 0...random.below(2) {
                tree(other, .transaction(path: TreeLedger.counter, expression, isHidden: false))
            }
        }
        wait(pick([.milliseconds(15), .milliseconds(100), .seconds(1)]))
    }

    /// When the connection breaks, the client has sent some of several transactions and queued the others (SYNC-2,
    /// SYNC-10).
    mutating func transactionsOverABreak(_ client: String) {
        guard let expression = try? TransactionExpression("value + 1") else { return }
        let path = pick([TreeLedger.counter, "a", "x/y"])
        if random.below(2) == 0 { tree(client, .listen(path: path)) }
        wait(.milliseconds(100))
        for _ in 0...(1 + random.below(2)) { tree(client, .transaction(path: path, expression, isHidden: false)) }
        wait(pick([.milliseconds(5), .milliseconds(15), .milliseconds(25)]))
        net(client, pick([.reset, .switchNetwork, .down]))
        wait(pick([.milliseconds(15), .seconds(1)]))
        net(client, .clear)
        wait(.seconds(2))
    }

    /// Stored data remains after a restart of the app, and another client changes it in the meantime (SYNC-2, SYNC-3).
    mutating func restartOffline(_ client: String) {
        startKeepingTree(client)
        tree(client, .listen(path: pick(["l", "a"])))
        for key in 1...2 { tree(pick(clients), .set(path: "l/k\(key)", TreeNode(.number(Double(key))))) }
        wait(.seconds(1))
        tree(pick(clients), .set(path: "l/k1", pick([.empty, TreeNode(.number(7))])))
        wait(.seconds(1))
        if random.below(2) == 0 { net(client, .down) }
        for _ in 0...random.below(3) { writeOnce(client) }
        wait(pick([.milliseconds(5), .seconds(1)]))
        startKeepingTree(client)
        tree(client, .get(path: "l"))
        net(client, .clear)
        wait(.seconds(1))
    }

    /// A client with an onDisconnect write reconnects before the server has detected that the connection broke (P8,
    /// SYNC-6).
    mutating func onDisconnectOfAnOldLink(_ client: String) {
        let nodePath = "\(TreeLedger.presence)/\(client)"
        tree(client, .onDisconnect(path: nodePath, TreeNode(.text("gone"))))
        wait(pick([.seconds(1), .milliseconds(50)]))
        net(client, pick([.switchNetwork, .halfOpen, .down]))
        wait(pick([.milliseconds(30), .seconds(45)]))
        net(client, .clear)
        wait(.seconds(1))
        tree(client, .set(path: nodePath, TreeNode(.text("here"))))
        wait(pick([.seconds(1), .seconds(65)]))
    }

    /// An onDisconnect write is cancelled, or a rule forbids it before the connection ends (SYNC-6, SYNC-9).
    mutating func onDisconnectAtTheEnd(_ client: String) {
        let path = pick(["a/b", "a/c", "x/y"])
        let isTimed = random.below(4) == 0
        tree(client, .onDisconnect(path: path, TreeNode(isTimed ? .serverTimestamp : .text(text()))))
        if isTimed { wait(.seconds(3)) }
        wait(pick([.milliseconds(50), .seconds(1)]))
        switch random.below(5) {
        case 4: tree(client, .onDisconnect(path: path + "/z", TreeNode(.text(text()))))
        case 0: tree(client, .cancelOnDisconnect(path: pick([path, String(path.prefix(1))])))
        case 1:
            let nodePath = pick([path, String(path.prefix(1))])
            steps.append(.server(.setTreeRule(path: nodePath, TreeRule(write: .nobody))))
        default: break
        }
        wait(.milliseconds(50))
        if random.below(3) == 0 { app(client, .kill) } else { net(client, pick([.reset, .switchNetwork])) }
        wait(.milliseconds(100))
        app(client, .start)
    }
}
