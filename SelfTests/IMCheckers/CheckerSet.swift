import IMProfiles
import IMSession
import IMSimulation
import SansIO

/// All checkers of one world, and the event traces that they share. A search calls ``checkAtQuiescence(at:)`` whenever
/// the world is idle. `@exclusivity(unchecked)`: see `WorldCore`.
public final class CheckerSet {
    /// The violations so far, oldest first. A search stops at the first violation.
    @exclusivity(unchecked) public private(set) var violations: [Violation] = []
    let dialect: any Dialect
    /// The clients by node index; nil at the index of the server's node.
    @exclusivity(unchecked) var clients: [Client?] = []
    let server: ServerTrace
    /// The checkers that observe the server and all clients together.
    @exclusivity(unchecked) var checkers: [any Checker]
    @exclusivity(unchecked) var network = NetworkChecker()
    /// The time of the last start, stop or change of policy of the server.
    @exclusivity(unchecked) var serverStableSince = Instant.zero
    @exclusivity(unchecked) private var events = 0
    /// True after the first client command or change of an account.
    @exclusivity(unchecked) private var hasStarted = false
    let quiescenceTime: Interval
    let recoveryLimit: Interval
    /// The number of events after which the set reports a violation on purpose; nil for never.
    let canaryAt: Int?
    /// The maximum number of violations. After the last of them, the checkers ignore all events.
    static let violationsMax = 20

    /// One client with its own checkers.
    struct Client {
        var trace: ClientTrace
        var checkers: [any Checker]
    }

    /// - Parameters:
    ///   - dialect: the vendor's dialect; the checkers use its policies.
    ///   - canaryAt: the number of events after which a violation is reported on purpose; nil for never.
    public init(_ dialect: any Dialect, canaryAt: Int? = nil) {
        self.dialect = dialect
        self.canaryAt = canaryAt
        server = ServerTrace()
        checkers = CheckerRegistry.worldCheckers(dialect)
        quiescenceTime = RecoveryTimes.quiescenceTime(dialect.clientPolicy)
        recoveryLimit = RecoveryTimes.recoveryLimit(dialect)
    }

    /// Creates the checkers of a copy of a world, with all observations of `other`. They continue independently.
    package init(copying other: CheckerSet) {
        violations = other.violations
        dialect = other.dialect
        clients = other.clients.map { client in
            client.map { Client(trace: ClientTrace(copying: $0.trace), checkers: $0.checkers) }
        }
        server = ServerTrace(copying: other.server)
        checkers = other.checkers
        network = other.network
        serverStableSince = other.serverStableSince
        events = other.events
        hasStarted = other.hasStarted
        quiescenceTime = other.quiescenceTime
        recoveryLimit = other.recoveryLimit
        canaryAt = other.canaryAt
    }

    // MARK: Events

    /// Passes an event of the world to the checkers. Call the method directly after the event.
    public func observe(_ event: SessionEvent, in core: WorldCore) {
        events += 1
        guard self.violations.count < Self.violationsMax else { return }
        var violations: [Violation] = []
        if let canaryAt, events == canaryAt { violations.add(.canary, "C-0", "fails on purpose") }
        if event.node == WorldCore.serverName {
            observeServer(event, core, into: &violations)
        } else if let id = core.node(named: event.node) {
            observeClient(event, id, core, into: &violations)
        }
        if !violations.isEmpty { note(violations, of: event.node) }
    }

    private func observeServer(_ event: SessionEvent, _ core: WorldCore, into violations: inout [Violation]) {
        server.note(event, in: core)
        switch event.content {
        case .start, .stop, .input(.serverCommand(_, .setPolicy)): serverStableSince = event.time
        default: break
        }
        network.observeServer(event, into: &violations)
        for index in checkers.indices { checkers[index].observeServer(event, server, into: &violations) }
        guard !hasStarted, case .input(.serverCommand(_, let command)) = event.content else { return }
        if case .setPolicy = command {
            guard let policy = core.currentServerPolicy else { return }
            for index in checkers.indices { checkers[index].begin(with: policy) }
        } else {
            hasStarted = true
        }
    }

    private func observeClient(
        _ event: SessionEvent, _ id: NodeID, _ core: WorldCore, into violations: inout [Violation]
    ) {
        let node = id.rawValue
        while clients.count <= node { clients.append(nil) }
        if clients[node] == nil {
            let trace = ClientTrace(node: node, epochMilliseconds: core.epochMilliseconds)
            clients[node] = Client(trace: trace, checkers: CheckerRegistry.clientCheckers(dialect))
        }
        guard let trace = clients[node]?.trace else { return }
        trace.note(event)
        switch event.content {
        case .input(.clientCommand): hasStarted = true
        case .effect(.transition): trace.isDataOpen = core.isDataOpen(of: id)
        default: break
        }
        network.observe(event, trace, into: &violations)
        for index in clients[node]?.checkers.indices ?? 0..<0 {
            clients[node]?.checkers[index].observe(event, trace, into: &violations)
        }
        for index in checkers.indices { checkers[index].observe(event, trace, into: &violations) }
        trace.finish(event)
    }

    func note(_ violations: [Violation], of node: String) {
        for var violation in violations where self.violations.count < Self.violationsMax {
            if violation.node.isEmpty { violation.node = node }
            violation.event = events
            self.violations.append(violation)
        }
    }

    /// True if the client with this name stores tree data across processes.
    package func storesTree(by node: String) -> Bool { checkers.contains { ($0 as? TreeLedger)?.isKept(node) == true } }
}

extension WorldCore {
    /// The server's wall clock at the start of the session, in milliseconds since 1970.
    var epochMilliseconds: Int64 { configuration.epochNanoseconds / 1_000_000 }
}
