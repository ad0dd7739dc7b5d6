import IMProfiles
import IMProtocol
import SansIO
import Testing

@testable import IMClient
@testable import IMServer

/// One client and its server. Their connections lose frames, break, or end at one side only.
private struct Storm {
    private enum Event {
        case client(ClientInput)
        case server(ServerInput)
    }

    var client: ClientMachine
    var server: ServerMachine
    var random: SeededRandom
    var lossPerMille: UInt64 = 0
    private var now = Instant.zero
    private var commands: UInt32 = 0
    private var events: [Event] = []

    init(seed: UInt64) {
        let dialect = AgoraRTMDialect()
        var policy = dialect.clientPolicy
        policy.callRates = []
        client = ClientMachine(policy: policy, device: Device(id: "phone", platform: .ios), seed: seed)
        server = ServerMachine(policy: dialect.serverPolicy, epochMilliseconds: 1_700_000_000_000)
        random = SeededRandom(seed: seed)
    }

    mutating func command(_ command: ClientCommand) {
        commands += 1
        events.append(.client(.command(CommandID(commands), command)))
        drain()
    }

    /// The connection breaks. Only the client detects it, unless `bothEnds` is true.
    mutating func breakLink(bothEnds: Bool) {
        guard let link = client.link else { return }
        events.append(.client(.linkClosed(link.id, .reset)))
        if bothEnds { events.append(.server(.connectionClosed(link.id))) }
        drain()
    }

    mutating func pass(_ interval: Interval) {
        let end = now + interval
        while let next = [client.nextDeadline, server.nextDeadline].compactMap({ $0 }).min(), next <= end {
            now = max(now, next)
            if let due = client.nextDeadline, due <= now { events.append(.client(.deadlineReached)) }
            if let due = server.nextDeadline, due <= now { events.append(.server(.deadlineReached)) }
            drain()
        }
        now = end
    }

    private mutating func drain() {
        while !events.isEmpty {
            switch events.removeFirst() {
            case .client(let input): for effect in client.handle(input, at: now) { perform(effect) }
            case .server(let input): for effect in server.handle(input, at: now) { perform(effect) }
            }
        }
    }

    private mutating func perform(_ effect: ClientEffect) {
        switch effect {
        case .connect(let id): events += [.server(.connectionOpened(id)), .client(.linkOpened(id))]
        case .closeLink(let id): events.append(.server(.connectionClosed(id)))
        case .send(let id, var frame):
            if isLost { return }
            if case .login(var login) = frame.body {
                login.credential = .verdict(CredentialVerdict(.valid, user: login.user))
                frame.body = .login(login)
            }
            events.append(.server(.frameReceived(id, frame)))
        case .persist, .keep, .data, .complete, .notify, .transition: break
        }
    }

    private mutating func perform(_ effect: ServerEffect) {
        switch effect {
        case .send(let id, let frame):
            if !isLost { events.append(.client(.frameReceived(id, frame))) }
        case .close(let id): events.append(.client(.linkClosed(id, .closedByPeer)))
        case .complete, .presence: break
        }
    }

    private var isLost: Bool {
        mutating get { random.below(1000) < lossPerMille }
    }

    /// One random action of a user or of the network.
    mutating func anything() {
        let channel = "c\(random.below(3))"
        let user = "u\(random.below(3))"
        switch random.below(12) {
        case 0, 1: command(.join(channel: channel))
        case 2, 3: command(.leave(channel: channel))
        case 4: command(.watch(user: user, isOn: true))
        case 5: command(.watch(user: user, isOn: false))
        case 6:
            let count = random.below(3)
            let fields = (0..<count).map { AnswerField(name: "a\($0)", value: String(random.below(9))) }
            command(.setAttributes(channel: "", fields))
        case 7: breakLink(bothEnds: true)
        case 8: breakLink(bothEnds: false)
        case 9: pass(.seconds(Int64(random.below(40))))
        default: pass(.milliseconds(Int64(random.below(3000))))
        }
    }
}

@Suite struct AgreementStormTests {
    @Test(
        "C-15: after any losses, client and server agree as soon as the system is idle",
        arguments: 0..<300 as Range<UInt64>
    )
    func agreement(_ seed: UInt64) throws {
        var storm = Storm(seed: seed)
        storm.command(.login(user: "alice", credential: "token", mode: .manual))
        #expect(storm.client.state == .online)
        for loss: UInt64 in [300, 50] {
            storm.lossPerMille = loss
            for _ in 0..<60 { storm.anything() }
            storm.lossPerMille = 0
            storm.pass(.seconds(60))
            let login = try #require(storm.server.accounts["alice"]?.devices["phone"]?.login)
            let connection = try #require(login.connection)
            #expect(storm.client.state == .online && storm.client.link?.id == connection)
            #expect(Set(login.channels) == Set(storm.client.joinedChannels))
            #expect(login.channels.count == storm.client.joinedChannels.count)
            for channel in ["c0", "c1", "c2"] {
                let isMember = storm.server.isMember("alice", device: "phone", of: channel)
                #expect(isMember == storm.client.joinedChannels.contains(channel))
            }
            let watching = storm.server.connections[connection]?.watching ?? []
            #expect(Set(watching) == Set(storm.client.subscriptions.watched.map(\.user)))
            for user in ["u0", "u1", "u2"] {
                #expect((storm.server.watchers[user] == [connection]) == watching.contains(user))
            }
            #expect(storm.server.accounts["alice"]?.attributes == storm.client.subscriptions.attributes)
            #expect(storm.client.calls.requests.isEmpty && storm.client.subscriptions.reconciliation.request == nil)
        }
    }
}
