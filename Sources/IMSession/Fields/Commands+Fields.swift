import IMClient
import IMProtocol
import IMServer
import IMTree

// The fields of commands: those from the app to a client, and those from the operator to the server.

extension ClientCommand: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> ClientCommand {
        visitor.shown(.command, fieldText)
        switch self {
        case .resend, .goOffline, .goOnline: return self
        case .login(var call):
            call.user = visitor.text(.user, call.user, .user)
            call.mode = visitor.loginMode(call.mode)
            call.credential = visitor.text(.credential, call.credential, .credential)
            call.userName = visitor.userName(call.userName)
            return .login(call)
        case .logout(let keepsPush): return .logout(keepsPush: visitor.flag(.keepPush, keepsPush))
        case .renewToken(let credential, let clock):
            return .renewToken(credential: visitor.text(.credential, credential, .credential), clock: clock)
        case .kick(let target): return .kick(target.visitFields(&visitor))
        case .query(let query): return .query(visitor.choice(.what, query))
        case .send(let target, let text, let isToChannel):
            return .send(
                to: visitor.text(isToChannel ? .channel : .to, target, isToChannel ? .channel : .user),
                text: visitor.text(.text, text, .item), isToChannel: isToChannel)
        case .join(let channel): return .join(channel: visitor.text(.channel, channel, .channel))
        case .leave(let channel): return .leave(channel: visitor.text(.channel, channel, .channel))
        case .setOption(let option): return .setOption(option.visitFields(&visitor))
        case .setAttributes(let channel, let fields):
            return .setAttributes(channel: visitor.channelOrOwn(channel), visitor.attributes(fields))
        case .ask(let question): return .ask(question.visitFields(&visitor))
        case .watch(let user, let isOn): return .watch(user: visitor.text(.user, user, .user), isOn: isOn)
        case .accountCall(let user, let credential, let action):
            return .accountCall(
                user: visitor.text(.user, user, .user),
                credential: visitor.text(.credential, credential, .credential), action.visitFields(&visitor))
        case .operate(let kind, let target, let ext):
            return .operate(
                visitor.choice(.operation, kind), target: visitor.text(.target, target, .target),
                ext: visitor.text(.ext, ext, .ext(of: kind)))
        case .tree(let request, let clock): return .tree(request.visitFields(&visitor), clock: clock)
        case .call(let request): return .call(request.visitFields(&visitor))
        case .change(let change): return .change(change.visitFields(&visitor))
        }
    }

    /// The command's word, in most cases the one that a user types.
    package var fieldText: String {
        switch self {
        case .login(let call):
            switch call.mode {
            case .manual, .offline: "login"
            case .automatic, .forced: "autologin"
            case .resume: "resume"
            case .guest: "guest"
            }
        case .logout: "logout"
        case .renewToken: "renew-token"
        case .kick: "kick"
        case .query: "query"
        case .send: "send"
        case .resend: "resend"
        case .join: "join"
        case .leave: "leave"
        case .setOption: "option"
        case .setAttributes: "attributes"
        case .ask: "ask"
        case .watch(_, let isOn): isOn ? "subscribe" : "unsubscribe"
        case .accountCall(_, _, let action): action.name
        case .operate: "act"
        case .tree(let request, _):
            switch request {
            case .set, .update, .push, .get, .listen, .unlisten, .transaction, .keep, .persistence, .outline: "sync"
            case .onDisconnect, .onDisconnectUpdate, .cancelOnDisconnect: "on-disconnect"
            }
        case .call: "call"
        case .change: "change"
        case .goOffline: "go-offline"
        case .goOnline: "go-online"
        }
    }
}

