import IMClient
import IMProtocol
import IMServer
import IMSession
import IMTree

/// Compares one client with the server when nothing is in flight between them. Each login, channel, watch, listener and
/// value that one side stores must exist on the other side, exactly once (C-7, C-15).
struct AgreementChecker: Checker {
    /// Collects the presence notifications that the app received.
    private var notified = PresenceChecker()

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        notified.observe(event, trace, into: &violations)
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
        violations.add(.agreement, rule, kind, detail)
    }

    /// Adds a violation if the client's own value differs from the server's.
    private mutating func compare<Value: Equatable>(_ own: Value, _ servers: Value, _ rule: String, _ kind: String) {
        if own != servers { violation(rule, kind, "\(own), the server has \(servers)") }
    }

    /// Adds a violation if a count of pending items is not zero. Nothing may be pending while the client is online.
    private mutating func expectNone(_ count: Int, _ rule: String, _ kind: String) {
        if count > 0 { violation(rule, "the client is online, but \(kind)", "\(count)") }
    }

    mutating func compare(_ server: ServerMachine, _ machine: ClientMachine, _ client: IdleClient) {
        guard machine.state == .online, let user = machine.user else {
            return client.hasRecovered && client.isAlone ? compareLoggedOut(server, machine) : ()
        }
        guard let view = server.view(of: user, device: machine.device.id), let connection = view.connection,
            view.isPresent
        else { return violation("C-15", "the client is online, but not for the server", user) }
        compare(machine.loginEpoch, view.epoch, "C-15", "client and server have different logins")
        expectNone(view.hasPendingKick ? 1 : 0, "C-7", "a kick is pending")
        expectNone(view.messagesWaiting, "C-14", "messages are pending on the server")
        expectNone(view.operationsWaiting, "CHAT-8", "operations are pending on the server")
        let others = server.presentDeviceIDs(of: user, besides: machine.device.id).sorted()
        compare(machine.otherDeviceIDs.sorted(), others, "C-15", "the list of other devices differs")
        if machine.policy.announcesDevices, let devices = notified.devices {
            compare(devices.sorted(), others, "NIM-13", "the app was notified of other devices")
        }
        let isAnswered = client.isAnswered(machine.policy)
        compareTree(server, machine, connection, isAnswered)
        guard isAnswered else { return }
        expectNone(machine.requestsWaiting, "C-1", "requests have no answer")
        expectNone(machine.messagesWaiting, "C-14", "its messages are not sent")
        expectNone(machine.hasUnsentChanges ? 1 : 0, "ZIM-9", "local changes are not sent")
        // Compared only if a user has a single device, because another device of the user can set the same attributes.
        if machine.policy.features.contains(.attributes), server.policy.exclusion == .single {
            compare(machine.ownAttributes, server.attributes(of: user), "RTM-4", "the user's attributes differ")
        }
        let last = server.lastChange(of: user, device: machine.device.id)
        if let position = machine.dataPosition, position < last {
            violation("ZIM-9", "the device has not received all changes", "up to \(position), the server has \(last)")
        }
        let channels = machine.joinedChannels
        compare(channels.sorted(), view.channels.sorted(), "C-15", "the joined channels differ")
        for (channel, members) in server.channelMembers where channels.contains(channel) && !members.contains(user) {
            violation("C-15", "the user is not a member of a joined channel", channel)
        }
        compareWatches(server, machine, connection)
    }

    private mutating func compareWatches(
        _ server: ServerMachine, _ machine: ClientMachine, _ connection: ConnectionID
    ) {
        let watched = machine.watchedUsers.map(\.user).sorted()
        compare(watched, server.watched(by: connection).sorted(), "C-15", "the watched users differ")
        for (user, isUserPresent) in machine.watchedUsers {
            let serverPresence = server.isUserOnline(user)
            if isUserPresent != serverPresence {
                violation("P8", "the presence of a watched user differs", "\(user), for the server \(serverPresence)")
            }
            if let last = notified.users[user], last != serverPresence {
                violation("P8", "the app was notified of another presence", "\(user), for the server \(serverPresence)")
            }
        }
    }

    /// Compares the client's data with the server's at each path that has a listener.
    private mutating func compareTree(
        _ server: ServerMachine, _ machine: ClientMachine, _ connection: ConnectionID, _ isAnswered: Bool
    ) {
        guard machine.policy.features.contains(.tree) else { return }
        func summary(_ listens: [TreeListen]) -> [String] {
            listens.map { "\(TreePath(keys: $0.path).text) \($0.query)" }.sorted()
        }
        compare(summary(machine.treeListens), summary(server.listens(on: connection)), "C-15", "the listens differ")
        for view in machine.treeViews {
            let all = server.treeRoot[view.path.keys[...]]
            let serverValue = all.given(by: view.query)
            if !view.query.loadsAllData, let known = view.known,
                let expectedNames = TreeQueryChecker.given(by: view.query, of: all),
                expectedNames != Set(known.children.map(\.key.text))
            {
                let summary = "\(known) at '\(view.path.text)' for \(view.query), not \(expectedNames.sorted())"
                violation("SYNC-4", "a query has wrong results", summary)
            }
            guard view.known != serverValue else { continue }
            let known = view.known.map { "\($0)" } ?? "nothing"
            let summary = "\(known) at '\(view.path.text)', the server has \(serverValue)"
            violation("SYNC-4", "a listener's value differs from the server's", summary)
        }
        if isAnswered { expectNone(machine.treeChangesWaiting, "C-1", "its writes have no answer") }
    }

    /// Checks that the server has no connection of a client that is not logged in.
    private mutating func compareLoggedOut(_ server: ServerMachine, _ machine: ClientMachine) {
        guard machine.connection == nil else { return }
        for view in server.views(ofDevice: machine.device.id) where view.connection != nil {
            violation(
                "C-15", "the server has a connection of a client that is not logged in",
                "\(machine.state.name), as \(view.user)")
        }
    }
}

/// Checks the server's own records of all devices at quiescence (P8).
struct ServerAgreement: Checker {
    func checkAtQuiescence(_ world: IdleWorld, _ server: ServerMachine) -> [Violation] {
        guard let length = world.stableFor else { return [] }
        var violations: [Violation] = []
        for view in server.deviceViews {
            let summary = "\(view.user) on \(view.device.id)"
            // The policy may let a device stay present for a while after its connection broke (RTM-4).
            if view.isPresent, view.connection == nil, length >= server.policy.presenceHold {
                violations.add(.agreement, "P8", "a device is present without a connection", summary)
            }
            if let connection = view.connection, !server.hasConnection(connection) {
                violations.add(.agreement, "P8", "a device has a connection that does not exist", summary)
            }
        }
        for connection in server.watchingConnections + server.listeningConnections
        where !server.hasConnection(connection) {
            let kind = "a connection that does not exist has watches or listens"
            violations.add(.agreement, "P8", kind, "\(connection.rawValue)")
        }
        for (channel, members) in server.channelMembers {
            let joined = Set(world.online.filter { $0.channels.contains(channel) }.map(\.user)).sorted()
            guard members.sorted() != joined else { continue }
            let detail = "\(channel): \(members.sorted()), clients there: \(joined)"
            violations.add(.agreement, "C-15", "the members of a channel differ from its clients", detail)
        }
        return violations
    }
}
