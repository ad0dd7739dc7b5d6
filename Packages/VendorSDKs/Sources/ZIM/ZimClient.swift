import AppStandIns
import Foundation
import IMClient
import IMLocalData
import IMProfiles
import IMProtocol
import SimulatedApp

/// The SDK in one process: the machine, the one instance, and the vendor SDK's own state. The dialect decides which
/// callbacks are made, with which numbers.
///
/// It lives on the job thread of virtual time.
final class ZimClient {
    let dialect: any Dialect
    private(set) weak var client: SDKClient?
    /// The instance that was made and not destroyed.
    var instance: ZIM?
    /// Settings for instances.
    var logConfig = ZIMLogConfig()
    var cacheConfig = ZIMCacheConfig()
    var advancedConfig: [String: String] = [:]
    /// The state that the app was last notified of. A call that fails because of a pending notification is no
    /// violation.
    private var notifiedState = ZIMConnectionState.disconnected
    /// Changes whose notification is pending.
    var changes: [ChangeRecord] = []
    /// True while a sync is in progress.
    private(set) var isSyncing = false
    /// The user's messages in local data whose callback is pending.
    var arrivals: [LocalMessage] = []
    /// Messages that the machine keeps as failed, oldest first (ZIM-10).
    var failed: [ZIMMessage] = []
    /// True if ``failed`` may differ from the machine's list.
    var isFailedOrderLost = false
    /// The conversations as the app was last notified of them, by their keys.
    var notifiedConversations: [String: AnswerRow] = [:]
    private var notifiedUnread: UInt32?
    /// The user's groups, as the app was last notified of them; nil before the first sync.
    var groups: [String: AnswerRow]?

    private var pendingLogouts = 0
    /// True if the login that ends belongs to a destroyed instance: the next instance is not notified of its end.
    private var isDestroying = false
    /// Logins that were requested after a logout and wait for its end.
    private var waitingLogins: [() -> Void] = []

    private init(_ client: SDKClient) {
        self.client = client
        dialect = client.simulation.dialect
    }

    /// The client of the process in which the calling code runs.
    static func current(for what: String) -> ZimClient {
        SDKClient.current(for: what).singleton { client in
            let made = ZimClient(client)
            client.observeChanges { [weak made] in made?.handleChanges($0) }
            client.observe { [weak made] in made?.handleNotice($0) }
            return made
        }
    }

    // MARK: The machine

    func perform(_ command: ClientCommand, completion: @escaping (Completion) -> Void = { _ in }) {
        client?.perform(command, completion: completion)
    }

    /// Ends the login. The vendor's logout has no callback, and an app may log in directly after it.
    func logout() {
        pendingLogouts += 1
        perform(.logout(keepsPush: false)) { [weak self] _ in
            guard let self else { return }
            pendingLogouts -= 1
            guard pendingLogouts == 0 else { return }
            isDestroying = false
            let logins = waitingLogins
            waitingLogins = []
            for login in logins { login() }
        }
    }

    /// Releases the instance.
    func destroy() {
        instance = nil
        isDestroying = true
        logout()
    }

    /// Logs in as soon as no logout is in progress.
    func afterLogout(_ login: @escaping () -> Void) {
        switch state {
        case .loggedOut, .kicked, .tokenExpired: login()
        case .connecting, .syncing, .online, .reconnecting, .offline:
            if pendingLogouts > 0 { waitingLogins.append(login) } else { login() }
        }
    }

    /// For calls that need no machine.
    func later(_ body: @escaping () -> Void) { client?.enqueue("a callback", body) }

    func setQueue(_ queue: SimulatedDispatchQueue?) { client?.callbackQueue = queue }

    /// The vendor's code for the result of a call.
    func error(_ status: Status, of call: CallKind) -> ZIMError { ZIMError(status, of: call, dialect) }

    /// The name of a token. Without a token, an app with an AppSign is admitted, like one that needs none.
    func credential(_ token: String, of user: String, hasAppSign: Bool) -> String {
        guard let client else { return "" }
        guard token.isEmpty, hasAppSign else { return client.keep(token: token) }
        return client.keep(token: client.simulation.token(for: user, lifetime: .seconds(10 * 365 * 24 * 60 * 60)))
    }

    func violated(_ rule: String, _ text: String) { client?.violated(rule, text) }

    var state: ClientState { client?.state ?? .loggedOut }
    var user: String { client?.user ?? "" }

    /// Reports a call that needs a login, if the app was notified that there is none.
    func checkLoggedIn(_ what: String) {
        switch state {
        case .loggedOut, .kicked, .tokenExpired:
            if notifiedState == .disconnected { violated("ZIM-8", "\(what) without a login") }
        case .connecting, .syncing, .online, .reconnecting, .offline: break
        }
    }

