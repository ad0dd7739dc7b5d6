import IMProtocol
import SansIO

// What the operator asks for.

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
            if accounts.removeValue(forKey: user) != nil { removedUsers.append(user) }
            if removedUsers.count > policy.accountCountMax { removedUsers.removeFirst() }
        case .kick(let user, let device):
            answer = ServerAnswer(endAll(of: user, device: device, .server, at: now, into: &effects))
        case .listDevices(let user): answer = listDevices(of: user)
        case .populate(let user, let amounts): answer = ServerAnswer(populate(user, amounts, at: now))
        case .passwordChanged(let user):
            answer = ServerAnswer(endAll(of: user, .passwordChanged, at: now, into: &effects))
        case .setPolicy(let key, let value): answer = ServerAnswer(setPolicy(key, value))
        case .shutDown:
            for connection in connections.keys {
                refuse(connection, .shutdown, detail: "", at: now, into: &effects)
            }
            answer = ServerAnswer(.ok)
        }
        effects.append(.complete(id, answer))
    }

    private mutating func addAccount(_ user: String) -> Status {
        guard ProtocolLimit.isName(user) else { return .invalidArgument }
        guard accounts.count < policy.accountCountMax else { return .limitExceeded }
        removedUsers.remove(user)
        if accounts[user] == nil { accounts[user] = Account() } else { accounts[user]?.isBanned = false }
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
            ]
        }
        return ServerAnswer(.ok, rows: rows)
    }

    private func presence(of record: DeviceRecord) -> String {
        guard let login = record.login else { return record.hasLogin ? "away" : "logged-out" }
        if login.connection != nil { return "online" }
        return login.isPresent ? "held" : "away"
    }
}
