import Foundation
import HyphenateChat

/// The login code of an app, with the vendor's names and those of a UI kit: blocks, a queue of its own, a timer.
final class ChatService: NSObject {
    enum Status: String {
        case out, loggingIn, connected, disconnected, kicked
    }

    static let queue = DispatchQueue(label: "chat.service")

    private(set) var status = Status.out
    private(set) var reason = ""
    private(set) var unread = 0
    private(set) var events: [String] = []
    private var reload: Timer?
    private let user: String

    init(user: String) {
        self.user = user
        super.init()
        let options = EMOptions(appkey: "org#app")
        options.isAutoLogin = true
        options.customDeviceName = "Anna's phone"
        options.logLevel = .error
        if let error = EMClient.shared().initializeSDK(with: options) {
            events.append(error.errorDescription ?? "")
        }
        EMClient.shared().add(self, delegateQueue: Self.queue)
        EMClient.shared().addMultiDevices(delegate: self, queue: .main)
        EMClient.shared().chatManager?.add(self, delegateQueue: nil)
        if EMClient.shared().isAutoLogin { status = .disconnected }
    }

    func login(password: String) {
        guard !ChatClient.shared().isLoggedIn else { return }
        status = .loggingIn
        ChatClient.shared().login(withUsername: user, password: password) { [weak self] name, error in
            guard let self else { return }
            if let error = error {
                self.status = .out
                self.reason = "\(error.code.rawValue) \(error.errorDescription ?? "")"
                return
            }
            self.events.append("welcome \(name)")
            UserDefaults.standard.set(name, forKey: "chat.user")
        }
    }

    /// As in the vendor's guide: without push if push cannot be unbound.
    func logout(completion: @escaping (Bool) -> Void) {
        EMClient.shared().logout(true) { error in
            guard error != nil else { return completion(true) }
            EMClient.shared().logout(false) { error in completion(error == nil) }
        }
    }

    func kickOthers(password: String) {
        EMClient.shared().getLoggedInDevicesFromServer(withUsername: user, password: password) { devices, error in
            let own = EMClient.shared().getDeviceConfig(nil)?.resource
            for device in devices ?? [] where device.resource != own {
                EMClient.shared().kickDevice(
                    withUsername: self.user, password: password, resource: device.resource ?? ""
                ) { error in
                    self.events.append("kicked \(device.deviceName ?? "") \(error?.errorDescription ?? "")")
                }
            }
        }
    }

    func say(_ text: String, to name: String) {
        let message = ChatMessage(
            conversationID: name, from: ChatClient.shared().currentUsername ?? "", to: name,
            body: ChatTextMessageBody(text: text), ext: nil)
        message.chatType = .chat
        ChatClient.shared().chatManager?.send(message, progress: nil) { message, error in
            self.events.append("\(message?.messageId.isEmpty == false) \(error.map { "\($0.code)" } ?? "sent")")
        }
    }

    func read(_ name: String) {
        ChatClient.shared().chatManager?.getConversationWithConvId(name)?.markAllMessages(asRead: nil)
        ChatClient.shared().chatManager?.ackConversationRead(name)
        count()
    }

    private func count() {
        let conversations: [EMConversation] = EMClient.shared().chatManager?.getAllConversations(true) ?? []
        unread = conversations.reduce(0) { $0 + Int($1.unreadMessagesCount) }
    }
}

extension ChatService: EMClientDelegate {
    func connectionStateDidChange(_ aConnectionState: EMConnectionState) {
        DispatchQueue.main.async {
            guard self.status != .kicked else { return }
            self.status = aConnectionState == .connected ? .connected : .disconnected
            // As in UI kits: events that arrived meanwhile are shown a second later.
            self.reload?.invalidate()
            self.reload = Timer.scheduledTimer(withTimeInterval: 1, repeats: false) { _ in self.count() }
        }
    }

    func autoLoginDidCompleteWithError(_ aError: EMError?) {
        if let aError { DispatchQueue.main.async { self.reason = "\(aError.code)" } }
    }

    func userAccountDidLoginFromOtherDevice(with info: EMLoginExtensionInfo?) { kicked(info?.deviceName ?? "") }

    func userAccountDidForced(toLogout aError: EMError?) { kicked(aError?.errorDescription ?? "") }

    private func kicked(_ by: String) {
        DispatchQueue.main.async {
            self.status = .kicked
            self.reason = by
        }
    }
}

extension ChatService: MultiDeviceEventsListener {
    func multiDevicesConversationEvent(
        _ event: MultiDeviceEvent, conversationId: String, conversationType: ChatConversationType
    ) {
        if event == .conversationPinned { events.append("pinned \(conversationId) \(conversationType == .chat)") }
    }
}

extension ChatService: ChatEventsListener {
    func messagesDidReceive(_ aMessages: [ChatMessage]) {
        for message in aMessages {
            switch message.body.type {
            case .text: events.append((message.body as? ChatTextMessageBody)?.text ?? "")
            default: events.append("?")
            }
        }
    }
}
