import IMProtocol
import SansIO

// What follows when an attempt fails or a link breaks: retry, wait, or give up.

/// How a link ends.
enum LinkEnd {
    /// It could not be made, or broke: there is nothing to close.
    case byItself
    case byUs
}

extension ClientMachine {
    /// The link is of no use any more: it has ended, or is to be.
    mutating func linkEnded(_ end: LinkEnd, at now: Instant, into effects: inout [ClientEffect]) {
        switch phase {
        case .attempting: attemptFailed(.connectionFailed, end, at: now, into: &effects)
        case .online(let login, let link, let since):
            linkBroken(login, link, end, onlineSince: since, at: now, into: &effects)
        case .leaving: finishLogout(.connectionFailed, end, at: now, into: &effects)
        case .loggedOut, .kicked, .tokenExpired: endAccountCall(.connectionFailed, end, into: &effects)
        case .waiting, .paused: break
        }
    }

    /// A host has refused the connection. The attempt goes to the next host at once; after the last one it has failed.
    mutating func linkRefused(at now: Instant, into effects: inout [ClientEffect]) {
        guard case .attempting(let login, let link, .linking) = phase else {
            return linkEnded(.byItself, at: now, into: &effects)
        }
        let hostsRefused = (link.hostsRefused ?? 0) + 1
        guard hostsRefused < policy.hostCount else { return linkEnded(.byItself, at: now, into: &effects) }
        announce(.linkFailed, into: &effects)
        beginAttempt(login, because: .retrying, at: now, into: &effects)
        changeLink { $0.hostsRefused = hostsRefused }
    }

    /// The attempt has failed with what the server or the link said.
    mutating func attemptFailed(
        _ status: Status, _ end: LinkEnd, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard case .attempting(let login, _, let stage) = phase else { return }
        endLink(end, into: &effects)
        switch stage {
        case .linking: announce(.linkFailed, into: &effects)
        case .authenticating: announce(.loginFailed, into: &effects)
        case .syncing: announce(.connectionLost, into: &effects)
        }
        failRequests(.connectionFailed, into: &effects)
        let isRefusedForGood = status.isFatalForLogin && (policy.refusalEndsLogin || !login.isEstablished)
        let isOfToken = status == .credentialExpired || (status == .wrongCredential && !policy.refusalEndsLogin)
        if isOfToken && (login.isEstablished || login.mode == .offline) && policy.features.contains(.tokenRenewal) {
            // Not a wrong password: a new token mends it (RTM-5, ZIM-6).
            if policy.tokenExpiryEndsLogin { return endExpired(login, into: &effects) }
            wait(login, because: .interrupted, at: now, into: &effects)
            tokenExpired(at: now, into: &effects)
        } else if isRefusedForGood || !login.retries {
            giveUp(login, status, into: &effects)
        } else if retryCountMax > 0 && login.retryCount >= retryCountMax {
            giveUp(login, .retryLimitReached, into: &effects)
        } else {
            wait(login, because: .interrupted, at: now, into: &effects)
        }
    }

    private mutating func linkBroken(
        _ login: Login, _ link: Link, _ end: LinkEnd, onlineSince: Instant, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        endLink(end, into: &effects)
        announce(.connectionLost, into: &effects)
        failRequests(.connectionFailed, into: &effects)
        var login = login
        if policy.interruptionGrace > .zero && !login.isInterruptionHidden {
            login.isInterruptionHidden = true
            // A link that had gone silent counts as interrupted from its last sign of life; that it broke is one, unless
            // the device slept and cannot know when that was.
            let lastHeard = link.heardBeforeSleep ?? (end == .byItself ? now : link.lastHeard ?? now)
            let since = now - lastHeard > policy.heartbeatInterval * 2 ? lastHeard : now
            timers.set(.grace, at: max(now, since + policy.interruptionGrace))
        }
        // The app's own waits hold for the first retry, too (NIM-5).
        let isAtOnce = ownRetryDelays.isEmpty && !policy.firstRetryWaits && now - onlineSince >= policy.stableAfter
        if isAtOnce && !login.isTokenExpired {
            beginAttempt(login, because: .interrupted, at: now, into: &effects)
        } else {
            wait(login, because: .interrupted, at: now, into: &effects)
        }
    }

    /// Lets the next retry wait for its time (C-9).
    private mutating func wait(
        _ login: Login, because reason: StateReason, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard !login.isTokenExpired else { return enter(.waiting(login), because: reason, into: &effects) }
        let delays = ownRetryDelays.isEmpty ? policy.retryDelays : ownRetryDelays
        let delay = delays.isEmpty ? .seconds(1) : delays[min(login.retryCount, delays.count - 1)]
        let jitterMax = Interval(nanoseconds: (delay * policy.retryJitterPerMille).nanoseconds / 1000)
        // No wait is longer than the longest of the list (C-9).
        let longest = delays.max() ?? delay + jitterMax
        timers.set(.retry, at: now + min(delay + random.interval(upTo: jitterMax), longest))
        enter(.waiting(login), because: reason, into: &effects)
    }

    mutating func retryDue(at now: Instant, into effects: inout [ClientEffect]) {
        guard case .waiting(var login) = phase, !login.isTokenExpired else { return }
        login.retryCount = login.retryCount.successorOrMax
        beginAttempt(login, because: .retrying, at: now, into: &effects)
    }

