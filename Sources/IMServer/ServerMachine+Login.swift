import IMProtocol
import SansIO

// Judging a login, and what it does to the account's other devices. This is the one order in which a login is judged, in
// every mode and every system; what stands first is what the device is told, whatever else is so:
//
//  1. What cannot be served at all: names and devices that are none, another application.
//  2. Who asks. A credential that proves nothing is refused and learns nothing else, but how often it was tried.
//  3. What the device has not been told (C-7): that its account was removed, that a kick, a ban or a new password ended
//     its login. It is told to whoever is the user, and to whoever was it when the credential was made: what has expired
//     or was revoked meanwhile shows as much, and a device that comes back late comes back with just that. A password
//     shows nothing of the kind: there the device must name its own last login.
//  4. Logins that come too often (NIM-8).
//  5. Whether the credential still holds.
//  6. The account: that there is one or room for it, that it is neither banned nor refused by the operator.
//  7. The device's place: 417, what became of the login that it goes on with, too many devices (NIM-4, C-6, CHAT-3).
//
// A login by hand has nothing to be told: it makes void whatever there was, and only the account may refuse it.

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
        switch news(for: login, showing: proof) {
        case .over(let notice): return tellDisplaced(login, notice, on: id, at: now, into: &effects)
        case .refused(let status):
            confirmKick(of: login.device.id, user: login.user, epoch: login.epoch)
            return refuse(status)
        case .anew, .goesOn, nil: break
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
        guard !isLate(login, in: account, on: id) else {
            return self.refuse(id, .replaced, detail: "", at: now, into: &effects)
        }
        let heard = heard(login, in: account)
        switch judgement(of: heard, in: account) {
        case .anew:
            guard hasRoom(for: login, in: account) else { return refuse(.tooManyDevices) }
            logInAnew(login, in: account, request: request, on: id, at: now, into: &effects)
        case .goesOn:
            admit(
                login, epoch: heard.epoch, wasThere: isThere(login.user), request: request, on: id, at: now,
                into: &effects)
        case .refused(let status): refuse(status)
        case .over(let notice): tellDisplaced(login, notice, on: id, at: now, into: &effects)
        }
    }

    private mutating func logInAnew(
        _ login: LoginRequest, in account: Account, request: UInt32, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        let epoch = account.epoch.successorOrMax
        let wasThere = isThere(login.user)
        accounts[login.user]?.epoch = epoch
        displaceOthers(login, at: now, into: &effects)
        forgetDevice(for: login, into: &effects)
        endOtherInstance(login, at: now, into: &effects)
        // Nothing of the device's own older login goes over to this one unseen (RTM-4).
        letGo(of: login.user, device: login.device.id, into: &effects)
        admit(login, epoch: epoch, wasThere: wasThere, request: request, on: id, at: now, into: &effects)
    }

    /// The device comes back with a login that is over: it is told so, and nothing else (C-6, C-7).
    private mutating func tellDisplaced(
        _ login: LoginRequest, _ notice: KickNotice, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        connections[id]?.stage = .ended(user: login.user, device: login.device.id)
        timers.set(.overdue(id), at: now + policy.loginOverdueAfter)
        effects.append(.send(id, Frame(.kicked(notice))))
    }

    /// Ends the logins that cannot be beside this one (NIM-11, RTM-6). The device's own older login is not among them:
    /// the newest connection of a device is never the target of a kick (C-8).
    private mutating func displaceOthers(
        _ login: LoginRequest, at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard let account = accounts[login.user] else { return }
        for device in displaced(by: login, in: account) {
            endLogin(
                of: device, user: login.user, .otherLogin, by: login.device, userStays: true, at: now, into: &effects)
        }
    }

    /// Ends the device's own older login, where it is that of another running instance (RTM-6): the instance is told
    /// over its connection and closes it. The same instance's older connection is only replaced.
    private mutating func endOtherInstance(
        _ login: LoginRequest, at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard let record = accounts[login.user]?.devices[login.device.id], record.login != nil,
            isOtherInstance(login, than: record)
        else { return }
        endLogin(
            of: login.device.id, user: login.user, .otherLogin, by: login.device, userStays: true, at: now,
            into: &effects)
    }

    private mutating func admit(
        _ login: LoginRequest, epoch: LoginEpoch, wasThere: Bool, request: UInt32, on id: ConnectionID,
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
        // A login of its own right makes void whatever the device had not yet been told of an earlier one.
        record.undeliveredKick = nil
        record.isPushBound = true
        record.releasedEpoch = nil
        record.loggedOutEpoch = nil
        record.expiredEpoch = nil
        record.lastEpoch = epoch
        record.goneSinceMilliseconds = nil
        record.pushCount = 0
        // Only who goes on with a login has missed something (RTM-8).
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
            if others.isEmpty && !wasThere { tellWatchers(of: user, .online, into: &effects) }
            tell(others, .devicesChanged(.login, [login.device]), into: &effects)
        }
        if policy.deliversAtSync {
            takeAlong(user, device: login.device.id, at: now)
            let waits = accounts[user]?.devices[login.device.id]?.inbox.isEmpty == false
            connections[id]?.holdsMessages = waits ? true : nil
        } else {
            deliverStored(to: user, device: login.device.id, on: id, at: now, into: &effects)
        }
        deliverOperations(to: user, device: login.device.id, on: id, at: now, into: &effects)
        if !login.userName.isEmpty { rename(user, to: login.userName, at: now, into: &effects) }
    }

    /// Ends the device's own older connection. That of the same process is replaced, not kicked (C-8). Another process of
    /// the installation is another login of the user, and the older process is notified of it (C-6).
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
