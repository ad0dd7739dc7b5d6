import IMProtocol
import IMServer
import SansIO

/// A server machine and guests' connections to it, with what it does as lines: `1 a is 5`, `1 ok`, `close 1`.
final class TreeServer {
    private(set) var machine: ServerMachine
    private(set) var now = Instant.zero

    static let policy = ServerPolicy(
        profile: "wilddog", exclusion: .none, silenceLimit: .seconds(60), makesAccounts: false,
        admitsWithoutCredential: true)

    init(_ policy: ServerPolicy = TreeServer.policy) {
        machine = ServerMachine(policy: policy, epochMilliseconds: 1_700_000_000_000)
    }

    func restart() { machine = machine.withoutConnections(at: now) }

    @discardableResult
    func feed(_ input: ServerInput) -> [String] { machine.handle(input, at: now).compactMap(line) }

    /// Opens a connection and lets the device log in over it, as a guest.
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
        feed(.frameReceived(ConnectionID(id), Frame(request: 1, body)))
    }

    @discardableResult func close(_ id: UInt32) -> [String] { feed(.connectionClosed(ConnectionID(id))) }

    @discardableResult
    func set(_ id: UInt32, _ path: String, _ value: TreeValue) -> [String] {
        receive(id, .tree(.set(path: path, value)))
    }

    @discardableResult
    func update(_ id: UInt32, _ path: String, _ value: TreeValue) -> [String] {
        receive(id, .tree(.update(path: path, value)))
    }

    @discardableResult func on(_ id: UInt32, _ path: String) -> [String] { receive(id, .tree(.listen(path: path))) }
    @discardableResult func off(_ id: UInt32, _ path: String) -> [String] { receive(id, .tree(.unlisten(path: path))) }

    @discardableResult
    func onDisconnect(_ id: UInt32, _ path: String, _ value: TreeValue, merges: Bool = false) -> [String] {
        receive(id, .tree(.onDisconnect(path: path, value, merges: merges)))
    }

    @discardableResult
    func cancel(_ id: UInt32, _ path: String) -> [String] { receive(id, .tree(.cancelOnDisconnect(path: path))) }

    /// What stands at a place, as JSON, asked over a connection.
    func value(_ path: String, over id: UInt32 = 1) -> String {
        for effect in machine.handle(.frameReceived(ConnectionID(id), Frame(.tree(.get(path: path)))), at: now) {
            if case .send(ConnectionID(id), let frame) = effect, case .treeAck(.ok, let value) = frame.body {
                return value.text
            }
        }
        return "?"
    }

    /// Time passes; heartbeats come over the connections named.
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
        case .send(let id, let frame): TreeServer.line(frame.body).map { "\(id.rawValue) \($0)" }
        case .close(let id): "close \(id.rawValue)"
        case .complete, .presence: nil
        }
    }

    private static func line(_ body: FrameBody) -> String? {
        switch body {
        case .treeAck(let status, let value): value == .null ? status.name : "\(status.name) \(value.text)"
        case .treeData(let path, let value): "\(path) is \(value.text)"
        case .loginAck(let reply): "login-ack \(reply.status.name)"
        case .goodbye(let reason, _): "goodbye \(reason.name)"
        case .heartbeatAck: nil
        default: body.name
        }
    }
}

/// A value with children, whatever their order.
func children(_ pairs: KeyValuePairs<String, TreeValue>) -> TreeValue {
    .children(pairs.map { TreeChild($0.key, $0.value) })
}
