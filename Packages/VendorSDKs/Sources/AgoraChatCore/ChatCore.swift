import AppStandIns
import Foundation
import IMClient
import IMLocalData
import IMProfiles
import IMProtocol
import SimulatedApp

/// The state that all objects of a process share: the machine, the delegates, and the vendor SDK's own state. The
/// dialect decides which callbacks are made, with which numbers.
///
/// Used on the job thread of virtual time alone, so it is Sendable.
final class ChatCore: @unchecked Sendable {
    let dialect: any Dialect
    private weak var sdk: SDKClient?
    let clientDelegates = QueuedDelegates<any AgoraChatClientDelegate>()
    let deviceDelegates = QueuedDelegates<any AgoraChatMultiDevicesDelegate>()
    let logDelegates = QueuedDelegates<any AgoraChatLogDelegate>()
    let chatDelegates = QueuedDelegates<any AgoraChatManagerDelegate>()
    let roomDelegates = QueuedDelegates<any AgoraChatroomManagerDelegate>()
    /// The options of the initialisation. Nil before.
    var options: AgoraChatOptions?
    /// The option's value at the initialisation. A later value has no effect.
    var isAutologinEnabled = false
    var login = LoginRecord()
    /// Ids of sent messages that already belong to messages of the app.
    var idsOfSent: Set<String> = []
    /// Ids of messages that the app was notified of as read.
    var idsOfRead: Set<String> = []
    var localIDs = 0
    private var hasNotedType = false
    /// Admin calls; the first one is in progress. The machine has one at a time.
    private var adminCalls: [() -> Void] = []

    init(_ sdk: SDKClient) {
        self.sdk = sdk
        dialect = sdk.simulation.dialect
        sdk.observe { [weak self] in self?.handleNotice($0) }
    }

    // MARK: The machine

    /// Gives the machine a command. Its completion comes later, on the main thread.
    func perform(_ command: ClientCommand, completion: @escaping (Completion) -> Void) {
        let call = CallKind(command)
        sdk?.perform(command) { [weak self] outcome in
            self?.logEnd(of: call, outcome.status)
            completion(outcome)
        }
    }

    /// Like `perform(_:completion:)`, for a call with a credential of its own (CHAT-6). If nobody is logged in,
    /// several of them run one after the other.
    func performAdminCall(_ command: ClientCommand, completion: @escaping (Completion) -> Void) {
        guard user == nil else { return perform(command, completion: completion) }
        adminCalls.append { [weak self] in
            self?.perform(command) { outcome in
                self?.adminCalls.removeFirst()
                completion(outcome)
                self?.adminCalls.first?()
            }
        }
        if adminCalls.count == 1 { adminCalls.first?() }
    }

    /// Like `performAdminCall(_:completion:)`, for a call that blocks the calling thread.
    func wait(for command: ClientCommand) -> Completion {
        let call = CallKind(command)
        let outcome = sdk?.wait(for: command, "\(call.word) of the SDK") ?? Completion(.cancelled)
        logEnd(of: call, outcome.status)
        return outcome
    }

    /// The data that survives the process.
    var kept: LocalData { sdk?.kept ?? LocalData() }

    /// The device's storage besides that.
    var storage: DeviceStorage? { sdk?.storage }

    /// The device's description in the machine.
    var device: Device? { sdk?.described }

    /// The origin of a query of local data. Only a query of the app is a call, and in the session.
    enum QueryOrigin {
        case app
        case sdk
    }

    /// A call on the user's data on the device (ZIM-9). It sends no frame.
    func local(_ call: LocalCall, _ arguments: [(String, String)], by queryOrigin: QueryOrigin = .app) -> Completion {
        guard isLoggedIn else { return Completion(.notLoggedIn) }
        let request = LocalRequest(call, arguments)
        let outcome =
            switch queryOrigin {
            case .app: sdk?.wait(for: .call(request), "a call on local data")
            case .sdk: sdk?.look(request).map { Completion($0.status, rows: $0.rowsAndNext) }
            }
        return outcome ?? Completion(.cancelled)
    }

    /// On the main thread, after the callbacks that are queued already.
    func later(_ body: @escaping () -> Void) { sdk?.enqueue("a completion", body) }

    func error(_ status: Status, of call: CallKind) -> AgoraChatError? {
        AgoraChatError(dialect.code(for: status, of: call))
    }

    /// Ends a call that is not simulated, with an error, and notes it in the session.
    func refuse(_ call: String, _ completion: @escaping (AgoraChatError) -> Void) {
        sdk?.note("\(call) is not simulated, and ends with an error")
        later { completion(AgoraChatError(description: "\(call) is not simulated", code: .general)) }
    }

