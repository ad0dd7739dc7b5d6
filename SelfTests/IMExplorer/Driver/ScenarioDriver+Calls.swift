import IMCheckers
import IMClient
import IMDebugger
import IMLocalData
import IMProtocol
import IMServer
import IMTree
import SansIO

// Random calls of apps: messages, channels, the tree, kicks, tokens, queries.

extension ScenarioDriver {
    private static let channels = ["lobby", "lobby", "news", "games"]

    mutating func drawMessages(_ client: String) {
        switch random.below(policy.features.contains(.resend) ? 8 : 6) {
        case 6, 7: command(client, .resend)
        case 4 where policy.features.contains(.presence):
            command(client, .watch(user: pick(users), isOn: random.below(3) != 0))
        case 4 where policy.features.contains(.selfIDs):
            command(client, .send(to: "\(pick(users))/\(Self.device(of: pick(clients)))", text: text()))
        case 5 where policy.features.contains(.operations):
            let usual: [OperationKind] = [
                .contactRemove, .groupCreate, .groupLeave, .conversationDelete, .messagesRemoved,
            ]
            let kind = random.below(3) == 0 ? pick(OperationKind.allCases) : pick(usual)
            command(client, .operate(kind, target: pick(["x", "y", text()] + users), ext: pick(["", pick(users)])))
        case 3 where policy.features.contains(.localCalls): drawChange(client)
        default: command(client, .send(to: pick(users), text: messageText()))
        }
    }

    mutating func drawChannels(_ client: String) {
        let channel = pick(Self.channels)
        guard policy.features.contains(.attributes) else {
            let text = text()
            return command(
                client,
                pick([
                    .join(channel: channel), .join(channel: channel), .leave(channel: channel),
                    .send(to: channel, text: text, isToChannel: true),
                ]))
        }
        switch random.below(12) {
        case 10:
            command(client, .ask(pick([.channelAttributes(channel: channel), .attributes(user: pick(users))])))
        case 0, 1, 2: command(client, .join(channel: channel))
        case 3, 4: command(client, .leave(channel: channel))
        case 5, 6: command(client, .send(to: channel, text: messageText(), isToChannel: true))
        case 7:
            let mood = AnswerField(name: "mood", value: pick(["fine", "low", number(), messageText()]))
            command(client, .setAttributes(channel: pick(["", channel]), [mood]))
        case 8: command(client, .watch(user: pick(users), isOn: true))
        case 9: command(client, .watch(user: pick(users), isOn: false))
        default: command(client, .ask(pick([.members(channel: channel), .attributes(user: pick(users))])))
        }
    }

    mutating func drawKicks(_ client: String) {
        let user = pick(users)
        switch random.below(7) {
        case 0: steps.append(.server(.kick(user: user, device: nil)))
        case 1: steps.append(.server(.kick(user: user, device: Self.device(of: pick(clients)))))
        case 2 where policy.features.contains(.accountCalls):
            let device = Self.device(of: pick(clients))
            let call: AccountCall.Action = pick([.kickAll, .listDevices, .kick(device: device)])
            steps.append(ScenarioStep(client, .accountCall(user: user, call)))
        case 3 where policy.features.contains(.kick), 4 where policy.features.contains(.kick):
            steps.append(ScenarioStep(client, .kickClient(pick(clients))))
        case 5 where policy.features.contains(.kick): command(client, .kick(.otherDevices))
        // The most common cause of a kick is a login of the same user on another device.
        default: login(client, user)
        }
    }

    mutating func drawTokens(_ client: String) {
        switch random.below(3) {
        case 0:
            let lifetime: Interval = pick([.seconds(20), .seconds(33), .seconds(45)])
            steps.append(ScenarioStep(client, .login(user: pick(users), .manual, lifetime: lifetime)))
        case 1: steps.append(ScenarioStep(client, .renewToken(lifetime: pick([nil, nil, .seconds(40)]))))
        default:
            wait(pick([.seconds(12), .seconds(21), .seconds(46)]))
            steps.append(ScenarioStep(client, .renewToken(lifetime: nil)))
        }
    }

    mutating func drawQueries(_ client: String) {
        if policy.features.contains(.localCalls), random.below(2) == 0 { return drawCall(client) }
        if random.below(4) == 0 {
            let isTree = policy.features.contains(.tree)
            return steps.append(.server(isTree ? .listTreeRules : .listDevices(user: pick(users))))
        }
        command(client, .query(pick(ClientQuery.allCases)))
    }

    // MARK: The tree

    mutating func tree(_ client: String, _ request: TreeCommand) { command(client, .tree(request)) }

    private static let paths = ["a", "a", "a/b", "a/c", "a/b/d", "x/y"]

