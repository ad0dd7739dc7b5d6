import IMProtocol
import SansIO

// Judging a login, and what it does to the account's other devices.

extension ServerMachine {
    mutating func logIn(
        _ login: LoginRequest, request: UInt32, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        func refuse(_ status: Status) {
            effects.append(.send(id, Frame(request: request, .loginAck(LoginReply(status)))))
        }
        guard ProtocolLimit.isName(login.user), login.device.isValid else { return refuse(.invalidArgument) }
        guard login.application == policy.profile else { return refuse(.wrongCredential) }
        let admission = admission(login.credential, user: login.user)
        guard admission == .ok else { return refuse(admission) }
        if let notice = removal(before: login) { return tellDisplaced(login, notice, on: id, at: now, into: &effects) }
        if accounts[login.user] == nil {
            guard policy.makesAccounts || login.mode == .guest, accounts.count < policy.accountCountMax else {
                return refuse(.wrongCredential)
            }
            accounts[login.user] = Account()
            removedUsers.remove(login.user)
        }
        guard let account = accounts[login.user] else { return }
        guard !account.isBanned else { return refuse(.banned) }
        guard !isTooOften(login, at: now) else { return refuse(.rateLimited) }
        switch judgement(of: login, in: account) {
        case .anew: logInAnew(login, in: account, request: request, on: id, at: now, into: &effects)
        case .goesOn:
            admit(
                login, epoch: login.epoch, wasThere: isThere(login.user), request: request, on: id, at: now,
                into: &effects)
        case .refused(let status): refuse(status)
        case .over(let notice): tellDisplaced(login, notice, on: id, at: now, into: &effects)
        }
    }

    /// What becomes of a login that its credential lets in.
    private enum Judgement {
        /// A login of its own right, the account's latest.
        case anew
        /// It is the login that its device holds (C-6).
        case goesOn
        case refused(Status)
        /// The login that it comes after is over, and the device does not know.
        case over(KickNotice)
    }

    private func judgement(of login: LoginRequest, in account: Account) -> Judgement {
        switch login.mode {
        case .manual: return .anew
        case .resume where isReleased(login, in: account): return judgement(ofReturn: login, in: account)
        case .resume: return displacement(of: login, in: account).map(Judgement.over) ?? .goesOn
        case .offline:
            if let notice = laterLogin(than: login, in: account) { return .over(notice) }
            return account.devices[login.device.id]?.login?.epoch == login.epoch ? .goesOn : .anew
        case .automatic, .forced:
            if let notice = untoldKick(of: login, in: account) { return .over(notice) }
            if login.mode == .automatic && policy.checksLastDevice && wasUsedElsewhere(login.device, account) {
                return .refused(.loggedInElsewhere)
            }
            return policy.takenPlace == .keepsCurrent ? judgement(ofReturn: login, in: account) : .anew
        case .guest:
            // Under no name but its own: the newest connection of a device is always that device (SYNC-6).
            return login.user == login.device.id ? .anew : .refused(.invalidArgument)
        }
    }

    /// What becomes of a device that comes back by itself and holds no place any more (CHAT-3).
    private func judgement(ofReturn login: LoginRequest, in account: Account) -> Judgement {
        guard !displaced(by: login, in: account).isEmpty else { return .anew }
        switch policy.takenPlace {
        case .kicksCurrent: return .anew
        case .keepsCurrent: return .refused(policy.exclusion == .single ? .deviceChanged : .tooManyDevices)
        case .kicked:
            let group = policy.group(of: login.device)
            let last = account.lastLogins.first { $0.group == group }.flatMap { account.devices[$0.device]?.device }
            return .over(KickNotice(reason: .otherLogin, epoch: login.epoch, by: last))
        }
    }

