import IMClient
import IMProfiles
import IMProtocol
import IMServer
import SansIO

/// Client machines and a server machine over connections that lose frames, repeat frames and break. Apps are killed and
/// the server is restarted. The exchange counts the messages that each app receives, and the results that the senders
/// get.
final class MessageExchange {
    private struct Link {
        var phone: Int
        var ofPhone: ConnectionID
        var ofServer: ConnectionID?
        var toServer: [Frame] = []
        var toPhone: [Frame] = []
        /// True if the client has closed the connection and the server has not detected it yet.
        var isClosed = false
    }

    struct Sent {
        var phone: Int
        var to: String
        var text: String
        var command: CommandID
        var status: Status?
    }

    let dialect: any Dialect
    let users: [String]
    private(set) var server: ServerMachine
    private(set) var phones: [ClientMachine?]
    private(set) var sent: [Sent] = []
    /// How often each app received each text.
    private(set) var received: [[String: Int]]
    private let devices: [Device]
    private var local: [LocalData]
    private var nextLink: [ConnectionID]
    private var links: [Link] = []
    private var now = Instant.zero
    private var commands: UInt32 = 0
    private var serverConnections: UInt32 = 0
    private var seed: UInt64

    init(_ dialect: any Dialect, seed: UInt64, users: [String]) {
        self.dialect = dialect
        self.users = users
        self.seed = seed
        server = ServerMachine(policy: dialect.serverPolicy, epochMilliseconds: 1_700_000_000_000)
        devices = users.indices.map { Device(id: "phone\($0)", platform: $0 == 1 ? .web : .ios) }
        local = users.map { _ in LocalData() }
        received = users.map { _ in [:] }
        nextLink = users.map { _ in ConnectionID(1) }
        phones = users.map { _ in nil }
        for phone in users.indices { start(phone) }
    }

    // MARK: Apps

    func start(_ phone: Int) {
        guard phones[phone] == nil else { return }
        seed += 1
        phones[phone] = ClientMachine(
            policy: dialect.clientPolicy, device: devices[phone], local: local[phone], seed: seed,
            firstConnection: nextLink[phone])
    }

    func kill(_ phone: Int) {
        guard let machine = phones[phone] else { return }
        nextLink[phone] = machine.nextConnection
        phones[phone] = nil
        breakLink(of: phone)
    }

    @discardableResult
    func command(_ command: ClientCommand, to phone: Int) -> CommandID {
        commands += 1
        feed(.command(CommandID(commands), command), to: phone)
        return CommandID(commands)
    }

    func logIn(_ phone: Int) {
        guard let state = phones[phone]?.state, [.loggedOut, .kicked, .tokenExpired].contains(state) else { return }
        if state != .loggedOut { command(.logout(keepsPush: true), to: phone) }
        command(.login(user: users[phone], credential: "t", mode: .manual), to: phone)
    }

    func send(_ phone: Int, to user: String) {
        guard phones[phone] != nil else { return }
        let text = "\(sent.count) by \(phone)"
        sent.append(Sent(phone: phone, to: user, text: text, command: CommandID(commands + 1)))
        command(.send(to: user, text: text), to: phone)
    }

    func feed(_ input: ClientInput, to phone: Int) {
        guard let effects = phones[phone]?.handle(input, at: now) else { return }
        for effect in effects {
            switch effect {
            case .connect(let link): links.append(Link(phone: phone, ofPhone: link))
            case .closeLink(let link):
                if let index = index(phone, link) { links[index].isClosed = true }
            case .send(let link, var frame):
                guard let index = index(phone, link) else { continue }
                if case .login(var login) = frame.body {
                    login.credential = .verdict(CredentialVerdict(.valid, user: login.user))
                    frame.body = .login(login)
                }
                links[index].toServer.append(frame)
            case .persist(let data):
                let items = local[phone].items
                local[phone] = data
                local[phone].items = items
            case .keep(let item): local[phone].items.append(item)
            case .complete(let command, let completion):
                for index in sent.indices where sent[index].command == command {
                    sent[index].status = completion.status
                }
            case .notify(.messageReceived(let message)): received[phone][message.text, default: 0] += 1
            case .data, .notify, .transition: break
            }
        }
    }

