import IMClient
import IMDialects
import IMProtocol
import IMServer
import IMSimulation
import SansIO

@testable import IMSession

/// Watches every event of a world and notes where a rule of all systems is broken.
///
/// `@unchecked Sendable`: used by the one thread on which the simulated world runs.
final class ScenarioRules: @unchecked Sendable {
    /// What is wrong, with the rule's id first; empty while all is well.
    private(set) var violations: [String] = []
    private var watches: [String: ClientWatch] = [:]
    private var messages: ScenarioMessages
    private let clientPolicy: ClientPolicy
    private let serverPolicy: ServerPolicy
    /// The place in the server's events: what it was last given.
    private var serverInput: NodeInput?
    /// Whether the policy of the scenario lets a returning device end another's login (CHAT-3).
    var returningMayKick: Bool

    init(dialect: any Dialect) {
        clientPolicy = dialect.clientPolicy
        serverPolicy = dialect.serverPolicy
        returningMayKick = dialect.serverPolicy.takenPlace == .kicksCurrent
        messages = ScenarioMessages(client: clientPolicy, server: serverPolicy)
    }

    func see(_ event: SessionEvent, in core: WorldCore) {
        if event.node == WorldCore.serverName {
            messages.seeServer(event)
            return seeServer(event)
        }
        guard let id = core.node(named: event.node) else { return }
        var watch = watches[event.node] ?? ClientWatch(policy: clientPolicy)
        let machine = core[id].client
        for fault in watch.see(event, machine: machine) + messages.seeClient(event, user: machine?.user ?? "-") {
            violations.append("#\(event.number) \(event.node): \(fault)")
        }
        watches[event.node] = watch
    }

    /// To be called when a scenario is over and everything that could end has had the time.
    func finish(in core: WorldCore) {
        for (name, watch) in watches.sorted(by: { $0.key < $1.key }) {
            for command in watch.open where watch.isRunning {
                violations.append("C-1: \(name): command \(command) was never completed")
            }
            if let id = core.node(named: name), let machine = core[id].client {
                if [.connecting, .syncing, .reconnecting].contains(machine.state), machine.nextDeadline == nil,
                    watch.isTokenGood
                {
                    violations.append("P4: \(name) is \(machine.state.name) and waits for nothing")
                }
            }
        }
        compare(in: core)
    }

    /// To be called when two heartbeats have passed since the last thing was lost: nobody has to wait for his calls to
    /// find both sides at one.
    func compare(in core: WorldCore) {
        violations += messages.finish(in: core)
        violations += ScenarioAgreement.faults(in: core)
    }

    private func seeServer(_ event: SessionEvent) {
        switch event.content {
        case .input(let input): serverInput = input
        case .effect(.send(let connection, let frame)):
            guard case .kicked(let notice) = frame.body, notice.reason == .otherLogin else { return }
            guard case .frame(let cause, let given) = serverInput, case .login(let login) = given.body else { return }
            // C-6: going on with a login ends nobody else's.
            if cause != connection, [.resume, .offline].contains(login.mode),
                !(login.mode == .resume && returningMayKick), !isNew(login)
            {
                violations.append("C-6: #\(event.number): a \(login.mode) login of \(login.user) ended another's")
            }
        default: break
        }
    }

    /// An offline login whose earlier login is over is a login of its own; it ends only earlier ones, which the
    /// server's own tests look at.
    private func isNew(_ login: LoginRequest) -> Bool { login.mode == .offline }
}

/// What one client does, as seen from outside.
struct ClientWatch {
    let policy: ClientPolicy
    /// Commands begun and not completed.
    private(set) var open: [UInt32] = []
    private var completed: Set<UInt32> = []
    private(set) var isRunning = true
    private var isAsleep = false
    /// Links asked for and not ended.
    private var links: [ConnectionID] = []
    private var connectionsMade: Set<ConnectionID> = []
    /// Logged out or kicked, and no command since that could connect.
    private var isSilent = true
    private var isKicked = false
    private var kinds: [UInt32: ClientCommand] = [:]
    /// The input whose effects are coming.
    private var input: NodeInput?
    private var dataOwner: String?
    private var isStale = false
    /// Attempts that failed since the last completed login, and when the last one did.
    private var failures = 0
    private var failedAt: Instant?
    private var ownDelays: [Interval] = []
    private(set) var isTokenGood = true

    init(policy: ClientPolicy) {
        self.policy = policy
    }

    mutating func see(_ event: SessionEvent, machine: ClientMachine?) -> [String] {
        switch event.content {
        case .start: isRunning = true
        case .stop: stop()
        case .input(let input): return given(input)
        case .effect(let effect): return asked(effect, at: event.time, machine: machine)
        case .header, .clock, .environment, .mark, .keyframe, .closing, .unreadable: break
        }
        return []
    }

    /// The process is gone, and everything that it had begun with it.
    private mutating func stop() {
        self = ClientWatch(policy: policy, connectionsMade: connectionsMade)
    }

    private init(policy: ClientPolicy, connectionsMade: Set<ConnectionID>) {
        self.policy = policy
        self.connectionsMade = connectionsMade
        isRunning = false
    }

