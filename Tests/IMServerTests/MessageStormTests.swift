import IMClient
import IMProfiles
import IMProtocol
import SansIO
import Testing

/// Every acknowledged message reaches each device that should get it exactly once, after any losses, duplicates, broken
/// connections, kills and restarts.
@Suite struct MessageStormTests {
    @Test(
        "C-14 CHAT-8 ZIM-10 RTM-8: every acknowledged message is delivered exactly once to each device that should get it",
        arguments: ["nim", "zim", "agora-chat", "agora-rtm"], Array(UInt64(0)..<12))
    func exactlyOnce(_ profile: String, _ seed: UInt64) throws {
        let dialect = try #require(Dialects.named(profile))
        var random = SeededRandom(seed: seed)
        // If the policy permits two devices of a user at the same time, the test uses two.
        let second = ["nim", "agora-chat"].contains(profile) ? "alice" : "carol"
        let exchange = MessageExchange(dialect, seed: seed &* 1000, users: ["alice", second, "bob"])
        // A device belongs to its user after its first login.
        for phone in 0..<3 { exchange.logIn(phone) }
        exchange.deliverAll(&random)
        for _ in 0..<5000 { step(exchange, &random) }
        for _ in 0..<8 {
            for phone in 0..<3 {
                exchange.start(phone)
                exchange.logIn(phone)
                exchange.feed(.networkChanged(.up), to: phone)
            }
            exchange.deliverAll(&random)
            exchange.pass(.seconds(20))
            exchange.deliverAll(&random)
        }
        // A connection with losses stays open. Lost frames are sent again over it after at most two heartbeats (C-15).
        let resendTime = exchange.dialect.clientPolicy.heartbeatInterval * 2 + .seconds(2)
        for _ in 0..<(resendTime.inMilliseconds / 500) {
            exchange.pass(.milliseconds(500))
            exchange.deliverAll(&random)
        }
        check(exchange, "\(profile), seed \(seed)")
    }

    private func check(_ exchange: MessageExchange, _ scenario: String) {
        let copies = exchange.dialect.serverPolicy.copiesToOwnDevices
        var acknowledged = 0
        for sent in exchange.sent {
            let isTaken = sent.status == .ok || sent.status == .stored
            if isTaken { acknowledged += 1 }
            for phone in 0..<3 {
                let isReceiver = exchange.users[phone] == sent.to
                let isCopied = copies && phone != sent.phone && exchange.users[phone] == exchange.users[sent.phone]
                let count = exchange.received[phone][sent.text] ?? 0
                guard isReceiver || isCopied else {
                    #expect(count == 0, "\(scenario): '\(sent.text)' is not for \(phone)")
                    continue
                }
                #expect(count <= 1, "\(scenario): '\(sent.text)' was told \(count) times to \(phone)")
                if isTaken {
                    #expect(count == 1, "\(scenario): '\(sent.text)' was acknowledged and not told to \(phone)")
                }
            }
        }
        // The minimum is low, because a connection transmits about one frame in each direction in a virtual second, and
        // a message times out after ten seconds. The receiver ignores all frames after a lost one, and the sender sends
        // them again (C-15). Acknowledgements are among those frames, so they arrive late.
        #expect(acknowledged > 5, "\(scenario): next to nothing was sent")
    }

    private func step(_ exchange: MessageExchange, _ random: inout SeededRandom) {
        let phone = Int(random.below(3))
        switch random.below(40) {
        case 0: exchange.breakLink(of: phone)
        case 1: exchange.feed(.networkChanged(.up), to: phone)
        case 2: exchange.pass(random.interval(upTo: .seconds(12)))
        case 3: if random.below(3) == 0 { exchange.kill(phone) }
        case 4, 5:
            exchange.start(phone)
            exchange.logIn(phone)
        case 6: if random.below(8) == 0 { exchange.restartServer() }
        case 7: exchange.command(.resend, to: phone)
        case 8: if random.below(6) == 0 { exchange.command(.logout(keepsPush: true), to: phone) }
        case 9...12: exchange.send(phone, to: ["alice", "bob", exchange.users[1]][Int(random.below(3))])
        default: exchange.deliverOne(&random, loses: true)
        }
    }
}
