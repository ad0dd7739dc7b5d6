import IMProtocol
import SansIO

// The steps of a login: the app's command, an attempt to connect, the server's answer, and the sync.

extension ClientMachine {
    mutating func logIn(
        _ call: LoginCall, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        if let refusal = refusal(of: call, at: now) ?? refusal(ofUserName: call.userName) {
            effects.append(.complete(command, Completion(refusal)))
            return
        }
        // A login ends an admin call, because a client has only one connection (C-2).
        endAccountCall(.cancelled, into: &effects)
        endRetryingLogin(into: &effects)
        wall.read(device: call.clock.deviceMilliseconds, at: now)
        var login = Login(
            user: call.user, credential: call.credential.isEmpty ? storedCredential(of: call.user) : call.credential,
            mode: call.mode, command: command)
        // Every login except a manual one sends the epoch of the user's last login. If that login was kicked while the
        // device was offline, the server can still deliver the kick (C-7).
        if call.mode != .manual { login.epoch = local.lastEpoch }
        login.expiresAtMilliseconds = call.clock.expiresAtMilliseconds
        login.userName = call.userName.isEmpty ? nil : call.userName
        if call.mode == .offline {
            // An offline login completes at once, because it only opens local data. The client then connects without a
            // command of the app (ZIM-2).
            login.command = nil
            effects.complete(command, .ok)
        }
        watchToken(of: login, at: now)
        if let limit = policy.loginTimeLimit { timers.set(.login, at: now + limit) }
        startAttempt(login, because: .login, at: now, into: &effects)
    }

    /// The status for a login call that is refused now; nil if the call is accepted. A refusal does not change the
    /// current login or attempt (C-2).
    private func refusal(of call: LoginCall, at now: Instant) -> Status? {
        let (user, mode, clock) = (call.user, call.mode, call.clock)
        // A client of the tree has no login: the first reference opens its connection (SYNC-1).
        guard !policy.features.contains(.tree) else { return .unsupported }
        switch phase {
        case _ where mode == .manual && isReplaceable: break
        case .attempting(let login, _, _):
            if !login.isEstablished && !policy.refusesLoginByUser { return .loginInProgress }
            return login.user == user ? .alreadyLoggedIn : .otherUserLoggedIn
        case .waiting(let login), .online(let login, _, _), .leaving(let login, _, _), .paused(let login):
            return login.user == user ? .alreadyLoggedIn : .otherUserLoggedIn
        case .kicked where policy.kickedNeedsLogout: return .alreadyLoggedIn
        case .kicked, .loggedOut, .tokenExpired: break
        }
        guard isUserName(user) else { return .invalidArgument }
        switch mode {
        case .manual: return nil
        case .automatic, .forced:
            let features = policy.features
            // NIM V2 has one login call. With the option `forceMode` it is a forced login, although the system has no
            // autologin.
            if mode == .forced, features.contains(.forcedAutologin), !features.contains(.autologin) { return nil }
            guard features.contains(.autologin), mode == .automatic || features.contains(.forcedAutologin)
            else { return .unsupported }
            // Only the last user may log in automatically, and not after a failed login, a kick or a logout (NIM-3).
            return local.autologinAllowed && local.lastUser == user ? nil : .autologinNotAllowed
        case .offline: return refusal(ofOfflineLogin: user, clock: clock, at: now)
        case .resume, .guest: return .invalidArgument
        }
    }

    /// True if a new login call replaces the current login. This is so on some platforms, while the login is retried or
    /// reconnected. The first attempt of a login is not replaced (C-2).
    private var isReplaceable: Bool {
        guard policy.loginReplacesRetries.contains(device.platform) else { return false }
        switch phase {
        case .waiting: return true
        case .attempting(let login, _, .linking), .attempting(let login, _, .authenticating):
            return login.isEstablished || login.retryCount > 0
        case .attempting, .loggedOut, .online, .leaving, .kicked, .tokenExpired, .paused: return false
        }
    }

