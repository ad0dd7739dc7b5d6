import IMClient
import IMProtocol
import IMTree
import SansIO
import TestSupport

/// A client machine with a tree for tests. It takes inputs and returns its effects as lines, such as `connect 1`, `send
/// 1 set a = 1`, `a is 1`, `done 2 ok`.
final class TreeTranscript {
    private(set) var machine: ClientMachine
    private(set) var now = Instant.zero
    /// The number of commands so far. The first command has number 1.
    private(set) var commands: UInt32 = 0
    private(set) var completions: [UInt32: Int] = [:]
    private(set) var links: Set<ConnectionID> = []
    private(set) var link = ConnectionID(0)
    /// The request number of the last frame about the tree.
    private(set) var request: UInt32 = 0
    /// The request numbers of all frames about the tree over the current connection, with the lines of the frames.
    private(set) var sent: [(line: String, number: UInt32)] = []
    /// The numbers of the listens, by the lines that requested them.
    private var listens: [String: UInt64] = [:]
    /// The last value that the app was notified of, by path.
    private(set) var notified: [String: TreeNode] = [:]
    /// The paths for which the app was notified of the same value twice in a row.
    private(set) var notifiedTwice: [String] = []

    static let policy = {
        var policy = ClientPolicy(profile: "wilddog", retryDelays: [.seconds(1), .seconds(2)])
        policy.features = [.tree]
        policy.heartbeatInterval = .seconds(20)
        return policy
    }()

    init(_ policy: ClientPolicy = TreeTranscript.policy) {
        machine = ClientMachine(policy: policy, device: Device(id: "phone", platform: .ios), seed: 1)
    }

    var state: ClientState { machine.state }

    @discardableResult
    func feed(_ input: ClientInput) -> [String] {
        switch input {
        case .linkFailed(let id, _), .linkClosed(let id, _): links.remove(id)
        default: break
        }
        return machine.handle(input, at: now).compactMap { effect in
            note(effect)
            return line(effect)
        }
    }

    private func note(_ effect: ClientEffect) {
        switch effect {
        case .connect(let id):
            links.insert(id)
            link = id
            sent.removeAll()
        case .closeLink(let id): links.remove(id)
        case .send(_, let frame):
            guard case .tree(let tree) = frame.body else { return }
            request = frame.request
            sent.append((TreeTranscript.line(tree), frame.request))
            if case .listen(_, _, let number, _) = tree { listens[TreeTranscript.line(tree)] = number }
        case .complete(let id, _): completions[id.rawValue, default: 0] += 1
        case .notify(.treeValue(let path, let value, nil)):
            if notified[path] == value { notifiedTwice.append(path) }
            notified[path] = value
        default: break
        }
    }

    @discardableResult
    func command(_ command: ClientCommand) -> [String] {
        commands += 1
        if case .tree(.unlisten(let path, _), _) = command { notified[path] = nil }
        return feed(.command(CommandID(commands), command))
    }

    @discardableResult
    func set(_ path: String, _ value: TreeNode) -> [String] { command(.tree(.set(path: path, value))) }
    @discardableResult
    func update(_ path: String, _ parts: KeyValuePairs<String, TreeNode>) -> [String] {
        command(.tree(.update(path: path, TreeUpdate(.parts(parts)))))
    }
    @discardableResult func get(_ path: String) -> [String] { command(.tree(.get(path: path))) }
    @discardableResult
    func on(_ path: String, _ query: TreeQuery = .all, _ kinds: [TreeEventKind] = [.value]) -> [String] {
        command(.tree(.listen(path: path, TreeListening(query, kinds: kinds))))
    }
    @discardableResult func off(_ path: String) -> [String] { command(.tree(.unlisten(path: path))) }
    @discardableResult
    func onDisconnect(_ path: String, _ value: TreeNode) -> [String] {
        command(.tree(.onDisconnect(path: path, value)))
    }
    @discardableResult
    func transact(_ path: String, _ expression: String, isHidden: Bool = false) throws -> [String] {
        command(.tree(.transaction(path: path, try TransactionExpression(expression), isHidden: isHidden)))
    }

    /// The known values at a path, one line for each row.
    func outline(_ path: String) -> [String] {
        commands += 1
        let id = CommandID(commands)
        for case .complete(id, let completion) in machine.handle(.command(id, .tree(.outline(path: path))), at: now) {
            completions[commands, default: 0] += 1
            return completion.rows.map { row in
                row.fields.map { $0.name == "path" ? $0.value : "\($0.name)=\($0.value)" }.joined(separator: " ")
            }
        }
        return []
    }

    @discardableResult func open() -> [String] { feed(.linkOpened(link)) }
    @discardableResult func fail() -> [String] { feed(.linkFailed(link, .refused)) }
    @discardableResult func drop() -> [String] { feed(.linkClosed(link, .reset)) }

    @discardableResult
    func receive(_ body: FrameBody, request: UInt32 = 0) -> [String] {
        feed(.frameReceived(link, Frame(request: request, body)))
    }

