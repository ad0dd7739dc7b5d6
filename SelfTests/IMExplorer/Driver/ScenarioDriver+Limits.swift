import IMClient
import IMDebugger
import IMProtocol
import IMTree
import SansIO

// Patterns of several steps under low limits, with requests that exceed them.

extension ScenarioDriver {
    /// The limits for members, channels, watches or attributes are low (RTM-9).
    mutating func lowChannelLimits(_ client: String) {
        let server = dialect.serverPolicy
        var limits = [
            ("channel-members-max", server.channelMembersMax), ("channels-per-login-max", server.channelsPerLoginMax),
            ("channel-count-max", server.channelCountMax),
        ]
        if policy.features.contains(.attributes) {
            limits += [
                ("watched-count-max", server.watchedCountMax), ("attribute-count-max", server.attributeCountMax),
            ]
        }
        let (key, own) = pick(limits)
        for (index, name) in clients.prefix(3).enumerated() {
            ensureOnline(name, Self.people[index % Self.people.count])
        }
        set(key, String(1 + random.below(2)))
        for _ in 0...(3 + random.below(4)) {
            let name = pick(Array(clients.prefix(3)))
            switch key {
            case "watched-count-max": command(name, .watch(user: pick(Self.people), isOn: random.below(4) != 0))
            case "attribute-count-max":
                let fields = ["mood", "place", "time"].prefix(1 + Int(random.below(3)))
                command(name, .setAttributes(channel: "", fields.map { AnswerField(name: $0, value: messageText()) }))
            default:
                let channel = pick(["lobby", "news", "games"])
                command(name, random.below(4) == 0 ? .leave(channel: channel) : .join(channel: channel))
            }
            wait(.milliseconds(50))
        }
        if random.below(3) == 0 { net(client, pick([.reset, .switchNetwork])) }
        wait(.seconds(1))
        set(key, String(own))
    }

    /// An app makes more calls than the rate limits allow (RTM-9).
    mutating func tooManyCalls(_ client: String) {
        let user = pick(users)
        ensureOnline(client, user)
        command(client, .join(channel: "lobby"))
        wait(.milliseconds(100))
        let rate = pick(policy.callRates.filter { $0.countMax < 20 })
        for number in 0..<(rate.countMax + 1 + Int(random.below(2))) {
            let mood = AnswerField(name: "mood", value: String(number))
            switch rate.family {
            case .joinsOfOneChannel:
                command(client, .leave(channel: "lobby"))
                wait(.milliseconds(50))
                command(client, .join(channel: "lobby"))
            case .memberQueries: command(client, .ask(.members(channel: "lobby")))
            case .userAttributes: command(client, .setAttributes(channel: "", [mood]))
            case .channelAttributes: command(client, .setAttributes(channel: "lobby", [mood]))
            case .channelAttributeQueries: command(client, .ask(.channelAttributes(channel: "lobby")))
            case .watches: command(client, .watch(user: pick(Self.people), isOn: random.below(2) == 0))
            case .renewals: steps.append(ScenarioStep(client, .renewToken(lifetime: nil)))
            case .messages, .joins, .userAttributeQueries: command(client, .ask(.attributes(user: user)))
            }
            wait(pick([.milliseconds(5), .milliseconds(5), .milliseconds(50), .seconds(1)]))
        }
        wait(pick([.seconds(1), .seconds(5)]))
    }

    /// The limit for tree writes in a time window is low.
    mutating func lowTreeWriteLimit(_ client: String) {
        tree(client, .listen(path: "a"))
        wait(.milliseconds(100))
        set("tree-writes-max", String(1 + random.below(3)))
        for number in 0...(2 + random.below(4)) {
            tree(client, .set(path: "a/\(number)", TreeNode(.number(Double(number)))))
            wait(pick([.milliseconds(5), .milliseconds(5), .milliseconds(50), .seconds(1), .seconds(5)]))
        }
        wait(pick([.seconds(1), .seconds(6)]))
        set("tree-writes-max", String(dialect.serverPolicy.treeWritesMax))
    }
}
