import IMClient
import IMDebugger
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import IMText
import IMTree

/// Converts a recording's commands to the text that a user types.
struct CommandText {
    private let credential: (String) -> String
    /// True if a `login` line without a token logs in without one. False if the shell adds a token to such a line.
    let isStrict: Bool
    /// True if the profile's accounts have passwords. In older recordings of other profiles, the revocation of tokens
    /// is recorded as a change of the password.
    private let hasPasswords: Bool
    /// The users who logged in with a password.
    private let passwordUsers: Set<String>
    let names: ScriptNames

    init(_ decoded: DecodedSession, credential: @escaping (String) -> String) {
        self.credential = credential
        isStrict = decoded.header["strict"] == "true"
        hasPasswords = Dialects.named(decoded.header.profile)?.hasServerPasswords == true
        var users: Set<String> = []
        for event in decoded.events {
            guard case .input(.clientCommand(_, let command)) = event.content else { continue }
            switch command {
            case .login(let call) where call.credential.hasPrefix("password-"): users.insert(call.user)
            case .accountCall(let user, let name, _) where name.hasPrefix("password-"): users.insert(user)
            default: continue
            }
        }
        passwordUsers = users
        names = ScriptNames(decoded.events.map(\.node))
    }

    func line(of cause: ForkCause) -> String {
        let client = "@\(names[cause.node]) "
        return switch cause.action {
        case .newClient(let start): words(of: start)
        case .app(.close): "client close \(names[cause.node])"
        case .app(let action): client + words(of: action)
        case .client(let command): client + words(of: command)
        case .server(let command): words(of: command)
        case .net(let action): client + action.command
        case .skew(let interval): client + "clock skew \(interval.inMilliseconds)ms"
        case .serverProcess(.down): "server down"
        case .serverProcess(.up): "server up"
        case .serverProcess(.restart): "server restart"
        case .mark(let text): "rec mark \(text.asArgument)"
        }
    }

    private func words(of start: StartRecord) -> String {
        guard case .client(let policy, let device, _, _, _, _) = start.body else {
            return "# \(VisibleText.of(start.name)) begins"
        }
        var words = "client new \(names[start.name]) --device \(device.id.asArgument)"
        if device.platform != .unknown, device.platform != .server { words += " --platform \(device.platform.name)" }
        if !device.name.isEmpty { words += " --device-name \(device.name.asArgument)" }
        if device.osType > 0 { words += " --os-type \(device.osType)" }
        if !device.ext.isEmpty { words += " --ext \(device.ext.asArgument)" }
        let usual = Dialects.named(start.profile)?.clientPolicy ?? policy
        for setting in policy.differences(from: usual) { words += " --policy \(setting)" }
        return words
    }

    private func words(of action: AppAction) -> String {
        switch action {
        case .kill: "app kill"
        case .start: "app start"
        case .background: "app background"
        case .foreground: "app foreground"
        case .close: "client close"
        case .sleep(let length): "app sleep \(length.text)"
        }
    }

    // MARK: Clients

    private func words(of command: IMClient.ClientCommand) -> String {
        switch command {
        case .login(let call):
            login(call.user, call.credential, call.mode)
                + (call.userName.isEmpty ? "" : " --user-name \(call.userName.asArgument)")
        case .logout(let keepsPush): keepsPush ? "logout --keep-push" : "logout"
        case .renewToken(let name, _): "renew-token" + token(name, user: nil)
        case .kick(.device(let device)): "kick \(device.asArgument)"
        case .kick(.otherDevices): "kick --other-devices"
        case .query(let query): "query \(query.name)"
        case .send(let to, let text, let isToChannel):
            "send \(to.asArgument) \(text.asArgument)\(isToChannel ? " --channel" : "")"
        case .resend: "resend"
        case .join(let channel): "join \(channel.asArgument)"
        case .leave(let channel): "leave \(channel.asArgument)"
        case .setOption(.retryCountMax(let count)): "option maxAutoLoginRetryTimes=\(count)"
        case .setOption(.retryDelays(let delays)):
            "option reconnect-delay=\(delays.isEmpty ? "default" : delays.map(\.text).joined(separator: ","))"
        case .setAttributes(let channel, let fields):
            "attributes \(fields.map { "\($0.name)=\($0.value)".asArgument }.joined(separator: " "))"
                + (channel.isEmpty ? "" : " --channel \(channel.asArgument)")
        case .ask(.members(let channel)): "query members \(channel.asArgument)"
        case .ask(.attributes(let user)): "query attributes \(user.asArgument)"
        case .ask(.channelAttributes(let channel)): "query channel-attributes \(channel.asArgument)"
        case .ask(.users(let names)):
            "call queryUsersInfo \("userIDs=\(names.joined(separator: ","))".asArgument) isQueryFromServer=true"
        case .watch(let user, let isOn): "\(isOn ? "subscribe" : "unsubscribe") \(user.asArgument)"
        case .accountCall(let user, let name, let action):
            "\(words(of: action)) --user \(user.asArgument)" + token(name, user: user)
        case .operate(let kind, let target, let ext):
            "act \(kind.name) \(target.asArgument)" + (ext.isEmpty ? "" : " --ext \(ext.asArgument)")
        case .tree(let request, _): words(of: request)
        case .call(let request): "call \(request.call.name)" + words(of: request.arguments)
        case .change(let change): "change \(change.kind.name)" + words(of: change.fields)
        case .goOffline: "go-offline"
        case .goOnline: "go-online"
        }
    }