    @discardableResult
    func accept(serverTime: Int64 = 0) -> [String] {
        receive(.loginAck(LoginReply(.ok, epoch: 1, serverTimeMilliseconds: serverTime)))
    }

    /// Opens a requested connection and completes the login, so that the client is online.
    @discardableResult
    func succeed() -> [String] {
        open()
        return accept()
    }

    /// Goes online for so long that the client reconnects at once after a break.
    func goOnline() {
        on(".info/connected")
        succeed()
        wait(5)
    }

    /// Answers the request with this line over the current connection; nil for the latest request.
    @discardableResult
    func answer(_ line: String? = nil, _ status: Status = .ok, _ value: TreeNode = .null) -> [String] {
        let number = line.flatMap { line in sent.last { $0.line == line }?.number } ?? request
        return receive(.treeAck(status, value), request: number)
    }

    /// The server sends a change to the listener that the request with this line registered.
    @discardableResult
    func deliver(_ line: String, at path: String, _ change: TreeWrite.Change) -> [String] {
        receive(.treeData(TreeData(listen: listens[line] ?? 0, path: path, change)))
    }

    /// The server sends the complete value of a path, and answers the listen.
    @discardableResult
    func complete(_ path: String, _ node: TreeNode) -> [String] {
        deliver("on \(path)", at: path, .set(node)) + answer("on \(path)")
    }

    /// Advances the time, fires all timers and answers heartbeats.
    @discardableResult
    func wait(_ seconds: Int64) -> [String] {
        let start = now
        let end = now + .seconds(seconds)
        var lines: [String] = []
        while let next = machine.nextDeadline, next <= end {
            now = max(now, next)
            let found = feed(.deadlineReached)
            lines += found.map { "\((now - start).inMilliseconds)ms \($0)" }
            if found.contains("send \(link.rawValue) heartbeat") { receive(.heartbeatAck) }
        }
        now = end
        return lines
    }

    /// Advances the time without firing timers.
    func pass(_ interval: Interval) { now = now + interval }

    /// The numbers of the commands that have not completed exactly once.
    var incomplete: [UInt32] { (0..<commands).map { $0 + 1 }.filter { completions[$0] != 1 } }

    private func line(_ effect: ClientEffect) -> String? {
        switch effect {
        case .connect(let id): "connect \(id.rawValue)"
        case .closeLink(let id): "close \(id.rawValue)"
        case .send(let id, let frame): "send \(id.rawValue) \(TreeTranscript.line(frame.body))"
        case .complete(let id, let completion):
            "done \(id.rawValue) \(completion.status.name)"
                + completion.rows.flatMap(\.fields).filter { $0.name == "value" || $0.name == "committed" }.map {
                    " \($0.value)"
                }.joined()
        case .notify(.treeValue(let path, let value, let query)):
            "\(TreeTranscript.words(path, query ?? .all)) is \(value.text)"
        case .notify(.treeChild(let child)):
            "\(TreeTranscript.words(child.path, child.query ?? .all)) \(child.kind.name) \(child.key) \(child.node.text)"
                + (child.previousKey.map { " after \($0)" } ?? "")
        case .notify(.treeCancelled(let path, let query, let status)):
            "\(TreeTranscript.words(path, query ?? .all)) cancelled \(status.name)"
        case .transition(let change): "\(change.from.name) > \(change.to.name)"
        case .data(let request): describe(request)
        case .persist, .keep, .notify: nil
        }
    }

    private static func line(_ body: FrameBody) -> String {
        switch body {
        case .login(let login): "login \(login.user) \(login.mode)"
        case .goodbye(let reason, _): "goodbye \(reason.name)"
        case .tree(let request): line(request)
        default: body.name
        }
    }

    private static func line(_ request: TreeRequest) -> String {
        switch request {
        case .set(let path, let node): "set \(path) = \(node)"
        case .update(let path, let parts): "update \(path) = \(TreeWrite.Change.update(parts))"
        case .transaction(let path, let node, _): "transaction \(path) = \(node)"
        case .get(let path, let query): "get \(words(path, query))"
        case .listen(let path, let query, _, _): "on \(words(path, query))"
        case .unlisten(let path, _): "off \(path)"
        case .onDisconnect(let path, let node): "on-disconnect set \(path) = \(node)"
        case .onDisconnectUpdate(let path, let parts):
            "on-disconnect update \(path) = \(TreeWrite.Change.update(parts))"
        case .cancelOnDisconnect(let path): "on-disconnect cancel \(path)"
        }
    }

    private static func words(_ path: String, _ query: TreeQuery) -> String {
        query.isDefault ? path : "\(path) \(query)"
    }
}

/// A node with children. The order of the pairs does not matter.
func children(_ pairs: KeyValuePairs<String, TreeNode>) -> TreeNode {
    .children(pairs.map { ($0.key, $0.value) })
}