    /// The time for which the broken link was the SDK's secret is over (RTM-3).
    mutating func revealInterruption(into effects: inout [ClientEffect]) {
        switch phase {
        case .attempting(var login, let link, let stage):
            login.isInterruptionHidden = false
            enter(.attempting(login, link, stage), because: .interrupted, into: &effects)
        case .waiting(var login):
            login.isInterruptionHidden = false
            enter(.waiting(login), because: .interrupted, into: &effects)
        case .loggedOut, .online, .leaving, .kicked, .tokenExpired, .paused: break
        }
    }

    /// Ends a login that cannot go on. A command that still waits for it learns why; otherwise the app is told.
    private mutating func giveUp(_ login: Login, _ status: Status, into effects: inout [ClientEffect]) {
        clearLogin()
        local.lastResult = status
        switch status {
        // NIM-3, CHAT-10: what the server said of the user or of the place holds until somebody logs in by hand.
        case .wrongCredential, .credentialExpired, .banned, .tooManyDevices, .deviceChanged:
            local.autologinAllowed = false
        default:
            // NIM-3: after a failed manual login there is no automatic one. Elsewhere a network that fails says nothing
            // of the user (C-11).
            if policy.failedLoginForbidsAutologin && login.mode == .manual && !login.isEstablished {
                local.autologinAllowed = false
            }
        }
        effects.append(.persist(local))
        let reason: StateReason =
            switch status {
            case .timeout: .loginTimedOut
            case .wrongCredential, .credentialExpired: .credentialRefused
            default: .loginFailed
            }
        enter(.loggedOut(nil), because: reason, into: &effects)
        if login.retries {
            let isAutologinEnd = policy.announcesAutologinEnd && !login.isEstablished
            effects.append(.notify(isAutologinEnd ? .autologinCompleted(status) : .autologinFailed(status)))
        }
        // Nobody logs a guest in who could be told why; the calls are all that waits for it.
        failCalls(login.mode == .guest ? status : .cancelled, into: &effects)
        complete(login.command, status, into: &effects)
    }

    mutating func networkChanged(_ change: NetworkChange, at now: Instant, into effects: inout [ClientEffect]) {
        switch change {
        case .up:
            connectAnew(at: now, into: &effects)
            tryAtOnce(at: now, into: &effects)
        case .down: break  // The link says so itself.
        case .switched:
            if login != nil { announce(.networkChanged, into: &effects) }
            connectAnew(at: now, into: &effects)
            tryAtOnce(at: now, into: &effects)
        }
    }

    /// A link that is being made was begun on the network of before, and may hang there for as long as an attempt may
    /// take: it is begun anew on this one (C-9).
    private mutating func connectAnew(at now: Instant, into effects: inout [ClientEffect]) {
        connectCallAnew(into: &effects)
        guard case .attempting(let login, _, .linking) = phase else { return }
        endLink(.byUs, into: &effects)
        announce(.linkFailed, into: &effects)
        beginAttempt(login, because: .retrying, at: now, into: &effects)
    }

    mutating func appChanged(_ change: AppChange, at now: Instant, into effects: inout [ClientEffect]) {
        switch change {
        case .background: break
        case .closing: close(into: &effects)
        case .foreground, .woke:
            // The link may have died meanwhile: ask it before trusting it (C-10). A heartbeat that was out when the
            // process was suspended could not be seen to be answered.
            if case .woke = change {
                timers.cancel(.heartbeatAnswer)
                changeLink { $0.woke(at: now) }
            }
            probe(at: now, into: &effects)
        case .clockSet(let jump):
            // Deadlines are monotonic and stay; only a token's validity may have to be read anew (C-10).
            _ = tree.clock.jump(by: jump)
            if wall.jump(by: jump), let login { watchToken(of: login, at: now) }
            probe(at: now, into: &effects)
        }
    }

    /// Asks a link that may have died whether it lives, and tries at once where a retry waits.
    private mutating func probe(at now: Instant, into effects: inout [ClientEffect]) {
        tryAtOnce(at: now, into: &effects)
        if case .online = phase { beat(at: now, into: &effects) }
    }

    /// A waiting retry need not wait when there is reason to think that it will work (C-9).
    private mutating func tryAtOnce(at now: Instant, into effects: inout [ClientEffect]) {
        if case .waiting = phase { retryDue(at: now, into: &effects) }
    }

    /// The peer broke the protocol: the link is ended in order, and the login goes on as after any broken link.
    mutating func endLinkForViolation(at now: Instant, into effects: inout [ClientEffect]) {
        if let link, link.isOpen {
            effects.append(.send(link.id, Frame(.goodbye(.protocolViolation, detail: ""))))
        }
        linkEnded(.byUs, at: now, into: &effects)
    }

    /// Lets go of the login's link, for a phase that has none or another one, which follows at once. Whatever it still
    /// says is then of an old generation.
    mutating func endLink(_ end: LinkEnd, into effects: inout [ClientEffect]) {
        guard login != nil, let link else { return }
        if end == .byUs { effects.append(.closeLink(link.id)) }
        endSync()
    }

    /// Removes everything that belongs to the login that ends; its timers go with its phase (C-4, C-5).
    mutating func clearLogin() {
        otherDevices.removeAll()
        // What the user queued, watched and set is not the next user's (C-14).
        messages.failed.removeAll()
        holdings = ClientHoldings()
        calls.pages = nil
        isSyncAnnounced = false
    }
}
