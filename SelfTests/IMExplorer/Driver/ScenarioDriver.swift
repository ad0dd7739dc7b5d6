import IMCheckers
import IMClient
import IMDebugger
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import SansIO

/// Generates a scenario from a seed: a profile, its policy, one to eight clients with one to three users, their
/// commands, and faults.
///
/// A scenario has two phases. In the first phase, any fault may occur at any time. In the second phase, the network
/// works, and within the recovery time limit all clients are online or in a final state. ``Scenario/ending(_:)`` is the
/// second phase.
struct ScenarioDriver {
    let dialect: any Dialect
    let policy: ClientPolicy
    private(set) var clients: [String] = []
    private(set) var users: [String] = []
    /// Two clients that are processes of one device; empty if the scenario has none.
    private(set) var sharing: [String] = []
    let stepWeights: StepWeights
    var random: SeededRandom
    var steps: [ScenarioStep] = []
    /// The message ids that apps assigned.
    var messageIDs: [String] = []
    /// The number of message texts so far. It makes each text unique, so that the checkers can identify a message by
    /// its text.
    private var textCount = 0
    let seed: UInt64

    static let names = ["phone", "pad", "laptop", "tv", "watch", "desk", "car", "glass"]
    static let people = Scenario.people

    /// - Parameter profile: the profile of the scenario; nil for a random one.
    init(seed: UInt64, profile: String? = nil) {
        self.seed = seed
        random = SeededRandom(seed: seed)
        let all = Dialects.all
        let drawn = Int(random.below(UInt64(all.count)))
        dialect = profile.flatMap(Dialects.named) ?? all[drawn]
        policy = dialect.clientPolicy
        // Usually two or three clients, in some scenarios more clients than slots.
        let counts = [1, 2, 2, 2, 3, 3, 3, 4, 5, 8]
        clients = Array(Self.names.prefix(counts[Int(random.below(UInt64(counts.count)))]))
        users = Array(Self.people.prefix([1, 1, 2, 2, 3][Int(random.below(5))]))
        // In some scenarios the name of a client contains the name of a user.
        if random.below(3) == 0 {
            let user = users[Int(random.below(UInt64(users.count)))]
            clients = clients.map { "\(user)-\($0)" }
        }
        stepWeights = StepWeights(policy.features, random: &random)
    }

    /// The scenario of a seed.
    static func scenario(seed: UInt64, profile: String? = nil) -> Scenario {
        var driver = ScenarioDriver(seed: seed, profile: profile)
        driver.drawSteps()
        // This decision uses its own random stream, so it does not change the random numbers of other decisions.
        var random = SeededRandom(seed: seed ^ 0x6F72_6465_72)
        let order = random.below(4) == 0 ? DueOrder.fixed : .drawn
        return Scenario(profile: driver.dialect.profile, seed: seed, order: order, steps: driver.steps)
    }

    private mutating func drawSteps() {
        // In some scenarios all clients have the same platform, so that their group has too few slots.
        let only = random.below(4) == 0 ? pick(Self.platforms) : nil
        // Two processes of one device take each other's slot (SYNC-1, RTM-6).
        let mayShare = policy.features.contains(.tree) || dialect.serverPolicy.endsOtherInstances
        if mayShare && clients.count > 1 && random.below(10) == 0 { sharing = Array(clients.prefix(2)) }
        for client in clients {
            // In a scenario with iOS only, half of the clients are iPads. A policy counts an iPad as a phone or as a
            // separate kind of device (CHAT-2), and only a group of phones and iPads shows the difference.
            let samePlatform: Platform? = only == .ios && random.below(2) == 0 ? .ipad : only
            let platform = samePlatform ?? (random.below(8) == 0 ? pick(Self.rarePlatforms) : pick(Self.platforms))
            // In some profiles, a user can send a message to a single device (CHAT-7). An operator's command can also
            // name a single device. The steps for both contain the device's id, so the scenario must choose the id.
            var device: Device?
            if policy.features.contains(.selfIDs) || random.below(2) == 0 {
                let number = random.below(6) == 0 ? policy.osTypes.map { $0.lowerBound + UInt32(random.below(3)) } : nil
                device = Device(id: Self.device(of: client), platform: platform, osType: number ?? 0)
            }
            if sharing.contains(client) {
                device = Device(id: Self.device(of: clients[0]), platform: platform)
            }
            steps.append(ScenarioStep(client, .addClient(platform, device: device)))
        }
        if drawsDeletions() { return deletedOnServer() }
        drawPolicy()
        begin()
        while steps.count < stepWeights.length + clients.count * 2 {
            drawStep()
            if random.chance(partsPerMillion: stepWeights.waits) { wait(pick(Self.waits)) }
            // In some scenarios, client and server must also agree between two faults, before the second phase.
            if random.below(12) == 0 { reachQuiescence() }
        }
    }

