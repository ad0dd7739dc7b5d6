import IMClient
import IMDebugger
import IMLocalData
import IMProtocol
import IMServer
import IMSession
import IMTree
import SansIO

// Patterns of several steps about logins: slots, tokens and the ends of logins.

extension ScenarioDriver {
    static let loginPatterns: [Pattern] = [
        { $0.logoutInTransition($1) }, { $0.slotTakenWhileAway($1) }, { $0.endedWhileAway($1) },
        { $0.endedWhileAway($1) }, { $0.twoAccountsInTurn($1) }, { $0.manyLogins($1) }, { $0.clockSetOnline($1) },
        { $0.fullGroup($1) }, { $0.reconnectBeforeDetection($1) }, { $0.refusedForAWhile($1) },
        { $0.wrongPassword($1) },
        { $0.tooManyStoredDevices($1) }, { $0.heldLogin($1) },
    ]

    /// The network holds a login request, which arrives after another login of the same device (P1, C-8).
    mutating func heldLogin(_ client: String) {
        let user = pick(users)
        if random.below(2) == 0 { ensureOnline(client, user) } else { command(client, .logout(keepsPush: false)) }
        wait(.milliseconds(50))
        net(client, .rule(FrameRule(.hold, frame: "login", direction: .toServer, count: 1)))
        login(client, user)
        net(client, pick([.reset, .switchNetwork]))
        wait(pick([.milliseconds(50), .seconds(3)]))
        // The held login request may be one of a reconnect.
        if random.below(3) == 0 {
            net(client, .switchNetwork)
            wait(pick([.milliseconds(100), .seconds(8)]))
        }
        // Another process of the device may log in before the held request arrives (RTM-6).
        if let other = sharing.first(where: { $0 != client }), sharing.contains(client) {
            ensureOnline(other, user)
        } else if random.below(2) == 0 {
            login(client, user)
        }
        wait(pick([.milliseconds(50), .seconds(5)]))
        net(client, pick([.release, .clear]))
        wait(.seconds(2))
    }

    /// A logout at most one second after another step (P2, P3).
    mutating func logoutInTransition(_ client: String) {
        drawStep()
        wait(pick([.milliseconds(5), .milliseconds(15), .milliseconds(45), .milliseconds(200), .seconds(1)]))
        command(client, .logout(keepsPush: false))
        if random.below(2) == 0 { login(client) }
        wait(pick([.milliseconds(15), .seconds(3), .seconds(12)]))
    }

    /// An admin call: a client without a login lists or ends the devices of an account. A logout, a login or the app's
    /// end interrupts the call (CHAT-6, C-4).
    mutating func adminCall(_ client: String) {
        let user = pick(users)
        // If an app's process ended without a logout, its next process may log in automatically, even during the call.
        let mayReturn = policy.features.contains(.autologin) && random.below(3) == 0
        if mayReturn {
            ensureOnline(client, user)
            startNewProcess(client)
        } else if random.below(3) == 0 {
            ensureOnline(client, user)
            steps.append(.server(.kick(user: user, device: nil)))
            wait(.milliseconds(100))
        } else {
            command(client, .logout(keepsPush: false))
            wait(.milliseconds(100))
        }
        let isSlow = random.below(2) == 0
        if isSlow { net(client, .delay(pick([.milliseconds(200), .seconds(1)]), jitter: .zero)) }
        steps.append(ScenarioStep(client, .accountCall(user: pick(users), pick([.kickAll, .listDevices]))))
        wait(pick([.milliseconds(5), .milliseconds(15), .milliseconds(25), .milliseconds(300)]))
        switch random.below(4) {
        case 0, 1: command(client, .logout(keepsPush: false))
        case 2: login(client)
        default:
            if mayReturn {
                steps.append(ScenarioStep(client, .login(user: user, .automatic, lifetime: nil)))
            } else {
                app(client, .close)
            }
        }
        if isSlow { net(client, .delay(.zero, jitter: .zero)) }
        wait(pick([.milliseconds(100), .seconds(10)]))
        app(client, .start)
    }

