import IMProtocol
import SansIO

// The decision about a login, and its effect on the account's other devices. The checks run in this order in every mode
// and every system. The first check that fails decides the answer:
//
//  1. Requests that cannot be served: invalid names or devices, another application.
//  2. The sender. A credential that proves nothing is refused. Its sender gets no other
//     information, except that there were too many requests.
//  3. Pending notices for the device (C-7): its account was removed, or a kick, a ban or a new password ended its
//     login. The notice goes to a sender who is the user, or who was the user when the credential was made. An expired
//     or revoked credential proves the latter: a device that reconnects after a long time has such a credential. An old
//     password proves nothing, so such a device must name its own last login.
//  4. Logins that come too often (NIM-8).
//  5. The credential must still be valid.
//  6. The account: it exists or there is room for it, and it is neither banned nor refused by the operator.
//  7. The device's slot: a login elsewhere (NIM-4, NIM's code 417), the end of the continued login (C-6), too many
//     devices (CHAT-3).
//
// A manual login gets no pending notices: it replaces every earlier login, and only the account can refuse it.

extension ServerMachine {
    mutating func logIn(
        _ login: LoginRequest, request: UInt32, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        func refuse(_ status: Status) {
            effects.append(.send(id, Frame(request: request, .loginAck(LoginReply(status)))))
        }
        guard isAccountName(login.user), login.device.isValid, isDeviceName(login.device.id) else {
            return refuse(.invalidArgument)
        }
        guard ProtocolLimit.isText(login.userName, bytesMax: ProtocolLimit.userNameBytesMax) else {
            return refuse(.invalidArgument)
        }
        guard login.application == policy.profile else { return refuse(.wrongCredential) }
        let proof = proof(login.credential, of: login.user)
        switch pendingNotice(for: login, showing: proof) {
        case .alreadyEnded(let notice): return notifyDisplaced(login, notice, on: id, at: now, into: &effects)
        case .refused(let status):
            confirmKick(of: login.device.id, user: login.user, epoch: login.epoch)
            return refuse(status)
        case .newLogin, .resumeLogin, nil: break
        }
        guard !isTooOften(login, showing: proof, at: now) else { return refuse(.rateLimited) }
        guard proof.status == .ok else { return refuse(proof.status) }
        if accounts[login.user] == nil {
            guard policy.makesAccounts else { return refuse(.wrongCredential) }
            guard accounts.count < policy.accountCountMax else { return refuse(.accountLimit) }
            makeAccount(login.user)
        }
        guard let account = accounts[login.user] else { return }
        guard !account.isBanned else { return refuse(.banned) }
        if let refusal = account.refusal { return refuse(refusal) }
        guard !isDelayed(login, in: account, on: id) else {
            return self.refuse(id, .replaced, detail: "", at: now, into: &effects)
        }
        let continuedLogin = continuedLogin(login, in: account)
        switch loginDecision(of: continuedLogin, in: account) {
        case .newLogin:
            guard hasRoom(for: login, in: account) else { return refuse(.tooManyDevices) }
            startNewLogin(login, in: account, request: request, on: id, at: now, into: &effects)
        case .resumeLogin:
            admit(
                login, epoch: continuedLogin.epoch, wasOnline: isOnline(login.user), request: request, on: id, at: now,
                into: &effects)
        case .refused(let status): refuse(status)
        case .alreadyEnded(let notice): notifyDisplaced(login, notice, on: id, at: now, into: &effects)
        }
    }

    private mutating func startNewLogin(
        _ login: LoginRequest, in account: Account, request: UInt32, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        let epoch = account.epoch.successorOrMax
        let wasOnline = isOnline(login.user)
        accounts[login.user]?.epoch = epoch
        displaceOthers(login, at: now, into: &effects)
        dropDevice(for: login, into: &effects)
        endOtherInstance(login, at: now, into: &effects)
        // A new login must not inherit the channels and attributes of an older login of the device (RTM-4).
        releaseLoginState(of: login.user, device: login.device.id, into: &effects)
        admit(login, epoch: epoch, wasOnline: wasOnline, request: request, on: id, at: now, into: &effects)
    }

    /// Notifies a device that the continued login has ended. The connection is used for nothing else (C-6, C-7).
    private mutating func notifyDisplaced(
        _ login: LoginRequest, _ notice: KickNotice, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        connections[id]?.stage = .ended(user: login.user, device: login.device.id)
        timers.set(.overdue(id), at: now + policy.loginOverdueAfter)
        effects.append(.send(id, Frame(.kicked(notice))))
    }

    /// Ends the logins that a new login excludes (NIM-11, RTM-6). The older login of the same device is not among them,
    /// because the newest connection of a device is never kicked (C-8).
    private mutating func displaceOthers(
        _ login: LoginRequest, at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard let account = accounts[login.user] else { return }
        for device in displaced(by: login, in: account) {
            endLogin(
                of: device, user: login.user, .otherLogin, by: login.device, userStaysOnline: true, at: now,
                into: &effects)
        }
    }

