import IMClient
import IMDebugger
import IMProtocol
import IMSession
import SansIO

// Patterns of several steps about tokens: their expiry, their renewal, and the clock by which they expire.

extension ScenarioDriver {
    /// A token expires or is renewed while a connection is being opened (P11).
    mutating func renewalInAnAttempt(_ client: String) {
        steps.append(ScenarioStep(client, .login(user: pick(users), .manual, lifetime: .seconds(20))))
        wait(pick([.seconds(1), .seconds(10)]))
        net(client, pick([.switchNetwork, .down, .reset]))
        wait(pick([.milliseconds(15), .seconds(11)]))
        steps.append(ScenarioStep(client, .renewToken(lifetime: nil)))
        net(client, .clear)
        wait(pick([.milliseconds(15), .seconds(21)]))
    }

    /// A token is renewed before it expires, and the login continues after the old expiry (P11, ZIM-6).
    mutating func renewalBeforeExpiry(_ client: String) {
        steps.append(ScenarioStep(client, .login(user: pick(users), .manual, lifetime: .seconds(45))))
        // The renewal comes before or after the warning.
        wait(pick([.seconds(5), .seconds(10), .seconds(20), .seconds(40)]))
        steps.append(ScenarioStep(client, .renewToken(lifetime: pick([nil, .minutes(5), .seconds(40)]))))
        wait(pick([.seconds(20), .seconds(50)]))
    }

    /// A connection is replaced or broken at the time of a token's warning, perhaps during a logout that fails (ZIM-6,
    /// CHAT-11).
    mutating func reconnectBeforeAWarning(_ client: String) {
        ensureOnline(client, pick(users), lifetime: pick([.seconds(45), .minutes(2)]))
        if random.below(3) == 0 { steps.append(ScenarioStep(client, .renewToken(lifetime: pick([nil, .zero])))) }
        for _ in 0...random.below(2) {
            wait(pick([.seconds(5), .seconds(10), .seconds(20)]))
            // A delay makes the server's time arrive late.
            if random.below(3) == 0 { net(client, .delay(pick([.milliseconds(1500), .seconds(3)]), jitter: .zero)) }
            net(client, pick([.reset, .switchNetwork]))
        }
        if random.below(3) == 0 {
            net(client, .halfOpen)
            command(client, .logout(keepsPush: false))
        }
        wait(.minutes(2))
    }

    /// Of two renewals, the first request or its answer arrives after the second (P11, C-3).
    mutating func renewalsOutOfOrder(_ client: String) {
        ensureOnline(client, pick(users))
        let (frame, direction): (String, LinkDirection) = pick([
            ("renew-token", .toServer), ("renew-token-ack", .toClient),
        ])
        net(client, .rule(FrameRule(.hold, frame: frame, direction: direction, count: 1)))
        steps.append(ScenarioStep(client, .renewToken(lifetime: pick([.seconds(40), .seconds(45), .minutes(5)]))))
        wait(.milliseconds(50))
        steps.append(ScenarioStep(client, .renewToken(lifetime: pick([nil, .minutes(5)]))))
        wait(.milliseconds(50))
        net(client, .clear)
        wait(pick([.seconds(1), .seconds(50)]))
    }

    /// The app offers an invalid token, and the login continues with the previous one (P11).
    mutating func refusedRenewal(_ client: String) {
        steps.append(ScenarioStep(client, .login(user: pick(users), .manual, lifetime: nil)))
        wait(.seconds(1))
        steps.append(ScenarioStep(client, .renewWrongly))
        wait(pick([.milliseconds(15), .seconds(1)]))
        net(client, pick([.reset, .switchNetwork]))
        wait(.seconds(3))
    }

    /// A token expires between a login request and its answer (P11, RTM-5).
    mutating func tokenExpiryInAnAttempt(_ client: String) {
        ensureOnline(client, pick(users), lifetime: .seconds(20))
        wait(pick([.seconds(16), .seconds(17), .seconds(18)]))
        net(client, .rule(FrameRule(.hold, frame: "login", direction: .toServer, count: 1)))
        net(client, pick([.reset, .switchNetwork]))
        wait(.seconds(4))
        net(client, .release)
        wait(pick([.seconds(1), .seconds(20)]))
        net(client, .clear)
        if random.below(2) == 0 { steps.append(ScenarioStep(client, .renewToken(lifetime: nil))) }
        wait(.seconds(1))
    }

    /// The device's clock is changed while the client has the server's time (C-10).
    mutating func clockSetOnline(_ client: String) {
        let isTimed = policy.features.contains(.tokenRenewal)
        let lifetime: Interval? = isTimed ? .minutes(5) : nil
        steps.append(ScenarioStep(client, .login(user: pick(users), .manual, lifetime: lifetime)))
        wait(.seconds(1))
        steps.append(ScenarioStep(client, .skew(pick([.minutes(60), .minutes(-60)]))))
        wait(pick([.milliseconds(100), .seconds(10)]))
        if random.below(2) == 0 { net(client, pick([.reset, .switchNetwork])) }
        wait(.seconds(1))
    }

    /// The device's clock is changed during an offline login, when the client has no other clock (C-10, ZIM-1).
    mutating func clockSetOffline(_ client: String) {
        let user = pick(users)
        ensureOnline(client, user, lifetime: pick([.minutes(10), .minutes(30)]))
        wait(.seconds(1))
        app(client, .kill)
        net(client, .down)
        app(client, .start)
        steps.append(ScenarioStep(client, .login(user: user, .offline, lifetime: nil)))
        wait(pick([.seconds(1), .seconds(10)]))
        steps.append(ScenarioStep(client, .skew(pick([.minutes(60), .minutes(5), .minutes(-5)]))))
        wait(pick([.seconds(3), .minutes(7)]))
        command(client, .query(.state))
        if random.below(2) == 0 { net(client, .clear) }
        wait(.seconds(2))
    }
}
