import IMCheckers
import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import SansIO

/// The coverage of a search: the pairs of state and input that both machines reached, and the rare events that
/// happened.
///
/// A key is a short text, such as `client syncing × frame kicked`, `rule nim × NIM-6`, `policy zim × exclusion=dual:
/// kicks` or `sometimes kick during sync`. For each key, the coverage stores the smallest seed that reached it. Two
/// coverages are merged by taking the smaller seed of each key. The seeds also show when the coverage grew.
public final class Coverage {
    /// The smallest seed that reached each key.
    @exclusivity(unchecked) public private(set) var first: [String: UInt64] = [:]
    /// How often each rare event happened.
    @exclusivity(unchecked) public private(set) var counts: [RareEvent: Int] = [:]
    /// The number of steps after which the current scenario first reached a new key; nil if it has not.
    @exclusivity(unchecked) public private(set) var newAt: Int?
    @exclusivity(unchecked) private var step = 0
    @exclusivity(unchecked) private var seed: UInt64 = 0
    @exclusivity(unchecked) private var traces: [ClientTrace] = []
    @exclusivity(unchecked) private var server = ServerTrace()
    @exclusivity(unchecked) private var watch = RareEventWatch()
    @exclusivity(unchecked) private var rules = RuleCoverage(profile: "")
    @exclusivity(unchecked) private var profile = ""
    /// The rules of the current profile that have not been reached, and the branches of the server's policy, as in
    /// ``PolicyCoverage``.
    @exclusivity(unchecked) private var unreached = Unreached()
    /// The rules and branches that have not been reached in profiles other than the current one, by profile.
    @exclusivity(unchecked) private var unreachedElsewhere: [String: Unreached] = [:]
    /// The reached pairs as numbers, so that no text is built for a pair that was reached before.
    @exclusivity(unchecked) private var known: Set<UInt32> = []

    private struct Unreached {
        var rules: Set<String> = []
        var branches: Set<String> = []
    }

    /// An empty coverage.
    public init() {}

    /// The observations at a position in a scenario, from which other scenarios continue.
    struct Observations {
        fileprivate var traces: [ClientTrace]
        fileprivate var server: ServerTrace
        fileprivate var watch: RareEventWatch
        fileprivate var rules: RuleCoverage

        fileprivate var copy: Observations {
            var copy = self
            copy.traces = traces.map(ClientTrace.init(copying:))
            copy.server = ServerTrace(copying: server)
            return copy
        }
    }

    /// The observations at the current position in the scenario.
    var observations: Observations { Observations(traces: traces, server: server, watch: watch, rules: rules).copy }

    /// Starts a scenario.
    ///
    /// - Parameters:
    ///   - observations: if the scenario begins with steps of an earlier scenario, the observations after these steps.
    ///     They are not counted again.
    ///   - step: the number of these steps. They are not played again.
    func begin(_ seed: UInt64, _ dialect: any Dialect, from observations: Observations? = nil, behind step: Int = 0) {
        self.seed = seed
        if profile != dialect.profile {
            unreachedElsewhere[profile] = unreached
            profile = dialect.profile
            unreached =
                unreachedElsewhere[profile]
                ?? Unreached(
                    rules: Set(RuleCoverage.rules(of: profile)), branches: Set(PolicyCoverage.branches(of: dialect)))
        }
        self.step = step
        newAt = nil
        if let observations = observations?.copy {
            (traces, server, watch, rules) = (
                observations.traces, observations.server, observations.watch, observations.rules
            )
            return
        }
        traces.removeAll(keepingCapacity: true)
        server = ServerTrace()
        watch = RareEventWatch()
        rules = RuleCoverage(profile: profile)
    }

    func stepEnded(_ stepIndex: Int) { step = stepIndex + 1 }

    /// Observes an event.
    func observe(_ event: SessionEvent, in core: WorldCore) {
        if event.node == WorldCore.serverName {
            observeServer(event, core)
        } else if let id = core.node(named: event.node) {
            while traces.count <= id.rawValue { traces.append(ClientTrace()) }
            observeClient(event, id.rawValue)
        }
    }

