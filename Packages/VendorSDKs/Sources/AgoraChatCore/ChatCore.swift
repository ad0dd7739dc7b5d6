import AppStandIns
import Foundation
import IMClient
import IMLocalData
import IMProfiles
import IMProtocol
import SimulatedApp

/// What all objects of a process share: the machine below, the delegates, and what the vendor's SDK would remember.
/// What is told, and by which numbers, is the dialect's word.
///
/// Used on the job thread of virtual time alone, which is why it is Sendable.
final class ChatCore: @unchecked Sendable {
    let dialect: any Dialect
    private weak var sdk: SDKClient?
    let clientDelegates = QueuedDelegates<any AgoraChatClientDelegate>()
    let deviceDelegates = QueuedDelegates<any AgoraChatMultiDevicesDelegate>()
    let logDelegates = QueuedDelegates<any AgoraChatLogDelegate>()
    let chatDelegates = QueuedDelegates<any AgoraChatManagerDelegate>()
    let roomDelegates = QueuedDelegates<any AgoraChatroomManagerDelegate>()
    /// What the SDK was initialised with; nil before.
    var options: AgoraChatOptions?
    /// As it stood then: what an app sets later has no effect.
    var logsInByItself = false
    var login = LoginRecord()
    /// Ids of sent messages that have been given to messages of the app.
    var idsOfSent: Set<String> = []
    /// Ids of messages that the app knows to have been read.
    var idsOfRead: Set<String> = []
    var localIDs = 0
    private var hasNotedType = false
    /// Calls from outside a login, the first of which is under way: the machine has one at a time.
    private var outsideCalls: [() -> Void] = []

    init(_ sdk: SDKClient) {
        self.sdk = sdk
        dialect = sdk.simulation.dialect
        sdk.observe { [weak self] in self?.heard($0) }
    }

    // MARK: The machine below

    /// Gives the machine a command; how it ends is told later, on the main thread.
    func perform(_ command: ClientCommand, completion: @escaping (Completion) -> Void) {
        let call = CallKind(command)
        sdk?.perform(command) { [weak self] outcome in
            self?.logEnd(of: call, outcome.status)
            completion(outcome)
        }
    }

    /// The same for a call with a credential of its own (CHAT-6). Where nobody is logged in, several of them have their
    /// turns.
    func performOutside(_ command: ClientCommand, completion: @escaping (Completion) -> Void) {
        guard user == nil else { return perform(command, completion: completion) }
        outsideCalls.append { [weak self] in
            self?.perform(command) { outcome in
                self?.outsideCalls.removeFirst()
                completion(outcome)
                self?.outsideCalls.first?()
            }
        }
        if outsideCalls.count == 1 { outsideCalls.first?() }
    }

    /// The same while the calling thread stands still.
    func wait(for command: ClientCommand) -> Completion {
        let call = CallKind(command)
        let outcome = sdk?.wait(for: command, "\(call.word) of the SDK") ?? Completion(.cancelled)
        logEnd(of: call, outcome.status)
        return outcome
    }

    /// What survives the process.
    var kept: LocalData { sdk?.kept ?? LocalData() }

    /// What the device keeps beside that.
    var storage: DeviceStorage? { sdk?.storage }

    /// The device as the machine knows it.
    var device: Device? { sdk?.described }

    /// Who wants to know what the device keeps. What the app asks for is a call, and in the session.
    enum Asker {
        case app
        case sdk
    }

    /// A call on what the device keeps of the user's data (ZIM-9). No frame goes out for it.
    func local(_ call: LocalCall, _ arguments: [(String, String)], by asker: Asker = .app) -> Completion {
        guard isLoggedIn else { return Completion(.notLoggedIn) }
        let request = LocalRequest(call, arguments)
        let outcome =
            switch asker {
            case .app: sdk?.wait(for: .call(request), "a call on local data")
            case .sdk: sdk?.look(request).map { Completion($0.status, rows: $0.rowsAndNext) }
            }
        return outcome ?? Completion(.cancelled)
    }

    /// On the main thread, behind what is queued there.
    func later(_ body: @escaping () -> Void) { sdk?.enqueue("a completion", body) }

    func error(_ status: Status, of call: CallKind) -> AgoraChatError? {
        AgoraChatError(dialect.code(for: status, of: call))
    }

    /// The app did something that it must not do.
    /// Ends a call that is not simulated, with an error, and notes it in the session.
    func refuse(_ call: String, _ completion: @escaping (AgoraChatError) -> Void) {
        sdk?.note("\(call) is not simulated, and ends with an error")
        later { completion(AgoraChatError(description: "\(call) is not simulated", code: .general)) }
    }

    func violated(_ rule: String, _ text: String) { sdk?.violated(rule, text) }

    func moved(toFront isInFront: Bool) { sdk?.moved(toFront: isInFront) }

    var user: String? { sdk?.user }

    var state: ClientState { sdk?.state ?? .loggedOut }

    /// From the beginning of an automatic login, or the success of another, to its end: also while there is no link.
    var isLoggedIn: Bool { sdk?.isDataOpen ?? false }

    // MARK: Credentials and the device

    func keep(token: String) -> String { sdk?.keep(token: token) ?? "" }

