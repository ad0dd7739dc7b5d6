import IMProtocol
import SansIO

// The reaction to a failed attempt or a broken connection: retry, wait, or give up.

/// How a connection ends.
enum LinkEndCause {
    /// The connection could not be made, or broke: it need not be closed.
    case byItself
    case byUs
}

extension ClientMachine {
    /// Handles a connection that has ended, or that must be ended.
    mutating func linkEnded(_ end: LinkEndCause, at now: Instant, into effects: inout [ClientEffect]) {
        switch phase {
        case .attempting: attemptFailed(.connectionFailed, end, at: now, into: &effects)
        case .online(let login, let link, let since):
            linkBroken(login, link, end, onlineSince: since, at: now, into: &effects)
        case .leaving: finishLogout(.connectionFailed, end, at: now, into: &effects)
        case .loggedOut, .kicked, .tokenExpired: endAccountCall(.connectionFailed, end, into: &effects)
        case .waiting, .paused: break
        }
    }

    /// A host has refused the connection. The attempt goes to the next host at once; after the last one it fails.
    mutating func linkRefused(at now: Instant, into effects: inout [ClientEffect]) {
        guard case .attempting(let login, let link, .linking) = phase else {
            return linkEnded(.byItself, at: now, into: &effects)
        }
        let hostsRefused = (link.hostsRefused ?? 0) + 1
        guard hostsRefused < policy.hostCount else { return linkEnded(.byItself, at: now, into: &effects) }
        announce(.linkFailed, into: &effects)
        startAttempt(login, because: .retrying, at: now, into: &effects)
        changeLink { $0.hostsRefused = hostsRefused }
    }

