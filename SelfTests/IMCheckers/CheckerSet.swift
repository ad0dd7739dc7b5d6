import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import SansIO

/// All checkers of one world. Each event goes to the checkers that it concerns. The states of both sides are compared
/// at every quiescence, before anything recovers. `@exclusivity(unchecked)`: see `WorldCore`.
public final class CheckerSet {
    /// The violations so far, oldest first. A search stops at the first.
    @exclusivity(unchecked) public private(set) var violations: [Violation] = []
    let dialect: any Dialect
    let clientPolicy: ClientPolicy
    @exclusivity(unchecked) var clients: [ClientCheckers?] = []
    let server: ServerTrace
    /// The checkers for more than one client.
    @exclusivity(unchecked) var common: Common
    @exclusivity(unchecked) var watched = Watched()
    let quiescenceTime: Interval
    let recoveryLimit: Interval
    /// The number of events after which a violation is reported on purpose; nil for never.
    let canaryAt: Int?
    /// The maximum number of violations. After that the checkers ignore all events.
    static let violationsMax = 20

    /// The checkers are values, so that a copy of the world has its own copies.
    struct Common {
        var kicks: KickChecker
        var kickCauses = KickCauseChecker()
        var presenceChanges = PresenceChangeChecker()
        var refusals: RefusalChecker
        var restarts = RestartChecker()
        var places = SlotLimitChecker()
        var messages: MessageChecker
        var talks = TalkChecker()
        var ended: EndedLoginChecker
        var logins: LoginRuleChecker
        var lateLogins: LateLoginChecker
        var network = NetworkChecker()
        var tree = TreeLedger()
        var disconnects: DisconnectChecker
        var pushes = PushChecker()
        var endings: OperatorKickChecker
        var bans = BanChecker()
        var proofs: CredentialUseChecker
        var syncs = SyncChecker()
        var operations = OperationChecker()
        var notificationOrder = NotificationOrder()
        var idleOperations = IdleOperationChecker()
        var data = DataAgreementChecker()
        var shownData = DisplayedDataChecker()
        var devicePairs = DevicePairChecker()
        var imports = ImportChecker()
        var unread = UnreadChecker()
        var channels: ChannelChecker
        var limits: LimitChecker
        var groups = GroupChecker()
        var friends = FriendChecker()
        var reactions = ReactionChecker()
        var queryAnswers: QueryAnswerChecker
        var settled = LateSnapshotChecker()
        var expressions = ExpressionChecker()
        var queryRanges = QueryRangeChecker()
        var holds: PresenceHoldChecker
        var silences: SilenceChecker

        init(client: ClientPolicy, server: ServerPolicy) {
            kicks = KickChecker(server)
            refusals = RefusalChecker(server)
            ended = EndedLoginChecker(server)
            endings = OperatorKickChecker(server)
            logins = LoginRuleChecker(server)
            lateLogins = LateLoginChecker(server)
            proofs = CredentialUseChecker(server)
            channels = ChannelChecker(server)
            limits = LimitChecker(server)
            holds = PresenceHoldChecker(server)
            silences = SilenceChecker(server)
            disconnects = DisconnectChecker(breakWaitsForSilence: server.breakWaitsForSilence)
            queryAnswers = QueryAnswerChecker(breakWaitsForSilence: server.breakWaitsForSilence)
            messages = MessageChecker(client: client, server: server)
        }

        /// Uses a policy that the operator sets before anything else happens.
        mutating func begin(with policy: ServerPolicy) {
            kicks = KickChecker(policy)
            kickCauses = KickCauseChecker()
            refusals = RefusalChecker(policy)
            ended = EndedLoginChecker(policy)
            endings = OperatorKickChecker(policy)
            logins = LoginRuleChecker(policy)
            proofs = CredentialUseChecker(policy)
            holds = PresenceHoldChecker(policy)
            silences = SilenceChecker(policy)
        }

        /// True if there are changes with which the device's data has not been compared.
        func needsCheck(of user: String, for name: String, at position: UInt64) -> Bool {
            shownData.needsCheck(of: user, for: name, at: position) || groups.needsCheck(for: name)
                || friends.needsCheck(for: name) || reactions.needsCheck(for: name)
                || unread.needsCheck(of: user, for: name)
        }
    }

