import IMProtocol
import SansIO

extension ServerMachine {
    mutating func handle(
        _ command: ServerCommand, id: CommandID, at now: Instant, into effects: inout [ServerEffect]
    ) {
        let answer: ServerAnswer
        switch command {
        case .addAccount(let user): answer = ServerAnswer(addAccount(user))
        case .banAccount(let user):
            answer = ServerAnswer(endAll(of: user, .banned, at: now, into: &effects))
            accounts[user]?.isBanned = true
        case .deleteAccount(let user):
            answer = ServerAnswer(endAll(of: user, .accountRemoved, at: now, into: &effects))
            removeAccount(user, at: now)
            leaveGroups(user, at: now, into: &effects)
        case .kick(let user, let device):
            answer = ServerAnswer(endAll(of: user, device: device, .server, at: now, into: &effects))
        case .listDevices(let user): answer = listDevices(of: user)
        case .populate(let user, let amounts): answer = ServerAnswer(populate(user, amounts, at: now))
        case .passwordChanged(let user), .revokeTokens(let user):
            answer = ServerAnswer(changePassword(of: user, at: now, into: &effects))
        case .setRefusal(let user, let status): answer = ServerAnswer(setRefusal(status, of: user))
        case .setTreeRule(let path, let rule): answer = ServerAnswer(setTreeRule(rule, at: path, into: &effects))
        case .listTreeRules: answer = ServerAnswer(.ok, rows: treeRuleRows)
        case .setPolicy(let key, let value): answer = ServerAnswer(setPolicy(key, value))
        case .putChange(let user, let change): answer = ServerAnswer(put(change, into: user, at: now, into: &effects))
        case .populateData(let user, let population):
            answer = ServerAnswer(begin(user, with: population, at: now, into: &effects))
        case .shutDown:
            for connection in connections.keys {
                refuse(connection, .shutdown, detail: "", at: now, into: &effects)
            }
            answer = ServerAnswer(.ok)
        }
        effects.append(.complete(id, answer))
    }

    private mutating func addAccount(_ user: String) -> Status {
        guard isAccountName(user) else { return .invalidArgument }
        guard accounts[user] != nil || accounts.count < policy.accountCountMax else { return .accountLimit }
        if accounts[user] == nil { makeAccount(user) } else { accounts[user]?.isBanned = false }
        return .ok
    }

    /// Creates an account. If an account with this name was removed before, its logins and credentials remain invalid.
    mutating func makeAccount(_ user: String) {
        let account = removedUsers.removeValue(forKey: user)?.successor ?? Account()
        accounts[user] = account
    }

    private mutating func removeAccount(_ user: String, at now: Instant) {
        guard let account = accounts[user] else { return }
        accounts[user] = nil
        removedUsers.removeValue(forKey: user)
        removedUsers[user] = RemovedAccount(lastEpoch: account.epoch, atMilliseconds: nextMillisecond(at: now))
        if removedUsers.count > policy.accountCountMax { removedUsers.removeFirst() }
    }

    /// Invalidates all credentials that were made before. Depending on the policy, the logins with these credentials
    /// end at once, or when they present their credential the next time.
    private mutating func changePassword(
        of user: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard let account = accounts[user] else { return .notFound }
        let since = nextMillisecond(at: now)
        accounts[user]?.credentialsSinceMilliseconds = since
        guard policy.passwordChangeEndsLogins else { return .ok }
        accounts[user]?.passwordChangedThrough = account.epoch
        return endAll(of: user, .passwordChanged, at: now, into: &effects)
    }

    /// The millisecond after the current one. Credentials are invalid if they were made before this time, so those made
    /// in the current millisecond are invalid, too.
    private func nextMillisecond(at now: Instant) -> Int64 {
        let wall = wallClock(at: now)
        return wall == .max ? wall : wall + 1
    }

    private mutating func setRefusal(_ status: Status?, of user: String) -> Status {
        guard accounts[user] != nil else { return .notFound }
        guard status != .ok else { return .invalidArgument }
        accounts[user]?.refusal = status
        return .ok
    }

    private mutating func endAll(
        of user: String, device: String? = nil, _ reason: KickReason, at now: Instant,
        into effects: inout [ServerEffect]
    ) -> Status {
        guard let account = accounts[user] else { return .notFound }
        if let device {
            guard let record = account.devices[device] else { return .notFound }
            guard record.hasLogin else { return .notLoggedIn }
        }
        for id in account.devices.keys where device == nil || id == device {
            endLogin(of: id, user: user, reason, by: nil, at: now, into: &effects)
        }
        return .ok
    }

    private func listDevices(of user: String) -> ServerAnswer {
        guard let account = accounts[user] else { return ServerAnswer(.notFound) }
        let rows = account.devices.values.map { record in
            [
                ServerAnswerField("device", record.device.id),
                ServerAnswerField("platform", record.device.platform.name),
                ServerAnswerField("name", record.device.name),
                ServerAnswerField("presence", presence(of: record)),
                ServerAnswerField("epoch", record.login.map { String($0.epoch) } ?? "-"),
                ServerAnswerField("connection", record.login?.connection.map { String($0.rawValue) } ?? "-"),
                ServerAnswerField("push", record.isPushBound ? "bound" : "unbound"),
                ServerAnswerField("undelivered-kick", record.undeliveredKick?.reason.name ?? "-"),
                ServerAnswerField("pushes", String(record.pushCount)),
            ] + (record.lostCount.map { [ServerAnswerField("lost", String($0))] } ?? [])
        }
        return ServerAnswer(.ok, rows: rows)
    }

    private func presence(of record: DeviceRecord) -> String {
        guard let login = record.login else { return record.hasLogin ? "away" : "logged-out" }
        if login.connection != nil { return "online" }
        return login.isPresent ? "held" : "away"
    }
}