    private func index(_ phone: Int, _ link: ConnectionID) -> Int? {
        links.firstIndex { $0.phone == phone && $0.ofPhone == link }
    }

    // MARK: The server

    func feed(_ input: ServerInput) {
        for effect in server.handle(input, at: now) {
            switch effect {
            case .send(let id, let frame):
                if let index = links.firstIndex(where: { $0.ofServer == id }) { links[index].toPhone.append(frame) }
            case .close(let id):
                guard let index = links.firstIndex(where: { $0.ofServer == id }) else { continue }
                let link = links.remove(at: index)
                for frame in link.toPhone { feed(.frameReceived(link.ofPhone, frame), to: link.phone) }
                feed(.linkClosed(link.ofPhone, .closedByPeer), to: link.phone)
            case .complete, .presence: break
            }
        }
    }

    func restartServer() {
        server = server.withoutConnections(at: now)
        let lost = links
        links.removeAll()
        for link in lost where link.ofServer != nil { feed(.linkClosed(link.ofPhone, .reset), to: link.phone) }
        for link in lost where link.ofServer == nil { feed(.linkFailed(link.ofPhone, .refused), to: link.phone) }
    }

    // MARK: The network

    /// Breaks the client's connection. Its frames in flight are lost.
    func breakLink(of phone: Int) {
        for link in links where link.phone == phone {
            links.removeAll { $0.phone == phone && $0.ofPhone == link.ofPhone }
            if let id = link.ofServer {
                feed(.connectionClosed(id))
                feed(.linkClosed(link.ofPhone, .reset), to: phone)
            } else {
                feed(.linkFailed(link.ofPhone, .refused), to: phone)
            }
        }
    }

    /// Delivers, loses or repeats a frame on one connection.
    func deliverOne(_ random: inout SeededRandom, loses: Bool) {
        guard !links.isEmpty else { return }
        let index = Int(random.below(UInt64(links.count)))
        guard let id = links[index].ofServer else { return open(index) }
        let isUp = random.below(2) == 0
        if isUp, !links[index].toServer.isEmpty {
            let frame = links[index].toServer.removeFirst()
            if loses && Self.mayGetLost(frame) && random.below(12) == 0 { return }
            feed(.frameReceived(id, frame))
            if loses && Self.mayGetLost(frame) && random.below(12) == 0 { feed(.frameReceived(id, frame)) }
        } else if isUp, links[index].isClosed {
            links.remove(at: index)
            feed(.connectionClosed(id))
        } else if !isUp, !links[index].toPhone.isEmpty {
            let (phone, link) = (links[index].phone, links[index].ofPhone)
            let frame = links[index].toPhone.removeFirst()
            if loses && Self.mayGetLost(frame) && random.below(12) == 0 { return }
            feed(.frameReceived(link, frame), to: phone)
        }
    }

    private func open(_ index: Int) {
        let link = links[index]
        guard !link.isClosed else {
            links.remove(at: index)
            return
        }
        serverConnections += 1
        let id = ConnectionID(serverConnections)
        links[index].ofServer = id
        feed(.connectionOpened(id))
        feed(.linkOpened(link.ofPhone), to: link.phone)
    }

    /// True for the frames about which the rules guarantee something after a loss.
    private static func mayGetLost(_ frame: Frame) -> Bool {
        switch frame.body {
        case .send, .sendAck, .message, .messageAck, .syncPhase, .syncAck: true
        default: false
        }
    }

    func pass(_ length: Interval) {
        let end = now + length
        while true {
            let due = ([server.nextDeadline] + phones.map { $0?.nextDeadline }).compactMap { $0 }.min()
            guard let due, due <= end else { break }
            now = max(now, due)
            for phone in users.indices where phones[phone]?.nextDeadline.map({ $0 <= now }) == true {
                feed(.deadlineReached, to: phone)
            }
            if let next = server.nextDeadline, next <= now { feed(.deadlineReached) }
        }
        now = end
    }

    /// Delivers all frames in flight.
    func deliverAll(_ random: inout SeededRandom) {
        for _ in 0..<20_000 {
            guard
                links.contains(where: {
                    !$0.toServer.isEmpty || !$0.toPhone.isEmpty || $0.ofServer == nil || $0.isClosed
                })
            else { return }
            deliverOne(&random, loses: false)
        }
    }
}
