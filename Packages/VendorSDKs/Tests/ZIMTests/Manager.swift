import Foundation
import ZIM

/// A login manager as apps write it, with continuations around the vendor's callbacks. It stores who was logged in, so
/// that the app opens with the data on the device. It asks its own server for a new token, and leaves the rest to the
/// SDK.
@MainActor
final class IMLoginManager: NSObject {
    enum Phase: Equatable {
        case loggedOut, connecting, online, reconnecting, kicked
    }

    struct IMError: Error, Equatable {
        let code: ZIMErrorCode
    }

    private(set) var phase = Phase.loggedOut
    private(set) var unread: UInt32 = 0
    private(set) var conversations: [String] = []
    private(set) var log: [String] = []
    private(set) var isSynchronised = false
    private let fetchToken: (String) -> String
    private let saved: SavedUser
    private var zim: ZIM? { ZIM.shared() }

    /// Where the app stores who was logged in.
    final class SavedUser {
        var id: String?
        var token = ""
    }

    init(saved: SavedUser, fetchToken: @escaping (String) -> String) {
        self.saved = saved
        self.fetchToken = fetchToken
        super.init()
        let config = ZIMAppConfig()
        config.appID = 1_234
        if ZIM.shared() == nil { _ = ZIM.create(with: config) }
        zim?.setEventHandler(self)
    }

    // MARK: Login

    /// The user has typed a name.
    func login(_ user: String) async throws {
        try await login(user, token: fetchToken(user), isOffline: false)
    }

    /// The app was opened.
    func resume() async throws {
        guard let user = saved.id else { throw IMError(code: .networkModuleUserIsNotLogged) }
        do {
            try await login(user, token: saved.token, isOffline: true)
        } catch let error as IMError where error.code == .networkModuleTokenExpired {
            try await login(user, token: fetchToken(user), isOffline: false)
        }
        try await loadConversations()
    }

    private func login(_ user: String, token: String, isOffline: Bool) async throws {
        let config = ZIMLoginConfig()
        config.userName = user
        config.token = token
        config.isOfflineLogin = isOffline
        let error = await withCheckedContinuation { (continuation: CheckedContinuation<ZIMError?, Never>) in
            guard let zim else { return continuation.resume(returning: nil) }
            zim.login(withUserID: user, config: config) { continuation.resume(returning: $0) }
        }
        guard let error, error.code == .success else { throw IMError(code: error?.code ?? .failed) }
        saved.id = user
        saved.token = token
    }

    func logout() {
        saved.id = nil
        saved.token = ""
        conversations = []
        zim?.logout()
    }

    // MARK: Data

    func loadConversations() async throws {
        var all: [ZIMConversation] = []
        let config = ZIMConversationQueryConfig()
        config.count = 2
        while true {
            let (page, error) = await withCheckedContinuation { continuation in
                zim?.queryConversationList(with: config) { continuation.resume(returning: ($0, $1)) }
            }
            guard error.code == .success else { throw IMError(code: error.code) }
            all += page
            guard page.count == 2 else { break }
            config.nextConversation = page.last
        }
        conversations = all.map(\.conversationID)
    }

    func send(_ text: String, to user: String) async throws {
        let message = ZIMTextMessage(message: text)
        let error = await withCheckedContinuation { continuation in
            zim?.sendMessage(
                message, toConversationID: user, conversationType: .peer, config: ZIMMessageSendConfig(),
                notification: nil
            ) { _, error in continuation.resume(returning: error) }
        }
        guard error.code == .success else { throw IMError(code: error.code) }
    }

    private func changed(_ state: ZIMConnectionState, _ event: ZIMConnectionEvent) {
        log.append("\(state) \(event)")
        switch state {
        case .connecting: phase = .connecting
        case .connected: phase = .online
        case .reconnecting: phase = .reconnecting
        case .disconnected:
            phase = event == .kickedOut ? .kicked : .loggedOut
            isSynchronised = false
            guard event == .tokenExpired, let user = saved.id else { return }
            Task { try? await login(user) }
        }
    }
}

// The SDK has no actors, and calls back on the main thread.
extension IMLoginManager: ZIMEventHandler {
    nonisolated func zim(
        _ zim: ZIM, connectionStateChanged state: ZIMConnectionState, event: ZIMConnectionEvent,
        extendedData: [AnyHashable: Any]
    ) {
        MainActor.assumeIsolated { changed(state, event) }
    }

    nonisolated func zim(_ zim: ZIM, tokenWillExpire second: UInt32) {
        MainActor.assumeIsolated {
            guard let user = saved.id else { return }
            let token = fetchToken(user)
            zim.renewToken(token) { _, error in
                MainActor.assumeIsolated {
                    self.log.append("renewed \(error.code)")
                    if error.code == .success { self.saved.token = token }
                }
            }
        }
    }

    nonisolated func zim(_ zim: ZIM, conversationTotalUnreadMessageCountUpdated totalUnreadMessageCount: UInt32) {
        MainActor.assumeIsolated { unread = totalUnreadMessageCount }
    }

    nonisolated func zim(_ zim: ZIM, conversationSyncStateChanged state: ZIMConversationSyncState) {
        guard state == .finished else { return }
        Task { @MainActor in
            isSynchronised = true
            try? await loadConversations()
        }
    }
}
