import IMClient
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import IMTree
import SansIO

/// Compares one client with the server when nothing is in flight between them: each entry of one side exists on the
/// other side, exactly once (C-7, C-15).
struct AgreementChecker: Checker {
    /// The notifications that the app received.
    private var notified = PresenceChecker()

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        notified.observe(event, into: &violations)
    }

    func checkAtQuiescence(_ client: IdleClient, _ machine: ClientMachine, _ server: ServerMachine) -> [Violation] {
        var comparison = Comparison(notified: notified)
        comparison.compare(server, machine, client)
        return comparison.violations
    }
}

private struct Comparison {
    let notified: PresenceChecker
    private(set) var violations: [Violation] = []

    init(notified: PresenceChecker) { self.notified = notified }

    private mutating func violation(_ rule: String, _ kind: String, _ detail: String = "") {
        violations.append(Violation(.agreement, rule, kind, detail))
    }

    mutating func compare(_ server: ServerMachine, _ machine: ClientMachine, _ client: IdleClient) {
        guard machine.state == .online, let user = machine.user else {
            return client.hasRecovered && client.isAlone ? compareAway(server, machine) : ()
        }
        let isAnswered = client.isAnswered(machine.policy)
        guard let view = server.view(of: user, device: machine.device.id), let connection = view.connection,
            view.isPresent
        else { return violation("C-15", "online, and the server has no such device there", user) }
        if view.epoch != machine.loginEpoch {
            violation("C-15", "the two sides have different logins", "\(machine.loginEpoch ?? 0), \(view.epoch ?? 0)")
        }
        if view.hasPendingKick { violation("C-7", "online, and a kick waits") }
        if view.messagesWaiting > 0 { violation("C-14", "online, and messages wait", "\(view.messagesWaiting)") }
        if view.operationsWaiting > 0 {
            violation("CHAT-8", "online, and operations wait", "\(view.operationsWaiting)")
        }
        if isAnswered, machine.requestsWaiting > 0 {
            violation("C-1", "online, and answers are missing", "\(machine.requestsWaiting)")
        }
        if isAnswered, machine.messagesWaiting > 0 {
            violation("C-14", "online, and sends wait", "\(machine.messagesWaiting)")
        }
        let others = server.presentDeviceIDs(of: user, besides: machine.device.id).sorted()
        let known = machine.otherDeviceIDs.sorted()
        if others != known { violation("C-15", "the list of devices differs", "\(known), the server has \(others)") }
        if machine.policy.announcesDevices, let devices = notified.devices, devices.sorted() != others {
            violation("NIM-13", "the app was told of other devices", "\(devices.sorted()), the server has \(others)")
        }
        if isAnswered, machine.policy.features.contains(.attributes),
            server.attributes(of: user) != machine.ownAttributes
        {
            violation("RTM-4", "the attributes differ")
        }
        let last = server.lastChange(of: user, device: machine.device.id)
        if isAnswered, let position = machine.dataPosition, position < last {
            violation("ZIM-9", "the device has not heard of changes", "as of \(position), the server's of \(last)")
        }
        if isAnswered, machine.hasUnsentChanges {
            violation("ZIM-9", "online, and the server was not told what was done here")
        }
        if isAnswered {
            compareChannels(server, machine, view)
            compareWatches(server, machine, connection)
        }
        compareTree(server, machine, connection, isAnswered)
    }

    private mutating func compareChannels(
        _ server: ServerMachine, _ machine: ClientMachine, _ view: ServerMachine.DeviceView
    ) {
        let (own, servers) = (machine.joinedChannels.sorted(), view.channels.sorted())
        if own != servers { violation("C-15", "the channels differ", "\(own), the server has \(servers)") }
        guard let user = machine.user else { return }
        for (channel, members) in server.channelMembers where own.contains(channel) != members.contains(user) {
            guard own.contains(channel) else { continue }
            violation("C-15", "in a channel that the server has without the user", channel)
        }
    }

