import IMProtocol
import SansIO

// What becomes of a login: what its device has not been told, and what its place is. The order of these questions
// stands in ServerMachine+Login.swift.

extension ServerMachine {
    /// What becomes of a login that its credential lets in.
    enum Judgement {
        /// A login of its own right, the account's latest.
        case anew
        /// It is the login that its device holds (C-6).
        case goesOn
        case refused(Status)
        /// The login that it comes after is over, and the device does not know.
        case over(KickNotice)
    }

    /// What a credential shows of its bearer.
    enum Proof: Equatable {
        /// That it is the user.
        case isUser
        /// That it was the user when the credential was made; with what is wrong about it now.
        case wasUser(Status)
        case nothing(Status)

        var status: Status {
            switch self {
            case .isUser: .ok
            case .wasUser(let status), .nothing(let status): status
            }
        }
    }

    /// Whether a name may be a user's here.
    func isAccountName(_ name: String) -> Bool { ProtocolLimit.isName(name) && isDeviceName(name) }

    /// Whether a text may be a device's id here. Where login ids are made of both names, the `/` between them is the
    /// only one: else `alice/pc/1` could be two devices, and an account `alice/pc` get what is meant for a device
    /// (CHAT-7).
    func isDeviceName(_ id: String) -> Bool { !policy.hasLoginIDs || !id.utf8.contains(UInt8(ascii: "/")) }