    /// The number of observed events, and the times of the last disturbances.
    struct Watched {
        var events = 0
        /// True after the first client command or change of an account.
        var hasStarted = false
        /// The time of the last disturbance of a client's network or process, by node.
        var stableSince: [Instant] = []
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
        quiescenceTime = RecoveryTimes.quiescenceTime(clientPolicy)
        recoveryLimit = RecoveryTimes.recoveryLimit(dialect)
    }

    /// For a copy of the world, which continues independently: copies all that the other has observed.
    package init(copying other: CheckerSet) {
        violations = other.violations
        dialect = other.dialect
        clientPolicy = other.clientPolicy
        clients = other.clients.map { $0.map(ClientCheckers.init(copying:)) }
        server = ServerTrace(copying: other.server)
        common = other.common
        watched = other.watched
        quiescenceTime = other.quiescenceTime
        recoveryLimit = other.recoveryLimit
        canaryAt = other.canaryAt
    }

    // MARK: Events

    /// Checks an event of the world. Call it directly after the event.
    public func observe(_ event: SessionEvent, in core: WorldCore) {
        watched.events += 1
        guard self.violations.count < Self.violationsMax else { return }
        var violations = watched.events == 1 ? VendorPolicies.violations(of: dialect) : []
        if let canaryAt, watched.events == canaryAt { violations.append(Violation(.canary, "C-0", "fails on purpose")) }
        if event.node == WorldCore.serverName {
            observeServer(event, core, into: &violations)
        } else if let id = core.node(named: event.node) {
            observeClient(event, id, core, into: &violations)
        }
        if !violations.isEmpty { note(violations, of: event.node) }
    }

    private func observeServer(_ event: SessionEvent, _ core: WorldCore, into violations: inout [Violation]) {
        server.note(event)
        if event.isHeartbeat { return observeHeartbeat(event, core, into: &violations) }
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
        common.kicks.observeServer(event, server, into: &violations)
        common.kickCauses.observeServer(event, server, into: &violations)
        common.presenceChanges.observeServer(event, server, into: &violations)
        common.refusals.observeServer(event, server, into: &violations)
        common.restarts.observeServer(event, into: &violations)
        common.places.observeServer(event, server, core.serverPolicyNow, into: &violations)
        common.messages.observeServer(event, into: &violations)
        common.ended.observeServer(event, server, into: &violations)
        common.endings.observeServer(event, server, into: &violations)
        common.bans.observeServer(event, server, into: &violations)
        let epoch = core.epochMilliseconds
        common.proofs.observeServer(event, server, epochMilliseconds: epoch, into: &violations)
        common.syncs.observeServer(event, server, into: &violations)
        common.logins.observeServer(event, server, into: &violations)
        common.lateLogins.observeServer(event, server, into: &violations)
        common.network.observeServer(event, into: &violations)
        common.holds.observeServer(event, server, into: &violations)
        common.silences.observeServer(event, into: &violations)
        common.pushes.observeServer(event, server)
        if clientPolicy.features.contains(.operations) {
            common.operations.observeServer(event, server)
            common.idleOperations.observeServer(event, server, into: &violations)
        }
        let members = { core.serverMachine?.channelMembers ?? [] }
        common.limits.observeServer(event, server, core.serverPolicyNow, members, into: &violations)
        common.queryAnswers.observeServer(event, server, members, into: &violations)
        if clientPolicy.features.contains(.channels) {
            common.settled.observeServer(event, server, members, into: &violations)
            common.channels.observeServer(event, server, members, into: &violations)
        }
        if clientPolicy.features.contains(.localCalls) {
            common.data.observeServer(event)
            common.devicePairs.observeServer(event)
            common.talks.observeServer(event)
            common.shownData.observeServer(event, server, into: &violations)
            common.groups.observeServer(event, server, into: &violations)
            common.friends.observeServer(event, server)
            common.reactions.observeServer(event, server)
            common.unread.observeServer(event)
        }
        observeTreeServer(event, core, into: &violations)
        if case .input(.serverCommand(_, let command)) = event.content, !watched.hasStarted {
            if case .setPolicy = command {
                if let policy = core.serverPolicyNow { common.begin(with: policy) }
            } else {
                watched.hasStarted = true
            }
        }
    }