    private func words(of fields: [AnswerField]) -> String {
        fields.map { " " + "\($0.name)=\($0.value)".asArgument }.joined()
    }

    private func login(_ user: String, _ name: String, _ mode: LoginMode) -> String {
        let word = user.asArgument
        switch mode {
        case .offline: return "login \(word) --offline" + (name.isEmpty ? "" : token(name, user: nil))
        case .automatic: return "autologin \(word)" + (name.isEmpty ? "" : token(name, user: nil))
        case .forced: return "autologin \(word) --forced" + (name.isEmpty ? "" : token(name, user: nil))
        case .manual, .resume, .guest: return "login \(word)" + token(name, user: user)
        }
    }

    /// The option `--token`; empty if it can be omitted.
    ///
    /// - Parameter user: the user whose own token can be omitted; nil if the option is required, because the shell
    ///   would make a new token.
    private func token(_ name: String, user: String?) -> String {
        if let user, isStrict ? name.isEmpty : CredentialVault.isOwn(name, of: user) { return "" }
        return " --token \(credential(name).asArgument)"
    }

    private func words(of action: AccountCall.Action) -> String {
        switch action {
        case .listDevices: "query devices"
        case .kick(let device): "kick \(device.asArgument)"
        case .kickAll: "kick --all"
        }
    }

    private func words(of command: TreeCommand) -> String {
        func words(_ query: TreeQuery?) -> String {
            // A query with default values needs an option too. Without an option, the command has no query.
            query.map { $0.isDefault ? " --order-by priority" : " " + $0.asArguments } ?? ""
        }
        func words(_ listening: TreeListening?) -> String {
            guard let listening else { return "" }
            let query = listening.query.isDefault ? "" : words(listening.query)
            guard listening.kinds != [.value] || query.isEmpty else { return query }
            return listening.kinds.map { " --event \($0.name)" }.joined() + query
        }
        func parts(_ update: TreeUpdate) -> String {
            TreeWrite.Change.update(update.parts).description.asArgument
        }
        return switch command {
        case .set(let path, .empty): "sync remove \(path.asTreePath)"
        case .set(let path, let node): "sync set \(path.asTreePath) \(node.description.asArgument)"
        case .update(let path, let update): "sync update \(path.asTreePath) \(parts(update))"
        case .push(let path, let node): "sync push \(path.asTreePath) \(node.description.asArgument)"
        case .get(let path, let query): "sync get \(path.asTreePath)" + words(query)
        case .listen(let path, let listening): "sync on \(path.asTreePath)" + words(listening)
        case .outline(let path): "sync tree \(path.asTreePath)"
        case .keep(let path, let query, let isOn):
            "sync keep \(path.asTreePath) \(isOn ? "on" : "off")" + words(query)
        case .persistence(nil): "sync persistence off"
        case .persistence(TreeClient.storageBytesMax?): "sync persistence on"
        case .persistence(let bytes?): "sync persistence on --cache \(bytes)"
        case .unlisten(let path, let query): "sync off \(path.asTreePath)" + words(query)
        case .transaction(let path, let expression, let isHidden):
            "sync transaction \(path.asTreePath) \(expression.text.asArgument)" + (isHidden ? " --hidden" : "")
        case .onDisconnect(let path, .empty): "on-disconnect remove \(path.asTreePath)"
        case .onDisconnect(let path, let node): "on-disconnect set \(path.asTreePath) \(node.description.asArgument)"
        case .onDisconnectUpdate(let path, let update): "on-disconnect update \(path.asTreePath) \(parts(update))"
        case .cancelOnDisconnect(let path): "on-disconnect cancel \(path.asTreePath)"
        }
    }

