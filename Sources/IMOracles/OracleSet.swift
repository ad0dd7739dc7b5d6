import IMClient
import IMDialects
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
    private let dialect: any Dialect
    private let clientPolicy: ClientPolicy
    @exclusivity(unchecked) private var clients: [ClientOracles?] = []
    private let server: ServerTrace
    /// The oracles that see more than one client.
    @exclusivity(unchecked) private var common: Common
    @exclusivity(unchecked) private var watched = Watched()
    private let quiet: Interval
    private let bound: Interval
    /// Which oracle fails on purpose, behind so many events; nil for none.
    let canaryAt: Int?
    /// Events that oracles do not look at any more: no more is found than this.
    static let violationsMax = 20

    /// Values, so that a copy of the world has all of its own.
    private struct Common {
        var kicks: KickOracle
        var kickCauses = KickCauseOracle()
        var presenceChanges = PresenceChangeOracle()
        var refusals: RefusalOracle
        var restarts = RestartOracle()
        var places = PlacesOracle()
        var messages: MessageOracle
        var ended: EndedLoginOracle
        var logins: LoginRuleOracle
        var network = NetworkOracle()
        var tree = TreeLedger()
        var disconnects = DisconnectOracle()
        var pushes = PushOracle()
        var endings: EndingOracle
        var shutOut = ShutOutOracle()
        var proofs: ProofOracle
        var syncs = SyncOracle()
        var operations = OperationOracle()
        var channels: ChannelOracle
        var holds: PresenceHoldOracle

        init(client: ClientPolicy, server: ServerPolicy) {
            kicks = KickOracle(server)
            refusals = RefusalOracle(server)
            ended = EndedLoginOracle(server)
            endings = EndingOracle(server)
            logins = LoginRuleOracle(server)
            proofs = ProofOracle(server)
            channels = ChannelOracle(server)
            holds = PresenceHoldOracle(server)
            messages = MessageOracle(client: client, server: server)
        }
    }

    /// How far the world has been seen, and since when it has been left alone.
    private struct Watched {
        var events = 0
        /// Since when nothing has been done to a client's network or process, by node.
        var calmSince: [Instant] = []
        var serverSince = Instant.zero
        /// The clients whose process has had a network on which one frame may be lost, or overtake another.
        var unreliable: Set<Int> = []
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
        var faults: [Violation] = []
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
        let epoch = core.configuration.epochNanoseconds / 1_000_000
        common.proofs.seeServer(event, server, epochMilliseconds: epoch, into: &faults)
        common.syncs.seeServer(event, server)
        common.logins.seeServer(event, server, into: &faults)
        common.network.seeServer(event, into: &faults)
        common.holds.seeServer(event, server, into: &faults)
        common.pushes.seeServer(event, server)
        if clientPolicy.features.contains(.operations) { common.operations.seeServer(event, server) }
        if clientPolicy.features.contains(.channels) { common.channels.seeServer(event, server) }
        seeEnds(event, core, into: &faults)
    }

    /// Half of all events, of which most oracles only learn that there was another input.
    private func seeHeartbeat(_ event: SessionEvent, _ core: WorldCore, into faults: inout [Violation]) {
        common.network.seeServer(event, into: &faults)
        guard case .input = event.content else { return }
        common.presenceChanges.seeServer(event, server, into: &faults)
        common.messages.seeServer(event, into: &faults)
        common.endings.seeServer(event, server, into: &faults)
        common.holds.seeServer(event, server, into: &faults)
        seeEnds(event, core, into: &faults)
    }

    private func seeEnds(_ event: SessionEvent, _ core: WorldCore, into faults: inout [Violation]) {
        guard clientPolicy.features.contains(.tree) else { return }
        let root = { core.serverID.flatMap { core.serverMachine(of: $0)?.treeRoot } }
        common.disconnects.seeServer(event, root: root, into: &faults)
    }

    private func seeClient(_ event: SessionEvent, _ id: NodeID, _ core: WorldCore, into faults: inout [Violation]) {
        let place = id.rawValue
        while clients.count <= place { clients.append(nil) }
        while watched.calmSince.count <= place { watched.calmSince.append(.zero) }
        switch event.content {
        case .start:
            watched.calmSince[place] = event.time
            watched.unreliable.remove(place)
        case .environment(.net(.rule)), .environment(.net(.loss)), .environment(.net(.halfOpen)):
            watched.calmSince[place] = event.time
            watched.unreliable.insert(place)
        case .stop, .environment, .input(.app(.woke)): watched.calmSince[place] = event.time
        default: break
        }
        if clients[place] == nil { clients[place] = ClientOracles(clientPolicy) }
        guard let oracles = clients[place] else { return }
        let epoch = core.configuration.epochNanoseconds / 1_000_000
        let trace = oracles.trace
        trace.note(event)
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
        oracles.each.heartbeats.see(event, trace, into: &faults)
        oracles.each.localData.see(event, trace, isOpen: { core.isDataOpen(of: id) }, into: &faults)
        oracles.each.kicked.see(event, trace, into: &faults)
        oracles.each.presence.see(event, into: &faults)
        oracles.each.loginCalls.see(event, trace, epochMilliseconds: epoch, into: &faults)
        oracles.each.logouts.see(event, trace, into: &faults)
        oracles.each.credentials.see(event, trace, into: &faults)
        oracles.each.members.see(event)
        oracles.each.restores.see(event, trace, into: &faults)
        oracles.each.conversations.see(event, trace, into: &faults)
        if clientPolicy.announcesLoginSteps { oracles.each.steps.see(event, trace, into: &faults) }
        if clientPolicy.features.contains(.localCalls) { oracles.each.changes.see(event, trace, into: &faults) }
        if clientPolicy.features.contains(.offlineLogin) { oracles.each.offlineCalls.see(event, trace, into: &faults) }
        if clientPolicy.features.contains(.resend) { oracles.each.failedMessages.see(event, trace, into: &faults) }
        oracles.each.syncAnnouncements.see(event, trace, into: &faults)
        if clientPolicy.sync != .never {
            common.syncs.seeClient(event, trace)
            oracles.each.things.see(event, trace, into: &faults)
        }
        if clientPolicy.features.contains(.operations) { common.operations.seeClient(event, into: &faults) }
        if clientPolicy.features.contains(.channels) { common.channels.seeClient(event, trace) }
        if clientPolicy.features.contains(.tokenRenewal) {
            oracles.each.tokens.see(event, trace, epochMilliseconds: epoch, into: &faults)
        }
        common.network.seeClient(event, place, trace, into: &faults)
        if clientPolicy.features.contains(.tree) {
            common.tree.seeClient(event, trace)
            oracles.each.transactions.see(event, into: &faults)
            oracles.each.listens.see(event)
            oracles.each.connected.see(event)
            oracles.each.treeTold.see(event)
            let isReliable = !watched.unreliable.contains(place)
            oracles.each.ownPlaces.see(event, isReliable: isReliable, into: &faults)
            oracles.each.clockOffset.see(event, trace, epochMilliseconds: epoch)
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

    private func note(_ faults: [Violation], of node: String) {
        for var fault in faults where violations.count < Self.violationsMax {
            if fault.node.isEmpty { fault.node = node }
            fault.event = watched.events
            violations.append(fault)
        }
    }

    /// Looks at what the server holds before its process ends.
    package func lookBeforeEnd(ofServerIn core: WorldCore) {
        guard let server = core.serverID.flatMap({ core.serverMachine(of: $0) }) else { return }
        common.restarts.willEnd(server)
    }

    /// Whether what a client is told of the tree outlives its process.
    package func isTreeKept(by node: String) -> Bool { common.tree.isKept(node) }

    /// Looks at what a client shows right behind something that was done to the tree, before the server has heard of it.
    package func lookBehindTreeCommand(of node: String, in core: WorldCore) {
        guard let id = core.node(named: node), !core.isAsleep(id), !watched.unreliable.contains(id.rawValue),
            let machine = core.clientMachine(of: id), let fault = TreeWindowOracle.fault(of: machine)
        else { return }
        note([fault], of: node)
    }

    // MARK: Quiet moments

    /// Compares both sides' views of every client between whom and the server nothing is under way and nothing was wrong
    /// for long enough; what has been whole for as long as the policy may need is online or in a declared end; and where
    /// everybody has logged out, nothing is left. To be called between two events.
    public func look(at world: SimulatedWorld) {
        guard violations.isEmpty else { return }
        let core = world.core
        guard core.isServerRunning else { return }
        // Copied only for a client that is compared with it.
        lazy var server = core.serverID.flatMap { core.serverMachine(of: $0) }
        let serverCalm = core.now - watched.serverSince
        let calms = core.clients.map { (id: $0, calm: min(calm(of: $0, world), serverCalm)) }
        // Nobody is connected any more whose connection is dead, and nobody is about to do what others would see.
        let isAllSettled =
            calms.allSatisfy { $0.calm >= bound && !isHidden($0.id) }
            // Also those who are closed.
            && core.now - (watched.calmSince.max() ?? .zero) >= bound
        var isAllOut = true
        var online: [(name: String, user: String, device: String)] = []
        var channels: [(user: String, channels: [String])] = []
        for (id, calm) in calms {
            let name = core.name(of: id)
            let trace = clients[id.rawValue]?.trace
            if let trace, let fault = ProgressOracle.stuck(id, trace, in: core) { note([fault], of: name) }
            // Also of one whose process is gone: the server may not know.
            if calm >= quiet, let fault = common.network.fault(of: id.rawValue) { note([fault], of: name) }
            guard let trace, trace.isRunning else { continue }
            if !core.isAsleep(id),
                let fault = common.network.overdue(of: id.rawValue, at: core.now, awakeSince: trace.awakeSince)
            {
                note([fault], of: name)
            }
            if trace.state != .loggedOut { isAllOut = false }
            if !core.isAsleep(id), let fault = clients[id.rawValue]?.each.connected.fault(trace.acceptedLink != nil) {
                note([fault], of: name)
            }
            guard calm >= quiet, trace.state == .online || calm >= bound, !isHidden(id),
                let machine = core.clientMachine(of: id), let server
            else { continue }
            var agreement = AgreementOracle(server: server, client: machine)
            agreement.compare(
                told: clients[id.rawValue]?.each.presence ?? PresenceOracle(), calm: calm, bound: bound)
            note(agreement.faults, of: name)
            if machine.state == .online, !watched.unreliable.contains(id.rawValue), let oracles = clients[id.rawValue] {
                let members = server.channelMembers
                note(oracles.each.members.faults(members, joined: machine.joinedChannels), of: name)
                if machine.treeChangesWaiting == 0, let fault = oracles.each.listens.fault(machine.treeListens) {
                    note([fault], of: name)
                }
            }
            if machine.state == .online, machine.treeChangesWaiting == 0,
                let fault = clients[id.rawValue]?.each.treeTold.fault(machine.treeViews)
            {
                note([fault], of: name)
            }
            if machine.state == .online, let fault = clients[id.rawValue]?.each.clockOffset.fault {
                note([fault], of: name)
            }
            if calm >= bound {
                note(late(id, core), of: name)
                if machine.state == .online, clientPolicy.features.contains(.tree) {
                    // The counter is everybody's: others may still be about to add to it.
                    let faults = common.tree.faults(
                        of: name, root: server.treeRoot, link: trace.acceptedLink, isAlone: isAllSettled)
                    note(faults, of: name)
                }
            }
            guard machine.state == .online, let user = machine.user else { continue }
            if clientPolicy.sync != .never, let fault = common.syncs.fault(of: name, user: user) {
                note([fault], of: name)
            }
            if let fault = common.operations.fault(of: name, user: user, device: machine.device.id) {
                note([fault], of: name)
            }
            if !watched.unreliable.contains(id.rawValue), let fault = common.channels.fault(of: name, user: user) {
                note([fault], of: name)
            }
            online.append((name, user, machine.device.id))
            channels.append((user, machine.joinedChannels))
        }
        var faults: [Violation] = []
        common.messages.finish(online, into: &faults)
        if isAllSettled {
            let length = min((calms.map(\.calm).min() ?? .zero) - bound, core.now - self.server.lastEnd)
            if let server {
                faults += ServerAgreement.faults(server, settledFor: length, online: channels)
                faults += common.pushes.faults(server)
            }
            if isAllOut, length >= dialect.serverPolicy.presenceHold {
                faults += LeftoverOracle.faults(world, core.clients)
            }
        }
        note(faults, of: WorldCore.serverName)
    }

    /// A broken link can be the SDK's secret for a while (RTM-3): the state that the app sees says nothing then.
    private func isHidden(_ id: NodeID) -> Bool {
        guard let trace = clients[id.rawValue]?.trace else { return false }
        return trace.isRunning && trace.state == .online && trace.acceptedLink == nil
    }

    private func late(_ id: NodeID, _ core: WorldCore) -> [Violation] {
        guard let oracles = clients[id.rawValue] else { return [] }
        var faults = ProgressOracle.late(id, oracles.trace, in: core).map { [$0] } ?? []
        oracles.each.commands.finish(oracles.trace, since: core.now - bound, into: &faults)
        return faults
    }

    /// How long nothing has been wrong with a client's network and process; zero while something is, or is under way.
    private func calm(of id: NodeID, _ world: SimulatedWorld) -> Interval {
        let core = world.core
        guard id.rawValue < watched.calmSince.count, !core.isAsleep(id), world.isNetworkWhole(of: id),
            !world.isAnythingUnderway(of: id)
        else { return .zero }
        return core.now - max(watched.calmSince[id.rawValue], world.lastDisturbance(of: id) ?? .zero)
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
