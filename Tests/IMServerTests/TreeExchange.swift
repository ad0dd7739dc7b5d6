import IMClient
import IMProtocol
import IMServer
import IMTree
import SansIO
import TestSupport

/// Client machines and a server machine over connections that keep the order of frames. A connection breaks at both
/// ends, or only at the client's end.
final class TreeExchange {
    private(set) var server: ServerMachine
    private(set) var phones: [ClientMachine]
    private(set) var now = Instant.zero
    private var links: [Link] = []
    /// The last value that each app was notified of, by path and query.
    private(set) var notifiedValues: [[ListenedQuery: TreeNode]]
    private(set) var completions: [[UInt32: Int]]
    private(set) var commands: [UInt32]
    /// The violations so far, in order.
    private(set) var violations: [String] = []
    /// True if each app follows the vendor's advice: whenever it is connected, it marks itself online and registers an
    /// onDisconnect operation that marks it offline.
    var keepsPresence = false

    struct ListenedQuery: Hashable {
        var path: String
        var query = TreeQuery.all
    }

    private struct Link {
        var phone: Int
        var id: ConnectionID
        var isOpenAtPhone = true
        var isOpenAtServer = true
        var toServer: [Frame] = []
        var toPhone: [Frame] = []
    }

    static let clientPolicy = {
        var policy = ClientPolicy(profile: "wilddog", retryDelays: [.seconds(1), .seconds(5)])
        policy.features = [.tree]
        policy.heartbeatInterval = .seconds(20)
        return policy
    }()

    init(phones count: Int) {
        server = ServerMachine(policy: GuestServer.policy, epochMilliseconds: 0)
        phones = (0..<count).map {
            ClientMachine(
                policy: TreeExchange.clientPolicy, device: Device(id: "phone\($0)", platform: .ios), seed: 1)
        }
        notifiedValues = phones.map { _ in [:] }
        completions = phones.map { _ in [:] }
        commands = phones.map { _ in 0 }
    }

    func command(_ command: ClientCommand, to phone: Int) {
        commands[phone] += 1
        if case .tree(.unlisten(let path, let query), _) = command {
            notifiedValues[phone] = notifiedValues[phone].filter {
                $0.key.path != path || (query != nil && query != $0.key.query)
            }
        }
        feed(.command(CommandID(commands[phone]), command), to: phone)
    }

    func feed(_ input: ClientInput, to phone: Int) {
        var isConnected = false
        for effect in phones[phone].handle(input, at: now) {
            switch effect {
            case .connect(let id): links.append(Link(phone: phone, id: id, isOpenAtServer: false))
            case .closeLink(let id):
                if let index = link(phone, id) { links[index].isOpenAtPhone = false }
            case .send(let id, let frame):
                if let index = link(phone, id) { links[index].toServer.append(frame) }
            case .complete(let id, _): completions[phone][id.rawValue, default: 0] += 1
            case .notify(.treeValue(let path, let value, let query)):
                let listenedQuery = ListenedQuery(path: path, query: query ?? .all)
                if notifiedValues[phone][listenedQuery] == value {
                    violations.append("phone \(phone) was notified of the same value of \(path) twice")
                }
                notifiedValues[phone][listenedQuery] = value
                if path == ".info/connected" && value == .bool(true) { isConnected = true }
            case .notify, .transition, .persist, .keep, .data: break
            }
        }
        if isConnected && keepsPresence {
            command(.tree(.onDisconnect(path: "status/\(phone)", .text("offline"))), to: phone)
            command(.tree(.set(path: "status/\(phone)", .text("online"))), to: phone)
        }
    }

    private func feed(_ input: ServerInput) {
        for effect in server.handle(input, at: now) {
            switch effect {
            case .send(let id, let frame): links[Int(id.rawValue) - 1].toPhone.append(frame)
            case .close(let id): links[Int(id.rawValue) - 1].isOpenAtServer = false
            case .complete, .presence: break
            }
        }
    }

    private func link(_ phone: Int, _ id: ConnectionID) -> Int? {
        links.lastIndex { $0.phone == phone && $0.id == id }
    }

    /// Opens the connections that clients have requested.
    func openLinks() {
        for index in links.indices where links[index].isOpenAtPhone && !links[index].isOpenAtServer {
            guard phones[links[index].phone].handlesOpening else { continue }
            links[index].isOpenAtServer = true
            feed(.connectionOpened(ConnectionID(UInt32(index + 1))))
            feed(.linkOpened(links[index].id), to: links[index].phone)
        }
    }

