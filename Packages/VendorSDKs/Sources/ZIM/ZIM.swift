import AppStandIns
import Foundation
import IMClient
import IMLocalData
import IMProfiles
import IMProtocol
import SimulatedApp

/// A test double of ZEGO's ZIM SDK for iOS, as of 2.21.0. Not affiliated with the vendor: it connects only to the
/// simulated server of the test (`withSimulation("zim") { … }`).
///
/// Each process of an app has its own. It lives on the job thread of virtual time, so it is Sendable.
public final class ZIM: NSObject, @unchecked Sendable {
    private(set) weak var core: ZimClient?
    let config: ZIMAppConfig
    private var isDestroyed = false
    /// Receives notifications. Weak.
    private(set) weak var handler: (any ZIMEventHandler)?

    private init(_ config: ZIMAppConfig, _ core: ZimClient) {
        self.config = config
        self.core = core
    }

    // MARK: The instance

    /// Makes the one instance of this process.
    ///
    /// - Returns: nil while an instance exists that was not destroyed.
    @discardableResult
    public static func create(with config: ZIMAppConfig) -> ZIM? {
        let core = ZimClient.current(for: "ZIM.create(with:)")
        guard core.instance == nil else { return nil }
        let made = ZIM(config, core)
        core.instance = made
        return made
    }

    /// The instance. Nil before `create` and after `destroy`.
    public static func shared() -> ZIM? { ZimClient.current(for: "ZIM.shared()").instance }

    /// `create(with:)` in the form of versions before 2.4.
    public static func create(withAppID appID: UInt32) -> ZIM? {
        let config = ZIMAppConfig()
        config.appID = appID
        return create(with: config)
    }

    /// ``shared()`` in the form of versions before 2.5.
    public static func getInstance() -> ZIM? { shared() }

    /// The version that this double simulates.
    public static func getVersion() -> String { "2.21.0" }

    /// To be called before an instance is made. Nothing is logged here.
    public static func setLogConfig(_ config: ZIMLogConfig) {
        ZimClient.current(for: "ZIM.setLogConfig(_:)").logConfig = config
    }

    /// To be called before an instance is made. Local data is in the device's storage here, wherever the app puts it.
    public static func setCacheConfig(_ config: ZIMCacheConfig) {
        ZimClient.current(for: "ZIM.setCacheConfig(_:)").cacheConfig = config
    }

    /// Without effect here.
    public static func setAdvancedConfig(key: String, value: String) {
        ZimClient.current(for: "ZIM.setAdvancedConfig(key:value:)").advancedConfig[key] = value
    }

    /// The queue for callbacks and events; without it they come on the main thread.
    public static func setCustomDispatchQueue(_ queue: SimulatedDispatchQueue) {
        ZimClient.current(for: "ZIM.setCustomDispatchQueue(_:)").setQueue(queue)
    }

    /// Replaces the handler of notifications; nil for none. Weak.
    public func setEventHandler(_ handler: (any ZIMEventHandler)?) {
        guard !isDestroyed else { return }
        self.handler = handler
    }

    /// Destroys the instance, so that another one can be made. The user is logged out. Callbacks of calls in progress
    /// still come; events do not.
    public func destroy() {
        guard !isDestroyed, let core else { return }
        isDestroyed = true
        handler = nil
        core.destroy()
    }

    /// Succeeds at once: there are no logs here.
    public func uploadLog(with callback: @escaping ZIMLogUploadedCallback) {
        core?.later { callback(ZIMError()) }
    }

    // MARK: Calls

    /// Runs `body` with the machine, unless this instance was destroyed.
    ///
    /// - Parameter refused: called later if it was destroyed.
    func withCore(_ what: String, refused: @escaping (ZIMError) -> Void, _ body: (ZimClient) -> Void) {
        guard let core else { return }
        guard isDestroyed else { return body(core) }
        core.violated("C-4", "\(what) of a ZIM that was destroyed")
        core.later { refused(ZIMError(.commonModuleEngineNotInit, "the instance was destroyed")) }
    }

