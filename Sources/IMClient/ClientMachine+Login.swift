import IMProtocol
import SansIO

// Logging in: the command, the attempt over a connection, the server's answer, the sync.

extension ClientMachine {
    mutating func logIn(
        _ call: LoginCall, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        if let refusal = refusal(of: call, at: now) ?? refusal(ofUserName: call.userName) {
            effects.append(.complete(command, Completion(refusal)))
            return
        }
        // A login ends an admin call: the one connection is the login's (C-2).
        endAccountCall(.cancelled, into: &effects)
        endRetryingLogin(into: &effects)
        wall.read(device: call.clock.deviceMilliseconds, at: now)
        var login = Login(
            user: call.user, credential: call.credential.isEmpty ? storedCredential(of: call.user) : call.credential,
            mode: call.mode, command: command)
        // An automatic login contains the epoch of the login that it continues, so that a kick of that one can still be
        // delivered (C-7).
        if call.mode != .manual { login.epoch = local.lastEpoch }
        login.expiresAtMilliseconds = call.clock.expiresAtMilliseconds
        login.userName = call.userName.isEmpty ? nil : call.userName
        if call.mode == .offline {
            // The request was for local data, and that is open now; the connection follows by itself (ZIM-2).
            login.command = nil
            complete(command, .ok, into: &effects)
        }
        watchToken(of: login, at: now)
        if let limit = policy.loginTimeLimit { timers.set(.login, at: now + limit) }
        startAttempt(login, because: .login, at: now, into: &effects)
    }

    /// The reason why a login command is refused now, or nil if it is not. The current login or attempt stays as it is
    /// (C-2).
    private func refusal(of call: LoginCall, at now: Instant) -> Status? {
        let (user, mode, clock) = (call.user, call.mode, call.clock)
        // The tree is for devices, and its connection opens by itself (SYNC-1).
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
            // NIM V2 has one login call, with force or without.
            if mode == .forced, features.contains(.forcedAutologin), !features.contains(.autologin) { return nil }
            guard features.contains(.autologin), mode == .automatic || features.contains(.forcedAutologin)
            else { return .unsupported }
            // NIM-3: only the last user, and only if nothing has forbidden it since.
            return local.autologinAllowed && local.lastUser == user ? nil : .autologinNotAllowed
        case .offline: return refusal(ofOfflineLogin: user, clock: clock, at: now)
        case .resume, .guest: return .invalidArgument
        }
    }

    /// True if the login is in an outage, on a platform where another login replaces it. The first attempt of a login
    /// is no outage (C-2).
    private var isReplaceable: Bool {
        guard policy.loginReplacesRetries.contains(device.platform) else { return false }
        switch phase {
        case .waiting: return true
        case .attempting(let login, _, .linking), .attempting(let login, _, .authenticating):
            return login.isEstablished || login.retryCount > 0
        case .attempting, .loggedOut, .online, .leaving, .kicked, .tokenExpired, .paused: return false
        }
    }

    /// Ends a retrying login that is replaced: its command and its calls are cancelled (C-1).
    private mutating func endRetryingLogin(into effects: inout [ClientEffect]) {
        guard let login else { return }
        if case .attempting(_, _, let stage) = phase {
            announce(stage == .linking ? .linkFailed : .loginFailed, into: &effects)
        }
        endLink(.byUs, into: &effects)
        timers.cancelAll()
        clearLogin()
        failCalls(.cancelled, into: &effects)
        complete(login.command, .cancelled, into: &effects)
    }

    /// The reason why a login cannot set the user's name (ZIM-9).
    private func refusal(ofUserName name: String) -> Status? {
        if name.isEmpty { return nil }
        guard policy.features.contains(.loginUserName) else { return .unsupported }
        return ProtocolLimit.isText(name, bytesMax: ProtocolLimit.userNameBytesMax) ? nil : .invalidArgument
    }

    /// If a login id is `user/device`, a user's name contains no `/` (CHAT-7).
    func isUserName(_ name: String) -> Bool {
        ProtocolLimit.isName(name) && !(policy.features.contains(.selfIDs) && name.utf8.contains(UInt8(ascii: "/")))
    }

    /// The name of the credential for a login without its own; empty for none.
    public func storedCredential(of user: String) -> String {
        local.lastUser == user ? local.credentialReference : ""
    }

    mutating func startAttempt(
        _ login: Login, because reason: StateReason, at now: Instant, into effects: inout [ClientEffect]
    ) {
        let connection = makeConnection()
        // If a login is tried only once, the limit applies to the whole login, however often its connection is started
        // again (RTM-2).
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
        // NIM-15: the app gives a token for each attempt.
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
        effects.append(.send(connection, Frame(request: makeRequestNumber(), .login(request))))
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
        // Only a manual login allows automatic ones; an automatic one was allowed already.
        storeOutcome(login, .ok, allowsAutologin: true, into: &effects)
        announce(.loginOK, into: &effects)
        startHeartbeat(at: now)
        if policy.sync == .beforeOnline {
            timers.set(.attempt, at: now + policy.attemptTimeLimit)
            enter(.attempting(login, link, .syncing), because: .loginSucceeded, into: &effects)
            complete(command, .ok, into: &effects)
            announce(.syncing, into: &effects)
            effects.append(.send(connection, Frame(request: makeRequestNumber(), .sync)))
            messages.flush(over: connection, into: &effects)
        } else {
            becomeOnline(login, over: link, because: .loginSucceeded, at: now, into: &effects)
            complete(command, .ok, into: &effects)
        }
        if policy.announcesAutologinEnd && isFirst && login.mode == .automatic {
            effects.append(.notify(.autologinCompleted(.ok)))
        }
        if reply.wasGone { subscriptions.resendAttributes(over: connection, &common, into: &effects) }
        // The app is not notified of what it has received before, however often the client reconnects, and in whichever
        // order the server lists the devices (NIM-13).
        let haveDevicesChanged = isFirst || otherDevices.map(\.id).sorted() != reply.otherDevices.map(\.id).sorted()
        otherDevices = reply.otherDevices
        if policy.announcesDevices && haveDevicesChanged && !(isFirst && otherDevices.isEmpty) {
            effects.append(.notify(.devicesChanged(.initial, otherDevices)))
        }
    }

    mutating func syncFinished(at now: Instant, into effects: inout [ClientEffect]) {
        // Sent before the server received the logout.
        if case .leaving = phase { return }
        if case .online = phase, policy.sync != .never {
            // A resync that brings lost items of a sync ends like a sync.
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

    /// Stores the outcome of a login for the next process.
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

    func complete(_ command: CommandID?, _ status: Status, into effects: inout [ClientEffect]) {
        effects.complete(command, status)
    }

    func announce(_ step: LoginStep, into effects: inout [ClientEffect]) {
        if policy.announcesLoginSteps { effects.append(.notify(.loginStep(step))) }
    }

    mutating func makeRequestNumber() -> UInt32 { common.makeRequestNumber() }
}
