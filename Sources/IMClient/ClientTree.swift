import IMProtocol
import IMTree
import SansIO

/// A client's state of the tree. ``TreeClient`` contains the known values, and decides which requests the client sends
/// and which it repeats over the next connection. This type contains the app's commands and the requests that wait for
/// the server.
struct ClientTree: Hashable, Sendable, Codable {
    var client = TreeClient()
    /// The values at `.info`, which describe the client's own connection. No server stores or changes them (SYNC-5).
    var info = SyncTree()
    /// The app's listeners in the order of registration, one for each path, query and set of events.
    var listeners: [AppListener] = []
    /// The app's writes that the server has not acknowledged, oldest first (SYNC-10).
    var writes: [PendingWrite] = []
    /// The app's transactions that have not ended, oldest first.
    var transactions: [PendingTransaction] = []
    /// Reads that wait for the server's answer.
    var reads: [PendingRead] = []
    /// onDisconnect operations that wait for a first connection. After an operation is sent, ``ClientCalls/requests``
    /// contains it, and it fails if the connection ends before the answer (S-26).
    var queuedOnDisconnects: [PendingOnDisconnect] = []
    /// The requests to the tree that were sent over the current connection and have no answer.
    var sentRequests: [PendingTreeRequest] = []
    /// True if the client has requested listens again over the current connection; nil if not. If the server then ends
    /// a listen, this may be the end of the first or of the second request.
    var areListensRepeated: Bool?
    /// The last reported value of `.info/connected`.
    var isConnected = false
    /// The value of `.info/serverTimeOffset`, in milliseconds; nil until the client has read the clocks of the server
    /// and of the device (SYNC-5).
    var offsetMilliseconds: Int64?
    /// The device's wall clock, which may be wrong.
    var clock = WallClock()
    /// The estimated server time of the last input, in milliseconds since 1970 (SYNC-7).
    var serverMilliseconds = 0.0
    /// The generator of the names of pushed children.
    var childIDs = ChildIDs()
    /// The number of the last registered listener.
    var lastListener: UInt64 = 0
    /// The state of the tree's copy on the device; nil before the first use of the tree or of its persistence.
    var device: TreeDevice?

    init() {}

    /// The result of a query at a path, as the app sees it; nil if the client does not have all of it.
    func known(_ query: TreeQuery, at path: TreePath) -> TreeNode? {
        path.isInfo ? infoNode(at: path)?.given(by: query) : client.tree.known(query, at: path.keys)
    }

    /// The value at a path of `.info`, which describes the client's connection. Nil for `.info/serverTimeOffset` while
    /// the offset is unknown.
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

    /// Updates the estimated server time to an instant; does nothing until the device's clock has been read.
    mutating func advanceTime(to now: Instant) {
        guard let own = clock.milliseconds(at: now) else { return }
        serverMilliseconds = Double(own) + Double(offsetMilliseconds ?? 0)
    }

    /// Removes the state of an ended login (C-4). The device's clock and the persistence setting remain, because they
    /// belong to the process.
    mutating func reset() {
        let (clock, device) = (clock, device)
        self = ClientTree()
        (self.clock, self.device) = (clock, device)
        self.device?.stage = .closed
        self.device?.waiting = []
    }

    /// A row for each request to the tree that waits for the server, for the query `pending`.
    var pendingRows: [AnswerRow] {
        writes.map { AnswerRow([($0.name, $0.path.text)]) }
            + transactions.map { AnswerRow([("transaction", $0.path.text)]) }
            + reads.map { AnswerRow([("get", $0.path.text)]) }
            + queuedOnDisconnects.map { AnswerRow([($0.request.name, $0.request.path)]) }
            + inheritedWrites.map { AnswerRow([($0.name, TreePath(keys: $0.path).text)]) }
    }

    /// The pending writes of an earlier process. Their commands ended with that process, but the client still sends
    /// them.
    private var inheritedWrites: [TreeWrite] {
        guard client.isPersistent else { return [] }
        return client.unanswered.filter { write in
            !client.isAccepted(write.id) && !writes.contains { $0.write == write.id }
        }
    }