    /// Gives the machine a command that needs a login.
    func perform(_ what: String, _ command: ClientCommand, _ callback: @escaping (ZIMError, [AnswerRow]) -> Void) {
        withCore(what, refused: { callback($0, []) }) { core in
            core.checkLoggedIn(what)
            let kind = CallKind(command)
            core.perform(command) { outcome in
                callback(core.error(outcome.status, of: kind), outcome.rows)
            }
        }
    }

    /// The outcome of a call on local data.
    struct LocalReply {
        var error: ZIMError
        var rows: [AnswerRow] = []
        /// The start of the next page; empty at the end.
        var next = ""

        var isOK: Bool { error.code == .success }
        var nextFlag: UInt32 { UInt32(next) ?? 0 }
    }

    /// A call on local data (ZIM-9).
    func local(
        _ call: LocalCall, _ arguments: [(String, String)] = [], _ callback: @escaping (LocalReply) -> Void
    ) {
        perform(call.name, .call(LocalRequest(call, arguments.compactMap { shellArgument($0, of: call) }))) {
            error, rows in
            var reply = LocalReply(error: error, rows: rows)
            if let last = rows.last, last.fields.count == 1, last.has("next") {
                reply.rows.removeLast()
                reply.next = last["next"]
            }
            callback(reply)
        }
    }

    /// An argument as somebody types it in the shell: a name for a number. Nil for a default value.
    private func shellArgument(_ argument: (name: String, value: String), of call: LocalCall) -> (String, String)? {
        guard let parameter = call.declaration[argument.name] else { return argument }
        func word(_ number: some StringProtocol, _ choices: [LocalParameter.Choice]) -> String {
            choices.first { String($0.number) == number }?.name ?? String(number)
        }
        var value = argument.value
        switch parameter.kind {
        case .choice(let choices): value = word(value, choices)
        case .choices(let choices): value = value.split(separator: ",").map { word($0, choices) }.joined(separator: ",")
        default: break
        }
        return value == parameter.defaultValue ? nil : (argument.name, value)
    }

    /// Answers without the machine.
    func later(_ body: @escaping (ZimClient) -> Void) {
        guard let core else { return }
        core.later { body(core) }
    }

    /// The answer to a call that needs no wait.
    func look(_ call: LocalCall, _ arguments: [(String, String)]) -> LocalAnswer {
        core?.look(call, arguments) ?? LocalAnswer(.notLoggedIn)
    }

    /// A list as one argument. Names with commas would be ambiguous there, and are refused.
    func list(_ names: [String]) -> String {
        names.contains { $0.contains(",") } ? "," : names.joined(separator: ",")
    }

    /// A list of numbers as one argument.
    func list(_ numbers: [NSNumber]) -> String { numbers.map(\.stringValue).joined(separator: ",") }

    /// Notifies the app of conversations that a call of this device has changed.
    func notifyConversations(_ conversations: [ConversationID], _ event: ZIMConversationEvent = .updated) {
        guard let core, !isDestroyed else { return }
        core.notifyConversations(conversations.map { ($0, event) }, self)
        core.notifyUnread()
    }

    func notifyUnread() { core?.notifyUnread() }

    /// A conversation with its last message.
    func conversation(_ row: AnswerRow) -> ZIMConversation { core?.conversation(row) ?? row.conversation }

    func reaction(_ type: String, to message: ZIMMessage) -> ZIMMessageReaction {
        core?.reaction(type, to: message) ?? ZIMMessageReaction()
    }

    func friend(_ user: String) -> ZIMFriendInfo? { core?.friend(user) }

    /// The conversations of the list.
    func listed(onlyUnread: Bool) -> [ConversationID] {
        (onlyUnread ? core?.unreadConversations : core?.listed())?.compactMap(ConversationID.init) ?? []
    }
}

extension ConversationID {
    /// The conversation of a row.
    init?(_ row: AnswerRow) {
        self.init(row["conversationID"], ZIMConversationType(word: row["conversationType"]))
    }

    init?(_ id: String, _ type: ZIMConversationType) {
        guard let kind = UInt8(exactly: type.rawValue).flatMap(Kind.init) else { return nil }
        self.init(kind: kind, id: id)
    }
}
