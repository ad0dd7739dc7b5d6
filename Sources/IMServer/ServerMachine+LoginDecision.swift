import IMProtocol
import SansIO

// The decision about a login: pending notices for its device, and the limits on devices. ServerMachine+Login.swift
// lists these checks in their order.

extension ServerMachine {
    /// The decision about a login whose credential is admitted.
    enum LoginDecision {
        /// A new login, which becomes the account's latest.
        case newLogin
        /// A continuation of the login that its device holds (C-6).
        case resumeLogin
        case refused(Status)
        /// The login that it continues has ended, and the device has not been notified.
        case alreadyEnded(KickNotice)
    }

    /// The proof that a credential gives about its sender.
    enum Proof: Equatable {
        /// The sender is the user.
        case isUser
        /// The sender was the user when the credential was made. The status is the reason why it is invalid now.
        case wasUser(Status)
        case nothing(Status)

        var status: Status {
            switch self {
            case .isUser: .ok
            case .wasUser(let status), .nothing(let status): status
            }
        }
    }

    /// True if a name is valid as a user's name.
    func isAccountName(_ name: String) -> Bool { ProtocolLimit.isName(name) && isDeviceName(name) }

    /// True if a text is valid as a device's id. Login ids join both names with a `/`, so neither name contains one.
    /// Otherwise `alice/pc/1` could be two devices, and an account `alice/pc` could receive messages for a device
    /// (CHAT-7).
    func isDeviceName(_ id: String) -> Bool { !policy.hasLoginIDs || !id.utf8.contains(UInt8(ascii: "/")) }

    func proof(_ credential: Credential, of user: String) -> Proof {
        // The host must have checked the credential: the machine accepts no secret and no unchecked claim.
        guard case .verdict(let verdict) = credential else { return .nothing(.wrongCredential) }
        switch verdict.finding {
        case .valid where verdict.user == user:
            return isRevoked(verdict) ? .wasUser(.wrongCredential) : .isUser
        case .revoked where verdict.user == user: return .wasUser(.wrongCredential)
        case .expired where verdict.user == user: return .wasUser(.credentialExpired)
        case .valid, .expired, .revoked, .wrong: return .nothing(.wrongCredential)
        case .missing: return policy.admitsWithoutCredential ? .isUser : .nothing(.wrongCredential)
        case .tooOften: return .nothing(.rateLimited)
        }
    }

    /// True if a credential was made before the account's tokens were revoked or its password changed, or for a removed
    /// account of this name.
    public func isRevoked(_ verdict: CredentialVerdict) -> Bool {
        let user = verdict.user
        let since = accounts[user]?.credentialsSinceMilliseconds ?? removedUsers[user]?.atMilliseconds ?? 0
        return verdict.issuedAtMilliseconds < since
    }

    // MARK: Pending notices

    /// The end of the login that this one continues, if the device has not been notified of it (C-7). Nil if there is
    /// none, or if the sender of this credential may not be notified of it.
    func pendingNotice(for login: LoginRequest, showing proof: Proof) -> LoginDecision? {
        guard let notice = undeliveredEnd(before: login) else { return nil }
        if case .nothing = proof {
            // The password is wrong because it was changed, and the device must be notified of that. A stranger must
            // not be notified: only the device itself has both its id and its last login.
            guard notice.reason == .passwordChanged, proof.status == .wrongCredential, hasCredential(login),
                accounts[login.user]?.devices[login.device.id]?.lastEpoch == login.epoch
            else { return nil }
        }
        guard policy.tellsEndsAsRefusals else { return .alreadyEnded(notice) }
        switch notice.reason {
        case .banned: return .refused(.banned)
        case .accountRemoved, .passwordChanged: return .refused(.wrongCredential)
        case .otherLogin, .server, .otherDevice: return .alreadyEnded(notice)
        }
    }

    /// True if a credential came with the login. A login without one proves nothing about an earlier user.
    private func hasCredential(_ login: LoginRequest) -> Bool {
        if case .verdict(let verdict) = login.credential { verdict.finding != .missing } else { false }
    }

    private func undeliveredEnd(before login: LoginRequest) -> KickNotice? {
        switch login.mode {
        case .manual, .guest: return nil
        case .resume, .automatic, .forced, .offline: break
        }
        guard login.epoch != 0 else { return nil }
        guard let account = accounts[login.user] else {
            return removedUsers[login.user].map { _ in KickNotice(reason: .accountRemoved, epoch: login.epoch) }
        }
        // The account of this name is a different one now.
        if let last = account.removedThrough, login.epoch <= last {
            return KickNotice(reason: .accountRemoved, epoch: login.epoch)
        }
        // A notice about a later login than the device's last known one ends a login whose answer got lost.
        if let notice = account.devices[login.device.id]?.undeliveredKick, notice.epoch >= login.epoch {
            // If another device of its group logged in, the rules for the automatic login apply (NIM-4).
            let group = policy.group(of: login.device)
            let isOfGroup = group != nil && notice.by.flatMap(policy.group(of:)) == group
            let isJudged = login.mode == .forced || login.mode == .automatic && isOfGroup
            if notice.reason != .otherLogin || !isJudged { return notice }
        }
        guard login.mode == .resume, account.devices[login.device.id]?.login?.epoch != login.epoch else { return nil }
        // The server no longer has a record of the device, or the device was not notified that it was logged out.
        if account.isBanned { return KickNotice(reason: .banned, epoch: login.epoch) }
        if let last = account.passwordChangedThrough, login.epoch <= last {
            return KickNotice(reason: .passwordChanged, epoch: login.epoch)
        }
        return nil
    }

