import Foundation
import NIMSDK

/// Logs the user in, keeps the login, and shows the conversations, as in many apps. It works on a good day.
@MainActor
final class LoginManager: NIMLoginManagerDelegate, NIMChatManagerDelegate {
    private(set) var isLoggedIn = false
    /// True while a spinner is shown.
    private(set) var isBusy = false
    /// The conversations on the first page, with their last messages.
    private(set) var conversations: [String: String] = [:]

    private let user: String
    private let token: String
    private var isRegistered = false
    private var synced: CheckedContinuation<Void, Never>?

    init(user: String, token: String) {
        self.user = user
        self.token = token
        NIMSDK.shared().loginManager.add(self)
        NIMSDK.shared().chatManager.add(self)
        // The key comes from a configuration that is loaded in the background.
        Task { @MainActor in
            try? await Task.sleep(for: .milliseconds(20))
            NIMSDK.shared().register(with: NIMSDKOption(appKey: "example"))
            isRegistered = true
        }
    }

    func login() {
        guard !NIMSDK.shared().loginManager.isLogined() else {
            isLoggedIn = true
            return
        }
        Task { @MainActor in
            isBusy = true
            do {
                try await NIMSDK.shared().loginManager.login(user, token: token)
                // The page appears when everything has arrived.
                await withCheckedContinuation { synced = $0 }
                isLoggedIn = true
            } catch {
                isLoggedIn = false
            }
            isBusy = false
        }
    }

    func logout() {
        NIMSDK.shared().loginManager.logout { _ in }
        isLoggedIn = false
        conversations = [:]
    }

    nonisolated func onLogin(_ step: NIMLoginStep) {
        Task { @MainActor in
            switch step {
            case .loginOK: showConversations()
            case .syncOK:
                synced?.resume()
                synced = nil
                isLoggedIn = true
            case .loseConnection:
                // Try again, in case the SDK does not.
                DispatchQueue.main.asyncAfter(deadline: .now() + 3) { [weak self] in self?.login() }
            default: break
            }
        }
    }

    nonisolated func onKick(_ code: NIMKickReason, clientType: NIMLoginClientType) {
        Task { @MainActor in
            isLoggedIn = false
            conversations = [:]
        }
    }

    nonisolated func onRecvMessages(_ messages: [NIMMessage]) {
        for message in messages {
            Task { @MainActor in
                // Conversations that are not on the page appear after the next start.
                if let from = message.from, conversations[from] != nil { conversations[from] = message.text }
            }
        }
    }

    private func showConversations() {
        conversations = [:]
        for recent in NIMSDK.shared().conversationManager.allRecentSessions() ?? [] {
            if let name = recent.session?.sessionId { conversations[name] = recent.lastMessage?.text }
        }
    }
}