    /// A device is disconnected while another device takes its slot, and then reconnects (P6).
    mutating func slotTakenWhileAway(_ client: String) {
        let user = pick(users)
        steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
        wait(.seconds(1))
        net(client, pick([.halfOpen, .down]))
        let taker = pick(clients)
        steps.append(ScenarioStep(taker, .login(user: user, .manual, lifetime: nil)))
        wait(pick([.milliseconds(100), .seconds(3), .seconds(40), .seconds(100)]))
        if taker != client, random.below(3) == 0 {
            // The device that took the slot reconnects.
            net(taker, .reset)
            wait(.seconds(3))
        }
        net(client, .clear)
        wait(pick([.milliseconds(50), .seconds(5)]))
    }

    /// A login ends while its device cannot be notified. The server may restart before it notifies the device (C-7).
    mutating func endedWhileAway(_ client: String) {
        let user = pick(users)
        let other = random.below(4) == 0 ? client : other(than: client) ?? client
        if random.below(4) != 0, other != client { ensureOnline(other, user) }
        ensureOnline(client, user)
        wait(.seconds(1))
        if random.below(3) == 0 {
            // The device does not receive the answer to its last login request.
            startNewProcess(client)
            net(client, .rule(FrameRule(.drop, frame: "login-ack", direction: .toClient, count: 1)))
            login(client, user)
            wait(pick([.milliseconds(100), .seconds(1)]))
        }
        switch random.below(4) {
        case 0: net(client, .rule(FrameRule(.drop, frame: pick(["kicked", "kicked-ack"]), direction: nil, count: 1)))
        case 1: net(client, .down)
        case 2: app(client, .kill)
        default: net(client, .halfOpen)
        }
        // The longest wait exceeds the silence limit. The server then ends the connection, which frees the slot under
        // some policies.
        wait(pick([.milliseconds(5), .seconds(1), dialect.serverPolicy.silenceLimit + .seconds(1)]))
        end(user, from: other)
        wait(.milliseconds(100))
        if random.below(2) == 0 { steps.append(ScenarioStep("server", .serverProcess(.restart))) }
        if random.below(3) == 0 { app(client, .kill) }
        net(client, .clear)
        wait(pick([.milliseconds(50), .seconds(5), .seconds(40)]))
        app(client, .start)
        if random.below(2) == 0 { login(client, user) }
        wait(.seconds(1))
    }

    /// The server reaches its limit of stored devices. One of the stored devices is disconnected, and another has
    /// logged out (C-6).
    mutating func tooManyStoredDevices(_ client: String) {
        guard clients.count > 2 else { return slotTakenWhileAway(client) }
        let others = clients.filter { $0 != client }
        let user = pick(users)
        set("devices-kept-max", "2")
        for name in [client, others[0]] {
            steps.append(ScenarioStep(name, .login(user: user, .manual, lifetime: nil)))
            wait(.milliseconds(100))
        }
        net(client, .down)
        wait(pick([.seconds(1), .seconds(100)]))
        command(others[0], .logout(keepsPush: false))
        wait(.milliseconds(100))
        steps.append(ScenarioStep(others[1], .login(user: user, .manual, lifetime: nil)))
        wait(.seconds(1))
        net(client, .clear)
        wait(.seconds(5))
        set("devices-kept-max", String(dialect.serverPolicy.devicesKeptMax))
    }

    /// Ends a user's login for a random reason.
    private mutating func end(_ user: String, from client: String) {
        switch random.below(8) {
        case 0, 1: steps.append(.server(.kick(user: user, device: nil)))
        case 2: steps.append(endCredentials(of: user))
        case 3:
            steps.append(.server(pick([.banAccount(user), .deleteAccount(user)])))
            wait(.milliseconds(15))
            if random.below(2) == 0 { steps.append(.server(.addAccount(user))) }
        case 4 where policy.features.contains(.kick), 5 where policy.features.contains(.kick):
            command(client, .kick(.otherDevices))
        case 4...6 where policy.features.contains(.accountCalls):
            steps.append(ScenarioStep(client, .accountCall(user: user, .kickAll)))
        default: steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
        }
    }