    // MARK: The device's slot

    /// True if a login request comes over an older connection than the device's current login. It was sent before that
    /// login, and the network delayed it (C-8).
    func isDelayed(_ login: LoginRequest, in account: Account, on id: ConnectionID) -> Bool {
        guard let record = account.devices[login.device.id], let carrying = record.login?.connection else {
            return false
        }
        return id < carrying && !isOtherInstance(login, than: record)
    }

    /// The login that a device continues. If a process names an older login than its latest one, the answer to the
    /// latest one got lost: it is a new login that the process started when it came back (C-6).
    func continuedLogin(_ login: LoginRequest, in account: Account) -> LoginRequest {
        guard login.mode == .resume, let record = account.devices[login.device.id], let last = record.lastEpoch,
            login.epoch < last, login.instance != 0, login.instance == record.lastInstance,
            record.login != nil || record.releasedEpoch == last || record.expiredEpoch == last
        else { return login }
        var continuedLogin = login
        continuedLogin.epoch = last
        return continuedLogin
    }

    func loginDecision(of login: LoginRequest, in account: Account) -> LoginDecision {
        switch login.mode {
        case .manual:
            guard policy.loginKeepsCurrent == true else { return .newLogin }
            return displaced(by: login, in: account).isEmpty ? .newLogin : .refused(.tooManyDevices)
        case .forced where policy.loginKeepsCurrent == true: return .newLogin
        case .resume where isReleased(login, in: account): return loginDecision(ofReturn: login, in: account)
        case .resume where account.devices[login.device.id]?.expiredEpoch == login.epoch:
            // If a device that is offline holds no slot, it comes back like any other such device (CHAT-3).
            guard !policy.offlineFreesPlace else { return loginDecision(ofReturn: login, in: account) }
            if let notice = laterLogin(than: login, in: account) { return .alreadyEnded(notice) }
            return displaced(by: login, in: account).isEmpty
                ? .resumeLogin : loginDecision(ofReturn: login, in: account)
        case .resume: return displacement(of: login, in: account).map(LoginDecision.alreadyEnded) ?? .resumeLogin
        case .offline:
            // A device whose token expired without a notice has never logged out. It is notified like any other that
            // comes back (C-6).
            let isStale = account.devices[login.device.id]?.expiredEpoch == login.epoch
            if let notice = laterLogin(than: login, in: account, onlyActive: !isStale) { return .alreadyEnded(notice) }
            return account.devices[login.device.id]?.login?.epoch == login.epoch ? .resumeLogin : .newLogin
        case .automatic, .forced:
            if login.mode == .automatic && policy.checksLastDevice && wasUsedElsewhere(login.device, account) {
                return .refused(.loggedInElsewhere)
            }
            return policy.takenPlace == .keepsCurrent ? loginDecision(ofReturn: login, in: account) : .newLogin
        case .guest:
            // Only under its own name: the newest connection of a device is always that device (SYNC-6).
            return login.user == login.device.id ? .newLogin : .refused(.invalidArgument)
        }
    }

    /// The decision about a device that reconnects by itself and no longer holds a slot (CHAT-3).
    private func loginDecision(ofReturn login: LoginRequest, in account: Account) -> LoginDecision {
        guard !displaced(by: login, in: account).isEmpty else { return .newLogin }
        switch policy.takenPlace {
        case .kicksCurrent: return .newLogin
        case .keepsCurrent:
            // The only slot: the code of the vendor's newer document.
            let isChange = policy.exclusion == .single && policy.tellsDeviceChanged
            return .refused(isChange ? .deviceChanged : .tooManyDevices)
        case .kicked:
            let group = policy.group(of: login.device)
            let last = account.lastLogins.first { $0.group == group }.flatMap { account.devices[$0.device]?.device }
            return .alreadyEnded(KickNotice(reason: .otherLogin, epoch: login.epoch, by: last))
        }
    }

    /// True if the login that a reconnect continues has lost its slot without a kick. Either the device was away for so
    /// long that it counted as offline (CHAT-3), or the answer to its logout got lost (CHAT-11).
    private func isReleased(_ login: LoginRequest, in account: Account) -> Bool {
        guard let record = account.devices[login.device.id], record.login == nil, record.undeliveredKick == nil else {
            return false
        }
        return record.releasedEpoch == login.epoch || record.loggedOutEpoch == login.epoch
    }