    /// Ends the older login of the same device if it belongs to another running instance of the app (RTM-6). That
    /// instance gets the notice over its connection and closes it. A connection of the same instance is replaced
    /// instead.
    private mutating func endOtherInstance(
        _ login: LoginRequest, at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard let record = accounts[login.user]?.devices[login.device.id], record.login != nil,
            isOtherInstance(login, than: record)
        else { return }
        endLogin(
            of: login.device.id, user: login.user, .otherLogin, by: login.device, userStaysOnline: true, at: now,
            into: &effects)
    }

    private mutating func admit(
        _ login: LoginRequest, epoch: LoginEpoch, wasOnline: Bool, request: UInt32, on id: ConnectionID,
        at now: Instant, into effects: inout [ServerEffect]
    ) {
        let user = login.user
        if let old = accounts[user]?.devices[login.device.id]?.login?.connection, old != id {
            replace(old, by: login, at: now, into: &effects)
        }
        var record = accounts[user]?.devices[login.device.id] ?? DeviceRecord(device: login.device)
        let wasPresent = record.login?.isPresent ?? false
        let wasKnown = record.login != nil
        let channels = record.login?.channels ?? []
        let (expiry, issue): (Int64, Int64) =
            if case .verdict(let verdict) = login.credential {
                (verdict.expiresAtMilliseconds, verdict.issuedAtMilliseconds)
            } else {
                (0, 0)
            }
        record.device = login.device
        record.login = DeviceLogin(
            epoch: epoch, connection: id, isPresent: true,
            since: login.mode == .resume ? (record.login?.since ?? now) : now)
        record.login?.channels = channels
        record.lastInstance = login.instance
        // A pending kick of an earlier login of the device is obsolete now: the app must not be notified that its login
        // has ended while the new login continues.
        record.undeliveredKick = nil
        record.isPushBound = true
        record.releasedEpoch = nil
        record.loggedOutEpoch = nil
        record.expiredEpoch = nil
        record.lastEpoch = epoch
        record.goneSinceMilliseconds = nil
        record.pushCount = 0
        // Only a resumed login can have missed channel messages (RTM-8).
        if login.mode != .resume { record.channelsSince = nil }
        accounts[user]?.devices[login.device.id] = record
        noteLastLogin(of: login.device, user: user, epoch: epoch)
        connections[id]?.stage = .loggedIn(user: user, device: login.device.id)
        timers.cancel(.overdue(id))
        timers.cancel(.presence(user: user, device: login.device.id))

        let others = presentDevices(of: user, besides: login.device.id)
        let pages = FramePages.split(others.map(\.device)).map { devices in
            FrameBody.loginAck(
                LoginReply(
                    .ok, epoch: epoch, serverTimeMilliseconds: wallClock(at: now), otherDevices: devices,
                    expiresAtMilliseconds: expiry, wasGone: wasKnown && !wasPresent, issuedAtMilliseconds: issue))
        }
        for frame in FramePages.frames(request: request, pages) { effects.append(.send(id, frame)) }
        watchToken(expiresAtMilliseconds: expiry, user: user, device: login.device.id, at: now)
        if !wasPresent {
            effects.append(.presence(user: user, device: login.device.id, .online))
            if others.isEmpty && !wasOnline { notifyWatchers(of: user, .online, into: &effects) }
            notify(others, .devicesChanged(.login, [login.device]), into: &effects)
        }
        if policy.deliversAtSync {
            moveEarlyMessages(user, device: login.device.id, at: now)
            let hasWaiting = accounts[user]?.devices[login.device.id]?.inbox.isEmpty == false
            connections[id]?.holdsMessages = hasWaiting ? true : nil
        } else {
            deliverStored(to: user, device: login.device.id, on: id, at: now, into: &effects)
        }
        deliverOperations(to: user, device: login.device.id, on: id, at: now, into: &effects)
        if !login.userName.isEmpty { rename(user, to: login.userName, at: now, into: &effects) }
    }

    /// Ends the older connection of the same device. A connection of the same process is replaced without a kick (C-8).
    /// If it belongs to another process of the installation, that process is notified that its login has ended (C-6).
    private mutating func replace(
        _ old: ConnectionID, by login: LoginRequest, at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard login.mode != .guest, connections[old]?.isBroken != true,
            let record = accounts[login.user]?.devices[login.device.id], isOtherProcess(login, than: record),
            let epoch = record.login?.epoch
        else {
            connections[old]?.stage = .fresh
            return refuse(old, .replaced, detail: "", at: now, into: &effects)
        }
        endStage(of: old, user: login.user, device: login.device.id, at: now)
        let notice = KickNotice(reason: .otherLogin, epoch: epoch, by: login.device)
        effects.append(.send(old, Frame(.kicked(notice))))
    }

    private mutating func noteLastLogin(of device: Device, user: String, epoch: LoginEpoch) {
        let group = policy.group(of: device)
        accounts[user]?.lastLogins.removeAll { $0.group == group }
        accounts[user]?.lastLogins.append(LastLogin(group: group, device: device.id, epoch: epoch))
    }
}