    /// Starts most clients with a login, because a client without a login does nothing.
    private mutating func begin() {
        for client in clients {
            if policy.features.contains(.tree) {
                if random.below(3) == 0 { tree(client, .persistence(bytesMax: persistenceBytes)) }
                if random.below(2) == 0 { drawTree(client) }
            } else if random.below(4) != 0 {
                login(client)
            }
        }
        if random.below(2) == 0 { wait(.seconds(1)) }
    }

    private var persistenceBytes: Int { 10 << 20 }

    static let platforms: [Platform] = [.ios, .android, .windows, .macos, .web]
    private static let rarePlatforms: [Platform] = [.ipad, .windowsPhone, .harmony, .linux, .miniProgram]
    static let waits: [Interval] = [
        .milliseconds(5), .milliseconds(10), .milliseconds(15), .milliseconds(25), .milliseconds(100), .seconds(1),
        .seconds(1), .seconds(3), .seconds(5), .seconds(8), .seconds(15), .seconds(33), .seconds(40), .seconds(100),
    ]

    private mutating func drawPolicy() {
        let exclusions = Self.exclusions(of: dialect)
        guard dialect.serverPolicy.exclusion != .none else { return }
        if exclusions.count > 1, random.below(2) == 0 {
            // The profile's own value is listed twice, so it is more frequent than each other value.
            let exclusion = pick([exclusions[0]] + exclusions)
            set("exclusion", exclusion.rawValue)
            if exclusion == .unlimited, dialect.serverPolicy.deviceCountMax == 1 { set("device-count-max", "4") }
        }
        guard !policy.features.contains(.attributes) else { return }
        if random.below(3) == 0 { set("device-count-max", String(1 + random.below(3))) }
        if dialect.serverPolicy.takenPlace == .kicksCurrent, random.below(2) == 0 {
            set("taken-place", pick(ServerPolicy.TakenPlace.allCases).rawValue)
            // The policy has an effect only if there is no free slot.
            if random.below(2) == 0 { set("device-count-max", "1") }
            if random.below(2) == 0 { set("tells-device-changed", "true") }
        }
    }

    /// The id of a client's device, if the scenario assigns one.
    static func device(of client: String) -> String { "\(client)-1" }

    /// The exclusion policies that the profile can have, its own first.
    static func exclusions(of dialect: any Dialect) -> [ServerPolicy.Exclusion] {
        switch dialect.serverPolicy.exclusion {
        case .mobileDesktop: [.mobileDesktop, .single, .unlimited, .none]
        case .single where !dialect.clientPolicy.features.contains(.channels): [.single, .dual, .multi]
        case .perPlatform: [.perPlatform, .single]
        // With this policy, a member of a channel may have several devices.
        case .single: [.single, .unlimited]
        case let own: [own]
        }
    }

    mutating func set(_ key: String, _ value: String) {
        steps.append(.server(.setPolicy(key: key, value: value)))
    }

    /// Uses the clients of another scenario. New messages get texts that the other scenario does not contain.
    mutating func adopt(_ scenario: Scenario) {
        clients = scenario.clients
        if clients.isEmpty { clients = [Self.names[0]] }
        textCount = 1000 + Int(random.below(1 << 30))
    }

    // MARK: Single steps