    func proof(_ credential: Credential, of user: String) -> Proof {
        // What the host has not judged, a core does not believe: it takes no secret and no promise.
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

    /// Whether a credential was made before the account's tokens were revoked or its password was changed, or for an
    /// account of this name that is gone.
    public func isRevoked(_ verdict: CredentialVerdict) -> Bool {
        let user = verdict.user
        let since = accounts[user]?.credentialsSinceMilliseconds ?? removedUsers[user]?.atMilliseconds ?? 0
        return verdict.issuedAtMilliseconds < since
    }

    // MARK: What the device has not been told

    /// The end of the login that this one comes after, if the device has not heard of it (C-7); nil where there is none
    /// or it may not be told to this bearer.
    func news(for login: LoginRequest, showing proof: Proof) -> Judgement? {
        guard let notice = untoldEnd(before: login) else { return nil }
        if case .nothing = proof {
            // The password that the device shows is wrong because it was changed; that is what it has to be told. A
            // stranger must not learn it: only the device itself knows its id together with its last login.
            guard notice.reason == .passwordChanged, proof.status == .wrongCredential, hasShown(login),
                accounts[login.user]?.devices[login.device.id]?.lastEpoch == login.epoch
            else { return nil }
        }
        guard policy.tellsEndsAsRefusals else { return .over(notice) }
        switch notice.reason {
        case .banned: return .refused(.banned)
        case .accountRemoved, .passwordChanged: return .refused(.wrongCredential)
        case .otherLogin, .server, .otherDevice: return .over(notice)
        }
    }

    /// Whether a credential came with a login. With none, nobody was that user before.
    private func hasShown(_ login: LoginRequest) -> Bool {
        if case .verdict(let verdict) = login.credential { verdict.finding != .missing } else { false }
    }

    private func untoldEnd(before login: LoginRequest) -> KickNotice? {
        switch login.mode {
        case .manual, .guest: return nil
        case .resume, .automatic, .forced, .offline: break
        }
        guard login.epoch != 0 else { return nil }
        guard let account = accounts[login.user] else {
            return removedUsers[login.user].map { _ in KickNotice(reason: .accountRemoved, epoch: login.epoch) }
        }
        // The account of this name is another one by now.
        if let last = account.removedThrough, login.epoch <= last {
            return KickNotice(reason: .accountRemoved, epoch: login.epoch)
        }
        // That of a later login than the device knows is the end of one whose answer got lost.
        if let notice = account.devices[login.device.id]?.undeliveredKick, notice.epoch >= login.epoch {
            // That another device of its group logged in is for the automatic login's own rules to judge (NIM-4).
            let group = policy.group(of: login.device)
            let isOfGroup = group != nil && notice.by.flatMap(policy.group(of:)) == group
            let isJudged = login.mode == .forced || login.mode == .automatic && isOfGroup
            if notice.reason != .otherLogin || !isJudged { return notice }
        }
        guard login.mode == .resume, account.devices[login.device.id]?.login?.epoch != login.epoch else { return nil }
        // The device is not known any more, or had not heard that it was logged out.
        if account.isBanned { return KickNotice(reason: .banned, epoch: login.epoch) }
        if let last = account.passwordChangedThrough, login.epoch <= last {
            return KickNotice(reason: .passwordChanged, epoch: login.epoch)
        }
        return nil
    }

    // MARK: The place

    /// Whether a login comes over a link that is older than the one which carries the device's login: it was said before
    /// that, and a network kept it back (C-8).
    func isLate(_ login: LoginRequest, in account: Account, on id: ConnectionID) -> Bool {
        guard let record = account.devices[login.device.id], let carrying = record.login?.connection else {
            return false
        }
        return id < carrying && !isOtherInstance(login, than: record)
    }

    /// The login that a device asks for. A process that names an older one than it was last given did not hear of that: it
    /// came back with a login of its own right, and the answer got lost (C-6).
    func heard(_ login: LoginRequest, in account: Account) -> LoginRequest {
        guard login.mode == .resume, let record = account.devices[login.device.id], let last = record.lastEpoch,
            login.epoch < last, login.instance != 0, login.instance == record.lastInstance,
            record.login != nil || record.releasedEpoch == last || record.expiredEpoch == last
        else { return login }
        var heard = login
        heard.epoch = last
        return heard
    }

    func judgement(of login: LoginRequest, in account: Account) -> Judgement {
        switch login.mode {
        case .manual: return .anew
        case .resume where isReleased(login, in: account): return judgement(ofReturn: login, in: account)
        case .resume where account.devices[login.device.id]?.expiredEpoch == login.epoch:
            // Where a device that is away holds no place, it comes back like any other of those (CHAT-3).
            guard !policy.offlineFreesPlace else { return judgement(ofReturn: login, in: account) }
            if let notice = laterLogin(than: login, in: account) { return .over(notice) }
            return displaced(by: login, in: account).isEmpty ? .goesOn : judgement(ofReturn: login, in: account)
        case .resume: return displacement(of: login, in: account).map(Judgement.over) ?? .goesOn
        case .offline:
            // Whose token ended unheard has never logged out: it is told like any other that comes back (C-6).
            let isStale = account.devices[login.device.id]?.expiredEpoch == login.epoch
            if let notice = laterLogin(than: login, in: account, thatStands: !isStale) { return .over(notice) }
            return account.devices[login.device.id]?.login?.epoch == login.epoch ? .goesOn : .anew
        case .automatic, .forced:
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
        case .keepsCurrent:
            // The only place, in the words of the vendor's newer document.
            let isChange = policy.exclusion == .single && policy.tellsDeviceChanged
            return .refused(isChange ? .deviceChanged : .tooManyDevices)
        case .kicked:
            let group = policy.group(of: login.device)
            let last = account.lastLogins.first { $0.group == group }.flatMap { account.devices[$0.device]?.device }
            return .over(KickNotice(reason: .otherLogin, epoch: login.epoch, by: last))
        }
    }

    /// Whether the login that a reconnect wants to go on with has lost its place without a kick: the device was away
    /// for so long that it counted as offline (CHAT-3), or it never heard that its logout succeeded (CHAT-11).
    private func isReleased(_ login: LoginRequest, in account: Account) -> Bool {
        guard let record = account.devices[login.device.id], record.login == nil, record.undeliveredKick == nil else {
            return false
        }
        return record.releasedEpoch == login.epoch || record.loggedOutEpoch == login.epoch
    }

    /// Whether the last login of the device's group came from another device, online or not (NIM-4).
    private func wasUsedElsewhere(_ device: Device, _ account: Account) -> Bool {
        let group = policy.group(of: device)
        guard let last = account.lastLogins.first(where: { $0.group == group }) else { return false }
        return group != nil && last.device != device.id
    }

    /// Why the login that a reconnect wants to go on with is over, or nil when it is not (C-6).
    private func displacement(of login: LoginRequest, in account: Account) -> KickNotice? {
        if let held = account.devices[login.device.id]?.login, held.epoch == login.epoch { return nil }
        if let notice = laterLogin(than: login, in: account) { return notice }
        // A later login of another process of the installation is another login of the user (C-6).
        if let record = account.devices[login.device.id], isOtherProcess(login, than: record),
            record.lastEpoch ?? 0 > login.epoch
        {
            return KickNotice(reason: .otherLogin, epoch: login.epoch, by: record.device)
        }
        // It has been ended and confirmed already, logged out, replaced by a later one, or was never given out.
        return KickNotice(reason: .server, epoch: login.epoch)
    }

    /// Whether a login is that of another running instance of the device's app than its latest one, and ends that one's
    /// login before it is admitted (RTM-6).
    func isOtherInstance(_ login: LoginRequest, than record: DeviceRecord) -> Bool {
        policy.endsOtherInstances && isOtherProcess(login, than: record)
    }

    /// Whether a login comes from another process of the device's app than its latest one.
    func isOtherProcess(_ login: LoginRequest, than record: DeviceRecord) -> Bool {
        guard login.instance != 0, let last = record.lastInstance, last != 0 else { return false }
        return login.instance != last
    }

    /// That another device of the group logged in later (C-6); nil when none did.
    ///
    /// - Parameter thatStands: only a login that has not ended meanwhile. A device that logs in on local data after it
    ///   had logged out goes on with nothing; there is no reason to keep it out for a device that is not there either
    ///   (ZIM-1).
    private func laterLogin(
        than login: LoginRequest, in account: Account, thatStands: Bool = false
    ) -> KickNotice? {
        guard policy.groupPlaces == 1, let group = policy.group(of: login.device),
            let last = account.lastLogins.first(where: { $0.group == group }), last.epoch > login.epoch,
            last.device != login.device.id, !thatStands || account.devices[last.device]?.login != nil
        else { return nil }
        return KickNotice(reason: .otherLogin, epoch: login.epoch, by: account.devices[last.device]?.device)
    }

    // MARK: Devices

    /// The devices whose logins a login ends: of its group as many as there are too many, the earliest first, and then
    /// of all (NIM-11, ZIM-7, CHAT-2).
    func displaced(by login: LoginRequest, in account: Account) -> [String] {
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

    /// Whether the server can know one device more of the account, if need be by forgetting another
    /// (``forgetDevice(for:into:)``).
    func hasRoom(for login: LoginRequest, in account: Account) -> Bool {
        account.devices[login.device.id] != nil || account.devices.count < policy.devicesKeptMax
            || account.devices.values.contains { $0.login?.connection == nil }
            || !displaced(by: login, in: account).isEmpty
    }

    /// Makes room for a device that is new to its account: the one that has been gone longest is forgotten, with what
    /// waits for it. If it comes back with a login of then, it learns that this one has ended.
    mutating func forgetDevice(for login: LoginRequest, into effects: inout [ServerEffect]) {
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
    /// How much speaks against forgetting a device that is not there.
    fileprivate var staying: Int {
        if login != nil { return 3 }
        if releasedEpoch != nil || expiredEpoch != nil { return 2 }
        return undeliveredKick == nil ? 0 : 1
    }
}
