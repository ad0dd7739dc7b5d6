import IMProtocol
import IMSimulation
import IMTree

@testable import IMClient
@testable import IMScript
@testable import IMServer

/// What the clients and the server of a world believe of each other when nothing is under way any more: each entry of
/// one side is on the other side, once (C-7, C-15).
///
/// It compares what the two machines keep; how they came to it is not asked.
struct ScenarioAgreement {
    private let server: ServerMachine
    private let clients: [(name: String, machine: ClientMachine)]
    private(set) var faults: [String] = []

    /// - Returns: where the two sides differ, with the rule's id first; empty where there is no server.
    static func faults(in core: WorldCore) -> [String] {
        guard let id = core.serverID, let server = core[id].machine?.server else { return [] }
        let clients = core.clients.compactMap { id in core[id].client.map { (core[id].name, $0) } }
        var agreement = ScenarioAgreement(server: server, clients: clients)
        agreement.compare()
        return agreement.faults
    }

    private init(server: ServerMachine, clients: [(name: String, machine: ClientMachine)]) {
        self.server = server
        self.clients = clients
    }

    private mutating func compare() {
        for (name, machine) in clients {
            if machine.state == .online, let user = machine.user {
                compareOnline(name, machine, user)
            } else {
                compareAway(name, machine)
            }
        }
        compareChannels()
        comparePresence()
    }

    /// A client that is online is online for the server, and owes it and is owed nothing.
    private mutating func compareOnline(_ name: String, _ machine: ClientMachine, _ user: String) {
        guard let record = server.accounts[user]?.devices[machine.device.id], let login = record.login,
            let connection = login.connection, login.isPresent
        else { return faults.append("C-15: \(name) is online as \(user), and the server has no such device there") }
        if login.epoch != machine.login?.epoch {
            faults.append("C-15: \(name) has login \(machine.login?.epoch ?? 0), the server \(login.epoch)")
        }
        if record.undeliveredKick != nil { faults.append("C-7: \(name) is online, and a kick waits for it") }
        if !record.inbox.isEmpty { faults.append("C-14: \(name) is online, and \(record.inbox.count) messages wait") }
        if !record.operations.isEmpty {
            faults.append("CHAT-8: \(name) is online, and \(record.operations.count) operations wait")
        }
        if !machine.calls.requests.isEmpty {
            faults.append("C-1: \(name) waits for \(machine.calls.requests.count) answers")
        }
        if !machine.messages.outbox.isEmpty {
            faults.append("C-14: \(name) is online, and \(machine.messages.outbox.count) sends wait")
        }
        let others = server.presentDevices(of: user, besides: machine.device.id).map(\.device.id).sorted()
        let known = machine.otherDevices.map(\.id).sorted()
        if others != known { faults.append("C-15: \(name) knows the devices \(known), the server has \(others)") }
        let attributes = server.accounts[user]?.attributes ?? []
        if machine.policy.features.contains(.attributes), attributes != machine.holdings.attributes {
            faults.append("C-15: \(name) has other attributes than the server has of \(user)")
        }
        compareWatches(name, machine, connection)
        compareTree(name, machine, connection)
    }

    /// What stands at each place that is listened to.
    private mutating func compareTree(_ name: String, _ machine: ClientMachine, _ connection: ConnectionID) {
        func words(_ listens: [TreeListen]) -> [String] {
            listens.map { "\(TreePath(keys: $0.place).text) \($0.query)" }.sorted()
        }
        let (own, servers) = (
            words(machine.tree.client.tree.activeListens), words(server.tree.listens[connection] ?? [])
        )
        if own != servers { faults.append("C-15: \(name) listens to \(own), for the server to \(servers)") }
        for listener in machine.tree.listeners where !listener.path.isInfo {
            let known = machine.tree.known(listener.query, at: listener.path)
            let there = server.tree.root[listener.path.keys[...]].given(by: listener.query)
            guard known != there else { continue }
            faults.append(
                "C-15: \(name) has \(known.map(\.text) ?? "nothing") at '\(listener.path.text)', the server \(there)")
        }
        if !machine.tree.transactions.isEmpty {
            faults.append("C-1: \(name) waits for \(machine.tree.transactions.count) transactions")
        }
        if !machine.tree.writes.isEmpty { faults.append("C-1: \(name) waits for \(machine.tree.writes.count) writes") }
    }

    private mutating func compareWatches(_ name: String, _ machine: ClientMachine, _ connection: ConnectionID) {
        let watched = server.watchers.names.filter { server.watchers[$0]?.contains(connection) == true }
        let own = machine.holdings.watched.map(\.user).sorted()
        if watched != own { faults.append("C-15: \(name) watches \(own), for the server \(watched)") }
        for user in machine.holdings.watched where user.isThere != server.isThere(user.user) {
            let told = user.isThere.map { $0 ? "there" : "gone" } ?? "unknown"
            faults.append("C-15: \(user.user) is \(told) for \(name), and not for the server")
        }
        for user in watched where (server.watchers[user] ?? []).filter({ $0 == connection }).count > 1 {
            faults.append("C-15: \(name) watches \(user) twice")
        }
    }

    /// A client that is not logged in is connected nowhere.
    private mutating func compareAway(_ name: String, _ machine: ClientMachine) {
        guard machine.link == nil else { return }
        for user in server.accounts.keys {
            guard server.accounts[user]?.devices[machine.device.id]?.login?.connection != nil else { continue }
            faults.append("C-15: \(name) is \(machine.state.name), and for the server connected as \(user)")
        }
    }

    /// A user is in a channel as long as the user's client says so.
    private mutating func compareChannels() {
        let online = clients.filter { $0.machine.state == .online }.map(\.machine)
        for channel in server.channels.names {
            let members = (server.channels[channel]?.members.keys.elements ?? []).sorted()
            let joined = Set(online.filter { $0.joinedChannels.contains(channel) }.compactMap(\.user)).sorted()
            if members != joined { faults.append("C-15: members of \(channel): \(members); clients there: \(joined)") }
        }
        for machine in online {
            for channel in machine.joinedChannels where server.channels[channel] == nil {
                faults.append("C-15: \(machine.user ?? "-") is in \(channel), which the server does not know")
            }
        }
    }

    /// Nobody is seen online who is not (P8).
    private mutating func comparePresence() {
        for user in server.accounts.keys {
            for record in server.accounts[user]?.devices.values.elements ?? [] {
                guard let login = record.login else { continue }
                if login.isPresent, login.connection == nil {
                    faults.append("C-15: \(user) on \(record.device.id) is present without a connection")
                }
                if let connection = login.connection, server.connections[connection] == nil {
                    faults.append("C-15: \(user) on \(record.device.id) is on a connection that is not there")
                }
            }
        }
    }
}