    /// True if the last login of the device's group came from another device, online or not (NIM-4).
    private func wasUsedElsewhere(_ device: Device, _ account: Account) -> Bool {
        let group = policy.group(of: device)
        guard let last = account.lastLogins.first(where: { $0.group == group }) else { return false }
        return group != nil && last.device != device.id
    }

    /// The reason why the login that a reconnect continues has ended; nil if it has not (C-6).
    private func displacement(of login: LoginRequest, in account: Account) -> KickNotice? {
        if let held = account.devices[login.device.id]?.login, held.epoch == login.epoch { return nil }
        if let notice = laterLogin(than: login, in: account) { return notice }
        // A later login from another process of the same installation is another login of the user (C-6).
        if let record = account.devices[login.device.id], isOtherProcess(login, than: record),
            record.lastEpoch ?? 0 > login.epoch
        {
            return KickNotice(reason: .otherLogin, epoch: login.epoch, by: record.device)
        }
        // Its end has been confirmed already, it logged out, a later login replaced it, or it never existed.
        return KickNotice(reason: .server, epoch: login.epoch)
    }

    /// True if a login comes from another running instance of the device's app than its latest login, and therefore
    /// ends that one before it is admitted (RTM-6).
    func isOtherInstance(_ login: LoginRequest, than record: DeviceRecord) -> Bool {
        policy.endsOtherInstances && isOtherProcess(login, than: record)
    }

    /// True if a login comes from another process of the device's app than its latest one.
    func isOtherProcess(_ login: LoginRequest, than record: DeviceRecord) -> Bool {
        guard login.instance != 0, let last = record.lastInstance, last != 0 else { return false }
        return login.instance != last
    }

    /// The notice that another device of the group logged in later (C-6). Nil if none did.
    ///
    /// - Parameter thatStands: true if only logins that have not ended count. A device that logs in on local data after
    ///   its logout starts from nothing, so a device that is offline too is no reason to refuse it (ZIM-1).
    private func laterLogin(
        than login: LoginRequest, in account: Account, onlyActive: Bool = false
    ) -> KickNotice? {
        guard policy.groupSlots == 1, let group = policy.group(of: login.device),
            let last = account.lastLogins.first(where: { $0.group == group }), last.epoch > login.epoch,
            last.device != login.device.id, !onlyActive || account.devices[last.device]?.login != nil
        else { return nil }
        return KickNotice(reason: .otherLogin, epoch: login.epoch, by: account.devices[last.device]?.device)
    }

    // MARK: Devices

    /// The devices whose logins a login ends: first the excess ones of its group, then the excess ones of the account,
    /// each time the earliest logins first (NIM-11, ZIM-7, CHAT-2).
    func displaced(by login: LoginRequest, in account: Account) -> [String] {
        let others = account.devices.values.filter { $0.device.id != login.device.id && $0.login != nil }
            .sorted { ($0.login?.epoch ?? 0, $0.device.id) < ($1.login?.epoch ?? 0, $1.device.id) }
        var displaced: [String] = []
        if let group = policy.group(of: login.device) {
            let rivals = others.filter { policy.group(of: $0.device) == group }
            displaced = rivals.prefix(max(0, rivals.count + 1 - policy.groupSlots)).map(\.device.id)
        }
        if let slots = policy.slots {
            let staying = others.filter { !displaced.contains($0.device.id) }
            displaced += staying.prefix(max(0, staying.count + 1 - slots)).map(\.device.id)
        }
        return displaced
    }

    /// True if the server can keep one more device of the account, if necessary by dropping another
    /// (``dropDevice(for:into:)``).
    func hasRoom(for login: LoginRequest, in account: Account) -> Bool {
        account.devices[login.device.id] != nil || account.devices.count < policy.devicesKeptMax
            || account.devices.values.contains { $0.login?.connection == nil }
            || !displaced(by: login, in: account).isEmpty
    }

    /// Makes room for a device that is new to its account. The device that has been away longest is dropped, with
    /// everything that waits for it. If it comes back with its old login, it is notified that the login has ended.
    mutating func dropDevice(for login: LoginRequest, into effects: inout [ServerEffect]) {
        guard let account = accounts[login.user], account.devices[login.device.id] == nil else { return }
        let excess = account.devices.count + 1 - policy.devicesKeptMax
        guard excess > 0 else { return }
        let gone = account.devices.values.filter { $0.login?.connection == nil }
            .sorted { ($0.staying, $0.lastEpoch ?? 0, $0.device.id) < ($1.staying, $1.lastEpoch ?? 0, $1.device.id) }
        for record in gone.prefix(excess) {
            endPresence(of: record.device.id, user: login.user, as: .offline, into: &effects)
            timers.cancel(.token(user: login.user, device: record.device.id))
            accounts[login.user]?.devices.removeValue(forKey: record.device.id)
        }
    }
}

extension DeviceRecord {
    /// The priority for keeping the record of a device that is away.
    fileprivate var staying: Int {
        if login != nil { return 3 }
        if releasedEpoch != nil || expiredEpoch != nil { return 2 }
        return undeliveredKick == nil ? 0 : 1
    }
}