    /// Ends the current login because a new login call replaces it. Its command and its calls are cancelled, so that
    /// each completes (C-1).
    private mutating func endRetryingLogin(into effects: inout [ClientEffect]) {
        guard let login else { return }
        if case .attempting(_, _, let stage) = phase {
            announce(stage == .linking ? .linkFailed : .loginFailed, into: &effects)
        }
        endLink(.byUs, into: &effects)
        timers.cancelAll()
        clearLogin()
        failCalls(.cancelled, into: &effects)
        effects.complete(login.command, .cancelled)
    }

    /// The status for a login call that must not set this user name; nil if the call is accepted (ZIM-9).
    private func refusal(ofUserName name: String) -> Status? {
        if name.isEmpty { return nil }
        guard policy.features.contains(.loginUserName) else { return .unsupported }
        return ProtocolLimit.isText(name, bytesMax: ProtocolLimit.userNameBytesMax) ? nil : .invalidArgument
    }

    /// True if this is a valid name of a user. In a system with login ids of the form `user/device`, the name must not
    /// contain `/` (CHAT-7).
    func isUserName(_ name: String) -> Bool {
        ProtocolLimit.isName(name) && !(policy.features.contains(.selfIDs) && name.utf8.contains(UInt8(ascii: "/")))
    }

    /// The name of the stored credential, for a login call of this user without a credential; empty if there is none.
    public func storedCredential(of user: String) -> String {
        local.lastUser == user ? local.credentialReference : ""
    }

    mutating func startAttempt(
        _ login: Login, because reason: StateReason, at now: Instant, into effects: inout [ClientEffect]
    ) {
        let connection = makeConnection()
        // The time limit of a login that is not retried applies to the whole login. A connection that is started again,
        // such as after a change of the network, does not extend the limit (RTM-2).
        let limit = login.isRetried ? nil : timers.instant(of: .attempt)
        timers.set(.attempt, at: limit ?? now + policy.attemptTimeLimit)
        enter(.attempting(login, Link(id: connection), .linking), because: reason, into: &effects)
        announce(.linking, into: &effects)
        effects.append(.connect(connection))
    }

    mutating func linkOpened(_ connection: ConnectionID, at now: Instant, into effects: inout [ClientEffect]) {
        guard case .attempting(let login, _, .linking) = phase else {
            return accountLinkOpened(connection, into: &effects)
        }
        announce(.linkOK, into: &effects)
        enter(.attempting(login, Link(id: connection, isOpen: true), .authenticating), because: .login, into: &effects)
        announce(.authenticating, into: &effects)
        // The app's token provider returns a token for each attempt, or fails (NIM-15).
        guard policy.tokenProvider != .fails else {
            if login.isEstablished { effects.append(.notify(.autologinFailed(.callbackFailed))) }
            return attemptFailed(.callbackFailed, .byUs, at: now, into: &effects)
        }
        let credential =
            policy.tokenProvider == nil
            ? login.credential : Credential.provided(to: device.id, over: connection.rawValue)
        let request = LoginRequest(
            application: policy.profile, user: login.user, device: device, mode: login.wireMode, epoch: login.epoch,
            credential: .reference(credential), instance: instance, userName: login.newUserName)
        effects.append(.send(connection, Frame(request: common.makeRequestNumber(), .login(request))))
    }