    /// Ends an attempt with the status from the server or the connection.
    mutating func attemptFailed(
        _ status: Status, _ end: LinkEndCause, at now: Instant, into effects: inout [ClientEffect]
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
            // Not a wrong password: a new token repairs it (RTM-5, ZIM-6).
            if policy.tokenExpiryEndsLogin { return endExpired(login, into: &effects) }
            wait(login, because: .interrupted, at: now, into: &effects)
            tokenExpired(at: now, into: &effects)
        } else if isRefusedForGood || retriesMax(of: login).map({ login.retryCount >= $0 }) == true {
            failLogin(login, status, into: &effects)
        } else if retryCountMax > 0 && login.retryCount >= retryCountMax {
            failLogin(login, .retryLimitReached, into: &effects)
        } else {
            wait(login, because: .interrupted, at: now, into: &effects)
        }
    }

    /// How often a login may be retried; nil for as often as it takes. A login by hand is limited until the server has
    /// accepted it, and is retried in some systems only (NIM V2).
    private func retriesMax(of login: Login) -> Int? {
        if !login.isEstablished, let countMax = policy.loginRetryCountMax { return countMax }
        return login.isRetried ? nil : 0
    }

    private mutating func linkBroken(
        _ login: Login, _ link: Link, _ end: LinkEndCause, onlineSince: Instant, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        endLink(end, into: &effects)
        announce(.connectionLost, into: &effects)
        failRequests(.connectionFailed, into: &effects)
        var login = login
        if let suspension = policy.suspension { timers.set(.suspension, at: now + suspension.after) }
        if policy.interruptionGrace > .zero && !login.isInterruptionHidden {
            login.isInterruptionHidden = true
            // A silent connection counts as interrupted from its last frame. A break counts from now, unless the device
            // slept: then the time of the break is unknown.
            let lastReceived = link.receivedBeforeSleep ?? (end == .byItself ? now : link.lastReceived ?? now)
            let since = now - lastReceived > policy.heartbeatInterval * 2 ? lastReceived : now
            timers.set(.grace, at: max(now, since + policy.interruptionGrace))
        }
        // The app's own delays apply to the first retry, too (NIM-5).
        let isAtOnce = ownRetryDelays.isEmpty && !policy.firstRetryWaits && now - onlineSince >= policy.stableAfter
        if isAtOnce && !login.isTokenExpired {
            startAttempt(login, because: .interrupted, at: now, into: &effects)
        } else {
            wait(login, because: .interrupted, at: now, into: &effects)
        }
    }

    /// Sets the timer for the next retry (C-9).
    mutating func wait(
        _ login: Login, because reason: StateReason, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard !login.isTokenExpired else { return enter(.waiting(login), because: reason, into: &effects) }
        if login.isSuspended == true, let suspension = policy.suspension {
            timers.set(.retry, at: now + suspension.retryDelay)
            return enter(.waiting(login), because: reason, into: &effects)
        }
        let delays = ownRetryDelays.isEmpty ? policy.retryDelays : ownRetryDelays
        let delay = delays.isEmpty ? .seconds(1) : delays[min(login.retryCount, delays.count - 1)]
        let jitterMax = Interval(nanoseconds: (delay * policy.retryJitterPerMille).nanoseconds / 1000)
        // No delay is longer than the longest of the list (C-9).
        let longest = delays.max() ?? delay + jitterMax
        timers.set(.retry, at: now + min(delay + random.interval(upTo: jitterMax), longest))
        enter(.waiting(login), because: reason, into: &effects)
    }

    mutating func retryDue(at now: Instant, into effects: inout [ClientEffect]) {
        guard case .waiting(var login) = phase, !login.isTokenExpired else { return }
        login.retryCount = login.retryCount.successorOrMax
        startAttempt(login, because: .retrying, at: now, into: &effects)
    }

    /// Ends the time for which the broken connection was hidden (RTM-3).
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

    /// A login by hand has not succeeded in the time for all its attempts (NIM V2).
    mutating func loginTimedOut(into effects: inout [ClientEffect]) {
        guard let login, !login.isEstablished else { return }
        if case .attempting(_, _, let stage) = phase {
            announce(stage == .linking ? .linkFailed : .loginFailed, into: &effects)
        }
        endLink(.byUs, into: &effects)
        failLogin(login, .timeout, into: &effects)
    }

    /// Ends a login that cannot continue. A waiting command completes with the reason; otherwise the app is notified.
    private mutating func failLogin(_ login: Login, _ status: Status, into effects: inout [ClientEffect]) {
        clearLogin()
        local.lastResult = status
        switch status {
        // NIM-3, CHAT-10: a refusal of the user or the device holds until a manual login.
        case .wrongCredential, .credentialExpired, .banned, .tooManyDevices, .deviceChanged:
            local.autologinAllowed = false
        default:
            // NIM-3: after a failed manual login there is no automatic one. In other systems a failing network does not
            // count against the user (C-11).
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
        let isAutologinEnd = policy.announcesAutologinEnd && !login.isEstablished
        let notice: ClientNotification? =
            login.isRetried ? isAutologinEnd ? .autologinCompleted(status) : .autologinFailed(status) : nil
        end(in: .loggedOut(nil), because: reason, notice, into: &effects)
        // A guest login has no command to complete; only its calls wait for it.
        failCalls(login.mode == .guest ? status : .cancelled, into: &effects)
        complete(login.command, status, into: &effects)
    }

    mutating func networkChanged(_ change: NetworkChange, at now: Instant, into effects: inout [ClientEffect]) {
        switch change {
        case .up:
            reconnect(at: now, into: &effects)
            tryAtOnce(at: now, into: &effects)
        case .down: break  // The connection reports it itself.
        case .switched:
            if login != nil { announce(.networkChanged, into: &effects) }
            reconnect(at: now, into: &effects)
            tryAtOnce(at: now, into: &effects)
        }
    }

    /// A connection attempt that started on the old network may hang for the whole time limit of an attempt: it is
    /// started again on the new network (C-9).
    private mutating func reconnect(at now: Instant, into effects: inout [ClientEffect]) {
        reconnectCall(into: &effects)
        guard case .attempting(let login, _, .linking) = phase else { return }
        endLink(.byUs, into: &effects)
        announce(.linkFailed, into: &effects)
        startAttempt(login, because: .retrying, at: now, into: &effects)
    }

    mutating func appChanged(_ change: AppChange, at now: Instant, into effects: inout [ClientEffect]) {
        switch change {
        case .background: break
        case .closing: close(into: &effects)
        case .foreground, .woke:
            // The connection may have died meanwhile: probe it before using it (C-10). The answer to a heartbeat that
            // was in flight when the process was suspended could not be received.
            if case .woke = change {
                timers.cancel(.heartbeatAnswer)
                changeLink { $0.woke(at: now) }
            }
            probe(at: now, into: &effects)
        case .clockSet(let jump):
            // Deadlines are monotonic and stay; only a token's validity may have to be checked again (C-10).
            _ = tree.clock.jump(by: jump)
            if wall.jump(by: jump), let login { watchToken(of: login, at: now) }
            probe(at: now, into: &effects)
        }
    }

    /// Sends a heartbeat over a connection that may have died, and runs a waiting retry at once.
    private mutating func probe(at now: Instant, into effects: inout [ClientEffect]) {
        tryAtOnce(at: now, into: &effects)
        if case .online = phase { sendHeartbeat(at: now, into: &effects) }
    }

    /// Runs a waiting retry at once, because it is likely to succeed now (C-9).
    private mutating func tryAtOnce(at now: Instant, into effects: inout [ClientEffect]) {
        if case .waiting = phase { retryDue(at: now, into: &effects) }
    }

    /// The peer violated the protocol: the connection is ended in order, and the login continues as after any break.
    mutating func endLinkForViolation(at now: Instant, into effects: inout [ClientEffect]) {
        if let link, link.isOpen {
            effects.append(.send(link.id, Frame(.goodbye(.protocolViolation, detail: ""))))
        }
        linkEnded(.byUs, at: now, into: &effects)
    }

    /// Releases the login's connection, for a phase that has none or another one, which follows at once. Frames that
    /// still arrive over it belong to an old generation.
    mutating func endLink(_ end: LinkEndCause, into effects: inout [ClientEffect]) {
        guard login != nil, let link else { return }
        if end == .byUs { effects.append(.closeLink(link.id)) }
        endSync()
    }

    /// Removes everything that belongs to the login that ends; its timers go with its phase (C-4, C-5).
    mutating func clearLogin() {
        otherDevices.removeAll()
        // The user's queue, watches and attributes do not pass to the next user (C-14).
        messages.failed.removeAll()
        subscriptions = Subscriptions()
        calls.pages = nil
        isSyncAnnounced = false
    }
}