    private func observeClient(_ event: SessionEvent, _ clientIndex: Int) {
        let trace = traces[clientIndex]
        let before = trace.state
        trace.note(event)
        if case .input(let input) = event.content {
            let number = input.number
            reach(UInt32(before.rawValue) << 16 | number) { "client \(before.name) × \(input.summary)" }
        }
        for happened in watch.observeClient(event, clientIndex, trace, before: before) { count(happened) }
        rules.observeClient(event, trace, before: before) { reachRule($0) }
        trace.finish(event)
    }

    private func observeServer(_ event: SessionEvent, _ core: WorldCore) {
        if case .input(let input) = event.content {
            let stage = input.link.map { server.acceptedLogins[$0] == nil ? "fresh" : "logged-in" } ?? "server"
            let code: UInt32 = stage == "fresh" ? 1 : stage == "server" ? 2 : 3
            reach(1 << 31 | code << 16 | input.number) { "server \(stage) × \(input.summary)" }
        }
        if case .stop = event.content, !server.acceptedLogins.isEmpty { count(.serverRestartWhileOnline) }
        server.note(event)
        for happened in watch.observeServer(event, server) { count(happened) }
        rules.observeServer(event, server) { reachRule($0) }
        if !unreached.branches.isEmpty {
            PolicyCoverage.observeServer(event, server, core.currentServerPolicy) { branch in
                guard unreached.branches.remove(branch) != nil else { return }
                note(Self.branchKey(profile, branch))
            }
        }
    }

    private func reachRule(_ rule: String) {
        guard unreached.rules.remove(rule) != nil else { return }
        note(Self.ruleKey(profile, rule))
    }

    static func ruleKey(_ profile: String, _ rule: String) -> String { "rule \(profile) × \(rule)" }
    static func branchKey(_ profile: String, _ branch: String) -> String { "policy \(profile) × \(branch)" }

    private func reach(_ number: UInt32, _ key: () -> String) {
        guard known.insert(number).inserted else { return }
        note(key())
    }

    private func count(_ happened: RareEvent) {
        counts[happened, default: 0] += 1
        if counts[happened] == 1 { note("sometimes \(happened.rawValue)") }
        // Each doubling of the count, up to 32, also counts as new coverage.
        if let count = counts[happened], count & (count - 1) == 0, count < 64, newAt == nil { newAt = step }
    }

    private func note(_ key: String) {
        newAt = newAt ?? step
        first[key] = min(first[key] ?? .max, seed)
    }

    /// Adds the coverage of another search.
    public func merge(_ other: Coverage) {
        for (key, seed) in other.first { first[key] = min(first[key] ?? .max, seed) }
        for (happened, count) in other.counts { counts[happened, default: 0] += count }
    }

    /// A coverage that was stored in a report.
    public convenience init(first: [String: UInt64], counts: [RareEvent: Int]) {
        self.init()
        self.first = first
        self.counts = counts
    }
}

extension NodeInput {
    /// A number for each kind of input. Each kind of frame and of command has its own number.
    fileprivate var number: UInt32 {
        switch self {
        case .frame(_, let frame): 64 + UInt32(frame.body.coverageNumber)
        case .unreadable: 1
        case .linkOpened: 2
        case .linkFailed(_, let fault): 3 + UInt32(fault.rawValue) << 4
        case .linkClosed(_, let fault): 4 + UInt32(fault.rawValue) << 4
        case .deadlineReached: 5
        case .network(let change): 6 + UInt32(change.rawValue) << 4
        case .app(let change): 7 + UInt32(change.coverageNumber) << 4
        case .data: 8
        case .clientCommand(_, let command): 256 + UInt32(command.coverageNumber)
        case .serverCommand(_, let command): 512 + UInt32(command.coverageNumber)
        }
    }

    /// The kind of input as text.
    fileprivate var summary: String {
        switch self {
        case .frame(_, let frame): "frame \(frame.body.name)"
        case .unreadable: "unreadable"
        case .linkOpened: "link opened"
        case .linkFailed(_, let fault): "link failed \(fault.name)"
        case .linkClosed(_, let fault): "link closed \(fault.name)"
        case .deadlineReached: "timer"
        case .network(let change): "network \(change.name)"
        case .app(let change):
            "app \(["", "background", "foreground", "woke", "clock-set", "closing"][change.coverageNumber])"
        case .data: "data"
        case .clientCommand(_, .tree(let command, _)): "command \(command.name)"
        case .clientCommand(_, let command): "command \(command.fieldText)"
        case .serverCommand(_, let command): "command \(command.word)"
        }
    }
}

