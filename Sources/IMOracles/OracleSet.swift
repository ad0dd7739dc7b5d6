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
    @exclusivity(unchecked) private var kicks: KickOracle
    @exclusivity(unchecked) private var places = PlacesOracle()
    @exclusivity(unchecked) private var messages: MessageOracle
    @exclusivity(unchecked) private var ended: EndedLoginOracle
    @exclusivity(unchecked) private var logins: LoginRuleOracle
    @exclusivity(unchecked) private var network = NetworkOracle()
    @exclusivity(unchecked) private var tree = TreeLedger()
    @exclusivity(unchecked) private var disconnects = DisconnectOracle()
    @exclusivity(unchecked) private var pushes = PushOracle()
    @exclusivity(unchecked) private var endings: EndingOracle
    @exclusivity(unchecked) private var shutOut = ShutOutOracle()
    @exclusivity(unchecked) private var proofs: ProofOracle
    @exclusivity(unchecked) private var syncs = SyncOracle()
    @exclusivity(unchecked) private var operations = OperationOracle()
    @exclusivity(unchecked) private var channels: ChannelOracle
    @exclusivity(unchecked) private var eventsSeen = 0
    /// Since when nothing has been done to a client's network or process, by node.
    @exclusivity(unchecked) private var calmSince: [Instant] = []
    @exclusivity(unchecked) private var serverSince = Instant.zero
    /// The clients whose process has had a network on which one frame may be lost, or overtake another.
    @exclusivity(unchecked) private var unreliable: Set<Int> = []
    private let quiet: Interval
    private let bound: Interval
    /// Which oracle fails on purpose, behind so many events; nil for none.
    let canaryAt: Int?
    /// Events that oracles do not look at any more: no more is found than this.
    static let violationsMax = 20

    /// The oracles of one client.
    private final class ClientOracles {
        let trace: ClientTrace
        @exclusivity(unchecked) var commands: CommandOracle
        @exclusivity(unchecked) var links: LinkOracle
        @exclusivity(unchecked) var retries: RetryOracle
        @exclusivity(unchecked) var heartbeats: HeartbeatOracle
        @exclusivity(unchecked) var localData: LocalDataOracle
        @exclusivity(unchecked) var kicked = KickedOracle()
        @exclusivity(unchecked) var presence = PresenceOracle()
        @exclusivity(unchecked) var tokens: TokenOracle
        @exclusivity(unchecked) var loginCalls: LoginCallOracle
        @exclusivity(unchecked) var logouts: LogoutOracle
        @exclusivity(unchecked) var credentials = CredentialOracle()
        @exclusivity(unchecked) var transactions = TransactionOracle()
        @exclusivity(unchecked) var members = MemberOracle()
        @exclusivity(unchecked) var listens = ListenOracle()
        @exclusivity(unchecked) var restores = RestoreOracle()
        @exclusivity(unchecked) var connected = ConnectedOracle()
        @exclusivity(unchecked) var steps: LoginStepOracle
        @exclusivity(unchecked) var conversations: ConversationOracle

        init(_ policy: ClientPolicy) {
            trace = ClientTrace()
            commands = CommandOracle(policy)
            links = LinkOracle(policy)
            retries = RetryOracle(policy)
            heartbeats = HeartbeatOracle(policy)
            localData = LocalDataOracle(policy)
            tokens = TokenOracle(policy)
            logouts = LogoutOracle(policy)
            steps = LoginStepOracle(policy)
            conversations = ConversationOracle(policy)
            loginCalls = LoginCallOracle(policy)
        }

        init(copying other: ClientOracles) {
            trace = ClientTrace(copying: other.trace)
            commands = other.commands
            links = other.links
            retries = other.retries
            heartbeats = other.heartbeats
            localData = other.localData
            kicked = other.kicked
            presence = other.presence
            tokens = other.tokens
            loginCalls = other.loginCalls
            logouts = other.logouts
            credentials = other.credentials
            transactions = other.transactions
            members = other.members
            listens = other.listens
            restores = other.restores
            connected = other.connected
            steps = other.steps
            conversations = other.conversations
        }
    }

    /// - Parameters:
    ///   - dialect: the system; its policies are what the oracles count by.
    ///   - canaryAt: behind so many events one fails on purpose.
    public init(_ dialect: any Dialect, canaryAt: Int? = nil) {
        self.dialect = dialect
        self.canaryAt = canaryAt
        clientPolicy = dialect.clientPolicy
        server = ServerTrace()
        let serverPolicy = dialect.serverPolicy
        kicks = KickOracle(serverPolicy)
        ended = EndedLoginOracle(serverPolicy)
        endings = EndingOracle(serverPolicy)
        logins = LoginRuleOracle(serverPolicy)
        proofs = ProofOracle(serverPolicy)
        channels = ChannelOracle(serverPolicy)
        messages = MessageOracle(client: clientPolicy, server: serverPolicy)
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
        kicks = other.kicks
        places = other.places
        messages = other.messages
        ended = other.ended
        logins = other.logins
        network = other.network
        tree = other.tree
        disconnects = other.disconnects
        pushes = other.pushes
        endings = other.endings
        shutOut = other.shutOut
        proofs = other.proofs
        syncs = other.syncs
        operations = other.operations
        channels = other.channels
        eventsSeen = other.eventsSeen
        calmSince = other.calmSince
        serverSince = other.serverSince
        unreliable = other.unreliable
        quiet = other.quiet
        bound = other.bound
        canaryAt = other.canaryAt
    }

    // MARK: Events

    /// Looks at an event of the world, right behind it.
    public func see(_ event: SessionEvent, in core: WorldCore) {
        eventsSeen += 1
        guard violations.count < Self.violationsMax else { return }
        var faults: [Violation] = []
        if let canaryAt, eventsSeen == canaryAt { faults.append(Violation(.canary, "C-0", "fails on purpose")) }
        if event.node == WorldCore.serverName {
            seeServer(event, core, into: &faults)
        } else if let id = core.node(named: event.node) {
            seeClient(event, id, core, into: &faults)
        }
        if !faults.isEmpty { note(faults, of: event.node) }
    }

    private func seeServer(_ event: SessionEvent, _ core: WorldCore, into faults: inout [Violation]) {
        server.note(event)
        switch event.content {
        case .start, .stop: serverSince = event.time
        case .input(.serverCommand(_, .setPolicy(let key, let value))):
            serverSince = event.time
            // CHAT-3.
            if key == "taken-place" { kicks.mayReturningKick = value == ServerPolicy.TakenPlace.kicksCurrent.rawValue }
        default: break
        }
        kicks.seeServer(event, server, into: &faults)
        places.seeServer(event, server, core.serverPolicyNow, into: &faults)
        messages.seeServer(event, into: &faults)
        ended.seeServer(event, server, into: &faults)
        endings.seeServer(event, server, into: &faults)
        shutOut.seeServer(event, server, into: &faults)
        let epoch = core.configuration.epochNanoseconds / 1_000_000
        proofs.seeServer(event, server, epochMilliseconds: epoch, into: &faults)
        syncs.seeServer(event, server)
        logins.seeServer(event, server, into: &faults)
        network.seeServer(event)
        pushes.seeServer(event, server)
        if clientPolicy.features.contains(.operations) { operations.seeServer(event, server) }
        if clientPolicy.features.contains(.channels) { channels.seeServer(event, server) }
        if clientPolicy.features.contains(.tree) {
            let root = { core.serverID.flatMap { core.serverMachine(of: $0)?.treeRoot } }
            disconnects.seeServer(event, root: root, into: &faults)
        }
    }

    private func seeClient(_ event: SessionEvent, _ id: NodeID, _ core: WorldCore, into faults: inout [Violation]) {
        let place = id.rawValue
        while clients.count <= place { clients.append(nil) }
        while calmSince.count <= place { calmSince.append(.zero) }
        switch event.content {
        case .start, .stop, .environment: calmSince[place] = event.time
        case .input(.app(.woke)): calmSince[place] = event.time
        default: break
        }
        switch event.content {
        case .start: unreliable.remove(place)
        case .environment(.net(.rule)), .environment(.net(.loss)), .environment(.net(.halfOpen)):
            unreliable.insert(place)
        default: break
        }
        let oracles = clients[place] ?? ClientOracles(clientPolicy)
        clients[place] = oracles
        oracles.trace.note(event)
        oracles.commands.see(event, oracles.trace, into: &faults)
        oracles.links.see(event, oracles.trace, into: &faults)
        oracles.retries.see(event, oracles.trace, into: &faults)
        oracles.heartbeats.see(event, oracles.trace, into: &faults)
        oracles.localData.see(event, oracles.trace, isOpen: { core.isDataOpen(of: id) }, into: &faults)
        oracles.kicked.see(event, oracles.trace, into: &faults)
        oracles.presence.see(event, into: &faults)
        oracles.loginCalls.see(event, oracles.trace, into: &faults)
        oracles.logouts.see(event, oracles.trace, into: &faults)
        oracles.credentials.see(event, oracles.trace, into: &faults)
        oracles.members.see(event)
        oracles.restores.see(event, oracles.trace, into: &faults)
        oracles.conversations.see(event, oracles.trace, into: &faults)
        if clientPolicy.announcesLoginSteps { oracles.steps.see(event, oracles.trace, into: &faults) }
        if clientPolicy.sync != .never { syncs.seeClient(event, oracles.trace) }
        if clientPolicy.features.contains(.operations) { operations.seeClient(event, into: &faults) }
        if clientPolicy.features.contains(.channels) { channels.seeClient(event, oracles.trace) }
        if clientPolicy.features.contains(.tokenRenewal) {
            let epoch = core.configuration.epochNanoseconds / 1_000_000
            oracles.tokens.see(event, oracles.trace, epochMilliseconds: epoch, into: &faults)
        }
        network.seeClient(event, oracles.trace, into: &faults)
        if clientPolicy.features.contains(.tree) {
            tree.seeClient(event, oracles.trace)
            oracles.transactions.see(event, into: &faults)
            oracles.listens.see(event)
            oracles.connected.see(event)
        }
        kicks.seeClient(event)
        messages.seeClient(event, user: oracles.trace.user, into: &faults)
        if case .input(.frame(_, let frame)) = event.content, case .loginAck(let reply) = frame.body,
            reply.status == .ok, !oracles.trace.isInputStale
        {
            oracles.retries.loginAccepted()
        }
        oracles.trace.settle(event)
    }

    private func note(_ faults: [Violation], of node: String) {
        for var fault in faults where violations.count < Self.violationsMax {
            if fault.node.isEmpty { fault.node = node }
            fault.event = eventsSeen
            violations.append(fault)
        }
    }

    /// Whether what a client is told of the tree outlives its process.
    package func isTreeKept(by node: String) -> Bool { tree.isKept(node) }

    /// Looks at what a client shows right behind something that was done to the tree, before the server has heard of it.
    package func lookBehindTreeCommand(of node: String, in core: WorldCore) {
        guard let id = core.node(named: node), !core.isAsleep(id), !unreliable.contains(id.rawValue),
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
        let serverCalm = core.now - serverSince
        let calms = core.clients.map { (id: $0, calm: min(calm(of: $0, world), serverCalm)) }
        // Nobody is connected any more whose connection is dead, and nobody is about to do what others would see.
        let isAllSettled =
            calms.allSatisfy { $0.calm >= bound && !isHidden($0.id) }
            // Also those who are closed.
            && core.now - (calmSince.max() ?? .zero) >= bound
        var isAllOut = true
        var online: [(name: String, user: String, device: String)] = []
        var channels: [(user: String, channels: [String])] = []
        for (id, calm) in calms {
            let name = core.name(of: id)
            if let fault = ProgressOracle.stuck(id, in: core) { note([fault], of: name) }
            // Also of one whose process is gone: the server may not know.
            if calm >= quiet, let fault = network.fault(of: name) { note([fault], of: name) }
            guard let trace = clients[id.rawValue]?.trace, trace.isRunning else { continue }
            if trace.state != .loggedOut { isAllOut = false }
            if !core.isAsleep(id), let fault = clients[id.rawValue]?.connected.fault(trace.acceptedLink != nil) {
                note([fault], of: name)
            }
            guard calm >= quiet, !isHidden(id), let machine = core.clientMachine(of: id), let server else { continue }
            var agreement = AgreementOracle(server: server, client: machine)
            agreement.compare(
                told: clients[id.rawValue]?.presence ?? PresenceOracle(), calm: calm, bound: bound)
            note(agreement.faults, of: name)
            if machine.state == .online, !unreliable.contains(id.rawValue), let oracles = clients[id.rawValue] {
                let members = server.channelMembers
                note(oracles.members.faults(members, joined: machine.joinedChannels), of: name)
                if machine.treeChangesWaiting == 0, let fault = oracles.listens.fault(machine.treeListens) {
                    note([fault], of: name)
                }
            }
            if calm >= bound {
                note(late(id, core), of: name)
                if machine.state == .online, clientPolicy.features.contains(.tree) {
                    // The counter is everybody's: others may still be about to add to it.
                    let faults = tree.faults(
                        of: name, root: server.treeRoot, link: trace.acceptedLink, isAlone: isAllSettled)
                    note(faults, of: name)
                }
            }
            guard machine.state == .online, let user = machine.user else { continue }
            if clientPolicy.sync != .never, let fault = syncs.fault(of: name, user: user) { note([fault], of: name) }
            if let fault = operations.fault(of: name, user: user, device: machine.device.id) { note([fault], of: name) }
            if !unreliable.contains(id.rawValue), let fault = self.channels.fault(of: name, user: user) {
                note([fault], of: name)
            }
            online.append((name, user, machine.device.id))
            channels.append((user, machine.joinedChannels))
        }
        var faults: [Violation] = []
        messages.finish(online, into: &faults)
        if isAllSettled {
            let length = min((calms.map(\.calm).min() ?? .zero) - bound, core.now - self.server.lastEnd)
            if let server {
                faults += ServerAgreement.faults(server, settledFor: length, online: channels)
                faults += pushes.faults(server)
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
        let isSwitchedOff = clients[id.rawValue]?.trace.isSwitchedOff ?? false
        var faults = isSwitchedOff ? [] : ProgressOracle.late(id, in: core).map { [$0] } ?? []
        if let oracles = clients[id.rawValue] {
            oracles.commands.finish(oracles.trace, since: core.now - bound, into: &faults)
        }
        return faults
    }

    /// How long nothing has been wrong with a client's network and process; zero while something is, or is under way.
    private func calm(of id: NodeID, _ world: SimulatedWorld) -> Interval {
        let core = world.core
        guard id.rawValue < calmSince.count, !core.isAsleep(id), world.isNetworkWhole(of: id),
            !world.isAnythingUnderway(of: id)
        else { return .zero }
        return core.now - max(calmSince[id.rawValue], world.lastDisturbance(of: id) ?? .zero)
    }
}
