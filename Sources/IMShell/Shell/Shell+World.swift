import IMClient
import IMDebugger
import IMLocalData
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import IMText
import IMTree
import SansIO

// The commands for profiles, clients, their apps, networks and clocks, and for the server.

extension Shell {
    package func use(profile: String, startsNewSession: Bool) throws {
        guard plan.settings.connect == nil else {
            throw CommandFailure(
                "a connection has one profile; 'imrepl --connect URL --profile \(profile)' opens another connection")
        }
        guard let dialect = Dialects.named(profile) else {
            throw CommandFailure(WorldPlan.unknown(profile: profile).message)
        }
        guard startsNewSession || isClosed || dialect.profile != plan.dialect.profile else {
            return printResult(
                "\(profile) is already the profile, and the session continues; 'use \(profile) --restart' starts a new "
                    + "session"
            )
        }
        do {
            try startNewSession(with: dialect)
        } catch let error as ShellError {
            throw CommandFailure(error.message)
        }
        printResult(
            "profile \(profile): \(dialect.title); a new session begins"
                + (recordingPath.map { ", recorded in \($0)" } ?? ""))
    }

    package func client(_ action: ClientAction) throws {
        switch action {
        case .new(let description):
            let platform = description.platform ?? .ios
            let osType = try platformNumber(description.osType)
            try checkDescription(description)
            let policy = try clientPolicy(with: description.policy)
            let device = try worldCall { core -> String in
                let id = try core.addClient(
                    description.name, device: description.device, platform: platform,
                    deviceName: description.deviceName ?? "", osType: osType,
                    ext: description.loginExtension ?? "", policy: policy)
                return core[id].device?.id ?? ""
            }
            currentClient = description.name
            printResult("client \(description.name): device \(device), \(platform.name)")
        case .policy(let settings): try setClientPolicy(settings)
        case .listPolicy(let key): try listClientPolicy(key)
        case .use(let name):
            _ = try client(name)
            currentClient = name
        case .close(let name):
            let id = try client(name)
            try worldCall { try $0.closeClient(id) }
            if currentClient == name { currentClient = try clientNames.first }
        case .list:
            let rows = try world.perform { core in
                core.clients.map { id -> (String, String, String, String, String) in
                    let node = core[id]
                    return (
                        node.name, node.device?.id ?? "-", node.device?.platform.name ?? "-",
                        node.client?.state.name ?? "not-running", node.client?.user ?? "-"
                    )
                }
            }
            let current = currentClient
            printResult(
                rows: rows.map {
                    AnswerRow([
                        ("client", $0.0), ("device", $0.1), ("platform", $0.2), ("state", $0.3), ("user", $0.4),
                        ("current", $0.0 == current ? "yes" : "no"),
                    ])
                }, none: "no client yet; 'client new phone --platform ios' creates one")
        }
    }

    /// The platform number that the app sets (`--os-type`); 0 if it sets none. Throws an error if the system has no
    /// such numbers or the number is out of range (CHAT-5).
    private func platformNumber(_ number: Int?) throws -> UInt32 {
        guard let number else { return 0 }
        let code = plan.dialect.code(for: .invalidArgument, of: .option)
        guard let allowed = plan.dialect.clientPolicy.osTypes else {
            throw CommandFailure(
                "\(plan.dialect.title) has no platform numbers: omit --os-type", code: code.description)
        }
        guard let osType = UInt32(exactly: number), allowed.contains(osType) else {
            throw CommandFailure(
                "--os-type takes a number from \(allowed.lowerBound) to \(allowed.upperBound): \(code)",
                code: code.description)
        }
        return osType
    }

