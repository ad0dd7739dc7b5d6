import Combine
import Dispatch
import Foundation
import Network
import Security
import os

protocol SampleLoginListener: AnyObject {
    func loginDidChange(_ state: SampleLogin.State)
}

/// A login manager as apps write it: queues, timers, thread hops, a token in the keychain. It contains no test code.
final class SampleLogin: ObservableObject, @unchecked Sendable {
    enum State: String {
        case loggedOut, loggingIn, loggedIn, waiting
    }

    @Published private(set) var state: State = .loggedOut
    let kicks = PassthroughSubject<String, Never>()

    private let logger = Logger(subsystem: "sample", category: "login")
    private let queue = DispatchQueue(label: "sample.login")
    private let listeners = NSHashTable<AnyObject>.weakObjects()
    private let monitor = NWPathMonitor()
    private var retryTimer: Timer?
    private var heartbeat: DispatchSourceTimer?
    private var timeout: DispatchWorkItem?
    private(set) var heartbeats = 0
    private(set) var loginDate: Date?

    func start() {
        monitor.pathUpdateHandler = { [weak self] path in
            DispatchQueue.main.async {
                self?.networkChanged(isUp: path.status == .satisfied)
            }
        }
        monitor.start(queue: DispatchQueue.global(qos: .utility))
    }

    func add(_ listener: SampleLoginListener) {
        listeners.add(listener)
    }

    func login(user: String, token: String) {
        logger.info("login of \(user, privacy: .public) with \(token, privacy: .private)")
        set(.loggingIn)
        UserDefaults.standard.set(user, forKey: "lastUser")
        let item = DispatchWorkItem { [weak self] in
            dispatchPrecondition(condition: .onQueue(.main))
            self?.finishLogin(token: token)
        }
        timeout = item
        queue.async {
            Thread.sleep(forTimeInterval: 0.5)
            DispatchQueue.main.asyncAfter(deadline: .now() + 1, execute: item)
        }
    }

    func logout() {
        timeout?.cancel()
        retryTimer?.invalidate()
        heartbeat?.cancel()
        set(.loggedOut)
    }

    private func finishLogin(token: String) {
        store(token)
        loginDate = Date()
        set(.loggedIn)
        let timer = DispatchSource.makeTimerSource(queue: .main)
        timer.schedule(deadline: .now() + .seconds(30), repeating: .seconds(30))
        timer.setEventHandler { [weak self] in self?.heartbeats += 1 }
        timer.resume()
        heartbeat = timer
    }

    private func networkChanged(isUp: Bool) {
        guard !isUp, state == .loggedIn else { return }
        set(.waiting)
        retryTimer = Timer.scheduledTimer(withTimeInterval: 3, repeats: true) { [weak self] timer in
            guard let self, self.monitor.currentPath.status == .satisfied else { return }
            timer.invalidate()
            Task { @MainActor in self.set(.loggedIn) }
        }
    }

    private func set(_ new: State) {
        state = new
        for case let listener as SampleLoginListener in listeners.allObjects {
            listener.loginDidChange(new)
        }
    }

    private func store(_ token: String) {
        let query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrAccount as String: "token",
        ]
        SecItemDelete(query as CFDictionary)
        var attributes = query
        attributes[kSecValueData as String] = Data(token.utf8)
        let status = SecItemAdd(attributes as CFDictionary, nil)
        guard status == errSecSuccess else { return logger.error("keychain: \(status)") }
    }

    static func storedToken() -> String? {
        let query: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrAccount: "token", kSecReturnData: true,
            kSecMatchLimit: kSecMatchLimitOne,
        ]
        var item: CFTypeRef?
        guard SecItemCopyMatching(query as CFDictionary, &item) == errSecSuccess else { return nil }
        return (item as? Data).flatMap { String(data: $0, encoding: .utf8) }
    }

    /// Blocks the thread, as some apps do.
    func waitForToken() -> String? {
        let done = DispatchSemaphore(value: 0)
        let box = TokenBox()
        queue.async {
            usleep(200_000)
            box.token = SampleLogin.storedToken()
            done.signal()
        }
        guard done.wait(timeout: .now() + .seconds(2)) == .success else { return nil }
        return box.token
    }

    private final class TokenBox: @unchecked Sendable {
        var token: String?
    }
}