    func violated(_ rule: String, _ text: String) { sdk?.violated(rule, text) }

    func moved(toFront isInFront: Bool) { sdk?.moved(toFront: isInFront) }

    var user: String? { sdk?.user }

    var state: ClientState { sdk?.state ?? .loggedOut }

    /// True from the start of an automatic login, or the success of another one, to the end of the login; also without
    /// a connection.
    var isLoggedIn: Bool { sdk?.isDataOpen ?? false }

    // MARK: Credentials and the device

    func keep(token: String) -> String { sdk?.keep(token: token) ?? "" }

    /// Nil for an invalid password.
    func keep(password: String) -> String? { sdk.flatMap { try? $0.keep(password: password) } }

    /// A token for the user, as the server makes it.
    func makeToken(for user: String) -> String { sdk?.simulation.token(for: user) ?? "" }

    /// Makes an account. Nil if there is no network, or the password is invalid.
    func makeAccount(_ user: String, password: String) throws -> Bool? {
        guard storage?.network.interface != nil else { return nil }
        return try sdk?.simulation.makeAccount(user, password: password)
    }

    /// Sets the device's description from the options (CHAT-5). It is set before a login, because only a login sends it
    /// to the server.
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

    // MARK: Notifications

    private func handleNotice(_ appNotice: SDKClient.AppNotice) {
        let effect: ClientEffect
        switch appNotice {
        case .notified(let notification): effect = .notify(notification)
        case .changed(let change):
            effect = .transition(change)
            log("state: \(change.from.name) -> \(change.to.name), \(change.reason.name)")
        }
        guard let callback = dialect.callback(for: effect) else { return }
        log(([callback.name] + callback.fields.map { "\($0.name)=\($0.value)" }).joined(separator: " "))
        switch appNotice {
        case .notified(.messageReceived(let message)): received(message)
        case .notified(.operated(let operation)): operated(operation, callback)
        case .notified(.dataChanged(.read, let reader)): read(by: reader)
        case .notified(.dataChanged(.conversationRead, let reader)):
            let own = user ?? ""
            chatDelegates.notify { $0.onConversationRead(reader, to: own) }
        case .notified(.dataChanged(.delivered, let message)): delivered(message)
        case .notified(.memberChanged(let room, let member, let joined)): moved(member, in: room, joined: joined)
        case .notified, .changed: notify(callback)
        }
    }

    private func notify(_ callback: Callback) {
        switch callback.name {
        case "connectionStateDidChange":
            guard let state = callback.number("state").flatMap(AgoraChatConnectionState.init) else { return }
            clientDelegates.notify { $0.connectionStateDidChange(state) }
        case "autoLoginDidCompleteWithError":
            let error = error(callback, "error")
            clientDelegates.notify { $0.autoLoginDidCompleteWithError(error) }
        case "userAccountDidLoginFromOtherDeviceWithInfo":
            let info = AgoraChatLoginExtensionInfo()
            info.deviceName = callback["deviceName"]
            info.extensionInfo = callback["loginExtensionInfo"]
            clientDelegates.notify { $0.userAccountDidLoginFromOtherDevice(with: info) }
        case "userAccountDidForcedToLogout":
            let error = error(callback, "code")
            clientDelegates.notify { $0.userAccountDidForced(toLogout: error) }
        case "userAccountDidRemoveFromServer": clientDelegates.notify { $0.userAccountDidRemoveFromServer() }
        case "userDidForbidByServer": clientDelegates.notify { $0.userDidForbidByServer() }
        case "tokenWillExpire", "tokenDidExpire":
            guard let code = callback.number("code").flatMap(AgoraChatErrorCode.init) else { return }
            let hasExpired = callback.name == "tokenDidExpire"
            clientDelegates.notify { hasExpired ? $0.tokenDidExpire(code) : $0.tokenWillExpire(code) }
        case "onOfflineMessageSyncStart": clientDelegates.notify { $0.onOfflineMessageSyncStart() }
        case "onOfflineMessageSyncFinish": clientDelegates.notify { $0.onOfflineMessageSyncFinish() }
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
        logDelegates.notify { $0.logDidOutput(line) }
    }
}

extension Completion {
    /// The fields of each row by their names.
    var fields: [[String: String]] {
        rows.map { row in Dictionary(row.fields.map { ($0.name, $0.value) }) { first, _ in first } }
    }
}