    /// Checks the names of a client's device against the protocol's limits. The error contains the vendor's code.
    private func checkDescription(_ description: ClientDescription) throws {
        let names = [("--device", description.device), ("--device-name", description.deviceName)]
        var invalidOption = names.first { !ProtocolLimit.isText($0.1 ?? "", bytesMax: ProtocolLimit.nameBytesMax) }?.0
        if !ProtocolLimit.isText(description.loginExtension ?? "", bytesMax: ProtocolLimit.extensionBytesMax) {
            invalidOption = invalidOption ?? "--ext"
        }
        if plan.dialect.clientPolicy.features.contains(.selfIDs), description.device?.contains("/") == true {
            let code = plan.dialect.code(for: .invalidArgument, of: .option)
            throw CommandFailure(
                "--device cannot contain '/' in \(plan.dialect.title), because a login id is USER/DEVICE (CHAT-7): "
                    + "\(code)",
                code: code.description)
        }
        guard let invalidOption else { return }
        let code = plan.dialect.code(for: .invalidArgument, of: .option)
        throw CommandFailure("\(invalidOption) is too long or has control characters: \(code)", code: code.description)
    }

    package func app(_ action: AppAction, client name: String?) throws {
        let id = try client(name)
        try worldCall { try $0.app(action, client: id) }
    }

    package func net(_ action: NetAction, client name: String?) throws {
        let id = try client(name)
        if case .rule(let rule) = action, rule.frame != FrameRule.anyFrame, !FrameBody.names.contains(rule.frame) {
            let hint = Suggestion.hint(for: rule.frame, among: FrameBody.names, countMax: .max)
            throw CommandFailure("there is no frame '\(rule.frame)'\(hint.map { "; \($0)" } ?? "")")
        }
        let released = try worldCall { $0.net(action, client: id) }
        // 'net release' always prints the number of released frames. 'net clear' prints it only if it released some,
        // because it also ends other faults.
        if action == .release || action == .clear && released != ReleasedFrames() { printResult(released.text) }
    }

    package func setClockSkew(by interval: Interval, client name: String?) throws {
        let id = try client(name)
        try worldCall { try $0.setClockSkew(by: interval, client: id) }
    }

    package func server(_ action: ServerAction) throws {
        switch action {
        case .addAccount(let user, let password):
            // If the account already exists, the command changes its password.
            let exists = try world.perform { core in
                core.serverID.flatMap { core[$0].machine?.server }?.users.contains(user) ?? false
            }
            if let password { try setPassword(password, of: user) }
            _ = try submit(.addAccount(user))
            if password != nil && exists { _ = try submit(.passwordChanged(user: user)) }
        case .banAccount(let user): try explainingNotFound(user) { _ = try submit(.banAccount(user)) }
        case .deleteAccount(let user): try explainingNotFound(user) { _ = try submit(.deleteAccount(user)) }
        case .setPassword(let user, let password):
            try setPassword(password, of: user)
            // The server ends logins with the old password (CHAT-10).
            try explainingNotFound(user) { _ = try submit(.passwordChanged(user: user)) }
        case .revokeTokens(let user): try explainingNotFound(user) { _ = try submit(.revokeTokens(user: user)) }
        case .refuseAccount(let user, let refusal):
            let status: Status? =
                switch refusal {
                case .forbidden: .forbidden
                case .serverError: .serverError
                case nil: nil
                }
            try explainingNotFound(user) { _ = try submit(.setRefusal(user: user, status)) }
        case .token(let user, let lifetime):
            let token = try worldCall { core -> String in
                do {
                    return try core.vault.mint(
                        user: user, lifetime: lifetime, wallMilliseconds: core.wallMilliseconds)
                } catch {
                    throw CommandFailure("cannot create a token: \(error)")
                }
            }
            printResult(token)
        case .kick(let user, let device):
            try explainingNotFound(user, device) { _ = try submit(.kick(user: user, device: try device.map(deviceID))) }
        case .policy(let settings):
            // All keys are checked first, so that an unknown key changes no setting.
            for setting in settings where ServerPolicy.setting(named: setting.key) == nil {
                throw unknownPolicy(setting.key)
            }
            for setting in settings { try setPolicy(setting) }
        case .listPolicy(let key): try listPolicy(key)
        case .populate(let user, let amounts):
            try explainingNotFound(user) {
                let countMax = try world.perform { core in
                    core.serverID.flatMap { core[$0].machine?.server?.policy.syncItemCountMax }
                }
                let limit = "an account has at most \(countMax ?? 0) items of each kind (server policy sync-items-max)"
                try explainingLimit(limit) {
                    _ = try submit(.populate(user: user, amounts))
                }
            }
        case .history(let user, let messages, let conversations, let days, let hasFiles):
            let (seed, now) = try world.perform { ($0.configuration.seed, $0.wallMilliseconds) }
            let population = Population(
                seed: seed, messages: messages, conversations: conversations, days: days, endMilliseconds: now,
                hasFiles: hasFiles)
            try explainingNotFound(user) {
                try explainingLimit("a history can be generated only for a user without data") {
                    _ = try submit(.populateData(user: user, population))
                }
            }
        case .change(let user, let kind, let fields):
            try explainingNotFound(user) { _ = try submit(.putChange(user: user, ChangeRecord(kind, fields))) }
        case .restart: try worldCall { try $0.server(.restart) }
        case .down: try worldCall { try $0.server(.down) }
        case .up: try worldCall { try $0.server(.up) }
        case .setRule(let path, let read, let write):
            let rule = TreeRule(read: try read.map(TreeText.audience), write: try write.map(TreeText.audience))
            try explainingLimit("there are at most \(TreeLimit.rulesMax) rules") {
                _ = try submit(.setTreeRule(path: TreeText.path(path), rule))
            }
        case .listRules:
            printResult(
                rows: try submit(.listTreeRules).rows, none: "no rules: everyone may read and write everything")
        case .devices(let user):
            try explainingNotFound(user) {
                let completion = try submit(.listDevices(user: user))
                printResult(rows: completion.rows, none: "no device of '\(user)' has logged in yet")
            }
        }
    }