    /// Reports a login that the SDK refuses, or that it makes by itself.
    func checkLogin(of user: String) {
        switch state {
        case .connecting, .syncing, .online, .reconnecting, .offline:
            if let known = client?.user, known != user {
                violated("ZIM-8", "a login of '\(user)' while '\(known)' is logged in: logout comes first")
            } else if state == .reconnecting || state == .offline {
                violated("ZIM-4", "a login while the SDK connects by itself")
            }
        case .loggedOut, .kicked, .tokenExpired: break
        }
    }

    // MARK: Queries of local data

    /// The answer of the user's local data; no rows while none is open.
    func look(_ call: LocalCall, _ arguments: [(String, String)]) -> LocalAnswer {
        client?.look(LocalRequest(call, arguments)) ?? LocalAnswer(.notLoggedIn)
    }

    var isDataOpen: Bool { client?.isDataOpen ?? false }

    // MARK: Notifications

    func handleNotice(_ appNotice: SDKClient.AppNotice) {
        let effect: ClientEffect
        switch appNotice {
        case .notified(let notification): effect = .notify(notification)
        case .changed(let change):
            effect = .transition(change)
            switch change.to {
            case .loggedOut, .kicked, .tokenExpired: discardUserState()
            case .connecting, .syncing, .online, .reconnecting, .offline: break
            }
        }
        guard let callback = dialect.callback(for: effect) else { return }
        guard let instance, !isDestroying else {
            notifiedState = .disconnected
            return
        }
        notify(instance, callback, appNotice)
        // The unread count is the first callback of a login about conversations.
        if case .changed = appNotice { notifyUnread() }
    }

    /// The login has ended: discards the state of its user.
    private func discardUserState() {
        changes = []
        isSyncing = false
        arrivals = []
        failed = []
        isFailedOrderLost = false
        notifiedConversations = [:]
        notifiedUnread = nil
        groups = nil
    }

    private func notify(_ zim: ZIM, _ callback: Callback, _ appNotice: SDKClient.AppNotice) {
        switch callback.name {
        case "connectionStateChanged":
            guard let state = callback.number("state").flatMap({ ZIMConnectionState(rawValue: UInt($0)) }),
                let event = callback.number("event").flatMap({ ZIMConnectionEvent(rawValue: UInt($0)) })
            else { return }
            notifiedState = state
            zim.handler?.zim(zim, connectionStateChanged: state, event: event, extendedData: [:])
        case "tokenWillExpire":
            zim.handler?.zim(zim, tokenWillExpire: UInt32(callback["second"]) ?? 0)
        case "userStatusUpdated":
            let status = ZIMUserStatus()
            status.userID = callback["user"]
            status.onlineStatus =
                callback.number("status").flatMap { ZIMUserOnlineStatus(rawValue: UInt($0)) } ?? .unknown
            status.lastUpdateTime = Int64(Date().timeIntervalSince1970 * 1000)
            zim.handler?.zim(zim, userStatusUpdated: [status])
        case "conversationSyncStateChanged":
            let state =
                callback.number("state").flatMap { ZIMConversationSyncState(rawValue: UInt($0)) } ?? .failed
            isSyncing = state == .started
            if state == .finished { noteGroups() }
            zim.handler?.zim(zim, conversationSyncStateChanged: state)
            if state == .finished { notifyUnread() }
        case "peerMessageReceived", "groupMessageReceived":
            if case .notified(.messageReceived(let message)) = appNotice { received(message, zim) }
        default:
            if case .notified(.dataChanged(let kind, let name)) = appNotice { changed(kind, name, callback, zim) }
        }
    }

    // MARK: Unread messages

    /// Notifies the app of the number of unread messages if it has changed.
    func notifyUnread() {
        guard let instance, isDataOpen, let total = unread, total != notifiedUnread else { return }
        notifiedUnread = total
        instance.handler?.zim(instance, conversationTotalUnreadMessageCountUpdated: total)
    }

    private var unread: UInt32? {
        let answer = unreadConversations
        return answer?.reduce(0) { sum, row in
            ZIMConversationNotificationStatus(word: row["notificationStatus"]) == .notify
                ? sum &+ row.count("unreadMessageCount") : sum
        }
    }

    /// The conversations with unread messages; nil while no data is open.
    var unreadConversations: [AnswerRow]? { listed([("isOnlyUnreadConversation", "true")]) }

    /// The conversations of the list, all pages of it.
    func listed(_ filter: [(String, String)] = []) -> [AnswerRow]? {
        var rows: [AnswerRow] = []
        var next = ""
        repeat {
            let page = look(
                .queryConversationList, filter + [("count", String(LocalCall.pageMax)), ("nextConversation", next)])
            guard page.status == .ok else { return nil }
            rows += page.rows
            next = page.next
        } while !next.isEmpty
        return rows
    }
}