    /// Heartbeats are half of all events. Most checkers need only the fact that there was another input.
    private func observeHeartbeat(_ event: SessionEvent, _ core: WorldCore, into violations: inout [Violation]) {
        common.network.observeServer(event, into: &violations)
        guard case .input = event.content else { return }
        common.presenceChanges.observeServer(event, server, into: &violations)
        common.messages.observeServer(event, into: &violations)
        common.endings.observeServer(event, server, into: &violations)
        common.holds.observeServer(event, server, into: &violations)
        common.silences.observeServer(event, into: &violations)
        observeTreeServer(event, core, into: &violations)
    }

    private func observeTreeServer(_ event: SessionEvent, _ core: WorldCore, into violations: inout [Violation]) {
        guard clientPolicy.features.contains(.tree) else { return }
        let root = { core.serverMachine?.treeRoot }
        let epoch = core.epochMilliseconds
        common.expressions.observeServer(event, into: &violations)
        common.queryRanges.observeServer(event, into: &violations)
        common.disconnects.observeServer(event, root: root, epochMilliseconds: epoch, into: &violations)
    }

    private func observeClient(
        _ event: SessionEvent, _ id: NodeID, _ core: WorldCore, into violations: inout [Violation]
    ) {
        let nodeIndex = id.rawValue
        while clients.count <= nodeIndex { clients.append(nil) }
        while watched.stableSince.count <= nodeIndex { watched.stableSince.append(.zero) }
        switch event.content {
        case .start:
            watched.stableSince[nodeIndex] = event.time
            watched.devices[nodeIndex] = core.deviceID(of: id)
            if !watched.impaired.contains(nodeIndex) { watched.unreliable.remove(nodeIndex) }
        case .environment(.net(.rule)), .environment(.net(.loss)), .environment(.net(.halfOpen)):
            watched.stableSince[nodeIndex] = event.time
            watched.unreliable.insert(nodeIndex)
            watched.impaired.insert(nodeIndex)
        case .environment(.net(.clear)):
            watched.stableSince[nodeIndex] = event.time
            watched.impaired.remove(nodeIndex)
        case .stop, .environment, .input(.app(.woke)): watched.stableSince[nodeIndex] = event.time
        // A client that gave way to another process starts again (SYNC-1).
        case .input(.clientCommand) where clients[nodeIndex]?.each.links.isReplaced == true:
            watched.stableSince[nodeIndex] = event.time
        // A login that another login of its device overtook is retried.
        case .input(.frame(_, let frame)) where clients[nodeIndex]?.trace.state == .connecting:
            if case .goodbye(.replaced, _) = frame.body { watched.stableSince[nodeIndex] = event.time }
        default: break
        }
        if clients[nodeIndex] == nil { clients[nodeIndex] = ClientCheckers(clientPolicy) }
        guard let checkers = clients[nodeIndex] else { return }
        let epoch = core.epochMilliseconds
        let trace = checkers.trace
        trace.note(event)
        if case .input(.clientCommand) = event.content { watched.hasStarted = true }
        if case .effect = event.content, event.isHeartbeat {
            checkers.each.links.observe(event, trace, into: &violations)
            checkers.each.heartbeats.observe(event, trace, into: &violations)
            return common.network.observeClient(event, nodeIndex, trace, into: &violations)
        }
        checkers.each.commands.observe(event, trace, into: &violations)
        checkers.each.calls.observe(event, trace, into: &violations)
        checkers.each.reasons.observe(event, trace, into: &violations)
        checkers.each.links.observe(event, trace, into: &violations)
        checkers.each.retries.observe(event, trace, into: &violations)
        checkers.each.attempts.observe(event, trace, into: &violations)
        checkers.each.heartbeats.observe(event, trace, into: &violations)
        checkers.each.localData.observe(event, trace, isOpen: { core.isDataOpen(of: id) }, into: &violations)
        checkers.each.kicked.observe(event, trace, into: &violations)
        checkers.each.presence.observe(event, into: &violations)
        checkers.each.loginCalls.observe(event, trace, epochMilliseconds: epoch, into: &violations)
        if clientPolicy.features.contains(.autologin) { checkers.each.autologins.observe(event, into: &violations) }
        checkers.each.logouts.observe(event, trace, into: &violations)
        checkers.each.credentials.observe(event, trace, into: &violations)
        checkers.each.restores.observe(event, trace, into: &violations)
        checkers.each.conversations.observe(event, trace, into: &violations)
        checkers.each.resyncs.observe(event, into: &violations)
        checkers.each.sendOrder.observe(event, into: &violations)
        checkers.each.stateNotices.observe(event, dialect, into: &violations)
        checkers.each.vendorNumbers.observe(event, dialect, into: &violations)
        checkers.each.callRates.observe(event, trace, into: &violations)
        if clientPolicy.announcesLoginSteps { checkers.each.steps.observe(event, trace, into: &violations) }
        if clientPolicy.features.contains(.localCalls) {
            checkers.each.changes.observe(event, trace, into: &violations)
            checkers.each.localChanges.observe(event, trace, into: &violations)
            checkers.each.drafts.observe(event, trace, into: &violations)
            common.shownData.observeClient(event)
            common.devicePairs.observeClient(event, trace)
            common.talks.observeClient(event, user: trace.user, into: &violations)
            common.imports.observeClient(event)
            common.unread.observeClient(event)
        }
        if clientPolicy.features.contains(.offlineLogin) {
            checkers.each.offlineCalls.observe(event, trace, into: &violations)
            checkers.each.offlineTokens.observe(event, trace, into: &violations)
        }
        if clientPolicy.features.contains(.resend) {
            checkers.each.failedMessages.observe(event, trace, into: &violations)
        }
        checkers.each.syncAnnouncements.observe(event, trace, into: &violations)
        if clientPolicy.sync != .never {
            common.syncs.observeClient(event, trace)
            checkers.each.syncItems.observe(event, trace, into: &violations)
        }
        common.notificationOrder.observeClient(event, trace.user, into: &violations)
        if clientPolicy.features.contains(.operations) {
            common.operations.observeClient(
                event, trace.user, device: watched.devices[nodeIndex] ?? "", into: &violations)
        }
        if clientPolicy.features.contains(.channels) {
            checkers.each.members.observe(event, into: &violations)
            common.channels.observeClient(event, trace)
        }
        if clientPolicy.features.contains(.tokenRenewal) {
            checkers.each.tokens.observe(event, trace, epochMilliseconds: epoch, into: &violations)
        }
        common.network.observeClient(event, nodeIndex, trace, into: &violations)
        if clientPolicy.features.contains(.tree) {
            common.tree.observeClient(event, trace)
            let isReliable = !watched.unreliable.contains(nodeIndex)
            checkers.each.tree?.observe(
                event, trace, isReliable: isReliable, isKept: common.tree.isKept(event.node), epochMilliseconds: epoch,
                into: &violations)
        }
        common.kicks.observeClient(event)
        common.messages.observeClient(event, user: trace.user, into: &violations)
        if case .input(.frame(_, let frame)) = event.content, case .loginAck(let reply) = frame.body,
            reply.status == .ok, !trace.isInputStale
        {
            checkers.each.retries.loginAccepted()
        }
        trace.settle(event)
    }

    func note(_ violations: [Violation], of node: String) {
        for var violation in violations where self.violations.count < Self.violationsMax {
            if violation.node.isEmpty { violation.node = node }
            violation.event = watched.events
            self.violations.append(violation)
        }
    }

    /// True if the client keeps tree data across processes.
    package func storesTree(by node: String) -> Bool { common.tree.isKept(node) }

    /// Checks a client's tree data directly after a tree command, before the server has received it.
    package func checkAfterTreeCommand(of node: String, in core: WorldCore) {
        // A new listener gets the stored data, which can be more than the server has sent to older listeners.
        guard !storesTree(by: node), let id = core.node(named: node), !core.isAsleep(id),
            !watched.unreliable.contains(id.rawValue), let machine = core.clientMachine(of: id)
        else { return }
        note([TreeWindowChecker.violation(of: machine)].compactMap(\.self), of: node)
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
