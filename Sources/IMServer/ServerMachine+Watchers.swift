import IMProtocol
import OrderedCollections
import SansIO

// Who is told of whose presence (ZIM-5). A watch belongs to the connection that asked for it.

extension ServerMachine {
    /// Users that one connection may watch.
    static let watchedCountMax = 512

    mutating func watch(
        _ user: String, isOn: Bool, request: UInt32, on id: ConnectionID, into effects: inout [ServerEffect]
    ) {
        func answer(_ status: Status) { effects.append(.send(id, Frame(request: request, .watchAck(status)))) }
        guard ProtocolLimit.isName(user) else { return answer(.invalidArgument) }
        // Where a name becomes an account by its first login, it may be waited for.
        guard accounts[user] != nil || policy.makesAccounts else { return answer(.notFound) }
        guard isOn else {
            watchers[user]?.removeAll { $0 == id }
            if watchers[user]?.isEmpty == true { watchers.removeValue(forKey: user) }
            return answer(.ok)
        }
        if watchers[user]?.contains(id) != true {
            let count = watchers.values.count { $0.contains(id) }
            guard count < ServerMachine.watchedCountMax else { return answer(.limitExceeded) }
            watchers[user, default: []].append(id)
        }
        answer(.ok)
        let isThere = accounts[user]?.devices.values.contains { $0.login?.isPresent == true } ?? false
        effects.append(.send(id, Frame(.presence(user: user, isThere ? .online : .offline))))
    }

    func tellWatchers(of user: String, _ change: PresenceChange, into effects: inout [ServerEffect]) {
        for id in watchers[user] ?? [] { effects.append(.send(id, Frame(.presence(user: user, change)))) }
    }

    mutating func forgetWatcher(_ id: ConnectionID) {
        for user in watchers.keys where watchers[user]?.contains(id) == true {
            watchers[user]?.removeAll { $0 == id }
        }
        watchers.removeAll { $0.value.isEmpty }
    }
}
