import IMClient
import IMLocalData
import IMProtocol
import IMServer
import IMSession

/// The reference model of intent: the granted requests of each app and of the operator, and the state that must follow.
/// The model reads only commands and completions, so it also finds an error that client and server share.
struct IntentModel: Checker {
    typealias DeviceSlot = ServerTrace.DeviceSlot

    private var apps: [String: AppIntent] = [:]
    private var grants: ServerGrants
    /// The devices whose logout also ended their push notifications, until the next login (NIM-10).
    private var unbound: Set<DeviceSlot> = []
    /// The users whose account was deleted. Their devices still store data of the deleted account.
    private var deleted: Set<String> = []

    init(_ policy: ServerPolicy) { grants = ServerGrants(policy) }

    mutating func begin(with policy: ServerPolicy) { self = IntentModel(policy) }

    // MARK: Events

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        switch event.content {
        case .effect(.send(let connection, let frame)):
            if case .loginAck(let reply) = frame.body, reply.status == .ok,
                let slot = trace.acceptedLogins[connection]?.slot
            {
                unbound.remove(slot)
            }
        case .input(.serverCommand(_, .deleteAccount(let user))):
            unbound = unbound.filter { $0.user != user }
            deleted.insert(user)
        default: break
        }
        grants.observe(event, trace, into: &violations)
    }

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: apps[event.node] = nil
        default:
            var app = apps[event.node] ?? AppIntent()
            app.observe(event, trace)
            if let user = app.takeUnboundUser() { unbound.insert(DeviceSlot(user: user, device: trace.device)) }
            apps[event.node] = app
        }
    }

    // MARK: Quiescence

    /// Compares an app's granted requests with client and server. The client must be online and have all answers.
    func checkAtQuiescence(_ client: IdleClient, _ machine: ClientMachine, _ server: ServerMachine) -> [Violation] {
        guard client.isAnswered(machine.policy), machine.state == .online, let app = apps[client.name],
            let user = machine.user, let view = server.view(of: user, device: machine.device.id),
            let connection = view.connection
        else { return [] }
        var violations: [Violation] = []
        for (channel, isMember) in app.channels.sorted(by: { $0.key < $1.key }) {
            let (own, servers) = (machine.joinedChannels.contains(channel), view.channels.contains(channel))
            guard own != isMember || servers != isMember else { continue }
            let kind =
                isMember
                ? "the user is not in a channel after a granted join" : "the user is in a channel after a granted leave"
            violations.add(.intent, "C-15", kind, "\(user) and \(channel)")
        }
        let (own, servers) = (machine.watchedUsers.map(\.user), server.watched(by: connection))
        for (watched, isOn) in app.watches.sorted(by: { $0.key < $1.key }) {
            guard own.contains(watched) != isOn || servers.contains(watched) != isOn else { continue }
            let kind =
                isOn ? "a user is not watched after a granted watch" : "a user is watched after the end of the watch"
            violations.add(.intent, "C-15", kind, "\(user) and \(watched)")
        }
        if !deleted.contains(user), let database = client.database() {
            compareGroups(database, of: user, server, into: &violations)
        }
        return violations
    }

    /// Checks that the device shows the members of each group of the user with their roles, and no other group.
    private func compareGroups(
        _ database: UserDatabase, of user: String, _ server: ServerMachine, into violations: inout [Violation]
    ) {
        var database = database
        func summary(_ name: String, _ role: String, _ mutedUntil: String) -> String { "\(name) \(role) \(mutedUntil)" }
        for (id, _, members) in server.groupMembers {
            let request = LocalRequest(.queryGroupMemberList, [("groupID", id), ("count", String(LocalCall.pageMax))])
            let shown = database.answer(request).rows.map {
                summary($0["userID"] ?? "", $0["memberRole"] ?? "", $0["muteExpiredTime"] ?? "")
            }
            let isMember = members.contains { $0.user == user }
            let right = members.map { summary($0.user, $0.role.name, String($0.mutedUntil)) }
            guard shown.sorted() != (isMember ? right.sorted() : []) else { continue }
            let detail = "\(id): \(shown.sorted()), the server has \(right.sorted())"
            violations.add(.intent, "ZIM-9", "a device shows other members of a group", detail)
        }
    }

    /// Compares the granted requests with the server's own state.
    func checkAtQuiescence(_ world: IdleWorld, _ server: ServerMachine) -> [Violation] {
        guard world.stableFor != nil else { return [] }
        var violations = grants.violations(server)
        for view in server.deviceViews where view.isPushBound {
            guard unbound.contains(DeviceSlot(user: view.user, device: view.device.id)) else { continue }
            let detail = "\(view.user) on \(view.device.id)"
            violations.add(.intent, "NIM-10", "a device gets pushes after a logout without push", detail)
        }
        for user in server.accountNames where !server.isUserOnline(user) && !server.attributes(of: user).isEmpty {
            violations.add(.intent, "RTM-4", "an offline user has attributes", user)
        }
        return violations
    }
}