    private mutating func compareWatches(
        _ server: ServerMachine, _ machine: ClientMachine, _ connection: ConnectionID
    ) {
        let watched = server.watched(by: connection).sorted()
        let own = machine.watchedUsers.map(\.user).sorted()
        if watched != own { violation("C-15", "who is watched differs", "\(own), the server has \(watched)") }
        for (user, isUserPresent) in machine.watchedUsers {
            let really = server.isUserOnline(user)
            if isUserPresent != really {
                violation("P8", "a watched user's presence differs", "\(user), for the server \(really)")
            }
            if let last = notified.users[user], last != really {
                violation("P8", "the app was told another presence", "\(user), for the server \(really)")
            }
        }
    }

    /// Compares the data at each path that has a listener.
    private mutating func compareTree(
        _ server: ServerMachine, _ machine: ClientMachine, _ connection: ConnectionID, _ isAnswered: Bool
    ) {
        guard machine.policy.features.contains(.tree) else { return }
        func summary(_ listens: [TreeListen]) -> [String] {
            listens.map { "\(TreePath(keys: $0.path).text) \($0.query)" }.sorted()
        }
        let (own, servers) = (summary(machine.treeListens), summary(server.listens(on: connection)))
        if own != servers { violation("C-15", "what is listened to differs", "\(own), the server has \(servers)") }
        for view in machine.treeViews {
            let all = server.treeRoot[view.path.keys[...]]
            let there = all.given(by: view.query)
            if !view.query.loadsAllData, let known = view.known,
                let right = TreeQueryChecker.given(by: view.query, of: all),
                right != Set(known.children.map(\.key.text))
            {
                let summary = "\(known) at '\(view.path.text)' for \(view.query), not \(right.sorted())"
                violation("SYNC-4", "a query gives what it should not, or not all", summary)
            }
            guard view.known != there else { continue }
            let summary = "\(view.known.map { "\($0)" } ?? "nothing") at '\(view.path.text)', the server has \(there)"
            violation("SYNC-4", "a listener sees what the server has not", summary)
        }
        if isAnswered, machine.treeChangesWaiting > 0 {
            violation("C-1", "online, and writes wait", "\(machine.treeChangesWaiting)")
        }
    }

    /// A client that is not logged in has no connection to the server.
    private mutating func compareAway(_ server: ServerMachine, _ machine: ClientMachine) {
        guard machine.connection == nil else { return }
        for view in server.views(ofDevice: machine.device.id) where view.connection != nil {
            violation("C-15", "connected for the server, and not logged in", "\(machine.state.name), as \(view.user)")
        }
    }
}

/// Checks the server's own state for all devices (P8).
struct ServerAgreement: Checker {
    func checkAtQuiescence(_ world: IdleWorld, _ server: ServerMachine) -> [Violation] {
        guard let length = world.stableFor else { return [] }
        var violations: [Violation] = []
        for view in server.deviceViews {
            // A policy may keep a device present after its connection broke (RTM-4).
            if view.isPresent, view.connection == nil, length >= server.policy.presenceHold {
                let summary = "\(view.user) on \(view.device.id)"
                violations.append(Violation(.agreement, "P8", "present without a connection", summary))
            }
            if let connection = view.connection, !server.hasConnection(connection) {
                let summary = "\(view.user) on \(view.device.id)"
                violations.append(Violation(.agreement, "P8", "on a connection that is not there", summary))
            }
        }
        for connection in server.watchingConnections + server.listeningConnections
        where !server.hasConnection(connection) {
            let summary = "\(connection.rawValue)"
            violations.append(Violation(.agreement, "P8", "a connection that is not there watches or listens", summary))
        }
        for (channel, members) in server.channelMembers {
            let joined = Set(world.online.filter { $0.channels.contains(channel) }.map(\.user)).sorted()
            if members.sorted() != joined {
                let summary = "\(channel): \(members.sorted()), clients there: \(joined)"
                violations.append(Violation(.agreement, "C-15", "a channel's members differ", summary))
            }
        }
        return violations
    }
}
