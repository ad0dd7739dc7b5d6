import IMClient
import IMDebugger
import IMLocalData
import IMProtocol
import IMServer
import IMSession
import IMTree
import SansIO

// Patterns of several steps that random single steps rarely combine, but that cause bugs in the field. This file has
// the patterns for all profiles.

extension ScenarioDriver {
    typealias Pattern = @Sendable (inout ScenarioDriver, _ client: String) -> Void

    mutating func drawPattern(_ client: String) { pick(Self.patterns(policy))(&self, client) }

    /// The patterns that apply to the profile.
    private static func patterns(_ policy: ClientPolicy) -> [Pattern] {
        let features = policy.features
        var patterns: [Pattern] = [
            { $0.lateAnswer($1) }, { $0.sleepAndWake($1) }, { $0.restartInAPhase($1) }, { $0.serverRestart($1) },
            { $0.silentLink($1) }, { $0.flappingNetwork($1) }, { $0.longOutage($1) },
            { $0.heldDuringBreak($1) }, { $0.lateResyncAnswer($1) }, { $0.twoRules($1) },
        ]
        if features.contains(.tree) { return patterns + treePatterns }
        patterns += loginPatterns
        if features.contains(.autologin) {
            patterns += [{ $0.loginAfterOtherDevice($1) }, { $0.fewRetries($1) }, { $0.autologinAfterLogout($1) }]
        }
        if features.contains(.accountCalls) { patterns.append { $0.adminCall($1) } }
        if features.contains(.tokenRenewal) {
            patterns += [
                { $0.renewalInAnAttempt($1) }, { $0.renewalBeforeExpiry($1) }, { $0.refusedRenewal($1) },
                { $0.renewalsOutOfOrder($1) }, { $0.reconnectBeforeAWarning($1) }, { $0.tokenExpiryInAnAttempt($1) },
            ]
        }
        if features.contains(.messages) {
            patterns += [
                { $0.oneOfThreeMessagesLost($1) },
                { $0.messagesWhileAway($1) }, { $0.firstOfSeveralLost($1) }, { $0.lostAcknowledgement($1) },
                { $0.deadProcess($1) }, { $0.notifiedAndKilled($1) }, { $0.moreMessagesThanStored($1) },
            ]
        }
        if features.contains(.resend) { patterns.append { $0.severalFailed($1) } }
        if features.contains(.offlineLogin) {
            patterns.append { $0.sentBeforeConnection($1) }
            if features.contains(.tokenRenewal) { patterns.append { $0.clockSetOffline($1) } }
        }
        if features.contains(.localCalls) {
            patterns +=
                [{ $0.localChangeLost($1) }, { $0.changeLost($1) }, { $0.changeAheadOfAPage($1) }] + dataPatterns
            patterns.append { $0.endDuringACall($1) }
        }
        if features.contains(.operations) {
            patterns += [{ $0.operationsLost($1) }, { $0.markedOnAnotherDevice($1) }, { $0.deletedWhileAway($1) }]
        }
        if features.contains(.presence) { patterns += [{ $0.watchLostAfterBreak($1) }, { $0.watchedUserLeaves($1) }] }
        if features.contains(.presence) || features.contains(.channels) { patterns.append { $0.watchedUserLeaves($1) } }
        if features.contains(.messageQueue) { patterns.append { $0.messagesThatWait($1) } }
        if features.contains(.channels) {
            patterns += [
                { $0.twoDevicesInAChannel($1) }, { $0.requestsOutOfOrder($1) }, { $0.joinedByEarlierLogin($1) },
                { $0.lowChannelLimits($1) }, { $0.channelCreatedAgain($1) },
            ]
        }
        // Listed twice, because no other pattern covers messages that a member of a channel missed.
        if features.contains(.attributes) { patterns += [{ $0.gapInAChannel($1) }, { $0.gapInAChannel($1) }] }
        if features.contains(.attributes) {
            patterns += [
                { $0.attributesLost($1) }, { $0.presenceLost($1) }, { $0.joinedWhileReconciling($1) },
                { $0.joinedAfterSnapshot($1) }, { $0.attributesForgotten($1) },
            ]
        }
        if !policy.callRates.isEmpty { patterns.append { $0.tooManyCalls($1) } }
        if policy.sync == .beforeOnline {
            patterns += [{ $0.lostKickInSync($1) }, { $0.messageBeforeASync($1) }]
        }
        if policy.sync == .whileOnline { patterns.append { $0.partOfASyncLost($1) } }
        if policy.sync != .never { patterns += [{ $0.partOfASyncLost($1) }, { $0.itemsOfTwoUsers($1) }] }
        return patterns
    }

    // MARK: Initial states

    /// Logs in the client with the user, whatever the client's state is.
    mutating func ensureOnline(_ client: String, _ user: String, lifetime: Interval? = nil) {
        app(client, .start)
        net(client, .clear)
        command(client, .logout(keepsPush: false))
        wait(.milliseconds(50))
        steps.append(ScenarioStep(client, .login(user: user, .manual, lifetime: lifetime)))
        wait(.milliseconds(100))
    }

    /// The first other client; nil if there is only one client.
    func other(than client: String) -> String? { clients.first { $0 != client } }

