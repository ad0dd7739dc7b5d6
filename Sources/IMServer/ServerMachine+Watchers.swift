import IMProtocol
import OrderedCollections
import SansIO

// Presence notifications (ZIM-5). A watch ends with the connection that requested it.

extension ServerMachine {
    mutating func watch(
        _ user: String, isOn: Bool, request: UInt32, on id: ConnectionID, into effects: inout [ServerEffect]
    ) {
        func answer(_ status: Status) { effects.append(.send(id, Frame(request: request, .watchAck(status)))) }
        guard isOn else {
            guard ProtocolLimit.isName(user) else { return answer(.invalidArgument) }
            guard accounts[user] != nil || policy.makesAccounts else { return answer(.notFound) }
            stopWatching(user, on: id)
            return answer(.ok)
        }
        let status = startWatching(user, on: id)
        answer(status)
        if status == .ok { sendPresence(of: user, to: id, into: &effects) }
    }

    /// Starts a watch: the connection is notified of each change of a user's presence. A repeated call changes nothing.
    ///
    /// A connection can watch ``ServerPolicy/watchedCountMax`` users; the next request is refused.
    mutating func startWatching(_ user: String, on id: ConnectionID) -> Status {
        guard ProtocolLimit.isName(user) else { return .invalidArgument }
        // If accounts are created at the first login, a client can watch a user who has no account yet.
        guard accounts[user] != nil || policy.makesAccounts else { return .notFound }
        guard let watching = connections[id]?.watching, !watching.contains(user) else { return .ok }
        guard watching.count < policy.watchedCountMax else { return .limitExceeded }
        connections[id]?.watching.append(user)
        var all = watchers[user] ?? []
        all.insert(id, at: ServerMachine.index(of: id, in: all))
        watchers[user] = all
        return .ok
    }

    mutating func stopWatching(_ user: String, on id: ConnectionID) {
        guard connections[id]?.watching.remove(user) != nil else { return }
        removeWatcher(id, of: user)
    }

    /// Sends the current presence of a user to a connection.
    func sendPresence(of user: String, to id: ConnectionID, into effects: inout [ServerEffect]) {
        effects.append(.send(id, Frame(.presence(user: user, isOnline(user) ? .online : .offline))))
    }

    func isOnline(_ user: String) -> Bool {
        accounts[user]?.devices.values.contains { $0.login?.isPresent == true } ?? false
    }

    func notifyWatchers(of user: String, _ change: PresenceChange, into effects: inout [ServerEffect]) {
        for id in watchers[user] ?? [] { effects.append(.send(id, Frame(.presence(user: user, change)))) }
    }

    /// Removes all watches of a connection. The time depends only on the number of these watches.
    mutating func removeWatcher(_ id: ConnectionID, watching: OrderedSet<String>) {
        for user in watching { removeWatcher(id, of: user) }
    }

    private mutating func removeWatcher(_ id: ConnectionID, of user: String) {
        guard var all = watchers[user] else { return }
        let index = ServerMachine.index(of: id, in: all)
        guard index < all.count, all[index] == id else { return }
        watchers[user] = nil
        all.remove(at: index)
        if !all.isEmpty { watchers[user] = all }
    }

    /// The index of a connection in a sorted list, or the index at which to insert it.
    private static func index(of id: ConnectionID, in all: [ConnectionID]) -> Int {
        all.partitioningIndex { $0 >= id }
    }
}
