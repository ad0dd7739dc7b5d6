import IMClient
import IMProfiles
import IMProtocol
import IMServer
import SansIO
import Testing

/// Client machines and a server machine, which exchange encoded frames.
private final class Exchange {
    var server: ServerMachine
    var phones: [ClientMachine]
    var reported: [[String]]
    /// For each connection of the server, the index of the client and the client's id of the connection.
    private var connections: [(phone: Int, link: ConnectionID)] = []

    init(_ dialect: any Dialect, _ devices: [Device]) {
        server = ServerMachine(policy: dialect.serverPolicy, epochMilliseconds: 0)
        phones = devices.map { ClientMachine(policy: dialect.clientPolicy, device: $0, seed: 1) }
        reported = devices.map { _ in [] }
    }

    private func transmitted(_ frame: Frame) -> Frame? { try? Frame(bytes: frame.bytes()) }

    func feed(_ input: ClientInput, to phone: Int) {
        for effect in phones[phone].handle(input, at: .zero) {
            switch effect {
            case .connect(let link):
                connections.append((phone, link))
                feed(.connectionOpened(ConnectionID(UInt32(connections.count))))
                feed(.linkOpened(link), to: phone)
            case .closeLink(let link):
                if let id = connection(phone, link) { feed(.connectionClosed(id)) }
            case .send(let link, let frame):
                guard let id = connection(phone, link), var frame = transmitted(frame) else { continue }
                if case .login(var login) = frame.body {
                    login.credential = .verdict(CredentialVerdict(.valid, user: login.user))
                    frame.body = .login(login)
                }
                feed(.frameReceived(id, frame))
            case .complete(_, let completion): reported[phone].append("done \(completion.status.name)")
            case .notify(.kicked(let notice)): reported[phone].append("kicked by \(notice.by?.id ?? "-")")
            case .transition(let change): reported[phone].append(change.to.name)
            case .persist, .keep, .data, .notify: break
            }
        }
    }

    func feed(_ input: ServerInput) {
        for effect in server.handle(input, at: .zero) {
            switch effect {
            case .send(let id, let frame):
                let (phone, link) = connections[Int(id.rawValue) - 1]
                if let frame = transmitted(frame) { feed(.frameReceived(link, frame), to: phone) }
            case .close(let id):
                let (phone, link) = connections[Int(id.rawValue) - 1]
                feed(.linkClosed(link, .closedByPeer), to: phone)
            case .complete, .presence: break
            }
        }
    }

    private func connection(_ phone: Int, _ link: ConnectionID) -> ConnectionID? {
        connections.firstIndex { $0.phone == phone && $0.link == link }.map { ConnectionID(UInt32($0 + 1)) }
    }
}

@Suite struct BothSidesTests {
    @Test(
        "NIM-1 NIM-12 RTM-6 C-5: a login, and a second one that kicks the first, through both machines",
        arguments: ["nim", "agora-rtm"])
    func loginAndKick(_ profile: String) throws {
        let dialect = try #require(Dialects.named(profile))
        let exchange = Exchange(dialect, [Device(id: "a", platform: .ios), Device(id: "b", platform: .android)])
        func login(_ phone: Int) {
            exchange.feed(.command(CommandID(1), .login(user: "alice", credential: "t", mode: .manual)), to: phone)
        }
        login(0)
        let steps =
            profile == "nim" ? ["connecting", "syncing", "done ok", "online"] : ["connecting", "online", "done ok"]
        #expect(exchange.reported[0] == steps)
        login(1)
        #expect(exchange.reported[1] == steps)
        #expect(exchange.reported[0] == steps + ["kicked", "kicked by b"])
        #expect(exchange.phones[0].nextDeadline == nil)
        exchange.feed(.networkChanged(.up), to: 0)
        #expect(exchange.phones.map(\.state) == [.kicked, .online])
        exchange.feed(.command(CommandID(2), .logout(keepsPush: false)), to: 1)
        #expect(exchange.reported[1] == steps + ["logged-out", "done ok"])
        #expect(exchange.phones.allSatisfy { $0.nextDeadline == nil })
    }
}
