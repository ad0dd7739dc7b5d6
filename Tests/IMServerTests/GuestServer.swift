import IMProtocol
import IMServer
import IMTree
import SansIO
import TestSupport

/// A server machine with guests' connections for tests. It returns its effects as lines, such as `1 a is 5`, `1 ok` or
/// `close 1`. If a listener of `a` gets a change below its path, the line is `1 a: a/b is 5`.
final class GuestServer {
    private(set) var machine: ServerMachine
    private(set) var now = Instant.zero
    /// The paths with listeners. The listens are numbered from 1 in this order.
    private var paths: [String] = []
    private var request: UInt32 = 0

    static let policy = {
        var policy = ServerPolicy(profile: "wilddog", exclusion: .none)
        policy.silenceLimit = .seconds(60)
        policy.makesAccounts = true
        policy.admitsWithoutCredential = true
        return policy
    }()

    init(_ policy: ServerPolicy = GuestServer.policy) {
        machine = ServerMachine(policy: policy, epochMilliseconds: 1_700_000_000_000)
    }

    func restart() { machine = machine.withoutConnections(at: now) }

    @discardableResult
    func feed(_ input: ServerInput) -> [String] { machine.handle(input, at: now).compactMap(line) }

    /// Opens a connection and logs a device in as a guest.
    @discardableResult
    func join(_ id: UInt32, _ device: String) -> [String] {
        feed(.connectionOpened(ConnectionID(id)))
        return login(id, device, as: device)
    }

    @discardableResult
    func login(_ id: UInt32, _ device: String, as user: String) -> [String] {
        receive(
            id,
            .login(
                LoginRequest(
                    application: machine.policy.profile, user: user, device: Device(id: device, platform: .ios),
                    mode: .guest, epoch: 0, credential: .verdict(CredentialVerdict(.missing)))))
    }

    @discardableResult
    func receive(_ id: UInt32, _ body: FrameBody) -> [String] {
        request += 1
        return feed(.frameReceived(ConnectionID(id), Frame(request: request, body)))
    }

    @discardableResult func close(_ id: UInt32) -> [String] { feed(.connectionClosed(ConnectionID(id))) }

    @discardableResult
    func set(_ id: UInt32, _ path: String, _ value: TreeNode) -> [String] {
        receive(id, .tree(.set(path: path, value)))
    }

    @discardableResult
    func update(_ id: UInt32, _ path: String, _ parts: KeyValuePairs<String, TreeNode>) -> [String] {
        receive(id, .tree(.update(path: path, .parts(parts))))
    }

    @discardableResult
    func on(_ id: UInt32, _ path: String, _ query: TreeQuery = .all, hash: TreeHash? = nil) -> [String] {
        paths.append(path)
        return receive(id, .tree(.listen(path: path, query, number: UInt64(paths.count), hash: hash)))
    }

    /// Ends the newest listen at the path.
    @discardableResult
    func off(_ id: UInt32, _ path: String) -> [String] {
        receive(id, .tree(.unlisten(path: path, number: UInt64((paths.lastIndex(of: path) ?? 0) + 1))))
    }

    @discardableResult
    func onDisconnect(_ id: UInt32, _ path: String, _ value: TreeNode) -> [String] {
        receive(id, .tree(.onDisconnect(path: path, value)))
    }

    @discardableResult
    func cancel(_ id: UInt32, _ path: String) -> [String] { receive(id, .tree(.cancelOnDisconnect(path: path))) }

    /// Sets the security rule of a path.
    @discardableResult
    func rule(_ path: String, read: TreeAudience? = nil, write: TreeAudience? = nil) -> [String] {
        feed(.command(CommandID(1), .setTreeRule(path: path, TreeRule(read: read, write: write))))
    }

    /// The value at a path as JSON, as a client reads it over the connection.
    func value(_ path: String, over id: UInt32 = 1) -> String {
        var whole: Frame?
        for effect in machine.handle(.frameReceived(ConnectionID(id), Frame(.tree(.get(path: path)))), at: now) {
            if case .send(ConnectionID(id), let frame) = effect {
                whole = whole.map { $0.joined(with: frame) } ?? frame
            }
        }
        guard case .treeAck(.ok, let value)? = whole?.body else { return "?" }
        return value.text
    }

    /// Advances the time. The connections in `beating` send heartbeats.
    @discardableResult
    func wait(_ seconds: Int64, beating: [UInt32] = []) -> [String] {
        let end = now + .seconds(seconds)
        var lines: [String] = []
        while now < end {
            now = min(end, now + .seconds(20))
            lines += beating.flatMap { receive($0, .heartbeat) }
            if let next = machine.nextDeadline, next <= now { lines += feed(.deadlineReached) }
        }
        return lines
    }

    private func line(_ effect: ServerEffect) -> String? {
        switch effect {
        case .send(let id, let frame): line(frame.body).map { "\(id.rawValue) \($0)" }
        case .close(let id): "close \(id.rawValue)"
        case .complete, .presence: nil
        }
    }

    private func line(_ body: FrameBody) -> String? {
        switch body {
        case .treeAck(let status, let value): value == .null ? status.name : "\(status.name) \(value.text)"
        case .treeData(let data):
            if let index = Int(exactly: data.listen), index > 0, index <= paths.count, paths[index - 1] != data.path {
                "\(paths[index - 1]): \(data.path) is \(data.change)"
            } else {
                "\(data.path) is \(data.change)"
            }
        case .treeCancelled(let listen, let status): "\(paths[Int(listen) - 1]) cancelled \(status.name)"
        case .loginAck(let reply): "login-ack \(reply.status.name)"
        case .goodbye(let reason, _): "goodbye \(reason.name)"
        case .heartbeatAck: nil
        default: body.name
        }
    }
}

/// A node with children. The order of the pairs does not matter.
func children(_ pairs: KeyValuePairs<String, TreeNode>) -> TreeNode {
    .children(pairs.map { ($0.key, $0.value) })
}
