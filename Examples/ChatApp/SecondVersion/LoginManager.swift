import Foundation
import NIMSDK

/// The same login manager without its bugs: it waits for the registration, shows the conversations after the sync has
/// ended, handles callbacks in one order, leaves retries to the SDK, and waits for no callback that may not come.
@MainActor
final class LoginManager: NIMLoginManagerDelegate, NIMChatManagerDelegate {
    private(set) var isLoggedIn = false
    /// True while a spinner is shown.
    private(set) var isBusy = false
    /// The conversations on the first page, with their last messages.
    private(set) var conversations: [String: String] = [:]

    private let user: String
    private let token: String
    private var registration: Task<Void, Never>?
    private var isLoggingIn = false
    private var isLoggingOut = false

    init(user: String, token: String) {
        self.user = user
        self.token = token
        NIMSDK.shared().loginManager.add(self)
        NIMSDK.shared().chatManager.add(self)
        registration = Task { @MainActor in
            try? await Task.sleep(for: .milliseconds(20))
            NIMSDK.shared().register(with: NIMSDKOption(appKey: "example"))
        }
    }

    func login() {
        guard !isLoggedIn, !isLoggingIn, !isLoggingOut else { return }
        isLoggingIn = true
        isBusy = true
        Task { @MainActor in
            await registration?.value
            guard isLoggingIn else { return }
            do {
                try await NIMSDK.shared().loginManager.login(user, token: token)
            } catch {
                isLoggedIn = false
                isBusy = false
            }
            isLoggingIn = false
        }
    }

    func logout() {
        // A login or logout must end before the next one may start.
        guard isLoggedIn, !isLoggingOut else { return }
        isLoggingOut = true
        ended()
        NIMSDK.shared().loginManager.logout { _ in
            MainActor.assumeIsolated { self.isLoggingOut = false }
        }
    }

    // The SDK calls on the main thread, in order: no hop is needed.

    nonisolated func onLogin(_ step: NIMLoginStep) {
        MainActor.assumeIsolated {
            switch step {
            case .loginOK: isLoggedIn = true
            case .syncOK:
                isBusy = false
                showConversations()
            case .loginFailed, .linkFailed, .loseConnection: isBusy = false
            default: break
            }
        }
    }

    nonisolated func onKick(_ code: NIMKickReason, clientType: NIMLoginClientType) {
        MainActor.assumeIsolated { ended() }
    }

    nonisolated func onAutoLoginFailed(_ error: any Error) {
        MainActor.assumeIsolated { ended() }
    }

    nonisolated func onRecvMessages(_ messages: [NIMMessage]) {
        MainActor.assumeIsolated { showConversations() }
    }

    private func ended() {
        isLoggedIn = false
        isBusy = false
        conversations = [:]
    }

    private func showConversations() {
        guard isLoggedIn else { return }
        conversations = [:]
        for recent in NIMSDK.shared().conversationManager.allRecentSessions() ?? [] {
            if let name = recent.session?.sessionId { conversations[name] = recent.lastMessage?.text }
        }
    }
}
