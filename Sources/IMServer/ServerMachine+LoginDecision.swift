import IMProtocol
import SansIO

// The parts of the decision about a login that concern pending notices and the limits on devices.
// `ServerMachine+Login.swift` lists all checks in their order.

extension ServerMachine {
    /// The server's decision about a login request.
    enum LoginDecision {
        /// The request starts a new login, which becomes the account's latest.
        case newLogin
        /// The request continues the login that its device holds (C-6).
        case resumeLogin
        case refused(Status)
        /// The login that the request continues has ended, and the device has not been notified of the end.
        case alreadyEnded(KickNotice)
    }

    /// The facts that a credential proves about its sender.
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

    /// True if a text is valid as a device's id. In a system with login ids, no name contains a `/`, because a login id
    /// is a user, a `/` and a device. Otherwise `alice/pc/1` could mean two devices, and an account `alice/pc` could
    /// receive messages for a device (CHAT-7).
    func isDeviceName(_ id: String) -> Bool { !policy.hasLoginIDs || !id.utf8.contains(UInt8(ascii: "/")) }

    func proof(_ credential: Credential, of user: String) -> Proof {
        // The host must have replaced the credential by a verdict: the machine accepts no unchecked claim.
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

    /// True if a credential is older than the account's last password change or revocation of tokens, or belongs to a
    /// removed account with the same name.
    public func isRevoked(_ verdict: CredentialVerdict) -> Bool {
        let user = verdict.user
        let since = accounts[user]?.credentialsSinceMilliseconds ?? removedUsers[user]?.atMilliseconds ?? 0
        return verdict.issuedAtMilliseconds < since
    }

    // MARK: Pending notices

    /// The notice that the continued login has ended, if the device has not been notified (C-7). Nil if there is no
    /// such notice, or if the sender of this credential may not receive it.
    func pendingNotice(for login: LoginRequest, showing proof: Proof) -> LoginDecision? {
        guard let notice = undeliveredEnd(before: login) else { return nil }
        if case .nothing = proof {
            // After a change of the password, the device has only the old one, and must still get the notice. Strangers
            // must not get it. The device proves itself by its last login's epoch, which no other sender has.
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

    /// True if the login contains a credential. A login without one proves nothing about an earlier user.
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
        // The account was removed, and a new one with the same name was created.
        if let last = account.removedThrough, login.epoch <= last {
            return KickNotice(reason: .accountRemoved, epoch: login.epoch)
        }
        // The notice may be about a later login than the one that the device names: the answer to the later one was
        // lost.
        if let notice = account.devices[login.device.id]?.undeliveredKick, notice.epoch >= login.epoch {
            // If another device of the group caused the end, `loginDecision` decides about an automatic login (NIM-4).
            let group = policy.group(of: login.device)
            let isOfGroup = group != nil && notice.by.flatMap(policy.group(of:)) == group
            let isDecidedLater = login.mode == .forced || login.mode == .automatic && isOfGroup
            if notice.reason != .otherLogin || !isDecidedLater { return notice }
        }
        guard login.mode == .resume, account.devices[login.device.id]?.login?.epoch != login.epoch else { return nil }
        // The server dropped the record of the device, or the device was logged out without being notified.
        if account.isBanned { return KickNotice(reason: .banned, epoch: login.epoch) }
        if let last = account.passwordChangedThrough, login.epoch <= last {
            return KickNotice(reason: .passwordChanged, epoch: login.epoch)
        }
        return nil
    }

    // MARK: The device's slot

    /// True if a login request comes over an older connection than the device's current login. The device sent it
    /// before that login, and the network delayed it (C-8).
    func isDelayed(_ login: LoginRequest, in account: Account, on id: ConnectionID) -> Bool {
        guard let record = account.devices[login.device.id], let current = record.login?.connection else {
            return false
        }
        return id < current && !isOtherInstance(login, than: record)
    }

    /// The request with the epoch of the login that it actually continues. If a process names an older login than its
    /// latest one, the answer to the latest login was lost. The process then continues the latest login (C-6).
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
            // The device's token expired while the device was offline. If the policy frees the slots of offline
            // devices, the device holds no slot, and is treated like any returning offline device (CHAT-3).
            guard !policy.offlineFreesPlace else { return loginDecision(ofReturn: login, in: account) }
            if let notice = laterLogin(than: login, in: account) { return .alreadyEnded(notice) }
            return displaced(by: login, in: account).isEmpty
                ? .resumeLogin : loginDecision(ofReturn: login, in: account)
        case .resume: return displacement(of: login, in: account).map(LoginDecision.alreadyEnded) ?? .resumeLogin
        case .offline:
            // If the token of a device expired without a notice, its user never logged out. The device is notified of a
            // later login like any other device that reconnects (C-6).
            let isStale = account.devices[login.device.id]?.expiredEpoch == login.epoch
            if let notice = laterLogin(than: login, in: account, onlyActive: !isStale) { return .alreadyEnded(notice) }
            return account.devices[login.device.id]?.login?.epoch == login.epoch ? .resumeLogin : .newLogin
        case .automatic, .forced:
            if login.mode == .automatic && policy.checksLastDevice && wasUsedElsewhere(login.device, account) {
                return .refused(.loggedInElsewhere)
            }
            return policy.takenPlace == .keepsCurrent ? loginDecision(ofReturn: login, in: account) : .newLogin
        case .guest:
            // A guest is its own user: the user's name must be the device's id (SYNC-6).
            return login.user == login.device.id ? .newLogin : .refused(.invalidArgument)
        }
    }