    /// Breaks the client's connection at both ends, or only at the client's end if `silently` is true.
    func breakLink(of phone: Int, silently: Bool) {
        guard let index = links.lastIndex(where: { $0.phone == phone && $0.isOpenAtPhone }) else { return }
        links[index].isOpenAtPhone = false
        if !silently && links[index].isOpenAtServer {
            links[index].isOpenAtServer = false
            feed(.connectionClosed(ConnectionID(UInt32(index + 1))))
        }
        feed(.linkClosed(links[index].id, .reset), to: phone)
    }

    /// Delivers one encoded frame of a connection. An end that has closed the connection receives nothing.
    func deliverOne(_ random: inout SeededRandom) {
        let busy = links.indices.filter { !links[$0].toServer.isEmpty || !links[$0].toPhone.isEmpty }
        guard !busy.isEmpty else { return }
        let index = busy[Int(random.below(UInt64(busy.count)))]
        deliverOne(over: index, toServer: links[index].toPhone.isEmpty || random.below(2) == 0)
    }

    private func deliverOne(over index: Int, toServer: Bool) {
        if toServer {
            guard !links[index].toServer.isEmpty else { return }
            let frame = links[index].toServer.removeFirst()
            guard links[index].isOpenAtServer, var received = read(frame) else { return }
            if case .login(var login) = received.body {
                login.credential = .verdict(CredentialVerdict(.missing))
                received.body = .login(login)
            }
            feed(.frameReceived(ConnectionID(UInt32(index + 1)), received))
        } else {
            guard !links[index].toPhone.isEmpty else { return }
            let frame = links[index].toPhone.removeFirst()
            guard links[index].isOpenAtPhone, let received = read(frame) else { return }
            feed(.frameReceived(links[index].id, received), to: links[index].phone)
        }
    }

    private func read(_ frame: Frame) -> Frame? {
        guard let received = try? Frame(bytes: frame.bytes()) else {
            violations.append("a frame that cannot be read: \(frame.body.name)")
            return nil
        }
        return received
    }

    /// Delivers all frames in flight. Clients then detect connections that the server has closed.
    func deliverAll() {
        while true {
            openLinks()
            if let index = links.firstIndex(where: { !$0.toServer.isEmpty }) {
                deliverOne(over: index, toServer: true)
            } else if let index = links.firstIndex(where: { !$0.toPhone.isEmpty }) {
                deliverOne(over: index, toServer: false)
            } else if let index = links.firstIndex(where: { $0.isOpenAtPhone && !$0.isOpenAtServer }) {
                // The server has closed this connection.
                links[index].isOpenAtPhone = false
                feed(.linkClosed(links[index].id, .closedByPeer), to: links[index].phone)
            } else {
                return
            }
        }
    }

    /// Advances the time of the server and all clients.
    func pass(_ interval: Interval) {
        let end = now + interval
        while true {
            let next = ([server.nextDeadline] + phones.map(\.nextDeadline)).compactMap(\.self).min()
            guard let next, next <= end else { break }
            now = max(now, next)
            if server.nextDeadline.map({ $0 <= now }) == true { feed(.deadlineReached) }
            for phone in phones.indices where phones[phone].nextDeadline.map({ $0 <= now }) == true {
                feed(.deadlineReached, to: phone)
            }
        }
        now = end
    }

    func restartServer() {
        for index in links.indices { links[index].isOpenAtServer = false }
        server = server.withoutConnections(at: now)
        for phone in phones.indices { breakLink(of: phone, silently: true) }
    }

    func value(_ path: String) -> TreeNode {
        var copy = server
        // A connection that belongs to no client of the exchange.
        let id = ConnectionID(1_000_000)
        let device = Device(id: "reader", platform: .server)
        let login = LoginRequest(
            application: "wilddog", user: "reader", device: device, mode: .guest, epoch: 0,
            credential: .verdict(CredentialVerdict(.missing)))
        _ = copy.handle(.connectionOpened(id), at: now)
        _ = copy.handle(.frameReceived(id, Frame(.login(login))), at: now)
        for effect in copy.handle(.frameReceived(id, Frame(.tree(.get(path: path)))), at: now) {
            // The random inputs create no value that needs a second page.
            if case .send(id, let frame) = effect, case .treeAck(.ok, let value) = frame.body { return value }
        }
        return .text("?")
    }

    /// For each client, the numbers of the commands that did not complete exactly once.
    var incomplete: [[UInt32]] {
        phones.indices.map { phone in
            commands[phone] == 0 ? [] : (1...commands[phone]).filter { completions[phone][$0] != 1 }
        }
    }
}

extension ClientMachine {
    /// True if the client waits for its last requested connection to open.
    fileprivate var handlesOpening: Bool { state == .connecting || state == .reconnecting }
}
