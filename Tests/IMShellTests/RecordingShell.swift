import IMSession
import SansIO

@testable import IMDebugger
@testable import IMShell
@testable import IMText

/// A shell context that records the requests of commands and does nothing.
final class RecordingShell: ShellContext {
    private(set) var calls: [String] = []
    private(set) var logins: [LoginArguments] = []
    private(set) var nets: [NetAction] = []
    private(set) var clients: [ClientAction] = []

    private func note(_ name: String, _ what: Any..., client: String? = nil) {
        let words = [name] + what.map { "\($0)" }
        calls.append((client.map { "@\($0) " } ?? "") + words.joined(separator: " "))
    }

    func login(_ request: LoginArguments, client: String?) {
        logins.append(request)
        let call = request.call
        guard call.mode == .manual || call.mode == .offline else {
            return note("autologin", call.user, call.mode == .forced, client: client)
        }
        let mode = call.mode == .offline ? "offline" : "online"
        let name = call.userName.isEmpty ? "" : " as \(call.userName)"
        note("login", call.user, mode + (request.timeToLive.map { " \($0.text)" } ?? "") + name, client: client)
    }
    func logout(keepsPush: Bool, client: String?) { note("logout", keepsPush, client: client) }
    func renewToken(_ credential: CredentialSource, client: String?) { note("renew-token", credential, client: client) }
    func kick(_ request: KickRequest, client: String?) {
        note("kick", request.target, request.user ?? "-", request.credential, client: client)
    }
    func why(_ number: UInt64?, client: String?) { note("why", number.map(String.init) ?? "-", client: client) }
    func whyNot(_ condition: String, client: String?) { note("why-not", condition, client: client) }
    func query(_ request: QueryRequest, client: String?) {
        note("query", request.subject.rawValue, request.detail ?? "-", request.user ?? "-", client: client)
    }
    func send(_ request: SendRequest, client: String?) {
        note("send", request.to, request.text, request.isChannel, client: client)
    }
    func call(_ call: SDKCall, client: String?) {
        switch call {
        case .resend: note("resend", client: client)
        case .attributes(let pairs, let channel):
            note("attributes", pairs.map(\.text).joined(separator: ","), channel ?? "-", client: client)
        case .subscribe(let user, let isOn): note(isOn ? "subscribe" : "unsubscribe", user, client: client)
        case .act(let operation, let target, let ext):
            note("act", operation.rawValue, target, ext.quotedIfNeeded, client: client)
        case .tree(let path, let action): note("tree", path.quotedIfNeeded, action.recordedWords, client: client)
        case .goOffline: note("go-offline", client: client)
        case .goOnline: note("go-online", client: client)
        case .local(let call, let arguments):
            note("call", call.name, arguments.map(\.text).joined(separator: " "), client: client)
        case .change(let kind, let fields):
            note("change", kind.name, fields.map(\.text).joined(separator: " "), client: client)
        }
    }
    func join(channel: String, client: String?) { note("join", channel, client: client) }
    func leave(channel: String, client: String?) { note("leave", channel, client: client) }
    func setOption(_ option: KeyValue, client: String?) { note("option", option.text, client: client) }
    func use(profile: String, startsNewSession: Bool) { note("use", profile + (startsNewSession ? " restart" : "")) }
    func client(_ action: ClientAction) {
        clients.append(action)
        note("client", action)
    }
    func app(_ action: AppAction, client: String?) { note("app", action, client: client) }
    func net(_ action: NetAction, client: String?) {
        nets.append(action)
        note("net", action, client: client)
    }
    func setClockSkew(by interval: Interval, client: String?) { note("skew", interval.text, client: client) }
    func server(_ action: ServerAction) {
        switch action {
        case .populate(let user, let amounts):
            note("server populate", user, amounts.map { "\($0.phase.name) \($0.count)" }.joined(separator: ","))
        case .policy(let pairs): note("server policy", pairs.map(\.text).joined(separator: " "))
        case .history(let user, let messages, let conversations, let days, let hasFiles):
            note("server history", user, messages, conversations.map { "\($0)" } ?? "-", days, hasFiles)
        case .change(let user, let kind, let fields):
            note("server change", user, kind.name, fields.map(\.text).joined(separator: " "))
        case .token(let user, let timeToLive): note("server token", user, timeToLive?.text ?? "-")
        case .listPolicy(let key): note("server policy", key ?? "-")
        case .addAccount, .banAccount, .deleteAccount, .setPassword, .revokeTokens, .refuseAccount, .kick, .restart,
            .down, .up, .devices, .setRule, .listRules:
            note("server", action)
        }
    }
    func wait(_ interval: Interval) { note("wait", interval.text) }
    func expect(_ clause: ExpectClause, client: String?) { note(clause.text, client: client) }
    func check(_ request: CheckRequest) { note("check", request) }
    func record(_ action: RecordAction) { note("rec", action) }
    func sessions(_ action: SessionsAction) { note("sessions", action) }
    func history(_ request: HistoryRequest) { note("history", request.count, request.text ?? "-") }
    func set(_ setting: KeyValue?) { note("set", setting?.text ?? "-") }
    func source(_ request: SourceRequest) { note("source", request.file, request.variables.map(\.text)) }
    func status() { note("status") }
    func timeline() { note("timeline") }
    func quit(code: Int32?) { note("quit", code.map { "\($0)" } ?? "-") }
    func clear() { note("clear") }
    func show(_ text: String) { note("show", text) }
    func help(_ text: String, _ object: AnswerObject) { note("show", text) }
}

extension TreeAction {
    fileprivate var recordedWords: String {
        switch self {
        case .get(let query): (["get"] + query.recordedWords).joined(separator: " ")
        case .keep(let query, let isOn): (["keep", isOn ? "on" : "off"] + query.recordedWords).joined(separator: " ")
        case .off(let query): (["off"] + query.recordedWords).joined(separator: " ")
        case .on(let query, let events): (["on"] + events + query.recordedWords).joined(separator: " ")
        default: "\(self)"
        }
    }
}

extension TreeQueryArguments {
    fileprivate var recordedWords: [String] {
        [
            order.map { "by \($0)" }, first.map { "first \($0)" }, last.map { "last \($0)" }, from.map { "from \($0)" },
            to.map { "to \($0)" }, equal.map { "equal \($0)" },
        ].compactMap(\.self)
    }
}