    /// A password is wrong or is changed, and the app then tries automatic logins (NIM-3, C-11).
    mutating func wrongPassword(_ client: String) {
        let user = pick(users)
        ensureOnline(client, user)
        wait(.seconds(1))
        if random.below(2) == 0 {
            steps.append(endCredentials(of: user))
            wait(.milliseconds(50))
            net(client, pick([.reset, .switchNetwork]))
        } else {
            command(client, .logout(keepsPush: false))
            wait(.milliseconds(50))
            steps.append(ScenarioStep(client, .loginWrongly(user: user)))
        }
        wait(.seconds(1))
        var modes: [LoginMode] = [.manual]
        if policy.features.contains(.autologin) { modes = [.automatic, .automatic, .manual] }
        if policy.features.contains(.offlineLogin) { modes.append(.offline) }
        if random.below(3) == 0 { restart(client) }
        steps.append(ScenarioStep(client, .login(user: user, pick(modes), lifetime: nil)))
        wait(.seconds(1))
    }

    /// A user logs in as often as the server allows and once more, and tries again during the penalty (NIM-8, RTM-9).
    mutating func manyLogins(_ client: String) {
        let user = pick(users)
        let own = dialect.serverPolicy.loginRateMax
        // If the profile has a limit, a lower limit reaches the penalty sooner.
        let limit = own > 0 && random.below(3) != 0 ? 1 + Int(random.below(2)) : own
        if limit != own { set("login-rate-max", String(limit)) }
        for _ in 0...min(max(limit, 1), 12) {
            steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
            wait(.milliseconds(50))
            command(client, .logout(keepsPush: false))
            wait(.milliseconds(50))
        }
        wait(pick([.seconds(1), .seconds(30)]))
        steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
        wait(pick([.seconds(32), .seconds(61)]))
        steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
        wait(.seconds(1))
        if limit != own { set("login-rate-max", String(own)) }
    }

    /// Devices of one user log in one after the other until there are more devices than slots (NIM-11, ZIM-7, CHAT-2).
    mutating func fullGroup(_ client: String) {
        let user = pick(users)
        for name in clients {
            steps.append(ScenarioStep(name, .login(user: user, .manual, lifetime: nil)))
            wait(pick([.milliseconds(30), .seconds(1)]))
        }
    }

    /// For a while, the server refuses all requests of a user. A refused request must not change any state (C-15,
    /// RTM-4).
    mutating func refusedForAWhile(_ client: String) {
        let user = pick(users)
        steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
        wait(.seconds(1))
        steps.append(.server(.setRefusal(user: user, .forbidden)))
        for _ in 0...random.below(3) {
            drawStep()
            if random.below(2) == 0, policy.features.contains(.channels) { drawChannels(client) }
        }
        wait(pick([.milliseconds(100), .seconds(5)]))
        if random.below(2) == 0 { net(client, pick([.reset, .switchNetwork])) }
        wait(.milliseconds(100))
        steps.append(.server(.setRefusal(user: user, nil)))
        wait(.seconds(1))
    }

    /// An app logs in automatically after a login of another device in its group (NIM-4, CHAT-3).
    mutating func loginAfterOtherDevice(_ client: String) {
        let user = pick(users)
        steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
        wait(.seconds(1))
        app(client, .kill)
        let other = pick(clients)
        steps.append(ScenarioStep(other, .login(user: user, .manual, lifetime: nil)))
        wait(pick([.seconds(1), .seconds(100)]))
        // By NIM-4, the server refuses an automatic login if another device was the last to log in. A device that has
        // logged out still counts as the last one.
        if random.below(3) == 0 { command(other, .logout(keepsPush: random.below(2) == 0)) }
        wait(.milliseconds(50))
        app(client, .start)
        steps.append(ScenarioStep(client, .login(user: user, pick([.automatic, .automatic, .forced]), lifetime: nil)))
        wait(.seconds(1))
    }

