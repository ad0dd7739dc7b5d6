import IMTree

/// Three clients and a server with connections that may break, and the model with which they are compared.
struct TreeWorld {
    private var server = TreeServer()
    /// The listens of each client at the server.
    private var listens: [[TreeListen]] = [[], [], []]
    private(set) var plain = PlainTree()
    private(set) var clients: [ModelClient] = (0..<3).map { ModelClient(id: TreeClientID(rawValue: UInt64($0))) }
    private var refusesWrite = false
    private var refusesListen = false
    private var time = 0.5
    /// The number of accepted transactions.
    private(set) var acceptedCount = 0
    private(set) var faults: [String] = []

    mutating func take(_ op: TreeOp) {
        switch op {
        case .listen(let client, let path, let query): clients[client].listen(to: query, at: path)
        case .unlisten(let client, let index): clients[client].unlisten(index)
        case .set(let client, let path, let node, let isVisible):
            clients[client].write(.set(node), at: path, isVisible: isVisible)
        case .update(let client, let path, let parts):
            clients[client].write(.update(parts), at: path, isVisible: true)
        case .run(let client, let path, let expression, let isVisible):
            clients[client].run(expression, at: path, isVisible: isVisible)
        case .arrive(let client, atServer: true, let count):
            for _ in 0..<count where !clients[client].outgoing.isEmpty { serve(client) }
        case .arrive(let client, atServer: false, let count):
            for _ in 0..<count where !clients[client].incoming.isEmpty { clients[client].receive() }
        case .deliverAll: deliverAll()
        case .drop(let client):
            endListens(of: client)
            clients[client].drop()
        case .connect(let client): clients[client].connect()
        case .read(let client, let count): clients[client].read(count)
        case .keepSynced(let client, let path, let query, let isOn):
            clients[client].keepSynced(query, at: path, isOn: isOn)
        case .kill(let client, let losesDevice):
            endListens(of: client)
            clients[client].kill(losesDevice: losesDevice)
        case .refuse(let listen):
            if listen { refusesListen = true } else { refusesWrite = true }
        }
        for index in clients.indices {
            clients[index].checkApps(against: plain)
            faults += clients[index].faults.map { "client \(index): \($0)" }
            clients[index].faults = []
        }
    }

    /// Reconnects all clients and delivers everything in flight. Then all clients must show the server's tree.
    mutating func reachQuiescence() {
        (refusesWrite, refusesListen) = (false, false)
        for index in clients.indices { clients[index].connect() }
        deliverAll()
        for index in clients.indices {
            clients[index].checkApps(against: plain)
            clients[index].checkNextProcess()
            let violations = clients[index].faults + clients[index].violationsAtQuiescence()
            faults += violations.map { "client \(index) at rest: \($0)" }
        }
        if PlainTree(server.root) != plain { faults.append("the server has \(server.root), not \(plain)") }
    }

    private mutating func deliverAll() {
        while let index = clients.indices.first(where: {
            !clients[$0].outgoing.isEmpty || !clients[$0].incoming.isEmpty || clients[$0].isReading
        }) {
            clients[index].read(.max)
            while !clients[index].incoming.isEmpty { clients[index].receive() }
            if !clients[index].outgoing.isEmpty { serve(index) }
        }
    }

    private mutating func serve(_ index: Int) {
        let client = clients[index].id
        time += 1
        switch clients[index].outgoing.removeFirst() {
        case .listen(let listen, let hash):
            if refusesListen {
                refusesListen = false
                return clients[index].incoming.append(.listened(listen.number, isRefused: true))
            }
            listens[index].append(listen)
            if let serverEvent = server.listen(listen, by: client, hash: hash) {
                clients[index].incoming.append(.serverEvent(serverEvent))
            }
            clients[index].incoming.append(.listened(listen.number, isRefused: false))
        case .unlisten(let listen): server.unlisten(listen, by: client)
        case .write(let write):
            if refusesWrite {
                refusesWrite = false
                return clients[index].incoming.append(.written(write.id, isRefused: true))
            }
            var write = write
            write.change = write.change.resolved(at: time)
            deliver(server.apply(write.change, at: write.path))
            for part in write.plainParts { plain.put(part.tree, at: part.keys) }
            clients[index].incoming.append(.written(write.id, isRefused: false))
        case .transaction(let number, let path, let node, let hash):
            let node = node.resolved(at: time)
            guard server.root[path[...]].hash == hash else {
                return clients[index].incoming.append(.transacted(number, .stale))
            }
            deliver(server.apply(.set(node), at: path))
            plain.put(PlainTree(node), at: path.map(\.text))
            acceptedCount += 1
            clients[index].incoming.append(.transacted(number, .taken))
        }
    }

    private mutating func deliver(_ events: [TreeServer.ClientEvent]) {
        for (receiver, serverEvent) in events {
            clients[Int(receiver.rawValue)].incoming.append(.serverEvent(serverEvent))
        }
    }

    private mutating func endListens(of index: Int) {
        for listen in listens[index] { server.unlisten(listen, by: clients[index].id) }
        listens[index] = []
    }
}
