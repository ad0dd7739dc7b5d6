import IMProtocol
import SansIO

// The client's reaction to a failed attempt or a broken connection: an attempt at once, a wait for a retry, or the end
// of the login.

/// The side that ends a connection.
enum LinkEndCause {
    /// The connection broke, was closed by the peer, or could not be made. The client need not close it.
    case byItself
    /// The client ends the connection and must close it.
    case byUs
}

extension ClientMachine {
    /// Handles the end of the client's connection, depending on the phase.
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

    /// Handles a host's refusal of the connection. The client tries the next host at once. The attempt fails after all
    /// hosts have refused.
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

    /// Handles the failure of an attempt. Depending on the status and the policy, the client retries or ends the login.
    ///
    /// - Parameter status: the server's status, or the failure of the connection.
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
        let isTokenRefusal = status == .credentialExpired || (status == .wrongCredential && !policy.refusalEndsLogin)
        if isTokenRefusal && (login.isEstablished || login.mode == .offline)
            && policy.features.contains(.tokenRenewal)
        {
            // The token has expired. The app can continue the login with a new token (RTM-5), or must log in again
            // (ZIM-6).
            if policy.tokenExpiryEndsLogin { return endExpiredLogin(login, into: &effects) }
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

    /// The maximum number of retries of a login; nil for no limit. A manual login has a limit until the server has
    /// accepted it. In most systems the limit is 0; NIM V2 has another.
    private func retriesMax(of login: Login) -> Int? {
        if !login.isEstablished, let countMax = policy.loginRetryCountMax { return countMax }
        return login.isRetried ? nil : 0
    }

    /// Handles the end of an online client's connection: starts an attempt at once, or waits for a retry.
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
            // The time until the app is notified starts when the connection broke. A silent connection broke after its
            // last frame. Any other connection broke now, unless the device slept. In that case the time of the break
            // is unknown, and the last frame before the sleep counts.
            let lastReceived = link.receivedBeforeSleep ?? (end == .byItself ? now : link.lastReceived ?? now)
            let since = now - lastReceived > policy.heartbeatInterval * 2 ? lastReceived : now
            timers.set(.grace, at: max(now, since + policy.interruptionGrace))
        }
        // With the policy's delays, the first retry follows at once if the connection was stable. Delays that the app
        // has set apply to the first retry too (NIM-5).
        let retriesAtOnce = ownRetryDelays.isEmpty && !policy.firstRetryWaits && now - onlineSince >= policy.stableAfter
        if retriesAtOnce && !login.isTokenExpired {
            startAttempt(login, because: .interrupted, at: now, into: &effects)
        } else {
            wait(login, because: .interrupted, at: now, into: &effects)
        }
    }

    /// Enters the phase `waiting` and sets the timer for the next retry (C-9). No timer is set for an expired token: a
    /// new token continues the login.
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
        // Jitter never makes a delay longer than the longest delay of the list (C-9).
        let longest = delays.max() ?? delay + jitterMax
        timers.set(.retry, at: now + min(delay + random.interval(upTo: jitterMax), longest))
        enter(.waiting(login), because: reason, into: &effects)
    }

    mutating func retryDue(at now: Instant, into effects: inout [ClientEffect]) {
        guard case .waiting(var login) = phase, !login.isTokenExpired else { return }
        login.retryCount = login.retryCount.successorOrMax
        startAttempt(login, because: .retrying, at: now, into: &effects)
    }

    /// Shows the app that the connection is broken. Until now the app saw the state online (RTM-3).
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

    /// Fails a manual login that has not succeeded within the time limit for all its attempts (NIM V2).
    mutating func failOverdueLogin(into effects: inout [ClientEffect]) {
        guard let login, !login.isEstablished else { return }
        if case .attempting(_, _, let stage) = phase {
            announce(stage == .linking ? .linkFailed : .loginFailed, into: &effects)
        }
        endLink(.byUs, into: &effects)
        failLogin(login, .timeout, into: &effects)
    }

    /// Ends a login that is not retried any more. The login command, if it still waits, completes with the status. The
    /// app is also notified, except of a manual login that has never succeeded.
    private mutating func failLogin(_ login: Login, _ status: Status, into effects: inout [ClientEffect]) {
        clearLogin()
        local.lastResult = status
        switch status {
        // After such a refusal, automatic logins are forbidden until a manual login succeeds (NIM-3, CHAT-10).
        case .wrongCredential, .credentialExpired, .banned, .tooManyDevices, .deviceChanged:
            local.autologinAllowed = false
        default:
            // In NIM, every failed manual login forbids automatic logins (NIM-3). In other systems, a failure of the
            // network does not (C-11).
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
        // A client of the tree has no login command. Its calls fail with the status, so that the app gets the reason.
        failCalls(login.mode == .guest ? status : .cancelled, into: &effects)
        effects.complete(login.command, status)
    }

    mutating func networkChanged(_ change: NetworkChange, at now: Instant, into effects: inout [ClientEffect]) {
        switch change {
        case .up:
            reconnect(at: now, into: &effects)
            tryAtOnce(at: now, into: &effects)
        case .down: break  // The connection's end follows as a separate input.
        case .switched:
            if login != nil { announce(.networkChanged, into: &effects) }
            reconnect(at: now, into: &effects)
            tryAtOnce(at: now, into: &effects)
        }
    }

    /// Starts a connection that is being made again on the new network. The attempt on the old network could wait until
    /// its time limit (C-9).
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
            // The connection may have broken while the process was suspended, so a heartbeat checks it (C-10). The
            // timer for an earlier heartbeat's answer is cancelled, because a suspended process could not receive the
            // answer.
            if case .woke = change {
                timers.cancel(.heartbeatAnswer)
                changeLink { $0.woke(at: now) }
            }
            probe(at: now, into: &effects)
        case .clockSet(let jump):
            // Deadlines are instants of the session, so they do not change with the wall clock. Only the timers of the
            // token may change, because its expiry is a time of the wall clock (C-10).
            _ = tree.clock.jump(by: jump)
            if wall.jump(by: jump), let login { watchToken(of: login, at: now) }
            probe(at: now, into: &effects)
        }
    }

    /// Checks an open connection with a heartbeat, or runs a waiting retry at once.
    private mutating func probe(at now: Instant, into effects: inout [ClientEffect]) {
        tryAtOnce(at: now, into: &effects)
        if case .online = phase { sendHeartbeat(at: now, into: &effects) }
    }

    /// Runs a waiting retry at once, because a change of the network makes its success likely (C-9).
    private mutating func tryAtOnce(at now: Instant, into effects: inout [ClientEffect]) {
        if case .waiting = phase { retryDue(at: now, into: &effects) }
    }

    /// Ends the connection after the server has violated the protocol. A goodbye frame names the reason. The login
    /// continues as after any other break.
    mutating func endLinkForViolation(at now: Instant, into effects: inout [ClientEffect]) {
        if let link, link.isOpen {
            effects.append(.send(link.id, Frame(.goodbye(.protocolViolation, detail: ""))))
        }
        linkEnded(.byUs, at: now, into: &effects)
    }

    /// Ends the login's connection. The caller then enters a phase without a connection, or with a new one. Frames that
    /// still arrive over the old connection are ignored (C-3).
    mutating func endLink(_ end: LinkEndCause, into effects: inout [ClientEffect]) {
        guard login != nil, let link else { return }
        if end == .byUs { effects.append(.closeLink(link.id)) }
        endSync()
    }

    /// Removes the state of a login that ends (C-4, C-5). The timers of the login are cancelled when the next phase
    /// starts.
    mutating func clearLogin() {
        otherDevices.removeAll()
        // The next user must not get this user's failed messages, channels, watches and attributes (C-14).
        messages.failed.removeAll()
        subscriptions = Subscriptions()
        calls.pages = nil
        isSyncAnnounced = false
    }
}