    mutating func drawTree(_ client: String) {
        if random.below(4) == 0 { return drawLimitedQuery(client) }
        let path = pick(Self.paths)
        let value = TreeNode(.number(Double(random.below(100))))
        switch random.below(20) {
        case 0, 1: tree(client, .set(path: path, value))
        case 2: tree(client, .set(path: path, object()))
        case 3: tree(client, .set(path: path, random.below(3) == 0 ? TreeNode(.serverTimestamp) : .empty))
        case 4, 5, 6: tree(client, .listen(path: path, listening()))
        case 7:
            let info = ".info/connected"
            tree(
                client,
                pick([.listen(path: info), .unlisten(path: info), .unlisten(path: path), .unlisten(path: path)]))
        case 8: tree(client, .get(path: path, query()))
        case 9: tree(client, .push(path: path, value))
        case 10:
            tree(client, .set(path: path + "/.priority", TreeNode(priority())))
        case 11:
            let parts = [
                TreeWrite.Part([TreeKey("b")], value),
                TreeWrite.Part([TreeKey("c"), TreeKey("d")], TreeNode(.bool(true))),
            ]
            tree(client, .update(path: "a", TreeUpdate(parts)))
        case 12, 13, 14:
            // `TreeLedger` and `ExpressionChecker` can check the transactions at paths where nothing else is written.
            let treePath = pick([path, path, TreeLedger.counter, TreeLedger.counter, ExpressionChecker.treePath])
            let text =
                switch treePath {
                case TreeLedger.counter: "value + 1"
                case ExpressionChecker.treePath: pick(ExpressionChecker.expressions)
                default: pick(Self.transactions)
                }
            guard let expression = try? TransactionExpression(text) else { return }
            tree(client, .transaction(path: treePath, expression, isHidden: random.below(4) == 0))
        case 15 where random.below(3) == 0:
            let parts = [
                TreeWrite.Part([TreeKey("b")], value), TreeWrite.Part([TreeKey("c")], TreeNode(.text(text()))),
            ]
            tree(client, .onDisconnectUpdate(path: path, TreeUpdate(parts)))
        case 15: tree(client, .onDisconnect(path: path, TreeNode(.text(text()))))
        case 16: tree(client, .cancelOnDisconnect(path: path))
        case 17: tree(client, .keep(path: path, query(), isOn: random.below(3) != 0))
        case 18: command(client, pick([.goOffline, .goOnline]))
        default: drawRules()
        }
    }

    /// Expressions of transactions: an increment, a value that is only set if there is none, and the server's time.
    private static let transactions = ["value + 1", "value + 1", "if exists then abort else 1", "timestamp"]

    /// Adds or removes children below a path with a limited query, or writes a path that is written only once.
    private mutating func drawLimitedQuery(_ client: String) {
        let child = "l/" + pick(["k1", "k2", "k3", "k4", "k5"])
        switch random.below(7) {
        case 0, 1: tree(client, .set(path: child, TreeNode(.number(Double(random.below(100))))))
        case 2: tree(client, .set(path: child, .empty))
        case 3, 4:
            let limitedQuery = limitedQuery()
            let query = pick([limitedQuery, limitedQuery, bounded(), .all, TreeQuery(order: .value)])
            let kinds: [TreeEventKind] = pick([[.value], TreeEventKind.allCases])
            tree(client, .listen(path: "l", TreeListening(query, kinds: kinds)))
        case 5:
            // In half of the cases, all three children have the same value.
            let step = Double(random.below(2))
            let children = (1...3).map { ("k\($0)", TreeNode(.number(1 + Double($0) * step))) }
            guard random.below(2) == 0 else {
                // One update writes all children, with the values in reverse order.
                let values = children.map(\.1).reversed()
                let parts = zip(children, values).map { TreeWrite.Part([TreeKey($0.0)], $1) }
                return tree(client, .update(path: "l", TreeUpdate(parts)))
            }
            for (key, node) in children { tree(client, .set(path: "l/\(key)", node)) }
        default: writeOnce(client)
        }
    }

    mutating func limitedQuery() -> TreeQuery {
        TreeQuery(order: pick([.key, .value]), limit: .init(pick([.first, .last]), 2))
    }

    mutating func drawRules() {
        let audience: TreeAudience? = pick([.everybody, .everybody, .nobody, nil])
        let rule = TreeRule(read: audience, write: pick([.everybody, .everybody, .nobody, nil]))
        steps.append(.server(.setTreeRule(path: pick(["a", "a/b", "x"]), rule)))
    }

    private mutating func listening() -> TreeListening? {
        if random.below(3) != 0 { return nil }
        let kinds: [TreeEventKind] = pick([[.value], [.value, .childAdded], TreeEventKind.allCases])
        return TreeListening(query() ?? .all, kinds: kinds)
    }

    /// A node with children and a priority.
    private mutating func object() -> TreeNode {
        let child = TreeNode(.number(Double(random.below(100))))
        let node = TreeNode.empty.setting(TreeKey("b"), to: child).setting(TreeKey("d"), to: pick([child, .empty]))
        return node.with(priority: priority())
    }

    private mutating func priority() -> TreeLeaf {
        random.below(4) == 0 ? .text(text()) : .number(Double(random.below(4)))
    }

    /// A query between two values, or for one value. The tree contains some of these numbers.
    private mutating func bounded() -> TreeQuery {
        let low = Double(random.below(random.below(3) == 0 ? 4 : 60))
        // With a key, a bound only includes some of the children with its value.
        let key = random.below(3) == 0 ? TreeKey(pick(["k1", "k2", "k3", "b"])) : nil
        let end = TreeQuery.Bound(.number(random.below(3) == 0 ? low : low + Double(random.below(60))), key: key)
        return TreeQuery(
            order: pick([.value, .value, .priority]),
            start: random.below(2) == 0 ? .init(.number(low), key: random.below(2) == 0 ? key : nil) : nil, end: end)
    }

    private mutating func query() -> TreeQuery? {
        let limits: [TreeQuery?] = [
            nil, nil, nil, TreeQuery(order: .value, limit: .init(.last, 2)),
            TreeQuery(order: .key, limit: .init(.first, 1)),
            TreeQuery(order: .child([TreeKey("d")]), start: .init(.number(2))), bounded(),
        ]
        return pick(limits)
    }
}
