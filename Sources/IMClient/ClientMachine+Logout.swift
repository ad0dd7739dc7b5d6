import IMProtocol
import SansIO

// Logging out. The local part always succeeds; the request to the server may fail (NIM-10).

extension ClientMachine {
    mutating func logOut(
        keepsPush: Bool, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        switch phase {
        case .loggedOut:
            // After a logout nothing opens a connection (C-4).
            endAccountCall(.cancelled, into: &effects)
            complete(command, policy.logoutWithoutLoginFails ? .notLoggedIn : .ok, into: &effects)
        case .kicked, .tokenExpired:
            // The server ended this login itself; it needs no notice.
            endAccountCall(.cancelled, into: &effects)
            clearLogin()
            disableAutologin(into: &effects)
            enter(.loggedOut(nil), because: .logout, into: &effects)
            complete(command, .ok, into: &effects)
        case .leaving:
            complete(command, .cancelled, into: &effects)
        case .waiting, .attempting:
            if policy.logoutNeedsServer && !keepsPush && isDataOpen {
                // The push binding, perhaps of an earlier process, cannot be undone now, and the user stays logged in
                // (CHAT-11).
                return complete(command, .networkUnavailable, into: &effects)
            }
            leaveOffline(keepsPush: keepsPush, command: command, at: now, into: &effects)
        case .paused(let login): leaveWithoutServer(login, command: command, into: &effects)
        case .online(let login, let link, _):
            requestLogout(login, over: link, keepsPush: keepsPush, command: command, at: now, into: &effects)
        }
    }

    private mutating func leaveOffline(
        keepsPush: Bool, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        switch phase {
        case .waiting(let login): leaveWithoutServer(login, command: command, into: &effects)
        case .attempting(let login, let link, let stage):
            if stage == .authenticating {
                // The server may have accepted the login already; without this frame it would count the user as online
                // until a time-out (P3).
                effects.append(.send(link.id, Frame(.logout(keepsPush: keepsPush))))
            }
            if stage == .syncing {
                requestLogout(login, over: link, keepsPush: keepsPush, command: command, at: now, into: &effects)
            } else {
                leaveWithoutServer(login, command: command, into: &effects)
            }
        case .loggedOut, .online, .leaving, .kicked, .tokenExpired, .paused: break
        }
    }

    private mutating func requestLogout(
        _ login: Login, over link: Link, keepsPush: Bool, command: CommandID, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        // Stops everything that could continue: the client waits only for the answer.
        timers.cancelAll()
        timers.set(.logout, at: now + policy.logoutTimeLimit)
        let leave = Leave(command: command, keepsPush: keepsPush, shown: state)
        enter(.leaving(login, link, leave), because: .logout, into: &effects)
        failCalls(.cancelled, into: &effects)
        effects.append(.send(link.id, Frame(request: makeRequestNumber(), .logout(keepsPush: keepsPush))))
    }

    mutating func logoutAnswered(at now: Instant, into effects: inout [ClientEffect]) {
        guard case .leaving = phase else {
            endLinkForViolation(at: now, into: &effects)
            return
        }
        finishLogout(.ok, .byUs, at: now, into: &effects)
    }

    /// Finishes the logout, with the server's answer or without it.
    mutating func finishLogout(
        _ status: Status, _ end: LinkEndCause, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard case .leaving(let login, _, let leave) = phase else { return }
        endLink(end, into: &effects)
        if status != .ok && policy.logoutNeedsServer && !leave.keepsPush {
            // Push is still bound: the user stays logged in, and may try again (CHAT-11).
            watchToken(of: login, at: now)
            startAttempt(login, because: .interrupted, at: now, into: &effects)
            return complete(leave.command, status == .timeout ? .timeout : .networkUnavailable, into: &effects)
        }
        clearLogin()
        disableAutologin(into: &effects)
        // Messages queued since the logout was requested do not pass to the next login.
        failCalls(.cancelled, into: &effects)
        enter(.loggedOut(nil), because: .logout, into: &effects)
        complete(leave.command, policy.logoutReportsUnreachedServer ? status : .ok, into: &effects)
    }

    /// Ends the app: nothing remains open (C-1), and nothing follows (C-4). The server is not notified, because this is
    /// no logout.
    mutating func close(into effects: inout [ClientEffect]) {
        let waiting = [login?.command, phase.leaveCommand]
        endAccountCall(.cancelled, into: &effects)
        endLink(.byUs, into: &effects)
        clearLogin()
        enterSilently(.loggedOut(nil))
        failCalls(.cancelled, into: &effects)
        for command in waiting { complete(command, .cancelled, into: &effects) }
    }

    /// Logs out without a connection to the server.
    private mutating func leaveWithoutServer(
        _ login: Login, command: CommandID, into effects: inout [ClientEffect]
    ) {
        endLink(.byUs, into: &effects)
        clearLogin()
        disableAutologin(into: &effects)
        failCalls(.cancelled, into: &effects)
        enter(.loggedOut(nil), because: .logout, into: &effects)
        complete(login.command, .cancelled, into: &effects)
        complete(command, policy.logoutReportsUnreachedServer ? .connectionFailed : .ok, into: &effects)
    }

    /// After a logout only a manual login is possible: until then nothing opens the user's data (C-13).
    private mutating func disableAutologin(into effects: inout [ClientEffect]) {
        guard policy.features.contains(.autologin), local.autologinAllowed else { return }
        local.autologinAllowed = false
        effects.append(.persist(local))
    }
}