    private mutating func given(_ input: NodeInput) -> [String] {
        self.input = input
        isStale = false
        if let connection = input.connection {
            // C-3: what comes of a link that was ended or replaced changes nothing.
            isStale = !links.contains(connection)
            switch input {
            case .linkFailed, .linkClosed: links.removeAll { $0 == connection }
            default: break
            }
        }
        if case .clientCommand(let id, let command) = input {
            open.append(id.rawValue)
            kinds[id.rawValue] = command
            switch command {
            case .login, .accountCall, .tree, .goOnline: isSilent = false
            case .setOption(.retryDelays(let delays)): ownDelays = delays
            default: break
            }
        }
        return []
    }

    private mutating func asked(_ effect: NodeEffect, at now: Instant, machine: ClientMachine?) -> [String] {
        var faults: [String] = []
        if isStale { faults.append("C-3: an ended link's input caused \(effect)") }
        switch effect {
        case .connect(let id):
            if !links.isEmpty { faults.append("C-2: link \(id.rawValue) beside \(links.map(\.rawValue))") }
            if !connectionsMade.insert(id).inserted { faults.append("C-3: link \(id.rawValue) was used before") }
            if isSilent { faults.append(isKicked ? "C-5: connects after a kick" : "C-4: connects after a logout") }
            faults += backoffFaults(at: now)
            links.append(id)
        case .closeLink(let id): links.removeAll { $0 == id }
        case .send(let id, let frame):
            if !links.contains(id) { faults.append("C-3: sends \(frame.body.name) on a link that is not there") }
        case .complete(let id, let completion): faults += complete(id.rawValue, completion)
        case .transition(let change): faults += changed(change, at: now, machine: machine)
        case .notify(let notification):
            if case .tokenExpired = notification { isTokenGood = false }
        case .keep(let item):
            if item.user != machine?.user, machine?.user != nil {
                faults.append("C-13: keeps a thing of \(item.user) while \(machine?.user ?? "-") is logged in")
            }
        case .data(let request): faults += data(request, machine: machine)
        case .persist, .presence: break
        }
        return faults
    }

    /// Local data is the logged-in user's, and nobody else's (C-13).
    private mutating func data(_ request: DataRequest, machine: ClientMachine?) -> [String] {
        switch request.action {
        case .open(let user):
            dataOwner = user
            guard user == machine?.user, machine?.isDataOpen == true else {
                return ["C-13: opens the data of \(user) while \(machine?.user ?? "-") is logged in"]
            }
        case .call, .apply:
            guard let dataOwner, dataOwner == machine?.user else {
                return ["C-13: uses the data of \(dataOwner ?? "-") while \(machine?.user ?? "-") is logged in"]
            }
        case .close: dataOwner = nil
        case .tree: break
        }
        return []
    }

    private mutating func complete(_ id: UInt32, _ completion: Completion) -> [String] {
        guard completed.insert(id).inserted else { return ["C-1: command \(id) was completed twice"] }
        guard let index = open.firstIndex(of: id) else { return ["C-1: command \(id) was completed unasked"] }
        open.remove(at: index)
        // One that failed leaves the old token, of which the app has heard.
        if case .renewToken = kinds[id], completion.status == .ok { isTokenGood = true }
        return []
    }

    private mutating func changed(_ change: StateChange, at now: Instant, machine: ClientMachine?) -> [String] {
        var faults: [String] = []
        // A go-offline is shown also where nobody is logged in; it connects nothing.
        var isAsked = false
        if case .clientCommand(_, .goOffline)? = input { isAsked = true }
        if isSilent, !isAsked {
            faults.append("\(isKicked ? "C-5" : "C-4"): \(change.from.name) → \(change.to.name) by itself")
        }
        switch change.to {
        case .online, .syncing:
            failures = 0
            failedAt = nil
            isTokenGood = true
            if machine?.isDataOpen == false { faults.append("C-13: logged in, and local data is closed") }
        case .loggedOut, .kicked, .tokenExpired:
            isSilent = true
            isKicked = change.to == .kicked
            failures = 0
            failedAt = nil
            if !links.isEmpty, change.to == .kicked { faults.append("C-5: kicked, and a link is left") }
            if machine?.isDataOpen == true, machine?.state == change.to {
                faults.append("C-13: \(change.to.name), and local data is open")
            }
        case .reconnecting, .offline, .connecting: break
        }
        // Leaving the kicked state for logged out is the logout's own doing, and lets nothing loose.
        if change.from == .kicked, change.to == .loggedOut, case .clientCommand(_, .logout) = input {
            faults.removeAll { $0.hasPrefix("C-5: kicked → logged-out") }
        }
        if change.to == .loggedOut, case .clientCommand(_, .logout) = input {
            faults.removeAll { $0.contains("by itself") }
        }
        return faults
    }

    /// C-9: a retry that a timer begins comes no sooner than the policy's wait after the attempt before.
    private mutating func backoffFaults(at now: Instant) -> [String] {
        defer { failedAt = now }
        guard case .deadlineReached = input, let failedAt else { return [] }
        let delays = ownDelays.isEmpty ? policy.retryDelays : ownDelays
        guard let least = delays.min() else { return [] }
        // From one attempt's beginning to the next one's: at least the shortest wait lies between.
        return now - failedAt < least ? ["C-9: attempts \((now - failedAt).inMilliseconds) ms apart"] : []
    }
}
