import IMProtocol
import IMTree
import SansIO

/// A client's state of the tree, and the requests that wait for the server. ``TreeClient`` decides what is known, what
/// is requested and what is repeated over the next connection; this type combines it with commands, requests and the
/// connection.
struct ClientTree: Hashable, Sendable, Codable {
    var client = TreeClient()
    /// The client's information about its own connection. No server stores or changes it (SYNC-5).
    var info = SyncTree()
    /// In the order of registration; one for each path, query and set of events.
    var listeners: [AppListener] = []
    /// Commands whose writes the server has not acknowledged, oldest first (SYNC-10).
    var writes: [PendingWrite] = []
    var transactions: [PendingTransaction] = []
    /// Reads that wait for the server's answer.
    var reads: [PendingRead] = []
    /// onDisconnect operations that no connection has carried yet. One that was sent and not acknowledged is among
    /// ``ClientCalls/requests``, and ends with the connection (S-26).
    var queuedOnDisconnects: [PendingOnDisconnect] = []
    /// Requests over this connection without an answer.
    var sentRequests: [PendingTreeRequest] = []
    /// True if listens were requested again over this connection: their end may belong to the first request. Nil if
    /// not.
    var areListensRepeated: Bool?
    /// The last reported value of `.info/connected`.
    var isConnected = false
    /// `.info/serverTimeOffset`; nil until the clocks of a server and of the device are known (SYNC-5).
    var offsetMilliseconds: Int64?
    /// The device's own wall clock, right or wrong.
    var clock = WallClock()
    /// The estimated server time of the last input (SYNC-7).
    var serverMilliseconds = 0.0
    var childIDs = ChildIDs()
    var lastListener: UInt64 = 0
    /// The part that outlives the process; nil before the first use of the tree or its persistence.
    var device: TreeDevice?

    init() {}

    /// The value that the app sees at a path; nil if it is not known.
    func known(_ query: TreeQuery, at path: TreePath) -> TreeNode? {
        path.isInfo ? infoNode(at: path)?.given(by: query) : client.tree.known(query, at: path.keys)
    }

    /// The client's information about its own connection; nil for the offset until it is known.
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

    /// Updates the estimated server time.
    mutating func advanceTime(to now: Instant) {
        guard let own = clock.milliseconds(at: now) else { return }
        serverMilliseconds = Double(own) + Double(offsetMilliseconds ?? 0)
    }

    /// Removes everything of an ended login except the device's clock (C-4) and the persistence setting, which belong
    /// to the process.
    mutating func reset() {
        let (clock, device) = (clock, device)
        self = ClientTree()
        (self.clock, self.device) = (clock, device)
        self.device?.stage = .closed
        self.device?.waiting = []
    }

    /// The requests that wait for the server, for the query of pending work.
    var pendingRows: [AnswerRow] {
        writes.map { AnswerRow([($0.name, $0.path.text)]) }
            + transactions.map { AnswerRow([("transaction", $0.path.text)]) }
            + reads.map { AnswerRow([("get", $0.path.text)]) }
            + queuedOnDisconnects.map { AnswerRow([($0.request.name, $0.request.path)]) }
            + inheritedWrites.map { AnswerRow([($0.name, TreePath(keys: $0.path).text)]) }
    }

    /// Writes of an earlier process, whose commands ended with it.
    private var inheritedWrites: [TreeWrite] {
        guard client.isPersistent else { return [] }
        return client.unanswered.filter { write in
            !client.isTaken(write.id) && !writes.contains { $0.write == write.id }
        }
    }

    /// Maximum number of paths shown at once.
    static let outlineRowsMax = 200

    /// The known values of a path and below it, one row each.
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

    /// The listeners, for the query of them.
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
    /// Its name in recordings and JSON.
    fileprivate var name: String {
        switch change {
        case .set: "set"
        case .update: "update"
        }
    }
}

/// A listener of the app. It outlives connections (SYNC-10).
struct AppListener: Hashable, Sendable, Codable {
    var id: TreeListenerID
    var path: TreePath
    var query: TreeQuery
    var kinds: [TreeEventKind]
}

/// A write of the app that the server has not acknowledged. It is sent over every connection until its answer arrives:
/// at least once, always unchanged (SYNC-10).
struct PendingWrite: Hashable, Sendable, Codable {
    /// Its number in ``TreeClient``.
    var write: UInt64
    var command: CommandID
    var name: String
    var path: TreePath
    /// The rows of its completion; nil for none.
    var answer: AnswerRow?
}

struct PendingTransaction: Hashable, Sendable, Codable {
    /// Its number in ``TreeClient``.
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

/// The registration or cancellation of an onDisconnect operation that waits for a first connection.
struct PendingOnDisconnect: Hashable, Sendable, Codable {
    var command: CommandID
    var request: TreeRequest
}

/// A request that the server has not answered over this connection.
struct PendingTreeRequest: Hashable, Sendable, Codable {
    var number: UInt32
    var kind: Kind

    /// The cases contain its number in ``TreeClient``.
    enum Kind: Hashable, Sendable, Codable {
        case listen(UInt64)
        case unlisten
        case write(UInt64)
        case transaction(UInt64)
    }
}