    mutating func drawStep() {
        let client = pick(clients)
        switch stepWeights.draw(&random) {
        case .login: login(client)
        case .logout: command(client, .logout(keepsPush: random.below(4) == 0))
        case .network: drawNetwork(client)
        case .frames: drawFrames(client)
        case .process: drawProcess(client)
        case .server: drawServer()
        case .account: drawAccount()
        case .messages: drawMessages(client)
        case .channels: drawChannels(client)
        case .tree: drawTree(client)
        case .kicks: drawKicks(client)
        case .queries: drawQueries(client)
        case .tokens: drawTokens(client)
        case .patterns: drawPattern(client)
        }
    }

    mutating func login(_ client: String, _ user: String? = nil) {
        let user = user ?? pick(users)
        var modes: [LoginMode] = [.manual, .manual, .manual]
        if policy.features.contains(.autologin) { modes += [.automatic, .automatic] }
        if policy.features.contains(.forcedAutologin) { modes.append(.forced) }
        if policy.features.contains(.offlineLogin) { modes += [.offline, .offline] }
        let mode = pick(modes)
        if mode == .manual, random.below(12) == 0 {
            steps.append(ScenarioStep(client, .loginWrongly(user: user)))
            return
        }
        let isShort = policy.features.contains(.tokenRenewal) && mode == .manual && random.below(4) == 0
        let isTimed = isShort || mode == .offline && policy.features.contains(.tokenRenewal) && random.below(3) == 0
        let lifetime: Interval? = isTimed ? .seconds([20, 31, 45, 120][Int(random.below(4))]) : nil
        steps.append(ScenarioStep(client, .login(user: user, mode, lifetime: lifetime)))
    }

    mutating func text() -> String {
        textCount += 1
        return "text-\(textCount)"
    }

    /// The text of a message. Some texts are phone numbers, which a redacted recording must not contain.
    mutating func messageText() -> String {
        random.below(8) == 0 ? number() : text()
    }

    /// A new phone number. A phone number identifies a person.
    mutating func number() -> String {
        textCount += 1
        return "1380\(1_000_000 + textCount)"
    }

    mutating func wait(_ interval: Interval) { steps.append(.wait(interval)) }

    mutating func command(_ client: String, _ request: ClientCommand) {
        steps.append(ScenarioStep(client, .command(request)))
    }

    mutating func net(_ client: String, _ action: NetAction) { steps.append(ScenarioStep(client, .net(action))) }

    mutating func app(_ client: String, _ action: AppAction) { steps.append(ScenarioStep(client, .app(action))) }

    mutating func pick<Element>(_ choices: [Element]) -> Element { choices[Int(random.below(UInt64(choices.count)))] }

    /// Removes all network faults. Then waits for two heartbeats of both sides, and until no request can still wait for
    /// an answer.
    mutating func reachQuiescence() {
        for client in clients { net(client, .clear) }
        let quiescence = RecoveryTimes.quiescenceTime(policy)
        wait(quiescence)
        let answer = max(policy.requestTimeLimit, policy.messageTimeLimit) + .seconds(2)
        if answer > quiescence { wait(answer - quiescence) }
    }
}

// MARK: The second phase

extension Scenario {
    /// The second phase: every network works, the server is up, and the clients have the recovery time that the policy
    /// permits. Then the checkers compare client and server once more, and all clients log out.
    public func ending(_ dialect: any Dialect) -> [ScenarioStep] {
        let client = dialect.clientPolicy
        let isTree = client.features.contains(.tree)
        var steps = [ScenarioStep("server", .serverProcess(.up))]
        for name in clients {
            steps += [ScenarioStep(name, .net(.clear)), ScenarioStep(name, .net(.up))]
            if isTree { steps.append(ScenarioStep(name, .command(.goOnline))) }
        }
        steps += [.wait(RecoveryTimes.recoveryLimit(dialect)), .wait(RecoveryTimes.quiescenceTime(client))]
        guard !isTree else { return steps }
        for name in clients { steps.append(ScenarioStep(name, .command(.logout(keepsPush: false)))) }
        let logoutWait = client.logoutTimeLimit + dialect.serverPolicy.presenceHold + .seconds(31)
        return steps + [.wait(max(logoutWait, RecoveryTimes.quiescenceTime(client)))]
    }
}