    /// The decision about an automatic login or a reconnect of a device that holds no slot any more (CHAT-3).
    private func loginDecision(ofReturn login: LoginRequest, in account: Account) -> LoginDecision {
        guard !displaced(by: login, in: account).isEmpty else { return .newLogin }
        switch policy.takenPlace {
        case .kicksCurrent: return .newLogin
        case .keepsCurrent:
            // If the account has only one slot, the vendor's newer document has a code of its own for this refusal.
            let isChange = policy.exclusion == .single && policy.tellsDeviceChanged
            return .refused(isChange ? .deviceChanged : .tooManyDevices)
        case .kicked:
            let group = policy.group(of: login.device)
            let last = account.lastLogins.first { $0.group == group }.flatMap { account.devices[$0.device]?.device }
            return .alreadyEnded(KickNotice(reason: .otherLogin, epoch: login.epoch, by: last))
        }
    }

    /// True if a reconnect continues a login that lost its slot without a kick. Either the device was disconnected for
    /// so long that it counted as offline (CHAT-3), or it logged out and the answer was lost (CHAT-11).
    private func isReleased(_ login: LoginRequest, in account: Account) -> Bool {
        guard let record = account.devices[login.device.id], record.login == nil, record.undeliveredKick == nil else {
            return false
        }
        return record.releasedEpoch == login.epoch || record.loggedOutEpoch == login.epoch
    }

    /// True if the last login in the exclusion group of the device came from another device, online or offline (NIM-4).
    private func wasUsedElsewhere(_ device: Device, _ account: Account) -> Bool {
        let group = policy.group(of: device)
        guard let last = account.lastLogins.first(where: { $0.group == group }) else { return false }
        return group != nil && last.device != device.id
    }

    /// The notice that the login that a reconnect continues has ended; nil if the login still exists (C-6).
    private func displacement(of login: LoginRequest, in account: Account) -> KickNotice? {
        if let held = account.devices[login.device.id]?.login, held.epoch == login.epoch { return nil }
        if let notice = laterLogin(than: login, in: account) { return notice }
        // Another process of the same installation that logs in later starts another login of the user (C-6).
        if let record = account.devices[login.device.id], isOtherProcess(login, than: record),
            record.lastEpoch ?? 0 > login.epoch
        {
            return KickNotice(reason: .otherLogin, epoch: login.epoch, by: record.device)
        }
        // There are four possible reasons: the device confirmed the end of the login, the device logged out, a later
        // login replaced it, or it never existed.
        return KickNotice(reason: .server, epoch: login.epoch)
    }

