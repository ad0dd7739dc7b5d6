import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import SansIO

/// All checkers of one world. Each event goes to the checkers that it concerns. The states of both sides are compared
/// at every quiescence, before anything recovers. `@exclusivity(unchecked)`: see `WorldCore`.
public final class OracleSet {
    /// The violations so far, oldest first. A search stops at the first.
    @exclusivity(unchecked) public private(set) var violations: [Violation] = []
    let dialect: any Dialect
    let clientPolicy: ClientPolicy
    @exclusivity(unchecked) var clients: [ClientOracles?] = []
    let server: ServerTrace
    /// The checkers for more than one client.
    @exclusivity(unchecked) var common: Common
    @exclusivity(unchecked) var watched = Watched()
    let quiet: Interval
    let bound: Interval
    /// The number of events after which a violation is reported on purpose; nil for never.
    let canaryAt: Int?
    /// The maximum number of violations. After that the checkers ignore all events.
    static let violationsMax = 20

    /// The checkers are values, so that a copy of the world has its own copies.
    struct Common {
        var kicks: KickOracle
        var kickCauses = KickCauseOracle()
        var presenceChanges = PresenceChangeOracle()
        var refusals: RefusalOracle
        var restarts = RestartOracle()
        var places = PlacesOracle()
        var messages: MessageOracle
        var talks = TalkOracle()
        var ended: EndedLoginOracle
        var logins: LoginRuleOracle
        var lateLogins: LateLoginOracle
        var network = NetworkOracle()
        var tree = TreeLedger()
        var disconnects: DisconnectOracle
        var pushes = PushOracle()
        var endings: EndingOracle
        var shutOut = ShutOutOracle()
        var proofs: ProofOracle
        var syncs = SyncOracle()
        var operations = OperationOracle()
        var toldOrder = ToldOrder()
        var idleOperations = IdleOperationOracle()
        var data = DataAgreementOracle()
        var shownData = ShownDataOracle()
        var devicePairs = DevicePairOracle()
        var imports = ImportOracle()
        var unread = UnreadOracle()
        var channels: ChannelOracle
        var limits: LimitOracle
        var groups = GroupOracle()
        var friends = FriendOracle()
        var reactions = ReactionOracle()
        var asked: AskedOracle
        var settled = SettledOracle()
        var expressions = ExpressionOracle()
        var queryNews = QueryNewsOracle()
        var holds: PresenceHoldOracle
        var silences: SilenceOracle

        init(client: ClientPolicy, server: ServerPolicy) {
            kicks = KickOracle(server)
            refusals = RefusalOracle(server)
            ended = EndedLoginOracle(server)
            endings = EndingOracle(server)
            logins = LoginRuleOracle(server)
            lateLogins = LateLoginOracle(server)
            proofs = ProofOracle(server)
            channels = ChannelOracle(server)
            limits = LimitOracle(server)
            holds = PresenceHoldOracle(server)
            silences = SilenceOracle(server)
            disconnects = DisconnectOracle(breakWaitsForSilence: server.breakWaitsForSilence)
            asked = AskedOracle(breakWaitsForSilence: server.breakWaitsForSilence)
            messages = MessageOracle(client: client, server: server)
        }

        /// Uses a policy that the operator sets before anything else happens.
        mutating func begin(with policy: ServerPolicy) {
            kicks = KickOracle(policy)
            kickCauses = KickCauseOracle()
            refusals = RefusalOracle(policy)
            ended = EndedLoginOracle(policy)
            endings = EndingOracle(policy)
            logins = LoginRuleOracle(policy)
            proofs = ProofOracle(policy)
            holds = PresenceHoldOracle(policy)
            silences = SilenceOracle(policy)
        }

        /// True if there are changes with which the device's data has not been compared.
        func isNews(of user: String, for name: String, at position: UInt64) -> Bool {
            shownData.isNews(of: user, for: name, at: position) || groups.isNews(for: name)
                || friends.isNews(for: name) || reactions.isNews(for: name) || unread.isNews(of: user, for: name)
        }
    }

    /// The number of observed events, and the times of the last disturbances.
    struct Watched {
        var events = 0
        /// True after the first client command or change of an account.
        var isBegun = false
        /// The time of the last disturbance of a client's network or process, by node.
        var calmSince: [Instant] = []
        var serverSince = Instant.zero
        /// The clients whose running process has had a network that may lose or reorder single frames.
        var unreliable: Set<Int> = []
        /// The device of each client, also of a closed one.
        var devices: [Int: String] = [:]
        /// The clients whose network may still lose frames.
        var impaired: Set<Int> = []
    }