extension AppChange {
    fileprivate var coverageNumber: Int {
        switch self {
        case .background: 1
        case .foreground: 2
        case .woke: 3
        case .clockSet: 4
        case .closing: 5
        }
    }
}

extension ClientCommand {
    fileprivate var coverageNumber: Int {
        switch self {
        case .login(let call): 32 + Int(call.mode.rawValue)
        case .logout: 1
        case .renewToken: 2
        case .kick: 3
        case .query: 4
        case .send: 5
        case .resend: 6
        case .join: 7
        case .leave: 8
        case .setOption: 9
        case .setAttributes: 10
        case .ask: 11
        case .watch: 12
        case .accountCall: 13
        case .operate: 14
        case .call: 15
        case .change: 16
        case .goOffline: 17
        case .goOnline: 18
        case .tree(let command, _): 48 + (Self.treeWords.firstIndex(of: command.name) ?? 0)
        }
    }

    private static let treeWords = [
        "set", "update", "push", "get", "on", "off", "transaction", "keep", "persistence", "tree", "on-disconnect",
        "on-disconnect-update", "on-disconnect-cancel",
    ]
}

extension ServerCommand {
    fileprivate var coverageNumber: Int {
        switch self {
        case .addAccount: 1
        case .banAccount: 2
        case .deleteAccount: 3
        case .kick: 4
        case .listDevices: 5
        case .setPolicy: 6
        case .populate: 7
        case .passwordChanged: 8
        case .setRefusal: 9
        case .putChange: 10
        case .populateData: 11
        case .setTreeRule: 12
        case .listTreeRules: 13
        case .shutDown: 14
        case .revokeTokens: 15
        }
    }

    /// The text for the command's kind.
    fileprivate var word: String {
        switch self {
        case .addAccount: "account-add"
        case .banAccount: "account-ban"
        case .deleteAccount: "account-delete"
        case .kick: "kick"
        case .listDevices: "devices"
        case .setPolicy: "policy"
        case .populate: "populate"
        case .passwordChanged: "password"
        case .revokeTokens: "account-revoke"
        case .setRefusal: "refusal"
        case .putChange: "change"
        case .populateData: "populate-data"
        case .setTreeRule: "rules"
        case .listTreeRules: "rules-list"
        case .shutDown: "shut-down"
        }
    }
}

extension FrameBody {
    /// A number for each kind of frame, in the order of the protocol.
    fileprivate var coverageNumber: Int {
        switch self {
        case .login: 1
        case .loginAck: 2
        case .logout: 3
        case .logoutAck: 4
        case .heartbeat: 5
        case .heartbeatAck: 6
        case .kicked: 7
        case .kickedAck: 8
        case .kick: 9
        case .kickAck: 10
        case .sync: 11
        case .syncPhase: 12
        case .syncDone: 13
        case .devicesChanged: 14
        case .renewToken: 15
        case .renewTokenAck: 16
        case .tokenNotice: 17
        case .send: 18
        case .sendAck: 19
        case .message: 20
        case .messageAck: 21
        case .join: 22
        case .joinAck: 23
        case .leave: 24
        case .leaveAck: 25
        case .memberChanged: 26
        case .goodbye: 27
        case .accountCall: 28
        case .accountCallAck: 29
        case .operation: 30
        case .operationAck: 31
        case .operated: 32
        case .operatedAck: 33
        case .setAttributes: 34
        case .setAttributesAck: 35
        case .ask: 36
        case .answer: 37
        case .watch: 38
        case .watchAck: 39
        case .presence: 40
        case .tree: 41
        case .treeAck: 42
        case .treeData: 43
        case .treeCancelled: 44
        case .syncAck: 45
        case .settle: 46
        case .settleAck: 47
        case .resync: 48
        case .resyncAck: 49
        case .fetchChanges: 50
        case .changes: 51
        case .change: 52
        case .changeAck: 53
        }
    }
}
