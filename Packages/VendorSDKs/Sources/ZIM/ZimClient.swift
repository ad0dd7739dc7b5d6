import AppStandIns
import Foundation
import IMClient
import IMLocalData
import IMProfiles
import IMProtocol
import SimulatedApp

/// What a process has of the vendor's SDK: the machine below, the one instance, and what of them the vendor's SDK would
/// remember. What is told, and by which numbers, is the dialect's word.
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
    /// What the app was last told; a call that fails because of what it was not told yet is no mistake of it.
    private var toldState = ZIMConnectionState.disconnected
    /// What changed and was not told yet.
    var changes: [ChangeRecord] = []
    /// Whether what waits for a sync is on its way.
    private(set) var isSyncing = false
    /// Messages of the user that local data has, and whose callback has not come.
    var arrivals: [LocalMessage] = []
    /// Messages that the machine has as failed, oldest first (ZIM-10).
    var failed: [ZIMMessage] = []
    /// Whether ``failed`` is no longer what the machine has.
    var isFailedOrderLost = false
    /// What the app was told of conversations, by their keys.
    var toldConversations: [String: AnswerRow] = [:]
    private var toldUnread: UInt32?
    /// The groups that the user is in, as the app was told of them; nil before the first sync.
    var groups: [String: AnswerRow]?

    private var logoutsUnderWay = 0
    /// Whether the login that ends is that of an instance that was destroyed: the next one has no part in it.
    private var isDestroying = false
    /// Logins that were asked for behind a logout.
    private var waitingLogins: [() -> Void] = []

    private init(_ client: SDKClient) {
        self.client = client
        dialect = client.simulation.dialect
    }

    /// That of the process in which the calling code runs.
    static func current(for what: String) -> ZimClient {
        SDKClient.current(for: what).singleton { client in
            let made = ZimClient(client)
            client.observeChanges { [weak made] in made?.tookIn($0) }
            client.observe { [weak made] in made?.heard($0) }
            return made
        }
    }

    // MARK: The machine

    func perform(_ command: ClientCommand, completion: @escaping (Completion) -> Void = { _ in }) {
        client?.perform(command, completion: completion)
    }

    /// Ends the login. The vendor's logout has no callback, and an app may log in right behind it.
    func logout() {
        logoutsUnderWay += 1
        perform(.logout(keepsPush: false)) { [weak self] _ in
            guard let self else { return }
            logoutsUnderWay -= 1
            guard logoutsUnderWay == 0 else { return }
            isDestroying = false
            let logins = waitingLogins
            waitingLogins = []
            for login in logins { login() }
        }
    }

    /// Does without the instance.
    func destroy() {
        instance = nil
        isDestroying = true
        logout()
    }

    /// Logs in as soon as no logout is on its way.
    func afterLogout(_ login: @escaping () -> Void) {
        switch state {
        case .loggedOut, .kicked, .tokenExpired: login()
        case .connecting, .syncing, .online, .reconnecting, .offline:
            if logoutsUnderWay > 0 { waitingLogins.append(login) } else { login() }
        }
    }

    /// For what needs no machine.
    func later(_ body: @escaping () -> Void) { client?.enqueue("a callback", body) }

    func setQueue(_ queue: SimulatedDispatchQueue?) { client?.callbackQueue = queue }

    /// The vendor's code for the way a call ended.
    func error(_ status: Status, of call: CallKind) -> ZIMError { ZIMError(status, of: call, dialect) }

    /// The name of a token. Without one, an app with an AppSign is let in, as one that needs none.
    func credential(_ token: String, of user: String, hasAppSign: Bool) -> String {
        guard let client else { return "" }
        guard token.isEmpty, hasAppSign else { return client.keep(token: token) }
        return client.keep(token: client.simulation.token(for: user, lifetime: .seconds(10 * 365 * 24 * 60 * 60)))
    }

    func violated(_ rule: String, _ text: String) { client?.violated(rule, text) }

    var state: ClientState { client?.state ?? .loggedOut }
    var user: String { client?.user ?? "" }

    /// Notes a call that needs a login, where the app has been told that there is none.
    func judge(_ what: String) {
        switch state {
        case .loggedOut, .kicked, .tokenExpired:
            if toldState == .disconnected { violated("ZIM-8", "\(what) without a login") }
        case .connecting, .syncing, .online, .reconnecting, .offline: break
        }
    }

    /// Notes a login that the SDK does not take, or does by itself.
    func judgeLogin(of user: String) {
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

    // MARK: Local data, looked into

    /// What a question to the user's local data is answered with; no rows while none is open.
    func look(_ call: LocalCall, _ arguments: [(String, String)]) -> LocalAnswer {
        client?.look(LocalRequest(call, arguments)) ?? LocalAnswer(.notLoggedIn)
    }

    var isDataOpen: Bool { client?.isDataOpen ?? false }

    // MARK: What comes

    func heard(_ news: SDKClient.News) {
        let effect: ClientEffect
        switch news {
        case .told(let notification): effect = .notify(notification)
        case .changed(let change):
            effect = .transition(change)
            switch change.to {
            case .loggedOut, .kicked, .tokenExpired: forget()
            case .connecting, .syncing, .online, .reconnecting, .offline: break
            }
        }
        guard let callback = dialect.callback(for: effect) else { return }
        guard let instance, !isDestroying else {
            toldState = .disconnected
            return
        }
        tell(instance, callback, news)
        // The first thing that a login says of conversations.
        if case .changed = news { tellUnread() }
    }

    /// The login is over, and with it what was known of its user.
    private func forget() {
        changes = []
        isSyncing = false
        arrivals = []
        failed = []
        isFailedOrderLost = false
        toldConversations = [:]
        toldUnread = nil
        groups = nil
    }

    private func tell(_ zim: ZIM, _ callback: Callback, _ news: SDKClient.News) {
        switch callback.name {
        case "connectionStateChanged":
            guard let state = callback.number("state").flatMap({ ZIMConnectionState(rawValue: UInt($0)) }),
                let event = callback.number("event").flatMap({ ZIMConnectionEvent(rawValue: UInt($0)) })
            else { return }
            toldState = state
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
            if state == .finished { tellUnread() }
        case "peerMessageReceived", "groupMessageReceived":
            if case .told(.messageReceived(let message)) = news { received(message, zim) }
        default:
            if case .told(.dataChanged(let kind, let name)) = news { changed(kind, name, callback, zim) }
        }
    }

    // MARK: Unread messages

    /// Tells how many messages nobody has read, if that is another number than the app knows.
    func tellUnread() {
        guard let instance, isDataOpen, let total = unread, total != toldUnread else { return }
        toldUnread = total
        instance.handler?.zim(instance, conversationTotalUnreadMessageCountUpdated: total)
    }

    private var unread: UInt32? {
        let answer = unreadConversations
        return answer?.reduce(0) { sum, row in
            ZIMConversationNotificationStatus(word: row["notificationStatus"]) == .notify
                ? sum &+ row.count("unreadMessageCount") : sum
        }
    }

    /// The conversations with messages that nobody has read; nil while no data is open.
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