    /// Nil for what cannot be a password.
    func keep(password: String) -> String? { sdk.flatMap { try? $0.keep(password: password) } }

    /// A token that the server would give to the user.
    func makeToken(for user: String) -> String { sdk?.simulation.token(for: user) ?? "" }

    /// Makes an account; nil where the server has nothing to say because there is no network, or no such password.
    func makeAccount(_ user: String, password: String) throws -> Bool? {
        guard storage?.network.interface != nil else { return nil }
        return try sdk?.simulation.makeAccount(user, password: password)
    }

    /// The device as the options have it (CHAT-5). The machine is told before a login, because the server learns of it
    /// by a login alone.
    func describeDevice() {
        guard let options, let sdk else { return }
        let types = sdk.simulation.world.core.configuration.clientPolicy.osTypes
        let type = UInt32(clamping: options.customOSType)
        let isOwnType = types?.contains(type) ?? false
        if options.customOSType != 0, !isOwnType, !hasNotedType {
            hasNotedType = true
            violated("CHAT-5", "customOSType \(options.customOSType) is not from 1 to 100, and is not used")
        }
        let isKnown = sdk.describe(
            deviceName: options.customDeviceName ?? "", osType: isOwnType ? type : 0,
            ext: options.loginExtensionInfo ?? "")
        if !isKnown { sdk.simulation.note("the device's name, platform and extension stay as they were") }
    }

    // MARK: What comes

    private func heard(_ news: SDKClient.News) {
        let effect: ClientEffect
        switch news {
        case .told(let notification): effect = .notify(notification)
        case .changed(let change):
            effect = .transition(change)
            log("state: \(change.from.name) -> \(change.to.name), \(change.reason.name)")
        }
        guard let callback = dialect.callback(for: effect) else { return }
        log(([callback.name] + callback.fields.map { "\($0.name)=\($0.value)" }).joined(separator: " "))
        switch news {
        case .told(.messageReceived(let message)): received(message)
        case .told(.operated(let operation)): operated(operation, callback)
        case .told(.dataChanged(.read, let reader)): read(by: reader)
        case .told(.dataChanged(.conversationRead, let reader)):
            let own = user ?? ""
            chatDelegates.tell { $0.onConversationRead(reader, to: own) }
        case .told(.dataChanged(.delivered, let message)): delivered(message)
        case .told(.memberChanged(let room, let member, let joined)): moved(member, in: room, joined: joined)
        case .told, .changed: tell(callback)
        }
    }

    private func tell(_ callback: Callback) {
        switch callback.name {
        case "connectionStateDidChange":
            guard let state = callback.number("state").flatMap(AgoraChatConnectionState.init) else { return }
            clientDelegates.tell { $0.connectionStateDidChange(state) }
        case "autoLoginDidCompleteWithError":
            let error = error(callback, "error")
            clientDelegates.tell { $0.autoLoginDidCompleteWithError(error) }
        case "userAccountDidLoginFromOtherDeviceWithInfo":
            let info = AgoraChatLoginExtensionInfo()
            info.deviceName = callback["deviceName"]
            info.extensionInfo = callback["loginExtensionInfo"]
            clientDelegates.tell { $0.userAccountDidLoginFromOtherDevice(with: info) }
        case "userAccountDidForcedToLogout":
            let error = error(callback, "code")
            clientDelegates.tell { $0.userAccountDidForced(toLogout: error) }
        case "userAccountDidRemoveFromServer": clientDelegates.tell { $0.userAccountDidRemoveFromServer() }
        case "userDidForbidByServer": clientDelegates.tell { $0.userDidForbidByServer() }
        case "tokenWillExpire", "tokenDidExpire":
            guard let code = callback.number("code").flatMap(AgoraChatErrorCode.init) else { return }
            let hasExpired = callback.name == "tokenDidExpire"
            clientDelegates.tell { hasExpired ? $0.tokenDidExpire(code) : $0.tokenWillExpire(code) }
        case "onOfflineMessageSyncStart": clientDelegates.tell { $0.onOfflineMessageSyncStart() }
        case "onOfflineMessageSyncFinish": clientDelegates.tell { $0.onOfflineMessageSyncFinish() }
        default: break
        }
    }

    private func error(_ callback: Callback, _ field: String) -> AgoraChatError? {
        guard let number = callback.number(field) else { return nil }
        return AgoraChatError(Code(number, String(callback[field].prefix { $0 != "(" })))
    }

    // MARK: The log

    private func logEnd(of call: CallKind, _ status: Status) {
        let code = dialect.code(for: status, of: call)
        log("\(call.word): \(code)", level: code.number == 0 ? .debug : .error)
    }

    func log(_ line: String, level: AgoraChatLogLevel = .debug) {
        guard !logDelegates.isEmpty, level.rawValue >= (options?.logLevel ?? .debug).rawValue else { return }
        logDelegates.tell { $0.logDidOutput(line) }
    }
}

extension Completion {
    /// The fields of each row by their names.
    var fields: [[String: String]] {
        rows.map { row in Dictionary(row.fields.map { ($0.name, $0.value) }) { first, _ in first } }
    }
}
