import IMClient
import IMDebugger
import IMProtocol
import IMServer
import IMSession
import SansIO

// Random faults of networks, frames, processes, clocks, the server and its accounts.

extension ScenarioDriver {
    mutating func drawNetwork(_ client: String) {
        switch random.below(12) {
        case 0, 1: net(client, .down)
        case 2, 3: net(client, .up)
        case 4: net(client, .switchNetwork)
        case 5, 6: net(client, .halfOpen)
        case 7: net(client, .reset)
        case 8:
            let delay = pick([Interval.milliseconds(50), .milliseconds(400), .seconds(3), .seconds(11)])
            net(client, .delay(delay, jitter: pick([.zero, .milliseconds(100), .milliseconds(100), .seconds(3)])))
            if random.below(3) == 0 { net(client, .delay(.milliseconds(50), jitter: .zero)) }
        case 9: net(client, .loss(pick([50_000, 200_000, 500_000])))
        case 10: net(client, .clear)
        // A partition: for a while, no client reaches the server.
        default:
            for other in clients { net(other, .halfOpen) }
            wait(pick(Self.waits))
            for other in clients { net(other, .clear) }
        }
    }

    mutating func drawFrames(_ client: String) {
        switch random.below(8) {
        case 0: net(client, .release)
        case 1: net(client, .clear)
        default:
            let action: FrameAction = pick([.drop, .drop, .hold, .hold, .duplicate])
            let named = pick(frames())
            let direction: LinkDirection? = random.below(5) == 0 ? nil : named.way
            net(
                client,
                .rule(FrameRule(action, frame: named.frame, direction: direction, count: pick([1, 1, 1, 2, 3]))))
        }
    }

    /// The frames that clients of the profile send and receive, each with its direction.
    mutating func frames() -> [(frame: String, way: LinkDirection)] {
        if policy.features.contains(.tree), random.below(3) != 0 { return Self.treeFrames }
        if policy.features.contains(.channels), random.below(2) == 0 { return Self.channelFrames }
        if policy.features.contains(.operations), random.below(4) == 0 { return Self.operationFrames }
        if policy.features.contains(.localCalls), random.below(4) == 0 { return Self.dataFrames }
        return Self.commonFrames
    }

    private static let commonFrames: [(frame: String, way: LinkDirection)] = [
        ("login", .toServer), ("login-ack", .toClient), ("logout", .toServer), ("logout-ack", .toClient),
        ("heartbeat", .toServer), ("heartbeat-ack", .toClient), ("kicked", .toClient), ("kicked", .toClient),
        ("kicked-ack", .toServer), ("sync", .toServer), ("sync-phase", .toClient), ("sync-done", .toClient),
        ("sync-ack", .toServer), ("send", .toServer), ("send-ack", .toClient), ("send-ack", .toClient),
        ("message", .toClient), ("message-ack", .toServer), ("devices-changed", .toClient), ("renew-token", .toServer),
        ("renew-token-ack", .toClient), ("resync", .toServer), ("resync-ack", .toClient), ("kick", .toServer),
        ("kick-ack", .toClient), ("goodbye", .toClient), ("*", .toClient), ("*", .toServer),
    ]
    private static let operationFrames: [(frame: String, way: LinkDirection)] = [
        ("operation", .toServer), ("operation-ack", .toClient), ("operated", .toClient), ("operated-ack", .toServer),
    ]
    private static let dataFrames: [(frame: String, way: LinkDirection)] = [
        ("change", .toServer), ("change-ack", .toClient), ("fetch-changes", .toServer), ("changes", .toClient),
    ]
    private static let channelFrames: [(frame: String, way: LinkDirection)] = [
        ("join", .toServer), ("join-ack", .toClient), ("join-ack", .toClient), ("leave", .toServer),
        ("leave-ack", .toClient), ("set-attributes", .toServer), ("set-attributes-ack", .toClient),
        ("watch", .toServer), ("watch-ack", .toClient), ("member-changed", .toClient), ("presence", .toClient),
        ("settle", .toServer), ("settle-ack", .toClient), ("message", .toClient),
    ]
    private static let treeFrames: [(frame: String, way: LinkDirection)] = [
        ("tree", .toServer), ("tree-ack", .toClient), ("tree-ack", .toClient), ("tree-data", .toClient),
        ("tree-cancelled", .toClient), ("resync", .toServer), ("resync-ack", .toClient),
    ]

    mutating func drawProcess(_ client: String) {
        switch random.below(8) {
        case 0, 1: app(client, .kill)
        case 2, 3: restart(client)
        case 4: app(client, pick([.background, .background, .foreground, .foreground, .foreground, .close]))
        case 5, 6: app(client, .sleep(pick([.seconds(3), .seconds(50), .minutes(10)])))
        default: steps.append(ScenarioStep(client, .skew(pick([.minutes(60), .minutes(-60), .zero, .seconds(40)]))))
        }
    }

    /// The app's process ends, and a new one starts at once.
    mutating func startNewProcess(_ client: String) {
        app(client, .kill)
        app(client, .start)
    }

    /// Ends the process and starts it again, at once or after a pause. Tree persistence is set before any other
    /// command, because the client requires it.
    mutating func restart(_ client: String) {
        app(client, .kill)
        if random.below(2) == 0 { wait(pick(Self.waits)) }
        app(client, .start)
        if policy.features.contains(.tree), random.below(2) == 0 {
            tree(client, .persistence(bytesMax: 10 << 20))
        } else if !policy.features.contains(.tree) {
            login(client)
        }
    }

    mutating func drawServer() {
        switch random.below(6) {
        case 0, 1: steps.append(ScenarioStep("server", .serverProcess(.restart)))
        case 2:
            steps.append(ScenarioStep("server", .serverProcess(.down)))
            wait(pick(Self.waits))
            steps.append(ScenarioStep("server", .serverProcess(.up)))
        case 3: steps.append(ScenarioStep("server", .serverProcess(.up)))
        default:
            guard !policy.features.contains(.tree) else { return drawRules() }
            let amounts: [SyncAmount] = [
                SyncAmount(.groups, Int(random.below(4))), SyncAmount(.offlineMessages, Int(random.below(30))),
                SyncAmount(.roamingMessages, Int(random.below(300))), SyncAmount(.systemNotifications, 1),
            ]
            // The `populate` command does not accept a count of zero.
            steps.append(.server(.populate(user: pick(users), amounts.filter { $0.count > 0 })))
        }
    }

    /// Invalidates a user's credentials: the password, or the tokens if the profile has no passwords.
    func endCredentials(of user: String) -> ScenarioStep {
        .server(policy.features.contains(.passwords) ? .passwordChanged(user: user) : .revokeTokens(user: user))
    }

    mutating func drawAccount() {
        let user = pick(users)
        switch random.below(5) {
        case 0: steps.append(.server(.banAccount(user)))
        case 1, 2: steps.append(.server(.addAccount(user)))
        case 3: steps.append(.server(.deleteAccount(user)))
        default: steps.append(endCredentials(of: user))
        }
    }
}