    /// - Parameters:
    ///   - dialect: the vendor's dialect; the checkers use its policies.
    ///   - canaryAt: the number of events after which a violation is reported on purpose; nil for never.
    public init(_ dialect: any Dialect, canaryAt: Int? = nil) {
        self.dialect = dialect
        self.canaryAt = canaryAt
        clientPolicy = dialect.clientPolicy
        server = ServerTrace()
        common = Common(client: clientPolicy, server: dialect.serverPolicy)
        quiet = SettlingTimes.quiet(clientPolicy)
        bound = SettlingTimes.bound(dialect)
    }

    /// For a copy of the world, which continues independently: copies all that the other has observed.
    package init(copying other: OracleSet) {
        violations = other.violations
        dialect = other.dialect
        clientPolicy = other.clientPolicy
        clients = other.clients.map { $0.map(ClientOracles.init(copying:)) }
        server = ServerTrace(copying: other.server)
        common = other.common
        watched = other.watched
        quiet = other.quiet
        bound = other.bound
        canaryAt = other.canaryAt
    }

    // MARK: Events

    /// Checks an event of the world. Call it directly after the event.
    public func see(_ event: SessionEvent, in core: WorldCore) {
        watched.events += 1
        guard violations.count < Self.violationsMax else { return }
        var faults = watched.events == 1 ? VendorPolicies.faults(of: dialect) : []
        if let canaryAt, watched.events == canaryAt { faults.append(Violation(.canary, "C-0", "fails on purpose")) }
        if event.node == WorldCore.serverName {
            seeServer(event, core, into: &faults)
        } else if let id = core.node(named: event.node) {
            seeClient(event, id, core, into: &faults)
        }
        if !faults.isEmpty { note(faults, of: event.node) }
    }

    private func seeServer(_ event: SessionEvent, _ core: WorldCore, into faults: inout [Violation]) {
        server.note(event)
        if event.isHeartbeat { return seeHeartbeat(event, core, into: &faults) }
        switch event.content {
        case .start, .stop: watched.serverSince = event.time
        case .input(.serverCommand(_, .setPolicy(let key, let value))):
            watched.serverSince = event.time
            if key == "tree-writes-max" { common.tree.areWritesFew = true }
            // CHAT-3.
            if key == "taken-place" {
                common.kicks.mayReturningKick = value == ServerPolicy.TakenPlace.kicksCurrent.rawValue
            }
        default: break
        }
        common.kicks.seeServer(event, server, into: &faults)
        common.kickCauses.seeServer(event, server, into: &faults)
        common.presenceChanges.seeServer(event, server, into: &faults)
        common.refusals.seeServer(event, server, into: &faults)
        common.restarts.seeServer(event, into: &faults)
        common.places.seeServer(event, server, core.serverPolicyNow, into: &faults)
        common.messages.seeServer(event, into: &faults)
        common.ended.seeServer(event, server, into: &faults)
        common.endings.seeServer(event, server, into: &faults)
        common.shutOut.seeServer(event, server, into: &faults)
        let epoch = core.epochMilliseconds
        common.proofs.seeServer(event, server, epochMilliseconds: epoch, into: &faults)
        common.syncs.seeServer(event, server, into: &faults)
        common.logins.seeServer(event, server, into: &faults)
        common.lateLogins.seeServer(event, server, into: &faults)
        common.network.seeServer(event, into: &faults)
        common.holds.seeServer(event, server, into: &faults)
        common.silences.seeServer(event, into: &faults)
        common.pushes.seeServer(event, server)
        if clientPolicy.features.contains(.operations) {
            common.operations.seeServer(event, server)
            common.idleOperations.seeServer(event, server, into: &faults)
        }
        let members = { core.serverMachine?.channelMembers ?? [] }
        common.limits.seeServer(event, server, core.serverPolicyNow, members, into: &faults)
        common.asked.seeServer(event, server, members, into: &faults)
        if clientPolicy.features.contains(.channels) {
            common.settled.seeServer(event, server, members, into: &faults)
            common.channels.seeServer(event, server, members, into: &faults)
        }
        if clientPolicy.features.contains(.localCalls) {
            common.data.seeServer(event)
            common.devicePairs.seeServer(event)
            common.talks.seeServer(event)
            common.shownData.seeServer(event, server, into: &faults)
            common.groups.seeServer(event, server, into: &faults)
            common.friends.seeServer(event, server)
            common.reactions.seeServer(event, server)
            common.unread.seeServer(event)
        }
        seeEnds(event, core, into: &faults)
        if case .input(.serverCommand(_, let command)) = event.content, !watched.isBegun {
            if case .setPolicy = command {
                if let policy = core.serverPolicyNow { common.begin(with: policy) }
            } else {
                watched.isBegun = true
            }
        }
    }

