import IMProtocol
import SansIO

/// What a client knows of the tree: what the server last said at each place that is listened to, and over that, in
/// order, the client's own writes that are not acknowledged yet.
///
/// What a listener is told is this view, so that an own write is seen at once, the server's word replaces it, and a
/// write that the server refuses is taken back. What the view holds is never older than what was told before (P20).
///
/// Persistence, when there is any, keeps ``listeners`` with what they heard and ``writes`` (SYNC-2); a place kept
/// synced is a listener that tells nobody (SYNC-3); a query is a listener's other half of a name (SYNC-4); a server
/// timestamp is estimated where ``shown(at:)`` lays the writes over (SYNC-7); a transaction would be a write that fails
/// with its link.
struct ClientTree: Hashable, Sendable, Codable {
    /// In the order in which they were put on; one for each place.
    var listeners: [TreeListener] = []
    /// Sets and updates without an acknowledgement, oldest first (SYNC-10).
    var writes: [PendingWrite] = []
    /// Reads that wait for the server's answer.
    var reads: [PendingRead] = []
    /// Orders for the end of the connection that no connection has carried yet. One that was sent and not acknowledged
    /// is among ``ClientCalls/requests``, and ends with the link (S-26).
    var orders: [PendingOrder] = []
    /// `.info/connected`, as it was told last.
    var isConnected = false
    /// `.info/serverTimeOffset`; nil until a server and a clock of the device are known (SYNC-5).
    var offsetMilliseconds: Int64?
    /// The device's own wall clock, right or wrong.
    var clock = WallClock()
    /// Counts what the server said; the greater, the newer.
    private var heardCount: UInt64 = 0

    /// What the app is to see at a place, as far as that is known; nil where it is not.
    func shown(at path: TreePath) -> TreeValue? {
        guard !path.isInfo else { return info(at: path) }
        return overlaid(heard(at: path)?.value, at: path)
    }

    /// The same for one who reads without listening: places below may have news that the place itself, on a link that
    /// broke in the midst of it, has not heard any more (P20).
    func latest(at path: TreePath) -> TreeValue? {
        guard !path.isInfo else { return info(at: path) ?? .null }
        guard let heard = heard(at: path) else { return overlaid(nil, at: path) }
        var value = heard.value
        let parts = listeners.filter { $0.heardAt > heard.at && $0.path.keys(below: path) != nil }
        for part in parts.sorted(by: { $0.heardAt < $1.heardAt }) {
            if let keys = part.path.keys(below: path), let news = part.heard { value = value.setting(keys, to: news) }
        }
        return overlaid(value, at: path)
    }

    /// A value that the server has just given, with the writes over it that it cannot have had yet.
    func overlaid(_ value: TreeValue?, at path: TreePath) -> TreeValue? {
        var value = value
        for change in writes.flatMap(\.request.changes) {
            if let keys = path.keys(below: change.path) {
                value = change.value[keys]
            } else if let keys = change.path.keys(below: path) {
                value = value?.setting(keys, to: change.value)
            }
        }
        return value
    }

    /// The newest that the server said of the place, there or above.
    private func heard(at path: TreePath) -> (value: TreeValue, at: UInt64)? {
        var newest: (value: TreeValue, at: UInt64)?
        for listener in listeners where listener.heardAt > newest?.at ?? 0 {
            guard let value = listener.heard, let keys = path.keys(below: listener.path) else { continue }
            newest = (value[keys], listener.heardAt)
        }
        return newest
    }

    /// What the client knows of its own connection. No server has it, and no server can change it (SYNC-5).
    private func info(at path: TreePath) -> TreeValue? {
        let connected = TreeValue.null.setting([".info", "connected"], to: .bool(isConnected))
        guard let offsetMilliseconds else {
            let value = connected[path.keys[...]]
            return value == .null ? nil : value
        }
        return connected.setting([".info", "serverTimeOffset"], to: .number(Double(offsetMilliseconds)))[path.keys[...]]
    }

    /// The server has said what stands at a place that is listened to.
    mutating func hear(_ value: TreeValue, by index: Int) {
        heardCount &+= 1
        listeners[index].heard = value
        listeners[index].heardAt = heardCount
    }

    /// The listeners whose view has changed, as they are to be told; they count as told.
    mutating func news() -> [(path: TreePath, value: TreeValue)] {
        var news: [(path: TreePath, value: TreeValue)] = []
        for index in listeners.indices {
            let path = listeners[index].path
            guard let value = shown(at: path), value != listeners[index].told else { continue }
            listeners[index].told = value
            news.append((path, value))
        }
        return news
    }

    /// Nothing of an ended login is left but the device's own clock (C-4).
    mutating func forget() {
        let clock = clock
        self = ClientTree()
        self.clock = clock
    }

    /// What waits for the server, for the question what is under way.
    var pendingRows: [AnswerRow] {
        writes.map { AnswerRow([($0.request.request.name, $0.request.path.text)]) }
            + reads.map { AnswerRow([("get", $0.path.text)]) }
            + orders.map { AnswerRow([($0.request.request.name, $0.request.path.text)]) }
    }
}

/// A place that the app listens to. It outlives links (SYNC-10).
struct TreeListener: Hashable, Sendable, Codable {
    var path: TreePath
    /// The number of the request that asked for it on this link.
    var number: UInt32 = 0
    /// What the server said last, and as the how-manieth thing it said.
    var heard: TreeValue?
    var heardAt: UInt64 = 0
    /// What the app was told last.
    var told: TreeValue?
}

/// A write of the app's that the server has not acknowledged. It is sent on every link until one brings its answer: at
/// least once, always the same (SYNC-10).
struct PendingWrite: Hashable, Sendable, Codable {
    var number: UInt32
    var command: CommandID
    var request: CheckedTreeRequest
}

struct PendingRead: Hashable, Sendable, Codable {
    var number: UInt32
    var command: CommandID
    var path: TreePath
}

/// Something to be done by the server when a connection ends, or no longer, that waits for a first connection.
struct PendingOrder: Hashable, Sendable, Codable {
    var command: CommandID
    var request: CheckedTreeRequest
}