    // MARK: The server

    private func words(of command: IMServer.ServerCommand) -> String {
        switch command {
        case .addAccount(let user):
            "server account add \(user.asArgument)"
                + (passwordUsers.contains(user) ? " \(DecodedSession.recordedPassword)" : "")
        case .banAccount(let user): "server account ban \(user.asArgument)"
        case .deleteAccount(let user): "server account delete \(user.asArgument)"
        case .kick(let user, let device):
            "server kick \(user.asArgument)" + (device.map { " \($0.asArgument)" } ?? "")
        case .listDevices(let user): "server devices \(user.asArgument)"
        case .setPolicy(let key, let value): "server policy \("\(key)=\(value)".asArgument)"
        case .shutDown: "server down"
        case .populate(let user, let amounts):
            // `server populate` accepts only positive amounts. An amount without an option is 0.
            "server populate \(user.asArgument)"
                + amounts.filter { $0.count > 0 }.map { " --\(option($0.phase)) \($0.count)" }.joined()
        case .passwordChanged(let user):
            hasPasswords
                ? "server account password \(user.asArgument) \(DecodedSession.recordedPassword)"
                : "server account revoke \(user.asArgument)"
        case .revokeTokens(let user): "server account revoke \(user.asArgument)"
        case .putChange(let user, let change):
            "server change \(user.asArgument) \(change.kind.name)" + words(of: change.fields)
        case .populateData(let user, let population):
            "server populate \(user.asArgument) --history \(population.messages)"
                + " --conversations \(population.conversations) --days \(population.days)"
                + (population.hasFiles ? " --files" : "")
        case .setTreeRule(let path, TreeRule()): "server rules remove \(path.asTreePath)"
        case .setTreeRule(let path, let rule):
            "server rules set \(path.asTreePath)"
                + (rule.read.map { " --read \($0.description.asArgument)" } ?? "")
                + (rule.write.map { " --write \($0.description.asArgument)" } ?? "")
        case .listTreeRules: "server rules list"
        case .setRefusal(let user, .forbidden): "server account forbid \(user.asArgument)"
        case .setRefusal(let user, nil): "server account allow \(user.asArgument)"
        case .setRefusal(let user, .some): "server account fail \(user.asArgument)"
        }
    }

    private func option(_ phase: SyncPhase) -> String {
        switch phase {
        case .groups: "groups"
        case .offlineMessages: "messages"
        case .roamingMessages: "roaming"
        case .systemNotifications: "notifications"
        }
    }
}

/// The names of a recording's nodes in a script. A node keeps its name if a line can begin with it. The recording of
/// another program may contain any text as a name, even one that the shell would run as a command.
struct ScriptNames {
    private var names: [String: String] = [:]

    init(_ nodes: [String]) {
        let own = Set(nodes.filter(Lexer.isClientName))
        var count = 0
        for node in nodes where !own.contains(node) && names[node] == nil {
            repeat { count += 1 } while own.contains("client-\(count)")
            names[node] = "client-\(count)"
        }
    }

    subscript(node: String) -> String { names[node] ?? (Lexer.isClientName(node) ? node : "client-0") }
}

extension String {
    /// The text as one argument of a command. It is quoted if necessary, and also if it looks like an option.
    var asArgument: String { hasPrefix("-") ? quoted : quotedIfNeeded }

    /// A path in the tree as an argument. The root is `/`.
    fileprivate var asTreePath: String { isEmpty ? "/" : asArgument }
}

extension TreeQuery {
    /// The command options for the query. Each value is one argument, because a bound or a child may contain blanks and
    /// dashes.
    fileprivate var asArguments: String {
        var words: [String] = []
        func add(_ option: String, _ value: String?) {
            if let value { words += [option, value.asArgument] }
        }
        switch order {
        case .priority: break
        case .key: add("--order-by", "key")
        case .value: add("--order-by", "value")
        case .child(let keys): add("--order-by", "child=" + keys.joined)
        }
        add(limit?.end == .last ? "--last" : "--first", limit.map { String($0.count) })
        if let start, start == end {
            add("--equal", start.description)
        } else {
            add("--from", start?.description)
            add("--to", end?.description)
        }
        return words.joined(separator: " ")
    }
}