    /// The first user other than `user`.
    func other(thanUser user: String) -> String { (users + Self.people).first { $0 != user } ?? user }

    // MARK: Networks, processes, the server

    /// The network holds an answer until its time limit has passed, and then releases it (P1, C-3).
    mutating func lateAnswer(_ client: String) {
        let answers = ["login-ack", "join-ack", "send-ack", "renew-token-ack", "tree-ack", "heartbeat-ack", "*"]
        net(client, .rule(FrameRule(.hold, frame: pick(answers), direction: .toClient, count: 1)))
        drawStep()
        wait(pick([.seconds(4), .seconds(6), .seconds(11), .seconds(35)]))
        if random.below(2) == 0 { drawStep() }
        net(client, .release)
        wait(.milliseconds(30))
    }

    /// A device sleeps, gets commands during the sleep, and wakes (P10).
    mutating func sleepAndWake(_ client: String) {
        app(client, .sleep(pick([.seconds(20), .seconds(70), .minutes(3)])))
        for _ in 0...random.below(2) { drawStep() }
        wait(pick([.seconds(71), .seconds(181)]))
        app(client, .foreground)
    }

    /// The process ends between the start and the completion of a login.
    mutating func restartInAPhase(_ client: String) {
        if !policy.features.contains(.tree) { login(client) }
        wait(pick([.milliseconds(5), .milliseconds(15), .milliseconds(25), .milliseconds(45), .milliseconds(70)]))
        restart(client)
    }

    /// The server restarts from its stored state.
    mutating func serverRestart(_ client: String) {
        let isHalf = random.below(2) == 0
        if isHalf { net(client, .halfOpen) }
        drawStep()
        wait(pick([.milliseconds(20), .seconds(1)]))
        steps.append(ScenarioStep("server", .serverProcess(.restart)))
        if isHalf { net(client, .clear) }
        wait(pick([.milliseconds(50), .seconds(3), .seconds(20)]))
    }

    /// The network drops packets for about as long as the detection takes (C-12).
    mutating func silentLink(_ client: String) {
        net(client, .halfOpen)
        wait(pick([policy.heartbeatInterval, policy.heartbeatInterval * 2, .seconds(36), .seconds(95)]))
        if random.below(2) == 0 { drawStep() }
        net(client, .clear)
    }

    /// The network drops all frames until the retry delays have reached their maximum (C-9).
    mutating func longOutage(_ client: String) {
        net(client, pick([.halfOpen, .down]))
        wait(pick([.minutes(5), .minutes(8)]))
        net(client, .clear)
        wait(.seconds(1))
    }

    /// The network holds a frame to the server, breaks, and then releases the frame.
    mutating func heldDuringBreak(_ client: String) {
        net(client, .rule(FrameRule(.hold, frame: FrameRule.anyFrame, direction: .toServer, count: 1)))
        drawStep()
        wait(pick([.milliseconds(15), .milliseconds(50)]))
        net(client, pick([.down, .switchNetwork]))
        wait(pick([.milliseconds(15), .seconds(1)]))
        net(client, .release)
        wait(pick([.milliseconds(50), .seconds(12)]))
        net(client, .clear)
    }

    /// Two rules apply to one frame, by its name or as any frame. The first of them decides (C-16).
    mutating func twoRules(_ client: String) {
        let named = pick(frames())
        var actions: [FrameAction] = [.drop, .duplicate, .hold]
        for _ in 0...1 {
            let action = actions.remove(at: Int(random.below(UInt64(actions.count))))
            let frame = random.below(4) == 0 ? FrameRule.anyFrame : named.frame
            net(client, .rule(FrameRule(action, frame: frame, direction: named.way, count: pick([1, 2]))))
        }
        for _ in 0...random.below(3) {
            drawStep()
            wait(pick([.milliseconds(30), .seconds(1)]))
        }
        net(client, .clear)
        wait(.seconds(1))
    }

    /// A notification is lost. The answer to a resync arrives after the answer to a later resync (C-3, C-15).
    mutating func lateResyncAnswer(_ client: String) {
        guard let other = other(than: client), !policy.features.contains(.tree) else { return silentLink(client) }
        let user = pick(users)
        ensureOnline(client, user)
        ensureOnline(other, user)
        net(client, .rule(FrameRule(.drop, frame: "devices-changed", direction: .toClient, count: 1)))
        net(client, .rule(FrameRule(.hold, frame: "resync-ack", direction: .toClient, count: 1)))
        command(other, .logout(keepsPush: false))
        wait(policy.heartbeatInterval * 2 + .seconds(1))
        steps.append(ScenarioStep(other, .login(user: user, .manual, lifetime: nil)))
        wait(.seconds(1))
        net(client, .release)
        wait(.seconds(1))
    }

    /// The network is repeatedly down for a short time, as in a lift.
    mutating func flappingNetwork(_ client: String) {
        for _ in 0...random.below(3) {
            net(client, .down)
            wait(pick([.milliseconds(20), .seconds(1), .seconds(5)]))
            net(client, .up)
            wait(pick([.milliseconds(5), .milliseconds(15), .milliseconds(40), .seconds(1)]))
        }
    }
}