    /// That the account of the login before was removed and the device does not know (C-7, CHAT-10); nil when it was
    /// not. A login by hand may begin a new account of that name.
    private func removal(before login: LoginRequest) -> KickNotice? {
        guard removedUsers.contains(login.user), accounts[login.user] == nil, login.epoch != 0 else { return nil }
        switch login.mode {
        case .resume, .automatic, .forced, .offline: return KickNotice(reason: .accountRemoved, epoch: login.epoch)
        case .manual, .guest: return nil
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
        endOtherInstance(login, at: now, into: &effects)
        // Nothing of the device's own older login goes over to this one unseen (RTM-4).
        letGo(of: login.user, device: login.device.id, into: &effects)
        admit(login, epoch: epoch, wasThere: wasThere, request: request, on: id, at: now, into: &effects)
    }

    /// Whether the login that a reconnect wants to go on with has lost its place without a kick: the device was away for
    /// so long that it counted as offline (CHAT-3), or it never heard that its logout succeeded (CHAT-11).
    private func isReleased(_ login: LoginRequest, in account: Account) -> Bool {
        guard let record = account.devices[login.device.id], record.login == nil, record.undeliveredKick == nil else {
            return false
        }
        return record.releasedEpoch == login.epoch || record.loggedOutEpoch == login.epoch
    }

    /// Whether the credential lets its bearer act for the user.
    func admission(_ credential: Credential, user: String) -> Status {
        switch credential {
        case .verdict(let verdict):
            switch verdict.finding {
            case .valid: return verdict.user == user ? .ok : .wrongCredential
            case .expired: return .credentialExpired
            case .wrong: return .wrongCredential
            case .missing: return policy.admitsWithoutCredential ? .ok : .wrongCredential
            }
        case .reference, .secret:
            // The host has not judged it: a core takes no secret and no promise.
            return .wrongCredential
        }
    }

    /// Whether the last login of the device's group came from another device, online or not (NIM-4).
    private func wasUsedElsewhere(_ device: Device, _ account: Account) -> Bool {
        let group = policy.group(of: device)
        guard let last = account.lastLogins.first(where: { $0.group == group }) else { return false }
        return group != nil && last.device != device.id
    }

    /// Why the login that a reconnect wants to go on with is over, or nil when it is not (C-6).
    private func displacement(of login: LoginRequest, in account: Account) -> KickNotice? {
        let record = account.devices[login.device.id]
        if let notice = record?.undeliveredKick, notice.epoch == login.epoch { return notice }
        if let held = record?.login, held.epoch == login.epoch { return nil }
        if let notice = laterLogin(than: login, in: account) { return notice }
        if let record, isOtherInstance(login, than: record), lastEpoch(of: record, in: account) > login.epoch {
            return KickNotice(reason: .otherLogin, epoch: login.epoch, by: record.device)
        }
        // It has been ended and confirmed already, logged out, replaced by a later one, or was never given out.
        return KickNotice(reason: .server, epoch: login.epoch)
    }

    /// That another device of the group logged in later, or that a kick has not been told yet (C-6, C-7); nil when
    /// neither is so.
    private func laterLogin(than login: LoginRequest, in account: Account) -> KickNotice? {
        if let notice = account.devices[login.device.id]?.undeliveredKick, notice.epoch == login.epoch {
            return notice
        }
        guard policy.groupPlaces == 1, let group = policy.group(of: login.device),
            let last = account.lastLogins.first(where: { $0.group == group }), last.epoch > login.epoch,
            last.device != login.device.id
        else { return nil }
        return KickNotice(reason: .otherLogin, epoch: login.epoch, by: account.devices[last.device]?.device)
    }

    /// A kick by somebody's will that the device has not heard of, told to an automatic login before anything else
    /// happens (C-7). That another device logged in is for the automatic login's own rules to judge (NIM-4).
    private func untoldKick(of login: LoginRequest, in account: Account) -> KickNotice? {
        guard let notice = account.devices[login.device.id]?.undeliveredKick, notice.epoch == login.epoch,
            notice.reason != .otherLogin
        else { return nil }
        return notice
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

    private func isOtherInstance(_ login: LoginRequest, than record: DeviceRecord) -> Bool {
        guard policy.endsOtherInstances, login.instance != 0, let last = record.lastInstance, last != 0 else {
            return false
        }
        return login.instance != last
    }

    /// The number of the device's latest login; 0 where another device's came later.
    private func lastEpoch(of record: DeviceRecord, in account: Account) -> LoginEpoch {
        account.lastLogins.filter { $0.device == record.device.id }.map(\.epoch).max() ?? 0
    }

    /// The devices whose logins a login ends: of its group as many as there are too many, the earliest first, and then
    /// of all (NIM-11, ZIM-7, CHAT-2).
    private func displaced(by login: LoginRequest, in account: Account) -> [String] {
        let others = account.devices.values.filter { $0.device.id != login.device.id && $0.login != nil }
            .sorted { ($0.login?.epoch ?? 0, $0.device.id) < ($1.login?.epoch ?? 0, $1.device.id) }
        var displaced: [String] = []
        if let group = policy.group(of: login.device) {
            let rivals = others.filter { policy.group(of: $0.device) == group }
            displaced = rivals.prefix(max(0, rivals.count + 1 - policy.groupPlaces)).map(\.device.id)
        }
        if let places = policy.places {
            let staying = others.filter { !displaced.contains($0.device.id) }
            displaced += staying.prefix(max(0, staying.count + 1 - places)).map(\.device.id)
        }
        return displaced
    }

    private mutating func admit(
        _ login: LoginRequest, epoch: LoginEpoch, wasThere: Bool, request: UInt32, on id: ConnectionID,
        at now: Instant, into effects: inout [ServerEffect]
    ) {
        let user = login.user
        if let old = accounts[user]?.devices[login.device.id]?.login?.connection, old != id {
            // The device's own older connection: replaced, not kicked. What was sent over it to nobody was missed.
            noteMissedChannels(of: user, device: login.device.id, since: connections[old]?.lastHeard ?? now)
            connections[old]?.stage = .fresh
            refuse(old, .replaced, detail: "", at: now, into: &effects)
        }
        var record = accounts[user]?.devices[login.device.id] ?? DeviceRecord(device: login.device)
        let wasPresent = record.login?.isPresent ?? false
        let wasKnown = record.login != nil
        let channels = record.login?.channels ?? []
        let expiry: Int64 =
            if case .verdict(let verdict) = login.credential { verdict.expiresAtMilliseconds } else { 0 }
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
        record.pushCount = 0
        // Only who goes on with a login has missed something (RTM-8).
        if login.mode != .resume { record.channelsMissed.removeAll() }
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
                    expiresAtMilliseconds: expiry, wasGone: wasKnown && !wasPresent))
        }
        for frame in FramePages.frames(request: request, pages) { effects.append(.send(id, frame)) }
        watchToken(expiresAtMilliseconds: expiry, user: user, device: login.device.id, at: now)
        if !wasPresent {
            effects.append(.presence(user: user, device: login.device.id, .online))
            if others.isEmpty && !wasThere { tellWatchers(of: user, .online, into: &effects) }
            tell(others, .devicesChanged(.login, [login.device]), into: &effects)
        }
        if !policy.deliversAtSync { deliverStored(to: user, device: login.device.id, on: id, at: now, into: &effects) }
        deliverOperations(to: user, device: login.device.id, on: id, at: now, into: &effects)
    }

    private mutating func noteLastLogin(of device: Device, user: String, epoch: LoginEpoch) {
        let group = policy.group(of: device)
        accounts[user]?.lastLogins.removeAll { $0.group == group }
        accounts[user]?.lastLogins.append(LastLogin(group: group, device: device.id, epoch: epoch))
    }
}