/// The requests of one app's process, and their outcome.
struct AppIntent {
    /// For each channel, true after a granted join and false after a granted leave; absent if the state is unknown.
    private(set) var channels: [String: Bool] = [:]
    /// True for each user whose watch was granted, false after a granted end of the watch.
    private(set) var watches: [String: Bool] = [:]
    private var open: [CommandID: ClientCommand] = [:]
    private var logout: (id: CommandID, user: String, isAnswered: Bool)?
    private var unboundUser: String?

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace) {
        switch event.content {
        case .input(.clientCommand(let id, let command)): begin(command, id, trace)
        case .input(.frame(_, let frame)) where !trace.isInputStale:
            switch frame.body {
            case .logoutAck: logout?.isAnswered = true
            case .settleAck(_, let refused): for user in refused { watches[user] = nil }
            default: break
            }
        case .effect(.complete(let id, let completion)): end(id, completion.status)
        case .effect(.notify(.memberChanged(let channel, let user, false))):
            if user == trace.user { channels[channel] = nil }
        case .effect(.transition(let change)) where change.to.isOver: forget()
        default: break
        }
    }

    private mutating func forget() {
        channels.removeAll()
        watches.removeAll()
        open.removeAll()
    }

    private mutating func begin(_ command: ClientCommand, _ id: CommandID, _ trace: ClientTrace) {
        switch command {
        // A new login that replaces the current one starts without channels and watches.
        case .login: forget()
        case .logout(false): if trace.state == .online, let user = trace.user { logout = (id, user, false) }
        case .join(let channel), .leave(let channel):
            open[id] = command
            channels[channel] = nil
        case .watch(let user, _):
            open[id] = command
            watches[user] = nil
        default: break
        }
    }

    private mutating func end(_ id: CommandID, _ status: Status) {
        if let leaving = logout, leaving.id == id {
            if status == .ok, leaving.isAnswered { unboundUser = leaving.user }
            logout = nil
        }
        guard let command = open.removeValue(forKey: id), status == .ok else { return }
        switch command {
        case .join(let channel) where !isOpen({ $0.channel == channel }): channels[channel] = true
        case .leave(let channel) where !isOpen({ $0.channel == channel }): channels[channel] = false
        case .watch(let user, let isOn):
            let isUnknown = isOpen { if case .watch(user, _) = $0 { true } else { false } }
            if !isUnknown { watches[user] = isOn }
        default: break
        }
    }

    private func isOpen(_ condition: (ClientCommand) -> Bool) -> Bool { open.values.contains(where: condition) }

    /// The user of a logout that the server confirmed and that ended push notifications. The next call returns nil.
    mutating func takeUnboundUser() -> String? {
        defer { unboundUser = nil }
        return unboundUser
    }
}

extension ClientCommand {
    /// The channel of a join or a leave.
    fileprivate var channel: String? {
        switch self {
        case .join(let channel), .leave(let channel): channel
        default: nil
        }
    }
}
