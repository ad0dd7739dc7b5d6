import IMClient
import IMProtocol
import IMSession
import IMTree
import SansIO

/// An app that listens to the state of its connection is notified of the true state (SYNC-5).
struct ConnectedChecker {
    private static let path = ".info/connected"
    private var isListening = false
    private var told: Bool?

    mutating func observe(_ event: SessionEvent) {
        switch event.content {
        case .start, .stop: self = ConnectedChecker()
        case .input(.clientCommand(_, .tree(.listen(Self.path, let listening), _))):
            isListening = isListening || (listening ?? TreeListening()).kinds.contains(.value)
        case .input(.clientCommand(_, .tree(.unlisten(Self.path, _), _))): self = ConnectedChecker()
        case .effect(.notify(.treeValue(Self.path, let node, _))):
            if case .bool(let isConnected)? = node.leaf { told = isConnected }
        default: break
        }
    }

    /// - Parameter isConnected: true if a connection carries the login.
    func violation(_ isConnected: Bool) -> Violation? {
        guard isListening, let told, told != isConnected else { return nil }
        return Violation(.tree, "SYNC-5", "the app was told otherwise of its connection", "that it is \(told)")
    }
}

/// A client listens exactly where its app listens or keeps data up to date (SYNC-3, SYNC-4).
struct ListenChecker {
    private var listening: [(path: String, query: TreeQuery)] = []
    private var kept: [(path: String, query: TreeQuery)] = []
    /// The `keep` commands in progress.
    private var keeping: [CommandID: (path: String, query: TreeQuery)] = [:]
    /// True if the server refused a request, which may concern a kept path.
    private var isRefused = false

    mutating func observe(_ event: SessionEvent) {
        switch event.content {
        case .start, .stop: self = ListenChecker()
        case .input(.frame(_, let frame)):
            switch frame.body {
            case .treeAck(.ok, _): break
            case .treeAck, .treeCancelled: isRefused = true
            default: break
            }
        case .effect(.complete(let id, let completion)):
            guard let asked = keeping.removeValue(forKey: id), completion.status != .ok else { return }
            kept.removeAll { $0 == asked }
        case .input(.clientCommand(let id, .tree(let command, _))):
            switch command {
            case .listen(let path, let listening): self.listening.append((path, listening?.query ?? .all))
            case .unlisten(let path, let query):
                listening.removeAll { $0.path == path && (query == nil || $0.query == query) }
            case .keep(let path, let query, let isOn):
                kept.removeAll { $0.path == path && $0.query == query ?? .all }
                if isOn {
                    kept.append((path, query ?? .all))
                    keeping[id] = (path, query ?? .all)
                }
            default: break
            }
        default: break
        }
    }

    /// Call it if no transaction waits, because transactions have their own listeners.
    func violation(_ listens: [TreeListen]) -> Violation? {
        let asked = Set((listening + kept).map { TreePath(keys: [TreeKey](path: $0.path)).text })
        for listen in listens {
            let path = TreePath(keys: listen.place).text
            guard !asked.contains(path) else { continue }
            return Violation(.tree, "SYNC-3", "a place is listened to that nobody asked for", path)
        }
        for (path, query) in kept where !isRefused && !path.hasPrefix(".info") {
            let keys = [TreeKey](path: path)
            // A listener for all data at a path includes the paths below it.
            let hasListener = listens.contains { listen in
                keys.starts(with: listen.place) && listen.query.loadsAllData
                    || keys == listen.place && listen.query == query
            }
            if !hasListener {
                return Violation(.tree, "SYNC-3", "a place that is kept up to date is not listened to", path)
            }
        }
        return nil
    }
}

/// Data for a listener that arrives after the listener's end causes no notification (C-3, SYNC-10).
struct EndedListenChecker {
    /// The numbers of the listeners requested over this connection.
    private var asked: Set<UInt64> = []
    /// The numbers of the removed listeners.
    private var ended: Set<UInt64> = []
    private var isLate = false

    mutating func observe(_ event: SessionEvent, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop, .effect(.connect): self = EndedListenChecker()
        case .effect(.send(_, let frame)):
            guard case .tree(let request) = frame.body else { return }
            switch request {
            case .listen(_, _, let number, _): asked.insert(number)
            case .unlisten(_, let number): ended.insert(number)
            default: break
            }
        case .input(let input):
            isLate = false
            if case .frame(_, let frame) = input, case .treeData(let data) = frame.body {
                isLate = asked.contains(data.listen) && ended.contains(data.listen)
            }
        case .effect(.notify(.treeValue(let path, _, _))) where isLate: told(path, into: &violations)
        case .effect(.notify(.treeChild(let notice))) where isLate: told(notice.path, into: &violations)
        default: break
        }
    }

    private func told(_ path: String, into violations: inout [Violation]) {
        violations.append(Violation(.tree, "SYNC-10", "what comes for a listen that has ended is told", path))
    }
}