    /// Runs `body`. If the server rejects it because of a limit, adds the text of the limit to the error.
    private func explainingLimit(_ limit: String, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let failure as CommandFailure where failure.code == Status.limitExceeded.name {
            throw CommandFailure("\(failure.message): \(limit)", code: failure.code)
        }
    }

    /// Runs `body`. If the server did not find the account or the device, adds its name and a hint to the error.
    private func explainingNotFound(_ user: String, _ device: String? = nil, _ body: () throws -> Void) throws {
        do {
            try body()
        } catch let failure as CommandFailure where failure.code == Status.notFound.name {
            let users = try world.perform { core in core.serverID.flatMap { core[$0].machine?.server?.users } }
            guard let users else { throw failure }
            if users.contains(user) {
                let missing = device.map { "no device '\($0)'" } ?? "no login"
                throw CommandFailure(
                    "'\(user)' has \(missing); 'server devices \(user)' lists the devices",
                    code: failure.code)
            }
            let near = Suggestion.nearest(to: user, among: users).map { "did you mean '\($0)'?" }
            let hint = near ?? "'server account add \(user)' creates it"
            throw CommandFailure("there is no account '\(user)'; \(hint)", code: failure.code)
        }
    }

    private func setPassword(_ password: InlineSecret, of user: String) throws {
        guard plan.dialect.hasServerPasswords else {
            throw CommandFailure("\(plan.dialect.title) has no passwords: 'server token USER' creates a token")
        }
        try worldCall { try $0.vault.setPassword(password.plain, of: user) }
    }

    private func setPolicy(_ setting: KeyValue) throws {
        guard let known = ServerPolicy.setting(named: setting.key) else { throw unknownPolicy(setting.key) }
        do {
            _ = try submit(.setPolicy(key: setting.key, value: known.value(of: setting.value)))
        } catch let failure as CommandFailure where failure.code != nil {
            throw CommandFailure(
                "invalid value '\(setting.value)' for \(setting.key); use \(known.takes)"
                    + (known.milliseconds.map {
                        " from \($0.lowerBound) to \($0.upperBound), or a duration such as 10s"
                    } ?? "")
                    + (known.choiceText.map { "\n" + $0 } ?? ""))
        }
    }
}