    /// The app logs in automatically after a logout that may not have reached the server (CHAT-11, NIM-3).
    mutating func autologinAfterLogout(_ client: String) {
        let user = pick(users)
        ensureOnline(client, user)
        wait(.milliseconds(100))
        let isAway = random.below(3) != 0
        if isAway { net(client, pick([.down, .halfOpen])) }
        wait(pick([.milliseconds(100), .seconds(4)]))
        command(client, .logout(keepsPush: random.below(3) == 0))
        wait(pick([.milliseconds(100), .seconds(4)]))
        if random.below(2) == 0 { startNewProcess(client) }
        if isAway { net(client, .clear) }
        steps.append(ScenarioStep(client, .login(user: user, .automatic, lifetime: nil)))
        wait(.seconds(1))
    }

    /// A device reconnects before the server has detected that the old connection broke. Other users watch the device's
    /// user (P8, ZIM-5).
    mutating func reconnectBeforeDetection(_ client: String) {
        guard let watcher = other(than: client) else { return slotTakenWhileAway(client) }
        let user = pick(users)
        ensureOnline(client, user)
        ensureOnline(watcher, other(thanUser: user))
        if policy.features.contains(.presence) { command(watcher, .watch(user: user, isOn: true)) }
        if policy.features.contains(.channels) {
            for name in [client, watcher] { command(name, .join(channel: "lobby")) }
        }
        wait(.milliseconds(100))
        net(client, pick([.switchNetwork, .switchNetwork, .down, .halfOpen]))
        wait(pick([.milliseconds(100), .seconds(5)]))
        net(client, .clear)
        wait(pick([.seconds(40), .seconds(100)]))
        reachQuiescence()
    }

    /// The app limits the number of retries or sets their delays, and the network drops all frames (NIM-6).
    mutating func fewRetries(_ client: String) {
        if random.below(3) == 0 {
            command(client, .setOption(.retryDelays(pick([[.seconds(1), .seconds(3)], [.seconds(5)]]))))
        } else {
            command(client, .setOption(.retryCountMax(pick([1, 2]))))
        }
        login(client)
        wait(pick([.milliseconds(30), .seconds(1)]))
        net(client, .halfOpen)
        wait(pick([.seconds(60), .seconds(100)]))
        net(client, .clear)
        wait(.seconds(1))
        if random.below(2) == 0 { command(client, .setOption(pick([.retryCountMax(0), .retryDelays([])]))) }
    }

    /// Two users log in on one client, one after the other (P3, C-13).
    mutating func twoAccountsInTurn(_ client: String) {
        for user in [users[0], users[users.count - 1]] {
            if random.below(3) != 0 { command(client, .logout(keepsPush: false)) }
            wait(pick([.milliseconds(5), .milliseconds(30), .seconds(4)]))
            login(client, user)
            wait(pick([.milliseconds(15), .seconds(1)]))
            if random.below(2) == 0, policy.features.contains(.messages) {
                command(client, .send(to: pick(users), text: text()))
                wait(.milliseconds(50))
            }
            if policy.features.contains(.localCalls) { command(client, .call(LocalRequest(.queryConversationList))) }
        }
    }

    /// The network holds the last frame of a sync, and the user is kicked during the sync (P5).
    mutating func lostKickInSync(_ client: String) {
        let user = pick(users)
        command(client, .logout(keepsPush: false))
        wait(.milliseconds(50))
        net(client, .rule(FrameRule(.hold, frame: "sync-done", direction: .toClient, count: 1)))
        steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: nil)))
        wait(pick([.milliseconds(80), .seconds(1)]))
        steps.append(.server(.kick(user: user, device: nil)))
        wait(pick([.milliseconds(50), .seconds(3)]))
        net(client, .clear)
        wait(.seconds(3))
    }
}