    /// True if a login comes from another running instance of the app than the device's latest login, and the policy
    /// ends that latest login (RTM-6).
    func isOtherInstance(_ login: LoginRequest, than record: DeviceRecord) -> Bool {
        policy.endsOtherInstances && isOtherProcess(login, than: record)
    }

    /// True if a login comes from another process of the app than the device's latest login.
    func isOtherProcess(_ login: LoginRequest, than record: DeviceRecord) -> Bool {
        guard login.instance != 0, let last = record.lastInstance, last != 0 else { return false }
        return login.instance != last
    }

    /// The notice that another device of the same exclusion group logged in later (C-6). Nil if no other device did.
    ///
    /// - Parameter onlyActive: true if a later login counts only while its device has a login. A device that logs in
    ///   with local data after its logout continues no login. So a later login of a device that is now offline too is
    ///   no reason to refuse it (ZIM-1).
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

    /// The devices whose logins end because of a new login: first the devices above the limit of its exclusion group,
    /// then those above the limit of the account. In both steps the earliest logins end first (NIM-11, ZIM-7, CHAT-2).
    func displaced(by login: LoginRequest, in account: Account) -> [String] {
        let others = account.devices.values.filter { $0.device.id != login.device.id && $0.login != nil }
            .sorted { ($0.login?.epoch ?? 0, $0.device.id) < ($1.login?.epoch ?? 0, $1.device.id) }
        var displaced: [String] = []
        if let group = policy.group(of: login.device) {
            let sameGroup = others.filter { policy.group(of: $0.device) == group }
            displaced = sameGroup.prefix(max(0, sameGroup.count + 1 - policy.groupSlots)).map(\.device.id)
        }
        if let slots = policy.slots {
            let remaining = others.filter { !displaced.contains($0.device.id) }
            displaced += remaining.prefix(max(0, remaining.count + 1 - slots)).map(\.device.id)
        }
        return displaced
    }

    /// True if the server can store one more device of the account, if necessary by dropping a record
    /// (``dropDevice(for:into:)``).
    func hasRoom(for login: LoginRequest, in account: Account) -> Bool {
        account.devices[login.device.id] != nil || account.devices.count < policy.devicesKeptMax
            || account.devices.values.contains { $0.login?.connection == nil }
            || !displaced(by: login, in: account).isEmpty
    }

    /// Makes room for a device that is new to its account. The device that has been disconnected longest is dropped,
    /// with all messages and notices that wait for it. If it reconnects with its old login, it is notified of the end.
    mutating func dropDevice(for login: LoginRequest, into effects: inout [ServerEffect]) {
        guard let account = accounts[login.user], account.devices[login.device.id] == nil else { return }
        let excess = account.devices.count + 1 - policy.devicesKeptMax
        guard excess > 0 else { return }
        let disconnected = account.devices.values.filter { $0.login?.connection == nil }
            .sorted { ($0.priority, $0.lastEpoch ?? 0, $0.device.id) < ($1.priority, $1.lastEpoch ?? 0, $1.device.id) }
        for record in disconnected.prefix(excess) {
            endPresence(of: record.device.id, user: login.user, as: .offline, into: &effects)
            timers.cancel(.token(user: login.user, device: record.device.id))
            accounts[login.user]?.devices.removeValue(forKey: record.device.id)
        }
    }
}

extension DeviceRecord {
    /// The priority of this record: the records of disconnected devices with the lowest priority are dropped first.
    fileprivate var priority: Int {
        if login != nil { return 3 }
        if releasedEpoch != nil || expiredEpoch != nil { return 2 }
        return undeliveredKick == nil ? 0 : 1
    }
}
