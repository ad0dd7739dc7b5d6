import IMProtocol
import SansIO

// Logging out. In most systems the client is logged out even if the request to the server fails (NIM-10). In Agora
// Chat, the user then stays logged in (CHAT-11).

extension ClientMachine {
    mutating func logOut(
        keepsPush: Bool, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        let requiresServer = policy.logoutNeedsServer && !keepsPush && isDataOpen
        switch phase {
        case .loggedOut:
            // After a logout no connection may be open (C-4).
            endAccountCall(.cancelled, into: &effects)
            effects.complete(command, policy.logoutWithoutLoginFails ? .notLoggedIn : .ok)
        case .kicked, .tokenExpired:
            // The server has ended this login already, so it is not notified of the logout.
            endAccountCall(.cancelled, into: &effects)
            clearLogin()
            disableAutologin(into: &effects)
            enter(.loggedOut(nil), because: .logout, into: &effects)
            effects.complete(command, .ok)
        case .leaving:
            effects.complete(command, .cancelled)
        case .waiting where requiresServer, .attempting where requiresServer:
            // Without a connection the server cannot unbind push, so the logout fails and the user stays logged in
            // (CHAT-11).
            effects.complete(command, .networkUnavailable)
        case .waiting(let login), .paused(let login): leaveWithoutServer(login, command: command, into: &effects)
        case .attempting(let login, let link, .syncing), .online(let login, let link, _):
            requestLogout(login, over: link, keepsPush: keepsPush, command: command, at: now, into: &effects)
        case .attempting(let login, let link, let stage):
            if stage == .authenticating {
                // The server may have accepted the login, while its answer is in flight. Without this frame, the user
                // would count as online until the server's silence limit (P3).
                effects.append(.send(link.id, Frame(.logout(keepsPush: keepsPush))))
            }
            leaveWithoutServer(login, command: command, into: &effects)
        }
    }

    private mutating func requestLogout(
        _ login: Login, over link: Link, keepsPush: Bool, command: CommandID, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        // During a logout the client only waits for the server's answer, so all other timers end.
        timers.cancelAll()
        timers.set(.logout, at: now + policy.logoutTimeLimit)
        let logout = PendingLogout(command: command, keepsPush: keepsPush, shownState: state)
        enter(.leaving(login, link, logout), because: .logout, into: &effects)
        failCalls(.cancelled, into: &effects)
        effects.append(.send(link.id, Frame(request: common.makeRequestNumber(), .logout(keepsPush: keepsPush))))
    }

    mutating func logoutAnswered(at now: Instant, into effects: inout [ClientEffect]) {
        guard case .leaving = phase else {
            endLinkForViolation(at: now, into: &effects)
            return
        }
        finishLogout(.ok, .byUs, at: now, into: &effects)
    }

    /// Ends a logout that waits for the server, with the server's answer (`ok`) or because no answer can come.
    mutating func finishLogout(
        _ status: Status, _ end: LinkEndCause, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard case .leaving(let login, _, let logout) = phase else { return }
        endLink(end, into: &effects)
        if status != .ok && policy.logoutNeedsServer && !logout.keepsPush {
            // The server has not unbound push, so the user stays logged in. The app may log out again (CHAT-11).
            watchToken(of: login, at: now)
            startAttempt(login, because: .interrupted, at: now, into: &effects)
            return effects.complete(logout.command, status == .timeout ? .timeout : .networkUnavailable)
        }
        clearLogin()
        disableAutologin(into: &effects)
        // Cancels messages that the app sent during the logout, so that the next user does not send them.
        failCalls(.cancelled, into: &effects)
        enter(.loggedOut(nil), because: .logout, into: &effects)
        effects.complete(logout.command, policy.logoutReportsUnreachedServer ? status : .ok)
    }

    /// Ends the client with its app: all commands complete (C-1), and no timer remains (C-4). The server is not
    /// notified, because the end of an app is not a logout.
    mutating func close(into effects: inout [ClientEffect]) {
        let waiting = [login?.command, phase.leaveCommand]
        endAccountCall(.cancelled, into: &effects)
        endLink(.byUs, into: &effects)
        clearLogin()
        enterSilently(.loggedOut(nil))
        failCalls(.cancelled, into: &effects)
        for command in waiting { effects.complete(command, .cancelled) }
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
        effects.complete(login.command, .cancelled)
        effects.complete(command, policy.logoutReportsUnreachedServer ? .connectionFailed : .ok)
    }

    /// Forbids automatic logins after a logout. An automatic login would open the user's local data (C-13).
    private mutating func disableAutologin(into effects: inout [ClientEffect]) {
        guard policy.features.contains(.autologin), local.autologinAllowed else { return }
        local.autologinAllowed = false
        effects.append(.persist(local))
    }
}
