import IMClient
import IMProtocol
import IMServer
import IMTree
import SansIO
import TestSupport
import Testing

/// Tests with random inputs about the tree: frames in any order for one machine, and clients on bad networks with a
/// server.
@Suite struct TreeStormTests {
    @Test(
        "SYNC-10 C-1 C-15 P8 P20: after random inputs the apps have the server's data", arguments: Array(UInt64(0)..<30)
    )
    func converges(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let exchange = TreeExchange(phones: 3)
        exchange.keepsPresence = seed.isMultiple(of: 2)
        for phone in 0..<3 { exchange.command(.tree(.listen(path: ".info/connected")), to: phone) }
        for _ in 0..<600 { TreeStormTests.step(exchange, &random) }
        // From here on, all networks work.
        for _ in 0..<6 {
            for phone in 0..<3 { exchange.command(.goOnline, to: phone) }
            exchange.deliverAll()
            exchange.pass(.seconds(15))
            exchange.deliverAll()
        }
        #expect(exchange.violations == [])
        #expect(exchange.incomplete == [[], [], []])
        for phone in 0..<3 {
            #expect(exchange.phones[phone].state == .online)
            for (query, value) in exchange.notifiedValues[phone] {
                let expected: TreeNode =
                    query.path == ".info/connected" ? .bool(true) : exchange.value(query.path).given(by: query.query)
                #expect(value == expected, "seed \(seed), phone \(phone), \(query)")
            }
            if exchange.keepsPresence { #expect(exchange.value("status/\(phone)") == .text("online")) }
        }
    }

    private static func step(_ exchange: TreeExchange, _ random: inout SeededRandom) {
        let phone = Int(random.below(3))
        switch random.below(24) {
        case 0: exchange.breakLink(of: phone, silently: true)
        case 1: exchange.breakLink(of: phone, silently: false)
        case 2: exchange.feed(.networkChanged(.up), to: phone)
        case 3: exchange.pass(random.interval(upTo: .seconds(30)))
        case 4: exchange.command(random.below(2) == 0 ? .goOffline : .goOnline, to: phone)
        case 5: if random.below(8) == 0 { exchange.restartServer() }
        case 6, 7: exchange.openLinks()
        case 8...13:
            // With presence, other writes use a separate path, so that they cannot be taken for presence writes.
            let command = TreeChance.command(&random, under: exchange.keepsPresence ? "data" : "")
            exchange.command(.tree(command), to: phone)
        case 14: exchange.deliverAll()
        default: exchange.deliverOne(&random)
        }
    }

    @Test("SYNC-6: no tree frames violate an invariant of the server", arguments: Array(UInt64(0)..<12))
    func server(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let server = GuestServer()
        for step in 0..<1500 {
            let id = UInt32(random.below(5))
            var lines: [String] = []
            switch random.below(12) {
            case 0: lines = server.join(id, "phone\(random.below(3))")
            case 1: lines = server.close(id)
            case 2: lines = server.wait(Int64(random.below(40)))
            case 3:
                lines = server.receive(
                    id, .treeData(TreeData(listen: 1, path: "k0", .set(TreeChance.wildValue(&random)))))
            case 4: if random.below(20) == 0 { server.restart() }
            case 5...8: lines = server.receive(id, .tree(TreeChance.request(&random)))
            default: lines = server.receive(id, .tree(TreeChance.wildRequest(&random)))
            }
            #expect(lines.count < 600, "seed \(seed), step \(step)")
        }
        server.restart()
        server.join(1, "reader")
        for effect in server.machine.answer(to: .tree(.get(path: ""))) {
            guard case .send(_, let frame) = effect, case .treeAck(let status, let value) = frame.body else { continue }
            #expect(status == .ok && value.isSound)
            #expect(try Frame(bytes: frame.bytes()) == frame)
        }
    }

    @Test("C-1 C-2 SYNC-5: no order of inputs violates an invariant of the client", arguments: Array(UInt64(0)..<12))
    func client(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var phone = ClientMachine(
            policy: TreeExchange.clientPolicy, device: Device(id: "phone", platform: .ios), seed: seed)
        var now = Instant.zero
        var commands: UInt32 = 0
        var completions: [UInt32: Int] = [:]
        var links: Set<ConnectionID> = []
        var link = ConnectionID(0)
        var connected: TreeNode?
        func feed(_ input: ClientInput) {
            switch input {
            case .linkFailed(let id, _), .linkClosed(let id, _): links.remove(id)
            default: break
            }
            for effect in phone.handle(input, at: now) {
                switch effect {
                case .connect(let id):
                    links.insert(id)
                    link = id
                case .closeLink(let id): links.remove(id)
                case .complete(let id, _): completions[id.rawValue, default: 0] += 1
                case .notify(.treeValue(".info/connected", let value, _)): connected = value
                case .send, .persist, .keep, .data, .notify, .transition: break
                }
            }
        }
        for step in 0..<2000 {
            if random.below(4) == 0 { now = now + random.interval(upTo: .seconds(30)) }
            let id = random.below(8) == 0 ? ConnectionID(UInt32(random.below(50))) : link
            switch random.below(14) {
            case 0, 1: feed(.linkOpened(id))
            case 2, 3: feed(.frameReceived(id, Frame(.loginAck(LoginReply(.ok, epoch: 1)))))
            case 4: feed(random.below(2) == 0 ? .linkFailed(id, .refused) : .linkClosed(id, .reset))
            case 5: feed(.deadlineReached)
            case 6:
                let number = UInt32(random.below(400))
                feed(.frameReceived(id, Frame(request: number, .treeAck(.ok, TreeChance.value(&random, depth: 0)))))
            case 7:
                feed(
                    .frameReceived(
                        id, Frame(.treeData(TreeData(listen: 1, path: "k0", .set(TreeChance.wildValue(&random)))))))
            case 8:
                let status = Status.allCases[Int(random.below(UInt64(Status.allCases.count)))]
                feed(.frameReceived(id, Frame(request: UInt32(random.below(400)), .treeAck(status, .null))))
            default:
                commands += 1
                let command: ClientCommand =
                    switch random.below(20) {
                    case 0: .logout(keepsPush: true)
                    case 1, 2: .goOffline
                    case 3, 4: .goOnline
                    case 5...9: .tree(TreeChance.wildCommand(&random), clock: TokenClock(deviceMilliseconds: .max))
                    default: .tree(TreeChance.command(&random))
                    }
                feed(.command(CommandID(commands), command))
                if phone.state == .online, random.below(9) == 0 {
                    commands += 1
                    feed(.command(CommandID(commands), .tree(.listen(path: ".info/connected"))))
                }
            }
            let isCorrect = links.count <= 1 && completions.values.allSatisfy { $0 == 1 }
            #expect(isCorrect, "seed \(seed), step \(step): \(links), \(completions.filter { $0.value != 1 })")
            if phone.state != .online && connected == .bool(true) && phone.state != .loggedOut {
                Issue.record("seed \(seed), step \(step): connected while \(phone.state)")
            }
        }
        commands += 1
        feed(.command(CommandID(commands), .logout(keepsPush: true)))
        for _ in 0..<20 where phone.nextDeadline != nil {
            now = max(now, phone.nextDeadline ?? now)
            feed(.deadlineReached)
        }
        #expect(phone.nextDeadline == nil && links.isEmpty)
        #expect(completions.count == Int(commands) && completions.values.allSatisfy { $0 == 1 })
    }
}