extension TreeCommand: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> TreeCommand {
        visitor.shown(.verb, name)
        if case .persistence(let bytes) = self {
            visitor.shown(.bytes, bytes.map(String.init) ?? "-")
            return self
        }
        let path = visitor.text(.path, path, .path)
        switch self {
        case .set(_, let node): return .set(path: path, visitor.tree(.value, node))
        case .update(_, let update): return .update(path: path, TreeUpdate(visitor.parts(.value, update.parts)))
        case .push(_, let node): return .push(path: path, visitor.tree(.value, node))
        case .get(_, let query): return .get(path: path, query.map { visitor.query(.query, $0) })
        case .listen(_, var listening?):
            listening.query = visitor.query(.query, listening.query)
            visitor.shown(.events, listening.kinds.map(\.name).joined(separator: ","))
            return .listen(path: path, listening)
        case .listen(_, nil): return .listen(path: path)
        case .unlisten(_, let query): return .unlisten(path: path, query.map { visitor.query(.query, $0) })
        case .transaction(_, let expression, let isHidden):
            let expression = visitor.expression(.expression, expression)
            return .transaction(path: path, expression, isHidden: visitor.flag(.hidden, isHidden))
        case .onDisconnect(_, let node): return .onDisconnect(path: path, visitor.tree(.value, node))
        case .onDisconnectUpdate(_, let update):
            return .onDisconnectUpdate(path: path, TreeUpdate(visitor.parts(.value, update.parts)))
        case .cancelOnDisconnect: return .cancelOnDisconnect(path: path)
        case .outline: return .outline(path: path)
        case .keep(_, let query, let isOn):
            let query = query.map { visitor.query(.query, $0) }
            return .keep(path: path, query, isOn: visitor.flag(.on, isOn))
        case .persistence: return self
        }
    }
}

extension KickTarget: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> KickTarget {
        let device: String? = if case .device(let device) = self { device } else { nil }
        return visitor.text(.device, device, none: "*", .device).map(KickTarget.device) ?? .otherDevices
    }
}

extension ClientOption: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> ClientOption {
        switch self {
        case .retryCountMax(let count): return .retryCountMax(visitor.number(.retryCountMax, count))
        case .retryDelays(let delays):
            visitor.shown(.reconnectDelay, delays.map { "\($0.inMilliseconds)ms" }.joined(separator: ","))
            return self
        }
    }
}

extension ServerCommand: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> ServerCommand {
        visitor.shown(.command, fieldText)
        switch self {
        case .addAccount(let user): return .addAccount(visitor.text(.user, user, .user))
        case .banAccount(let user): return .banAccount(visitor.text(.user, user, .user))
        case .deleteAccount(let user): return .deleteAccount(visitor.text(.user, user, .user))
        case .kick(let user, let device):
            return .kick(
                user: visitor.text(.user, user, .user), device: visitor.text(.device, device, none: "*", .device))
        case .listDevices(let user): return .listDevices(user: visitor.text(.user, user, .user))
        case .setPolicy(let key, let value):
            let setting = visitor.setting(key: key, value: value)
            return .setPolicy(key: setting.key, value: setting.value)
        case .shutDown: return self
        case .populate(let user, let amounts):
            let user = visitor.text(.user, user, .user)
            for amount in amounts { visitor.shown(amount.phase.name, String(amount.count)) }
            return .populate(user: user, amounts)
        case .passwordChanged(let user): return .passwordChanged(user: visitor.text(.user, user, .user))
        case .revokeTokens(let user): return .revokeTokens(user: visitor.text(.user, user, .user))
        case .putChange(let user, let change):
            return .putChange(user: visitor.text(.user, user, .user), change.visitFields(&visitor))
        case .populateData(let user, let population):
            let user = visitor.text(.user, user, .user)
            visitor.shown(.seed, String(population.seed))
            visitor.shown(.count, String(population.messages))
            return .populateData(user: user, population)
        case .setTreeRule(let path, let rule):
            let path = visitor.text(.path, path, .path)
            return .setTreeRule(
                path: path,
                TreeRule(
                    read: rule.read.map { visitor.audience(.read, $0) },
                    write: rule.write.map { visitor.audience(.write, $0) }))
        case .listTreeRules: return self
        case .setRefusal(let user, let status):
            return .setRefusal(
                user: visitor.text(.user, user, .user), visitor.choice(.status, status, none: "-"))
        }
    }

    private var fieldText: String {
        switch self {
        case .addAccount: "account-add"
        case .banAccount: "account-ban"
        case .deleteAccount: "account-delete"
        case .kick: "kick"
        case .listDevices: "devices"
        case .setPolicy: "policy"
        case .shutDown: "shut-down"
        case .populate: "populate"
        case .passwordChanged: "password-changed"
        case .revokeTokens: "account-revoke"
        case .putChange: "change"
        case .populateData: "populate"
        case .setRefusal: "account-answer"
        case .setTreeRule: "tree-rule"
        case .listTreeRules: "tree-rules"
        }
    }
}

extension FieldVisitor {
    fileprivate mutating func audience(_ name: FieldName, _ audience: TreeAudience) -> TreeAudience {
        guard case .users(let users) = audience else {
            shown(name, audience.description)
            return audience
        }
        return .users(user: names(name, users, .user))
    }
}