    /// Heartbeats are half of all events. Most checkers need only the fact that there was another input.
    private func seeHeartbeat(_ event: SessionEvent, _ core: WorldCore, into faults: inout [Violation]) {
        common.network.seeServer(event, into: &faults)
        guard case .input = event.content else { return }
        common.presenceChanges.seeServer(event, server, into: &faults)
        common.messages.seeServer(event, into: &faults)
        common.endings.seeServer(event, server, into: &faults)
        common.holds.seeServer(event, server, into: &faults)
        common.silences.seeServer(event, into: &faults)
        seeEnds(event, core, into: &faults)
    }

    private func seeEnds(_ event: SessionEvent, _ core: WorldCore, into faults: inout [Violation]) {
        guard clientPolicy.features.contains(.tree) else { return }
        let root = { core.serverMachine?.treeRoot }
        let epoch = core.epochMilliseconds
        common.expressions.seeServer(event, into: &faults)
        common.queryNews.seeServer(event, into: &faults)
        common.disconnects.seeServer(event, root: root, epochMilliseconds: epoch, into: &faults)
    }

    private func seeClient(_ event: SessionEvent, _ id: NodeID, _ core: WorldCore, into faults: inout [Violation]) {
        let place = id.rawValue
        while clients.count <= place { clients.append(nil) }
        while watched.calmSince.count <= place { watched.calmSince.append(.zero) }
        switch event.content {
        case .start:
            watched.calmSince[place] = event.time
            watched.devices[place] = core.deviceID(of: id)
            if !watched.impaired.contains(place) { watched.unreliable.remove(place) }
        case .environment(.net(.rule)), .environment(.net(.loss)), .environment(.net(.halfOpen)):
            watched.calmSince[place] = event.time
            watched.unreliable.insert(place)
            watched.impaired.insert(place)
        case .environment(.net(.clear)):
            watched.calmSince[place] = event.time
            watched.impaired.remove(place)
        case .stop, .environment, .input(.app(.woke)): watched.calmSince[place] = event.time
        // A client that gave way to another process starts again (SYNC-1).
        case .input(.clientCommand) where clients[place]?.each.links.isReplaced == true:
            watched.calmSince[place] = event.time
        // A login that another login of its device overtook is retried.
        case .input(.frame(_, let frame)) where clients[place]?.trace.state == .connecting:
            if case .goodbye(.replaced, _) = frame.body { watched.calmSince[place] = event.time }
        default: break
        }
        if clients[place] == nil { clients[place] = ClientOracles(clientPolicy) }
        guard let oracles = clients[place] else { return }
        let epoch = core.epochMilliseconds
        let trace = oracles.trace
        trace.note(event)
        if case .input(.clientCommand) = event.content { watched.isBegun = true }
        if case .effect = event.content, event.isHeartbeat {
            oracles.each.links.see(event, trace, into: &faults)
            oracles.each.heartbeats.see(event, trace, into: &faults)
            return common.network.seeClient(event, place, trace, into: &faults)
        }
        oracles.each.commands.see(event, trace, into: &faults)
        oracles.each.calls.see(event, trace, into: &faults)
        oracles.each.reasons.see(event, trace, into: &faults)
        oracles.each.links.see(event, trace, into: &faults)
        oracles.each.retries.see(event, trace, into: &faults)
        oracles.each.attempts.see(event, trace, into: &faults)
        oracles.each.heartbeats.see(event, trace, into: &faults)
        oracles.each.localData.see(event, trace, isOpen: { core.isDataOpen(of: id) }, into: &faults)
        oracles.each.kicked.see(event, trace, into: &faults)
        oracles.each.presence.see(event, into: &faults)
        oracles.each.loginCalls.see(event, trace, epochMilliseconds: epoch, into: &faults)
        if clientPolicy.features.contains(.autologin) { oracles.each.autologins.see(event, into: &faults) }
        oracles.each.logouts.see(event, trace, into: &faults)
        oracles.each.credentials.see(event, trace, into: &faults)
        oracles.each.restores.see(event, trace, into: &faults)
        oracles.each.conversations.see(event, trace, into: &faults)
        oracles.each.resyncs.see(event, into: &faults)
        oracles.each.sendOrder.see(event, into: &faults)
        oracles.each.stateTold.see(event, dialect, into: &faults)
        oracles.each.vendorNumbers.see(event, dialect, into: &faults)
        oracles.each.callRates.see(event, trace, into: &faults)
        if clientPolicy.announcesLoginSteps { oracles.each.steps.see(event, trace, into: &faults) }
        if clientPolicy.features.contains(.localCalls) {
            oracles.each.changes.see(event, trace, into: &faults)
            oracles.each.tellings.see(event, trace, into: &faults)
            oracles.each.drafts.see(event, trace, into: &faults)
            common.shownData.seeClient(event)
            common.devicePairs.seeClient(event, trace)
            common.talks.seeClient(event, user: trace.user, into: &faults)
            common.imports.seeClient(event)
            common.unread.seeClient(event)
        }
        if clientPolicy.features.contains(.offlineLogin) {
            oracles.each.offlineCalls.see(event, trace, into: &faults)
            oracles.each.offlineTokens.see(event, trace, into: &faults)
        }
        if clientPolicy.features.contains(.resend) { oracles.each.failedMessages.see(event, trace, into: &faults) }
        oracles.each.syncAnnouncements.see(event, trace, into: &faults)
        if clientPolicy.sync != .never {
            common.syncs.seeClient(event, trace)
            oracles.each.things.see(event, trace, into: &faults)
        }
        common.toldOrder.seeClient(event, trace.user, into: &faults)
        if clientPolicy.features.contains(.operations) {
            common.operations.seeClient(event, trace.user, device: watched.devices[place] ?? "", into: &faults)
        }
        if clientPolicy.features.contains(.channels) {
            oracles.each.members.see(event, into: &faults)
            common.channels.seeClient(event, trace)
        }
        if clientPolicy.features.contains(.tokenRenewal) {
            oracles.each.tokens.see(event, trace, epochMilliseconds: epoch, into: &faults)
        }
        common.network.seeClient(event, place, trace, into: &faults)
        if clientPolicy.features.contains(.tree) {
            common.tree.seeClient(event, trace)
            let isReliable = !watched.unreliable.contains(place)
            oracles.each.tree?.see(
                event, trace, isReliable: isReliable, isKept: common.tree.isKept(event.node), epochMilliseconds: epoch,
                into: &faults)
        }
        common.kicks.seeClient(event)
        common.messages.seeClient(event, user: trace.user, into: &faults)
        if case .input(.frame(_, let frame)) = event.content, case .loginAck(let reply) = frame.body,
            reply.status == .ok, !trace.isInputStale
        {
            oracles.each.retries.loginAccepted()
        }
        trace.settle(event)
    }

