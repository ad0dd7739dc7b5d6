import AgoraChat
import AppStandIns
import Foundation

/// A login manager as apps write it, with continuations around the vendor's blocks and callbacks that hop to the main
/// actor.
@MainActor
final class ChatManager: NSObject {
    enum LoginError: Error, Equatable {
        case failed(AgoraChatErrorCode)
        case noToken
    }

    enum State: Equatable {
        case loggedOut
        case loggingIn
        case connected
        case connecting
        case kicked(String)
    }

    private(set) var state = State.loggedOut
    private(set) var log: [String] = []
    private(set) var inbox: [String] = []
    /// The app's own server.
    var fetchToken: (String) async -> String? = { _ in nil }
    private var client: AgoraChatClient { AgoraChatClient.shared() }

    /// As in `application(_:didFinishLaunchingWithOptions:)`.
    func start() {
        let options = AgoraChatOptions(appkey: "org#app")
        options.isAutoLogin = true
        options.enableConsoleLog = true
        if let error = client.initializeSDK(with: options) { log.append("init \(error.errorDescription ?? "")") }
        client.add(self, delegateQueue: nil)
        client.chatManager?.add(self, delegateQueue: nil)
        if client.isLoggedIn { state = .connecting }
    }

    func login(_ user: String) async throws {
        guard let token = await fetchToken(user) else { throw LoginError.noToken }
        state = .loggingIn
        let error: AgoraChatError? = await withCheckedContinuation { continuation in
            client.login(withUsername: user, token: token) { _, error in continuation.resume(returning: error) }
        }
        if let error, error.code != .userAlreadyLoginSame {
            state = .loggedOut
            throw LoginError.failed(error.code)
        }
        state = .connected
    }

    /// As in the vendor's guide: with push if there is a network, without push if not.
    func logout() async {
        if await client.logout(true) != nil { await client.logout(false) }
        state = .loggedOut
    }

    func send(_ text: String, to user: String) async throws {
        let message = AgoraChatMessage(
            conversationID: user, from: client.currentUsername ?? "", to: user,
            body: AgoraChatTextMessageBody(text: text), ext: nil)
        let (_, error) = await client.chatManager?.send(message, progress: nil) ?? (nil, nil)
        if let error { throw LoginError.failed(error.code) }
    }

    private func renew() {
        guard let user = client.currentUsername else { return }
        Task {
            guard let token = await fetchToken(user) else { return }
            let error = await client.renewToken(token)
            log.append("renewed \(error.map { "\($0.code)" } ?? "ok")")
        }
    }
}

extension ChatManager: AgoraChatClientDelegate, AgoraChatManagerDelegate {
    nonisolated func connectionStateDidChange(_ aConnectionState: AgoraChatConnectionState) {
        Task { @MainActor in
            guard client.isLoggedIn else { return }
            state = aConnectionState == .connected ? .connected : .connecting
        }
    }

    nonisolated func autoLoginDidCompleteWithError(_ aError: AgoraChatError?) {
        let code = aError?.code
        Task { @MainActor in
            log.append("autologin \(code.map { "\($0)" } ?? "ok")")
            if code != nil { state = .loggedOut }
        }
    }

    nonisolated func userAccountDidLoginFromOtherDevice(with info: AgoraChatLoginExtensionInfo?) {
        let name = info?.deviceName ?? "?"
        Task { @MainActor in state = .kicked(name) }
    }

    nonisolated func userAccountDidForced(toLogout aError: AgoraChatError?) {
        let code = aError?.code ?? .general
        Task { @MainActor in state = .kicked("\(code)") }
    }

    nonisolated func tokenWillExpire(_ aErrorCode: AgoraChatErrorCode) { Task { @MainActor in renew() } }

    nonisolated func tokenDidExpire(_ aErrorCode: AgoraChatErrorCode) {
        Task { @MainActor in state = .loggedOut }
    }

    nonisolated func messagesDidReceive(_ aMessages: [AgoraChatMessage]) {
        Task { @MainActor in
            for message in aMessages {
                guard message.body.type == .text, let body = message.body as? AgoraChatTextMessageBody else { continue }
                inbox.append("\(message.from): \(body.text)")
            }
        }
    }
}

/// A login that blocks a queue until it ends, as older apps do with the calls without a block. It runs on the job
/// thread, and never on the main actor.
final class BlockingLogin: @unchecked Sendable {
    private(set) var words: [String] = []

    func login(_ user: String, password: String) {
        SimulatedDispatchQueue.global(qos: .default).async { [self] in
            let error = AgoraChatClient.shared().login(withUsername: user, password: password)
            words.append(error.map { "\($0.code)" } ?? "in")
            SimulatedDispatchQueue.main.async { [self] in words.append("told") }
        }
    }
}