    mutating func loginAnswered(
        _ reply: LoginReply, on connection: ConnectionID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard case .attempting(var login, let link, .authenticating) = phase else {
            endLinkForViolation(at: now, into: &effects)
            return
        }
        guard reply.status == .ok else {
            attemptFailed(reply.status, .byUs, at: now, into: &effects)
            return
        }
        let isFirst = !login.isEstablished
        subscriptions.loginAccepted()
        login.epoch = reply.epoch
        login.isEstablished = true
        login.retryCount = 0
        login.isTokenExpired = false
        login.isSuspended = nil
        timers.cancel(.login)
        let command = login.command
        login.command = nil
        wall.read(server: reply.serverTimeMilliseconds, at: now)
        setTokenLife(
            TokenLife(issuedAt: reply.issuedAtMilliseconds, expiresAt: reply.expiresAtMilliseconds), of: &login,
            at: now)
        watchToken(of: login, at: now)
        // A successful login allows automatic logins. For an automatic login this changes nothing.
        storeOutcome(login, .ok, allowsAutologin: true, into: &effects)
        announce(.loginOK, into: &effects)
        startHeartbeat(at: now)
        if policy.sync == .beforeOnline {
            timers.set(.attempt, at: now + policy.attemptTimeLimit)
            enter(.attempting(login, link, .syncing), because: .loginSucceeded, into: &effects)
            effects.complete(command, .ok)
            announce(.syncing, into: &effects)
            effects.append(.send(connection, Frame(request: common.makeRequestNumber(), .sync)))
            messages.flush(over: connection, into: &effects)
        } else {
            becomeOnline(login, over: link, because: .loginSucceeded, at: now, into: &effects)
            effects.complete(command, .ok)
        }
        if policy.announcesAutologinEnd && isFirst && login.mode == .automatic {
            effects.append(.notify(.autologinCompleted(.ok)))
        }
        if reply.wasGone { subscriptions.resendAttributes(over: connection, &common, into: &effects) }
        // After a reconnect, the app is notified of the user's other devices only if they have changed. The server may
        // list the same devices in another order (NIM-13).
        let haveDevicesChanged = isFirst || otherDevices.map(\.id).sorted() != reply.otherDevices.map(\.id).sorted()
        otherDevices = reply.otherDevices
        if policy.announcesDevices && haveDevicesChanged && !(isFirst && otherDevices.isEmpty) {
            effects.append(.notify(.devicesChanged(.initial, otherDevices)))
        }
    }

    mutating func syncFinished(at now: Instant, into effects: inout [ClientEffect]) {
        // The server sent this frame before it received the logout.
        if case .leaving = phase { return }
        if case .online = phase, policy.sync != .never {
            // The server also ends a resync with this frame if the resync contained lost items of a sync.
            endSync()
            if isSyncAnnounced { effects.append(.notify(.syncFinished)) }
            isSyncAnnounced = false
            return
        }
        guard case .attempting(let login, let link, .syncing) = phase else {
            endLinkForViolation(at: now, into: &effects)
            return
        }
        becomeOnline(login, over: link, because: .syncFinished, at: now, into: &effects)
        announce(.syncOK, into: &effects)
    }

    private mutating func becomeOnline(
        _ login: Login, over link: Link, because reason: StateReason, at now: Instant,
        into effects: inout [ClientEffect]
    ) {
        let connection = link.id
        var login = login
        login.isInterruptionHidden = false
        enter(.online(login, link, since: now), because: reason, into: &effects)
        subscriptions.restore(over: connection, calls, &common, at: now, into: &effects)
        tree.restore(over: connection, servers: wall, &calls, &common, at: now, into: &effects)
        if policy.sync != .beforeOnline { messages.flush(over: connection, into: &effects) }
        if policy.sync == .whileOnline {
            isSyncAnnounced = false
            sync(on: connection, at: now, into: &effects)
        }
    }

    /// Stores the outcome of a login on the device, for the next process of the app.
    ///
    /// - Parameter allowsAutologin: true if the user may log in automatically from now on.
    mutating func storeOutcome(
        _ login: Login, _ result: Status, allowsAutologin: Bool, into effects: inout [ClientEffect]
    ) {
        local.lastUser = login.user
        local.credentialReference = login.credential
        local.expiresAtMilliseconds = login.expiresAtMilliseconds
        local.lastEpoch = login.epoch
        local.lastResult = result
        local.autologinAllowed = allowsAutologin
        effects.append(.persist(local))
    }

    func announce(_ step: LoginStep, into effects: inout [ClientEffect]) {
        if policy.announcesLoginSteps { effects.append(.notify(.loginStep(step))) }
    }
}