    func note(_ faults: [Violation], of node: String) {
        for var fault in faults where violations.count < Self.violationsMax {
            if fault.node.isEmpty { fault.node = node }
            fault.event = watched.events
            violations.append(fault)
        }
    }

    /// Stores the server's state before its process ends.
    package func lookBeforeEnd(ofServerIn core: WorldCore) {
        guard let server = core.serverMachine else { return }
        common.restarts.willEnd(server)
    }

    /// True if the client keeps tree data across processes.
    package func isTreeKept(by node: String) -> Bool { common.tree.isKept(node) }

    /// Checks a client's tree data directly after a tree command, before the server has received it.
    package func lookBehindTreeCommand(of node: String, in core: WorldCore) {
        // A new listener gets the stored data, which can be more than the server has sent to older listeners.
        guard !isTreeKept(by: node), let id = core.node(named: node), !core.isAsleep(id),
            !watched.unreliable.contains(id.rawValue), let machine = core.clientMachine(of: id)
        else { return }
        note([TreeWindowOracle.fault(of: machine)].compactMap(\.self), of: node)
    }
}

extension SessionEvent {
    /// True for a heartbeat and its answer.
    fileprivate var isHeartbeat: Bool {
        switch content {
        case .input(.frame(_, let frame)), .effect(.send(_, let frame)): frame.body.isHeartbeat
        default: false
        }
    }
}

extension WorldCore {
    /// The server's wall clock at the start of the session, in milliseconds since 1970.
    fileprivate var epochMilliseconds: Int64 { configuration.epochNanoseconds / 1_000_000 }
}
