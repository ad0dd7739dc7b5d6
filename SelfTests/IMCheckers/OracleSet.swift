import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import SansIO

/// All oracles over one world. Each event is shown to those that it concerns; the views of both sides are compared
/// whenever nothing is under way, before anything heals. `@exclusivity(unchecked)`: see `WorldCore`.
public final class OracleSet {
    /// What was found, oldest first. A search ends with the first.
    @exclusivity(unchecked) public private(set) var violations: [Violation] = []
    let dialect: any Dialect
    let clientPolicy: ClientPolicy
    @exclusivity(unchecked) var clients: [ClientOracles?] = []
    let server: ServerTrace
    /// The oracles that see more than one client.
    @exclusivity(unchecked) var common: Common
    @exclusivity(unchecked) var watched = Watched()
    let quiet: Interval
    let bound: Interval
    /// Which oracle fails on purpose, behind so many events; nil for none.
    let canaryAt: Int?
    /// Events that oracles do not look at any more: no more is found than this.
    static let violationsMax = 20

    /// Values, so that a copy of the world has all of its own.
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

        /// Before anybody has done anything, what the operator sets is what there is to count by.
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

        /// Whether there is something that a device's data has not been compared with.
        func isNews(of user: String, for name: String, at position: UInt64) -> Bool {
            shownData.isNews(of: user, for: name, at: position) || groups.isNews(for: name)
                || friends.isNews(for: name) || reactions.isNews(for: name) || unread.isNews(of: user, for: name)
        }
    }

    /// How far the world has been seen, and since when it has been left alone.
    struct Watched {
        var events = 0
        /// Whether anything was asked of a client, or done to an account.
        var isBegun = false
        /// Since when nothing has been done to a client's network or process, by node.
        var calmSince: [Instant] = []
        var serverSince = Instant.zero
        /// The clients whose process has had a network on which one frame may be lost, or overtake another.
        var unreliable: Set<Int> = []
        /// The device of each, also of one that is closed.
        var devices: [Int: String] = [:]
        /// Those whose network loses frames still, or may.
        var impaired: Set<Int> = []
    }

    /// - Parameters:
    ///   - dialect: the system; its policies are what the oracles count by.
    ///   - canaryAt: behind so many events one fails on purpose.
    public init(_ dialect: any Dialect, canaryAt: Int? = nil) {
        self.dialect = dialect
        self.canaryAt = canaryAt
        clientPolicy = dialect.clientPolicy
        server = ServerTrace()
        common = Common(client: clientPolicy, server: dialect.serverPolicy)
        quiet = SettlingTimes.quiet(clientPolicy)
        bound = SettlingTimes.bound(dialect)
    }

    /// For a copy of the world, which goes on by itself: has seen what the other has seen.
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

    /// Looks at an event of the world, right behind it.
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

    /// Half of all events, of which most oracles only learn that there was another input.
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
        // Who had given way begins anew (SYNC-1).
        case .input(.clientCommand) where clients[place]?.each.links.isReplaced == true:
            watched.calmSince[place] = event.time
        // Whose login was overtaken by another of its device tries once more.
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

    /// Looks at what the server holds before its process ends.
    package func lookBeforeEnd(ofServerIn core: WorldCore) {
        guard let server = core.serverMachine else { return }
        common.restarts.willEnd(server)
    }

    /// Whether what a client is told of the tree outlives its process.
    package func isTreeKept(by node: String) -> Bool { common.tree.isKept(node) }

    /// Looks at what a client shows right behind something that was done to the tree, before the server has heard of it.
    package func lookBehindTreeCommand(of node: String, in core: WorldCore) {
        // A new listener gets the stored data, which can be more than the server has sent to older listeners.
        guard !isTreeKept(by: node), let id = core.node(named: node), !core.isAsleep(id),
            !watched.unreliable.contains(id.rawValue), let machine = core.clientMachine(of: id)
        else { return }
        note([TreeWindowOracle.fault(of: machine)].compactMap(\.self), of: node)
    }
}

extension SessionEvent {
    /// Whether it is a heartbeat, or the answer to one.
    fileprivate var isHeartbeat: Bool {
        switch content {
        case .input(.frame(_, let frame)), .effect(.send(_, let frame)): frame.body.isHeartbeat
        default: false
        }
    }
}

extension WorldCore {
    /// The wall clock of the server when the session began.
    fileprivate var epochMilliseconds: Int64 { configuration.epochNanoseconds / 1_000_000 }
}
