import IMProtocol
import IMTree
import SansIO

/// What a client knows of the tree, and what of it waits for the server. What is known, what is asked for and what goes
/// again over the next link is ``TreeClient``'s; here it is brought together with commands, requests and the connection.
struct ClientTree: Hashable, Sendable, Codable {
    var client = TreeClient()
    /// What the client knows of its own connection. No server has it, and no server can change it (SYNC-5).
    var info = SyncTree()
    /// In the order in which they were put on; one for each place and query.
    var listeners: [AppListener] = []
    /// Commands whose writes the server has not acknowledged, oldest first (SYNC-10).
    var writes: [PendingWrite] = []
    var transactions: [PendingTransaction] = []
    /// Reads that wait for the server's answer.
    var reads: [PendingRead] = []
    /// Orders for the end of the connection that no connection has carried yet. One that was sent and not acknowledged
    /// is among ``ClientCalls/requests``, and ends with the link (S-26).
    var orders: [PendingOrder] = []
    /// What was asked over this link and is not answered.
    var asked: [AskedOfTree] = []
    /// Whether listens were asked for once more over this link: their end may be that of the first time. Nil where not.
    var isAskedAnew: Bool?
    /// `.info/connected`, as it was told last.
    var isConnected = false
    /// `.info/serverTimeOffset`; nil until a server and a clock of the device are known (SYNC-5).
    var offsetMilliseconds: Int64?
    /// The device's own wall clock, right or wrong.
    var clock = WallClock()
    /// The server's time when something happened last, as well as it can be told (SYNC-7).
    var serverMilliseconds = 0.0
    var childIDs = ChildIDs()
    var lastListener: UInt64 = 0
    /// What outlives the process; nil where nothing was said of that, nor of anything else.
    var device: TreeDevice?

    init() {}

    /// What the app is to see at a place, as far as that is known; nil where it is not.
    func known(_ query: TreeQuery, at path: TreePath) -> TreeNode? {
        path.isInfo ? infoNode(at: path)?.given(by: query) : client.tree.known(query, at: path.keys)
    }

    /// What a client knows of its own connection; nil for the offset until it is known.
    func infoNode(at path: TreePath) -> TreeNode? {
        var node = TreeNode.empty.setting([".info", "connected"], to: TreeNode(.bool(isConnected)))
        if let offsetMilliseconds {
            node = node.setting(
                [".info", "serverTimeOffset"], to: TreeNode(.number(Double(offsetMilliseconds))))
        } else if path.keys.last == "serverTimeOffset" {
            return nil
        }
        return node[path.keys[...]]
    }

    /// Something happens now.
    mutating func pass(to now: Instant) {
        guard let own = clock.milliseconds(at: now) else { return }
        serverMilliseconds = Double(own) + Double(offsetMilliseconds ?? 0)
    }

    /// Nothing of an ended login is left but the device: its clock (C-4), and what is said of it for the whole process.
    mutating func forget() {
        let (clock, device) = (clock, device)
        self = ClientTree()
        (self.clock, self.device) = (clock, device)
        self.device?.stage = .closed
        self.device?.waiting = []
    }

    /// What waits for the server, for the question what is under way.
    var pendingRows: [AnswerRow] {
        writes.map { AnswerRow([($0.name, $0.path.text)]) }
            + transactions.map { AnswerRow([("transaction", $0.path.text)]) }
            + reads.map { AnswerRow([("get", $0.path.text)]) }
            + orders.map { AnswerRow([($0.request.name, $0.request.path)]) }
            + inheritedWrites.map { AnswerRow([($0.name, TreePath(keys: $0.place).text)]) }
    }

    /// Writes of a process before, whose commands ended with it.
    private var inheritedWrites: [TreeWrite] {
        guard client.isPersistent else { return [] }
        return client.unanswered.filter { write in
            !client.isTaken(write.id) && !writes.contains { $0.write == write.id }
        }
    }

    /// So many places are shown at once.
    static let outlineRowsMax = 200

    /// What is known of a place and below it, a row each.
    func outlineRows(of path: TreePath) -> [AnswerRow] {
        (path.isInfo ? info : client.tree).outline(of: path.keys, rowsMax: Self.outlineRowsMax).map { row in
            let listens = row.listens.map { listen in
                "\(listen.number)" + (listen.query.isDefault ? "" : " \(listen.query)")
            }
            let fields: [(String, String?)] = [
                ("path", "/" + TreePath(keys: row.place).text), ("value", row.leaf?.description),
                ("priority", row.priority?.description), ("known", row.isComplete ? "all" : "part"),
                ("pending", row.isPending ? "yes" : nil),
                ("listens", listens.isEmpty ? nil : listens.joined(separator: ", ")),
                ("listeners", row.listenerCount == 0 ? nil : String(row.listenerCount)),
                ("more", row.hiddenCount == 0 ? nil : String(row.hiddenCount)),
            ]
            return AnswerRow(fields.compactMap { name, value in value.map { (name, $0) } })
        }
    }

    /// Who listens, for the question about that.
    var listenerRows: [AnswerRow] {
        listeners.map { listener in
            AnswerRow([
                ("path", listener.path.text), ("query", listener.query.description),
                ("events", listener.kinds.map(\.name).joined(separator: ",")),
                ("known", known(listener.query, at: listener.path) == nil ? "no" : "yes"),
            ])
        }
            + client.keptQueries.map { place, query in
                let path = TreePath(keys: place)
                return AnswerRow([
                    ("path", path.text), ("query", query.description), ("events", "none"), ("kept", "yes"),
                    ("known", known(query, at: path) == nil ? "no" : "yes"),
                ])
            }
    }
}

extension TreeWrite {
    /// The word for it in recordings and JSON.
    fileprivate var name: String {
        switch change {
        case .set: "set"
        case .update: "update"
        }
    }
}

/// One who listens in the app. It outlives links (SYNC-10).
struct AppListener: Hashable, Sendable, Codable {
    var id: TreeListenerID
    var path: TreePath
    var query: TreeQuery
    var kinds: [TreeEventKind]
}

/// A write of the app's that the server has not acknowledged. It is sent on every link until one brings its answer: at
/// least once, always the same (SYNC-10).
struct PendingWrite: Hashable, Sendable, Codable {
    /// ``TreeClient``'s number of it.
    var write: UInt64
    var command: CommandID
    var name: String
    var path: TreePath
    /// What its completion says besides the status.
    var answer: AnswerRow?
}

struct PendingTransaction: Hashable, Sendable, Codable {
    /// ``TreeClient``'s number of it.
    var transaction: UInt64
    var command: CommandID
    var path: TreePath
}

struct PendingRead: Hashable, Sendable, Codable {
    var number: UInt32
    var command: CommandID
    var path: TreePath
    var query: TreeQuery
}

/// Something to be done by the server when a connection ends, or no longer, that waits for a first connection.
struct PendingOrder: Hashable, Sendable, Codable {
    var command: CommandID
    var request: TreeRequest
}

/// A request that the server has not answered over this link.
struct AskedOfTree: Hashable, Sendable, Codable {
    var number: UInt32
    var what: What

    /// With ``TreeClient``'s number of it.
    enum What: Hashable, Sendable, Codable {
        case listen(UInt64)
        case unlisten
        case write(UInt64)
        case transaction(UInt64)
    }
}
