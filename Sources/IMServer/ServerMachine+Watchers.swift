import IMProtocol
import OrderedCollections
import SansIO

// Who is told of whose presence (ZIM-5). A watch belongs to the connection that asked for it.

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
        let status = beginWatching(user, on: id)
        answer(status)
        if status == .ok { tellPresence(of: user, to: id, into: &effects) }
    }

    /// Has a connection told of a user's presence from now on; the same once more changes nothing.
    ///
    /// At ``ServerPolicy/watchedCountMax`` users one more is refused.
    mutating func beginWatching(_ user: String, on id: ConnectionID) -> Status {
        guard ProtocolLimit.isName(user) else { return .invalidArgument }
        // Where a name becomes an account by its first login, it may be waited for.
        guard accounts[user] != nil || policy.makesAccounts else { return .notFound }
        guard let watching = connections[id]?.watching, !watching.contains(user) else { return .ok }
        guard watching.count < policy.watchedCountMax else { return .limitExceeded }
        connections[id]?.watching.append(user)
        var all = watchers[user] ?? []
        all.insert(id, at: ServerMachine.place(of: id, in: all))
        watchers[user] = all
        return .ok
    }

    mutating func stopWatching(_ user: String, on id: ConnectionID) {
        guard connections[id]?.watching.remove(user) != nil else { return }
        forgetWatcher(id, of: user)
    }

    /// What the user's presence is now.
    func tellPresence(of user: String, to id: ConnectionID, into effects: inout [ServerEffect]) {
        effects.append(.send(id, Frame(.presence(user: user, isThere(user) ? .online : .offline))))
    }

    func isThere(_ user: String) -> Bool {
        accounts[user]?.devices.values.contains { $0.login?.isPresent == true } ?? false
    }

    func tellWatchers(of user: String, _ change: PresenceChange, into effects: inout [ServerEffect]) {
        for id in watchers[user] ?? [] { effects.append(.send(id, Frame(.presence(user: user, change)))) }
    }

    /// Takes a connection out of all that it watches, in a time that grows with that alone.
    mutating func forgetWatcher(_ id: ConnectionID, watching: OrderedSet<String>) {
        for user in watching { forgetWatcher(id, of: user) }
    }

    private mutating func forgetWatcher(_ id: ConnectionID, of user: String) {
        guard var all = watchers[user] else { return }
        let place = ServerMachine.place(of: id, in: all)
        guard place < all.count, all[place] == id else { return }
        watchers[user] = nil
        all.remove(at: place)
        if !all.isEmpty { watchers[user] = all }
    }

    /// Where a connection is, or belongs, among others in order.
    private static func place(of id: ConnectionID, in all: [ConnectionID]) -> Int {
        all.partitioningIndex { $0 >= id }
    }
}