    /// The maximum number of rows of an outline.
    static let outlineRowsMax = 200

    /// A row for each known value at a path and below it.
    func outlineRows(of path: TreePath) -> [AnswerRow] {
        (path.isInfo ? info : client.tree).outline(of: path.keys, rowsMax: Self.outlineRowsMax).map { row in
            let listens = row.listens.map { listen in
                "\(listen.number)" + (listen.query.isDefault ? "" : " \(listen.query)")
            }
            let fields: [(String, String?)] = [
                ("path", "/" + TreePath(keys: row.path).text), ("value", row.leaf?.description),
                ("priority", row.priority?.description), ("known", row.isComplete ? "all" : "part"),
                ("pending", row.isPending ? "yes" : nil),
                ("listens", listens.isEmpty ? nil : listens.joined(separator: ", ")),
                ("listeners", row.listenerCount == 0 ? nil : String(row.listenerCount)),
                ("more", row.hiddenCount == 0 ? nil : String(row.hiddenCount)),
            ]
            return AnswerRow(fields.compactMap { name, value in value.map { (name, $0) } })
        }
    }

    /// A row for each listener and for each query that is kept in sync, for the query `listeners`.
    var listenerRows: [AnswerRow] {
        listeners.map { listener in
            AnswerRow([
                ("path", listener.path.text), ("query", listener.query.description),
                ("events", listener.kinds.map(\.name).joined(separator: ",")),
                ("known", known(listener.query, at: listener.path) == nil ? "no" : "yes"),
            ])
        }
            + client.keptQueries.map { keys, query in
                let path = TreePath(keys: keys)
                return AnswerRow([
                    ("path", path.text), ("query", query.description), ("events", "none"), ("kept", "yes"),
                    ("known", known(query, at: path) == nil ? "no" : "yes"),
                ])
            }
    }
}

extension TreeWrite {
    /// The write's name in the answer to the query `pending`.
    fileprivate var name: String {
        switch change {
        case .set: "set"
        case .update: "update"
        }
    }
}

/// A listener of the app. The client restores it over each new connection (SYNC-10).
struct AppListener: Hashable, Sendable, Codable {
    var id: TreeListenerID
    var path: TreePath
    var query: TreeQuery
    var kinds: [TreeEventKind]
}

/// A write of the app that the server has not acknowledged. The client sends it, unchanged, over each new connection
/// until the server answers (SYNC-10).
struct PendingWrite: Hashable, Sendable, Codable {
    /// The number of the write in ``TreeClient``.
    var write: UInt64
    var command: CommandID
    var name: String
    var path: TreePath
    /// The row with which the command completes; nil for none.
    var answer: AnswerRow?
}

/// A transaction of the app that has not ended.
struct PendingTransaction: Hashable, Sendable, Codable {
    /// The number of the transaction in ``TreeClient``.
    var transaction: UInt64
    var command: CommandID
    var path: TreePath
}

/// A read of the app that waits for the server's answer or for a connection.
struct PendingRead: Hashable, Sendable, Codable {
    /// The number of the request.
    var number: UInt32
    var command: CommandID
    var path: TreePath
    var query: TreeQuery
}

/// The registration or cancellation of an onDisconnect operation that waits for a first connection.
struct PendingOnDisconnect: Hashable, Sendable, Codable {
    var command: CommandID
    var request: TreeRequest
}

/// A request to the tree that was sent over the current connection and has no answer.
struct PendingTreeRequest: Hashable, Sendable, Codable {
    /// The number of the request.
    var number: UInt32
    var kind: Kind

    /// The kind of the request, with the number of the listen, the write or the transaction in ``TreeClient``.
    enum Kind: Hashable, Sendable, Codable {
        case listen(UInt64)
        case unlisten
        case write(UInt64)
        case transaction(UInt64)
    }
}
